// SPDX-License-Identifier: MIT
/// @file
/// The loops of kernel.h, written against a vector type Vec of WIDTH floats (of the compiler, so that it can be added and
/// multiplied), Bits of as many unsigned, and vec_sqrt(), which the including file defines for its instruction set.
///
/// With d = x - y, r = |d|, G = e^{ikr}/(4 pi r):
///
///   S = G        G' = (ik - 1/r) G       H = G'' - G'/r = (3/r^2 - k^2 - 3ik/r) G
///   D = dG/dny = -G' d.ny/r              T = dG/dnx = G' d.nx/r
///   N = d2G/dnx dny = -(H (d.nx)(d.ny)/r^2 + nx.ny G'/r)
///
/// Single precision is enough: the places are at most 2 apart and at least a panel, so r is right to 1e-6.
///
/// Sums of harmonics are in double, because r^n of high degrees leaves the range of floats: Wide has half as many doubles as Vec
/// has floats.

#include "kernel.h"
#include "twang/bem.h"
#include <math.h>

#define INLINE static inline __attribute__((always_inline))

// a vector at any address
typedef struct Loose
{
    Vec v;
} __attribute__((packed, aligned(4), may_alias)) Loose;

INLINE Vec load(const float* from) { return ((const Loose*)from)->v; }
INLINE void store(float* to, Vec a) { ((Loose*)to)->v = a; }
INLINE Vec all(float a) { return a - (Vec){0}; }

// sine and cosine to 1e-7, for x from 0 to 1e4
INLINE void sine_cosine(Vec x, Vec* sine, Vec* cosine)
{
    // x = quarter pi/2 + y; adding 1.5 2^23 rounds, and leaves the quarter in the lowest bits
    const float rounder = 12582912;
    Vec shifted = x * 0.636619772f + rounder, quarter = shifted - rounder;
    Vec y = ((x - quarter * 1.5703125f) - quarter * 4.83751296997e-4f) - quarter * 7.54979012640e-8f, y2 = y * y;
    Vec s = y + y * y2 * (-1.6666654611e-1f + y2 * (8.3321608736e-3f + y2 * -1.9515295891e-4f));
    Vec c = 1 - 0.5f * y2 + y2 * y2 * (4.166664568e-2f + y2 * (-1.388731625e-3f + y2 * 2.443315712e-5f));

    // odd quarters swap them, the second half turns the sign of the sine, the middle half that of the cosine
    Bits turn = (Bits)shifted, odd = -(turn & 1);
    Bits a = ((Bits)s & ~odd) | ((Bits)c & odd), b = ((Bits)c & ~odd) | ((Bits)s & odd);
    *sine = (Vec)(a ^ ((turn & 2) << 30));
    *cosine = (Vec)(b ^ (((turn + 1) & 2) << 30));
}

// what all panels see of one collocation point
typedef struct Here
{
    Vec place[3], normal[3], k, beta;
} Here;

// the sums over the points of one panel, each real and imaginary
typedef struct Sums
{
    Vec s[2], d[2], t[2], n[2];
} Sums;

// normal: of the panel; both: product of the normals
INLINE void add_point(Sums* sums, const Here* here, float* const point[3], int j, const Vec normal[3], Vec both,
                      Vec weight)
{
    Vec dx = here->place[0] - load(point[0] + j), dy = here->place[1] - load(point[1] + j);
    Vec dz = here->place[2] - load(point[2] + j), k = here->k, sine, cosine;
    Vec r2 = dx * dx + dy * dy + dz * dz, inverse = 1 / vec_sqrt(r2);
    sine_cosine(k * (r2 * inverse), &sine, &cosine);
    Vec g = weight * inverse, gr = g * cosine, gi = g * sine;
    Vec at_x = (dx * here->normal[0] + dy * here->normal[1] + dz * here->normal[2]) * inverse;
    Vec at_y = (dx * normal[0] + dy * normal[1] + dz * normal[2]) * inverse;
    Vec pr = -inverse * gr - k * gi, pi = k * gr - inverse * gi;
    Vec a = 3 * inverse * inverse - k * k, b = -3 * k * inverse, product = at_x * at_y, turned = both * inverse;
    sums->s[0] += gr;
    sums->s[1] += gi;
    sums->d[0] -= pr * at_y;
    sums->d[1] -= pi * at_y;
    sums->t[0] += pr * at_x;
    sums->t[1] += pi * at_x;
    sums->n[0] -= product * (a * gr - b * gi) + turned * pr;
    sums->n[1] -= product * (a * gi + b * gr) + turned * pi;
}

