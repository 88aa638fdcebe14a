// SPDX-License-Identifier: MIT
#pragma once
#include "rod_modes.h"
#include "test.h"
#include "twang/rod.h"

/// @file
/// The aluminium bar that the tests of rods ring, and how its tones are measured.

enum
{
    BAR_MOST = 128  // points
};

typedef struct Bar
{
    twVec3 points[BAR_MOST], directions[BAR_MOST], velocities[BAR_MOST];
    twSection section;
    twRodSupport ends[2];
    twRodDef def;
} Bar;

/// the rectangular aluminium bar of the references along x, d1 (across the thin side) along z
static inline void bar_make(Bar* bar, int n)
{
    const double b = 0.0254, h = 0.0127, length = 0.3048;
    memset(bar, 0, sizeof *bar);
    double thin = b * h * h * h / 12, thick = h * b * b * b / 12;
    bar->section = (twSection){
        .area = b * h, .moment = {thin, thick}, .torsion = 0.549 * (thin + thick), .shear = {5. / 6, 5. / 6}};
    for (int i = 0; i < n; i++)
    {
        bar->points[i] = tw_vec3(length * i / (n - 1), 0, 0);
        bar->directions[i] = tw_vec3(0, 0, 1);
    }
    bar->def = tw_rod_def();
    bar->def.point_count = n, bar->def.points = bar->points, bar->def.directions = bar->directions;
    bar->def.section_count = 1, bar->def.sections = &bar->section;
    bar->def.young = 68.9e9, bar->def.poisson = 0.33, bar->def.density = 2700;
    bar->ends[0] = (twRodSupport){.kind = TW_ROD_CLAMPED, .point = 0};
    bar->ends[1] = (twRodSupport){.kind = TW_ROD_CLAMPED, .point = n - 1};
    bar->def.supports = bar->ends;
}

static inline twRod* bar_create(const twRodDef* def)
{
    twRod* rod = NULL;
    twError err;
    if (tw_rod_create(&rod, def, &err) != TW_OK) printf("%s\n", err.text);
    return rod;
}

static inline double bar_energy(twRod* rod)
{
    twRodEnergy e = tw_rod_energy(rod);
    return tw_rod_total(&e);
}

/// angular frequency of a steady oscillation by its zero crossings, counted upwards: between samples it goes on as a sine
static inline double bar_crossings(const double* x, int n, double rate)
{
    double turn = 0;  // per sample; at first as if it were straight
    for (int pass = 0; pass < 3; pass++)
    {
        double first = -1, last = 0;
        int count = 0;
        for (int i = 1; i < n; i++)
        {
            if (!(x[i - 1] < 0 && x[i] >= 0)) continue;
            double back =
                turn > 0 ? atan2(x[i] * sin(turn), x[i] * cos(turn) - x[i - 1]) / turn : x[i] / (x[i] - x[i - 1]);
            last = i - back;
            if (first < 0)
                first = last;
            else
                count++;
        }
        if (count == 0) return 0;
        turn = 2 * TW_PI * count / (last - first);
    }
    return turn * rate;
}

/// start a rod in one of its modes (by index) with a small velocity; series of that mode's amplitude over steps
static inline double bar_ring_mode(Bar* bar, int index, int steps, double* exact, double* series)
{
    twRod* rod = bar_create(&bar->def);
    static double square[BAR_MOST * 6], shape[BAR_MOST * 6];
    *exact = 0;
    if (!rod || rod_modes(rod, square, index, shape) == 0) return 0;
    *exact = sqrt(square[index]);
    int n = rod->n, d = rod->dofs;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < d; c++) rod->v[c][i] = 1e-4 * shape[i * d + c];
    // amplitude: M shape . (q - start); the shape is M-normal
    double* const* x = rod->scratch;
    static double weight[BAR_MOST * 6];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < d; c++) x[c][i] = shape[i * d + c];
    tw_rod_wrap(rod, x, d);
    tw_rod_mass_of(rod, x, rod->mz[0]);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) weight[i * 3 + c] = rod->mz[0][c][i];
    for (int k = 0; k < steps; k++)
    {
        tw_rod_step(rod);
        series[k] = 0;
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                series[k] += weight[i * 3 + c] * (rod->q[c][i] - ((const double*)&bar->points[i])[c]);
    }
    double w = bar_crossings(series, steps, rod->rate_hz);
    tw_rod_destroy(rod);
    return w;
}

/// y'' = -w^2 y: one step of the Gauss scheme turns the phase by 2 atan((w h/2)/(1 - (s w h)^2)), stages at 1/2 -+ s
static inline double bar_sounded(double w, double h)
{
    const double w0 = 2 * TW_PI * 10000, s2 = 1. / 12 + 0.3 * w0 * w0 * h * h / 720;
    return 2 / h * atan(w * h / 2 / (1 - s2 * w * w * h * h));
}
