// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/math.h"

/// @file
/// Friction laws of contacts for tests.

/// Friction that is Coulomb's but for bristles: all of them give way at once, and at once with the dynamic coefficient.
static inline twFrictionLaw coulomb_friction(double stick, double slide, double stiffness)
{
    return (twFrictionLaw){.stiffness = stiffness,
                           .static_friction = stick,
                           .dynamic_friction = slide,
                           .stribeck = 1e-6,
                           .breakaway = 0.999};
}

/// Any friction of what moves at about a speed [m/s].
static inline twFrictionLaw random_friction(twRng* rng, double speed)
{
    const double stick = tw_rng_uniform(rng), stiffness = pow(10, tw_rng_between(rng, 2, 10));
    return (twFrictionLaw){.stiffness = stiffness,
                           .damping = tw_rng_uniform(rng) * sqrt(stiffness),
                           .viscosity = tw_rng_next(rng) % 2 ? tw_rng_uniform(rng) : 0,
                           .static_friction = stick,
                           .dynamic_friction = stick * tw_rng_uniform(rng),
                           .stribeck = speed * pow(10, tw_rng_between(rng, -3, 1)),
                           .breakaway = 0.999 * tw_rng_uniform(rng)};
}
