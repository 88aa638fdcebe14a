// SPDX-License-Identifier: MIT
// cells_set_: from the modes in cut cells to a mode set. Modes are seen at the vertices of the surface as it is, with long
// edges split; where the surface is no boundary of a solid (faces cross, edges of three faces), at those of the tets that
// fill it.

#include "bake.h"
#include "twang/cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct CellsDraft
{
    twMesh* surface;
    float* shape;
    double *kinetic, *elastic, *volume;
    twModeMaterial* materials;
    int material_count;
    twMassProperties mass;
} CellsDraft;

static void cells_set_free(CellsDraft* d)
{
    tw_mesh_destroy(d->surface);
    void* const blocks[] = {d->shape, d->kinetic, d->elastic, d->volume, d->materials};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

// materials that the body has, and their shares of the energy
static twStatus cells_set_materials(CellsDraft* d, const twBakeDef* def, const twCells* cells, twError* err)
{
    const size_t count = (size_t)def->region_count + 1, modes = (size_t)tw_cells_round(cells)->count;
    twMaterial* all = bake_materials(def);
    d->volume = calloc(count, sizeof *d->volume);
    d->materials = calloc(count, sizeof *d->materials);
    d->kinetic = malloc((count * modes + 1) * sizeof *d->kinetic);
    d->elastic = malloc((count * modes + 1) * sizeof *d->elastic);
    twStatus status = TW_OK;
    if (!all || !d->volume || !d->materials || !d->kinetic || !d->elastic)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d materials", (int)count);
    if (status == TW_OK && count > 1) status = tw_cells_energy(cells, d->kinetic, d->elastic, err);
    if (status == TW_OK)
    {
        d->mass = tw_cells_mass(cells, d->volume);
        const double wall = bake_wall(d->surface, d->mass.volume);
        for (size_t i = 0; i < count; i++)
            if (d->volume[i] > 0) d->materials[d->material_count++] = bake_material_of(&all[i], d->volume[i], wall);
        bake_pack_shares(d->kinetic, d->volume, (int)modes, (int)count);
        bake_pack_shares(d->elastic, d->volume, (int)modes, (int)count);
    }
    free(all);
    return status;
}

static twStatus cells_set_shapes(CellsDraft* d, const twCells* cells, twError* err)
{
    const size_t modes = (size_t)tw_cells_round(cells)->count, vertices = (size_t)d->surface->vertex_count;
    d->shape = malloc((3 * modes * vertices + 1) * sizeof *d->shape);
    if (!d->shape) return tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", (int)modes);
    return tw_cells_shapes(cells, d->surface->vertices, d->surface->vertex_count, d->shape, err);
}

static twStatus cells_set_direct(twModeSet** out, const twBakeDef* def, const BakeSource* source, const twCells* cells,
                                 double error, twError* err)
{
    CellsDraft d = {0};
    const twCellsRound* round = tw_cells_round(cells);
    twStatus status = cells_set_surface(&d.surface, source, cells, err);
    if (status == TW_OK) status = cells_set_materials(&d, def, cells, err);
    if (status == TW_OK) status = cells_set_shapes(&d, cells, err);
    if (status == TW_OK)
    {
        const twModeSet set = {.mode_count = round->count,
                               .vertex_count = d.surface->vertex_count,
                               .face_count = d.surface->face_count,
                               .rigid_modes = round->rigid_modes,
                               .freq_hz = round->freq_hz,
                               .shape = d.shape,
                               .vertices = d.surface->vertices,
                               .faces = d.surface->faces,
                               .mass = d.mass,
                               .damping = tw_damping_materials(),
                               .error_estimate = error,
                               .material_count = d.material_count,
                               .materials = d.materials,
                               .kinetic = d.material_count > 1 ? d.kinetic : NULL,
                               .elastic = d.material_count > 1 ? d.elastic : NULL};
        status = tw_mode_set_create(out, &set, err);
    }
    cells_set_free(&d);
    return status;
}

// ---- with tets ----

// the modes at the nodes of tets, as an analysis of the tets would give them
static twStatus cells_set_modes(twFemModes* out, double** block, const twCells* cells, const twTetMesh* tets,
                                twError* err)
{
    const twCellsRound* round = tw_cells_round(cells);
    const size_t values = 3 * (size_t)round->count * (size_t)tets->node_count;
    float* shape = malloc((values + 1) * sizeof *shape);
    double* wide = *block = malloc((values + 1) * sizeof *wide);
    twStatus status = shape && wide ? tw_cells_shapes(cells, tets->nodes, tets->node_count, shape, err)
                                    : tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", round->count);
    for (size_t i = 0; i < values && status == TW_OK; i++) wide[i] = shape[i];
    free(shape);
    *out = (twFemModes){.count = round->count,
                        .rigid_modes = round->rigid_modes,
                        .node_count = tets->node_count,
                        .freq_hz = round->freq_hz,
                        .shape = wide};
    return status;
}

static twStatus cells_set_mass(twMassProperties* mass, const twBakeDef* def, const twCells* cells, twError* err)
{
    double* volume = calloc((size_t)def->region_count + 1, sizeof *volume);
    if (!volume) return tw_fail(err, TW_NO_MEMORY, "no memory for %d materials", def->region_count + 1);
    *mass = tw_cells_mass(cells, volume);
    free(volume);
    return TW_OK;
}

static twStatus cells_set_with_tets(twModeSet** out, const twBakeDef* def, BakeSource* source, const twCells* cells,
                                    double error, twError* err)
{
    BakeLevel level = {.fibre = source->fibre};
    twFemModes modes = {0};
    double* block = NULL;
    twBakeDef linear = *def;
    twMassProperties mass = {0};
    linear.linear = !source->shape;  // tets of a shape are few
    twStatus status = source->filled ? TW_OK : bake_mesh(source, &linear, &source->filled, err);
    level.tets = source->filled;  // the same for all rounds
    if (status == TW_OK) status = cells_set_modes(&modes, &block, cells, level.tets, err);
    if (status == TW_OK) status = cells_set_mass(&mass, def, cells, err);
    if (status == TW_OK)
    {
        level.modes = &modes;
        level.mass = &mass;
        status = bake_set(out, &linear, &level, error, err);
        level.modes = NULL;
    }
    level.tets = NULL;
    bake_level_free(&level);
    free(block);
    return status;
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