static void fill_row(const BemFar* far, const BemSpot* spot, float* out)
{
    Here here = {.k = all(spot->k), .beta = all(spot->beta)};
    for (int i = 0; i < 3; i++)
    {
        here.place[i] = all(spot->place[i]);
        here.normal[i] = all(spot->normal[i]);
    }
    size_t stride = (size_t)far->stride;
    for (int j = 0; j < far->stride; j += WIDTH)
    {
        Sums sums = {0};
        Vec normal[3] = {load(far->normal[0] + j), load(far->normal[1] + j), load(far->normal[2] + j)};
        Vec both = normal[0] * here.normal[0] + normal[1] * here.normal[1] + normal[2] * here.normal[2];
        for (int i = 0; i < BEM_POINTS; i++)
            add_point(&sums, &here, far->point[i], j, normal, both, load(far->weight + j));
        store(out + j, sums.d[0] - here.beta * sums.n[1]);
        store(out + stride + j, sums.d[1] + here.beta * sums.n[0]);
        store(out + 2 * stride + j, sums.s[0] - here.beta * sums.t[1]);
        store(out + 3 * stride + j, sums.s[1] + here.beta * sums.t[0]);
    }
}

INLINE double lane_sum(Vec a)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += (double)a[i];
    return sum;
}

static void multiply_rows(const float* a, int rows, int stride, const float* x, double* out)
{
    for (int i = 0; i < rows; i++)
    {
        const float *re = a + 2 * (size_t)i * (size_t)stride, *im = re + stride;
        Vec rr = {0}, ii = {0}, ri = {0}, ir = {0};
        for (int j = 0; j < stride; j += WIDTH)
        {
            Vec p = load(re + j), q = load(im + j), u = load(x + j), v = load(x + stride + j);
            rr += p * u;
            ii += q * v;
            ri += p * v;
            ir += q * u;
        }
        out[2 * i] = lane_sum(rr) - lane_sum(ii);
        out[2 * i + 1] = lane_sum(ri) + lane_sum(ir);
    }
}

// ---- sums of harmonics ----

enum
{
    WIDE = WIDTH / 2
};
typedef struct LooseWide
{
    Wide v;
} __attribute__((packed, aligned(8), may_alias)) LooseWide;

INLINE Wide wide_load(const double* from) { return ((const LooseWide*)from)->v; }
INLINE void wide_store(double* to, Wide a) { ((LooseWide*)to)->v = a; }

// what goes with the harmonics of degree n: own, and along each axis, real and imaginary
typedef struct Weights
{
    Wide part[BEM_SUMS / 2];
} Weights;

// b_n for n = 0..order + 1 by the recurrence of acoustics/hankel.c, scaled to the two that are known by least squares
INLINE void scaled_bessel(Wide* b, int order, double k, Wide r, Wide b0, Wide b1, Wide weight)
{
    int start = (order + 1 > k ? order + 1 : (int)k) + 30 + (int)cbrt(50 * k);
    Wide above = 1 - (Wide){0}, here = above, x2 = k * k * r * r;
    for (int n = start; n >= 0; n--)
    {
        if (n <= order + 1) b[n] = here;
        Wide below = here - x2 * (1 / ((2 * n + 1.0) * (2 * n + 3.0))) * above;
        above = here;
        here = below;
    }
    Wide scale = (b0 * b[0] + weight * b1 * b[1]) / (b[0] * b[0] + weight * b[1] * b[1]);
    for (int n = 0; n <= order + 1; n++) b[n] *= scale;
}

