// SPDX-License-Identifier: MIT
#pragma once
#include "twang/stage.h"
#include "world.h"

/// @file
/// A stage made of shapes of world.h, to be grabbed.

enum
{
    GRAB_BODIES = 16
};

typedef struct GrabCase
{
    Stage* shapes;  ///< owns shapes and sets
    twStageBodyDef bodies[GRAB_BODIES];
    twContactMaterial material;
    twStageDef def;
    twStage* stage;
    twError err;
} GrabCase;

static inline void grab_case(GrabCase* g)
{
    *g = (GrabCase){.shapes = stage(), .def = tw_stage_def()};
    g->material = (twContactMaterial){.young = 1e9, .poisson = 0.3, .stick = 0.5, .slide = 0.5, .restitution = 0.5};
    g->def.bodies = g->bodies;
    g->def.materials = &g->material;
    g->def.material_count = 1;
}

static inline int grab_body(GrabCase* g, const twBodyShape* shape, const twModeSet* modes, twVec3 position)
{
    twStageBodyDef* body = &g->bodies[g->def.body_count];
    *body = tw_stage_body_def();
    body->name = "body";
    body->shape = shape;
    body->modes = modes;
    body->motion.position = position;
    return g->def.body_count++;
}

static inline int grab_beam(GrabCase* g, const Beam* beam, twVec3 position)
{
    const twBodyShape* shape = stage_beam(g->shapes, beam);
    const int body = grab_body(g, shape, g->shapes->sets[g->shapes->shape_count - 1], position);
    if (beam->clamped) g->bodies[body].kind = TW_BODY_FIXED;
    return body;
}

static inline int grab_box(GrabCase* g, twVec3 size, double density, twVec3 position)
{
    return grab_body(g, stage_box(g->shapes, size.x, size.y, size.z, density), NULL, position);
}

static inline void grab_start(GrabCase* g) { must(tw_stage_create(&g->stage, &g->def, &g->err) == TW_OK, &g->err); }

static inline void grab_free(GrabCase* g)
{
    tw_stage_destroy(g->stage);
    stage_free(g->shapes);
}

static inline const twStageView* grab_view(GrabCase* g) { return tw_stage_view(g->stage); }
static inline void grab_steps(GrabCase* g, int count) { tw_stage_advance(g->stage, count * g->def.step); }

/// Energy that is there: of motion, of bending, by height.
static inline double grab_energy(GrabCase* g)
{
    const twStageEnergy e = grab_view(g)->energy;
    return e.kinetic + e.elastic + e.weight + e.springs;
}

/// Grab a vertex where it is.
static inline void grab_here(GrabCase* g, int slot, int body, int vertex, double ease)
{
    twStageGrabDef def = tw_stage_grab_def();
    def.body = body;
    def.point = tw_stage_vertex(vertex);
    def.here = true;
    def.ease = ease;
    if (!tw_stage_grab(g->stage, slot, &def)) abort();
}

static inline int grab_vertex(const GrabCase* g, int body, twVec3 near)
{
    return tw_body_shape_nearest(g->bodies[body].shape, near);
}
