// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// Weld: a growing list of points in which points closer than a tolerance are one.

typedef struct twWeld
{
    int count, capacity;
    twVec3* points;      ///< (capacity), the first count in use
    twVec3 origin;       ///< corner of the grid
    double cell;         ///< side of a grid cell [m]
    double tolerance;    ///< [m]
    uint32_t slot_mask;  ///< slots - 1
    int* slots;          ///< open addressing: point index + 1, or 0
} twWeld;

/// Room for capacity points, of which hashed ones at most are welded. The rest is added by tw_weld_append().
/// size is the extent of what is welded; points closer than 1e-10 of it are one. @return false without memory
bool tw_weld_create(twWeld* weld, size_t capacity, size_t hashed, twVec3 origin, double size);
void tw_weld_destroy(twWeld* weld);
int tw_weld_add(twWeld* weld, twVec3 point);     ///< index of the point there, an old one if there is one
int tw_weld_append(twWeld* weld, twVec3 point);  ///< index of a new point that no other will be welded to
