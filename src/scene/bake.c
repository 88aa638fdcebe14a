// SPDX-License-Identifier: MIT
// Baking: from a shape or a mesh to its modes.

#include "bake.h"
#include "twang/fem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ---- the result ----

static void gather_shapes(const BakeLevel* level, const int* node_of, int vertices, float* shape)
{
    for (int k = 0; k < level->modes->count; k++)
        for (int i = 0; i < vertices; i++)
            for (int d = 0; d < 3; d++)
                shape[3 * ((size_t)k * (size_t)vertices + (size_t)i) + (size_t)d] =
                    (float)level->modes
                        ->shape[3 * ((size_t)k * (size_t)level->modes->node_count + (size_t)node_of[i]) + (size_t)d];
}

static twStatus build_set(twModeSet** out, const twBakeDef* def, const BakeLevel* level, double error_estimate,
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
    BakeLevel best = {0};
    twStatus status = bake_open(&source, def, report, err);
    if (status == TW_OK) status = bake_refine(def, &source, &best, report, err);
    if (status == TW_OK)
    {
        report->nodes = best.tets->node_count;
        report->elements = best.tets->tet_count;
        report->rigid_modes = best.modes->rigid_modes;
        status = build_set(out, def, &best, report->error_estimate, err);
    }
    bake_level_free(&best);
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
