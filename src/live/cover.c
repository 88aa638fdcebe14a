// SPDX-License-Identifier: MIT
// Covers. A vertex of the set's own surface is at
//
//     x + V u,   u = sum of q_k U_k,   w = sum of q_k W_k
//
// with the shapes U and, to warp, the rotations W of the modes (modal_warp.h; V = 1 without warp). A vertex that is embedded in a tet is at
// x + sum of n_i d_i, with the displacements d_i of the nodes by the same formula: nodes are warped, not vertices, and a tet that
// turns as a whole takes what is in it along without changing it. Normals are those of the bent faces, each weighted by its
// angle at rest.
#include "live/cover.h"
#include "modal/embed.h"
#include "modal/modal_warp.h"
#include <stdlib.h>
#include <string.h>

twCoverDef tw_cover_def(void) { return (twCoverDef){.mode_count = -1}; }

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for a cover"); }

// ---- what modes do ----

static size_t field_values(const CoverField* field)
{
    size_t blocks = ((size_t)field->point_count + COVER_BLOCK - 1) / COVER_BLOCK;
    return blocks * (size_t)field->mode_count * 3 * COVER_BLOCK;
}

static void put(float* values, const CoverField* field, int point, int mode, twVec3 v)
{
    size_t block = (size_t)(point / COVER_BLOCK) * (size_t)field->mode_count + (size_t)mode;
    float* at = values + block * 3 * COVER_BLOCK + point % COVER_BLOCK;
    at[0] = (float)v.x, at[COVER_BLOCK] = (float)v.y, at[2 * COVER_BLOCK] = (float)v.z;
}

// node_of names the node of the set of each point; NULL: they are its vertices
static twStatus fill_turns(CoverField* field, const twModeSet* set, const int* node_of, twError* err)
{
    twVec3* turns = turns_create(set, field->mode_count, node_of);
    const int nodes = set->vertex_count + (node_of ? set->inner_count : 0);
    if (!turns) return no_memory(err);
    for (int k = 0; k < field->mode_count; k++)
        for (int p = 0; p < field->point_count; p++)
            put(field->turn, field, p, k, turns[(size_t)k * (size_t)nodes + (size_t)(node_of ? node_of[p] : p)]);
    free(turns);
    return TW_OK;
}

static twStatus fill_field(twCover* cover, const twCoverDef* def, const int* node_of, twError* err)
{
    CoverField* field = &cover->field;
    if (field->mode_count == 0) return TW_OK;
    field->shape = tw_arena_alloc(cover->arena, field_values(field), sizeof *field->shape);
    field->turn = def->warp ? tw_arena_alloc(cover->arena, field_values(field), sizeof *field->turn) : NULL;
    if (!field->shape || (def->warp && !field->turn)) return no_memory(err);
    for (int k = 0; k < field->mode_count; k++)
        for (int p = 0; p < field->point_count; p++)
            put(field->shape, field, p, k, tw_mode_set_shape(def->set, k, node_of ? node_of[p] : p));
    return def->warp ? fill_turns(field, def->set, node_of, err) : TW_OK;
}

// ---- the surface ----

// of the cross product of its sides, which is as long as the area, so that angles are what is left
static void share_face(const twVec3 x[3], float share[3])
{
    for (int i = 0; i < 3; i++)
    {
        twVec3 a = tw_vec3_sub(x[(i + 1) % 3], x[i]), b = tw_vec3_sub(x[(i + 2) % 3], x[i]);
        double doubled = tw_vec3_norm(tw_vec3_cross(a, b));
        double value = doubled > 0 ? atan2(doubled, tw_vec3_dot(a, b)) / doubled : 0;
        share[i] = value < (double)FLT_MAX ? (float)value : 0;
    }
}

static twStatus fill_surface(twCover* cover, const twMesh* mesh, twError* err)
{
    size_t vertices = (size_t)mesh->vertex_count, faces = (size_t)mesh->face_count;
    cover->vertex_count = mesh->vertex_count;
    cover->face_count = mesh->face_count;
    cover->rest = tw_arena_alloc(cover->arena, 3 * vertices, sizeof *cover->rest);
    cover->faces = tw_arena_alloc(cover->arena, faces, sizeof *cover->faces);
    cover->share = tw_arena_alloc(cover->arena, 3 * faces, sizeof *cover->share);
    if (!cover->rest || !cover->faces || !cover->share) return no_memory(err);
    if (faces > 0) memcpy(cover->faces, mesh->faces, faces * sizeof *cover->faces);
    for (size_t v = 0; v < vertices; v++)
    {
        float* at = cover->rest + 3 * v;
        at[0] = (float)mesh->vertices[v].x, at[1] = (float)mesh->vertices[v].y, at[2] = (float)mesh->vertices[v].z;
    }
    for (size_t f = 0; f < faces; f++)
    {
        twVec3 x[3];
        for (int i = 0; i < 3; i++) x[i] = mesh->vertices[mesh->faces[f].v[i]];
        share_face(x, cover->share + 3 * f);
    }
    return TW_OK;
}

