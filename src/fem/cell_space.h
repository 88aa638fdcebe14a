// SPDX-License-Identifier: MIT
#pragma once
#include "fem/cell_tree.h"
#include "fem/memory.h"
#include "fem/trunk.h"

// The functions of a tree of cells. An entity (corner, edge, face, inside) of level l has functions if every cell of level
// l around it that matter joins exists or is void, and at least one of them is a leaf; cells around it that matter does not
// join have their own. A leaf uses the functions of its own level and of all its ancestors. Refining a cell replaces functions by finer ones that hold them, so spaces are nested.

// A function of a corner: where it is, for motions that are linear.
typedef struct CellCorner
{
    int function;
    int cell, level;  // a cell that has the corner
    int corner[3];    // which: 0 or 2 per axis
} CellCorner;

// A function of a leaf: which of the trunk's, and of the ancestor of which level.
typedef struct CellUse
{
    uint8_t kind, level;
} CellUse;

typedef struct CellSpace
{
    const CellTree* tree;
    const Trunk* trunk;
    int functions;
    int leaf_count;
    int* leaf;       // (leaves) cell
    int* leaf_of;    // (cells of the tree) -1: none
    int64_t* start;  // (leaves + 1)
    int* function;   // those of each leaf
    CellUse* use;    // which of the trunk's functions each of them is
    int corner_count, corner_room;
    CellCorner* corners;  // levels ascending within each leaf, not over all
    int64_t room;
    twTable entities;  // (cell, entity of it) to the first function, or -1
    twTable touching;  // fragments whose matter is joined
    int* joined;       // scratch: cells around an entity that matter joins
    int joined_room;
} CellSpace;

twStatus cell_space_create(CellSpace** out, const CellTree* tree, const Trunk* trunk, twError* err);
void cell_space_destroy(CellSpace* space);  // NULL is fine

enum
{
    CELL_ROWS_MAX = TRUNK_MAX * (CELL_LEVELS_MAX + 1)
};
// The functions of a leaf in the leaf's own basis: rows (functions of the leaf x trunk functions), row-major.
// @return whether they are the leaf's own functions as they are
bool cell_space_rows(const CellSpace* space, int leaf, double* rows);
// Coefficients in a leaf's own basis of vectors (3 functions x count): out (trunk functions x 3 count), the three axes of a
// vector one after the other. scratch: (functions of the leaf x 3 count)
void cell_space_gather(const CellSpace* space, int leaf, const double* rows, const double* vectors, int count,
                       double* scratch, double* out);
int cell_space_most(const CellSpace* space);  // functions of a leaf, at most
// Coefficients of the function that is value(context, place) at all places, which must be linear: (functions), 0 but for
// corners. place: in units of level-0 cells.
twStatus cell_space_linear(const CellSpace* space, double (*value)(const void* context, const double place[3]),
                           const void* context, double* out, twError* err);
