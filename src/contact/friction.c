// SPDX-License-Identifier: MIT
// Elasto-plastic friction (Avanzini, Serafin, Rocchesso 2005; Dupont et al. 2002), with the corrections of docs/friction.md:
//
//   f  = s0 z + s1 z' + s2 v + s3 w
//   z' = v - alpha(v, z) |v| z / g(v)            no sign function, no division by zero at v = 0
//   alpha = 0 if v z <= 0 or |z| <= z_ba, 1 if |z| >= g, else (1 + sin(pi (|z| - (g + z_ba)/2)/(g - z_ba)))/2
//
// Implicit step: y = z' must satisfy y = z'(v + k1 y, z + k2 y) with k1 <= 0 < k2. Without plasticity y = y_e = v/(1 - k1).
// If y_e is plastic, the left side minus the right changes sign between y_e and -z/k2 (where z + k2 y = 0), so Newton
// iterates inside that bracket. Up to three roots may lie in it; starting from the last y keeps the branch.

#include "bristle.h"
#include "twang/contact.h"

twFrictionLaw tw_friction_law(void)
{
    return (twFrictionLaw){.stiffness = 1e5,
                           .damping = 30,
                           .viscosity = 0.4,
                           .noise = 0,
                           .static_friction = 0.4,
                           .dynamic_friction = 0.2,
                           .stribeck = 0.1,
                           .breakaway = 0.7};
}

static bool inside(double value, double low, double high) { return value >= low && value <= high; }

twStatus tw_friction_law_check(const twFrictionLaw* law, twError* err)
{
    if (!(law->stiffness > 0 && law->stiffness <= 1e15))
        return tw_fail(err, TW_BAD_INPUT, "bristle stiffness %g must be in (0, 1e15] N/m", law->stiffness);
    if (!inside(law->damping, 0, 1e12))
        return tw_fail(err, TW_BAD_INPUT, "bristle damping %g must be in [0, 1e12] N s/m", law->damping);
    if (!inside(law->viscosity, 0, 1e12))
        return tw_fail(err, TW_BAD_INPUT, "viscosity %g must be in [0, 1e12] N s/m", law->viscosity);
    if (!inside(law->noise, 0, 1e12)) return tw_fail(err, TW_BAD_INPUT, "noise %g must be in [0, 1e12] N", law->noise);
    if (!(law->dynamic_friction > 0 && law->dynamic_friction <= 1e3))
        return tw_fail(err, TW_BAD_INPUT, "dynamic friction %g must be in (0, 1000]", law->dynamic_friction);
    if (!inside(law->static_friction, law->dynamic_friction, 1e3))
        return tw_fail(err, TW_BAD_INPUT,
                       "static friction %g must be at least the dynamic friction %g (and at most 1000)",
                       law->static_friction, law->dynamic_friction);
    if (!(law->stribeck > 0 && law->stribeck <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "stribeck velocity %g must be in (0, 1e6] m/s", law->stribeck);
    if (!(law->breakaway >= 0 && law->breakaway < 1))
        return tw_fail(err, TW_BAD_INPUT, "breakaway %g must be in [0, 1)", law->breakaway);
    return TW_OK;
}

double tw_friction_rate(const twFrictionLaw* law, double normal_force, double v, double z, double* dv, double* dz)
{
    Bristle b = bristle(law, normal_force);
    double by_v, by_z, rate = b.gripping ? bristle_rate(&b, v, z, &by_v, &by_z) : (by_v = by_z = 0);
    if (dv) *dv = by_v;
    if (dz) *dz = by_z;
    return rate;
}

double tw_friction_steady(const twFrictionLaw* law, double normal_force, double v)
{
    Bristle b = bristle(law, normal_force);
    double slope;
    return b.gripping ? b.s0 * bristle_steady(&b, v, &slope) + b.s2 * v : 0;
}

// Bristles bent r times as far as g take |v| (s0 g r^2 - |v| (s1 (r - 1) - s2)) while they slide; r is at most fs/fc, and
// 2 (s1 + s2)/s1 is the worst.
double tw_friction_passive_speed(const twFrictionLaw* law, double normal_force)
{
    double s1 = law->damping, s2 = law->viscosity, fc = law->dynamic_friction * fmax(normal_force, 0);
    double r = fmin(law->static_friction / law->dynamic_friction, s1 > 0 ? 2 * (s1 + s2) / s1 : INFINITY);
    double given = s1 * (r - 1) - s2;
    return given > 0 ? fc * r * r / given : INFINITY;
}

// ---- the implicit step ----

typedef struct BristleSolve
{
    const Bristle* b;
    double v, z, k1, k2;
} BristleSolve;

static double bristle_gap(double y, double* slope, const void* context)
{
    const BristleSolve* s = context;
    double dv, dz, rate = bristle_rate(s->b, s->v + s->k1 * y, s->z + s->k2 * y, &dv, &dz);
    *slope = 1 - s->k1 * dv - s->k2 * dz;
    return y - rate;
}

#define BRISTLE_TOLERANCE 1e-14  // of the speeds involved
#define BRISTLE_MAX_ITERATIONS 100
#define QUICK_ITERATIONS 3
#define QUICK_MISS 1e-8  // a Newton step from here leaves a miss of its square

twFrictionRoot bristle_solve(const Bristle* b, double v, double z, double k1, double k2, double guess)
{
    // the reciprocal does not wait for v
    double elastic = v * (1 / (1 - k1)), z_elastic = z + k2 * elastic;
    if (!b->lugre && (!(elastic * z_elastic > 0) || fabs(z_elastic) <= b->zb))
        return (twFrictionRoot){elastic, 1, true};
    // the plastic root lies between the elastic one and the point where the bristles are straight
    BristleSolve solve = {b, v, z, k1, k2};
    double straight = -z / k2, low = elastic < straight ? elastic : straight,
           high = elastic < straight ? straight : elastic;
    double start = guess < low ? low : guess > high ? high : guess, scale = fabs(v) + fabs(elastic);
    // plain Newton first: it nearly always does
    double y = start, slope;
    for (int i = 1; i <= QUICK_ITERATIONS; i++)
    {
        double gap = bristle_gap(y, &slope, &solve), next = y - gap / slope;
        if (!(next >= low && next <= high)) break;
        y = next;
        if (fabs(gap) <= QUICK_MISS * scale) return (twFrictionRoot){y, i, true};
    }
    twRoot root =
        tw_root_find(bristle_gap, &solve, low, high, start, BRISTLE_TOLERANCE * scale, BRISTLE_MAX_ITERATIONS);
    return (twFrictionRoot){root.x, root.iterations, root.converged};
}

twFrictionRoot tw_friction_solve(const twFrictionLaw* law, double normal_force, double v, double z, double k1,
                                 double k2, double guess)
{
    Bristle b = bristle(law, normal_force);
    if (!b.gripping) return (twFrictionRoot){0, 0, true};
    return bristle_solve(&b, v, z, k1, k2, guess);
}
