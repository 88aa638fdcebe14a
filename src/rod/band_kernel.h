// SPDX-License-Identifier: MIT
/// @file
/// Factor and solve of band.h for one kind of block, written against V4 (four doubles) and v4_splat, which the including
/// file defines. It is included once per kind, with
///
///     BAND(name)   the name of a function of this kind
///     COLS, VECS   columns of a block, vectors of four per column (rows = 4 VECS)
///     PARTS        1 if real, 2 if complex
///
/// With A = L D L^T, node after node from either end towards the middle,
///
///     P_i = (A_ii)^-1,  L_ki = A_ki P_i,  A_kl -= L_ki A_li^T   for k >= l in {i + 1, i + 2}
///     y_i = b_i - L_i,i-1 y_i-1 - L_i,i-2 y_i-2,  z_i = P_i y_i,  x_i = z_i - L_i+1,i^T x_i+1 - L_i+2,i^T x_i+2.
///
/// The two ends do not depend on each other, so that a processor works on both at once. Complex systems are symmetric, not
/// Hermitian: nothing is conjugated. No pivoting: the blocks of M + a H have no small pivots for complex a.

#define VEC (4 * VECS * PARTS)
#define SIZE (COLS * VEC)

// one node's vector, and its components spread over vectors
typedef struct BAND(Node)
{
    V4 v[PARTS][VECS];
} BAND(Node);
typedef struct BAND(Spread)
{
    V4 v[PARTS][COLS];
} BAND(Spread);

INLINE BAND(Node) BAND(load)(const double* p)
{
    BAND(Node) a;
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < VECS; k++) a.v[part][k] = v4_load(p + 4 * (part * VECS + k));
    return a;
}

INLINE void BAND(store)(double* p, const BAND(Node) * a)
{
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < VECS; k++) v4_store(p + 4 * (part * VECS + k), a->v[part][k]);
}

INLINE BAND(Node) BAND(zero)(void)
{
    BAND(Node) a;
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < VECS; k++) a.v[part][k] = v4_set(0);
    return a;
}

INLINE BAND(Node) BAND(add)(BAND(Node) a, const BAND(Node) * b)
{
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < VECS; k++) a.v[part][k] += b->v[part][k];
    return a;
}

INLINE BAND(Spread) BAND(spread)(const BAND(Node) * a)
{
    BAND(Spread) s;
    for (int part = 0; part < PARTS; part++)
    {
        s.v[part][0] = v4_splat(a->v[part][0], 0);
        s.v[part][1] = v4_splat(a->v[part][0], 1);
        s.v[part][2] = v4_splat(a->v[part][0], 2);
        s.v[part][3] = v4_splat(a->v[part][0], 3);
        if (COLS == 6) s.v[part][COLS - 2] = v4_splat(a->v[part][VECS - 1], 0);
        if (COLS == 6) s.v[part][COLS - 1] = v4_splat(a->v[part][VECS - 1], 1);
    }
    return s;
}

// a - B x, in independent chains
INLINE BAND(Node) BAND(minus)(BAND(Node) a, const double* block, const BAND(Spread) * x)
{
    for (int k = 0; k < VECS; k++)
    {
        V4 re = a.v[0][k];
        V4 im = a.v[PARTS - 1][k], re2 = v4_set(0), im2 = v4_set(0);
        for (int c = 0; c < COLS; c++)
        {
            const double* column = block + c * VEC + 4 * k;
            V4 b = v4_load(column);
            re -= b * x->v[0][c];
            if (PARTS == 1) continue;
            V4 bi = v4_load(column + 4 * VECS);
            im -= b * x->v[PARTS - 1][c];
            re2 += bi * x->v[PARTS - 1][c];
            im2 += bi * x->v[0][c];
        }
        a.v[0][k] = PARTS == 1 ? re : re + re2;
        if (PARTS == 2) a.v[PARTS - 1][k] = im - im2;
    }
    return a;
}

// ---- factor ----

// number (row, column) of a block
INLINE double* BAND(at)(double* block, int row, int col, int part) { return block + col * VEC + part * 4 * VECS + row; }

