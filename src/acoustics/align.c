// SPDX-License-Identifier: MIT
// Delays. The onset of a response, where it first reaches a part of its peak, tells its delay to some samples. How much
// later one response is than that of a neighbour, the top of their correlation tells to a part of a sample; x_ij, with the
// square of their likeness as weight w_ij. The delays follow from all of these by least squares,
//
//   sum w_ij (d_i - d_j - x_ij)^2 -> min,  by  d_i = sum_j w_ij (d_j + x_ij)/sum_j w_ij  again and again
//
// so that neighbours are alike where they can be; over the whole sphere that may drift, which does not matter: what a delay
// has too much its response has too little.
//
// What is common to all directions, loudspeaker and ear canal, has the mean of their powers. It is taken of minimum phase: the
// exponential of the causal part of log |H|, whose cepstrum is folded onto positive times (Oppenheim and Schafer,
// Discrete-Time Signal Processing, 13). Responses are divided by it, but for what is below FLOOR of its mean: there the
// loudspeaker was silent.
#include "align.h"
#include <stdlib.h>
#include <string.h>

#define FLOOR 0.05  // of the mean power, -13 dB
#define ONSET 0.1   // of the peak
enum
{
    LAGS = 6,      // samples on either side that correlations look
    WINDOW = 160,  // samples about the onset that are compared
    LEAD = 16,     // of them before it
    SWEEPS = 300
};

bool align_create(Align* a, int taps)
{
    *a = (Align){.size = 1024};
    while (a->size < 2 * taps) a->size *= 2;
    double** parts[] = {&a->re, &a->im, &a->min_re, &a->min_im, &a->power, &a->common_re, &a->common_im};
    double* block = calloc(7 * (size_t)a->size, sizeof *block);
    if (!block) return false;
    for (int i = 0; i < 7; i++) *parts[i] = block + i * a->size;
    for (int i = 0; i < a->size; i++) a->common_re[i] = 1;
    return true;
}

void align_destroy(Align* a) { free(a->re); }

static void transform(Align* a, const double* response, int taps)
{
    memset(a->re, 0, (size_t)a->size * sizeof *a->re);
    memset(a->im, 0, (size_t)a->size * sizeof *a->im);
    memcpy(a->re, response, (size_t)taps * sizeof *a->re);
    tw_fft(a->re, a->im, a->size, -1);
}

// ---- the common part ----

// min_re, min_im: spectrum of minimum phase with a given power
static void minimum_phase(Align* a, const double* power)
{
    for (int i = 0; i < a->size; i++)
    {
        a->min_re[i] = 0.5 * log(power[i]);
        a->min_im[i] = 0;
    }
    tw_fft(a->min_re, a->min_im, a->size, 1);
    for (int i = 0; i < a->size; i++)
    {
        double fold = i == 0 || i == a->size / 2 ? 1 : i < a->size / 2 ? 2 : 0;
        a->min_re[i] *= fold / a->size;
        a->min_im[i] = 0;
    }
    tw_fft(a->min_re, a->min_im, a->size, -1);
    for (int i = 0; i < a->size; i++)
    {
        double size = exp(a->min_re[i]), angle = a->min_im[i];
        a->min_re[i] = size * cos(angle);
        a->min_im[i] = size * sin(angle);
    }
}

void align_add_power(Align* a, const double* response, int taps)
{
    transform(a, response, taps);
    for (int i = 0; i < a->size; i++) a->power[i] += a->re[i] * a->re[i] + a->im[i] * a->im[i];
}

void align_set_common(Align* a)
{
    double mean = 0;
    for (int i = 0; i < a->size; i++) mean += a->power[i] / a->size;
    // the inverse, of mean 1
    for (int i = 0; i < a->size; i++) a->power[i] = mean / fmax(a->power[i], FLOOR * mean);
    minimum_phase(a, a->power);
    memcpy(a->common_re, a->min_re, (size_t)a->size * sizeof *a->min_re);
    memcpy(a->common_im, a->min_im, (size_t)a->size * sizeof *a->min_im);
}

// (re, im) *= (c, s)
static void turn(double* re, double* im, double c, double s)
{
    double x = *re * c - *im * s;
    *im = *re * s + *im * c;
    *re = x;
}

