// SPDX-License-Identifier: MIT
// Mode sets: checking, creation, damping by materials, points.
//
// A mode that stores the share T_r of its kinetic and V_r of its elastic energy in material r decays with
//     c = 1/2 sum over r of  T_r alpha_r + V_r (eta_r w + beta_r w^2)
// (src/fem/energy.c): damping by mass acts where the body moves, the others where it is strained.

#include "mode_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SET_MAX_MODES 1000000
#define SET_MAX_VERTICES 100000000
#define SET_MAX_TETS 200000000
#define SET_MAX_MATERIALS 1000

// ---- checking ----

static bool in_range(int count, int most) { return count >= 0 && count <= most; }

static twStatus check_counts(const twModeSet* d, twError* err)
{
    if (!in_range(d->mode_count, SET_MAX_MODES))
        return tw_fail(err, TW_BAD_INPUT, "%d modes: there can be 0 to %d", d->mode_count, SET_MAX_MODES);
    if (d->vertex_count < 1 || d->vertex_count > SET_MAX_VERTICES || !in_range(d->face_count, 2 * SET_MAX_VERTICES))
        return tw_fail(err, TW_BAD_INPUT, "%d vertices and %d faces are out of range", d->vertex_count, d->face_count);
    if (!in_range(d->material_count, SET_MAX_MATERIALS))
        return tw_fail(err, TW_BAD_INPUT, "%d materials: there can be 0 to %d", d->material_count, SET_MAX_MATERIALS);
    if (!in_range(d->tet_count, SET_MAX_TETS) || !in_range(d->inner_count, SET_MAX_VERTICES))
        return tw_fail(err, TW_BAD_INPUT, "%d tets and %d inner nodes are out of range", d->tet_count, d->inner_count);
    bool shaped = d->tet_count == 0 ? d->nodes_per_tet == 0 && d->inner_count == 0
                                    : d->nodes_per_tet == 4 || d->nodes_per_tet == 10;
    if (!shaped)
        return tw_fail(err, TW_BAD_INPUT, "%d tets of %d nodes with %d nodes inside: tets have 4 or 10 nodes",
                       d->tet_count, d->nodes_per_tet, d->inner_count);
    return TW_OK;
}

static twStatus check_places(const twVec3* at, int count, const char* what, twError* err)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(at[i].x) || !isfinite(at[i].y) || !isfinite(at[i].z))
            return tw_fail(err, TW_BAD_INPUT, "%s %d is not finite", what, i);
    return TW_OK;
}

static twStatus check_surface(const twModeSet* d, twError* err)
{
    for (int i = 0; i < d->face_count; i++)
        for (int k = 0; k < 3; k++)
            if (d->faces[i].v[k] < 0 || d->faces[i].v[k] >= d->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "face %d names vertex %d of %d", i, d->faces[i].v[k],
                               d->vertex_count);
    return check_places(d->vertices, d->vertex_count, "vertex", err);
}

static twStatus check_tets(const twModeSet* d, twError* err)
{
    int nodes = d->vertex_count + d->inner_count;
    for (int t = 0; t < d->tet_count; t++)
    {
        const int* tet = d->tets + (size_t)t * (size_t)d->nodes_per_tet;
        for (int i = 0; i < d->nodes_per_tet; i++)
            if (tet[i] < 0 || tet[i] >= nodes)
                return tw_fail(err, TW_BAD_INPUT, "tet %d names node %d of %d", t, tet[i], nodes);
        if (d->tet_materials && (d->tet_materials[t] < 0 || d->tet_materials[t] >= d->material_count))
            return tw_fail(err, TW_BAD_INPUT, "tet %d is of material %d of %d", t, d->tet_materials[t],
                           d->material_count);
    }
    return check_places(d->inner, d->inner_count, "inner node", err);
}

static bool usable(double value) { return value >= 0 && isfinite(value); }