// inverse of a symmetric block by Gauss-Jordan; rows of padding become zero
INLINE void BAND(invert)(const double* block, double* out)
{
    double a[COLS][COLS][2];
    for (int c = 0; c < COLS; c++)
        for (int r = 0; r < COLS; r++)
        {
            a[r][c][0] = block[c * VEC + r];
            a[r][c][1] = PARTS == 2 ? block[c * VEC + 4 * VECS + r] : 0;
        }
    for (int p = 0; p < COLS; p++)
    {
        double re = a[p][p][0], im = a[p][p][1], size = re * re + im * im;
        double pr = re / size, pi = -im / size;
        a[p][p][0] = 1, a[p][p][1] = 0;
        for (int c = 0; c < COLS; c++)
        {
            double xr = a[p][c][0], xi = a[p][c][1];
            a[p][c][0] = xr * pr - xi * pi;
            a[p][c][1] = xr * pi + xi * pr;
        }
        for (int r = 0; r < COLS; r++)
        {
            if (r == p) continue;
            double fr = a[r][p][0], fi = a[r][p][1];
            a[r][p][0] = a[r][p][1] = 0;
            for (int c = 0; c < COLS; c++)
            {
                a[r][c][0] -= fr * a[p][c][0] - fi * a[p][c][1];
                a[r][c][1] -= fr * a[p][c][1] + fi * a[p][c][0];
            }
        }
    }
    memset(out, 0, SIZE * sizeof *out);
    for (int c = 0; c < COLS; c++)
        for (int r = 0; r < COLS; r++)
            for (int part = 0; part < PARTS; part++) *BAND(at)(out, r, c, part) = a[r][c][part];
}

INLINE void BAND(transpose)(const double* block, double* out)
{
    for (int part = 0; part < PARTS; part++)
        for (int c = 0; c < COLS; c++)
            for (int r = 0; r < 4 * VECS; r++)
                out[c * VEC + part * 4 * VECS + r] = r < COLS ? block[r * VEC + part * 4 * VECS + c] : 0;
}

// rounding makes a diagonal block a little skew; the elimination would magnify that from node to node
INLINE void BAND(symmetrize)(double* block)
{
    for (int part = 0; part < PARTS; part++)
        for (int c = 0; c < COLS; c++)
            for (int r = 0; r < c; r++)
            {
                double *a = BAND(at)(block, r, c, part), *b = BAND(at)(block, c, r, part), mean = 0.5 * (*a + *b);
                *a = *b = mean;
            }
}

// out = sign A B, columns of out one by one; out may not be A or B. accumulate: added to what is there
INLINE void BAND(multiply)(const double* a, const double* b, double* out, bool subtract)
{
    for (int c = 0; c < COLS; c++)
    {
        BAND(Node) column = BAND(load)(b + c * VEC), sum = subtract ? BAND(load)(out + c * VEC) : BAND(zero)();
        BAND(Spread) x = BAND(spread)(&column);
        sum = BAND(minus)(sum, a, &x);
        if (!subtract)
            for (int part = 0; part < PARTS; part++)
                for (int k = 0; k < VECS; k++) sum.v[part][k] = -sum.v[part][k];
        BAND(store)(out + c * VEC, &sum);
    }
}

// eliminate node i of a half
static void BAND(eliminate)(double* work, double* down, double* up, int i)
{
    double *w = work + (size_t)i * 3 * SIZE, *d = down + (size_t)i * 3 * SIZE, *u = up + (size_t)i * 2 * SIZE;
    double flipped[2][SIZE] __attribute__((aligned(64)));
    BAND(symmetrize)(w);
    BAND(invert)(w, d);
    BAND(symmetrize)(d);
    for (int k = 1; k <= 2; k++)
    {
        BAND(multiply)(w + k * SIZE, d, d + k * SIZE, false);
        BAND(transpose)(d + k * SIZE, u + (k - 1) * SIZE);
        BAND(transpose)(w + k * SIZE, flipped[k - 1]);
    }
    BAND(multiply)(d + SIZE, flipped[0], w + 3 * SIZE, true);
    BAND(multiply)(d + 2 * SIZE, flipped[0], w + 4 * SIZE, true);
    BAND(multiply)(d + 2 * SIZE, flipped[1], w + 6 * SIZE, true);
}

