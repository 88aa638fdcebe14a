// SPDX-License-Identifier: MIT
#pragma once
#include "fem/cell_tree.h"
#include "fem/trunk.h"
#include "twang/cells.h"

// A body for integration: triangles and parts in units of level-0 cells.
typedef struct DexelBody
{
    int face_count;
    twVec3 (*corners)[3];  // (faces) in the grid
    int (*beside)[3];      // (faces) the next face around each side, itself if there is none
    twMat3 turn;           // from the grid's axes to the body's
    twVec3 origin;         // of the grid, in the body's coordinates [m]
    double cell;           // edge of a level-0 cell [m]
    int part_count;
    const twCellsPart* parts;                        // later ones win; in the body's coordinates
    bool* met;                                       // (parts) rays have met it in the body
    twWinding* winding;                              // of the triangles in the grid, made when a ray needs it
    int64_t rays, open_rays;                         // in all; of them those that enter more often than they leave
    twStatus (*watch)(void* context, twError* err);  // asked every now and then whether to continue; NULL: not
    void* context;
} DexelBody;

// Integrate the cells from first on: their kinds, fractions, weights and fragments. @return what watch said, unless that is TW_OK
twStatus dexel_integrate(CellTree* tree, int first, const Trunk* trunk, DexelBody* body, twError* err);
// The fragment of a cell's cube that holds a point of its matter or is nearest to it; point: in level-0 cells
int dexel_fragment_at(const CellTree* tree, const DexelBody* body, int cell, twVec3 point);
double dexel_part_distance(const twCellsPart* part, twVec3 point);  // 0 inside [m]
