// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"

/// @file
/// What listeners and ears share: checks, and mirror images in the ground (internal).

twStatus listener_check(const twListenerDef* def, twError* err);

static inline bool is_place(twVec3 v) { return fabs(v.x) <= 1e6 && fabs(v.y) <= 1e6 && fabs(v.z) <= 1e6; }

/// v - 2 (v.n) n, n unit
static inline twVec3 mirror_vector(twVec3 v, twVec3 normal)
{
    return tw_vec3_add_scaled(v, normal, -2 * tw_vec3_dot(v, normal));
}
/// the image of a place in the plane through a point
static inline twVec3 mirror_place(twVec3 place, twVec3 point, twVec3 normal)
{
    return tw_vec3_add_scaled(place, normal, -2 * tw_vec3_dot(tw_vec3_sub(place, point), normal));
}
