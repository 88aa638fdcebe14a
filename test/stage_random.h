// SPDX-License-Identifier: MIT
#pragma once
#include "grab.h"

/// @file
/// Random stages: up to six bodies, rigid and soft, free and clamped, from grams to tonnes, thrown about, with pins, joints, contacts of
/// all kinds, and steps from 0.1 ms to 1/60 s. One seed, one stage.

typedef struct RandomStage
{
    GrabCase g;
    twRng rng;
    int slots;          ///< of grabs
    bool pinned[16];    ///< (slots) it holds a place of the world
    twVec3 target[16];  ///< (slots) that it was told last
    double told[16];    ///< (slots) all the way it was told to go so far [m]
    double asked, far;  ///< fastest that a target was told to go, and farthest [m/s], [m]
} RandomStage;

static inline double random_between(twRng* rng, double from, double to)
{
    return from + (to - from) * tw_rng_uniform(rng);
}

/// evenly in the logarithm
static inline double random_scale(twRng* rng, double from, double to)
{
    return from * pow(to / from, tw_rng_uniform(rng));
}

static inline int random_below(twRng* rng, int count) { return (int)(tw_rng_uniform(rng) * count); }
static inline bool random_chance(twRng* rng, double share) { return tw_rng_uniform(rng) < share; }

static inline twVec3 random_way(twRng* rng, double size)
{
    const double x = tw_rng_normal(rng), y = tw_rng_normal(rng), z = tw_rng_normal(rng);
    return tw_vec3(size * x, size * y, size * z);
}

static inline void random_motion(RandomStage* r, int body)
{
    twBodyMotion* motion = &r->g.bodies[body].motion;
    motion->turn = tw_quat_from_axis_angle(tw_vec3_normalize(random_way(&r->rng, 1)), random_between(&r->rng, 0, 3));
    if (r->g.bodies[body].kind == TW_BODY_FIXED) return;
    motion->velocity = random_way(&r->rng, random_scale(&r->rng, 0.1, 3));
    motion->spin = random_way(&r->rng, random_scale(&r->rng, 0.3, 10));
}

static inline void random_body(RandomStage* r)
{
    twRng* rng = &r->rng;
    GrabCase* g = &r->g;
    const twVec3 at = tw_vec3_add(tw_vec3(0, 0, 0.3), random_way(rng, 0.15));
    const twVec3 size = {random_scale(rng, 0.1, 0.4), random_scale(rng, 0.02, 0.1), random_scale(rng, 0.02, 0.1)};
    const double density = random_scale(rng, 10, 1e5);
    int body;
    if (random_chance(rng, 0.4))
        body = grab_box(g, size, density, at);
    else
    {
        const Beam beam = {.size = size,
                           .density = density,
                           .young = density * random_scale(rng, 10, 1e5),
                           .cells = 4,
                           .modes = 1 + random_below(rng, 8),
                           .clamped = random_chance(rng, 0.2),
                           .decay = random_chance(rng, 0.5) ? 0 : random_scale(rng, 0.1, 50)};
        body = grab_beam(g, &beam, at);
        g->bodies[body].warp = random_chance(rng, 0.3);
    }
    g->bodies[body].ghost = random_chance(rng, 0.2);
    random_motion(r, body);
}

/// A floor, or none.
static inline void random_floor(RandomStage* r)
{
    if (!random_chance(&r->rng, 0.5)) return;
    const int floor = grab_box(&r->g, tw_vec3(2, 2, 0.2), 1000, tw_vec3(0, 0, -0.1));
    r->g.bodies[floor].kind = TW_BODY_FIXED;
}

/// Bodies about each other, none held yet.
static inline void random_stage(RandomStage* r, uint64_t seed)
{
    *r = (RandomStage){.rng = tw_rng(seed)};
    twRng* rng = &r->rng;
    twStageDef* def = &r->g.def;
    grab_case(&r->g);
    r->g.material.stick = r->g.material.slide = random_chance(rng, 0.3) ? 0 : random_between(rng, 0, 1);
    r->g.material.restitution = random_between(rng, 0, 1);
    r->g.material.young = random_scale(rng, 1e5, 1e10);
    const int count = 1 + random_below(rng, 6);
    for (int i = 0; i < count; i++) random_body(r);
    random_floor(r);
    def->step = random_chance(rng, 0.4) ? 1.0 / 60 : random_scale(rng, 1e-4, 1.0 / 60);
    if (random_chance(rng, 0.4)) def->gravity = tw_vec3(0, 0, 0);
    def->contact = (twStageContact)random_below(rng, 3);
    def->max_grabs = 16;
    grab_start(&r->g);
}

static inline int random_vertex(RandomStage* r, int body) { return grab_vertex(&r->g, body, random_way(&r->rng, 0.2)); }

/// A pin, a brake or a joint, of what moves; its target is where (how) the point is now.
static inline void random_hold(RandomStage* r)
{
    twRng* rng = &r->rng;
    const int count = r->g.def.body_count;
    twStageGrabDef def = tw_stage_grab_def();
    def.body = random_below(rng, count);
    if (!r->g.bodies[def.body].modes && r->g.bodies[def.body].kind == TW_BODY_FIXED) return;
    def.point = tw_stage_vertex(random_vertex(r, def.body));
    def.here = true;
    def.ease = 0;
    const int other = random_below(rng, count);
    if (random_chance(rng, 0.5) && other != def.body)
    {
        def.other = other;
        def.other_point = tw_stage_vertex(random_vertex(r, other));
    }
    else if (random_chance(rng, 0.2))
        def.kind = TW_STAGE_GRAB_VELOCITY, def.here = false;
    for (int k = 0; k < 3; k++) def.along[k] = random_chance(rng, 0.85);
    r->pinned[r->slots] = def.other == TW_NOWHERE && def.kind == TW_STAGE_GRAB_POSITION;
    r->target[r->slots] = tw_stage_place(r->g.stage, def.body, &def.point, NULL);
    if (!tw_stage_grab(r->g.stage, r->slots++, &def)) abort();
}

static inline void random_holds(RandomStage* r)
{
    for (int n = 1 + random_below(&r->rng, 8); n > 0; n--) random_hold(r);
}

/// Hands take what is pinned elsewhere.
static inline void random_moves(RandomStage* r)
{
    for (int i = 0; i < r->slots; i++)
    {
        const twVec3 way = random_way(&r->rng, 0.1);
        const double seconds = fmax(random_scale(&r->rng, 0.02, 0.5), r->g.def.step);
        if (!r->pinned[i]) continue;
        r->target[i] = tw_vec3_add(r->target[i], way);
        r->told[i] += tw_vec3_norm(way);
        r->far = fmax(r->far, r->told[i]);
        // the middle of a way from rest to rest, what may be left of the ways before, and the pace of moves that follow each other
        r->asked = fmax(r->asked, (1.5 * r->told[i] + 2 * tw_vec3_norm(way)) / seconds);
        if (!tw_stage_move(r->g.stage, i, r->target[i], seconds)) abort();
    }
}
