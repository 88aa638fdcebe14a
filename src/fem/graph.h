// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// nodes of tet i as the system numbers them (negative: does not move); returns how many, 4 or 10
int fem_tet_nodes(const twFemDef* def, int tet, int* node);
// system->active, node, start, column, piece: which nodes move and which of them share an element
twStatus fem_graph(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err);

// the nodes of each element; below 0: one that does not move
typedef struct FemLists
{
    int count;
    const int64_t* start;  // (count + 1)
    const int* node;
} FemLists;
// rows and pieces of a system of system->nodes nodes, of which those that share an element are neighbours
twStatus fem_graph_of(FemSystem* system, const FemLists* lists, FemMemory* memory, twError* err);
