// SPDX-License-Identifier: MIT
// Baking: from a shape or a mesh to its modes.

#include "bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_MAX_BYTES ((size_t)4000000000u)
#define MAX_REGIONS 999
#define LOWEST_HEARD 20.0  // [Hz]

twBakeDef tw_bake_def(void)
{
    const twMaterial* steel = tw_material_find("steel");
    return (twBakeDef){.scale = 1,
                       .material = *steel,
                       .damping = tw_damping_materials(),
                       .count = 32,
                       .budget = 40,
                       .cache_max_bytes = CACHE_MAX_BYTES};
}

static twStatus check_material(const twMaterial* m, twError* err)
{
    const char* name = m->name ? m->name : "";
    if (!(m->density > 0 && isfinite(m->density)))
        return tw_fail(err, TW_BAD_INPUT, "material '%s': density %g kg/m^3 must be positive", name, m->density);
    const twStatus status = tw_material_check(m, err);
    if (status != TW_OK) return status;
    if (!(m->alpha >= 0 && m->beta >= 0 && m->loss_factor >= 0 && isfinite(m->alpha + m->beta + m->loss_factor)))
        return tw_fail(err, TW_BAD_INPUT, "material '%s': its damping must not be negative", name);
    return TW_OK;
}

static twStatus check_materials(const twBakeDef* def, twError* err)
{
    twStatus status = check_material(&def->material, err);
    for (int i = 0; i < def->region_count && status == TW_OK; i++)
        status = check_material(&def->regions[i].material, err);
    return status;
}

bool bake_is_orthotropic(const twBakeDef* def)
{
    bool any = tw_material_is_orthotropic(&def->material) && !def->no_rest;
    for (int i = 0; i < def->region_count; i++) any = any || tw_material_is_orthotropic(&def->regions[i].material);
    return any;
}

static twStatus check_fibre(const twBakeDef* def, twError* err)
{
    if (!tw_fibre_given(&def->fibre) || bake_is_orthotropic(def)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "a direction of fibres for material '%s', which is the same in all directions; 'twang materials' "
                   "lists woods that are not",
                   def->material.name ? def->material.name : "");
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
    if (!(def->thickness >= 0 && isfinite(def->thickness)))
        return tw_fail(err, TW_BAD_INPUT, "a thickness of %g m must be positive", def->thickness);
    if (def->thickness > 0 && (bake_is_tets(def) || bake_is_shape(def)))
        return tw_fail(err, TW_BAD_INPUT, "a thickness is for surfaces; %s is a shape or has tets", def->source);
    if (def->thickness > 0 && def->with_tets)
        return tw_fail(err, TW_BAD_INPUT, "a shell has no tets inside; leave out the thickness, or what needs tets");
    if (def->linear && !bake_is_tets(def))
        return tw_fail(err, TW_BAD_INPUT, "linear elements are for files of tets; %s is cut into cells", def->source);
    if (!(def->budget >= 0 && isfinite(def->budget)))
        return tw_fail(err, TW_BAD_INPUT, "a budget of %g s must be positive, or 0 for none", def->budget);
    if (!(def->accuracy >= 0 && def->accuracy <= 1))
        return tw_fail(err, TW_BAD_INPUT, "accuracy %g must be in (0, 1], or 0 for the usual one", def->accuracy);
    if (def->region_count < 0 || def->region_count > MAX_REGIONS || def->hold_count < 0)
        return tw_fail(err, TW_BAD_INPUT, "%d regions and %d held places: there can be 0 to %d", def->region_count,
                       def->hold_count, MAX_REGIONS);
    twStatus status = check_materials(def, err);
    if (status == TW_OK) status = check_fibre(def, err);
    return status == TW_OK ? tw_damping_check(&def->damping, err) : status;
}

// borders of parts that run through elements
static void add_loose(const BakeLevel* best, twBakeReport* report)
{
    if (best->loose == 0) return;
    size_t at = strlen(report->note);
    if (report->error_estimate > 0) report->error_estimate += best->loose;
    snprintf(report->note + at, sizeof report->note - at,
             "%sballs, boxes and half-spaces are cut along the elements, which changes frequencies by about %.2g %%",
             at ? "; " : "", 100 * best->loose);
}

// constants in GPa or g/cm^3, say
static void add_pitch(const twModeSet* set, twBakeReport* report)
{
    if (set->mode_count == 0 || set->freq_hz[set->mode_count - 1] >= LOWEST_HEARD) return;
    size_t at = strlen(report->note);
    snprintf(report->note + at, sizeof report->note - at,
             "%sall modes are below %g Hz: are Young's modulus in Pa, the density in kg/m^3 and the lengths in m?",
             at ? "; " : "", LOWEST_HEARD);
}

void bake_add_note(twBakeReport* report, const char* words, const char* why)
{
    size_t at = strlen(report->note);
    snprintf(report->note + at, sizeof report->note - at, "%s%s%.600s", at ? "; " : "", words, why);
}

void bake_add_hints(const twModeSet* set, const twBakeDef* def, twBakeReport* report)
{
    if (def->count != 1) add_pitch(set, report);
}

static twStatus analyse(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    BakeSource source = {0};
    BakeLevel best = {0};
    twStatus status = bake_open(&source, def, report, err);
    if (status == TW_OK && source.surface)
        status = bake_shell(out, def, &source, report, err);
    else if (status == TW_OK && (status = bake_level(&best, def, &source, report, err)) == TW_OK)
    {
        report->nodes = best.tets->node_count;
        report->elements = best.tets->tet_count;
        report->rigid_modes = best.modes->rigid_modes;
        add_loose(&best, report);
        status = bake_set(out, def, &best, report->error_estimate, err);
        if (status == TW_OK) bake_add_hints(*out, def, report);
    }
    bake_level_free(&best);
    bake_close(&source);
    return status;
}

