// SPDX-License-Identifier: MIT
// Baking: from a shape or a mesh to its modes.
//
// The error of a frequency found with quadratic elements falls like h^4, with linear ones like h^2, where h is the element
// size. Two meshes with sizes h1 > h2 give frequencies f1 and f2; the finer one is off by about (f1 - f2)/((h1/h2)^p - 1).
// p is taken as 3 (linear: 1.5), less than theory, so that the estimate errs on the large side. The mesh is refined until
// the largest estimate over the modes reaches the wanted accuracy or the next mesh would not fit into the memory.

#include "bake.h"
#include "twang/fem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 5
#define FIRST_ELEMENTS 4  // along the longest side of the first mesh

twBakeDef tw_bake_def(void)
{
    const twMaterial* steel = tw_material_find("steel");
    return (twBakeDef){.scale = 1,
                       .material = *steel,
                       .damping = tw_damping_rayleigh(steel->alpha, steel->beta),
                       .count = 32,
                       .accuracy = 1e-3};
}

static twStatus check_def(const twBakeDef* def, twError* err)
{
    if (!def->source || !def->source[0]) return tw_fail(err, TW_BAD_INPUT, "no shape or file to analyse");
    if (!(def->scale > 0 && isfinite(def->scale)))
        return tw_fail(err, TW_BAD_INPUT, "scale %g must be positive", def->scale);
    if (def->count < 0 || def->count > 100000)
        return tw_fail(err, TW_BAD_INPUT, "%d modes: there can be 0 to 100000", def->count);
    if (def->count == 0 && !(def->max_freq_hz > 0))
        return tw_fail(err, TW_BAD_INPUT, "say how many modes are wanted, or up to which frequency");
    if (!(def->accuracy > 0 && def->accuracy <= 1))
        return tw_fail(err, TW_BAD_INPUT, "accuracy %g must be in (0, 1]", def->accuracy);
    return tw_damping_check(&def->damping, err);
}

// ---- one level ----

typedef struct Level
{
    twTetMesh* tets;
    twFemModes* modes;
    double edge;
} Level;

static void level_free(Level* level)
{
    tw_tets_destroy(level->tets);
    tw_fem_modes_destroy(level->modes);
    *level = (Level){0};
}

// nodes inside the holds, in a new array
static twStatus find_held(const twBakeDef* def, const twTetMesh* tets, int** out, int* count, twError* err)
{
    *out = NULL;
    *count = 0;
    if (def->hold_count == 0) return TW_OK;
    int* held = malloc(((size_t)tets->node_count + (size_t)def->hold_count) * sizeof(int));
    if (!held) return tw_fail(err, TW_NO_MEMORY, "no memory for the held nodes");
    for (int h = 0; h < def->hold_count; h++)
    {
        int before = *count, nearest = 0;
        double least = INFINITY, radius = def->holds[h].radius;
        for (int i = 0; i < tets->node_count; i++)
        {
            double d = tw_vec3_norm(tw_vec3_sub(tets->nodes[i], def->holds[h].centre));
            if (d < least) least = d, nearest = i;
            if (d <= radius && *count < tets->node_count) held[(*count)++] = i;
        }
        if (*count == before && radius > 0)
        {
            free(held);
            return tw_fail(err, TW_BAD_INPUT,
                           "no part of the body is within %g m of the held point %d; the nearest is %g m away", radius,
                           h + 1, least);
        }
        if (*count == before) held[(*count)++] = nearest;
    }
    *out = held;
    return TW_OK;
}