void align_shift(Align* a, double* out, int out_taps, const double* response, int taps, double shift)
{
    transform(a, response, taps);
    for (int i = 0; i < a->size; i++)
    {
        int k = i <= a->size / 2 ? i : i - a->size;
        double angle = 2 * TW_PI * k * shift / a->size;
        turn(&a->re[i], &a->im[i], a->common_re[i], a->common_im[i]);
        // at half the rate only the real part counts
        turn(&a->re[i], &a->im[i], cos(angle), i == a->size / 2 ? 0 : sin(angle));
    }
    tw_fft(a->re, a->im, a->size, 1);
    for (int i = 0; i < out_taps; i++) out[i] = a->re[i] / a->size;
}

// ---- delays ----

static int find_onset(const double* x, int taps)
{
    double peak = 0;
    for (int k = 0; k < taps; k++) peak = fmax(peak, fabs(x[k]));
    int k = 0;
    while (k < taps - 1 && fabs(x[k]) < ONSET * peak) k++;
    return k;
}

// the slope of a response about its onset, later by lag: it is less of a tone than the response itself
static void cut_window(double* out, const double* x, int taps, int onset, int lag)
{
    for (int k = 0; k < WINDOW; k++)
    {
        int at = onset - LEAD + lag + k;
        double here = at >= 0 && at < taps ? x[at] : 0, last = at >= 1 && at <= taps ? x[at - 1] : 0;
        out[k] = here - last;
    }
}

static double dot(const double* a, const double* b)
{
    double sum = 0;
    for (int k = 0; k < WINDOW; k++) sum += a[k] * b[k];
    return sum;
}

// how much later b is than a, beyond their onsets; weight: square of their likeness
static double find_lag(const double* a, int onset_a, const double* b, int onset_b, int taps, double* weight)
{
    double first[WINDOW], second[WINDOW], sums[2 * LAGS + 1];
    int top = 1;
    cut_window(first, a, taps, onset_a, 0);
    for (int i = 0; i <= 2 * LAGS; i++)
    {
        cut_window(second, b, taps, onset_b, i - LAGS);
        double size = dot(second, second);
        sums[i] = size > 0 ? dot(first, second) / sqrt(size) : 0;
    }
    for (int i = 2; i < 2 * LAGS; i++)
        if (sums[i] > sums[top]) top = i;
    double size = dot(first, first), like = size > 0 ? fmax(sums[top], 0) / sqrt(size) : 0;
    double bend = 2 * sums[top] - sums[top - 1] - sums[top + 1], off = 0.5 * (sums[top + 1] - sums[top - 1]);
    *weight = 1e-3 + like * like;
    return top - LAGS + (bend > fabs(off) ? off / bend : 0);
}

static void relax(double* d, double* sum, double* weight, int count, const Offset* offsets, int offset_count)
{
    for (int i = 0; i < count; i++) sum[i] = weight[i] = 0;
    for (const Offset* o = offsets; o < offsets + offset_count; o++)
    {
        sum[o->i] += o->weight * (d[o->j] - o->later);
        sum[o->j] += o->weight * (d[o->i] + o->later);
        weight[o->i] += o->weight;
        weight[o->j] += o->weight;
    }
    // half way: all at once would swing
    for (int i = 0; i < count; i++)
        if (weight[i] > 0) d[i] += 0.5 * (sum[i] / weight[i] - d[i]);
}

void align_delays(double* out, const double* const* responses, int count, int taps, const Facet* facets,
                  int facet_count, Offset* offsets, double* work)
{
    int offset_count = 0;
    for (int i = 0; i < count; i++) out[i] = find_onset(responses[i], taps);
    for (int e = 0; e < 3 * facet_count; e++)
    {
        // each edge has two facets
        int i = facets[e / 3].corner[e % 3], j = facets[e / 3].corner[(e % 3 + 1) % 3];
        if (i >= j || j >= count) continue;
        Offset* o = &offsets[offset_count++];
        *o = (Offset){.i = i, .j = j};
        double lag = find_lag(responses[i], (int)out[i], responses[j], (int)out[j], taps, &o->weight);
        o->later = out[j] - out[i] + lag;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) relax(out, work, work + count, count, offsets, offset_count);
}
