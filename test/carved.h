// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/mesh.h"
#include <math.h>
#include <stdlib.h>

// Random bodies from signed distances [m]: limbs that grow out of each other, some of them hollow, some drilled. Their
// surface is found by marching tetrahedra.

enum
{
    CARVED_LIMBS_MAX = 8,
    CARVED_HOLES_MAX = 3
};

// a capsule, or a box about the capsule's axis if it is square
typedef struct CarvedLimb
{
    twVec3 from, to;
    double radius;
    bool square;
} CarvedLimb;

typedef struct CarvedBody
{
    int limb_count, hole_count;
    CarvedLimb limbs[CARVED_LIMBS_MAX], holes[CARVED_HOLES_MAX];
    double blend;  // radius of the fillets between limbs
    double wall;   // of a hollow body; 0: solid
} CarvedBody;

static inline twVec3 carved_between(twVec3 a, twVec3 b, double t)
{
    return tw_vec3_add_scaled(a, tw_vec3_sub(b, a), t);
}

static inline twVec3 carved_direction(twRng* rng)
{
    return tw_vec3_normalize(tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)));
}

static inline CarvedBody carved_body(uint64_t seed)
{
    twRng rng = tw_rng(seed);
    CarvedBody body = {.limb_count = 2 + (int)(tw_rng_uniform(&rng) * 6), .blend = tw_rng_between(&rng, 0.002, 0.02)};
    for (int i = 0; i < body.limb_count; i++)
    {
        CarvedLimb* limb = &body.limbs[i];
        const CarvedLimb* parent = &body.limbs[i > 0 ? (int)(tw_rng_uniform(&rng) * i) : 0];
        limb->square = tw_rng_uniform(&rng) < 0.3;
        limb->radius = i == 0 ? tw_rng_between(&rng, 0.02, 0.035) : tw_rng_between(&rng, 0.006, 0.02);
        if (i > 0) limb->from = carved_between(parent->from, parent->to, tw_rng_uniform(&rng));
        limb->to = tw_vec3_add_scaled(limb->from, carved_direction(&rng), tw_rng_between(&rng, 0.03, 0.08));
    }
    if (tw_rng_uniform(&rng) < 0.3) body.wall = tw_rng_between(&rng, 0.004, 0.006);
    body.hole_count = body.wall > 0 ? 1 : (int)(tw_rng_uniform(&rng) * 3);
    for (int i = 0; i < body.hole_count; i++)
    {
        CarvedLimb* hole = &body.holes[i];
        const twVec3 at = carved_between(body.limbs[0].from, body.limbs[0].to, tw_rng_uniform(&rng));
        const twVec3 along = tw_vec3_scale(carved_direction(&rng), 0.08);
        *hole = (CarvedLimb){.from = tw_vec3_sub(at, along), .to = tw_vec3_add(at, along)};
        hole->radius = body.limbs[0].radius * tw_rng_between(&rng, 0.25, 0.6);
    }
    return body;
}

static inline double carved_limb_distance(const CarvedLimb* limb, twVec3 p)
{
    const twVec3 axis = tw_vec3_sub(limb->to, limb->from), to = tw_vec3_sub(p, limb->from);
    const double along = fmin(1, fmax(0, tw_vec3_dot(to, axis) / tw_vec3_dot(axis, axis)));
    const twVec3 off = tw_vec3_add_scaled(to, axis, -along);
    if (!limb->square) return tw_vec3_norm(off) - limb->radius;
    return fmax(fabs(off.x), fmax(fabs(off.y), fabs(off.z))) - limb->radius;
}

static inline double carved_distance(const CarvedBody* body, twVec3 p)
{
    double d = HUGE_VAL;
    for (int i = 0; i < body->limb_count; i++)
    {
        const double e = carved_limb_distance(&body->limbs[i], p), h = fmax(body->blend - fabs(d - e), 0) / body->blend;
        d = i == 0 ? e : fmin(d, e) - 0.25 * h * h * body->blend;
    }
    if (body->wall > 0) d = fmax(d, -d - body->wall);
    for (int i = 0; i < body->hole_count; i++) d = fmax(d, -carved_limb_distance(&body->holes[i], p));
    return d;
}

// ---- marching tetrahedra ----

typedef struct CarvedGrid
{
    int n;  // cells per side
    double low[3], step;
    double* distance;  // (n + 1)^3
    int* edges;  // (grid points x 7) vertex on the edge from a point to its neighbour +x, +y ... +xyz; -1: none yet
    twMesh* mesh;
} CarvedGrid;

static inline int carved_point(const CarvedGrid* grid, int i, int j, int k)
{
    return (k * (grid->n + 1) + j) * (grid->n + 1) + i;
}

