// SPDX-License-Identifier: MIT
// cells_set_: from the modes in cut cells to a mode set. Modes are seen at the vertices of the surface as it is, with long edges
// split, also where pieces cross: their parts inside others move as the matter there. Where edges have more than two faces, the
// surface has no outside, and the tets that fill it give one.

#include "bake.h"
#include "twang/cells.h"

#define CELLS_SET_EDGE 0.5        // longest edge of the surface, over that of the coarsest cells
#define CELLS_SET_VERTICES 60000  // of the surface: finer ones are coarsened

// ---- the surface ----

static twStatus cells_set_surface(twMesh** out, const BakeSource* source, const twCells* cells, twError* err)
{
    twMesh *closed, *coarse = NULL;
    twStatus status = tw_mesh_close(&closed, source->surface, NULL, err);
    if (status != TW_OK) return status;
    if (closed->vertex_count > CELLS_SET_VERTICES)
    {
        status = tw_mesh_coarsen(&coarse, closed, CELLS_SET_VERTICES, NULL, err);
        tw_mesh_destroy(closed);
        closed = coarse;
    }
    if (status == TW_OK) status = tw_mesh_split_edges(out, closed, CELLS_SET_EDGE * tw_cells_edge(cells), err);
    tw_mesh_destroy(closed);
    return status;
}

// ---- the set ----

static twStatus cells_set_direct(twModeSet** out, const twBakeDef* def, const BakeSource* source, const twCells* cells,
                                 double error, twError* err)
{
    twMesh* surface;
    twStatus status = cells_set_surface(&surface, source, cells, err);
    if (status != TW_OK) return status;
    const BakeLevel level = {.surface = surface, .cells = cells};
    status = bake_set(out, def, &level, error, err);
    tw_mesh_destroy(surface);
    return status;
}

static twStatus cells_set_with_tets(twModeSet** out, const twBakeDef* def, BakeSource* source, const twCells* cells,
                                    double error, twError* err)
{
    twBakeDef linear = *def;
    linear.linear = !source->shape;  // tets of a shape are few
    twStatus status = source->filled ? TW_OK : bake_mesh(source, &linear, &source->filled, err);
    if (status != TW_OK) return status;
    const BakeLevel level = {.tets = source->filled, .cells = cells};  // the same for all rounds
    return bake_set(out, &linear, &level, error, err);
}

twStatus bake_cells_set(twModeSet** out, const twBakeDef* def, BakeSource* source, const twCells* cells, double error,
                        twError* err)
{
    *out = NULL;
    if (def->with_tets) return cells_set_with_tets(out, def, source, cells, error, err);
    if (source->mended.nonmanifold_edges == 0) return cells_set_direct(out, def, source, cells, error, err);
    if (cells_set_with_tets(out, def, source, cells, error, NULL) == TW_OK) return TW_OK;
    return cells_set_direct(out, def, source, cells, error, err);
}
