// SPDX-License-Identifier: MIT
// Orientation. Faces joined by edges that two faces share are one patch: starting from one face, its neighbours are turned
// to run along the shared edge the other way. A patch is then turned outward as a whole: its signed volume
//     V = 1/6 sum of det(a, b, c)    (about the middle of the patch, for open ones)
// must be positive, or negative if an odd number of other patches contain it: then it is the wall of a cavity. An open
// patch that encloses next to nothing, such as a sheet, keeps the side that most of its area had.
#include "mesh/mend.h"
#include <stdlib.h>
#include <string.h>

// an open patch below this V / A^(3/2) is taken for a sheet (sphere: 0.094)
static const double SHEET = 1e-3;

enum
{
    MAX_NESTING_PATCHES = 1024  // with more of them, nesting is not looked at: it takes their number squared
};

typedef struct Patch
{
    int first, count;  // faces in the order of the flood
    twVec3 low, high;
    double area, volume;
    double turned_area;  // of faces turned by the flood
    bool closed;
    bool solid;  // closed, or encloses enough to tell inside from outside
    int depth;   // patches around it
} Patch;

typedef struct Flood
{
    twMesh* mesh;
    const twEdges* edges;
    int* order;             // (faces) patch by patch
    int* patch_of;          // (faces), -1: not reached yet
    unsigned char* turned;  // (faces)
    Patch* patches;
    int patch_count;
} Flood;

static twVec3 corner(const Flood* flood, int f, int i) { return flood->mesh->vertices[flood->mesh->faces[f].v[i]]; }

// ---- patches ----

// turn the neighbour across side i of f to agree, unless it is reached already. @return it, or -1
static int reach_neighbour(Flood* flood, int f, int i, Patch* patch)
{
    const twEdges* edges = flood->edges;
    int edge = edges->of_face[f][i];
    if (tw_edges_faces(edges, edge) != 2)
    {
        patch->closed = false;
        return -1;
    }
    int use = edges->uses[edges->start[edge]];
    if (use / 3 == f) use = edges->uses[edges->start[edge] + 1];
    int g = use / 3;
    if (flood->patch_of[g] >= 0) return -1;
    bool same = tw_edges_forward(flood->mesh, 3 * f + i) == tw_edges_forward(flood->mesh, use);
    flood->turned[g] = flood->turned[f] ^ same;
    return g;
}

static void flood_from(Flood* flood, int seed, int first)
{
    int index = flood->patch_count++, end = first;
    Patch* patch = &flood->patches[index];
    *patch = (Patch){.first = first, .closed = true};
    flood->patch_of[seed] = index;
    flood->turned[seed] = 0;
    flood->order[end++] = seed;
    for (int at = first; at < end; at++)
        for (int i = 0; i < 3; i++)
        {
            int g = reach_neighbour(flood, flood->order[at], i, patch);
            if (g < 0) continue;
            flood->patch_of[g] = index;
            flood->order[end++] = g;
        }
    patch->count = end - first;
}

// box, area and signed volume as the flood turned the faces
static void measure(const Flood* flood, Patch* patch)
{
    patch->low = patch->high = corner(flood, flood->order[patch->first], 0);
    for (int k = 0; k < 3 * patch->count; k++)
    {
        twVec3 p = corner(flood, flood->order[patch->first + k / 3], k % 3);
        patch->low = tw_vec3(fmin(patch->low.x, p.x), fmin(patch->low.y, p.y), fmin(patch->low.z, p.z));
        patch->high = tw_vec3(fmax(patch->high.x, p.x), fmax(patch->high.y, p.y), fmax(patch->high.z, p.z));
    }

    // in units of the patch, so that nothing under- or overflows
    double size = tw_vec3_max(tw_vec3_sub(patch->high, patch->low)), unit = size > 0 ? 1 / size : 1;
    twVec3 middle = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < patch->count; k++)
        {
            int f = flood->order[patch->first + k];
            twVec3 x[3];
            for (int i = 0; i < 3; i++) x[i] = tw_vec3_scale(tw_vec3_sub(corner(flood, f, i), patch->low), unit);
            twVec3 cross = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
            twVec3 third = tw_vec3_scale(tw_vec3_add(tw_vec3_add(x[0], x[1]), x[2]), 1.0 / 3);
            double area = 0.5 * tw_vec3_norm(cross), sign = flood->turned[f] ? -1 : 1;
            if (pass == 0)
            {
                patch->area += area;
                patch->turned_area += flood->turned[f] ? area : 0;
                middle = tw_vec3_add_scaled(middle, third, area);
            }
            else
            {
                twVec3 from_middle = tw_vec3_add_scaled(third, middle, -1 / patch->area);
                patch->volume += sign * tw_vec3_dot(cross, from_middle) / 6;
            }
        }
    patch->solid = patch->closed ? patch->volume != 0 : fabs(patch->volume) > SHEET * pow(patch->area, 1.5);
}

static void find_patches(Flood* flood)
{
    int first = 0;
    for (int f = 0; f < flood->mesh->face_count; f++) flood->patch_of[f] = -1;
    for (int f = 0; f < flood->mesh->face_count; f++)
    {
        if (flood->patch_of[f] >= 0) continue;
        flood_from(flood, f, first);
        first += flood->patches[flood->patch_count - 1].count;
        measure(flood, &flood->patches[flood->patch_count - 1]);
    }
}