static inline twVec3 carved_place(const CarvedGrid* grid, int point)
{
    const int m = grid->n + 1;
    return tw_vec3(grid->low[0] + grid->step * (point % m), grid->low[1] + grid->step * (point / m % m),
                   grid->low[2] + grid->step * (point / m / m));
}

static inline int carved_vertex(CarvedGrid* grid, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a, m = grid->n + 1, apart = high - low;
    const int direction = (apart % m) + 2 * (apart / m % m) + 4 * (apart / m / m) - 1;
    int* vertex = &grid->edges[7 * low + direction];
    if (*vertex >= 0) return *vertex;
    const double t = grid->distance[low] / (grid->distance[low] - grid->distance[high]);
    grid->mesh->vertices[grid->mesh->vertex_count] =
        carved_between(carved_place(grid, low), carved_place(grid, high), fmin(0.95, fmax(0.05, t)));
    return *vertex = grid->mesh->vertex_count++;
}

// a triangle whose normal points away from a point inside
static inline void carved_face(CarvedGrid* grid, int a, int b, int c, twVec3 inside)
{
    const twVec3* v = grid->mesh->vertices;
    const twVec3 normal = tw_vec3_cross(tw_vec3_sub(v[b], v[a]), tw_vec3_sub(v[c], v[a]));
    const bool out = tw_vec3_dot(normal, tw_vec3_sub(v[a], inside)) >= 0;
    grid->mesh->faces[grid->mesh->face_count++] = out ? (twTriangle){{a, b, c}} : (twTriangle){{a, c, b}};
}

static inline void carved_tet(CarvedGrid* grid, const int p[4])
{
    int in[4], out[4], ni = 0, no = 0;
    for (int i = 0; i < 4; i++) *(grid->distance[p[i]] < 0 ? &in[ni++] : &out[no++]) = p[i];
    if (ni == 0 || no == 0) return;
    const twVec3 inside = carved_place(grid, in[0]);
    if (ni == 2)
    {
        const int a = carved_vertex(grid, in[0], out[0]), b = carved_vertex(grid, in[0], out[1]),
                  c = carved_vertex(grid, in[1], out[1]), d = carved_vertex(grid, in[1], out[0]);
        carved_face(grid, a, b, c, inside);
        carved_face(grid, a, c, d, inside);
        return;
    }
    const int lone = ni == 1 ? in[0] : out[0], *rest = ni == 1 ? out : in;
    carved_face(grid, carved_vertex(grid, lone, rest[0]), carved_vertex(grid, lone, rest[1]),
                carved_vertex(grid, lone, rest[2]), inside);
}

static inline twMesh* carved_mesh(const CarvedBody* body, int cells)
{
    static const int path[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    CarvedGrid grid = {.n = cells};
    double low[3] = {0}, high[3] = {0}, longest = 0;
    for (int i = 0; i < 2 * body->limb_count; i++)
    {
        const CarvedLimb* limb = &body->limbs[i / 2];
        const twVec3 end = i % 2 ? limb->to : limb->from;
        const double p[3] = {end.x, end.y, end.z}, r = 1.1 * limb->radius + 0.005;
        for (int x = 0; x < 3; x++) low[x] = fmin(low[x], p[x] - r), high[x] = fmax(high[x], p[x] + r);
    }
    for (int x = 0; x < 3; x++) grid.low[x] = low[x], longest = fmax(longest, high[x] - low[x]);
    grid.step = longest / cells;
    const int m = cells + 1, points = m * m * m;
    grid.distance = malloc((size_t)points * sizeof *grid.distance);
    grid.edges = malloc(7 * (size_t)points * sizeof *grid.edges);
    if (!grid.distance || !grid.edges || tw_mesh_create(&grid.mesh, points, 2 * points, NULL) != TW_OK) abort();
    grid.mesh->vertex_count = grid.mesh->face_count = 0;
    for (int p = 0; p < points; p++) grid.distance[p] = carved_distance(body, carved_place(&grid, p));
    for (int e = 0; e < 7 * points; e++) grid.edges[e] = -1;
    for (int c = 0; c < cells * cells * cells; c++)
        for (int t = 0; t < 6; t++)
        {
            int tet[4];
            for (int v = 0; v < 4; v++)
                tet[v] = carved_point(&grid, c % cells + (path[t][v] & 1), c / cells % cells + (path[t][v] >> 1 & 1),
                                      c / cells / cells + (path[t][v] >> 2));
            carved_tet(&grid, tet);
        }
    free(grid.distance);
    free(grid.edges);
    return grid.mesh;
}
