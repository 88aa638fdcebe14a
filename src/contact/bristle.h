// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/math.h"

/// @file
/// The elasto-plastic bristle law with its normal force worked in (internal).

/// Friction coefficient of what slides at a speed v [m/s] (Stribeck): mu_d + (mu_s - mu_d) exp(-(v/v_s)^2).
static inline double friction_coefficient(const twFrictionLaw* law, double v)
{
    const double u = v / law->stribeck;
    return law->dynamic_friction + (law->static_friction - law->dynamic_friction) * exp(-u * u);
}

/// The share alpha of the motion that is plastic where bristles are bent by x = |z|/g: 0 up to breakaway b, 1 from 1 on, half a sine wave
/// between. slope: d alpha/dx.
static inline double bristle_share(double x, double b, double* slope)
{
    *slope = 0;
    if (x >= 1) return 1;
    if (!(x > b)) return 0;
    const double width = 1 / (1 - b), phase = TW_PI * (x - 0.5 * (1 + b)) * width;
    *slope = 0.5 * TW_PI * width * cos(phase);
    return 0.5 * (1 + sin(phase));
}

/// A friction law under one normal force.
typedef struct Bristle
{
    double s0, s1, s2, s3;
    double zc;      ///< fc / s0: deflection in fast sliding
    double zd;      ///< (fs - fc) / s0: what sticking adds
    double zb;      ///< breakaway deflection
    double inv_vs;  ///< 1 / v_s
    bool lugre;
    bool gripping;  ///< the normal force is positive
} Bristle;

static inline Bristle bristle(const twFrictionLaw* law, double normal_force)
{
    double n = normal_force > 0 ? normal_force / law->stiffness : 0;
    Bristle b = {law->stiffness,
                 law->damping,
                 law->viscosity,
                 law->noise,
                 law->dynamic_friction * n,
                 (law->static_friction - law->dynamic_friction) * n,
                 0,
                 1 / law->stribeck,
                 law->lugre,
                 n > 0};
    b.zb = law->breakaway * b.zc;
    return b;
}

/// g(v), the steady deflection, and its slope.
static inline double bristle_steady(const Bristle* b, double v, double* slope)
{
    double u = v * b->inv_vs, hump = b->zd * exp(-u * u);
    *slope = -2 * u * b->inv_vs * hump;
    return b->zc + hump;
}

/// The share alpha of the motion that is plastic, with its derivatives in |z| and g.
static inline double bristle_plastic(const Bristle* b, double z, double g, double inv_g, double* by_z, double* by_g)
{
    *by_z = *by_g = 0;
    if (b->lugre) return 1;
    double x = fabs(z) * inv_g, slope, alpha = bristle_share(x, b->zb * inv_g, &slope);
    *by_z = slope * inv_g;
    *by_g = slope > 0 ? -slope * inv_g * (fabs(z) - b->zb) / (g - b->zb) : 0;
    return alpha;
}

/// z' = v - alpha |v| z / g and its partial derivatives.
static inline double bristle_rate(const Bristle* b, double v, double z, double* dv, double* dz)
{
    // purely elastic unless the motion bends bristles further that are already past breakaway
    if (!b->lugre && (!(v * z > 0) || fabs(z) <= b->zb))
    {
        *dv = 1;
        *dz = 0;
        return v;
    }
    double g_rise, by_z, by_g, g = bristle_steady(b, v, &g_rise), inv_g = 1 / g;
    double alpha = bristle_plastic(b, z, g, inv_g, &by_z, &by_g);
    double speed = fabs(v), turn = v < 0 ? -1 : 1, part = z * inv_g;
    *dv = 1 - alpha * turn * part - speed * part * g_rise * (by_g - alpha * inv_g);
    *dz = -speed * inv_g * (alpha + fabs(z) * by_z);
    return v - alpha * speed * part;
}

/// Whether bristles bent by z that slide at v, both as solved with the mean z + h y/2, go through their steady bend g in a step of h and out on
/// the other side, x = |v| h/g > 2. In time they come to rest at g; they do in the step if the force is that of z + k2 y, k2 = (1 - 1/x) h, which
/// takes s0 (k2 - h/2) h y^2 more. Else k2 is left as it is.
static inline bool bristle_overshoots(const Bristle* b, double v, double z, double y, double h, double* k2)
{
    double slide = fabs(v) * h, slope;
    if (!b->gripping || !(slide > 2 * b->zc)) return false;
    double g = bristle_steady(b, v, &slope), turn = v < 0 ? -1 : 1;
    double before = turn * z - g, after = before + turn * h * y;
    if (!(slide > 2 * g) || !(before * after < 0)) return false;
    *k2 = (1 - g / slide) * h;
    return true;
}

/// Solve y = z'(v + k1 y, z + k2 y); see tw_friction_solve().
twFrictionRoot bristle_solve(const Bristle* b, double v, double z, double k1, double k2, double guess);
