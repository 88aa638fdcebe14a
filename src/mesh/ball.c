// SPDX-License-Identifier: MIT
// Ball around points: start in the middle of the box and go towards the farthest point, by 1/2, 1/3, 1/4 ... of the way
// (Badoiu and Clarkson 2003). The best centre seen is kept.

#include "twang/mesh.h"

#define BALL_STEPS 100

// index of the point farthest from a place
static int farthest(const twVec3* points, int count, twVec3 place, double* distance2)
{
    int best = 0;
    *distance2 = 0;
    for (int i = 0; i < count; i++)
    {
        twVec3 d = tw_vec3_sub(points[i], place);
        double square = tw_vec3_dot(d, d);
        if (square > *distance2) *distance2 = square, best = i;
    }
    return best;
}

static twVec3 box_middle(const twVec3* points, int count)
{
    twVec3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++)
    {
        low = (twVec3){fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z)};
        high = (twVec3){fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z)};
    }
    return tw_vec3_scale(tw_vec3_add(low, high), 0.5);
}

double tw_points_ball(const twVec3* points, int count, twVec3* centre)
{
    *centre = (twVec3){0, 0, 0};
    if (count < 1) return 0;
    twVec3 place = box_middle(points, count);
    double best = HUGE_VAL;
    for (int step = 1; step <= BALL_STEPS; step++)
    {
        double square;
        int far = farthest(points, count, place, &square);
        if (square < best) best = square, *centre = place;
        place = tw_vec3_add(place, tw_vec3_scale(tw_vec3_sub(points[far], place), 1.0 / (step + 1)));
    }
    return sqrt(best);
}
