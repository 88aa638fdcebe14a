// SPDX-License-Identifier: MIT
/// @file
/// The solve of band_kernel.h for open rows of complex blocks of four columns, eight numbers at a time: a column, or a node's
/// vector, is one vector, the real numbers and then the imaginary ones. It is included once per kind of number, with
///
///     OPEN(name)              the name of a function of this kind
///     NUMBER, V8, WHOLE       float or double, eight of them, the unsigned integer of that size
///     TWICE(p)                the four numbers at p, twice
///     INTO(y, a)              a into a node's doubles y
///     DOWN(band), TURN(band)  factor and turns in these numbers
///
/// In float it is half the memory to go through; what is lost in accuracy the next iteration makes good, since its residual is
/// in double. The way back reads the blocks of the way there, of which the last are still near.

#define BLOCK 32                                                                           // numbers
#define SPLAT(a, k) __builtin_shufflevector(a, a, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k)  // in both halves
#define SWAP(a) __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3)

typedef NUMBER OPEN(Any) __attribute__((vector_size(8 * sizeof(NUMBER)), aligned(sizeof(NUMBER)), may_alias));

INLINE V8 OPEN(load)(const void* p) { return *(const OPEN(Any)*)p; }
INLINE void OPEN(store)(void* p, V8 a) { *(OPEN(Any)*)p = a; }

// node vectors are in double, while they wait for the way back in these numbers in the same place
INLINE V8 OPEN(from)(const double* y)
{
    typedef double D8Any __attribute__((vector_size(64), aligned(8), may_alias));
    return __builtin_convertvector(*(const D8Any*)y, V8);
}

INLINE V8 OPEN(times_i)(V8 a)
{
    typedef WHOLE Bits __attribute__((vector_size(8 * sizeof(NUMBER))));
    const WHOLE minus = (WHOLE)1 << (8 * sizeof(WHOLE) - 1);
    return (V8)((Bits)SWAP(a) ^ (Bits){minus, minus, minus, minus, 0, 0, 0, 0});
}

// a + sign w x b for both parts
INLINE V8 OPEN(turn)(V8 a, V8 b, const NUMBER* w, const NUMBER sign)
{
    const V8 u = sign * TWICE(w);
    a += __builtin_shufflevector(u, u, 1, 2, 0, 3, 5, 6, 4, 7) * __builtin_shufflevector(b, b, 2, 0, 1, 3, 6, 4, 5, 7);
    a -= __builtin_shufflevector(u, u, 2, 0, 1, 3, 6, 4, 5, 7) * __builtin_shufflevector(b, b, 1, 2, 0, 3, 5, 6, 4, 7);
    return a;
}

// a - B x: two sums over the columns, with the real and with the imaginary numbers of x, the latter times i
INLINE V8 OPEN(minus)(V8 a, const NUMBER* block, V8 x)
{
    V8 b0 = OPEN(load)(block), b1 = OPEN(load)(block + 8), b2 = OPEN(load)(block + 16), b3 = OPEN(load)(block + 24);
    V8 xr = __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3);
    V8 xi = __builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7);
    V8 im = b0 * SPLAT(xi, 0), im2 = b1 * SPLAT(xi, 1), re = a - b0 * SPLAT(xr, 0), re2 = b1 * SPLAT(xr, 1);
    im += b2 * SPLAT(xi, 2), im2 += b3 * SPLAT(xi, 3);
    re -= b2 * SPLAT(xr, 2), re2 += b3 * SPLAT(xr, 3);
    im += im2, re -= re2;
    const V8 sign = {1, 1, 1, 1, -1, -1, -1, -1};
    return re + sign * SWAP(im);
}

// four products of columns with x, whose sums over each half are those of B^T x
typedef struct OPEN(Sums)
{
    V8 c[4];
} OPEN(Sums);

INLINE OPEN(Sums) OPEN(columns)(OPEN(Sums) s, const NUMBER* block, V8 x)
{
    const V8 turned = OPEN(times_i)(x);
    for (int c = 0; c < 4; c++) s.c[c] = s.c[c] + TWICE(block + 8 * c) * x + TWICE(block + 8 * c + 4) * turned;
    return s;
}

INLINE V8 OPEN(pairs)(V8 a, V8 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}

