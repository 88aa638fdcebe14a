// SPDX-License-Identifier: MIT
#pragma once
#include "grid.h"
#include "modal/modal_warp.h"
#include "test.h"

/// @file
/// Mode sets over boxes of tets whose modes are fields that are known everywhere.

/// Turns of the first modes at vertices, by the surface (vertices x 3 x modes). free() it; NULL without memory.
static inline float* cover_turns(const twModeSet* set, int modes)
{
    float* out = malloc((size_t)set->vertex_count * 3 * (size_t)modes * sizeof *out);
    twVec3* turns = out ? turns_create(set, modes, false) : NULL;
    for (int i = 0; turns && i < modes * set->vertex_count; i++)
    {
        float* at = out + 3 * modes * (i % set->vertex_count) + i / set->vertex_count;
        at[0] = (float)turns[i].x, at[modes] = (float)turns[i].y, at[2 * modes] = (float)turns[i].z;
    }
    free(turns);
    return out;
}

/// Displacement at x by a mode.
typedef twVec3 (*KnownField)(twVec3 x, int mode);

static inline void cover_sample(float* shape, const twVec3* at, int count, KnownField field, int modes)
{
    for (int k = 0; k < modes; k++)
        for (int i = 0; i < count; i++)
        {
            twVec3 u = field(at[i], k);
            float* s = shape + 3 * ((size_t)k * (size_t)count + (size_t)i);
            s[0] = (float)u.x, s[1] = (float)u.y, s[2] = (float)u.z;
        }
}

/// Numbers of nodes in a set: surface first, then the others. @return how many are inside
static inline int cover_number(int* number, const twTetMesh* tets, const int* node_of, int vertices)
{
    for (int i = 0; i < tets->node_count; i++) number[i] = -1;
    for (int i = 0; i < vertices; i++) number[node_of[i]] = i;
    int inner = 0;
    for (int i = 0; i < tets->node_count; i++)
        if (number[i] < 0) number[i] = vertices + inner++;
    return inner;
}

/// NULL: no memory.
static inline twModeSet* cover_set_of(const twTetMesh* tets, KnownField field, int modes)
{
    twMesh* surface = NULL;
    int* node_of = NULL;
    if (tw_tets_surface(&surface, &node_of, tets, NULL) != TW_OK) return NULL;
    int vertices = surface->vertex_count, nodes = tets->mid_nodes ? 10 : 4;
    int* number = malloc((size_t)tets->node_count * sizeof *number);
    int* list = malloc((size_t)tets->tet_count * (size_t)nodes * sizeof *list);
    twVec3* inner = malloc((size_t)tets->node_count * sizeof *inner);
    float* shape = malloc(3 * (size_t)modes * (size_t)tets->node_count * sizeof *shape);
    float* inner_shape = malloc(3 * (size_t)modes * (size_t)tets->node_count * sizeof *inner_shape);
    double* freq_hz = malloc((size_t)modes * sizeof *freq_hz);
    twModeSet* set = NULL;
    if (number && list && inner && shape && inner_shape && freq_hz)
    {
        int inside = cover_number(number, tets, node_of, vertices);
        for (int i = 0; i < tets->node_count; i++)
            if (number[i] >= vertices) inner[number[i] - vertices] = tets->nodes[i];
        for (int t = 0; t < tets->tet_count; t++)
            for (int i = 0; i < nodes; i++)
                list[t * nodes + i] = number[i < 4 ? tets->tets[t].n[i] : tets->mid_nodes[t][i - 4]];
        cover_sample(shape, surface->vertices, vertices, field, modes);
        cover_sample(inner_shape, inner, inside, field, modes);
        for (int k = 0; k < modes; k++) freq_hz[k] = 100 + k;
        twModeSet def = {.mode_count = modes,
                         .vertex_count = vertices,
                         .face_count = surface->face_count,
                         .rigid_modes = 6,
                         .freq_hz = freq_hz,
                         .shape = shape,
                         .vertices = surface->vertices,
                         .faces = surface->faces,
                         .mass = {.volume = 1, .mass = 1, .centre = {0, 0, 0}},
                         .tet_count = tets->tet_count,
                         .nodes_per_tet = nodes,
                         .inner_count = inside,
                         .tets = list,
                         .inner = inner,
                         .inner_shape = inner_shape};
        if (tw_mode_set_create(&set, &def, NULL) != TW_OK) set = NULL;
    }
    free(number), free(list), free(inner), free(shape), free(inner_shape), free(freq_hz), free(node_of);
    tw_mesh_destroy(surface);
    return set;
}

/// A box from the origin of so many cells each way. Destroy it. NULL: no memory
static inline twModeSet* cover_box(double x, double y, double z, int nx, int ny, int nz, bool quadratic,
                                   KnownField field, int modes)
{
    Grid grid = {{nx, ny, nz}, quadratic, grid_box, {x, y, z}, false};
    twTetMesh* tets = grid_mesh(&grid);
    twModeSet* set = tets ? cover_set_of(tets, field, modes) : NULL;
    grid_free(tets);
    return set;
}

// ---- fields and numbers ----

static inline twVec3 cover_some(int seed)
{
    return tw_vec3(sin(seed * 1.7 + 0.3), sin(seed * 2.9 + 1.1), sin(seed * 4.3 + 2.2));
}

static inline double cover_apart(twVec3 a, twVec3 b) { return tw_vec3_norm(tw_vec3_sub(a, b)); }

static const twVec3 cover_spin = {0.3, -0.7, 0.45};

static inline twVec3 cover_rotation(twVec3 x, int mode)
{
    (void)mode;
    return tw_vec3_cross(cover_spin, x);
}
