// SPDX-License-Identifier: MIT
// split_: splitting long edges at their middles until none is longer than a limit. Faces are cut along their split edges
// alone, in two, three or four, so that the surface stays as it is and as it is connected.
#include "mesh/copy.h"
#include "mesh/edges.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_PASSES 24
#define SPLIT_MOST 4000000  // faces

// the middle of every edge that is too long, -1 for others. @return how many, -1: too many faces
static int split_mark(const twMesh* mesh, const twEdges* edges, double longest, int* middle)
{
    int count = 0;
    for (int e = 0; e < edges->count; e++)
    {
        const int* v = edges->ends[e];
        const double length = tw_vec3_norm(tw_vec3_sub(mesh->vertices[v[0]], mesh->vertices[v[1]]));
        middle[e] = length > longest ? mesh->vertex_count + count++ : -1;
    }
    return mesh->face_count > SPLIT_MOST - 2 * count ? -1 : count;
}

// the pieces of a face whose sides have middles m (-1: none), into out. @return how many
static int split_face(const twMesh* mesh, twTriangle face, const int m[3], twTriangle out[4])
{
    int sides = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
    if (sides == 0) out[0] = face;
    if (sides == 0) return 1;
    if (sides == 3)
    {
        for (int i = 0; i < 3; i++) out[i] = (twTriangle){{face.v[i], m[i], m[(i + 2) % 3]}};
        out[3] = (twTriangle){{m[0], m[1], m[2]}};
        return 4;
    }
    // turn so that side 0 is split, and with two sides side 2 is not
    int t = 0;
    while (m[t] < 0 || (sides == 2 && m[(t + 2) % 3] >= 0)) t++;
    const int a = face.v[t], b = face.v[(t + 1) % 3], c = face.v[(t + 2) % 3], ab = m[t], bc = m[(t + 1) % 3];
    if (sides == 1)
    {
        out[0] = (twTriangle){{a, ab, c}};
        out[1] = (twTriangle){{ab, b, c}};
        return 2;
    }
    // the quadrilateral a, ab, bc, c is cut along its shorter diagonal
    const twVec3* x = mesh->vertices;
    const double first = tw_vec3_norm(tw_vec3_sub(x[a], x[bc])), second = tw_vec3_norm(tw_vec3_sub(x[ab], x[c]));
    out[0] = (twTriangle){{ab, b, bc}};
    out[1] = first <= second ? (twTriangle){{a, ab, bc}} : (twTriangle){{a, ab, c}};
    out[2] = first <= second ? (twTriangle){{a, bc, c}} : (twTriangle){{ab, bc, c}};
    return 3;
}

static twStatus split_once(twMesh** out, const twMesh* mesh, const twEdges* edges, const int* middle, int count,
                           twError* err)
{
    int faces = mesh->face_count;
    for (int e = 0; e < edges->count; e++) faces += middle[e] >= 0 ? tw_edges_faces(edges, e) : 0;
    twStatus status = tw_mesh_create(out, mesh->vertex_count + count, faces, err);
    if (status != TW_OK) return status;
    twMesh* to = *out;
    memcpy(to->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *to->vertices);
    for (int e = 0; e < edges->count; e++)
        if (middle[e] >= 0)
            to->vertices[middle[e]] =
                tw_vec3_scale(tw_vec3_add(mesh->vertices[edges->ends[e][0]], mesh->vertices[edges->ends[e][1]]), 0.5);
    to->face_count = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        int m[3];
        for (int i = 0; i < 3; i++) m[i] = middle[edges->of_face[f][i]];
        to->face_count += split_face(to, mesh->faces[f], m, to->faces + to->face_count);
    }
    return TW_OK;
}

// one pass over *mesh. @return whether there was anything to split
static twStatus split_pass(twMesh** mesh, double longest, bool* more, twError* err)
{
    twEdges* edges;
    twMesh* finer = NULL;
    twStatus status = tw_edges_create(&edges, *mesh, err);
    if (status != TW_OK) return status;
    int* middle = malloc(((size_t)edges->count + 1) * sizeof *middle);
    if (!middle) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d edges", edges->count);
    const int count = middle ? split_mark(*mesh, edges, longest, middle) : 0;
    *more = count > 0;
    if (*more) status = split_once(&finer, *mesh, edges, middle, count, err);
    if (finer)
    {
        tw_mesh_destroy(*mesh);
        *mesh = finer;
    }
    free(middle);
    tw_edges_destroy(edges);
    return status;
}

twStatus tw_mesh_split_edges(twMesh** out, const twMesh* mesh, double longest, twError* err)
{
    bool more = true;
    twStatus status = tw_mesh_copy(out, mesh, err);
    for (int pass = 0; pass < SPLIT_PASSES && more && status == TW_OK; pass++)
        status = split_pass(out, longest, &more, err);
    if (status == TW_OK) return TW_OK;
    tw_mesh_destroy(*out);
    *out = NULL;
    return status;
}
