// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/acoustics.h"
#include <complex.h>
#include <stdlib.h>

/// @file
/// Listeners for tests, and the tones they hear, fitted to the rendered samples; phases count.

static const double RATE = 44100, SPEED = 343.2, DENSITY = 1.204;

static inline twListener* create(twListenerDef def)
{
    twListener* listener;
    twError err;
    if (tw_listener_create(&listener, &def, &err) != TW_OK) printf("%s\n", err.text);
    return listener;
}

static inline twListener* create_at(double x, double y, double z)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(x, y, z);
    return create(def);
}

/// one source whose arrays are its own fields
typedef struct Source
{
    double position[3], dipole[3], rate[3], volume;
} Source;

static inline twSources view(const Source* s)
{
    return (twSources){1,
                       {&s->position[0], &s->position[1], &s->position[2]},
                       {&s->dipole[0], &s->dipole[1], &s->dipole[2]},
                       {&s->rate[0], &s->rate[1], &s->rate[2]},
                       &s->volume};
}

/// complex amplitude of exp(i w t) in samples first .. last - 1, by least squares
static inline double complex fit_tone(const double* p, int first, int last, double freq_hz)
{
    double cc = 0, ss = 0, cs = 0, pc = 0, ps = 0;
    for (int n = first; n < last; n++)
    {
        double c = cos(2 * TW_PI * freq_hz * n / RATE), s = sin(2 * TW_PI * freq_hz * n / RATE);
        cc += c * c, ss += s * s, cs += c * s, pc += p[n] * c, ps += p[n] * s;
    }
    double det = cc * ss - cs * cs, a = (pc * ss - ps * cs) / det, b = (ps * cc - pc * cs) / det;
    return a - I * b;
}

/// Samples of a listener to a source at the origin with a dipole of acceleration cos(w t) along (1, 0, 0), or a volume.
enum
{
    LONG = 20000
};
static double heard[LONG];

static inline double complex tone_at(twListener* l, double freq_hz, double dipole, double volume, int track)
{
    double w = 2 * TW_PI * freq_hz;
    int latency = tw_listener_latency(l), steps = LONG;
    for (int n = 0; n < steps + latency; n++)
    {
        Source s = {.dipole = {dipole * cos(w * n / RATE)},
                    .rate = {-dipole * w * sin(w * n / RATE)},
                    .volume = volume * cos(w * n / RATE)};
        twSources sources = view(&s);
        tw_listener_add(l, track, &sources);
        double p = tw_listener_step(l);
        if (n >= latency) heard[n - latency] = p;
    }
    return fit_tone(heard, LONG - 5000, LONG, freq_hz);
}

static inline double decibels(double ratio) { return 20 * log10(fabs(ratio)); }

/// J1' and Y1' by the series of Abramowitz and Stegun 9.1.10 and 9.1.11, differentiated: good up to about x = 12
static inline double complex hankel_slope(double x)
{
    double j0 = 0, j1 = 0, y0 = 0, y1 = 0, half = x / 2, gamma = 0.57721566490153286061;
    double term0 = 1, term1 = half, harmonic = 0;
    for (int k = 0; k < 60; k++)
    {
        double next = harmonic + 1.0 / (k + 1);
        j0 += term0;
        j1 += term1;
        y0 += term0 * harmonic;
        y1 += term1 * (harmonic + next);
        term0 *= -half * half / ((k + 1.0) * (k + 1.0));
        term1 *= -half * half / ((k + 1.0) * (k + 2.0));
        harmonic = next;
    }
    y0 = 2 / TW_PI * ((log(half) + gamma) * j0 - y0);
    y1 = 2 / TW_PI * (log(half) + gamma) * j1 - 1 / (TW_PI * half) - y1 / TW_PI;
    return j0 - j1 / x + I * (y0 - y1 / x);
}
