// SPDX-License-Identifier: MIT
#pragma once
#include "collide.h"
#include "dynamics/strand_body.h"

/// @file
/// Rods of points and frames to touch bodies with.

enum
{
    ROD_POINTS = 64
};

typedef struct TestRod
{
    StrandShape shape;
    StrandPlace place;
    double x[3][ROD_POINTS], zero[ROD_POINTS];
    double d1[3][ROD_POINTS], d2[3][ROD_POINTS], t[3][ROD_POINTS];
    double radius[ROD_POINTS], core[2][ROD_POINTS], angle[ROD_POINTS];
} TestRod;

static inline void put(double to[3][ROD_POINTS], int i, twVec3 a) { to[0][i] = a.x, to[1][i] = a.y, to[2][i] = a.z; }
static inline twVec3 get(double from[3][ROD_POINTS], int i) { return tw_vec3(from[0][i], from[1][i], from[2][i]); }

/// frames of edges as the points are now; d1 as nearly along up as can be
static inline void frame_rod(TestRod* rod, twVec3 up)
{
    for (int i = 0; i < rod->shape.edge_count; i++)
    {
        int next = i + 1 < rod->shape.point_count ? i + 1 : 0;
        twVec3 t = tw_vec3_normalize(tw_vec3_sub(get(rod->x, next), get(rod->x, i)));
        twVec3 d1 = tw_vec3_normalize(tw_vec3_add_scaled(up, t, -tw_vec3_dot(up, t)));
        put(rod->t, i, t);
        put(rod->d1, i, d1);
        put(rod->d2, i, tw_vec3_cross(t, d1));
    }
}

static inline void line_rod(TestRod* rod, twVec3 a, twVec3 b, twVec3 up)
{
    int last = rod->shape.point_count - 1;
    for (int i = 0; i <= last; i++) put(rod->x, i, tw_vec3_add_scaled(a, tw_vec3_sub(b, a), (double)i / last));
    rod->shape.longest = tw_vec3_norm(tw_vec3_sub(b, a)) / last;
    frame_rod(rod, up);
}

/// half sizes along d1 and d2; the second 0: round
static inline TestRod* test_rod(int points, bool closed, double half1, double half2)
{
    TestRod* rod = calloc(1, sizeof *rod);
    if (!rod || points > ROD_POINTS) abort();
    double round = half2 > 0 ? 0.25 * fmin(half1, half2) : half1;
    for (int i = 0; i < ROD_POINTS; i++)
    {
        rod->radius[i] = round;
        rod->core[0][i] = half1 - round;
        rod->core[1][i] = half2 > 0 ? half2 - round : 0;
    }
    rod->shape = (StrandShape){.point_count = points,
                               .edge_count = closed ? points : points - 1,
                               .closed = closed,
                               .radius = rod->radius,
                               .core = {rod->core[0], rod->core[1]},
                               .angle = rod->angle,
                               .fibre_count = half2 > 0 ? 4 : 1};
    rod->place = (StrandPlace){.shape = &rod->shape, .rod = 2, .spin = rod->zero};
    for (int k = 0; k < 3; k++)
    {
        rod->place.x[k] = rod->x[k];
        rod->place.v[k] = rod->zero;
        rod->place.d1[k] = rod->d1[k];
        rod->place.d2[k] = rod->d2[k];
        rod->place.t[k] = rod->t[k];
    }
    return rod;
}

static inline StrandBody* strand_pair(const TestRod* rod, const ContactShape* body)
{
    StrandBody* pair = strand_body_create();
    if (!pair || !strand_body_begin(pair, &rod->shape, body)) abort();
    return pair;
}

/// touches at the places, as of a pair that is new
static inline int fresh_touches(const TestRod* rod, const BodyPlace* body, double reach, StrandTouch* out, int room)
{
    StrandBody* pair = strand_pair(rod, body->shape);
    StrandWork* work = strand_work_create();
    const StrandTouch* found;
    int count = strand_body_touches(pair, work, &rod->place, body, reach, &found);
    if (count < 0 || count > room) abort();
    for (int i = 0; i < count; i++) out[i] = found[i];
    strand_body_destroy(pair);
    strand_work_destroy(work);
    return count;
}
