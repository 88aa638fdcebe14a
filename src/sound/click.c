// SPDX-License-Identifier: MIT
// Lamb, Hydrodynamics, article 114: alpha_i = abc integral_0^inf dx / ((h_i^2 + x) sqrt((a^2 + x)(b^2 + x)(c^2 + x))), and the added
// mass of an ellipsoid along axis i is alpha_i/(2 - alpha_i) of the air it displaces. The integral is 2/3 of Carlson's R_D. For a
// disc alpha is nearly 2, so it has to be right to many digits.

#include "click.h"
#include <math.h>

#define TURNS 40       // of the integral
#define HIGHEST 0.4    // of the rate
#define THINNEST 1e-3  // of the longest half axis: thinner ellipsoids are taken as this thin

double click_added(const double half[3], int axis)
{
    // Carlson's duplication of R_D: the three come 4 times closer in each turn
    double x = half[(axis + 1) % 3], y = half[(axis + 2) % 3], z = half[axis], sum = 0, part = 1;
    const double product = x * y * z;
    x *= x, y *= y, z *= z;
    for (int k = 0; k < TURNS; k++)
    {
        const double mean = sqrt(x * y) + sqrt(x * z) + sqrt(y * z);
        sum += part / (sqrt(z) * (z + mean));
        part /= 4;
        x = (x + mean) / 4, y = (y + mean) / 4, z = (z + mean) / 4;
    }
    const double alpha = product * (2 * sum + 2.0 / 3 * part / (z * sqrt(z)));
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
