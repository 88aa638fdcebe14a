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

#include "kernel.h"

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

const BemKernel BEM_KERNEL = {BEM_KERNEL_NAME, fill_row, multiply_rows};
