// SPDX-License-Identifier: MIT
// Cuts and warp of isosurface stuffing (Labelle & Shewchuk 2007, section 3): a lattice vertex moves onto the surface if
// one of its edges is cut within alpha of its length; this gives the bounds of the dihedral angles.
//
// A thin wall needs care. A vertex inside it, moved onto one side, would no longer tell the other side's cuts, and the
// wall would be lost there. So a vertex whose cuts look both ways goes toward the middle of the wall instead, as far as
// its tets allow, and moves onto the surface only if it is very near to it even so. The same holds in a thin gap.
#include "fill.h"
#include <stdlib.h>

static const double ALPHA_LONG = 0.24999;
static const double ALPHA_SHORT = 0.41189;
static const double ALPHA_THIN = 0.1;     // for a vertex in a wall: what is thinner still is lost
static const double OPPOSED = -0.3;       // cosine between normals of the two sides of a wall
static const double MIDDLE = 0.45;        // depth wanted in a wall, in cells
static const double FARTHEST = 0.3;       // move toward it, in cells
static const double LEAST_VOLUME = 0.15;  // of a lattice tet, left after all moves

typedef struct Warper
{
    FillCuts* cuts;
    FillLattice* lattice;
    const FillField* field;
    int* first;  // (vertices + 1) into incident
    int* incident;
    bool* thin;   // (vertices) cuts look both ways
    bool* moved;  // (vertices) toward the middle
} Warper;

// ---- cuts ----

static bool list_cuts(Warper* w)
{
    FillCuts* c = w->cuts;
    const FillVertex* v = w->lattice->vertices;
    for (int i = 0; i < 16 * w->lattice->tet_count; i++)
    {
        const int* n = w->lattice->tets[i / 16].n;
        int a = n[i / 4 % 4], b = n[i % 4];
        // an edge that ends on the surface counts as cut there, as long as walls are looked for
        if (v[a].sign <= 0 || v[b].sign > 0) continue;
        int* slot = fill_cut_add(c, a, b, c->count);
        if (!slot || !fill_reserve((void**)&c->cuts, &c->capacity, c->count + 1, sizeof *c->cuts)) return false;
        if (*slot == c->count) c->cuts[c->count++] = (FillCut){.in = a, .out = b, .node = -1};
    }
    return true;
}

static void find_cut(const Warper* w, FillCut* cut)
{
    const FillVertex *in = &w->lattice->vertices[cut->in], *out = &w->lattice->vertices[cut->out];
    if (out->sign == 0)
    {
        cut->t = 1;
        cut->point = out->position;
        cut->normal = fill_field_normal(w->field, out->position);
        return;
    }
    cut->t = fill_field_cut(w->field, in->position, out->position, in->value, out->value, &cut->normal);
    cut->point = tw_vec3_add_scaled(in->position, tw_vec3_sub(out->position, in->position), cut->t);
}

