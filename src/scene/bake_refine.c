// SPDX-License-Identifier: MIT
// Refinement: solve on finer and finer meshes until the frequencies are good enough.
//
// The error of a frequency found with quadratic elements falls like h^4, with linear ones like h^2, where h is the element
// size. Two meshes with sizes h1 > h2 give frequencies f1 and f2; the finer one is off by about (f1 - f2)/((h1/h2)^p - 1).
// p is taken as 3 (linear: 1.5), less than theory, so that the estimate errs on the large side. The mesh is refined until
// the largest estimate over the modes reaches the wanted accuracy or the next mesh would not fit into the memory.

#include "bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 5
#define FIRST_ELEMENTS 4  // along the longest side of the first mesh

void bake_level_free(BakeLevel* level)
{
    tw_tets_destroy(level->tets);
    tw_fem_modes_destroy(level->modes);
    *level = (BakeLevel){0};
}

// ---- one level ----

static twStatus level_solve(const twBakeDef* def, BakeLevel* level, twBakeReport* report, twError* err)
{
    int *held, held_count;
    twStatus status = bake_find_held(def, level->tets, &held, &held_count, err);
    if (status != TW_OK) return status;
    twFemDef fem = tw_fem_def();
    fem.tets = level->tets;
    fem.linear = def->linear;
    fem.material_count = 1;
    fem.materials = &def->material;
    fem.fixed_count = held_count;
    fem.fixed_nodes = held;
    fem.count = def->count;
    fem.max_freq_hz = def->max_freq_hz;
    fem.max_memory_bytes = def->max_memory_bytes;
    fem.keep_going = def->keep_going;
    fem.context = def->context;
    status = tw_fem_modes_create(&level->modes, &fem, err);
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
    return TW_OK;
}

// ---- refinement ----

// largest estimated error of the finer level's frequencies
static double estimate(const BakeLevel* coarse, const BakeLevel* fine, bool linear)
{
    int count = coarse->modes->count < fine->modes->count ? coarse->modes->count : fine->modes->count;
    double gain = pow(coarse->edge / fine->edge, linear ? 1.5 : 3) - 1, most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(coarse->modes->freq_hz[k] / fine->modes->freq_hz[k] - 1) / gain);
    return most;
}

// Edge of the first mesh: some elements along the body and across its second side, and no longer than a fraction of the
// shortest wave. A surface to be filled must have a cell through its walls.
static double first_edge(const twBakeDef* def, const BakeSource* source)
{
    double edge = fmin(source->size / FIRST_ELEMENTS, 0.5 * source->width);
    if (source->surface) edge = fmin(edge, source->thickness);
    if (def->max_freq_hz > 0)
    {
        const twMaterial* m = &def->material;
        double w = 2 * TW_PI * def->max_freq_hz, h = source->thickness;
        double bend =
            2 * TW_PI * pow(m->young * h * h / (12 * (1 - m->poisson * m->poisson) * m->density * w * w), 0.25);
        double shear = sqrt(m->young / (2 * (1 + m->poisson) * m->density)) / def->max_freq_hz;
        edge = fmin(edge, fmax(bend, 0.5 * shear) / 2);
    }
    return edge;
}

static twStatus next_level(const twBakeDef* def, const BakeSource* source, double edge, int index, BakeLevel* level,
                           twBakeReport* report, twError* err)
{
    level->edge = edge;
    double start = tw_seconds();
    twStatus status = bake_mesh(source, def, edge, index, &level->tets, report, err);
    report->mesh_seconds += tw_seconds() - start;
    return status == TW_OK ? level_solve(def, level, report, err) : status;
}

// refine until good enough; best holds the finest level solved
twStatus bake_refine(const twBakeDef* def, const BakeSource* source, BakeLevel* best, twBakeReport* report,
                     twError* err)
{
    twStatus status = next_level(def, source, first_edge(def, source), 0, best, report, err);
    for (int i = 1; status == TW_OK && !source->fixed_mesh && i < MAX_LEVELS; i++)
    {
        BakeLevel fine = {0};
        twError inner = {0};
        status = next_level(def, source, best->edge / source->refine, i, &fine, report, &inner);
        if (status == TW_NO_MEMORY && i > 1)
        {
            // the level before stands, with its own estimate
            size_t at = strlen(report->note);
            snprintf(report->note + at, sizeof report->note - at, "%srefinement stopped: %.600s", at ? "; " : "",
                     inner.text);
            bake_level_free(&fine);
            return TW_OK;
        }
        if (status != TW_OK)
        {
            bake_level_free(&fine);
            return tw_fail(err, status, "%s", inner.text);
        }
        report->error_estimate = estimate(best, &fine, def->linear);
        bake_level_free(best);
        *best = fine;
        if (report->error_estimate <= def->accuracy) break;
    }
    return status;
}
