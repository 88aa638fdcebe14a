// SPDX-License-Identifier: MIT
// rounds_: the modes of a surface, by rounds of cut cells. Rounds of a body are always the same; accuracy and budget say
// which is the last. Each is kept in the cache with what the next one needs, so that an interrupted analysis continues where it
// ended and commands share what they have in common.

#include "bake.h"
#include "twang/cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_ACCURACY 3e-3        // unless another one is asked for
#define ROUNDS_ACCURACY_SHAPE 1e-3  // likewise: its surface is exact
#define ROUNDS_MOST 12
#define ROUNDS_LOWEST 10     // modes that are to be as accurate as wanted
#define ROUNDS_PATIENCE 2    // rounds after which a mode that is not accurate yet is named
#define ROUNDS_BREADTH 0.02  // radius of a held point, over the longest side of the body
#define ROUNDS_NAMED 8       // modes of which nothing is known yet, that a note names
#define ROUNDS_FAR 0.05      // of the body's size: a part farther off was not meant
#define ROUNDS_ASIDE 1e-6    // of the body's size: a held part that touches a face is to hold it

typedef struct Rounds
{
    const twBakeDef* def;
    BakeSource* source;
    twBakeReport* report;
    const char* path;  // of the cache, or NULL
    twError* err;
    twMaterial* materials;
    twCellsPart* parts;
    int part_count;
    twCells* cells;
} Rounds;

double bake_weight(int mode) { return fmin(1, (double)ROUNDS_LOWEST / (mode + 1)); }

void bake_report_errors(twBakeReport* report, const double* error, int count)
{
    report->error_estimate = report->error_lowest = report->error_weighted = report->error_known = 0;
    report->unknown_modes = 0;
    for (int k = 0; k < count; k++)
    {
        report->error_estimate = fmax(report->error_estimate, error[k]);
        report->error_weighted = fmax(report->error_weighted, bake_weight(k) * error[k]);
        if (error[k] < TW_BAKE_UNKNOWN)
            report->error_known = fmax(report->error_known, error[k]);
        else
            report->unknown_modes++;
        if (k < ROUNDS_LOWEST) report->error_lowest = fmax(report->error_lowest, error[k]);
    }
}

// ---- which round is the last ----

static double rounds_accuracy(const twBakeDef* def)
{
    if (def->accuracy > 0) return def->accuracy;
    return bake_is_shape(def) ? ROUNDS_ACCURACY_SHAPE : ROUNDS_ACCURACY;
}

// whether a round is good enough, or the next one would pass the budget
static bool rounds_is_last(const twBakeDef* def, const twBakeReport* report)
{
    if (report->error_weighted <= rounds_accuracy(def) || report->levels >= ROUNDS_MOST) return true;
    return def->budget > 0 && report->next_operations > def->budget * TW_BAKE_RATE;
}

bool bake_rounds_find(twModeSet** out, const twBakeDef* def, const char* path, twBakeReport* report, BakeState* state)
{
    char entry[BAKE_PATH_BYTES + 16];
    *out = NULL;
    for (int round = 0; round < ROUNDS_MOST; round++)
    {
        twModeSet* set;
        twBakeReport found;
        BakeState next = {0};
        bake_cache_round(entry, sizeof entry, path, round);
        if (!bake_cache_load(&set, entry, &found, &next)) return false;
        // an entry is as deep as the budget of the call that made it; a round beyond ours is not for us
        if (*out && def->budget > 0 && found.foreseen_operations > def->budget * TW_BAKE_RATE)
        {
            tw_mode_set_destroy(set);
            free(next.bytes);
            return true;
        }
        tw_mode_set_destroy(*out);
        free(state->bytes);
        *out = set;
        *report = found;
        *state = next;
        if (rounds_is_last(def, report)) return true;
    }
    return true;
}

// ---- parts ----

// how far a part is from the surface, and where that is nearest
static twStatus rounds_gap(const Rounds* r, const twPart* part, double* gap, twVec3* nearest)
{
    const twMesh* mesh = r->source->surface;
    *gap = HUGE_VAL;
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        const double d = tw_part_distance(part, mesh->vertices[i]);
        if (d < *gap) *gap = d, *nearest = mesh->vertices[i];
    }
    if (part->kind == TW_PART_BOX || *gap <= 0) return TW_OK;
    twWinding* winding;
    twStatus status = tw_winding_create(&winding, mesh, r->err);
    if (status != TW_OK) return status;
    const double d = tw_winding_nearest(winding, part->centre, nearest, NULL);
    *gap = tw_winding_at(winding, part->centre) > 0.5 ? 0 : fmax(0, d - part->radius);
    tw_winding_destroy(winding);
    return TW_OK;
}

