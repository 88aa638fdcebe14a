// SPDX-License-Identifier: MIT
// Butterworth low-pass of 6th order: three pairs of poles at angles 15, 45 and 75 degrees, by the bilinear transform with
// the corner kept in place. With t = tan(pi f/rate) and d = 2 cos(angle), a pair is
//
//   H = g (1 + z^-1)^2/(1 + a1 z^-1 + a2 z^-2),  g = t^2/n, a1 = 2 (t^2 - 1)/n, a2 = (1 - d t + t^2)/n, n = 1 + d t + t^2
#include "lowpass.h"
#include "twang/math.h"

Lowpass lowpass(double freq_hz, double rate_hz)
{
    Lowpass filter = {0};
    double t = tan(TW_PI * freq_hz / rate_hz);
    for (int k = 0; k < LOWPASS_SECTIONS; k++)
    {
        double d = 2 * cos(TW_PI / 12 * (2 * k + 1)), n = 1 + d * t + t * t;
        filter.gain[k] = t * t / n;
        filter.a1[k] = 2 * (t * t - 1) / n;
        filter.a2[k] = (1 - d * t + t * t) / n;
    }
    return filter;
}

double lowpass_step(Lowpass* filter, double input)
{
    const double silence = 1e-200;  // below it states become 0, before they get denormal
    double x = input;
    for (int k = 0; k < LOWPASS_SECTIONS; k++)
    {
        double in = filter->gain[k] * x, y = in + filter->s1[k];
        double s1 = 2 * in - filter->a1[k] * y + filter->s2[k], s2 = in - filter->a2[k] * y;
        filter->s1[k] = fabs(s1) > silence ? s1 : 0;
        filter->s2[k] = fabs(s2) > silence ? s2 : 0;
        x = y;
    }
    return x;
}
