// SPDX-License-Identifier: MIT
// cells_set_: from the modes in cut cells to a mode set. Modes are seen at the vertices of the surface as it is, with long
// edges split; where the surface is no boundary of a solid (faces cross, edges of three faces), at those of the tets that
// fill it.

#include "bake.h"
#include "twang/cells.h"

#define CELLS_SET_EDGE 0.5        // longest edge of the surface, over that of the coarsest cells
#define CELLS_SET_VERTICES 60000  // of the surface: finer ones are coarsened

// ---- the surface ----

static bool cells_set_is_clean(const BakeSource* source)
{
    const twMeshReport* m = &source->mended;
    return m->nonmanifold_edges == 0 && m->self_intersections == 0 && m->components - m->cavities <= 1;
}

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
    if (cells_set_is_clean(source)) return cells_set_direct(out, def, source, cells, error, err);
    if (cells_set_with_tets(out, def, source, cells, error, NULL) == TW_OK) return TW_OK;
    return cells_set_direct(out, def, source, cells, error, err);
}
