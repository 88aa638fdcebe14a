// SPDX-License-Identifier: MIT
// Windowed-sinc decimation: pass band to 0.41 of the output rate, -90 dB from 0.59 on (Kaiser, beta 9).

#include "decimate.h"
#include "twang/math.h"

int decimator_taps(int factor) { return 2 * DECIMATE_DELAY * factor + 1; }

// modified Bessel function I0 by its series
static double bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 60; k++)
    {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

void decimator_design(double* weight, int factor)
{
    int taps = decimator_taps(factor), middle = DECIMATE_DELAY * factor;
    double beta = 9, sum = 0;
    for (int i = 0; i < taps; i++)
    {
        double t = (double)(i - middle) / factor, edge = (double)(i - middle) / middle;
        double sinc = t == 0 ? 1 : sin(TW_PI * t) / (TW_PI * t);
        weight[i] = sinc * bessel_i0(beta * sqrt(fmax(0, 1 - edge * edge))) / bessel_i0(beta);
        sum += weight[i];
    }
    for (int i = 0; i < taps; i++) weight[i] /= sum;
}

void decimator_push(Decimator* d, double sample)
{
    d->line[d->head] = sample;
    d->head = d->head + 1 == d->taps ? 0 : d->head + 1;
}

double decimator_pull(const Decimator* d)
{
    double sum = 0;
    // the oldest sample is at head; the filter is symmetric
    for (int i = 0; i < d->taps - d->head; i++) sum += d->weight[i] * d->line[d->head + i];
    for (int i = d->taps - d->head; i < d->taps; i++) sum += d->weight[i] * d->line[i - (d->taps - d->head)];
    return sum;
}
