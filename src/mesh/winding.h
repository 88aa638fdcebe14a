// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/tree.h"

/// @file
/// What winding numbers and nearest points share: the tree and the triangles in its order.
///
/// Coordinates are multiplied by a power of two that brings the mesh to a size between 1 and 2: exact, and no product of
/// lengths over- or underflows, whether the mesh measures 1e-9 m or 1e+9 m.

/// The far field of a subtree about its centre: moments of the area vectors, symmetric and without trace.
typedef struct twFarField
{
    twVec3 centre;
    double radius2;    ///< square of the distance to its farthest corner
    twVec3 dipole;     ///< sum of area vectors N
    double second[6];  ///< xx yy zz xy xz yz of  N (c - p)
    double third[10];  ///< xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz of  N (x - p)(x - p), area mean
} twFarField;

struct twWinding
{
    double scale;  ///< power of two
    twTree* tree;
    twVec3* corners;  ///< (3 faces), in the tree's order, scaled
    twFarField* far;  ///< (nodes)
};