// the matrix into the two halves; the middle block belongs to the top one
static void BAND(split)(RodBand* band)
{
    int n = band->band_n, m = band->m, bottom = n - m;
    double *top = band->work[0], *low = band->work[1];
    memset(top, 0, ((size_t)n + 3) * 3 * SIZE * sizeof *top);
    memset(low, 0, ((size_t)n + 3) * 3 * SIZE * sizeof *low);
    for (int i = 0; i < m + 2; i++)
        for (int k = 0; k < 3 && i + k < m + 2; k++)
            memcpy(top + ((size_t)i * 3 + (size_t)k) * SIZE, band->a + ((size_t)i * 3 + (size_t)k) * SIZE,
                   SIZE * sizeof *top);
    for (int i = 0; i < bottom - 2; i++)
        for (int k = 0; k < 3; k++) BAND(transpose)
    (band->a + ((size_t)(n - 1 - i - k) * 3 + (size_t)k) * SIZE, low + ((size_t)i * 3 + (size_t)k) * SIZE);
}

// what the bottom half leaves on the middle two nodes
static void BAND(join)(RodBand* band)
{
    int n = band->band_n, bottom = n - band->m;
    for (int i = bottom - 2; i < bottom; i++)
        for (int k = 0; k < 3 && i + k < bottom; k++)
        {
            double flipped[SIZE], *out = band->work[0] + ((size_t)(n - 1 - i - k) * 3 + (size_t)k) * SIZE;
            BAND(transpose)(band->work[1] + ((size_t)i * 3 + (size_t)k) * SIZE, flipped);
            for (int j = 0; j < SIZE; j++) out[j] += flipped[j];
        }
}

static void BAND(solve_band)(const RodBand* band, double* y);

// y -= B x for two nodes' vectors, B or its transpose, in plain numbers
static void BAND(subtract)(const double* block, bool flip, const double* x, double* y)
{
    double flipped[SIZE] __attribute__((aligned(64)));
    if (flip) BAND(transpose)(block, flipped);
    BAND(Node) a = BAND(load)(y), b = BAND(load)(x);
    BAND(Spread) s = BAND(spread)(&b);
    a = BAND(minus)(a, flip ? flipped : block, &s);
    BAND(store)(y, &a);
}

// the border's two nodes minus what the band's solution x makes there
static void BAND(border_rest)(const RodBand* band, const double* x, double* two)
{
    int n = band->n;
    const double *p2 = tw_band_block(band, n - 4, 2), *p1 = tw_band_block(band, n - 3, 1);
    const double* r2 = tw_band_block(band, n - 3, 2);
    BAND(subtract)(p2, false, x + (size_t)(n - 4) * VEC, two);
    BAND(subtract)(p1, false, x + (size_t)(n - 3) * VEC, two);
    BAND(subtract)(tw_band_block(band, n - 2, 2), true, x, two);
    BAND(subtract)(r2, false, x + (size_t)(n - 3) * VEC, two + VEC);
    BAND(subtract)(tw_band_block(band, n - 1, 1), true, x, two + VEC);
    BAND(subtract)(tw_band_block(band, n - 1, 2), true, x + VEC, two + VEC);
}

// dense inverse of the border's Schur complement s (2 COLS)^2 in place, with partial pivoting
static void BAND(invert_schur)(double (*s)[2 * COLS][2])
{
    enum
    {
        N = 2 * COLS
    };
    double inverse[N][N][2];
    memset(inverse, 0, sizeof inverse);
    for (int i = 0; i < N; i++) inverse[i][i][0] = 1;
    for (int p = 0; p < N; p++)
    {
        int best = p;
        for (int r = p + 1; r < N; r++)
            if (fabs(s[r][p][0]) + fabs(s[r][p][1]) > fabs(s[best][p][0]) + fabs(s[best][p][1])) best = r;
        for (int c = 0; c < N; c++)
            for (int j = 0; j < 2; j++)
            {
                double a = s[p][c][j], b = inverse[p][c][j];
                s[p][c][j] = s[best][c][j], s[best][c][j] = a;
                inverse[p][c][j] = inverse[best][c][j], inverse[best][c][j] = b;
            }
        double re = s[p][p][0], im = s[p][p][1], size = re * re + im * im, pr = re / size, pi = -im / size;
        for (int c = 0; c < N; c++)
            for (int which = 0; which < 2; which++)
            {
                double* e = which ? inverse[p][c] : s[p][c];
                double xr = e[0], xi = e[1];
                e[0] = xr * pr - xi * pi;
                e[1] = xr * pi + xi * pr;
            }
        for (int r = 0; r < N; r++)
        {
            double fr = s[r][p][0], fi = s[r][p][1];
            if (r == p) continue;
            for (int c = 0; c < N; c++)
            {
                s[r][c][0] -= fr * s[p][c][0] - fi * s[p][c][1];
                s[r][c][1] -= fr * s[p][c][1] + fi * s[p][c][0];
                inverse[r][c][0] -= fr * inverse[p][c][0] - fi * inverse[p][c][1];
                inverse[r][c][1] -= fr * inverse[p][c][1] + fi * inverse[p][c][0];
            }
        }
    }
    memcpy(s, inverse, sizeof inverse);
}

