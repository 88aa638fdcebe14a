// SPDX-License-Identifier: MIT
// Which modes of a set are worth keeping (Hauser, Shen, O'Brien 2003, 3.2), and lumped modes.
//
// A static force f at a vertex moves mode k by shape f / w^2 there, so the most that a force F can move anything through
// mode k is F max|shape|^2 / w^2; modes for which that is less than the smallest motion of interest are dropped.

#include "mode_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- culling ----

double tw_mode_set_give(const twModeSet* set, int mode)
{
    TW_ASSERT(mode >= 0 && mode < set->mode_count);
    const float* s = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    double most = 0, w = 2 * TW_PI * set->freq_hz[mode];
    for (int i = 0; i < set->vertex_count; i++, s += 3)
    {
        double square = (double)s[0] * s[0] + (double)s[1] * s[1] + (double)s[2] * s[2];
        if (square > most) most = square;
    }
    return most / (w * w);
}

static twCullReason reason(const twModeSet* set, int mode, const twCullDef* cull)
{
    double f = set->freq_hz[mode];
    if (f < cull->low_hz) return TW_CULL_TOO_LOW;
    if (cull->high_hz > 0 && f >= cull->high_hz) return TW_CULL_TOO_HIGH;
    bool stiff = cull->largest_force > 0 && cull->largest_force * tw_mode_set_give(set, mode) < cull->smallest_motion;
    return stiff ? TW_CULL_TOO_STIFF : TW_CULL_KEPT;
}

// numbers of the modes kept (modes). why may be NULL
static twCullReport choose(const twModeSet* set, const twCullDef* cull, int* kept, twCullReason* why)
{
    twCullReport report = {0};
    for (int k = 0; k < set->mode_count; k++)
    {
        twCullReason r = reason(set, k, cull);
        if (r == TW_CULL_KEPT) kept[report.kept++] = k;
        report.too_low += r == TW_CULL_TOO_LOW;
        report.too_high += r == TW_CULL_TOO_HIGH;
        report.too_stiff += r == TW_CULL_TOO_STIFF;
        if (why) why[k] = r;
    }
    return report;
}

static twStatus check_cull(const twCullDef* c, twError* err)
{
    const double values[] = {c->low_hz, c->high_hz, c->largest_force, c->smallest_motion};
    for (int i = 0; i < 4; i++)
        if (!(values[i] >= 0 && isfinite(values[i])))
            return tw_fail(err, TW_BAD_INPUT, "culling: limit %g must not be negative", values[i]);
    if (c->high_hz > 0 && c->high_hz <= c->low_hz)
        return tw_fail(err, TW_BAD_INPUT, "culling: the band from %g to %g Hz is empty", c->low_hz, c->high_hz);
    return TW_OK;
}

// rows of the kept modes, row bytes each, in a new array
static void* keep_rows(const void* from, size_t row, const int* kept, int count)
{
    char* to = malloc((size_t)count * row + 1);
    for (int k = 0; to && row > 0 && k < count; k++)
        memcpy(to + (size_t)k * row, (const char*)from + (size_t)kept[k] * row, row);
    return to;
}

static twStatus keep_modes(twModeSet** out, const twModeSet* set, const int* kept, int count, twError* err)
{
    size_t materials = set->kinetic ? (size_t)set->material_count : 0;
    double* freq = keep_rows(set->freq_hz, sizeof(double), kept, count);
    double* decay = keep_rows(set->decay, sizeof(double), kept, count);
    double* kinetic = keep_rows(set->kinetic, materials * sizeof(double), kept, count);
    double* elastic = keep_rows(set->elastic, materials * sizeof(double), kept, count);
    float* shape = keep_rows(set->shape, 3 * (size_t)set->vertex_count * sizeof(float), kept, count);
    float* inner = keep_rows(set->inner_shape, 3 * (size_t)set->inner_count * sizeof(float), kept, count);
    twTransfer* transfer = set->transfer ? transfer_keep(set->transfer, kept, count) : NULL;
    twStatus status = TW_OK;
    if (!freq || !decay || !kinetic || !elastic || !shape || !inner || (set->transfer && !transfer))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", count);
    else
    {
        twModeSet def = *set;
        def.mode_count = count;
        def.freq_hz = freq;
        def.decay = decay;
        def.kinetic = set->kinetic ? kinetic : NULL;
        def.elastic = set->elastic ? elastic : NULL;
        def.shape = shape;
        def.inner_shape = inner;
        def.transfer = transfer;
        status = tw_mode_set_create(out, &def, err);
    }
    free(freq);
    free(decay);
    free(kinetic);
    free(elastic);
    free(shape);
    free(inner);
    tw_transfer_destroy(transfer);
    return status;
}

