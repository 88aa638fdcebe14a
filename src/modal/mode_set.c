// SPDX-License-Identifier: MIT
// Mode sets: creation, points, culling (Hauser, Shen, O'Brien 2003, 3.2), lumped modes.
//
// A static force f at a vertex moves mode k by shape f / w^2 there, so the most that a force F can move anything through
// mode k is F max|shape|^2 / w^2; modes for which that is less than the smallest motion of interest are dropped.

#include "mode_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SET_MAX_MODES 1000000
#define SET_MAX_VERTICES 100000000

static twStatus check_counts(const twModeSet* d, twError* err)
{
    if (d->mode_count < 0 || d->mode_count > SET_MAX_MODES)
        return tw_fail(err, TW_BAD_INPUT, "%d modes: there can be 0 to %d", d->mode_count, SET_MAX_MODES);
    if (d->vertex_count < 1 || d->vertex_count > SET_MAX_VERTICES || d->face_count < 0 ||
        d->face_count > 2 * SET_MAX_VERTICES)
        return tw_fail(err, TW_BAD_INPUT, "%d vertices and %d faces are out of range", d->vertex_count, d->face_count);
    return TW_OK;
}

static twStatus check_surface(const twModeSet* d, twError* err)
{
    for (int i = 0; i < d->vertex_count; i++)
        if (!isfinite(d->vertices[i].x) || !isfinite(d->vertices[i].y) || !isfinite(d->vertices[i].z))
            return tw_fail(err, TW_BAD_INPUT, "vertex %d is not finite", i);
    for (int i = 0; i < d->face_count; i++)
        for (int k = 0; k < 3; k++)
            if (d->faces[i].v[k] < 0 || d->faces[i].v[k] >= d->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "face %d names vertex %d of %d", i, d->faces[i].v[k],
                               d->vertex_count);
    return TW_OK;
}

twStatus mode_set_check(const twModeSet* d, twError* err)
{
    twStatus status = check_counts(d, err);
    if (status == TW_OK) status = tw_damping_check(&d->damping, err);
    if (status == TW_OK) status = check_surface(d, err);
    if (status != TW_OK) return status;
    for (int k = 0; k < d->mode_count; k++)
    {
        if (!(d->freq_hz[k] > 0 && isfinite(d->freq_hz[k])))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: frequency %g Hz must be positive", k, d->freq_hz[k]);
        if (d->decay && !(d->decay[k] >= 0 && isfinite(d->decay[k])))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: decay %g 1/s must not be negative", k, d->decay[k]);
    }
    size_t values = 3 * (size_t)d->mode_count * (size_t)d->vertex_count;
    for (size_t i = 0; i < values; i++)
        if (!isfinite(d->shape[i]))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: its shape is not finite at vertex %d",
                           (int)(i / 3 / (size_t)d->vertex_count), (int)(i / 3 % (size_t)d->vertex_count));
    return TW_OK;
}

// a block for the set and copies of its arrays, each aligned to 64 bytes
twStatus tw_mode_set_create(twModeSet** out, const twModeSet* def, twError* err)
{
    *out = NULL;
    twStatus status = mode_set_check(def, err);
    if (status != TW_OK) return status;
    size_t modes = (size_t)def->mode_count, vertices = (size_t)def->vertex_count, faces = (size_t)def->face_count;
    size_t sizes[] = {sizeof(twModeSet),         modes * sizeof(double),
                      modes * sizeof(double),    3 * modes * vertices * sizeof(float),
                      vertices * sizeof(twVec3), faces * sizeof(twTriangle)};
    size_t at[7] = {0};
    for (int i = 0; i < 6; i++) at[i + 1] = at[i] + (sizes[i] + 63) / 64 * 64;
    char* block = calloc(1, at[6]);
    if (!block)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes at %d vertices", def->mode_count, def->vertex_count);
    twModeSet* set = (twModeSet*)block;
    *set = *def;
    set->freq_hz = memcpy(block + at[1], def->freq_hz ? (const void*)def->freq_hz : block, sizes[1]);
    double* decay = (double*)(block + at[2]);
    for (size_t k = 0; k < modes; k++)
        decay[k] = def->decay ? def->decay[k] : tw_damping_decay(&def->damping, def->freq_hz[k]);
    set->decay = decay;
    set->shape = memcpy(block + at[3], def->shape ? (const void*)def->shape : block, sizes[3]);
    set->vertices = memcpy(block + at[4], def->vertices, sizes[4]);
    set->faces = memcpy(block + at[5], def->faces ? (const void*)def->faces : block, sizes[5]);
    *out = set;
    return TW_OK;
}

void tw_mode_set_destroy(twModeSet* set) { free(set); }

// ---- points ----

int tw_mode_set_nearest(const twModeSet* set, twVec3 point)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < set->vertex_count; i++)
    {
        twVec3 d = tw_vec3_sub(set->vertices[i], point);
        double square = tw_vec3_dot(d, d);
        if (square < least) least = square, best = i;
    }
    return best;
}

// mean of the faces around a vertex, weighted by area
twVec3 tw_mode_set_normal(const twModeSet* set, int vertex)
{
    TW_ASSERT(vertex >= 0 && vertex < set->vertex_count);
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < set->face_count; i++)
    {
        const int* v = set->faces[i].v;
        if (v[0] != vertex && v[1] != vertex && v[2] != vertex) continue;
        twVec3 a = tw_vec3_sub(set->vertices[v[1]], set->vertices[v[0]]);
        twVec3 b = tw_vec3_sub(set->vertices[v[2]], set->vertices[v[0]]);
        sum = tw_vec3_add(sum, tw_vec3_cross(a, b));
    }
    double length = sqrt(tw_vec3_dot(sum, sum));
    return length > 0 ? tw_vec3_scale(sum, 1 / length) : (twVec3){0, 0, 1};
}

static double shape_at(const twModeSet* set, int mode, const twModePoint* p)
{
    const float* s = set->shape + 3 * ((size_t)mode * (size_t)set->vertex_count + (size_t)p->vertex);
    return s[0] * p->direction.x + s[1] * p->direction.y + s[2] * p->direction.z;
}

// ---- culling ----

static double largest_square(const twModeSet* set, int mode)
{
    const float* s = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    double most = 0;
    for (int i = 0; i < set->vertex_count; i++, s += 3)
    {
        double square = (double)s[0] * s[0] + (double)s[1] * s[1] + (double)s[2] * s[2];
        if (square > most) most = square;
    }
    return most;
}

static bool keeps(const twModeSet* set, int mode, const twCullDef* cull, twCullReport* report)
{
    double f = set->freq_hz[mode], w = 2 * TW_PI * f;
    if (f < cull->low_hz)
    {
        report->too_low++;
        return false;
    }
    if (cull->high_hz > 0 && f >= cull->high_hz)
    {
        report->too_high++;
        return false;
    }
    if (cull->largest_force > 0 && cull->largest_force * largest_square(set, mode) / (w * w) < cull->smallest_motion)
    {
        report->too_stiff++;
        return false;
    }
    return true;
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
    twCullReport counts = {0};
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
    for (int k = 0; k < set->mode_count; k++)
        if (keeps(set, k, cull ? cull : &none, &counts)) kept[counts.kept++] = k;
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
