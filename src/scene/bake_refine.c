// SPDX-License-Identifier: MIT
// Refinement: solve on finer and finer meshes until the frequencies are good enough.
//
// The error of a frequency falls like h^4 with quadratic elements, like h^2 with linear ones, slower at sharp inner corners;
// h is the element size. Two meshes, h1 = R h2, give f1 and f2 with the difference d = f1 - f2. From it come
//
//     error of f2 about d / (R^p - 1)
//
// p is taken less than theory has, lest the estimate be too small, and as low as two steps show if they show less. Where
// meshes are nested (shapes), f2 - d / (R^4 - 1) is better than f2: that much of the error is known. The frequency reported
// is that. Half of what is left, d / (R^p - 1) - d / (R^4 - 1), is the estimate; three quarters where p was seen.
//
// Walls of shapes are refined apart from the edges along them: thin bodies would be hopeless otherwise. Each direction has
// its own difference, from the last step taken in it; the two errors add, and the greater one is refined next. Shorter edges
// make the error across walls smaller too: it is measured anew, with half as many elements across, before walls are refined.

#include "bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 12
#define FIRST_ELEMENTS 3  // along the longest side of the first mesh
#define THIN 0.1          // of the size: bodies thinner than this need not be as accurate
#define GROUP 1e-5        // modes closer than this are one group
#define ROUGH 0.02        // differences above this say little of the order
#define ROUGH_ORDER 1.5
#define LEAST_ORDER 1  // at the sharpest inner corners
#define UNKNOWN 1.0    // difference of a mode the coarser mesh does not have

typedef struct Refinement
{
    const twBakeDef* def;
    const BakeSource* source;
    twBakeReport* report;
    double edge;      // of the first mesh
    double accuracy;  // wanted
} Refinement;

// Edge of the first mesh: some elements along the body and across its second side, and no longer than a fraction of the
// shortest wave.
static double first_edge(const twBakeDef* def, const BakeSource* source)
{
    double edge = fmin(source->size / FIRST_ELEMENTS, 0.5 * source->width);
    if (def->max_freq_hz > 0)
    {
        const twMaterial mean = tw_material_isotropic(&def->material), *m = &mean;
        double w = 2 * TW_PI * def->max_freq_hz, h = source->thickness;
        double bend =
            2 * TW_PI * pow(m->young * h * h / (12 * (1 - m->poisson * m->poisson) * m->density * w * w), 0.25);
        double shear = sqrt(m->young / (2 * (1 + m->poisson) * m->density)) / def->max_freq_hz;
        edge = fmin(edge, fmax(bend, 0.5 * shear) / 2);
    }
    return edge;
}

static double wanted_accuracy(const twBakeDef* def, const BakeSource* source)
{
    if (def->accuracy > 0) return def->accuracy;
    return source->thickness < THIN * source->size ? 2e-3 : 1e-3;
}

// ---- differences ----

// f1 / f2 - 1 of mode k
static double difference(const BakeLevel* coarse, const BakeLevel* fine, int k)
{
    return k < coarse->modes->count ? coarse->modes->freq_hz[k] / fine->modes->freq_hz[k] - 1 : UNKNOWN;
}

// the order p by which errors fall, from two steps: d1 / d2 = (R1^p - 1) / (1 - R2^-p)
static double observed_order(const BakeError* before, double ratio, double d)
{
    const double q = fabs(before->difference / d);
    double low = LEAST_ORDER, high = 8;
    for (int i = 0; i < 30; i++)
    {
        const double p = 0.5 * (low + high), guess = (pow(before->ratio, p) - 1) / (1 - pow(ratio, -p));
        if (guess < q)
            low = p;
        else
            high = p;
    }
    return low;
}

// Part of the error by elements of h2 after a step with the difference d. Across a wall the order is lower than in theory as
// long as elements are longer than thick.
static BakeError error_of(const Refinement* r, BakeWay way, double ratio, double d, bool sure, const BakeError* before)
{
    const double theory = r->def->linear ? 2 : 4;
    const bool first = before->ratio <= 1;
    double order = (way == BAKE_ALONG ? 0.75 : 0.45) * theory;
    if (first && r->def->hold_count > 0) order = fmin(order, ROUGH_ORDER);
    const double seen = !first && d != 0 ? observed_order(before, ratio, d) : order;
    // of the bound; less is in reserve if the order was seen
    const double share = seen < order ? 0.75 : 0.5;
    order = fmin(order, seen);
    if (fabs(d) > ROUGH) order = fmin(order, ROUGH_ORDER);
    BakeError error = {.difference = d, .ratio = ratio};
    if (sure) error.known = d / (pow(ratio, theory) - 1);
    error.left = share * (fabs(d) / (pow(ratio, order) - 1) - fabs(error.known));
    return error;
}

