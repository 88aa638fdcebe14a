// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

/// @file
/// The line a rod follows (internal): points at equal distances along it.

typedef enum RodPathKind
{
    PATH_STRAIGHT,
    PATH_HELIX,
    PATH_SPIRAL,
    PATH_RING,
    PATH_POLYLINE,
    PATH_KNOT,
    PATH_ZIGZAG,
    PATH_ARCH,
} RodPathKind;

/// All but a polyline are drawn about the z axis (a straight one and a knot along x), then turned so that this becomes axis,
/// then moved.
typedef struct RodPath
{
    RodPathKind kind;
    double length;                ///< straight, knot [m]
    double radius, pitch, turns;  ///< helix, ring, arch [m]; a spiral begins at this radius; zigzag
    double inner, rise;           ///< spiral: the radius where it ends, and how far above the start [m]
    double spacing;               ///< knot: its strands are nowhere nearer to each other [m]
    double width, depth, bend;    ///< zigzag: from tip to tip, between the planes of its legs, radius of its bends [m]
    double phase;                 ///< zigzag: where it begins [turns]
    double stack[2];              ///< arch: turns that lie on each other at its start and end
    double span, drop;            ///< arch: how far away and below the end is [m]
    twVec3 axis, at;              ///< where the start of a straight one, the centre of the others is [m]
    int corner_count;
    const twVec3* corners;  ///< polyline (corner_count) [m]
    bool closed;            ///< ring, or a polyline that comes back
} RodPath;

/// Fill points (count). A polyline with as many corners as points keeps them.
void rod_path(const RodPath* path, twVec3* points, int count);
/// Where the axis points that the line winds about, at its points (count); that of an arch turns.
void rod_path_axes(const RodPath* path, twVec3* axes, int count);
/// What cannot be about such a line, in words; NULL: nothing.
const char* rod_path_fault(const RodPath* path);

// ---- of the lines in files of their own, before they are turned and moved ----

/// From one point to the next at a fixed distance, along a line given by places in a close row.
typedef struct RodWalk
{
    double step;   ///< [m]
    twVec3 point;  ///< the last one found
    twVec3 last;   ///< where on the line the walk is
} RodWalk;
/// Go on toward a place. @return true if the next point comes before it; else the walk is there
bool rod_walk(RodWalk* walk, twVec3 place);

const char* rod_knot_fault(const RodPath* path);
void rod_knot(const RodPath* path, twVec3* points, int count);
void rod_zigzag(const RodPath* path, twVec3* points, int count);
const char* rod_zigzag_fault(const RodPath* path);
void rod_arch(const RodPath* path, twVec3* points, twVec3* axes, int count);  ///< either may be NULL
const char* rod_arch_fault(const RodPath* path);
