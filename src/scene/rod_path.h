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
} RodPathKind;

/// All but a polyline are drawn about the z axis (a straight one along x), then turned so that this becomes axis, then moved.
typedef struct RodPath
{
    RodPathKind kind;
    double length;                ///< straight [m]
    double radius, pitch, turns;  ///< helix, ring [m]; a spiral begins at this radius
    double inner, rise;           ///< spiral: the radius where it ends, and how far above the start [m]
    twVec3 axis, at;              ///< where the start of a straight one, the centre of the others is [m]
    int corner_count;
    const twVec3* corners;  ///< polyline (corner_count) [m]
    bool closed;            ///< ring, or a polyline that comes back
} RodPath;

/// Fill points (count). A polyline with as many corners as points keeps them.
void rod_path(const RodPath* path, twVec3* points, int count);
