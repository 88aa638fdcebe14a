// SPDX-License-Identifier: MIT
/// @file
/// The loops of voices, written with the compiler's vector types for LANES numbers of type real, both set by the including
/// file, which also names the table of functions, KERNEL. Modes lie side by side in lanes; four vectors run together, so that
/// none waits for the one before.

#include "voice_loops.h"
#include <string.h>

typedef real Vec __attribute__((vector_size(LANES * sizeof(real))));

enum
{
    TOGETHER = 4
};

#define INLINE static inline __attribute__((always_inline))

INLINE Vec load(const real* p) { return *(const Vec*)(const void*)p; }
INLINE void store(real* p, Vec a) { *(Vec*)(void*)p = a; }
INLINE Vec fill(real a) { return (Vec){0} + a; }

// pairs, then pairs of pairs: lane after lane would wait for each other
INLINE real sum(Vec a)
{
#if LANES > 2
    typedef real Half __attribute__((vector_size(LANES / 2 * sizeof(real))));
    Half low, high;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, (const char*)&a + sizeof low, sizeof high);
    low += high;
    real total = 0;
    for (int i = 0; i < LANES / 4; i++) total += low[i] + low[i + LANES / 4];
    return total;
#else
    return a[0] + a[1];
#endif
}

// `count` vectors from mode `at` on through some steps of `step` samples; what they give is added up lane by lane
INLINE void ring_some(const VoiceLoop* v, int at, int count, int steps, int step, int rows, Vec sums[][LOOP_SAMPLES],
                      int first)
{
    real *re = (real*)v->re + at, *im = (real*)v->im + at;
    const real* cosine = (const real*)(step == 1 ? v->cosine : v->cosine4) + at;
    const real* sine = (const real*)(step == 1 ? v->sine : v->sine4) + at;
    Vec x[TOGETHER], y[TOGETHER], c[TOGETHER], s[TOGETHER];
    for (int k = 0; k < count; k++)
    {
        x[k] = load(re + k * LANES), y[k] = load(im + k * LANES);
        c[k] = load(cosine + k * LANES), s[k] = load(sine + k * LANES);
    }
    for (int n = first; n < first + steps * step; n += step)
    {
        for (int r = 0; r < rows; r++)
            for (int m = 0; m < step; m++)
            {
                const real* gain = (const real*)v->gain[r] + 2 * m * v->padded + at;
                Vec total = sums[r][n + m];
                for (int k = 0; k < count; k++)
                    total += load(gain + k * LANES) * x[k] + load(gain + v->padded + k * LANES) * y[k];
                sums[r][n + m] = total;
            }
        for (int k = 0; k < count; k++)
        {
            const Vec turned = c[k] * x[k] - s[k] * y[k];
            y[k] = s[k] * x[k] + c[k] * y[k];
            x[k] = turned;
        }
    }
    for (int k = 0; k < count; k++) store(re + k * LANES, x[k]), store(im + k * LANES, y[k]);
}

INLINE void ring_vectors(const VoiceLoop* v, int at, int count, int samples, int rows, Vec sums[][LOOP_SAMPLES])
{
    const int steps = samples / LOOP_STEP, left = samples % LOOP_STEP;
    if (steps > 0) ring_some(v, at, count, steps, LOOP_STEP, rows, sums, 0);
    if (left > 0) ring_some(v, at, count, left, 1, rows, sums, steps * LOOP_STEP);
}

INLINE void ring_all(const VoiceLoop* v, int samples, int rows, Vec sums[][LOOP_SAMPLES])
{
    int at = 0;
    for (; at + TOGETHER * LANES <= v->padded; at += TOGETHER * LANES)
        ring_vectors(v, at, TOGETHER, samples, rows, sums);
    for (; at < v->padded; at += LANES) ring_vectors(v, at, 1, samples, rows, sums);
}

static void ring(VoiceLoop* v, int samples, int rows)
{
    Vec sums[LOOP_ROWS][LOOP_SAMPLES];
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < samples; n++) sums[r][n] = fill(0);
    if (rows == 1)
        ring_all(v, samples, 1, sums);
    else if (rows == 2)
        ring_all(v, samples, 2, sums);
    else
        ring_all(v, samples, rows, sums);
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < samples; n++) v->out[r][n] = sum(sums[r][n]);
}

// m samples on, the state is turned by the pole m times: so are the gains, the other way round
static void expand(const VoiceLoop* v, void* gain)
{
    for (int m = 1; m < LOOP_STEP; m++)
    {
        const real* before = (const real*)gain + 2 * (m - 1) * v->padded;
        real* here = (real*)gain + 2 * m * v->padded;
        for (int at = 0; at < v->padded; at += LANES)
        {
            const Vec c = load((const real*)v->cosine + at), s = load((const real*)v->sine + at);
            const Vec p = load(before + at), q = load(before + v->padded + at);
            store(here + at, p * c + q * s);
            store(here + v->padded + at, q * c - p * s);
        }
    }
}

