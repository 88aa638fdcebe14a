// SPDX-License-Identifier: MIT
// Absorption of sound by air, ISO 9613-1: with T the temperature [K], T0 = 293.15 K, p the pressure over 101.325 kPa, h the
// molar concentration of water vapour [%],
//
//   h   = humidity / p  10^(4.6151 - 6.8346 (273.16/T)^1.261)
//   fO  = p (24 + 4.04e4 h (0.02 + h)/(0.391 + h))                        relaxation of oxygen [Hz]
//   fN  = p (T/T0)^-1/2 (9 + 280 h exp(-4.170 ((T/T0)^-1/3 - 1)))         of nitrogen
//   a/f^2 = 8.686 (1.84e-11/p (T/T0)^1/2 + (T/T0)^-5/2 (0.01275 e^(-2239.1/T)/(fO + f^2/fO)
//                                                     + 0.1068 e^(-3352/T)/(fN + f^2/fN)))     [dB/m]
//
// A filter of linear phase has the gain 10^(-a r/20), by least squares. Between filters for distances a step apart one
// goes straight: they have the same phase, so that nothing combs.
#include "air.h"
#include "series.h"

double tw_air_absorption(double freq_hz, double temperature, double humidity, double pressure)
{
    double kelvin = temperature + 273.15, t = kelvin / 293.15, p = pressure / 101.325, f2 = freq_hz * freq_hz;
    double h = humidity / p * pow(10, 4.6151 - 6.8346 * pow(273.16 / kelvin, 1.261));
    double oxygen = p * (24 + 4.04e4 * h * (0.02 + h) / (0.391 + h));
    double nitrogen = p / sqrt(t) * (9 + 280 * h * exp(-4.170 * (1 / cbrt(t) - 1)));
    double relaxation = 0.01275 * exp(-2239.1 / kelvin) / (oxygen + f2 / oxygen) +
                        0.1068 * exp(-3352 / kelvin) / (nitrogen + f2 / nitrogen);
    return 8.686 * f2 * (1.84e-11 / p * sqrt(t) + relaxation / (t * t * sqrt(t)));
}

enum
{
    GRID = 200
};

int air_steps(double farthest)
{
    const double spacing = 2;  // air takes up to 1.5 dB of 10 kHz on these: 0.03 dB between steps
    return (int)fmin(fmax(ceil(farthest / spacing), 1), AIR_MAX_STEPS);
}

static bool design(double* out, double distance, const twEarDef* def)
{
    double frequency[GRID], target[GRID], weight[GRID], c[AIR_HALF + 1], work[(AIR_HALF + 1) * (AIR_HALF + 1)];
    for (int i = 0; i < GRID; i++)
    {
        frequency[i] = 0.5 * (i + 0.5) / GRID;
        double f = frequency[i] * def->rate_hz;
        target[i] = pow(10, -distance / 20 * tw_air_absorption(f, def->temperature, def->humidity, def->pressure));
        weight[i] = 1 / fmax(target[i], 0.01);
    }
    if (!series_fit(c, work, false, 0, AIR_HALF + 1, frequency, target, weight, GRID)) return false;
    out[AIR_HALF] = c[0];
    for (int k = 1; k <= AIR_HALF; k++) out[AIR_HALF + k] = out[AIR_HALF - k] = 0.5 * c[k];
    return true;
}

bool air_design(Air* air, double farthest, const twEarDef* def)
{
    air->steps = air_steps(farthest);
    air->spacing = farthest / air->steps;
    for (int i = 0; i <= air->steps; i++)
        if (!design(air->filters + i * AIR_TAPS, i * air->spacing, def)) return false;
    return true;
}

void air_filter(const Air* air, double distance, double* out)
{
    double at = fmin(fmax(distance / air->spacing, 0), air->steps);
    int step = (int)fmin(at, air->steps - 1);
    const double *a = air->filters + step * AIR_TAPS, *b = a + AIR_TAPS;
    for (int k = 0; k < AIR_TAPS; k++) out[k] = a[k] + (at - step) * (b[k] - a[k]);
}