// ---- nesting ----

static bool box_inside(const Patch* inner, const Patch* outer)
{
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y && inner->low.z >= outer->low.z &&
           inner->high.x <= outer->high.x && inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

// whether corners of the inner patch, all or some all over it, lie inside or on the outer one
static bool contains(const twWinding* winding, const Flood* flood, const Patch* outer, const Patch* inner)
{
    const double enough = outer->closed ? 0.25 : 0.75;  // 1 inside a closed one, 0.5 on it where it is flat, 0 outside
    const int most = 64, step = 1 + (inner->count - 1) / most;
    for (int k = 0; k < inner->count; k += step)
        for (int i = 0; i < 3; i++)
            if (fabs(tw_winding_at(winding, corner(flood, flood->order[inner->first + k], i))) < enough) return false;
    return true;
}

static twStatus wind_patch(twWinding** out, const Flood* flood, const Patch* patch, twError* err)
{
    // a mesh of the patch's faces that borrows the vertices
    twTriangle* faces = malloc((size_t)patch->count * sizeof *faces);
    if (!faces) return tw_fail(err, TW_NO_MEMORY, "no memory for %d faces", patch->count);
    for (int k = 0; k < patch->count; k++)
    {
        int f = flood->order[patch->first + k];
        faces[k] = flood->mesh->faces[f];
        if (flood->turned[f]) faces[k].v[1] = flood->mesh->faces[f].v[2];
        if (flood->turned[f]) faces[k].v[2] = flood->mesh->faces[f].v[1];
    }
    twMesh part = {flood->mesh->vertex_count, patch->count, flood->mesh->vertices, faces, NULL};
    twStatus status = tw_winding_create(out, &part, err);
    free(faces);
    return status;
}

static twStatus find_depths(Flood* flood, twError* err)
{
    if (flood->patch_count > MAX_NESTING_PATCHES) return TW_OK;
    twStatus status = TW_OK;
    for (int o = 0; o < flood->patch_count && status == TW_OK; o++)
    {
        const Patch* outer = &flood->patches[o];
        twWinding* winding = NULL;
        for (int i = 0; i < flood->patch_count && status == TW_OK && outer->solid; i++)
        {
            Patch* inner = &flood->patches[i];
            if (i == o || !inner->solid || !box_inside(inner, outer)) continue;
            if (!winding) status = wind_patch(&winding, flood, outer, err);
            if (status == TW_OK && contains(winding, flood, outer, inner)) inner->depth++;
        }
        tw_winding_destroy(winding);
    }
    return status;
}

// ---- turning ----

static int turn_faces(Flood* flood)
{
    int flipped = 0;
    for (int p = 0; p < flood->patch_count; p++)
    {
        const Patch* patch = &flood->patches[p];
        bool whole = patch->turned_area > 0.5 * patch->area;
        if (patch->solid) whole = (patch->volume < 0) != (patch->depth % 2 == 1);
        for (int k = 0; k < patch->count; k++)
        {
            int f = flood->order[patch->first + k], *v = flood->mesh->faces[f].v;
            if (flood->turned[f] == whole) continue;
            int swap = v[1];
            v[1] = v[2];
            v[2] = swap;
            flipped++;
        }
    }
    return flipped;
}

// ---- both ----

static void flood_free(Flood* flood)
{
    free(flood->order);
    free(flood->patch_of);
    free(flood->turned);
    free(flood->patches);
}

// the patches of a mesh and how deep they lie
static twStatus flood_mesh(Flood* flood, twMesh* mesh, twError* err)
{
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    const size_t n = (size_t)mesh->face_count + 1;
    *flood =
        (Flood){mesh, edges, malloc(n * sizeof(int)), malloc(n * sizeof(int)), malloc(n), malloc(n * sizeof(Patch)), 0};
    if (!flood->order || !flood->patch_of || !flood->turned || !flood->patches)
        status = tw_fail(err, TW_NO_MEMORY, "no memory to orient %d faces", mesh->face_count);
    else
    {
        find_patches(flood);
        status = find_depths(flood, err);
    }
    tw_edges_destroy(edges);
    flood->edges = NULL;
    return status;
}

twStatus tw_orient_faces(twMesh* mesh, int* flipped, int* cavities, twError* err)
{
    Flood flood = {0};
    const twStatus status = flood_mesh(&flood, mesh, err);
    if (status == TW_OK) *flipped = turn_faces(&flood);
    for (int p = 0; status == TW_OK && p < flood.patch_count; p++)
        *cavities += flood.patches[p].solid && flood.patches[p].depth % 2 == 1;
    flood_free(&flood);
    return status;
}

twStatus tw_mesh_keep_outer(twMesh* mesh, twError* err)
{
    Flood flood = {0};
    const twStatus status = flood_mesh(&flood, mesh, err);
    // turned is not needed any more: what stays
    for (int f = 0; status == TW_OK && f < mesh->face_count; f++)
        flood.turned[f] = flood.patches[flood.patch_of[f]].depth == 0;
    if (status == TW_OK) tw_mesh_keep_faces(mesh, flood.turned);
    flood_free(&flood);
    return status;
}
