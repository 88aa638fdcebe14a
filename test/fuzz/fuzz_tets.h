// SPDX-License-Identifier: MIT
#pragma once
#include "fuzz.h"
#include "mesh/tet_soup.h"

/// @file
/// Tetrahedra from any bytes.

/// @return whether they are some
static inline bool tets_check(twStatus status, twTetMesh* tets, const twError* err)
{
    fuzz_says(status, err);
    FUZZ_ENSURE((status == TW_OK) == (tets != NULL));
    if (!tets) return false;
    for (int t = 0; t < tets->tet_count; t++)
    {
        for (int k = 0; k < 4; k++) FUZZ_ENSURE(tets->tets[t].n[k] >= 0 && tets->tets[t].n[k] < tets->node_count);
        for (int k = 0; k < 6 && tets->mid_nodes; k++)
            FUZZ_ENSURE(tets->mid_nodes[t][k] >= 0 && tets->mid_nodes[t][k] < tets->node_count);
    }
    tw_tets_quality(tets);
    twMesh* surface;
    int* node_of;
    if (tw_tets_surface(&surface, &node_of, tets, NULL) == TW_OK) free(node_of);
    tw_mesh_destroy(surface);
    if (!tets->mid_nodes) tw_tets_make_quadratic(tets, NULL, NULL, NULL);
    tw_tets_destroy(tets);
    return true;
}