// force of a contact on the modes: change grows by what is new, old becomes what is now
static void push(const VoiceLoop* v, const float* shape, void* old, const double force[3])
{
    const Vec fx = fill((real)force[0]), fy = fill((real)force[1]), fz = fill((real)force[2]);
    const float *sx = shape, *sy = shape + v->padded, *sz = shape + 2 * (size_t)v->padded;
    for (int at = 0; at < v->padded; at += LANES)
    {
        Vec x, y, z;
        for (int i = 0; i < LANES; i++) x[i] = sx[at + i], y[i] = sy[at + i], z[i] = sz[at + i];
        real *before = (real*)old + at, *change = (real*)v->change + at;
        const Vec now = x * fx + y * fy + z * fz;
        store(change, load(change) + (now - load(before)));
        store(before, now);
    }
}

// e^{lambda tau} from the nearest entry of the table, and the series of the little that is left
static void change(const VoiceLoop* v, double tau)
{
    const int part = (int)(tau * VOICE_PARTS + 0.5);
    const Vec rest = fill((real)(tau - (double)part / VOICE_PARTS));
    const real* table = (const real*)v->table + (size_t)part * 2 * (size_t)v->padded;
    for (int at = 0; at < v->padded; at += LANES)
    {
        // Horner's scheme of exp(a + ib), |a + ib| < 0.2
        const Vec a = load((const real*)v->lambda_re + at) * rest, b = load((const real*)v->lambda_im + at) * rest;
        Vec x = fill(1), y = fill(0);
        for (int k = EXP_TERMS; k >= 1; k--)
        {
            const Vec scale = fill((real)1 / (real)k), p = (a * x - b * y) * scale;
            y = (a * y + b * x) * scale;
            x = p + fill(1);
        }
        // times the table's entry, in which -(c + iw)/w0^2 is
        const Vec tx = load(table + at), ty = load(table + v->padded + at);
        const Vec ex = x * tx - y * ty, ey = x * ty + y * tx;
        real *dF = (real*)v->change + at, *re = (real*)v->re + at, *im = (real*)v->im + at;
        const Vec d = load(dF);
        store(re, load(re) + d * ex);
        store(im, load(im) + d * ey);
        store(dF, fill(0));
    }
}

// the pole of each mode, decaying faster by extra/2: 1/(1 + u + u^2/2 + u^3/6) is below 1 for every u
static void damp(const VoiceLoop* v, const float* extra, double step)
{
    const Vec half = fill((real)(0.5 * step));
    for (int at = 0; at < v->padded; at += LANES)
    {
        Vec u;
        for (int i = 0; i < LANES; i++) u[i] = extra[at + i];
        u *= half;
        const Vec factor = 1 / (1 + u * (1 + u * ((real)0.5 + u * (real)(1.0 / 6))));
        const Vec square = factor * factor, fourth = square * square;
        store((real*)v->cosine + at, load((const real*)v->pole_re + at) * factor);
        store((real*)v->sine + at, load((const real*)v->pole_im + at) * factor);
        store((real*)v->cosine4 + at, load((const real*)v->pole4_re + at) * fourth);
        store((real*)v->sine4 + at, load((const real*)v->pole4_im + at) * fourth);
    }
}

// makes good the rounding of the poles; zeroes what is fainter than `faint`. @return the largest square of a state
static double rest(const VoiceLoop* v, int samples, int steps, double faint)
{
    real largest = 0;
    const real n = (real)samples, n4 = (real)steps;
    real *re = v->re, *im = v->im;
    const real *e1x = v->error_re, *e1y = v->error_im, *e4x = v->error4_re, *e4y = v->error4_im;
    for (int i = 0; i < v->padded; i++)
    {
        const real ex = n * e1x[i] + n4 * e4x[i], ey = n * e1y[i] + n4 * e4y[i];
        const real x = re[i] + (ex * re[i] - ey * im[i]), y = im[i] + (ex * im[i] + ey * re[i]);
        const real square = x * x + y * y;
        const bool heard = square >= (real)faint && square < (real)1e30;
        re[i] = heard ? x : 0;
        im[i] = heard ? y : 0;
        largest = heard && square > largest ? square : largest;
    }
    return largest;
}

const VoiceKernel KERNEL = {ring, push, change, expand, damp, rest, sizeof(real)};