INLINE void fill_weights(Weights* weights, const BemSources* sources, int i, int order)
{
    Wide v[BEM_SOURCE_ARRAYS], b[TW_MAX_BEM_ORDER + 2], power = 1 - (Wide){0};
    for (int j = 0; j < BEM_SOURCE_ARRAYS; j++) v[j] = wide_load(sources->value[j] + i);
    double k = sources->k;
    scaled_bessel(b, order, k, v[3], v[4], v[5], v[6]);
    Wide outward = -k * k * v[3] * (v[0] * v[11] + v[1] * v[12] + v[2] * v[13]);
    for (int n = 0; n <= order; n++)
    {
        Wide value = b[n] * power, slope = b[n + 1] * power, radial = outward * (1 / (2 * n + 3.0)) * slope;
        for (int part = 0; part < 2; part++)
        {
            Wide p = slope * v[7 + part];
            weights[n].part[part] = radial * v[7 + part] - value * v[9 + part];
            weights[n].part[2 + part] = p * v[11];
            weights[n].part[4 + part] = p * v[12];
            weights[n].part[6 + part] = p * v[13];
        }
        power *= v[3];
    }
}

// points that are added to the sums at once: storing the sums would take the most time
enum
{
    ROWS = 2
};

// the harmonics of one column, at some points
typedef struct Column
{
    Wide x, y, z;
    Wide c, s;       // Re and Im (x + iy)^m
    Wide q, before;  // Q_nm and Q_(n-1)m
} Column;

INLINE void project_pair(double* to, const Weights* const weights[ROWS], const Column* columns)
{
    for (int j = 0; j < BEM_SUMS / 4; j++)
        for (int part = 0; part < 2; part++)
        {
            double* sum = to + (4 * j + part) * WIDE;
            Wide cosine = wide_load(sum), sine = wide_load(sum + 2 * WIDE);
            for (int row = 0; row < ROWS; row++)
            {
                Wide w = weights[row]->part[2 * j + part] * columns[row].q;
                cosine += w * columns[row].c;
                sine += w * columns[row].s;
            }
            wide_store(sum, cosine);
            wide_store(sum + 2 * WIDE, sine);
        }
}

INLINE void next_degree(Column* column, const double* step)
{
    Wide above = step[0] * column->z * column->q - step[1] * column->before;
    column->before = column->q;
    column->q = above;
}

INLINE void next_column(Column* column)
{
    Wide turned = column->c * column->x - column->s * column->y;
    column->s = column->c * column->y + column->s * column->x;
    column->c = turned;
}

static void project_rows(const BemSources* sources, const BemLegendre* legendre, int first, double* to)
{
    Weights weights[ROWS][TW_MAX_BEM_ORDER + 1];
    Column columns[ROWS];
    int order = legendre->order;
    const double* step = legendre->step;
    for (int row = 0; row < ROWS; row++)
    {
        int i = first + row * WIDE;
        fill_weights(weights[row], sources, i, order);
        columns[row] = (Column){.x = wide_load(sources->value[0] + i),
                                .y = wide_load(sources->value[1] + i),
                                .z = wide_load(sources->value[2] + i),
                                .c = 1 - (Wide){0}};
    }
    for (int m = 0; m <= order; m++)
    {
        for (int row = 0; row < ROWS; row++)
        {
            columns[row].q = legendre->start[m] - (Wide){0};
            columns[row].before = (Wide){0};
        }
        for (int n = m; n <= order; n++, step += 2, to += BEM_SUMS * WIDE)
        {
            const Weights* here[ROWS];
            for (int row = 0; row < ROWS; row++) here[row] = &weights[row][n];
            project_pair(to, here, columns);
            for (int row = 0; row < ROWS; row++) next_degree(&columns[row], step);
        }
        for (int row = 0; row < ROWS; row++) next_column(&columns[row]);
    }
}

static void project_sources(const BemSources* sources, const BemLegendre* legendre, double* out)
{
    int order = legendre->order;
    for (int i = 0; i < sources->count; i += ROWS * WIDE) project_rows(sources, legendre, i, out);
    size_t count = (bem_pair(order, order, order) + 1) * BEM_SUMS;
    for (size_t i = 0; i < count; i++)
    {
        double sum = 0;
        for (int j = 0; j < WIDE; j++) sum += out[i * WIDE + (size_t)j];
        out[i] = sum;
    }
}

// ---- near panels ----

