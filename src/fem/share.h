// SPDX-License-Identifier: MIT
#pragma once
#include "fem/wish.h"

// The elements that one rank assembles, as a mesh of their own. Nodes that move have a row, numbered over the whole
// body in the order of elimination. Of the vectors rank r owns the rows from fem_share_begin(nodes, r, ranks) on.
typedef struct FemShare
{
    twFemDef def;     // what is wanted; its mesh, materials and fixed nodes are those below
    twTetMesh tets;   // may be empty
    int* row;         // (nodes of the share) -1: does not move
    int* name;        // (tets of the share) number in the whole mesh
    int nodes;        // that move, in the whole body
    int rigid_count;  // rigid motions of the whole body
    double length;    // of the whole body [m]
    FemWish wish;
    size_t bytes;  // of the block that holds all arrays
    void* block;
} FemShare;

int fem_share_begin(int nodes, int rank, int ranks);
// On rank 0: cut the mesh along the order of its nodes, send every other rank its share and keep the first. All ranks
// must then agree whether that went well.
twStatus fem_share_send(FemShare* share, const twFemDef* def, const FemSystem* system, const int* position,
                        int rigid_count, FemMemory* memory, twError* err);
// On the others. *memory is made here, from the limit that comes along.
twStatus fem_share_receive(FemShare* share, FemMemory* memory, twError* err);
void fem_share_free(FemShare* share, FemMemory* memory);