static twStatus level_solve(const twBakeDef* def, Level* level, twBakeReport* report, twError* err)
{
    int *held, held_count;
    twStatus status = find_held(def, level->tets, &held, &held_count, err);
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
static double estimate(const Level* coarse, const Level* fine, bool linear)
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

static twStatus next_level(const twBakeDef* def, const BakeSource* source, double edge, int index, Level* level,
                           twBakeReport* report, twError* err)
{
    level->edge = edge;
    double start = tw_seconds();
    twStatus status = bake_mesh(source, def, edge, index, &level->tets, report, err);
    report->mesh_seconds += tw_seconds() - start;
    return status == TW_OK ? level_solve(def, level, report, err) : status;
}

// refine until good enough; best holds the finest level solved
static twStatus refine(const twBakeDef* def, const BakeSource* source, Level* best, twBakeReport* report, twError* err)
{
    twStatus status = next_level(def, source, first_edge(def, source), 0, best, report, err);
    for (int i = 1; status == TW_OK && !source->fixed_mesh && i < MAX_LEVELS; i++)
    {
        Level fine = {0};
        twError inner = {0};
        status = next_level(def, source, best->edge / source->refine, i, &fine, report, &inner);
        if (status == TW_NO_MEMORY && i > 1)
        {
            // the level before stands, with its own estimate
            size_t at = strlen(report->note);
            snprintf(report->note + at, sizeof report->note - at, "%srefinement stopped: %.600s", at ? "; " : "",
                     inner.text);
            level_free(&fine);
            return TW_OK;
        }
        if (status != TW_OK)
        {
            level_free(&fine);
            return tw_fail(err, status, "%s", inner.text);
        }
        report->error_estimate = estimate(best, &fine, def->linear);
        level_free(best);
        *best = fine;
        if (report->error_estimate <= def->accuracy) break;
    }
    return status;
}

// ---- the result ----

static void gather_shapes(const Level* level, const int* node_of, int vertices, float* shape)
{
    for (int k = 0; k < level->modes->count; k++)
        for (int i = 0; i < vertices; i++)
            for (int d = 0; d < 3; d++)
                shape[3 * ((size_t)k * (size_t)vertices + (size_t)i) + (size_t)d] =
                    (float)level->modes
                        ->shape[3 * ((size_t)k * (size_t)level->modes->node_count + (size_t)node_of[i]) + (size_t)d];
}

static twStatus build_set(twModeSet** out, const twBakeDef* def, const Level* level, double error_estimate,
                          twError* err)
{
    twMesh* surface = NULL;
    int* node_of = NULL;
    twStatus status = tw_tets_surface(&surface, &node_of, level->tets, err);
    if (status != TW_OK) return status;
    size_t values = 3 * (size_t)level->modes->count * (size_t)surface->vertex_count;
    float* shape = malloc((values ? values : 1) * sizeof(float));
    if (!shape)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", level->modes->count);
    else
    {
        gather_shapes(level, node_of, surface->vertex_count, shape);
        double density = def->material.density;
        twModeSet set = {.mode_count = level->modes->count,
                         .vertex_count = surface->vertex_count,
                         .face_count = surface->face_count,
                         .rigid_modes = level->modes->rigid_modes,
                         .freq_hz = level->modes->freq_hz,
                         .shape = shape,
                         .vertices = surface->vertices,
                         .faces = surface->faces,
                         .mass = tw_tets_mass(level->tets, &density),
                         .density = density,
                         .young = def->material.young,
                         .poisson = def->material.poisson,
                         .damping = def->damping,
                         .error_estimate = error_estimate};
        status = tw_mode_set_create(out, &set, err);
    }
    free(shape);
    free(node_of);
    tw_mesh_destroy(surface);
    return status;
}

static twStatus analyse(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    BakeSource source = {0};
    Level best = {0};
    twStatus status = bake_open(&source, def, report, err);
    if (status == TW_OK) status = refine(def, &source, &best, report, err);
    if (status == TW_OK)
    {
        report->nodes = best.tets->node_count;
        report->elements = best.tets->tet_count;
        report->rigid_modes = best.modes->rigid_modes;
        status = build_set(out, def, &best, report->error_estimate, err);
    }
    level_free(&best);
    bake_close(&source);
    return status;
}

twStatus tw_bake(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    twBakeReport unused;
    if (!report) report = &unused;
    *report = (twBakeReport){0};
    *out = NULL;
    double start = tw_seconds();
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    char path[700] = "";
    if (def->cache_folder && bake_cache_path(def, path, sizeof path) && tw_mode_set_load(out, path, NULL) == TW_OK)
    {
        report->cached = true;
        report->error_estimate = (*out)->error_estimate;
        report->rigid_modes = (*out)->rigid_modes;
        report->total_seconds = tw_seconds() - start;
        return TW_OK;
    }
    status = analyse(out, def, report, err);
    report->total_seconds = tw_seconds() - start;
    // a cache that cannot be written is no failure
    if (status == TW_OK && path[0] && tw_make_folder(def->cache_folder, NULL) == TW_OK)
        tw_mode_set_save(*out, path, NULL);
    return status;
}
