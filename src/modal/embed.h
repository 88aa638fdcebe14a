// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Points in the tets of a mode set (internal): what the nodes do, a point does by its weights.

typedef struct Embedding
{
    int count, nodes;  ///< points; nodes each, 4 or 10
    int* node;         ///< (count x nodes) of the set
    double* weight;    ///< (count x nodes) sum 1
    double outside;    ///< largest distance of a point from the tets [m]; 0: all are inside
} Embedding;

/// A point outside goes on straight from the nearest point of the nearest tet. @return TW_BAD_INPUT if the set has no tets or a
/// point is not finite, TW_NO_MEMORY
twStatus embedding_create(Embedding** out, const twModeSet* set, const twVec3* at, int count, twError* err);
void embedding_destroy(Embedding* embedding);  ///< NULL is fine

twVec3 mode_set_node(const twModeSet* set, int node);  ///< where a node is at rest [m]
double mode_set_size(const twModeSet* set);            ///< diagonal of the box of its surface [m]
/// A surface that can be embedded: finite, not empty, and its faces have their vertices.
twStatus embed_check(const twMesh* mesh, twError* err);
