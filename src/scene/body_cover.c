// SPDX-License-Identifier: MIT
// Surfaces that are drawn instead of a body's own, embedded in its tets.

#include "bodies.h"
#include <stdlib.h>
#include <string.h>

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
