// SPDX-License-Identifier: MIT
// A level of refinement: one mesh of the body, and its modes.

#include "bake.h"
#include <stdlib.h>

#define MARGIN 1.05  // meshes are too stiff: modes to be found below a frequency may still be above it

void bake_level_free(BakeLevel* level)
{
    tw_tets_destroy(level->tets);
    tw_fem_modes_destroy(level->modes);
    free(level->mode);
    *level = (BakeLevel){0};
}

static twStatus solve(const twBakeDef* def, const BakeSource* source, BakeLevel* level, twBakeReport* report,
                      twError* err)
{
    int *held, held_count;
    twStatus status = bake_find_held(def, source, level->tets, &held, &held_count, err);
    if (status != TW_OK) return status;
    twMaterial* materials = bake_materials(def);
    twFemDef fem = tw_fem_def();
    fem.tets = level->tets;
    fem.linear = def->linear;
    fem.material_count = 1 + def->region_count;
    fem.materials = materials;
    fem.fibre = level->fibre = source->fibre;
    fem.fixed_count = held_count;
    fem.fixed_nodes = held;
    fem.count = def->count;
    fem.max_freq_hz = MARGIN * def->max_freq_hz;
    fem.max_memory_bytes = def->max_memory_bytes;
    fem.keep_going = def->keep_going;
    fem.context = def->context;
    status = materials ? tw_fem_modes_create(&level->modes, &fem, err)
                       : tw_fail(err, TW_NO_MEMORY, "no memory for %d materials", fem.material_count);
    if (status == TW_OK) level->loose = bake_loose(def, source, level, &fem);
    free(materials);
    free(held);
    if (status != TW_OK) return status;
    const twFemSeconds* s = &level->modes->seconds;
    report->assemble_seconds += s->assemble;
    report->order_seconds += s->order;
    report->factor_seconds += s->factor;
    report->solve_seconds += s->modes + s->check;
    if (level->modes->peak_memory_bytes > report->peak_memory_bytes)
        report->peak_memory_bytes = level->modes->peak_memory_bytes;
    report->levels++;
    report->held_nodes = held_count;
    return TW_OK;
}

twStatus bake_level_mesh(BakeLevel* level, const twBakeDef* def, const BakeSource* source, BakeSize size,
                         twBakeReport* report, twError* err)
{
    *level = (BakeLevel){.size = size};
    double start = tw_seconds();
    twStatus status = bake_mesh(source, def, size, &level->tets, err);
    report->mesh_seconds += tw_seconds() - start;
    if (status == TW_OK && report->levels > 0 && def->max_nodes > 0 && level->tets->node_count > def->max_nodes)
        status =
            tw_fail(err, TW_NO_MEMORY, "the next mesh has %d nodes, and %d are the limit; a better --accuracy lifts it",
                    level->tets->node_count, def->max_nodes);
    if (status != TW_OK) bake_level_free(level);
    return status;
}

twStatus bake_level_solve(BakeLevel* level, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                          twError* err)
{
    twStatus status = solve(def, source, level, report, err);
    if (status == TW_OK)
    {
        level->mode = calloc((size_t)level->modes->count + 1, sizeof *level->mode);
        if (!level->mode) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d frequencies", level->modes->count);
        for (int k = 0; level->mode && k < level->modes->count; k++) level->mode[k].freq_hz = level->modes->freq_hz[k];
    }
    if (status != TW_OK) bake_level_free(level);
    return status;
}
