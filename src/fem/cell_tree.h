// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/table.h"
#include "twang/math.h"

// An octree over a grid of cubes. Cells of level l have the edge 2^-l; cell (i, j, k) begins at (i, j, k) 2^-l.

enum
{
    CELL_LEVELS_MAX = 12,
    CELL_NONE = -1,   // no cell: outside the grid, or no matter
    CELL_COARSE = -2  // no cell of this level, but matter in a coarser one
};

#define CELL_TOUCH 0.02  // of a cell: matter that is nearer to a face reaches it

typedef enum CellKind
{
    CELL_UNKNOWN,
    CELL_EMPTY,  // no matter
    CELL_CUT,    // partly full, or of several materials: integrated by its weights
    CELL_FULL    // of the first material
} CellKind;

// Weights at the Gauss points of a cell: sums of weights times values are integrals over one material in the cell, or over
// the surface of held parts.
typedef struct CellWeights
{
    struct CellWeights* next;
    int material;  // CELL_HELD: the surface of held parts
    double w[];
} CellWeights;

enum
{
    CELL_HELD = -1
};

typedef struct Cell
{
    int at[3], level;
    CellKind kind;
    bool refined;     // has children of the next level
    double fraction;  // of the cell that is full
    double gap;       // width of a gap between parts of the matter in it, in level-0 cells; 0: none
    float near[6];    // distance of the matter from the faces of the cell -x, +x, -y ..., in cells
    CellWeights* weights;
} Cell;

typedef struct CellTree
{
    int size[3];  // cells of level 0
    Cell* cells;
    int count, room;
    int levels;
    twTable table;  // (i, j, k and level) to cell
} CellTree;

void cell_tree_free(CellTree* tree);
// an unknown cell; CELL_NONE without memory
int cell_tree_add(CellTree* tree, int level, const int at[3]);
bool cell_tree_refine(CellTree* tree, int cell);                     // adds its eight children, unknown
int cell_tree_at(const CellTree* tree, int level, const int at[3]);  // index of a cell of any kind, or CELL_NONE
// index of a cell with matter, CELL_NONE or CELL_COARSE
int cell_tree_find(const CellTree* tree, int level, const int at[3]);
// the leaf that holds a point in units of level-0 cells, or the nearest one to it; point is moved into that leaf
int cell_tree_leaf(const CellTree* tree, double point[3]);
// weights of a material in a cell, zero at first. NULL without memory
double* cell_tree_weights(Cell* cell, int material, int total);
const double* cell_weights_of(const Cell* cell, int material);  // NULL: none

static inline double cell_edge(int level) { return 1.0 / (1 << level); }
static inline bool cell_is_leaf(const Cell* cell) { return cell->kind >= CELL_CUT && !cell->refined; }
