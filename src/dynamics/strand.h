// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/shape.h"
#include "twang/rod.h"

/// @file
/// Rods as collision detection sees them (internal).
///
/// An edge of a rod is a box of the size of its section with round corners: all that is nearer than radius to a core, a box
/// with half sizes core[0], core[1] across and the edge along. Fibres are the long edges of the core: one of a round rod (the
/// core is the centre line), two of a flat one, four else.

#define STRAND_FIBRES 4

/// Constant: what a rod is.
typedef struct StrandShape
{
    int point_count, edge_count;
    bool closed;
    double* radius;   ///< (edges) of the rounding [m]
    double* core[2];  ///< (edges) half sizes of the core along its axes 1, 2 [m]
    double* angle;    ///< (edges) of axis 1 from d1 of the frame [rad]
    double* arc;      ///< (edges + 1) length up to each node, at the start [m]
    int fibre_count;  ///< 1, 2 (along axis 1), 4
    double thinnest;  ///< least thickness [m]
    double longest;   ///< edge, at the start [m]
} StrandShape;

/// From a rod's def. @return NULL without memory
StrandShape* strand_shape_create(const twRodDef* def);
void strand_shape_destroy(StrandShape* shape);  ///< NULL is fine

/// Where a rod is at a time.
typedef struct StrandPlace
{
    const StrandShape* shape;
    int rod;                             ///< number in the world
    bool ghost, no_self;                 ///< touches nothing; not itself
    const double *x[3], *v[3];           ///< places and velocities (points)
    const double *d1[3], *d2[3], *t[3];  ///< frames (edges)
    const double* spin;                  ///< (edges)
} StrandPlace;

/// Where a rod touches another, itself, or a body, or is about to.
typedef struct StrandTouch
{
    /// The same as long as this contact lasts on the same features; no two of a step are equal. See strand_id().
    uint64_t id;
    int rod[2];         ///< rod[1] is -1 if the other is a body
    int edge[2];        ///< of each rod
    double share[2];    ///< where along the edge, 0 to 1
    twVec3 arm[2];      ///< from that point of the centre line to where forces act, in the world [m]
    int body;           ///< if the other is a body; else -1
    int corner[3];      ///< and there: vertices of its surface; -1: none, a ball
    double weight[3];   ///< and their shares
    twVec3 point;       ///< where forces act [m]
    twVec3 normal;      ///< from the other (1) to rod[0], unit
    twVec3 tangent[2];  ///< with the normal a right-handed triple; the first as nearly along edge[0] as can be
    double gap;         ///< [m], below 0: overlap
} StrandTouch;

/// Set tangents from the normal and the direction of edge[0].
void strand_tangents(StrandTouch* touch, twVec3 along);
