// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

/// @file
/// Triangles between directions all round: the convex hull of points on a sphere (internal).

/// A triangle, its corners counter-clockwise seen from outside; across[k] is the triangle beyond the edge from corner k to the
/// next.
typedef struct Facet
{
    int corner[3], across[3];
} Facet;

/// Span a hull about unit directions that surround the origin, no two the same; facets has room for 2 count, work for 7
/// count. @return how many facets there are, 0 if that fails
int hull_span(Facet* facets, int* work, const twVec3* directions, int count);
/// The triangle that a direction (unit) passes, from a start on, and its weights of the corners: 0 to 1, in sum 1.
/// @return the triangle
int hull_find(const Facet* facets, int count, const twVec3* directions, twVec3 direction, int start, double weights[3]);
