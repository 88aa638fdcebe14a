// SPDX-License-Identifier: MIT
#pragma once
#include "twang/live.h"
#include "world.h"

/// @file
/// A world of shapes of world.h that is played.

enum
{
    LIVE_BODIES = 16
};

typedef struct LiveCase
{
    Stage* shapes;  ///< owns shapes and sets
    twLiveBodyDef bodies[LIVE_BODIES];
    twContactMaterial material;
    twLiveDef def;
    twLive* live;
    twError err;
} LiveCase;

static inline void live_case(LiveCase* g)
{
    *g = (LiveCase){.shapes = stage(), .def = tw_live_def()};
    g->material = (twContactMaterial){.young = 1e9, .poisson = 0.3, .stick = 0.5, .slide = 0.5, .restitution = 0.5};
    g->def.bodies = g->bodies;
    g->def.world.materials = &g->material;
    g->def.world.material_count = 1;
}

static inline twLiveBodyDef live_body_of(const twBodyShape* shape, const twModeSet* modes, twVec3 position)
{
    twLiveBodyDef body = tw_live_body_def();
    body.body.name = "body";
    body.body.shape = shape;
    body.body.motion.position = position;
    body.modes = modes;
    return body;
}

static inline int live_body(LiveCase* g, const twBodyShape* shape, const twModeSet* modes, twVec3 position)
{
    g->bodies[g->def.body_count] = live_body_of(shape, modes, position);
    return g->def.body_count++;
}

static inline int live_beam(LiveCase* g, const Beam* beam, twVec3 position)
{
    const twBodyShape* shape = stage_beam(g->shapes, beam);
    const int body = live_body(g, shape, g->shapes->sets[g->shapes->shape_count - 1], position);
    if (beam->clamped) g->bodies[body].body.kind = TW_BODY_FIXED;
    return body;
}

static inline int live_box(LiveCase* g, twVec3 size, double density, twVec3 position)
{
    return live_body(g, stage_box(g->shapes, size.x, size.y, size.z, density), NULL, position);
}

/// A fixed floor whose top is at z = 0.
static inline int live_floor(LiveCase* g)
{
    const int body = live_box(g, tw_vec3(2, 2, 0.2), 1000, tw_vec3(0, 0, -0.1));
    g->bodies[body].body.kind = TW_BODY_FIXED;
    return body;
}

static inline void live_start(LiveCase* g) { must(tw_live_create(&g->live, &g->def, &g->err) == TW_OK, &g->err); }

static inline void live_free(LiveCase* g)
{
    tw_live_destroy(g->live);
    stage_free(g->shapes);
}

static inline const twLiveView* live_view(LiveCase* g) { return tw_live_view(g->live); }
static inline void live_steps(LiveCase* g, int count) { tw_live_advance(g->live, count * g->def.world.max_step); }

/// A grab of a vertex where it is.
static inline twGrabDef live_hold(int body, int vertex, double ease)
{
    twGrabDef def = tw_grab_def();
    def.at.body = body;
    def.at.point = tw_surface_vertex(vertex);
    def.here = true;
    def.ease = ease;
    return def;
}

static inline int live_vertex(const LiveCase* g, int body, twVec3 near)
{
    return tw_body_shape_nearest(g->bodies[body].body.shape, near);
}