// number r, part of a border vector of two nodes
INLINE double* BAND(two_at)(double* two, int r, int part)
{
    return two + (r / COLS) * VEC + part * 4 * VECS + r % COLS;
}

// closed: columns of the border through the band, then their Schur complement
static void BAND(factor_border)(RodBand* band)
{
    enum
    {
        N = 2 * COLS
    };
    int n = band->n;
    double schur[N][N][2];
    memset(schur, 0, sizeof schur);
    size_t column_size = (size_t)band->band_n * VEC;
    for (int c = 0; c < N; c++)
    {
        // right side: column c of the coupling, on the nodes beside the border
        double* x = band->border + (size_t)c * column_size;
        memset(x, 0, column_size * sizeof *x);
        double unit[2 * VEC] __attribute__((aligned(64))) = {0};
        *BAND(two_at)(unit, c, 0) = -1;
        const double *p = unit, *r = unit + VEC;
        BAND(subtract)(tw_band_block(band, n - 4, 2), true, p, x + (size_t)(n - 4) * VEC);
        BAND(subtract)(tw_band_block(band, n - 3, 1), true, p, x + (size_t)(n - 3) * VEC);
        BAND(subtract)(tw_band_block(band, n - 2, 2), false, p, x);
        BAND(subtract)(tw_band_block(band, n - 3, 2), true, r, x + (size_t)(n - 3) * VEC);
        BAND(subtract)(tw_band_block(band, n - 1, 1), false, r, x);
        BAND(subtract)(tw_band_block(band, n - 1, 2), false, r, x + VEC);
        BAND(solve_band)(band, x);
        // C - U^T x
        double rest[2 * VEC] __attribute__((aligned(64))) = {0};
        BAND(subtract)(tw_band_block(band, n - 2, 0), false, p, rest);
        BAND(subtract)(tw_band_block(band, n - 2, 1), true, r, rest);
        BAND(subtract)(tw_band_block(band, n - 2, 1), false, p, rest + VEC);
        BAND(subtract)(tw_band_block(band, n - 1, 0), false, r, rest + VEC);
        BAND(border_rest)(band, x, rest);
        for (int i = 0; i < N; i++)
            for (int part = 0; part < PARTS; part++) schur[i][c][part] = *BAND(two_at)(rest, i, part);
    }
    BAND(invert_schur)(schur);
    memcpy(band->schur, schur, sizeof schur);
}

static void BAND(factor)(RodBand* band)
{
    int m = band->m, bottom = band->band_n - m - 2, i = 0;
    BAND(split)(band);
    for (; i < m && i < bottom; i++)
    {
        BAND(eliminate)(band->work[0], band->down[0], band->up[0], i);
        BAND(eliminate)(band->work[1], band->down[1], band->up[1], i);
    }
    for (; i < bottom; i++) BAND(eliminate)(band->work[1], band->down[1], band->up[1], i);
    BAND(join)(band);
    for (i = m; i < m + 2; i++) BAND(eliminate)(band->work[0], band->down[0], band->up[0], i);
    if (band->closed) BAND(factor_border)(band);
}

// ---- solve ----

// one end on its way to the middle: the sums that wait for the next two nodes
typedef struct BAND(Wave)
{
    BAND(Node) next, after;
} BAND(Wave);

// a + w x a: a small turn of the vectors in a, or back
INLINE BAND(Node) BAND(turn)(BAND(Node) a, const double* w, const double sign)
{
    V4 b = sign * v4_load(w);
    for (int part = 0; part < PARTS; part++) a.v[part][0] += v4_cross(b, a.v[part][0]);
    return a;
}