static twStatus check_materials(const twModeSet* d, twError* err)
{
    for (int i = 0; i < d->material_count; i++)
    {
        const twModeMaterial* m = &d->materials[i];
        if (!memchr(m->name, 0, sizeof m->name))
            return tw_fail(err, TW_BAD_INPUT, "material %d: its name has no end", i);
        if (!usable(m->density) || !usable(m->young) || !(fabs(m->poisson) < 1) || !usable(m->alpha) ||
            !usable(m->beta) || !usable(m->loss_factor) || !usable(m->volume) || !usable(m->thermoelastic.strength) ||
            !usable(m->thermoelastic.time))
            return tw_fail(err, TW_BAD_INPUT, "material %d: a constant is negative or not finite", i);
    }
    if (!d->kinetic != !d->elastic)
        return tw_fail(err, TW_BAD_INPUT, "the shares of the materials in the energy are there only in part");
    size_t values = d->kinetic ? (size_t)d->mode_count * (size_t)d->material_count : 0;
    for (size_t i = 0; i < values; i++)
        if (!(d->kinetic[i] >= 0 && d->kinetic[i] <= 1 && d->elastic[i] >= 0 && d->elastic[i] <= 1))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: the share of a material in its energy is outside 0 to 1",
                           (int)(i / (size_t)d->material_count));
    return TW_OK;
}

static twStatus check_body(const twModeSet* d, twError* err)
{
    const twMassProperties* m = &d->mass;
    double sum = m->centre.x + m->centre.y + m->centre.z;
    for (int i = 0; i < 9; i++) sum += ((const double*)m->inertia.m)[i];
    if (!usable(m->mass) || !usable(m->volume) || !isfinite(sum))
        return tw_fail(err, TW_BAD_INPUT, "mass %g kg, volume %g m^3, centre or inertia are not usable", m->mass,
                       m->volume);
    if (!usable(d->error_estimate) || d->rigid_modes < 0)
        return tw_fail(err, TW_BAD_INPUT, "error estimate %g and %d rigid modes must not be negative",
                       d->error_estimate, d->rigid_modes);
    return TW_OK;
}

static twStatus check_shape(const float* shape, int modes, int nodes, const char* what, twError* err)
{
    size_t values = 3 * (size_t)modes * (size_t)nodes;
    for (size_t i = 0; i < values; i++)
        if (!isfinite(shape[i]))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: its shape is not finite at %s %d", (int)(i / 3 / (size_t)nodes),
                           what, (int)(i / 3 % (size_t)nodes));
    return TW_OK;
}

static twStatus check_modes(const twModeSet* d, twError* err)
{
    for (int k = 0; k < d->mode_count; k++)
    {
        if (!(d->freq_hz[k] > 0 && isfinite(d->freq_hz[k])))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: frequency %g Hz must be positive", k, d->freq_hz[k]);
        if (d->decay && !usable(d->decay[k]))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: decay %g 1/s must not be negative", k, d->decay[k]);
    }
    twStatus status = check_shape(d->shape, d->mode_count, d->vertex_count, "vertex", err);
    return status == TW_OK ? check_shape(d->inner_shape, d->mode_count, d->inner_count, "inner node", err) : status;
}

// a transfer is of these very modes
static twStatus check_transfer(const twModeSet* d, twError* err)
{
    const twTransfer* t = d->transfer;
    if (!t) return TW_OK;
    if (t->mode_count != d->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of %d modes in a set of %d", t->mode_count, d->mode_count);
    for (int k = 0; k < d->mode_count; k++)
        if (t->freq_hz[k] != d->freq_hz[k])
            return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of mode %d is for %g Hz instead of %g Hz", k,
                           t->freq_hz[k], d->freq_hz[k]);
    return transfer_check(t, err);
}

twStatus mode_set_check(const twModeSet* d, twError* err)
{
    twStatus status = check_counts(d, err);
    if (status == TW_OK) status = tw_damping_check(&d->damping, err);
    if (status == TW_OK) status = check_body(d, err);
    if (status == TW_OK) status = check_materials(d, err);
    if (status == TW_OK) status = check_surface(d, err);
    if (status == TW_OK) status = check_tets(d, err);
    if (status == TW_OK) status = check_modes(d, err);
    return status == TW_OK ? check_transfer(d, err) : status;
}

// ---- creation ----

static double material_decay(const twModeSet* d, int mode)
{
    double w = 2 * TW_PI * d->freq_hz[mode], sum = 0;
    for (int r = 0; r < d->material_count; r++)
    {
        const twModeMaterial* m = &d->materials[r];
        size_t at = (size_t)mode * (size_t)d->material_count + (size_t)r;
        double kinetic = d->kinetic ? d->kinetic[at] : r == 0, elastic = d->elastic ? d->elastic[at] : r == 0;
        // constants without a loss factor are fits of whole decays, heat included
        const double heat = m->loss_factor > 0 ? tw_relaxation_loss(m->thermoelastic, d->freq_hz[mode]) : 0;
        const double loss = m->loss_factor + heat;
        sum += kinetic * m->alpha + elastic * (loss * w + m->beta * w * w);
    }
    return 0.5 * sum;
}

