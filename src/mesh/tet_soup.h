// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/table.h"
#include "twang/mesh.h"

/// @file
/// What the readers of tetrahedra gather: nodes under the numbers the file gives them, tets that refer to those numbers.

typedef struct twTetSoup
{
    const char* path;
    twTable index_of;  ///< by number
    twVec3* nodes;
    int64_t* numbers;  ///< (nodes) as in the file
    int* corners;      ///< (tets x per_tet) indices of nodes
    int64_t* regions;  ///< (tets) as in the file
    int node_count, node_capacity;
    int tet_count, tet_capacity;
    int per_tet;         ///< 4 or 10; 0: no tet yet
    twTetRegion* named;  ///< regions with names, in the file's order
    int named_count;
    bool guess_mids;  ///< the order of the mid nodes is to be found out from where they are
} twTetSoup;

twStatus tw_tet_soup_node(twTetSoup* soup, int64_t number, twVec3 place, twError* err);
/// numbers (count 4 or 10, the mid nodes in our order) must be those of nodes there already; tet is its number.
twStatus tw_tet_soup_tet(twTetSoup* soup, const int64_t* numbers, int count, int64_t region, int64_t tet, twError* err);
/// Make a mesh: drop nodes of no tet, corners first, tets positive, regions from 0 in the order of the file's numbers.
twStatus tw_tet_soup_finish(twTetMesh** out, twTetSoup* soup, double scale, twError* err);
void tw_tet_soup_clear(twTetSoup* soup);

// ---- readers ----

twStatus tw_read_gmsh(twTetMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
/// path is that of the .node or the .ele file
twStatus tw_read_tetgen(twTetMesh** out, const char* path, double scale, twError* err);