// eliminate a node whose sum is here: what it makes of the next two, and its share of the solution
INLINE void BAND(go_down)(BAND(Wave) * wave, const double* down, const BAND(Node) * here, double* y)
{
    BAND(Spread) s = BAND(spread)(here);
    wave->next = BAND(minus)(wave->after, down + SIZE, &s);
    wave->after = BAND(minus)(BAND(zero)(), down + 2 * SIZE, &s);
    BAND(Node) z = BAND(minus)(BAND(zero)(), down, &s);
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < VECS; k++) z.v[part][k] = -z.v[part][k];
    BAND(store)(y, &z);
}

INLINE void BAND(top_down)(BAND(Wave) * wave, const double* down, const double* turn, double* y)
{
    BAND(Node) here = BAND(load)(y), next = BAND(turn)(wave->next, turn, 1);
    here = BAND(add)(here, &next);
    BAND(go_down)(wave, down, &here, y);
}

INLINE void BAND(low_down)(BAND(Wave) * wave, const double* down, const double* turn, double* y)
{
    BAND(Node) here = BAND(load)(y);
    here = BAND(turn)(BAND(add)(here, &wave->next), turn, -1);
    BAND(go_down)(wave, down, &here, y);
}

// node i from x of node i + 1; wave->after has what node i + 2 makes here
INLINE BAND(Node)
    BAND(go_up)(BAND(Wave) * wave, const BAND(Node) * x, const double* up, const double* up_before, const double* y)
{
    BAND(Node) here = BAND(load)(y);
    BAND(Spread) s = BAND(spread)(x);
    here = BAND(add)(here, &wave->after);
    here = BAND(minus)(here, up, &s);
    wave->after = BAND(minus)(BAND(zero)(), up_before + SIZE, &s);
    return here;
}

INLINE void BAND(top_up)(BAND(Wave) * wave, const double* up, const double* up_before, const double* turn, double* y)
{
    BAND(Node) x = BAND(turn)(wave->next, turn, -1);
    wave->next = BAND(go_up)(wave, &x, up, up_before, y);
    BAND(store)(y, &wave->next);
}

INLINE void BAND(low_up)(BAND(Wave) * wave, const double* up, const double* up_before, const double* turn, double* y)
{
    wave->next = BAND(turn)(BAND(go_up)(wave, &wave->next, up, up_before, y), turn, 1);
    BAND(store)(y, &wave->next);
}

static void BAND(solve_band)(const RodBand* band, double* y)
{
    const int n = band->band_n, m = band->m, bottom = n - m - 2;
    const double *down0 = band->down[0], *down1 = band->down[1], *up0 = band->up[0], *up1 = band->up[1];
    const double* turn = band->turn;
    BAND(Wave) top = {BAND(zero)(), BAND(zero)()}, low = top;
    int i = 0;
    for (; i < m; i++)
    {
        size_t other = (size_t)(n - 1 - i);
        BAND(top_down)(&top, down0 + (size_t)i * 3 * SIZE, turn + 4 * i, y + (size_t)i * VEC);
        BAND(low_down)(&low, down1 + (size_t)i * 3 * SIZE, turn + 4 * other, y + other * VEC);
    }
    for (; i < bottom; i++)
    {
        size_t other = (size_t)(n - 1 - i);
        BAND(low_down)(&low, down1 + (size_t)i * 3 * SIZE, turn + 4 * other, y + other * VEC);
    }
    // the middle gets both, and is solved on its own
    double *y0 = y + (size_t)m * VEC, *y1 = y0 + VEC;
    BAND(Node) a = BAND(load)(y1), b = BAND(load)(y0);
    a = BAND(add)(a, &low.next), b = BAND(add)(b, &low.after);
    BAND(store)(y1, &a), BAND(store)(y0, &b);
    BAND(top_down)(&top, down0 + (size_t)m * 3 * SIZE, turn + 4 * m, y0);
    BAND(top_down)(&top, down0 + (size_t)(m + 1) * 3 * SIZE, turn + 4 * (m + 1), y1);
    low.next = BAND(load)(y1);
    a = BAND(turn)(low.next, turn + 4 * (m + 1), -1);
    BAND(Spread) last = BAND(spread)(&a);
    b = BAND(load)(y0);
    top.next = BAND(minus)(b, up0 + (size_t)m * 2 * SIZE, &last);
    BAND(store)(y0, &top.next);
    // back to the ends
    BAND(Spread) first = BAND(spread)(&top.next);
    top.after = m > 0 ? BAND(minus)(BAND(zero)(), up0 + (size_t)(m - 1) * 2 * SIZE + SIZE, &last) : BAND(zero)();
    low.after = BAND(minus)(BAND(zero)(), up1 + (size_t)(bottom - 1) * 2 * SIZE + SIZE, &first);
    for (i = bottom - 1; i >= 0; i--)
    {
        size_t here = (size_t)i * 2 * SIZE, before = (size_t)(i > 0 ? i - 1 : 0) * 2 * SIZE;
        size_t other = (size_t)(n - 1 - i);
        if (i < m) BAND(top_up)(&top, up0 + here, up0 + before, turn + 4 * (i + 1), y + (size_t)i * VEC);
        BAND(low_up)(&low, up1 + here, up1 + before, turn + 4 * other, y + other * VEC);
    }
}

