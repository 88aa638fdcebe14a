// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/table.h"
#include "twang/math.h"

// An octree over a grid of cubes. Cells of level l have the edge 2^-l; cell (i, j, k) begins at (i, j, k) 2^-l.
//
// The matter in a cube may fall into parts that do not touch each other in it, such as both sides of a slit. Each is a
// fragment: a cell of its own at the same place, with its own integrals and functions (virtual nodes: Molino, Bao and
// Fedkiw, ACM Trans. Graph. 23, 2004). Fragments are linked to the one of the parent that holds them, and joined to those of
// neighbours that their matter touches.

enum
{
    CELL_LEVELS_MAX = 12,
    CELL_NONE = -1,   // no cell: outside the grid, or no matter
    CELL_COARSE = -2  // no cell of this level, but matter in a coarser one
};

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

// a face of the surface in a cube, and the fragment that it bounds
typedef struct CellFace
{
    int face, fragment;
} CellFace;

// The surface in a cube. Faces of the cube: -x, +x, -y ...
typedef struct CellSurface
{
    int cover[6];  // the fragment that fills the whole face of the cube, CELL_NONE: none does
    int count;
    CellFace faces[];  // ascending
} CellSurface;

typedef struct Cell
{
    int at[3], level;
    CellKind kind;
    bool refined;          // its cube has children of the next level
    unsigned char reach;   // bit f: its matter reaches face f of the cube
    int first, next;       // fragments of the same cube; CELL_NONE: no more
    int parent;            // the fragment of the level above that holds it; CELL_NONE at level 0
    int merged;            // the fragment of the same cube that finer rays have found it to be one with, or CELL_NONE
    bool revived;          // no ray met it, but finer ones did: has matter as long as it is refined
    double fraction;       // of the cube that it fills
    CellSurface* surface;  // of the cube, in its first fragment; NULL: no faces
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
// an unknown cell, the only fragment; CELL_NONE without memory
int cell_tree_add(CellTree* tree, int level, const int at[3]);
int cell_tree_split(CellTree* tree, int cell);       // one more fragment of the same cube; CELL_NONE without memory
void cell_tree_truncate(CellTree* tree, int count);  // forget the cells from there on
bool cell_tree_refine(CellTree* tree, int cell);     // adds the eight children of its cube, unknown, unless it has them
int cell_tree_at(const CellTree* tree, int level,
                 const int at[3]);  // the first fragment of a cube of any kind, or CELL_NONE
// the first fragment with matter of a cube, CELL_NONE or CELL_COARSE
int cell_tree_find(const CellTree* tree, int level, const int at[3]);
int cell_tree_next(const CellTree* tree, int cell);  // the next fragment with matter of its cube, or CELL_NONE
bool cell_tree_is_split(const CellTree* tree, int cell);
// Pairs of fragments (lower, higher, 0) on both sides of a face of split cubes that a face of the surface bounds. false
// without memory
bool cell_tree_find_touching(const CellTree* tree, twTable* touching);
// whether the matter of a cell touches that of another across its face
bool cell_tree_joined(const CellTree* tree, const twTable* touching, int a, int b, int face);
int cell_tree_fragment(const CellTree* tree, int cell,
                       int face);                      // of its cube that a face of the surface bounds, or CELL_NONE
void cell_tree_revive(CellTree* tree, int cell);       // finer rays have met matter in it, and in those above it
int cell_tree_parent(const CellTree* tree, int cell);  // CELL_NONE at level 0
void cell_tree_merge(CellTree* tree, int a, int b);  // fragments of one cube that prove to be one, and those above them
// the cube with matter and without children that holds a point in units of level-0 cells, or the nearest one to it, by its
// first fragment; point is moved into that cube
int cell_tree_leaf(const CellTree* tree, double point[3]);
// weights of a material in a cell, zero at first. NULL without memory
double* cell_tree_weights(Cell* cell, int material, int total);
const double* cell_weights_of(const Cell* cell, int material);  // NULL: none

static inline double cell_edge(int level) { return 1.0 / (1 << level); }
static inline bool cell_is_leaf(const Cell* cell) { return cell->kind >= CELL_CUT && !cell->refined; }
