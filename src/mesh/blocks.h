// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// Blocks: structured hexahedra, mapped and joined at their faces, cut into tetrahedra or skinned with triangles.
///
/// A block is the unit cube, cut into cells[0] x cells[1] x cells[2] cells and mapped to its place by a smooth,
/// right-handed map. Blocks that touch share whole faces with the same cells; their nodes are welded by position.
///
/// Each lattice corner has a type from 0 to 3: how many of its three indices, counted from the block's parity, are odd.
/// A cell has one corner of type 0, opposite to it one of type 3, and its six tets run from the one to the other along
/// three edges of the cell. The cut of a cell's face depends on the types of its corners alone, so blocks fit together if
/// the types agree where they meet, and the mesh has every symmetry the types have: two by two by two cells that begin
/// at even parity are the barycentric subdivision of a hexahedron and have all the symmetries of the cube.

/// Where the point (u, v, w) of the unit cube of block `part` lies.
typedef twVec3 (*twBlockMap)(int part, double u, double v, double w, const void* context);

enum
{
    TW_MAX_BLOCKS = 1024,
    TW_MAX_GRADES = 128,
    TW_MAX_BLOCK_NODES = 20000000,  // of the lattice: about 1 GB
    TW_MAX_STRETCHES = 41
};

/// A side in stretches, each with even cells of its own. None: even cells all along.
typedef struct twGrade
{
    int count;
    double width[TW_MAX_STRETCHES];  ///< of the side; together 1
    int cells[TW_MAX_STRETCHES];
} twGrade;

typedef struct twBlock
{
    int part;       ///< for the map
    int cells[3];   ///< along u, v, w
    int parity[3];  ///< of the index where the block begins
    int grade[3];   ///< 1 + which of the grades; 0: none
} twBlock;

typedef struct twBlocks
{
    const char* name;  ///< for messages
    twBlockMap map;
    const void* context;
    int count;
    twBlock block[TW_MAX_BLOCKS];
    int grade_count;
    twGrade grade[TW_MAX_GRADES];
} twBlocks;

/// Add a block. Cells are numbers above 0; of a parity only the lowest bit counts.
void tw_blocks_add(twBlocks* blocks, int part, const int cells[3], const int parity[3]);
/// Grade the cells of the block added last along an axis. Blocks that touch must agree on their shared face.
void tw_blocks_grade(twBlocks* blocks, int axis, twGrade grade);

/// The 10-node tets of all blocks. Mid-edge nodes lie where the map has them. @return TW_BAD_INPUT if there are too many
twStatus tw_blocks_tets(twTetMesh** out, const twBlocks* blocks, twError* err);
/// Triangles on the block faces that no other block shares, two per cell face, outward. Edges are one cell long.
twStatus tw_blocks_surface(twMesh** out, const twBlocks* blocks, twError* err);

/// How many cells of at most the given edge fill a length, at least as many as wanted.
int tw_cells(double length, double edge, int at_least);
int tw_even_cells(double length, double edge, int at_least);  ///< likewise, and even

// ---- a disc of fifteen blocks ----

/// Five kites around the centre of the unit disc, ten sectors around them: parts 0 to 14, with u and v in the disc and w
/// along it. Five-fold, so that vibrations with 1 to 4 nodal diameters come in pairs of equal frequency as in the disc:
/// a mesh of k mirrors, k odd, splits only the pairs whose number of diameters is a multiple of k.
typedef struct twDisc
{
    double core;  ///< radius of the pentagon the kites make, 0 to 0.6
    int inner;    ///< cells along a side of a kite
    int outer;    ///< cells along the radius in a sector
    twGrade rim;  ///< of those
} twDisc;

/// The layout for a disc, cap or shell of revolution: radius of its greatest circle, length of its meridian.
twDisc tw_disc(double radius, double meridian, double edge);
/// Add the blocks, with cells along w.
void tw_disc_add(const twDisc* disc, twBlocks* blocks, int cells, int parity);
/// Where a part's (u, v) lies in the unit disc; z is 0.
twVec3 tw_disc_point(const twDisc* disc, int part, double u, double v);