// modes k to *end - 1 have one frequency, by the body's symmetry
static void find_group(const twFemModes* modes, int k, int* end)
{
    for (*end = k + 1; *end < modes->count; ++*end)
        if (modes->freq_hz[*end] > modes->freq_hz[k] * (1 + GROUP)) return;
}

// Mean difference of the group k to end - 1: among the coarse modes it may be mixed with others, but it stays one. If the
// neighbours are as near as modes have moved, the order may have changed: then nothing is sure, and the greatest counts.
static double group_difference(const BakeLevel* coarse, const BakeLevel* fine, int k, int end, bool* sure)
{
    const double* f = fine->modes->freq_hz;
    double d = 0, most = 0;
    for (int i = k; i < end; i++) d += difference(coarse, fine, i) / (end - k);
    *sure = true;
    for (int side = 0; side < 2; side++)
    {
        const int i = side == 0 ? k - 1 : end;
        if (i < 0 || i >= fine->modes->count) continue;
        // a neighbour that the coarse mesh does not have is above all it has: it cannot have been below this group
        const double other = i < coarse->modes->count ? difference(coarse, fine, i) : 0;
        const double gap = fabs(f[i] / f[side == 0 ? k : end - 1] - 1);
        if (gap > fmax(fabs(d), fabs(other))) continue;
        *sure = false;
        most = fmax(most, fabs(other));
    }
    return *sure || fabs(d) > most ? d : most;
}

static double size_ratio(BakeWay way, const BakeLevel* coarse, const BakeLevel* fine)
{
    return way == BAKE_ACROSS ? 2 : fine->size.cuts / coarse->size.cuts;
}

// what the step from coarse to fine tells of fine's frequencies; what else is known of them is in fine
static void compare(const Refinement* r, BakeWay way, const BakeLevel* coarse, BakeLevel* fine)
{
    const double ratio = size_ratio(way, coarse, fine);
    for (int k = 0, end; k < fine->modes->count; k = end)
    {
        bool sure;
        BakeMode mode = fine->mode[k];
        find_group(fine->modes, k, &end);
        const double d = group_difference(coarse, fine, k, end, &sure);
        mode.error[way] = error_of(r, way, ratio, d, sure, &mode.error[way]);
        const double keep = (1 - mode.error[BAKE_ALONG].known) * (1 - mode.error[BAKE_ACROSS].known);
        for (int i = k; i < end; i++)
        {
            mode.freq_hz = keep * fine->modes->freq_hz[i];
            fine->mode[i] = mode;
        }
    }
}

// modes that are wanted; with a highest frequency some more were found
static int wanted_modes(const Refinement* r, const BakeLevel* level)
{
    int count = level->modes->count;
    while (r->def->max_freq_hz > 0 && count > 0 && level->mode[count - 1].freq_hz > r->def->max_freq_hz) count--;
    return count;
}

// greatest error, weighted, one way
static double worst(const Refinement* r, const BakeLevel* level, BakeWay way)
{
    double most = 0;
    for (int k = 0; k < wanted_modes(r, level); k++) most = fmax(most, bake_weight(k) * level->mode[k].error[way].left);
    return most;
}

static double error_sum(const BakeMode* mode) { return mode->error[BAKE_ALONG].left + mode->error[BAKE_ACROSS].left; }

static double worst_sum(const Refinement* r, const BakeLevel* level)
{
    double most = 0;
    for (int k = 0; k < wanted_modes(r, level); k++) most = fmax(most, bake_weight(k) * error_sum(&level->mode[k]));
    return most;
}

// good enough: as wanted, or twice what parts cut along the elements cost anyway, which falls with the element size only
static bool good(const Refinement* r, const BakeLevel* level)
{
    return worst_sum(r, level) <= fmax(r->accuracy, 2 * level->loose);
}

static double greatest_error(const Refinement* r, const BakeLevel* level)
{
    double most = 0;
    for (int k = 0; k < wanted_modes(r, level); k++) most = fmax(most, error_sum(&level->mode[k]));
    return most;
}

// ---- steps ----

static int across(const Refinement* r, double cuts, int through)
{
    return r->source->shape ? tw_shape_across(r->source->shape, r->edge, (int)cuts, through) : 1;
}

static twStatus solve(const Refinement* r, BakeLevel* level, double cuts, int through, twError* err)
{
    twStatus status = bake_level_mesh(level, r->def, r->source, (BakeSize){r->edge, cuts, through}, r->report, err);
    if (status != TW_OK) return status;
    level->across = across(r, cuts, through);
    return bake_level_solve(level, r->def, r->source, r->report, err);
}

