// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// What the files about tetrahedra share.

/// Corners of the face opposite to corner i, counterclockwise seen from outside a positive tet.
extern const int tw_tet_faces[4][3];
/// Corners of the edges, in the order of mid_nodes.
extern const int tw_tet_edges[6][2];

/// Six times the volume: det(b - a, c - a, d - a).
static inline double tw_tet_det(const twVec3* nodes, const twTet* tet)
{
    twVec3 a = nodes[tet->n[0]];
    twVec3 b = tw_vec3_sub(nodes[tet->n[1]], a), c = tw_vec3_sub(nodes[tet->n[2]], a);
    return tw_vec3_dot(tw_vec3_cross(b, c), tw_vec3_sub(nodes[tet->n[3]], a));
}

/// Mark the faces that only one tet has: bit i of mask[t] for the face opposite to corner i of tet t. mask (tets).
twStatus tw_tets_boundary(unsigned char* mask, const twTetMesh* tets, twError* err);

/// Smallest determinant of the Jacobian of a quadratic tet at its ten nodes, over that of the straight one: 1 if
/// straight, not positive if folded.
double tw_tet_least_jacobian(const twTetMesh* tets, int tet);
