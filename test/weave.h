// SPDX-License-Identifier: MIT
#pragma once
#include "rod/rod.h"
#include "world.h"

/// @file
/// Rods of a world, looked at. For tests.

static inline twVec3 rod_point(const Stage* s, int rod, int i)
{
    const twRodView v = tw_rod_view(tw_world_rod(s->world, rod));
    return tw_vec3(v.position[0][i], v.position[1][i], v.position[2][i]);
}

/// Mean of all points: of straight uniform rods their centre
static inline twVec3 rod_centre(const Stage* s, int rod)
{
    const int n = s->rods[rod].rod.point_count;
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < n; i++) sum = tw_vec3_add_scaled(sum, rod_point(s, rod, i), 1.0 / n);
    return sum;
}

static inline twVec3 rod_speed(const Stage* s, int rod)
{
    const twRodView v = tw_rod_view(tw_world_rod(s->world, rod));
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < v.point_count; i++)
        sum =
            tw_vec3_add_scaled(sum, tw_vec3(v.velocity[0][i], v.velocity[1][i], v.velocity[2][i]), 1.0 / v.point_count);
    return sum;
}

/// Momentum of a rod as its step has it, with the consistent mass; and its angular momentum about the origin.
static inline twVec3 rod_momentum(const Stage* s, int rod, twVec3* turning)
{
    twRod* r = tw_world_rod(s->world, rod);
    double** m = r->mz[0];
    twVec3 sum = {0, 0, 0};
    *turning = sum;
    tw_rod_mass_of(r, r->v, m);
    for (int i = 0; i < r->n; i++)
    {
        const twVec3 x = tw_vec3(r->q[0][i], r->q[1][i], r->q[2][i]), mv = tw_vec3(m[0][i], m[1][i], m[2][i]);
        sum = tw_vec3_add(sum, mv);
        *turning = tw_vec3_add(*turning, tw_vec3_cross(x, mv));
        *turning = tw_vec3_add_scaled(*turning, tw_vec3(r->t0[0][i], r->t0[1][i], r->t0[2][i]), m[3][i]);
    }
    return sum;
}

static inline double rod_mass(const Stage* s, int rod) { return tw_world_rod(s->world, rod)->total_mass; }

/// Nothing failed, and energy did not rise.
static inline bool is_sound(const Stage* s)
{
    const twWorldEnergy e = tw_world_energy(s->world);
    const twWorldStats stats = tw_world_stats(s->world);
    const double all = e.kinetic + e.elastic + e.weight + e.contacts - e.work;
    return stats.failures == 0 && stats.lost == 0 && stats.dropped == 0 &&
           all <= e.start + 1e-9 * fabs(e.start) + 1e-15;
}