static void fill_decay(double* decay, const twModeSet* d)
{
    for (int k = 0; k < d->mode_count; k++)
        decay[k] = d->decay                                  ? d->decay[k]
                   : d->damping.kind == TW_DAMPING_MATERIALS ? material_decay(d, k)
                                                             : tw_damping_decay(&d->damping, d->freq_hz[k]);
}

// where decays come from must be known
static twStatus check_damping(const twModeSet* d, twError* err)
{
    if (d->decay || d->mode_count == 0) return TW_OK;
    if (d->damping.kind == TW_DAMPING_MODES)
        return tw_fail(err, TW_BAD_INPUT, "damping mode by mode needs the decays of %d modes", d->mode_count);
    if (d->damping.kind == TW_DAMPING_MATERIALS && d->material_count == 0)
        return tw_fail(err, TW_BAD_INPUT, "damping by materials needs materials");
    return TW_OK;
}

// the arrays of a set, in order, with their sizes
enum
{
    ARRAYS = 17
};

typedef struct Array
{
    const void* from;
    uint64_t bytes;
} Array;

static void list_arrays(const twModeSet* d, Array list[ARRAYS])
{
    uint64_t modes = (uint64_t)d->mode_count, vertices = (uint64_t)d->vertex_count, inner = (uint64_t)d->inner_count;
    uint64_t tets = (uint64_t)d->tet_count, materials = (uint64_t)d->material_count;
    const twTransfer* t = d->transfer;
    const Array all[ARRAYS] = {
        {d->freq_hz, modes * sizeof(double)},
        {d->decay, modes * sizeof(double)},
        {d->shape, 3 * modes * vertices * sizeof(float)},
        {d->vertices, vertices * sizeof(twVec3)},
        {d->faces, (uint64_t)d->face_count * sizeof(twTriangle)},
        {d->materials, materials * sizeof(twModeMaterial)},
        {d->kinetic, d->kinetic ? modes * materials * sizeof(double) : 0},
        {d->elastic, d->elastic ? modes * materials * sizeof(double) : 0},
        {d->tets, tets * (uint64_t)d->nodes_per_tet * sizeof(int)},
        {d->tet_materials, d->tet_materials ? tets * sizeof(int) : 0},
        {d->inner, inner * sizeof(twVec3)},
        {d->inner_shape, 3 * modes * inner * sizeof(float)},
        {t, t ? sizeof *t : 0},
        {t ? t->order : NULL, t ? modes * sizeof(int) : 0},
        {t ? t->first : NULL, t ? modes * sizeof(int64_t) : 0},
        {t ? t->moments : NULL, t ? 2 * (uint64_t)t->moment_count * sizeof(float) : 0},
        {t ? t->error_db : NULL, t ? modes * sizeof(float) : 0},
    };
    memcpy(list, all, sizeof all);
}

// the transfer of a set, of which the arrays are copied
static twTransfer* transfer_in(const twModeSet* set, char* const copy[5])
{
    twTransfer* t = (twTransfer*)copy[0];
    t->freq_hz = set->freq_hz;
    t->order = (int*)copy[1];
    t->first = (int64_t*)copy[2];
    t->moments = (float*)copy[3];
    t->error_db = (float*)copy[4];
    return t;
}

