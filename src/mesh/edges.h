// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// The edges of a surface and the faces on each.

typedef struct twEdges
{
    int count;
    int (*ends)[2];     ///< (count) vertices, the smaller first
    int* start;         ///< (count + 1) where an edge's uses begin
    int* uses;          ///< (3 faces) 3 f + i for the side from corner i to i + 1 of face f, edge by edge
    int (*of_face)[3];  ///< (faces) edge of each side
} twEdges;

/// mesh must have valid faces without repeated vertices.
twStatus tw_edges_create(twEdges** out, const twMesh* mesh, twError* err);
void tw_edges_destroy(twEdges* edges);
/// how many faces have the edge
static inline int tw_edges_faces(const twEdges* edges, int edge) { return edges->start[edge + 1] - edges->start[edge]; }
/// whether face f runs along its side i from the smaller vertex to the larger
static inline bool tw_edges_forward(const twMesh* mesh, int use)
{
    const int* v = mesh->faces[use / 3].v;
    return v[use % 3] < v[(use % 3 + 1) % 3];
}

/// Sets of numbers 0 to count - 1 that are joined: parent[i] = i at first.
static inline int tw_union_root(int* parent, int i)
{
    // halve the path on the way
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}
/// The smaller root wins, so that results do not depend on the order of joining.
static inline void tw_union_join(int* parent, int a, int b)
{
    a = tw_union_root(parent, a);
    b = tw_union_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}
