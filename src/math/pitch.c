// SPDX-License-Identifier: MIT
// Fundamental frequency of a periodic signal. Autocorrelation (by FFT) gives the period to a fraction of a sample; then
// the phase of the fundamental, taken in two Hann windows a time T apart, gives f = f0 + dphi/(2 pi T), with T doubled
// from a few periods to half the signal.

#include "twang/math.h"
#include <stdlib.h>

#define PITCH_CLEAR 0.85  // a period must correlate at least this well compared with the best one

// unbiased autocorrelation of x (n, mean removed) into r (n/2), r[0] = 1
static bool autocorrelation(const double* x, double mean, int n, double* r)
{
    int size = 1;
    while (size < 2 * n) size *= 2;
    double* re = calloc(2 * (size_t)size, sizeof(double));
    if (!re) return false;
    double* im = re + size;
    for (int i = 0; i < n; i++) re[i] = x[i] - mean;
    tw_fft(re, im, size, -1);
    for (int i = 0; i < size; i++)
    {
        re[i] = re[i] * re[i] + im[i] * im[i];
        im[i] = 0;
    }
    tw_fft(re, im, size, 1);
    for (int i = 0; i < n / 2; i++) r[i] = re[0] > 0 ? re[i] / re[0] * n / (n - i) : 0;
    free(re);
    return true;
}

static bool is_peak(const double* r, int i) { return r[i] > r[i - 1] && r[i] >= r[i + 1]; }

// lag of the first clear peak, by parabola; 0 if there is none
static double first_period(const double* r, int n)
{
    int start = 1;
    while (start < n && r[start] > 0) start++;
    double best = 0;
    for (int i = start; i < n - 1; i++)
        if (is_peak(r, i) && r[i] > best) best = r[i];
    for (int i = start; i < n - 1 && best > 0.2; i++)
        if (is_peak(r, i) && r[i] > PITCH_CLEAR * best)
            return i + 0.5 * (r[i - 1] - r[i + 1]) / (r[i - 1] - 2 * r[i] + r[i + 1]);
    return 0;
}

// phase at frequency f (cycles per sample) of x (n) under a Hann window
static double phase_at(const double* x, double mean, int n, double f)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++)
    {
        double w = (1 - cos(2 * TW_PI * (i + 0.5) / n)) * (x[i] - mean), a = 2 * TW_PI * f * i;
        re += w * cos(a);
        im -= w * sin(a);
    }
    return atan2(im, re);
}

static double refine(const double* x, double mean, int n, double f)
{
    for (int shift = (int)(8 / f); shift <= n / 2; shift *= 2)
    {
        double turn = phase_at(x + shift, mean, n - n / 2, f) - phase_at(x, mean, n - n / 2, f) - 2 * TW_PI * f * shift;
        f += remainder(turn, 2 * TW_PI) / (2 * TW_PI * shift);
    }
    return f;
}

double tw_pitch(const double* x, int n, double rate_hz)
{
    if (n < 64) return 0;
    double mean = 0, *r = calloc((size_t)n / 2, sizeof(double));
    for (int i = 0; i < n; i++) mean += x[i] / n;
    if (!r || !autocorrelation(x, mean, n, r))
    {
        free(r);
        return 0;
    }
    double period = first_period(r, n / 2);
    free(r);
    return period > 0 ? refine(x, mean, n, 1 / period) * rate_hz : 0;
}
