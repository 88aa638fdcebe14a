// SPDX-License-Identifier: MIT
#pragma once
#include "world.h"

/// @file
/// Rods of a world, looked at. For tests.

static inline twVec3 point(const Stage* s, int rod, int i)
{
    const twRodView v = tw_rod_view(tw_world_rod(s->world, rod));
    return tw_vec3(v.position[0][i], v.position[1][i], v.position[2][i]);
}

/// Mean of all points: of straight uniform rods their centre
static inline twVec3 centre(const Stage* s, int rod)
{
    const int n = s->rods[rod].rod.point_count;
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < n; i++) sum = tw_vec3_add_scaled(sum, point(s, rod, i), 1.0 / n);
    return sum;
}

static inline twVec3 speed(const Stage* s, int rod)
{
    const twRodView v = tw_rod_view(tw_world_rod(s->world, rod));
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < v.point_count; i++)
        sum =
            tw_vec3_add_scaled(sum, tw_vec3(v.velocity[0][i], v.velocity[1][i], v.velocity[2][i]), 1.0 / v.point_count);
    return sum;
}

/// Nothing failed, and energy did not rise.
static inline bool is_sound(const Stage* s)
{
    const twWorldEnergy e = tw_world_energy(s->world);
    const twWorldStats stats = tw_world_stats(s->world);
    const double all = e.kinetic + e.elastic + e.weight + e.contacts - e.work;
    return stats.failures == 0 && stats.lost == 0 && stats.dropped == 0 &&
           all <= e.start + 1e-9 * fabs(e.start) + 1e-15;
}
