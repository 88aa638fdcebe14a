// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/shape.h"

/// @file
/// A place where two bodies touch, or are about to (internal): a point of body a at the surface of body b, or two sharp
/// edges that cross. A ball is always a, unless both are; it has no vertices, only the point.

enum
{
    TW_TOUCH_BODIES = 1 << 20,  ///< bodies of a world
};

typedef struct Touch
{
    /// The same as long as this contact lasts, slides and rolls; no two of a step are equal. From the numbers of both
    /// bodies and of the point or edge of a.
    uint64_t id;
    int body[2];        ///< a, that has the point, and b, that has the surface: BodyPlace.body
    bool edge;          ///< two edges, rather than a point and a face
    int vertex[2];      ///< the point of a: its vertices; -1: none, a ball
    double share[2];    ///< and their shares; a point has one
    int face;           ///< the nearest face of b; -1 for edges and balls
    int corner[3];      ///< the point of b: its vertices; -1: none, a ball
    double weight[3];   ///< and their shares
    twVec3 point;       ///< where forces act, on both: half way between the points of a and b, in the world [m]
    twVec3 normal;      ///< from b to a, unit
    twVec3 tangent[2];  ///< with the normal a right-handed triple; turn no more than bodies and surface do
    double gap;         ///< [m], below 0: overlap
    bool fresh;         ///< there was none of this id in the last step
    int which;          ///< 0 if a is the first body of the pair, 1 if it is the second
    int item;           ///< where it comes from (used by pairs)
} Touch;

/// Number of velocities of a body: 3 linear, 3 angular (about the centre of mass, world axes), then its active modes; if it
/// is held only the modes.
static inline int tw_touch_size(const BodyPlace* place, bool held) { return (held ? 0 : 6) + place->mode_count; }

/// One row (size) of a body: velocity along d of what is at centre + arm, the modes' part as that of some vertices with shares; times
/// sign.
void tw_touch_row(double* row, const BodyPlace* place, bool held, twVec3 arm, twVec3 d, const int* vertex,
                  const double* share, int count, double sign);
/// Jacobian rows of one side (0: a, 1: b), (3 x size), row-major: multiplied by the body's velocities they give its part of
/// the velocity of a against b along the normal and both tangents. With impulses p along these, rows^T p is what the body
/// gets. The sum of both sides conserves momentum exactly, as both act at the same point.
void tw_touch_rows(double* rows, const Touch* touch, int side, const BodyPlace* place, bool held);
/// The same product for velocities of the places themselves: velocity of a against b along normal and tangents.
void tw_touch_velocity(double out[3], const Touch* touch, const BodyPlace* a, const BodyPlace* b);