INLINE Wide wide_max(Wide a, double least)
{
    Wide b = least - (Wide){0};
    WideBits below = (WideBits)(a < b);
    return (Wide)(((WideBits)a & ~below) | ((WideBits)b & below));
}

INLINE double wide_sum(Wide a)
{
    double sum = 0;
    for (int i = 0; i < WIDE; i++) sum += a[i];
    return sum;
}

// as sine_cosine(), to 1e-15, for x from 0 to 1e5
INLINE void wide_sine_cosine(Wide x, Wide* sine, Wide* cosine)
{
    const double rounder = 6755399441055744.0;  // 1.5 2^52
    Wide shifted = x * 0.63661977236758134308 + rounder, quarter = shifted - rounder;
    Wide y = (x - quarter * 1.57079632673412561417) - quarter * 6.07710050650619224932e-11, z = y * y;
    Wide s = y + y * z *
                     (-1.66666666666666324348e-01 +
                      z * (8.33333333332248946124e-03 +
                           z * (-1.98412698298579493134e-04 +
                                z * (2.75573137070700676789e-06 +
                                     z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    Wide c = 1 - 0.5 * z +
             z * z *
                 (4.16666666666666019037e-02 +
                  z * (-1.38888888888741095749e-03 +
                       z * (2.48015872894767294178e-05 +
                            z * (-2.75573143513906633035e-07 +
                                 z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    WideBits turn = (WideBits)shifted, odd = -(turn & 1);
    WideBits a = ((WideBits)s & ~odd) | ((WideBits)c & odd), b = ((WideBits)c & ~odd) | ((WideBits)s & odd);
    *sine = (Wide)(a ^ ((turn & 2) << 62));
    *cosine = (Wide)(b ^ (((turn + 1) & 2) << 62));
}

// the differences G, F and E of wave.c, real and imaginary; below x = 2e-3, where they would cancel, they are those there: they are
// so small beside what is known that it does not matter
INLINE void wide_differences(Wide x, Wide g[2], Wide f[2], Wide e[2])
{
    Wide c, s, inverse = 1 / x, inverse2 = inverse * inverse, inverse3 = inverse2 * inverse, x2 = x * x;
    wide_sine_cosine(x, &s, &c);
    g[0] = (c - 1) * inverse;
    g[1] = s * inverse;
    f[0] = (1 - c - x * s) * inverse2 + 0.5;
    f[1] = (x * c - s) * inverse2;
    e[0] = ((3 - x2) * c + 3 * x * s - 3) * inverse3 - 0.5 * inverse;
    e[1] = ((3 - x2) * s - 3 * x * c) * inverse3;
}

static void near_panel(const BemNear* near, double out[8])
{
    Wide sums[8] = {{0}};
    double k = near->k;
    for (int i = 0; i < BEM_NEAR_LANES; i += WIDE)
    {
        Wide arm[3], g[2], f[2], e[2], weight[4];
        for (int j = 0; j < 4; j++) weight[j] = wide_load(bem_near_points[j] + i);
        for (int j = 0; j < 3; j++)
            arm[j] = weight[0] * near->arm[0][j] + weight[1] * near->arm[1][j] + weight[2] * near->arm[2][j];
        Wide r = wide_sqrt(arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]), x = wide_max(k * r, 2e-3);
        Wide inverse = 1 / wide_max(r, near->least), at_y = near->height * inverse;
        Wide at_x = (arm[0] * near->normal[0] + arm[1] * near->normal[1] + arm[2] * near->normal[2]) * inverse;
        wide_differences(x, g, f, e);
        Wide slope = weight[3] * k, bend = k * slope * at_x * at_y, over = slope * near->both * (k / x);
        for (int part = 0; part < 2; part++)
        {
            sums[part] += weight[3] * g[part];
            sums[2 + part] -= slope * f[part] * at_y;
            sums[4 + part] += slope * f[part] * at_x;
            sums[6 + part] -= bend * e[part] + over * f[part];
        }
        sums[4] -= 0.5 * slope * (at_x - near->both * at_y);
    }
    for (int j = 0; j < 8; j++) out[j] = wide_sum(sums[j]);
}

const BemKernel BEM_KERNEL = {BEM_KERNEL_NAME, fill_row, multiply_rows, near_panel, project_sources};