INLINE V8 OPEN(sum)(const OPEN(Sums) * s)
{
    const V8 a = OPEN(pairs)(s->c[0], s->c[1]), b = OPEN(pairs)(s->c[2], s->c[3]);
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

// one end on its way: to the middle, the sums that wait for the next two nodes; back, the solutions of the last two
typedef struct OPEN(Wave)
{
    V8 next, after;
} OPEN(Wave);

INLINE void OPEN(go_down)(OPEN(Wave) * wave, const NUMBER* down, V8 here, double* y)
{
    const V8 zero = {0};
    wave->next = OPEN(minus)(wave->after, down + BLOCK, here);
    wave->after = OPEN(minus)(zero, down + 2 * BLOCK, here);
    OPEN(store)(y, -OPEN(minus)(zero, down, here));
}

INLINE void OPEN(top_down)(OPEN(Wave) * wave, const NUMBER* down, const NUMBER* turn, double* y)
{
    OPEN(go_down)(wave, down, OPEN(turn)(OPEN(from)(y) + wave->next, wave->next, turn, 1), y);
}

INLINE void OPEN(low_down)(OPEN(Wave) * wave, const NUMBER* down, const NUMBER* turn, double* y)
{
    const V8 here = OPEN(from)(y) + wave->next;
    OPEN(go_down)(wave, down, OPEN(turn)(here, here, turn, -1), y);
}

// the solution of a node from those of the next two
INLINE V8 OPEN(go_up)(const NUMBER* down, V8 next, V8 after, const double* y)
{
    const V8 zero = {0};
    OPEN(Sums) s = {{zero, zero, zero, zero}};
    s = OPEN(columns)(s, down + 2 * BLOCK, after);
    s = OPEN(columns)(s, down + BLOCK, next);
    return OPEN(load)(y) - OPEN(sum)(&s);
}

INLINE void OPEN(top_up)(OPEN(Wave) * wave, const NUMBER* down, const NUMBER* turn, double* y)
{
    const V8 next = OPEN(turn)(wave->next, wave->next, turn, -1), x = OPEN(go_up)(down, next, wave->after, y);
    wave->after = next;
    wave->next = x;
    INTO(y, x);
}

INLINE void OPEN(low_up)(OPEN(Wave) * wave, const NUMBER* down, const NUMBER* turn, double* y)
{
    const V8 x = OPEN(go_up)(down, wave->next, wave->after, y), turned = OPEN(turn)(x, x, turn, 1);
    wave->after = wave->next;
    wave->next = turned;
    INTO(y, turned);
}

// the two nodes in the middle, of which the ends left the sums; then the solutions are in both waves
static void OPEN(middle)(const RodBand* band, OPEN(Wave) * top, OPEN(Wave) * low, double* y)
{
    const size_t m = (size_t)band->m;
    const NUMBER *down = DOWN(band)[0] + m * 3 * BLOCK, *turn = TURN(band) + 4 * m;
    double *y0 = y + 8 * m, *y1 = y0 + 8;
    INTO(y0, OPEN(from)(y0) + low->after);
    INTO(y1, OPEN(from)(y1) + low->next);
    OPEN(top_down)(top, down, turn, y0);
    OPEN(top_down)(top, down + 3 * BLOCK, turn + 4, y1);
    const V8 second = OPEN(load)(y1), turned = OPEN(turn)(second, second, turn + 4, -1), none = {0};
    const V8 first = OPEN(go_up)(down, turned, none, y0);
    INTO(y0, first);
    INTO(y1, second);
    *top = (OPEN(Wave)){.next = first, .after = turned};
    *low = (OPEN(Wave)){.next = second, .after = first};
}

static void OPEN(solve)(const RodBand* band, double* y)
{
    const int n = band->n, m = band->m, bottom = n - m - 2;
    const NUMBER *down0 = DOWN(band)[0], *down1 = DOWN(band)[1], *turn = TURN(band);
    OPEN(Wave) top = {{0}, {0}}, low = top;
    for (int i = 0; i < bottom; i++)
    {
        const size_t here = (size_t)i, other = (size_t)(n - 1 - i);
        if (i < m) OPEN(top_down)(&top, down0 + here * 3 * BLOCK, turn + 4 * here, y + 8 * here);
        OPEN(low_down)(&low, down1 + here * 3 * BLOCK, turn + 4 * other, y + 8 * other);
    }
    OPEN(middle)(band, &top, &low, y);
    for (int i = bottom - 1; i >= 0; i--)
    {
        const size_t here = (size_t)i, other = (size_t)(n - 1 - i);
        if (i < m) OPEN(top_up)(&top, down0 + here * 3 * BLOCK, turn + 4 * (here + 1), y + 8 * here);
        OPEN(low_up)(&low, down1 + here * 3 * BLOCK, turn + 4 * other, y + 8 * other);
    }
}

#undef BLOCK
#undef SPLAT
#undef SWAP
#undef OPEN
#undef NUMBER
#undef V8
#undef WHOLE
#undef TWICE
#undef INTO
#undef DOWN
#undef TURN