static twStatus find_cuts(const Warper* w, const FillProgress* progress, twError* err)
{
    for (int i = 0; i < w->cuts->count; i++)
    {
        find_cut(w, &w->cuts->cuts[i]);
        twStatus status = i % 512 ? TW_OK : fill_progress(progress, (double)i / w->cuts->count, err);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

// cuts of every vertex
static bool list_incident(Warper* w)
{
    const FillCuts* c = w->cuts;
    int vertices = w->lattice->vertex_count;
    w->first = calloc((size_t)vertices + 2, sizeof *w->first);
    w->incident = malloc(2 * (size_t)c->count * sizeof *w->incident + 1);
    if (!w->first || !w->incident) return false;
    for (int i = 0; i < 2 * c->count; i++) w->first[(i % 2 ? c->cuts[i / 2].in : c->cuts[i / 2].out) + 2]++;
    for (int i = 2; i < vertices + 2; i++) w->first[i] += w->first[i - 1];
    for (int i = 0; i < 2 * c->count; i++)
        w->incident[w->first[(i % 2 ? c->cuts[i / 2].in : c->cuts[i / 2].out) + 1]++] = i / 2;
    return true;
}

static double alpha_of(const Warper* w, const FillCut* cut)
{
    const FillVertex* v = w->lattice->vertices;
    return fill_is_long(&v[cut->in], &v[cut->out]) ? ALPHA_LONG : ALPHA_SHORT;
}

// ---- thin walls ----

static bool looks_both_ways(const Warper* w, int vertex)
{
    const FillCut* cuts = w->cuts->cuts;
    for (int i = w->first[vertex]; i < w->first[vertex + 1]; i++)
        for (int k = w->first[vertex]; k < i; k++)
            if (tw_vec3_dot(cuts[w->incident[i]].normal, cuts[w->incident[k]].normal) < OPPOSED) return true;
    return false;
}

// away from the nearest point of the surface until the other side is as near
static bool move_to_middle(const Warper* w, FillVertex* vertex)
{
    enum
    {
        STEPS = 5
    };
    double cell = w->field->cell, step = FARTHEST / STEPS * cell, depth = fabs(vertex->value);
    twVec3 nearest, place = vertex->position;
    if (fill_field_distance(w->field, place, &nearest) <= 0) return false;
    twVec3 away = tw_vec3_normalize(tw_vec3_sub(place, nearest));
    for (int i = 0; i < STEPS && depth < MIDDLE * cell; i++)
    {
        twVec3 next = tw_vec3_add_scaled(place, away, step);
        double there = fill_field_distance(w->field, next, NULL);
        if (there <= depth || there + depth <= 1.001 * step) break;
        if (!w->field->closed && fill_field_level(w->field, next) * vertex->value <= 0) break;
        place = next;
        depth = there;
    }
    if (depth <= fabs(vertex->value)) return false;
    vertex->position = place;
    vertex->value = copysign(depth, vertex->value);
    return true;
}

static bool centre_thin(Warper* w)
{
    int vertices = w->lattice->vertex_count;
    w->thin = calloc((size_t)vertices + 1, sizeof *w->thin);
    w->moved = calloc((size_t)vertices + 1, sizeof *w->moved);
    if (!w->thin || !w->moved) return false;
    for (int i = 0; i < vertices; i++) w->thin[i] = looks_both_ways(w, i);
    for (int i = 0; i < vertices; i++)
        if (w->thin[i]) w->moved[i] = move_to_middle(w, &w->lattice->vertices[i]);
    for (int i = 0; i < w->cuts->count; i++)
        if (w->moved[w->cuts->cuts[i].in] || w->moved[w->cuts->cuts[i].out]) find_cut(w, &w->cuts->cuts[i]);
    return true;
}

// ---- warp ----

typedef struct Warp
{
    double t;  // fraction of the edge
    int vertex, cut;
} Warp;

static int compare_warps(const void* a, const void* b)
{
    const Warp *s = a, *t = b;
    if (s->t != t->t) return s->t < t->t ? -1 : 1;
    if (s->vertex != t->vertex) return s->vertex < t->vertex ? -1 : 1;
    return (s->cut > t->cut) - (s->cut < t->cut);
}

// A cut exists as long as both its ends have signs. The shortest moves are made first: each one removes the cuts around
// its vertex, so that fewer others must move.
static bool warp(Warper* w)
{
    const FillCuts* c = w->cuts;
    Warp* warps = malloc(2 * (size_t)c->count * sizeof *warps + 1);
    FillVertex* v = w->lattice->vertices;
    int count = 0;
    if (!warps) return false;
    for (int i = 0; i < c->count; i++)
    {
        const FillCut* cut = &c->cuts[i];
        double alpha = alpha_of(w, cut);
        if (cut->t < (w->thin[cut->in] ? ALPHA_THIN : alpha)) warps[count++] = (Warp){cut->t, cut->in, i};
        if (1 - cut->t < (w->thin[cut->out] ? ALPHA_THIN : alpha)) warps[count++] = (Warp){1 - cut->t, cut->out, i};
    }
    qsort(warps, (size_t)count, sizeof *warps, compare_warps);
    for (int i = 0; i < count; i++)
    {
        const FillCut* cut = &c->cuts[warps[i].cut];
        if (v[cut->in].sign == 0 || v[cut->out].sign == 0) continue;
        v[warps[i].vertex].sign = 0;
        v[warps[i].vertex].position = cut->point;
    }
    free(warps);
    return true;
}

// ---- safety ----

static double volume_of(const FillVertex* v, const int n[4])
{
    twVec3 a = v[n[0]].position, ab = tw_vec3_sub(v[n[1]].position, a), ac = tw_vec3_sub(v[n[2]].position, a);
    return tw_vec3_dot(tw_vec3_cross(ab, ac), tw_vec3_sub(v[n[3]].position, a));
}

// the volume the tet had before anything moved, from integer coordinates and the steps of the lattice
static double volume_before(const FillVertex* v, const int n[4], double step_volume)
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) e[i][k] = v[n[i + 1]].at[k] - v[n[0]].at[k];
    return step_volume *
           (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
}

// vertices moved to the middle go back where a tet became too flat; one round may make another tet flat, hence a few
static void take_back(Warper* w, twVec3 origin, twVec3 step, double least)
{
    enum
    {
        MOST_ROUNDS = 8
    };
    FillVertex* v = w->lattice->vertices;
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++)
    {
        changed = false;
        for (int i = 0; i < w->lattice->tet_count; i++)
        {
            const int* n = w->lattice->tets[i].n;
            if (!(w->moved[n[0]] || w->moved[n[1]] || w->moved[n[2]] || w->moved[n[3]])) continue;
            if (volume_of(v, n) >= least * volume_before(v, n, step.x * step.y * step.z)) continue;
            for (int k = 0; k < 4; k++)
            {
                FillVertex* vertex = &v[n[k]];
                if (!w->moved[n[k]] || vertex->sign == 0) continue;
                vertex->position = tw_vec3(origin.x + step.x * vertex->at[0], origin.y + step.y * vertex->at[1],
                                           origin.z + step.z * vertex->at[2]);
                vertex->value = copysign(fill_field_distance(w->field, vertex->position, NULL), vertex->value);
                w->moved[n[k]] = false;
                changed = true;
                for (int j = w->first[n[k]]; j < w->first[n[k] + 1]; j++)
                {
                    FillCut* cut = &w->cuts->cuts[w->incident[j]];
                    if (v[cut->in].sign > 0 && v[cut->out].sign < 0) find_cut(w, cut);
                }
            }
        }
    }
}

twStatus fill_warp(FillCuts* cuts, FillLattice* lattice, const FillOctree* octree, const FillField* field,
                   const FillProgress* progress, twError* err)
{
    Warper w = {.cuts = cuts, .lattice = lattice, .field = field};
    bool done = list_cuts(&w);
    twStatus status = done ? find_cuts(&w, progress, err) : TW_OK;
    if (status == TW_OK)
    {
        // before the warp, so that what goes back may warp; and after it, for safety
        done = done && list_incident(&w) && centre_thin(&w);
        if (done) take_back(&w, octree->origin, octree->step, 2 * LEAST_VOLUME);
        done = done && warp(&w);
        if (done) take_back(&w, octree->origin, octree->step, LEAST_VOLUME);
    }
    free(w.first);
    free(w.incident);
    free(w.thin);
    free(w.moved);
    return done ? status : tw_fail(err, TW_NO_MEMORY, "fill: no memory for %d cuts", cuts->count);
}

void fill_cuts_free(FillCuts* cuts)
{
    tw_table_clear(&cuts->cut_of);
    free(cuts->cuts);
    *cuts = (FillCuts){0};
}
