// SPDX-License-Identifier: MIT
#pragma once
#include "stage_random.h"

/// @file
/// Random bars held at random points, many of them of one face, and a random rigid motion for them.

enum
{
    MOST_POINTS = 10
};

typedef struct Rigid
{
    RandomStage r;
    double length;
    int count;
    int held[MOST_POINTS];  ///< vertices
    twVec3 start[MOST_POINTS];
    double span;  ///< of the motion [s]
    double angle;
    twVec3 axis, way;
} Rigid;

static inline void make_bar(Rigid* m)
{
    twRng* rng = &m->r.rng;
    GrabCase* g = &m->r.g;
    Beam bar = {.size = {random_scale(rng, 0.1, 0.4), random_scale(rng, 0.02, 0.1), random_scale(rng, 0.02, 0.1)}};
    m->length = bar.size.x;
    bar.density = random_scale(rng, 100, 1e4);
    bar.cells = 4 + random_below(rng, 8);
    bar.young = bar.density * random_scale(rng, 10, 1e4);
    bar.modes = 1 + random_below(rng, 12);
    bar.both = random_chance(rng, 0.3);
    if (bar.both) bar.size.y = bar.size.z;
    bar.decay = random_chance(rng, 0.5) ? 0 : random_scale(rng, 0.1, 50);
    grab_case(g);
    grab_beam(g, &bar, tw_vec3(0, 0, 0));
    g->bodies[0].warp = random_chance(rng, 0.3);
    const double steps[] = {1.0 / 60, 1.0 / 240, 1e-3, 1e-4};
    g->def.step = steps[random_below(rng, 4)];
    if (random_chance(rng, 0.5)) g->def.gravity = tw_vec3(0, 0, 0);
    g->def.contact = TW_STAGE_NO_CONTACT;
    grab_start(g);
}

static inline void hold_points(Rigid* m)
{
    twRng* rng = &m->r.rng;
    const twModeSet* set = m->r.g.bodies[0].modes;
    const bool flat = random_chance(rng, 0.5);
    const int wanted = 2 + random_below(rng, MOST_POINTS - 1);
    for (int tries = 0; m->count < wanted && tries < 1000; tries++)
    {
        const int v = random_below(rng, set->vertex_count);
        bool refused = flat && set->vertices[v].z < 0;
        for (int i = 0; i < m->count; i++) refused = refused || m->held[i] == v;
        if (refused) continue;
        m->held[m->count] = v;
        grab_here(&m->r.g, m->count++, 0, v, 0);
    }
    grab_steps(&m->r.g, 1);
    for (int i = 0; i < m->count; i++) m->start[i] = grab_view(&m->r.g)->grabs[i].target;
}

static inline void rigid_motion(Rigid* m, uint64_t seed)
{
    *m = (Rigid){.r = {.rng = tw_rng(seed)}};
    twRng* rng = &m->r.rng;
    make_bar(m);
    hold_points(m);
    m->span = random_between(rng, 0.1, 0.5);
    const double far = random_scale(rng, 0.01, 0.2);
    m->angle = random_scale(rng, 0.05, 2);
    m->axis = tw_vec3_normalize(random_way(rng, 1));
    m->way = tw_vec3_scale(tw_vec3_normalize(random_way(rng, 1)), far);
}

/// Where a point is to be after a share of the motion.
static inline twVec3 rigid_target(const Rigid* m, int point, double share)
{
    const twQuat turn = tw_quat_from_axis_angle(m->axis, share * m->angle);
    return tw_vec3_add_scaled(tw_quat_rotate(turn, m->start[point]), m->way, share);
}
