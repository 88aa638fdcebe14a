// SPDX-License-Identifier: MIT
#pragma once
#include <math.h>

/// @file
/// An accurate ODE solver to test against: Dormand-Prince 5(4) with step control, on at most ODE_MAX unknowns.

#define ODE_MAX 16

typedef void (*OdeRate)(const double* y, double* rate, const void* context);

typedef struct Ode
{
    OdeRate rate;
    const void* context;
    int count;
    const double* scale;  ///< size of each unknown (count)
    double tolerance;     ///< error of one step, of scale
    double step;          ///< next step to try
} Ode;

// one step of h from y to next. @return its error, of scale
static inline double ode_try(const Ode* ode, const double* y, double h, double* next)
{
    static const double a[6][6] = {{1.0 / 5},
                                   {3.0 / 40, 9.0 / 40},
                                   {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                   {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                   {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                   {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][ODE_MAX], worst = 0;
    ode->rate(y, k[0], ode->context);
    for (int s = 0; s < 6; s++)
    {
        for (int i = 0; i < ode->count; i++)
        {
            double sum = 0;
            for (int j = 0; j <= s; j++) sum += a[s][j] * k[j][i];
            next[i] = y[i] + h * sum;
        }
        ode->rate(next, k[s + 1], ode->context);
    }
    for (int i = 0; i < ode->count; i++)
    {
        double miss = 0;
        for (int s = 0; s < 7; s++) miss += e[s] * k[s][i];
        worst = fmax(worst, fabs(h * miss) / ode->scale[i]);
    }
    return worst;
}

/// Advance y by a time.
static inline void ode_run(Ode* ode, double* y, double time)
{
    double next[ODE_MAX];
    for (double t = 0; t < time;)
    {
        double h = fmin(ode->step, time - t), error = ode_try(ode, y, h, next);
        double change = fmin(fmax(0.9 * pow(ode->tolerance / fmax(error, 1e-300), 0.2), 0.2), 4);
        ode->step = h < ode->step && error <= ode->tolerance ? ode->step : h * change;
        if (error > ode->tolerance && h > 1e-12 * time) continue;
        for (int i = 0; i < ode->count; i++) y[i] = next[i];
        t = h == time - t ? time : t + h;
    }
}