// what is analysed in one go, or comes from the cache
static twStatus analyse_once(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    const double start = tw_seconds();
    char path[BAKE_PATH_BYTES] = "";
    const bool caching = bake_cache_path(def, path, sizeof path);
    if (caching && bake_cache_load(out, path, report, NULL))
    {
        report->cached = true;
        report->load_seconds = tw_seconds() - start;
        return TW_OK;
    }
    twStatus status = analyse(out, def, report, err);
    report->total_seconds = tw_seconds() - start;
    if (status == TW_OK && caching) bake_cache_save(*out, path, def, report, NULL);
    return status;
}

// a surface that encloses no volume is a sheet
static twStatus analyse_sheet(twModeSet** out, const twBakeDef* def, double thickness, twBakeReport* report,
                              twError* err)
{
    twBakeDef sheet = *def;
    char words[256];
    sheet.thickness = thickness;
    memset(report, 0, sizeof *report);
    twStatus status = analyse_once(out, &sheet, report, err);
    snprintf(words, sizeof words,
             "the surface is open: it is taken as a sheet %.2g m thick, 1 %% of its size; say how thick it is "
             "('thickness' in a scene, --thickness in a command), or close it to make it solid",
             thickness);
    if (status == TW_OK) bake_add_note(report, words, "");
    return status;
}

// a shell, or rounds of cut cells, from where the cache ends
static twStatus analyse_surface(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    const double start = tw_seconds();
    BakeState state = {0};
    BakeSource source = {0};
    char path[BAKE_PATH_BYTES] = "";
    const bool caching = bake_cache_path(def, path, sizeof path);
    twStatus status = TW_OK;
    if (caching && ((def->thickness > 0 && bake_cache_load(out, path, report, NULL)) ||
                    bake_rounds_find(out, def, path, report, &state)))
    {
        report->cached = true;
        report->load_seconds = tw_seconds() - start;
    }
    else
    {
        const double before = report->total_seconds;
        report->note[0] = 0;
        status = bake_open(&source, def, report, err);
        if (status == TW_OK) status = bake_walls(&source, def, report, err);
        const double thickness = status == TW_OK && def->thickness == 0 ? bake_sheet_thickness(&source) : 0;
        if (status == TW_OK && def->thickness > 0 && !source.solid)
        {
            status = bake_shell(out, def, &source, report, err);
            if (status == TW_OK && caching) bake_cache_save(*out, path, def, report, NULL);
        }
        else if (thickness > 0)
            status = analyse_sheet(out, def, thickness, report, err);
        else if (status == TW_OK)
            status = bake_rounds(out, def, &source, report, caching ? path : NULL, &state, err);
        if (!report->cached) report->total_seconds = before + tw_seconds() - start;
        bake_close(&source);
    }
    free(state.bytes);
    return status;
}

// ---- damping, of what was found or came from the cache ----

static bool damp_is_of(const twModeMaterial* found, const twMaterial* material)
{
    return found->density == material->density && found->young == material->young &&
           strncmp(found->name, material->name ? material->name : "", sizeof found->name - 1) == 0;
}

// the materials of a set with the damping of the def's; the set has those of them, in their order, that the body consists of
static twStatus damp_materials(twModeMaterial** out, const twModeSet* set, const twBakeDef* def, twError* err)
{
    twMaterial* all = bake_materials(def);
    *out = malloc(((size_t)set->material_count + 1) * sizeof **out);
    const bool room = all && *out;
    int at = 0;
    if (room && set->material_count > 0) memcpy(*out, set->materials, (size_t)set->material_count * sizeof **out);
    for (int i = 0; room && i <= def->region_count && at < set->material_count; i++)
    {
        twModeMaterial* m = &(*out)[at];
        if (!damp_is_of(m, &all[i])) continue;
        m->alpha = all[i].alpha;
        m->beta = all[i].beta;
        m->loss_factor = all[i].loss_factor;
        at++;
    }
    free(all);
    return room ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %d materials", set->material_count);
}

static twStatus damp(twModeSet** out, const twModeSet* set, const twBakeDef* def, twError* err)
{
    twModeMaterial* materials;
    *out = NULL;
    if (def->damping.kind == TW_DAMPING_MODES && def->decay_count != set->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "%d decays for %d modes: one is needed for each", def->decay_count,
                       set->mode_count);
    twStatus status = damp_materials(&materials, set, def, err);
    twModeSet of = *set;
    of.materials = materials;
    if (status == TW_OK) status = tw_mode_set_damp(out, &of, &def->damping, def->decay, err);
    free(materials);
    return status;
}

twStatus bake_show(const twModeSet* set, const twBakeDef* def, twError* err)
{
    twModeSet* damped;
    if (!def->on_round || set->mode_count == 0) return TW_OK;
    twStatus status = damp(&damped, set, def, err);
    if (status == TW_BAD_INPUT) return TW_OK;  // it has another number of modes than the last round will have
    if (status == TW_OK && !def->on_round(damped, def->context))
        status = tw_fail(err, TW_INTERRUPTED, "interrupted after a round");
    tw_mode_set_destroy(damped);
    return status;
}

twStatus tw_bake(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err)
{
    twBakeReport unused;
    if (!report) report = &unused;
    memset(report, 0, sizeof *report);
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    status = bake_is_tets(def) ? analyse_once(out, def, report, err) : analyse_surface(out, def, report, err);
    twModeSet *found = *out, *damped = NULL;
    if (status == TW_OK) status = damp(&damped, found, def, err);
    tw_mode_set_destroy(found);
    *out = damped;
    return status;
}