// twice as many, or half as many more if that will do
static double more_cuts(const Refinement* r, const BakeLevel* level)
{
    const double excess = worst_sum(r, level) / r->accuracy;
    return excess < 4 && (int)level->size.cuts % 2 == 0 ? 1.5 * level->size.cuts : 2 * level->size.cuts;
}

static twStatus step(const Refinement* r, BakeWay way, BakeLevel* level, twError* err)
{
    BakeLevel fine;
    twStatus status = way == BAKE_ALONG ? solve(r, &fine, more_cuts(r, level), level->size.through, err)
                                        : solve(r, &fine, level->size.cuts, 2 * level->across, err);
    if (status != TW_OK) return status;
    for (int k = 0; k < fine.modes->count && k < level->modes->count; k++)
        memcpy(fine.mode[k].error, level->mode[k].error, sizeof fine.mode[k].error);

    // short edges refine the walls too, and the difference is by both
    if (way == BAKE_ALONG && fine.across >= 2 * level->across)
        for (int k = 0; k < fine.modes->count; k++) fine.mode[k].error[BAKE_ACROSS] = (BakeError){0};
    fine.old_walls = way == BAKE_ALONG && fine.across < 2 * level->across;
    compare(r, way, level, &fine);
    bake_level_free(level);
    *level = fine;
    return TW_OK;
}

// the error across walls at the present edges
static twStatus look_across(const Refinement* r, BakeLevel* level, twError* err)
{
    BakeLevel coarse;
    twStatus status = solve(r, &coarse, level->size.cuts, level->across / 2, err);
    if (status != TW_OK) return status;
    for (int k = 0; k < level->modes->count; k++) level->mode[k].error[BAKE_ACROSS] = (BakeError){0};
    compare(r, BAKE_ACROSS, &coarse, level);
    level->old_walls = false;
    bake_level_free(&coarse);
    return TW_OK;
}

// first both ways, unless edges are short enough to refine the walls too; then where the error is greater
static twStatus refine_once(const Refinement* r, BakeLevel* level, int index, twError* err)
{
    if (index == 0 && level->across == 1) return step(r, BAKE_ACROSS, level, err);
    if (index <= 1 || worst(r, level, BAKE_ALONG) >= worst(r, level, BAKE_ACROSS))
        return step(r, BAKE_ALONG, level, err);
    if (level->old_walls && across(r, level->size.cuts, 1) <= level->across / 2) return look_across(r, level, err);
    return step(r, BAKE_ACROSS, level, err);
}

void bake_add_note(twBakeReport* report, const char* words, const char* why)
{
    size_t at = strlen(report->note);
    snprintf(report->note + at, sizeof report->note - at, "%s%s%.600s", at ? "; " : "", words, why);
}

// a point gives way the more the smaller the elements at it: there is nothing to converge to
static bool holds_points(const twBakeDef* def)
{
    for (int i = 0; i < def->hold_count; i++)
        if (def->holds[i].kind == TW_PART_POINT) return true;
    return false;
}

twStatus bake_refine(const twBakeDef* def, const BakeSource* source, BakeLevel* level, twBakeReport* report,
                     twError* err)
{
    const Refinement r = {def, source, report, first_edge(def, source), wanted_accuracy(def, source)};
    twStatus status = solve(&r, level, 1, 1, err);
    if (status == TW_OK && source->fixed_mesh) level->modes->count = wanted_modes(&r, level);
    if (status != TW_OK || source->fixed_mesh) return status;
    const int least = level->across == 1 ? 2 : 1;
    const bool loose_point = holds_points(def);
    int steps = 0;
    for (; steps < (loose_point ? least : MAX_STEPS) && (steps < least || !good(&r, level)); steps++)
    {
        twError inner = {0};
        status = refine_once(&r, level, steps, &inner);
        if (status == TW_OK) continue;
        if (status != TW_NO_MEMORY)
        {
            bake_level_free(level);
            return tw_fail(err, status, "%s", inner.text);
        }
        // what there is stands, with its own estimate if it has one
        bake_add_note(report, "refinement stopped: ", inner.text);
        break;
    }
    if (loose_point)
        bake_add_note(report,
                      "a held point is as stiff as the mesh makes it, so that errors are not known; hold a ball", "");
    else if (steps >= least)
        report->error_estimate = report->error_lowest = greatest_error(&r, level);
    level->modes->count = wanted_modes(&r, level);
    return TW_OK;
}
