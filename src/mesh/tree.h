// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// A tree of boxes over triangles: the frame for winding numbers, nearest points and self-intersections.
///
/// Nodes lie depth first: the left child follows its parent. Every split is at the median of the centroids, so the depth
/// is at most 2 + log2(faces) whatever the triangles are.

enum
{
    TW_TREE_DEPTH = 64  ///< no path from the root is longer
};

typedef struct twTreeNode
{
    twVec3 low, high;  ///< box
    int first, count;  ///< its triangles are order[first] to order[first + count - 1]
    int right;         ///< index of the right child; 0 for a leaf
} twTreeNode;

typedef struct twTree
{
    int node_count, face_count;
    twTreeNode* nodes;  ///< (node_count)
    int* order;         ///< (face_count) indices of triangles, leaf by leaf
} twTree;

/// corners (3 per face) must be finite and must not overflow when added. No faces make no nodes.
twStatus tw_tree_create(twTree** out, const twVec3* corners, int face_count, int leaf_faces, twError* err);
void tw_tree_destroy(twTree* tree);