// A ball or a box as it is; a point is a small ball, and so is what lies a little beside the body.
static twStatus rounds_part(Rounds* r, const twPart* part, int material)
{
    const double size = r->source->size;
    double gap;
    twVec3 nearest = part->centre;
    twStatus status = rounds_gap(r, part, &gap, &nearest);
    if (status != TW_OK) return status;
    // a box between the vertices may still hold part of the body, or none: that shows when it is cut
    const bool box = part->kind == TW_PART_BOX, within = gap <= 0 || box;
    if (gap > ROUNDS_FAR * size && !within)
        return bake_fail_part(r->def, part, material, gap, nearest, r->source, r->err);
    twCellsPart* to = &r->parts[r->part_count++];
    *to = (twCellsPart){.ball = !box,
                        .centre = part->centre,
                        .radius = part->radius,
                        .low = part->low,
                        .high = part->high,
                        .material = material};
    if (part->kind == TW_PART_POINT || !within || (box && gap > ROUNDS_ASIDE * size && gap <= ROUNDS_FAR * size))
    {
        to->ball = true;
        to->centre = gap > 0 ? nearest : part->centre;
        to->radius = ROUNDS_BREADTH * size;
        char words[120];
        snprintf(words, sizeof words, "a point is %s as a ball of radius %.2g m", material < 0 ? "held" : "taken",
                 to->radius);
        bake_add_note(r->report, words, "");
        r->source->note_bytes = strlen(r->report->note);
    }
    else if (material < 0)
    {
        const double aside = ROUNDS_ASIDE * size;
        to->radius += aside;
        to->low = tw_vec3_sub(to->low, tw_vec3(aside, aside, aside));
        to->high = tw_vec3_add(to->high, tw_vec3(aside, aside, aside));
    }
    return TW_OK;
}

static twStatus rounds_set_parts(Rounds* r)
{
    const twBakeDef* def = r->def;
    r->materials = bake_materials(def);
    r->parts = calloc((size_t)(def->region_count + def->hold_count) + 1, sizeof *r->parts);
    if (!r->materials || !r->parts) return tw_fail(r->err, TW_NO_MEMORY, "no memory for the parts of the body");
    twStatus status = TW_OK;
    for (int i = 0; i < def->region_count && status == TW_OK; i++)
        status = rounds_part(r, &def->regions[i].part, i + 1);
    for (int i = 0; i < def->hold_count && status == TW_OK; i++) status = rounds_part(r, &def->holds[i], -1);
    return status;
}

// every part must have something of the body, and all of it a material
static twStatus rounds_check_parts(const Rounds* r)
{
    const twBakeDef* def = r->def;
    for (int i = 0; i < r->part_count; i++)
    {
        const twPart* part = i < def->region_count ? &def->regions[i].part : &def->holds[i - def->region_count];
        double gap;
        twVec3 nearest = part->centre;
        if (tw_cells_holds(r->cells, i)) continue;
        twStatus status = rounds_gap(r, part, &gap, &nearest);
        if (status != TW_OK) return status;
        return bake_fail_part(def, part, r->parts[i].material, gap, nearest, r->source, r->err);
    }
    double* volume = calloc((size_t)def->region_count + 1, sizeof *volume);
    if (!volume) return tw_fail(r->err, TW_NO_MEMORY, "no memory for %d materials", def->region_count);
    const double all = tw_cells_mass(r->cells, volume).volume, rest = volume[0];
    free(volume);
    if (!def->no_rest || rest < 1e-4 * all) return TW_OK;
    return tw_fail(r->err, TW_BAD_INPUT, "%.2g %% of the body have no material; say which all the rest is made of",
                   100 * rest / all);
}

// ---- rounds ----

static twCellsDef rounds_def(const Rounds* r)
{
    twCellsDef cells = tw_cells_def();
    cells.surface = r->source->walls ? r->source->walls : r->source->surface;
    cells.material_count = 1 + r->def->region_count;
    cells.materials = r->materials;
    cells.fibre = r->source->fibre;
    cells.part_count = r->part_count;
    cells.parts = r->parts;
    cells.count = r->def->count;
    cells.max_freq_hz = r->def->max_freq_hz;
    cells.max_operations = r->def->budget * TW_BAKE_RATE;
    cells.max_memory_bytes = r->def->max_memory_bytes;
    cells.keep_going = r->def->keep_going;
    cells.context = r->def->context;
    return cells;
}

static twStatus rounds_open(Rounds* r, const BakeState* state)
{
    twError inner = {0};
    twStatus status = rounds_set_parts(r);
    if (status != TW_OK) return status;
    const twCellsDef def = rounds_def(r);
    status = TW_BAD_INPUT;
    if (state->count > 0) status = tw_cells_load(&r->cells, &def, state->bytes, state->count, &inner);
    // a state that does not fit is of no use: from the start
    if (status == TW_BAD_INPUT) status = tw_cells_create(&r->cells, &def, &inner);
    if (status != TW_OK) return tw_fail(r->err, status, "%s: %s", r->def->source, inner.text);
    return rounds_check_parts(r);
}

