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
/// instead of x + u: as if displacement and turn grew together and the displacement always went along with what has turned.

/// A, B, and their derivatives by t over t.
typedef struct Warp
{
    double a, b, da, db;
} Warp;

/// For the square of the angle. Below t = 1/2 by series: what cancels there would cost digits.
static inline Warp warp_terms(double tt)
{
    Warp r;
    if (tt < 0.25)
    {
        r.a = 1. / 2 - tt * (1. / 24 - tt * (1. / 720 - tt * (1. / 40320 - tt * (1. / 3628800 - tt / 479001600))));
        r.b = 1. / 6 - tt * (1. / 120 - tt * (1. / 5040 - tt * (1. / 362880 - tt * (1. / 39916800 - tt / 6227020800))));
        r.da =
            -1. / 12 + tt * (1. / 180 - tt * (1. / 6720 - tt * (1. / 453600 - tt * (1. / 47900160 - tt / 7264857600))));
        r.db = -1. / 60 +
               tt * (1. / 1260 - tt * (1. / 60480 - tt * (1. / 4989600 - tt * (1. / 622702080 - tt / 108972864000))));
        return r;
    }
    double t = sqrt(tt);
    r.a = (1 - cos(t)) / tt;
    r.b = (1 - sin(t) / t) / tt;
    r.da = (1 - 2 * r.a) / tt - r.b;
    r.db = (r.a - 3 * r.b) / tt;
    return r;
}

/// V u: where the displacement u of a part that turns by w leads.
static inline twVec3 warp_point(twVec3 u, twVec3 w)
{
    Warp k = warp_terms(tw_vec3_dot(w, w));
    twVec3 wu = tw_vec3_cross(w, u), wwu = tw_vec3_cross(w, wu);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(u, wu, k.a), wwu, k.b);
}

/// Change of V u with the changes du and dw: velocity with their rates, or a column of the derivative with those of a mode.
static inline twVec3 warp_change(twVec3 u, twVec3 w, twVec3 du, twVec3 dw)
{
    Warp k = warp_terms(tw_vec3_dot(w, w));
    double along = tw_vec3_dot(w, dw);
    twVec3 wu = tw_vec3_cross(w, u), wwu = tw_vec3_cross(w, wu), wdu = tw_vec3_cross(w, du);
    twVec3 dwu = tw_vec3_cross(dw, u);
    twVec3 once = tw_vec3_add(wdu, dwu);
    twVec3 twice = tw_vec3_add(tw_vec3_cross(w, once), tw_vec3_cross(dw, wu));
    twVec3 sum = tw_vec3_add_scaled(tw_vec3_add_scaled(du, once, k.a), twice, k.b);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(sum, wu, k.da * along), wwu, k.db * along);
}

/// How much modes turn what is around the nodes of a set: half the curl of their shapes.
typedef struct Turns Turns;

/// At vertices by the surface alone: nothing shears a free surface against what is below it, so that the tilt of the surface is
/// the rotation. Inside by the tets, if wanted. NULL without memory.
Turns* turns_create(const twModeSet* set, bool inside);
void turns_destroy(Turns* turns);  ///< NULL is fine
/// Of one mode at vertices, and, if wanted, inner nodes [rad kg^-1/2 m^-1]; 0 where there is neither face nor tet. Constant until
/// the next call.
const twVec3* turns_of(Turns* turns, int mode);