// a block for the set and copies of its arrays, each aligned to 64 bytes
twStatus tw_mode_set_create(twModeSet** out, const twModeSet* def, twError* err)
{
    *out = NULL;
    twStatus status = mode_set_check(def, err);
    if (status == TW_OK) status = check_damping(def, err);
    if (status != TW_OK) return status;
    Array list[ARRAYS];
    list_arrays(def, list);
    uint64_t total = (sizeof(twModeSet) + 63) / 64 * 64;
    for (int i = 0; i < ARRAYS; i++) total += (list[i].bytes + 63) / 64 * 64;
    char *block = total > PTRDIFF_MAX ? NULL : calloc(1, (size_t)total), *copy[ARRAYS];
    if (!block)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes at %d vertices (%.0f MB)", def->mode_count,
                       def->vertex_count, (double)total * 1e-6);
    char* at = block + (sizeof(twModeSet) + 63) / 64 * 64;
    for (int i = 0; i < ARRAYS; at += (list[i].bytes + 63) / 64 * 64, i++)
    {
        if (list[i].from && list[i].bytes) memcpy(at, list[i].from, (size_t)list[i].bytes);
        copy[i] = at;
    }
    twModeSet* set = (twModeSet*)block;
    *set = *def;
    fill_decay((double*)copy[1], def);
    set->freq_hz = (double*)copy[0];
    set->decay = (double*)copy[1];
    set->shape = (float*)copy[2];
    set->vertices = (twVec3*)copy[3];
    set->faces = (twTriangle*)copy[4];
    set->materials = (twModeMaterial*)copy[5];
    set->kinetic = def->kinetic ? (double*)copy[6] : NULL;
    set->elastic = def->elastic ? (double*)copy[7] : NULL;
    set->tets = (int*)copy[8];
    set->tet_materials = def->tet_materials ? (int*)copy[9] : NULL;
    set->inner = (twVec3*)copy[10];
    set->inner_shape = (float*)copy[11];
    if (def->transfer) set->transfer = transfer_in(set, copy + 12);
    *out = set;
    return TW_OK;
}

void tw_mode_set_destroy(twModeSet* set) { free(set); }

twStatus tw_mode_set_damp(twModeSet** out, const twModeSet* set, const twDamping* damping, const double* decay,
                          twError* err)
{
    twModeSet def = *set;
    def.damping = *damping;
    def.decay = damping->kind == TW_DAMPING_MODES ? decay : NULL;
    return tw_mode_set_create(out, &def, err);
}

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

// twice the area of a face along its normal
static twVec3 face_area(const twModeSet* set, int face)
{
    const int* v = set->faces[face].v;
    twVec3 a = tw_vec3_sub(set->vertices[v[1]], set->vertices[v[0]]);
    twVec3 b = tw_vec3_sub(set->vertices[v[2]], set->vertices[v[0]]);
    return tw_vec3_cross(a, b);
}

static twVec3 unit_or_up(twVec3 v)
{
    double length = tw_vec3_norm(v);
    return length > 0 ? tw_vec3_scale(v, 1 / length) : (twVec3){0, 0, 1};
}

// mean of the faces around a vertex, weighted by area
twVec3 tw_mode_set_normal(const twModeSet* set, int vertex)
{
    TW_ASSERT(vertex >= 0 && vertex < set->vertex_count);
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < set->face_count; i++)
    {
        const int* v = set->faces[i].v;
        if (v[0] == vertex || v[1] == vertex || v[2] == vertex) sum = tw_vec3_add(sum, face_area(set, i));
    }
    return unit_or_up(sum);
}

// squared motion along a direction, of the lowest modes
static double answer(const twModeSet* set, int vertex, twVec3 direction, int lowest)
{
    double sum = 0;
    for (int k = 0; k < set->mode_count && k < lowest; k++)
    {
        const double along = tw_vec3_dot(tw_mode_set_shape(set, k, vertex), direction);
        sum += along * along;
    }
    return sum;
}

twStatus tw_mode_set_liveliest(int* out, const twModeSet* set, int lowest, twError* err)
{
    *out = 0;
    twVec3* normals = calloc((size_t)set->vertex_count + 1, sizeof *normals);
    if (!normals) return tw_fail(err, TW_NO_MEMORY, "no memory for %d normals", set->vertex_count);
    for (int i = 0; i < set->face_count; i++)
        for (int k = 0; k < 3; k++)
            normals[set->faces[i].v[k]] = tw_vec3_add(normals[set->faces[i].v[k]], face_area(set, i));
    double most = -1;
    for (int i = 0; i < set->vertex_count; i++)
    {
        const double sum = answer(set, i, unit_or_up(normals[i]), lowest);
        if (sum > most) most = sum, *out = i;
    }
    free(normals);
    return TW_OK;
}

twVec3 tw_mode_set_shape(const twModeSet* set, int mode, int node)
{
    TW_ASSERT(mode >= 0 && mode < set->mode_count && node >= 0 && node < set->vertex_count + set->inner_count);
    bool inside = node >= set->vertex_count;
    size_t count = (size_t)(inside ? set->inner_count : set->vertex_count);
    size_t at = (size_t)mode * count + (size_t)(inside ? node - set->vertex_count : node);
    const float* s = (inside ? set->inner_shape : set->shape) + 3 * at;
    return (twVec3){s[0], s[1], s[2]};
}
