// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/field.h"

/// @file
/// The curved surface that a mesh stands for (internal): what balls roll on.
///
/// Edges that turn by little are taken for smooth. With the corners x_i of a face, the mean normals n_i of the faces around
/// each of them (those joined by smooth edges) and weights b_i, a point of the curved surface and its normal are along
///     N(b) = sum of b_i n_i,   at the height  sum over i < j of b_i b_j (n_i - n_j) . (x_i - x_j) / (1 + |N|)  above the face
/// along N: e^2/8R in the middle of an edge e of a round body. A point belongs to the b whose N goes through it. Heights,
/// normals and b are continuous across smooth edges. Planes and spheres come out exact, other surfaces to the order of e^3.

typedef struct Rounding
{
    int face_count;
    twVec3 (*normal)[3];  ///< (faces) at their corners, unit
    int (*beside)[3];     ///< (faces) the face across the side from corner i to i + 1; -1: that is sharp
    bool* flat;           ///< (faces) all normals are the face's
    double* rise;         ///< (faces) the curved surface is no higher above a face, and the faces around it [m]
    double bulge;         ///< the greatest of these
} Rounding;

/// Edges that turn by more than sharp_deg stay as they are. field: of the mesh.
twStatus tw_rounding_create(Rounding** out, const twField* field, const twMesh* mesh, double sharp_deg, twError* err);
void tw_rounding_destroy(Rounding* rounding);  ///< NULL is fine
/// The point of the curved surface below a point outside, starting from a face it is near to; weights and point are those
/// on the mesh. field: of the same mesh. Real-time safe. @return false if a sharp edge comes first, or there is none
bool tw_rounding_foot(const Rounding* rounding, const twField* field, int face, twVec3 point, twFieldFoot* foot);
