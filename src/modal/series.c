// SPDX-License-Identifier: MIT
// Families of modes in closed form.
//
//   string      f_n = n f_1,                shape sin(n pi s)                                     modal mass M/2
//   bar         cos b cosh b = 1,  f ~ b^2, shape (cosh bs + cos bs - g (sinh bs + sin bs))/2      modal mass M/4
//   cantilever  cos b cosh b = -1, f ~ b^2, shape (cosh bs - cos bs - g (sinh bs - sin bs))/2      modal mass M/4
//
// (Euler-Bernoulli beams; the shapes are 1 at a free end). g is close to 1, so cosh bs - g sinh bs is written with
// decaying exponentials only.

#include "twang/math.h"
#include "twang/modal.h"
#include <math.h>
#include <string.h>

bool tw_series_parse(const char* name, twSeries* out)
{
    static const char* const names[] = {"string", "bar", "cantilever"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
        {
            *out = (twSeries)i;
            return true;
        }
    return false;
}

// root of cos b = +-1/cosh b by Newton from the asymptote
static double beam_root(twSeries kind, int mode)
{
    double sign = kind == TW_SERIES_BAR ? 1 : -1, b = TW_PI * (mode + (kind == TW_SERIES_BAR ? 1.5 : 0.5));
    if (kind == TW_SERIES_CANTILEVER && mode == 0) b = 1.875;
    for (int i = 0; i < 20; i++)
    {
        double e = b < 300 ? 1 / cosh(b) : 0, f = cos(b) - sign * e, slope = -sin(b) + sign * e * tanh(b);
        b -= f / slope;
    }
    return b;
}

double tw_series_ratio(twSeries kind, int mode)
{
    if (kind == TW_SERIES_STRING) return mode + 1;
    double ratio = beam_root(kind, mode) / beam_root(kind, 0);
    return ratio * ratio;
}

// the shapes' sum with g = (cosh b - k cos b)/(sinh b - k sin b), k = 1 for the bar and -1 for the cantilever
static double beam_shape(double b, double k, double s)
{
    double e = exp(-b), d = 1 - e * e - 2 * k * e * sin(b);  // 2 e^-b (sinh b - k sin b)
    double rest = 2 * (k * cos(b) - k * sin(b) - e) / d;     // (1 - g) e^b
    double g = 1 - e * rest;
    // cosh bs - g sinh bs
    double growing = 0.5 * rest * exp(-b * (1 - s)), decaying = 0.5 * (1 + g) * exp(-b * s);
    return 0.5 * (growing + decaying + k * (cos(b * s) - g * sin(b * s)));
}

double tw_series_shape(twSeries kind, int mode, double position)
{
    if (kind == TW_SERIES_STRING) return sin(TW_PI * (mode + 1) * position);
    return beam_shape(beam_root(kind, mode), kind == TW_SERIES_BAR ? 1 : -1, position);
}

double tw_series_mass_share(twSeries kind) { return kind == TW_SERIES_STRING ? 0.5 : 0.25; }
