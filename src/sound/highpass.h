// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

/// @file
/// Butterworth high-pass of 2nd order by the bilinear transform, its corner in place (internal).

typedef struct Highpass
{
    double gain, a1, a2;
    double s1, s2;  ///< state
} Highpass;

static inline Highpass highpass(double freq_hz, double rate_hz)
{
    const double k = tan(TW_PI * freq_hz / rate_hz), scale = 1 / (1 + sqrt(2) * k + k * k);
    return (Highpass){.gain = scale, .a1 = 2 * (k * k - 1) * scale, .a2 = (1 - sqrt(2) * k + k * k) * scale};
}

static inline double highpass_step(Highpass* f, double input)
{
    const double x = f->gain * input, out = x + f->s1;
    f->s1 = -2 * x - f->a1 * out + f->s2;
    f->s2 = x - f->a2 * out;
    return fabs(out) < 1e-30 ? 0 : out;
}
