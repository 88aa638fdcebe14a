// SPDX-License-Identifier: MIT
// From the bodies of a scene to a stage, and surfaces that are embedded in them.

#include "bodies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what is drawn ----

// the shapes of a mode at the vertices of one surface, then at those of another
static float* join_shapes(const twModeSet* a, const twModeSet* b)
{
    const size_t n = 3 * (size_t)a->vertex_count, m = 3 * (size_t)b->vertex_count;
    float* out = malloc(((n + m) * (size_t)a->mode_count + 1) * sizeof *out);
    for (size_t k = 0; out && k < (size_t)a->mode_count; k++)
    {
        memcpy(out + k * (n + m), a->shape + k * n, n * sizeof *out);
        memcpy(out + k * (n + m) + n, b->shape + k * m, m * sizeof *out);
    }
    return out;
}

// what pushes, pushes at vertices of the set; what is seen are the faces of the other surface: both in one set
static twStatus join(twModeSet** out, const twModeSet* set, const twModeSet* cover, twError* err)
{
    const size_t n = (size_t)set->vertex_count, m = (size_t)cover->vertex_count;
    twVec3* vertices = malloc((n + m) * sizeof *vertices);
    twTriangle* faces = malloc(((size_t)cover->face_count + 1) * sizeof *faces);
    float* shape = join_shapes(set, cover);
    twStatus status = vertices && faces && shape ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a surface");
    if (status == TW_OK)
    {
        memcpy(vertices, set->vertices, n * sizeof *vertices);
        memcpy(vertices + n, cover->vertices, m * sizeof *vertices);
        for (int f = 0; f < cover->face_count; f++)
            for (int i = 0; i < 3; i++) faces[f].v[i] = cover->faces[f].v[i] + set->vertex_count;
        twModeSet def = *cover;
        def.vertex_count = (int)(n + m);
        def.vertices = vertices;
        def.faces = faces;
        def.shape = shape;
        status = tw_mode_set_create(out, &def, err);
    }
    free(vertices);
    free(faces);
    free(shape);
    return status;
}

twStatus bodies_make_cover(BodyMade* made, const twSceneShape* shape, twError* err)
{
    twMesh* mesh = NULL;
    twModeSet* cover = NULL;
    twStatus status = tw_mesh_load(&mesh, shape->cover, shape->scale, err);
    if (status == TW_OK) status = tw_mode_set_embed(&cover, made->set, mesh, &made->outside, err);
    if (status == TW_OK) status = join(&made->drawn, made->set, cover, err);
    tw_mode_set_destroy(cover);
    tw_mesh_destroy(mesh);
    return status;
}

// ---- the stage ----

int bodies_holds(const twScene* scene)
{
    int count = scene->joint_count;
    for (int i = 0; i < scene->grab_count; i++) count += scene->grabs[i].place_count;
    for (int i = 0; i < scene->push_count; i++) count += !scene->pushes[i].tap;
    return count;
}

static void perform(const twBodies* b, int i, twStageBodyDef* out)
{
    const twBodyDef* body = &b->bodies[i];
    const twSceneBody* said = i < b->scene->body_count ? &b->scene->bodies[i] : NULL;
    *out = tw_stage_body_def();
    out->name = body->name;
    out->shape = body->shape;
    out->kind = body->kind;
    out->motion = body->motion;
    out->material = body->material;
    out->amplitude = body->amplitude;
    if (!said) return;
    out->warp = said->warp;
    out->ghost = said->ghost;
    out->hangs = !b->scene->unsettled;
    if (b->made[said->shape].set->mode_count > 0) out->modes = b->made[said->shape].set;
}

twStatus bodies_make_stage(twBodies* b, twError* err)
{
    const twScene* scene = b->scene;
    b->performers = calloc((size_t)b->body_count + 1, sizeof *b->performers);
    if (!b->performers) return tw_fail(err, TW_NO_MEMORY, "no memory for the stage");
    for (int i = 0; i < b->body_count; i++) perform(b, i, &b->performers[i]);
    twStageDef def = scene->stage;
    def.bodies = b->performers;
    def.body_count = b->body_count;
    def.materials = b->materials;
    def.material_count = b->skin_count;
    def.pairs = b->pairs;
    def.pair_count = b->pair_count;
    def.max_grabs = bodies_holds(scene);
    // in a step each place may be grabbed, moved and let go, and all the rest may happen at once
    def.queue = 4 * def.max_grabs + scene->push_count + scene->throw_count + 1;
    twError inner = {0};
    const twStatus status = tw_stage_create(&b->stage, &def, &inner);
    if (status != TW_OK) bodies_name_place(scene, &inner, err);
    return status;
}
