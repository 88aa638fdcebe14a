// SPDX-License-Identifier: MIT
// Sources write samples at times between samples. A sinc that does so up to 0.45 of the rate needs some forty taps per
// write. But all writes of a track go through the same bump, so that its spectrum may be anything that keeps images away:
// what it does to the band itself is undone for all of them by one filter, once per sample. (This is how non-uniform
// Fourier transforms grid their data.) The bump is Kaiser's, w = 8 samples wide:
//
//   b(x) = I0(beta sqrt(1 - (2x/w)^2))/I0(beta),   B(f) ~ sinh(s)/s,  s = sqrt(beta^2 - (pi w f)^2)
//
// with beta such that the largest image B(f +- n)/B(f), f up to 0.45, is smallest: -52 dB at 0.45, -67 at 0.4, -82 at 0.3.
//
// The filter h has the spectrum T(f) = C(f)/B(f) with C the cylinder's factor. Its even part has Re T, its odd part Im T,
// each by least squares with relative weight; beyond the band, weakly, T too.
#include "spread.h"
#include "cylinder.h"
#include "kernel.h"
#include "series.h"
#include "twang/math.h"
#include <stdlib.h>

static const double BETA = TW_PI * WRITE_TAPS * 0.538;

// ---- the bump ----

// modified Bessel function of order 0, by its series
static double bessel_i0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++)
    {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

static double bump(double x)
{
    double t = 1 - (2 * x / WRITE_TAPS) * (2 * x / WRITE_TAPS);
    return t > 0 ? bessel_i0(BETA * sqrt(t)) : 0;
}

// B(f) without its scale
static double bump_spectrum(double f)
{
    double square = BETA * BETA - TW_PI * WRITE_TAPS * f * (TW_PI * WRITE_TAPS * f), s = sqrt(fabs(square));
    if (s < 1e-6) return 1;
    return square > 0 ? sinh(s) / s : sin(s) / s;
}

double spread_spectrum(double frequency) { return bump_spectrum(frequency) / bump_spectrum(0); }

// The bump has to have the integral 1: that of I0(beta sqrt(1 - (2x/w)^2)) is w sinh(beta)/beta.
void spread_table(double* out)
{
    double scale = 1 / (WRITE_TAPS * bump_spectrum(0));
    for (int phase = 0; phase < WRITE_PHASES; phase++)
        for (int k = 0; k < WRITE_TAPS; k++)
        {
            double x = k - WRITE_BEFORE - (double)phase / WRITE_PHASES;
            double* row = out + 2 * WRITE_TAPS * phase;
            row[k] = scale * bump(x);
            row[WRITE_TAPS + k] = scale * bump(x - 1.0 / WRITE_PHASES) - row[k];
        }
}

// ---- the filter ----

enum
{
    GRID = 400  // frequencies
};

typedef struct Design
{
    double target[2][GRID], weight[GRID], frequency[GRID];
    double normal[(FILTER_HALF + 1) * (FILTER_HALF + 1)];
    double half[2][FILTER_HALF + 1];  // coefficients of cosines, of sines
} Design;

static void set_targets(Design* d, double radius)
{
    for (int i = 0; i < GRID; i++)
    {
        double f = 0.5 * (i + 0.5) / GRID, factor[2] = {1, 0};
        cylinder_factor(2 * TW_PI * f * radius, factor);
        double b = spread_spectrum(f), size = fmax(hypot(factor[0], factor[1]), 0.03);
        d->frequency[i] = f;
        d->target[0][i] = factor[0] / b;
        d->target[1][i] = factor[1] / b;
        d->weight[i] = b / size * (f > SPREAD_BAND + 0.005 ? 1e-3 : 1);
    }
}

static double basis(int part, int k, double f) { return part == 0 ? cos(2 * TW_PI * k * f) : sin(2 * TW_PI * k * f); }

// without cosines or sines that are 0 anyway
static bool fit(Design* d, int part)
{
    d->half[part][0] = 0;
    return series_fit(d->half[part] + part, d->normal, part == 1, part, FILTER_HALF + 1 - part, d->frequency,
                      d->target[part], d->weight, GRID);
}

static double largest_error(const Design* d)
{
    double largest = 0;
    for (int i = 0; i < GRID && d->frequency[i] <= SPREAD_BAND; i++)
    {
        double sum[2] = {0, 0};
        for (int part = 0; part < 2; part++)
            for (int k = 0; k <= FILTER_HALF; k++) sum[part] += d->half[part][k] * basis(part, k, d->frequency[i]);
        double error = hypot(sum[0] - d->target[0][i], sum[1] - d->target[1][i]);
        largest = fmax(largest, error * spread_spectrum(d->frequency[i]));
    }
    return largest;
}

// sum_k h_k e^(-2 pi i k f): even part from cosines, h_-k - h_k = coefficient of sin
double spread_filter(double* out, double radius)
{
    Design* d = malloc(sizeof *d);
    double error = HUGE_VAL;
    if (d)
    {
        set_targets(d, radius);
        if (fit(d, 0) && fit(d, 1)) error = largest_error(d);
        for (int k = 1; k <= FILTER_HALF; k++)
        {
            out[FILTER_HALF + k] = 0.5 * (d->half[0][k] - d->half[1][k]);
            out[FILTER_HALF - k] = 0.5 * (d->half[0][k] + d->half[1][k]);
        }
        out[FILTER_HALF] = d->half[0][0];
    }
    free(d);
    return error;
}