// ---- embedding ----

// points are the nodes that something hangs on, in the order of their numbers. @return how many; number (nodes) and node_of name them
static int number_nodes(int* number, int* node_of, int nodes, const Embedding* e)
{
    int count = 0;
    for (int i = 0; i < nodes; i++) number[i] = -1;
    for (size_t i = 0; i < (size_t)e->count * (size_t)e->nodes; i++) number[e->node[i]] = 0;
    for (int i = 0; i < nodes; i++)
    {
        if (number[i] < 0) continue;
        node_of[count] = i;
        number[i] = count++;
    }
    return count;
}

static twStatus hang(twCover* cover, const twCoverDef* def, const Embedding* e, int* number, int* node_of, twError* err)
{
    size_t values = (size_t)e->count * (size_t)e->nodes;
    cover->field.point_count = number_nodes(number, node_of, def->set->vertex_count + def->set->inner_count, e);
    cover->hangs = e->nodes;
    cover->node = tw_arena_alloc(cover->arena, values, sizeof *cover->node);
    cover->weight = tw_arena_alloc(cover->arena, values, sizeof *cover->weight);
    if (!cover->node || !cover->weight) return no_memory(err);
    for (size_t i = 0; i < values; i++)
    {
        cover->node[i] = number[e->node[i]];
        cover->weight[i] = (float)e->weight[i];
    }
    double size = mode_set_size(def->set);
    cover->outside = size > 0 ? e->outside / size : 0;
    return fill_field(cover, def, node_of, err);
}

static twStatus embed(twCover* cover, const twCoverDef* def, twError* err)
{
    Embedding* e = NULL;
    size_t nodes = (size_t)def->set->vertex_count + (size_t)def->set->inner_count;
    int *number = malloc(nodes * sizeof *number), *node_of = malloc(nodes * sizeof *node_of);
    twStatus status = number && node_of ? TW_OK : no_memory(err);
    if (status == TW_OK) status = embedding_create(&e, def->set, def->mesh->vertices, def->mesh->vertex_count, err);
    if (status == TW_OK) status = hang(cover, def, e, number, node_of, err);
    embedding_destroy(e);
    free(number);
    free(node_of);
    return status;
}

// ---- creation ----

static twStatus fill(twCover* cover, const twCoverDef* def, twError* err)
{
    const twModeSet* set = def->set;
    int modes = set ? set->mode_count : 0;
    if (def->mode_count >= 0 && def->mode_count < modes) modes = def->mode_count;
    cover->kernel = cover_kernel(NULL);
    cover->field.mode_count = modes;
    twMesh own = {.vertex_count = set ? set->vertex_count : 0, .face_count = set ? set->face_count : 0};
    own.vertices = set ? (twVec3*)(uintptr_t)set->vertices : NULL;
    own.faces = set ? (twTriangle*)(uintptr_t)set->faces : NULL;
    twStatus status = def->mesh ? embed_check(def->mesh, err) : TW_OK;
    if (status == TW_OK) status = fill_surface(cover, def->mesh ? def->mesh : &own, err);
    if (status != TW_OK || modes == 0) return status;
    if (def->mesh) return embed(cover, def, err);
    cover->field.point_count = set->vertex_count;
    return fill_field(cover, def, NULL, err);
}

twStatus tw_cover_create(twCover** out, const twCoverDef* def, twError* err)
{
    *out = NULL;
    TW_ASSERT(def->set || def->mesh);
    twArena* arena = tw_arena_create(1 << 16);
    twCover* cover = arena ? tw_arena_alloc(arena, 1, sizeof *cover) : NULL;
    twStatus status = cover ? TW_OK : no_memory(err);
    if (cover) cover->arena = arena;
    if (cover) status = fill(cover, def, err);
    if (status == TW_OK)
        *out = cover;
    else
        tw_arena_destroy(arena);
    return status;
}

void tw_cover_destroy(twCover* cover)
{
    if (cover) tw_arena_destroy(cover->arena);
}

int tw_cover_modes(const twCover* cover) { return cover->field.mode_count; }
int tw_cover_vertices(const twCover* cover) { return cover->vertex_count; }

const twTriangle* tw_cover_faces(const twCover* cover, int* count)
{
    *count = cover->face_count;
    return cover->faces;
}

double tw_cover_outside(const twCover* cover) { return cover->outside; }
