// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// nodes of tet i as the system numbers them (negative: does not move); returns how many, 4 or 10
int fem_tet_nodes(const twFemDef* def, int tet, int* node);
// system->active, node, start, column, piece: which nodes move and which of them share an element
twStatus fem_graph(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err);
