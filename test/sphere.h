// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// @file
/// The sound of moving spheres in closed form, and what a transfer says.

static const double c0 = 343, rho0 = 1.2;

static inline double complex value_of(const float* pair) { return pair[0] + I * pair[1]; }

// pressure of mode k at a place, for unit modal velocity
static inline double complex pressure(const twTransfer* t, int k, twVec3 place)
{
    float* out = calloc(2 * (size_t)t->mode_count + tw_transfer_work(t), sizeof *out);
    tw_transfer_weights(t, place, out, out + 2 * t->mode_count);
    twVec3 d = tw_vec3_sub(place, t->centre);
    double r = fmax(sqrt(tw_vec3_dot(d, d)), t->radius);
    double complex p = value_of(out + 2 * k) * (t->radius / r) *
                       cexp(I * (2 * TW_PI * t->freq_hz[k] / t->sound_speed * (r - t->radius)));
    free(out);
    return p;
}

static inline double complex pulsating(double k, double a, double r)
{
    return -I * k * c0 * rho0 * a * a * cexp(I * k * (r - a)) / (r * (1 - I * k * a));
}

// h_1(x) = -(1/x + i/x^2) e^{ix}; cosine is that of the angle to the motion
static inline double complex oscillating(double k, double a, double r, double cosine)
{
    double complex h1 = -(1 / (k * r) + I / (k * k * r * r)) * cexp(I * k * r), x = k * a;
    double complex slope = (2 / (x * x) + 2 * I / (x * x * x) - I / x) * cexp(I * x);  // h_1'
    return I * k * c0 * rho0 * cosine * h1 / (k * slope);
}

static inline int near_complex(double complex got, double complex wanted, double tolerance)
{
    if (cabs(got - wanted) <= tolerance * cabs(wanted)) return 1;
    printf("%g%+gi instead of %g%+gi\n", creal(got), cimag(got), creal(wanted), cimag(wanted));
    return 0;
}
