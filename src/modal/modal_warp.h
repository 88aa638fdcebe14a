// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Warping: bent parts turn instead of growing (internal; Choi and Ko 2005, docs/live.md).
///
/// Where modes displace a point by u and turn its surroundings by the vector w (half the curl of u), it goes to
///
///     x + V u,   V = integral of exp(s [w]x) over s from 0 to 1 = I + A [w]x + B [w]x^2,   t = |w|,
///     A = (1 - cos t)/t^2,   B = (1 - sin(t)/t)/t^2
///
/// instead of x + u: as if displacement and turn grew together and the displacement always went along with what has
/// turned.

/// The sum over j of (-tt)^j/(n + 2 j)! for the square of an angle up to 1/4, where A (n = 2) and B (n = 3) in
/// closed form lose digits.
static inline double warp_series(double tt, int n)
{
    double sum = 1;
    for (int k = n + 12; k > n; k -= 2) sum = 1 - sum * tt / (k * (k - 1));
    return sum / (n == 2 ? 2 : 6);
}

/// V u: where the displacement u of a part that turns by w leads.
static inline twVec3 warp_point(twVec3 u, twVec3 w)
{
    const double tt = tw_vec3_dot(w, w), t = sqrt(tt);
    const bool small = tt < 0.25;
    const double a = small ? warp_series(tt, 2) : (1 - cos(t)) / tt;
    const double b = small ? warp_series(tt, 3) : (1 - sin(t) / t) / tt;
    const twVec3 wu = tw_vec3_cross(w, u), wwu = tw_vec3_cross(w, wu);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(u, wu, a), wwu, b);
}

/// How much the first modes of a set turn what is around its nodes: half the curl of their shapes, (modes x nodes)
/// [rad kg^-1/2 m^-1]; 0 where there is neither face nor tet. At vertices by the surface alone: nothing shears a
/// free surface against what is below it, so that the tilt of the surface is the rotation. At inner nodes by the
/// tets; inside: these too.
/// free() it; NULL without memory.
twVec3* turns_create(const twModeSet* set, int mode_count, bool inside);
