// SPDX-License-Identifier: MIT
// Tets as given, and their modes.

#include "bake.h"
#include <stdlib.h>

#define MARGIN 1.05  // meshes are too stiff: modes to be found below a frequency may still be above it

void bake_level_free(BakeLevel* level)
{
    tw_tets_destroy(level->tets);
    tw_fem_modes_destroy(level->modes);
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

twStatus bake_level(BakeLevel* level, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                    twError* err)
{
    *level = (BakeLevel){0};
    const double start = tw_seconds();
    twStatus status = bake_mesh(source, def, &level->tets, err);
    report->mesh_seconds += tw_seconds() - start;
    if (status == TW_OK) status = solve(def, source, level, report, err);
    if (status != TW_OK)
    {
        bake_level_free(level);
        return status;
    }
    twFemModes* modes = level->modes;
    while (def->max_freq_hz > 0 && modes->count > 0 && modes->freq_hz[modes->count - 1] > def->max_freq_hz)
        modes->count--;
    return TW_OK;
}
