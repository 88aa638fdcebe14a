// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand_pair.h"
#include "twang/rod.h"
#include <stdlib.h>

/// @file
/// Rods on a bench: put somewhere by hand, to ask where they touch.

enum
{
    BENCH_RODS = 40
};

typedef struct BenchRod
{
    int count;
    bool closed;
    bool upright;  ///< d1 of every edge as nearly along z as can be, not carried along
    twSection section;
    twVec3* points;  ///< (points)
    double* twist;   ///< of d1 from the frame carried along (edges)
    double* block;   ///< x, d1, d2, t
    StrandPlace place;
    StrandShape* shape;
} BenchRod;

typedef struct Bench
{
    int count;
    BenchRod rods[BENCH_RODS];
    const StrandShape* shapes[BENCH_RODS];
    StrandPlace places[BENCH_RODS];
    StrandPairs* pairs;
} Bench;

static inline int bench_rod(Bench* bench, int points, bool closed, twSectionDef section)
{
    BenchRod* rod = &bench->rods[bench->count];
    rod->count = points;
    rod->closed = closed;
    tw_section_compute(&rod->section, &section, NULL);
    rod->points = calloc((size_t)points, sizeof *rod->points);
    rod->twist = calloc((size_t)points, sizeof *rod->twist);
    rod->block = calloc((size_t)points * 12, sizeof *rod->block);
    return bench->count++;
}

static inline void bench_line(Bench* bench, int r, twVec3 from, twVec3 to, double twist)
{
    BenchRod* rod = &bench->rods[r];
    for (int i = 0; i < rod->count; i++)
    {
        rod->points[i] = tw_vec3_add_scaled(from, tw_vec3_sub(to, from), (double)i / (rod->count - 1));
        rod->twist[i] = twist;
    }
}

/// Loops of a helix about z.
static inline void bench_helix(Bench* bench, int r, double radius, double pitch, double per_turn)
{
    BenchRod* rod = &bench->rods[r];
    rod->upright = true;
    for (int i = 0; i < rod->count; i++)
    {
        const double angle = 2 * TW_PI * i / per_turn;
        rod->points[i] = tw_vec3(radius * cos(angle), radius * sin(angle), pitch * i / per_turn);
    }
}

/// Frames from the points: d1 of the first edge as nearly along z as can be, carried along, then turned by twist.
static inline void bench_frames(BenchRod* rod)
{
    const int edges = rod->closed ? rod->count : rod->count - 1;
    twVec3 d1 = {0}, before = {0};
    for (int e = 0; e < edges; e++)
    {
        const twVec3 t = tw_vec3_normalize(tw_vec3_sub(rod->points[(e + 1) % rod->count], rod->points[e]));
        if (e == 0 || rod->upright)
            d1 = fabs(t.z) < 0.9 ? tw_vec3(0, 0, 1) : tw_vec3(1, 0, 0);
        else
        {
            // turn that takes the tangent before to this one
            const twVec3 k = tw_vec3_cross(before, t);
            const double c = tw_vec3_dot(before, t);
            d1 = tw_vec3_add(tw_vec3_add(tw_vec3_scale(d1, c), tw_vec3_cross(k, d1)),
                             tw_vec3_scale(k, tw_vec3_dot(k, d1) / (1 + c)));
        }
        d1 = tw_vec3_normalize(tw_vec3_add_scaled(d1, t, -tw_vec3_dot(d1, t)));
        before = t;
        const twVec3 d2 = tw_vec3_cross(t, d1);
        const double c = cos(rod->twist[e]), s = sin(rod->twist[e]);
        const twVec3 f1 = tw_vec3_add(tw_vec3_scale(d1, c), tw_vec3_scale(d2, s));
        const twVec3 rows[4] = {rod->points[e], f1, tw_vec3_cross(t, f1), t};
        for (int k = 0; k < 4; k++)
        {
            rod->block[(3 * k + 0) * rod->count + e] = rows[k].x;
            rod->block[(3 * k + 1) * rod->count + e] = rows[k].y;
            rod->block[(3 * k + 2) * rod->count + e] = rows[k].z;
        }
    }
    const int last = rod->count - 1;
    rod->block[last] = rod->points[last].x;
    rod->block[rod->count + last] = rod->points[last].y;
    rod->block[2 * rod->count + last] = rod->points[last].z;
}

/// Shapes and pairs, once all rods have points.
static inline bool bench_begin(Bench* bench)
{
    for (int r = 0; r < bench->count; r++)
    {
        BenchRod* rod = &bench->rods[r];
        twRodDef def = tw_rod_def();
        def.point_count = rod->count;
        def.points = rod->points;
        def.closed = rod->closed;
        def.section_count = 1;
        def.sections = &rod->section;
        bench->shapes[r] = rod->shape = strand_shape_create(&def);
        if (!rod->shape) return false;
        bench->places[r] = (StrandPlace){.shape = rod->shape, .rod = r};
        for (int k = 0; k < 3; k++)
        {
            bench->places[r].x[k] = rod->block + k * rod->count;
            bench->places[r].d1[k] = rod->block + (3 + k) * rod->count;
            bench->places[r].d2[k] = rod->block + (6 + k) * rod->count;
            bench->places[r].t[k] = rod->block + (9 + k) * rod->count;
        }
    }
    bench->pairs = strand_pairs_create(bench->shapes, NULL, bench->count);
    return bench->pairs != NULL;
}

static inline int bench_touches(Bench* bench, double reach, const StrandTouch** out)
{
    for (int r = 0; r < bench->count; r++) bench_frames(&bench->rods[r]);
    return strand_pairs_touches(bench->pairs, bench->places, reach, out);
}

static inline void bench_end(Bench* bench)
{
    strand_pairs_destroy(bench->pairs);
    for (int r = 0; r < bench->count; r++)
    {
        strand_shape_destroy(bench->rods[r].shape);
        free(bench->rods[r].points);
        free(bench->rods[r].twist);
        free(bench->rods[r].block);
    }
}
