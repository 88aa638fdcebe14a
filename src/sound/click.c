// SPDX-License-Identifier: MIT
// Lamb, Hydrodynamics, article 114: alpha_i = abc integral_0^inf dx / ((h_i^2 + x) sqrt((a^2 + x)(b^2 + x)(c^2 + x))), and the added
// mass of an ellipsoid along axis i is alpha_i/(2 - alpha_i) of the air it displaces. With x = s t^2/(1 - t^2)... of any scale
// s the integral is over 0 to 1 and smooth.

#include "click.h"
#include <math.h>

#define POINTS 400     // of the integral
#define HIGHEST 0.4    // of the rate
#define THINNEST 1e-3  // of the longest half axis: thinner ellipsoids are taken as this thin

double click_added(const double half[3], int axis)
{
    const double a = half[0], b = half[1], c = half[2], scale = cbrt(a * b * c);
    double sum = 0;
    // x = u^2, u = scale t/(1 - t): midpoints
    for (int k = 0; k < POINTS; k++)
    {
        const double t = (k + 0.5) / POINTS, u = scale * t / (1 - t), x = u * u;
        const double du = scale / ((1 - t) * (1 - t)) / POINTS;
        const double root = sqrt((a * a + x) * (b * b + x) * (c * c + x));
        sum += 2 * u * du / ((half[axis] * half[axis] + x) * root);
    }
    const double alpha = a * b * c * sum;
    return alpha / (2 - alpha);
}

// half of the box about a body's surface; at least as large as its volume
static void half_axes(const twModeSet* set, double half[3])
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < set->vertex_count; i++)
    {
        const double at[3] = {set->vertices[i].x, set->vertices[i].y, set->vertices[i].z};
        for (int d = 0; d < 3; d++) low[d] = fmin(low[d], at[d]), high[d] = fmax(high[d], at[d]);
    }
    double longest = 0;
    for (int d = 0; d < 3; d++) half[d] = fmax(0.5 * (high[d] - low[d]), 0), longest = fmax(longest, half[d]);
    for (int d = 0; d < 3; d++) half[d] = fmax(half[d], THINNEST * longest);
    const double volume = 4 * TW_PI / 3 * half[0] * half[1] * half[2];
    const double grow = volume > 0 && set->mass.volume > volume ? cbrt(set->mass.volume / volume) : 1;
    for (int d = 0; d < 3; d++) half[d] *= grow;
}

Click click_of(const twModeSet* set, double sound_speed, double rate_hz)
{
    Click click = {0};
    double half[3];
    if (set->vertex_count == 0) return click;
    half_axes(set, half);
    const double volume = 4 * TW_PI / 3 * half[0] * half[1] * half[2];
    if (!(volume > 0)) return click;
    for (int d = 0; d < 3; d++)
    {
        const double displaced = fmin(volume, fmax(set->mass.volume, 0));
        click.volume[d] = displaced + click_added(half, d) * volume;
        const double radius = cbrt(click.volume[d] / (2 * TW_PI));
        const double freq = sqrt(2) * sound_speed / radius / (2 * TW_PI);
        click.freq_hz[d] = fmin(freq, HIGHEST * rate_hz);
        click.decay[d] = sqrt(0.5) * 2 * TW_PI * click.freq_hz[d];
    }
    return click;
}