// the border's two nodes minus what y makes there, by the border's columns: the transpose of what they are used for below
static void BAND(border_dot)(const RodBand* band, const double* y, double* two)
{
    size_t column_size = (size_t)band->band_n * VEC;
    for (int c = 0; c < 2 * COLS; c++)
    {
        V4 re = v4_set(0), im = v4_set(0);
        for (int i = 0; i < band->band_n; i++)
        {
            BAND(Node) w = BAND(load)(band->border + (size_t)c * column_size + (size_t)i * VEC);
            BAND(Node) a = BAND(load)(y + (size_t)i * VEC);
            for (int k = 0; k < VECS; k++)
            {
                re += w.v[0][k] * a.v[0][k];
                if (PARTS == 1) continue;
                re -= w.v[PARTS - 1][k] * a.v[PARTS - 1][k];
                im += w.v[0][k] * a.v[PARTS - 1][k] + w.v[PARTS - 1][k] * a.v[0][k];
            }
        }
        *BAND(two_at)(two, c, 0) -= (re[0] + re[1]) + (re[2] + re[3]);
        if (PARTS == 2) *BAND(two_at)(two, c, PARTS - 1) -= (im[0] + im[1]) + (im[2] + im[3]);
    }
}

// even: symmetric also if nodes turned since the factor was made, which the border's columns do not know of
static void BAND(solve_closed)(const RodBand* band, double* y, bool even)
{
    enum
    {
        N = 2 * COLS
    };
    double *two = y + (size_t)band->band_n * VEC, x[2 * VEC] __attribute__((aligned(64))) = {0};
    if (even) BAND(border_dot)(band, y, two);
    BAND(solve_band)(band, y);
    if (!even) BAND(border_rest)(band, y, two);
    const double(*inverse)[N][2] = (const double(*)[N][2])band->schur;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
        {
            double br = *BAND(two_at)(two, j, 0), bi = PARTS == 2 ? *BAND(two_at)(two, j, PARTS - 1) : 0;
            *BAND(two_at)(x, i, 0) += inverse[i][j][0] * br - inverse[i][j][1] * bi;
            if (PARTS == 2) *BAND(two_at)(x, i, PARTS - 1) += inverse[i][j][0] * bi + inverse[i][j][1] * br;
        }
    memcpy(two, x, sizeof x);
    // the band without what the border makes there
    size_t column_size = (size_t)band->band_n * VEC;
    for (int i = 0; i < band->band_n; i++)
    {
        BAND(Node) a = BAND(load)(y + (size_t)i * VEC);
        for (int c = 0; c < N; c++)
        {
            BAND(Node) w = BAND(load)(band->border + (size_t)c * column_size + (size_t)i * VEC);
            V4 re = v4_set(*BAND(two_at)(x, c, 0)), im = v4_set(PARTS == 2 ? *BAND(two_at)(x, c, PARTS - 1) : 0);
            for (int k = 0; k < VECS; k++)
            {
                a.v[0][k] -= w.v[0][k] * re;
                if (PARTS == 1) continue;
                a.v[0][k] += w.v[PARTS - 1][k] * im;
                a.v[PARTS - 1][k] -= w.v[0][k] * im + w.v[PARTS - 1][k] * re;
            }
        }
        BAND(store)(y + (size_t)i * VEC, &a);
    }
}

static void BAND(solve)(const RodBand* band, double* y)
{
    if (band->closed)
        BAND(solve_closed)(band, y, false);
    else
        BAND(solve_band)(band, y);
}

#undef VEC
#undef SIZE
#undef BAND
#undef COLS
#undef VECS
#undef PARTS