static void rounds_fill_report(const Rounds* r)
{
    const twCellsRound* round = tw_cells_round(r->cells);
    twBakeReport* report = r->report;
    report->nodes = round->functions;
    report->elements = round->cells;
    report->rigid_modes = round->rigid_modes;
    report->levels = round->round + 1;
    report->one_sided = r->def->hold_count == 0;
    bake_report_errors(report, round->error, round->count);
    report->operations = round->operations;
    report->foreseen_operations = round->foreseen_operations;
    report->next_operations = 0;
    report->assemble_seconds = round->seconds.assemble + round->seconds.check;
    report->order_seconds = round->seconds.order;
    report->factor_seconds = round->seconds.factor;
    report->solve_seconds = round->seconds.modes;
    report->peak_memory_bytes = round->peak_memory_bytes;
}

static void rounds_describe(const Rounds* r, const twModeSet* set)
{
    const twCellsRound* round = tw_cells_round(r->cells);
    char words[200];
    r->report->note[r->source->note_bytes] = 0;
    if (r->source->mended.holes > 0)
        bake_add_note(r->report, "holes are closed, and the body is solid; if it has thin walls, say how thick: ",
                      "'thickness' in a scene, --thickness in a command");
    if (round->pieces > 1)
    {
        snprintf(words, sizeof words, "%d separate pieces, each of which vibrates by itself", round->pieces);
        bake_add_note(r->report, words, "");
    }
    if (round->round >= ROUNDS_PATIENCE && round->count > 0 && round->error[round->slowest] > rounds_accuracy(r->def))
    {
        const twVec3 at = round->slowest_at;
        snprintf(words, sizeof words, "mode %d has the largest error, which comes from around %.3g,%.3g,%.3g m",
                 round->slowest + 1, at.x, at.y, at.z);
        bake_add_note(r->report, words, "");
    }
    if (round->round >= ROUNDS_PATIENCE && r->report->unknown_modes > 0 && r->report->unknown_modes <= ROUNDS_NAMED)
    {
        size_t at = (size_t)snprintf(words, sizeof words, "not known yet, since parts that swing are too thin: mode");
        for (int k = 0; k < round->count; k++)
            if (round->error[k] >= TW_BAKE_UNKNOWN) at += (size_t)snprintf(words + at, sizeof words - at, " %d", k + 1);
        bake_add_note(r->report, words, "");
    }
    if (round->dropped_pieces > 0)
    {
        snprintf(words, sizeof words, "%d piece(s) smaller than 1 %% of the largest left out", round->dropped_pieces);
        bake_add_note(r->report, words, "");
    }
    bake_add_hints(set, r->def, r->report);
}

static void rounds_keep(const Rounds* r, const twModeSet* set)
{
    BakeState state = {0};
    char entry[BAKE_PATH_BYTES + 16];
    if (!r->path || tw_cells_save(&state.bytes, &state.count, r->cells, NULL) != TW_OK) return;
    bake_cache_round(entry, sizeof entry, r->path, r->report->levels - 1);
    bake_cache_save(set, entry, r->def, r->report, &state);
    free(state.bytes);
}

// the next round, and its modes instead of those before
static twStatus rounds_next(Rounds* r, twModeSet** set)
{
    twModeSet* better;
    twStatus status = tw_cells_next(r->cells, r->err);
    if (status != TW_OK) return status;
    rounds_fill_report(r);
    status = bake_cells_set(&better, r->def, r->source, r->cells, r->report->error_estimate, r->err);
    if (status != TW_OK) return status;
    tw_mode_set_destroy(*set);
    *set = better;
    rounds_describe(r, better);
    rounds_keep(r, better);
    return TW_OK;
}

static twStatus rounds_run(Rounds* r, twModeSet** set)
{
    twStatus status = TW_OK;
    while (status == TW_OK && (!*set || !rounds_is_last(r->def, r->report)))
    {
        if (*set) status = bake_show(*set, r->def, r->err);
        if (status == TW_OK) status = rounds_next(r, set);
    }
    if (status == TW_OK || !*set || (status != TW_LIMIT && status != TW_NO_MEMORY)) return status;
    // the last round is the result; the next call knows the cost beforehand
    if (status == TW_NO_MEMORY) bake_add_note(r->report, "refinement stopped: ", r->err ? r->err->text : "");
    r->report->next_operations = tw_cells_round(r->cells)->next_operations;
    if (status == TW_LIMIT) rounds_keep(r, *set);
    return TW_OK;
}

twStatus bake_rounds(twModeSet** out, const twBakeDef* def, BakeSource* source, twBakeReport* report, const char* path,
                     const BakeState* state, twError* err)
{
    twError inner = {0};
    Rounds r = {def, source, report, path, &inner, NULL, NULL, 0, NULL};
    twStatus status = rounds_open(&r, state);
    if (status == TW_OK) status = rounds_run(&r, out);
    if (status == TW_INTERRUPTED && *out && path)
        tw_fail(err, status, "interrupted; round %d is in the cache, and the same command continues from it",
                report->levels);
    else if (status != TW_OK)
        tw_fail(err, status, "%s", inner.text);
    if (status != TW_OK)
    {
        tw_mode_set_destroy(*out);
        *out = NULL;
    }
    tw_cells_destroy(r.cells);
    free(r.materials);
    free(r.parts);
    return status;
}