twStatus tw_mode_set_cull(twModeSet** out, const twModeSet* set, const twCullDef* cull, twCullReason* why,
                          twCullReport* report, twError* err)
{
    *out = NULL;
    twStatus status = check_cull(cull, err);
    if (status != TW_OK) return status;
    int* kept = malloc(((size_t)set->mode_count + 1) * sizeof *kept);
    if (!kept) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", set->mode_count);
    twCullReport counts = choose(set, cull, kept, why);
    status = keep_modes(out, set, kept, counts.kept, err);
    if (report) *report = counts;
    free(kept);
    return status;
}

// ---- lumped modes ----

typedef struct Lumped
{
    double *freq_hz, *decay, *mass, *shape, *pickup;
} Lumped;

static bool lumped_alloc(Lumped* l, size_t modes, size_t points, size_t pickups)
{
    size_t n = modes ? modes : 1;
    l->freq_hz = calloc(n * (3 + points + pickups), sizeof(double));
    if (!l->freq_hz) return false;
    l->decay = l->freq_hz + n;
    l->mass = l->decay + n;
    l->shape = l->mass + n;
    l->pickup = l->shape + n * points;
    return true;
}

static double shape_at(const twModeSet* set, int mode, const twModePoint* p)
{
    const float* s = set->shape + 3 * ((size_t)mode * (size_t)set->vertex_count + (size_t)p->vertex);
    return s[0] * p->direction.x + s[1] * p->direction.y + s[2] * p->direction.z;
}

static twStatus check_points(const twModeSet* set, const twModePoint* points, int count, const char* what, twError* err)
{
    if (count < 1) return tw_fail(err, TW_BAD_INPUT, "at least one %s is needed", what);
    for (int i = 0; i < count; i++)
        if (points[i].vertex < 0 || points[i].vertex >= set->vertex_count)
            return tw_fail(err, TW_BAD_INPUT, "%s %d: vertex %d of %d", what, i, points[i].vertex, set->vertex_count);
    return TW_OK;
}

static void fill_rows(const twModeSet* set, const int* kept, int count, const twModePoint* points, int rows,
                      double* out)
{
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < count; k++) out[(size_t)r * (size_t)count + (size_t)k] = shape_at(set, kept[k], &points[r]);
}

twStatus tw_mode_set_modes(twModes** out, const twModeSet* set, const twModePoint* points, int point_count,
                           const twModePoint* pickups, int pickup_count, const twCullDef* cull, twCullReport* report,
                           twError* err)
{
    *out = NULL;
    twCullDef none = {0};
    twStatus status = check_points(set, points, point_count, "point", err);
    if (status == TW_OK) status = check_points(set, pickups, pickup_count, "pickup", err);
    if (status != TW_OK) return status;
    int* kept = calloc((size_t)set->mode_count + 1, sizeof(int));
    Lumped l = {0};
    if (!kept || !lumped_alloc(&l, (size_t)set->mode_count, (size_t)point_count, (size_t)pickup_count))
    {
        free(kept);
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", set->mode_count);
    }
    twCullReport counts = choose(set, cull ? cull : &none, kept, NULL);
    for (int k = 0; k < counts.kept; k++)
    {
        l.freq_hz[k] = set->freq_hz[kept[k]];
        l.decay[k] = set->decay[kept[k]];
        l.mass[k] = 1;
    }
    fill_rows(set, kept, counts.kept, points, point_count, l.shape);
    fill_rows(set, kept, counts.kept, pickups, pickup_count, l.pickup);
    twModesDef def = {counts.kept, l.freq_hz, l.decay, l.mass, point_count, l.shape, pickup_count, l.pickup};
    status = tw_modes_create(out, &def, err);
    if (report) *report = counts;
    free(l.freq_hz);
    free(kept);
    return status;
}
