// SPDX-License-Identifier: MIT
// Triangles without area. If corner c lies on the side a b of such a triangle and one other face (x, y, d) lies on that side,
//
//     x----c----y           x----c----y
//      \       /     ->      \   |   /
//         \ /                   \|/
//          d                     d
//
// that face is split at c and the surface stays closed. Merely dropping the triangle would leave a slit.
#include "mesh/mend.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_ROUNDS = 20
};

// which side is longest. @return i for the side from corner i to i + 1
static int longest_side(const twMesh* mesh, twTriangle face)
{
    int longest = 0;
    double best = -1;
    for (int i = 0; i < 3; i++)
    {
        double length = tw_vec3_norm(tw_vec3_sub(mesh->vertices[face.v[(i + 1) % 3]], mesh->vertices[face.v[i]]));
        if (length > best) longest = i;
        if (length > best) best = length;
    }
    return longest;
}

bool tw_is_sliver(const twMesh* mesh, twTriangle face, double reach)
{
    // in units of the longest side, so that no product underflows
    int i = longest_side(mesh, face);
    twVec3 a = mesh->vertices[face.v[i]];
    twVec3 side = tw_vec3_sub(mesh->vertices[face.v[(i + 1) % 3]], a);
    twVec3 other = tw_vec3_sub(mesh->vertices[face.v[(i + 2) % 3]], a);
    double length = tw_vec3_max(side);
    if (!(length > 0)) return true;
    double height = tw_vec3_norm(tw_vec3_cross(tw_vec3_normalize(side), tw_vec3_scale(other, 1 / length)));
    return !(height > fmax(1e-12, 4 * DBL_EPSILON * reach / length));
}

// split the one neighbour across the longest side of sliver f; f takes one half. @return whether it could be done
static bool split_neighbour(twMesh* mesh, const twEdges* edges, int f, unsigned char* busy)
{
    int side = longest_side(mesh, mesh->faces[f]), edge = edges->of_face[f][side];
    if (tw_edges_faces(edges, edge) != 2) return false;
    int use = edges->uses[edges->start[edge]];
    if (use / 3 == f) use = edges->uses[edges->start[edge] + 1];
    int g = use / 3, i = use % 3;
    int c = mesh->faces[f].v[(side + 2) % 3], d = mesh->faces[g].v[(i + 2) % 3];
    if (busy[f] || busy[g] || g == f || c == d) return false;

    int x = mesh->faces[g].v[i], y = mesh->faces[g].v[(i + 1) % 3];
    mesh->faces[g] = (twTriangle){{x, c, d}};
    mesh->faces[f] = (twTriangle){{c, y, d}};
    if (mesh->regions) mesh->regions[f] = mesh->regions[g];
    busy[f] = busy[g] = 1;
    return true;
}

// one round over all slivers. @return how many were taken out by splitting, or -1
static int split_round(twMesh* mesh, double reach, unsigned char* busy, twError* err)
{
    int changed = 0, found = 0;
    for (int f = 0; f < mesh->face_count && found == 0; f++) found = tw_is_sliver(mesh, mesh->faces[f], reach);
    if (!found) return 0;
    twEdges* edges;
    if (tw_edges_create(&edges, mesh, err) != TW_OK) return -1;
    memset(busy, 0, (size_t)mesh->face_count);
    for (int f = 0; f < mesh->face_count; f++)
        if (!busy[f] && tw_is_sliver(mesh, mesh->faces[f], reach)) changed += split_neighbour(mesh, edges, f, busy);
    tw_edges_destroy(edges);
    return changed;
}

twStatus tw_remove_slivers(twMesh* mesh, int* removed, twError* err)
{
    twVec3 low, high;
    *removed = 0;
    if (!tw_mesh_box(mesh, &low, &high)) return TW_OK;
    double reach = fmax(tw_vec3_max(low), tw_vec3_max(high));
    unsigned char* flags = malloc((size_t)mesh->face_count + 1);
    if (!flags) return tw_fail(err, TW_NO_MEMORY, "no memory for %d faces", mesh->face_count);

    // count them as they were found, not as splitting passes them on
    for (int f = 0; f < mesh->face_count; f++) *removed += tw_is_sliver(mesh, mesh->faces[f], reach);
    int changed = *removed > 0;
    for (int round = 0; round < MAX_ROUNDS && changed > 0; round++) changed = split_round(mesh, reach, flags, err);
    for (int f = 0; f < mesh->face_count; f++) flags[f] = !tw_is_sliver(mesh, mesh->faces[f], reach);
    if (changed >= 0) tw_mesh_keep_faces(mesh, flags);
    free(flags);
    return changed < 0 ? TW_NO_MEMORY : TW_OK;
}
