// SPDX-License-Identifier: MIT
// A mode set on another surface, which lies in the tets of the first.
#include "modal/embed.h"
#include <stdlib.h>
#include <string.h>

twStatus embed_check(const twMesh* mesh, twError* err)
{
    if (mesh->vertex_count < 1 || mesh->face_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "a surface of %d vertices and %d faces is empty", mesh->vertex_count,
                       mesh->face_count);
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!isfinite(mesh->vertices[i].x + mesh->vertices[i].y + mesh->vertices[i].z))
            return tw_fail(err, TW_BAD_INPUT, "vertex %d is not finite: mend the mesh", i);
    for (int i = 0; i < 3 * mesh->face_count; i++)
    {
        int v = mesh->faces[i / 3].v[i % 3];
        if (v < 0 || v >= mesh->vertex_count)
            return tw_fail(err, TW_BAD_INPUT, "face %d names vertex %d of %d", i / 3, v, mesh->vertex_count);
    }
    return TW_OK;
}

static void fill_shapes(float* shape, const twModeSet* set, const Embedding* e)
{
    for (int k = 0; k < set->mode_count; k++)
        for (int i = 0; i < e->count; i++, shape += 3)
        {
            twVec3 sum = tw_vec3(0, 0, 0);
            for (int n = 0; n < e->nodes; n++)
            {
                size_t at = (size_t)i * (size_t)e->nodes + (size_t)n;
                sum = tw_vec3_add_scaled(sum, tw_mode_set_shape(set, k, e->node[at]), e->weight[at]);
            }
            shape[0] = (float)sum.x, shape[1] = (float)sum.y, shape[2] = (float)sum.z;
        }
}

static twStatus create(twModeSet** out, const twModeSet* set, const twMesh* mesh, const Embedding* e, twError* err)
{
    size_t values = 3 * (size_t)set->mode_count * (size_t)mesh->vertex_count;
    float* shape = malloc((values + 1) * sizeof *shape);
    if (!shape) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes at %d vertices", set->mode_count, e->count);
    fill_shapes(shape, set, e);
    twModeSet def = *set;
    def.vertex_count = mesh->vertex_count;
    def.face_count = mesh->face_count;
    def.vertices = mesh->vertices;
    def.faces = mesh->faces;
    def.shape = shape;
    def.tet_count = def.nodes_per_tet = def.inner_count = 0;
    def.tets = def.tet_materials = NULL;
    def.inner = NULL;
    def.inner_shape = NULL;
    twStatus status = tw_mode_set_create(out, &def, err);
    free(shape);
    return status;
}

twStatus tw_mode_set_embed(twModeSet** out, const twModeSet* set, const twMesh* mesh, double* outside, twError* err)
{
    *out = NULL;
    Embedding* e = NULL;
    twStatus status = embed_check(mesh, err);
    if (status == TW_OK) status = embedding_create(&e, set, mesh->vertices, mesh->vertex_count, err);
    if (status == TW_OK) status = create(out, set, mesh, e, err);
    if (status == TW_OK && outside) *outside = e->outside;
    embedding_destroy(e);
    return status;
}
