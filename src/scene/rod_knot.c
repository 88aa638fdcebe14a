// SPDX-License-Identifier: MIT
// An overhand knot, loose: the trefoil of a rope with two ends.
//
// A cubic B-spline between two straight ends along x. Half a turn about the y axis takes it into itself, so half of its corners
// say all. They were found by moving them about for as much room between strands as their length allows: strands are 1.006
// apart, bends have a radius of 0.63, and it takes 12.6 more than the way from end to end; pulled tight it would take 10.

#include "rod_path.h"
#include <math.h>

#define FINE 128    // places from corner to corner
#define HALF 8      // corners beside the middle one
#define LEAST 20.9  // length of the knotted part

// the middle one, then those to the end, in units of the spacing; the last three are in line
static const double corners[HALF + 1][3] = {
    {0, 0.07, 0},    {-1.11, 0.74, 1.29}, {-1.8, 2.25, 0.39}, {-0.73, 2.13, -1.22}, {0.72, 1.8, -0.11},
    {1.27, 0, 0.57}, {3.1, 0, 0},         {4.1, 0, 0},        {5.1, 0, 0},
};

static twVec3 corner(int i)
{
    const double* c = corners[i < 0 ? -i : i];
    return i < 0 ? tw_vec3(-c[0], c[1], -c[2]) : tw_vec3(c[0], c[1], c[2]);
}

// place number i of 2 (HALF - 1) FINE + 1
static twVec3 place(int i)
{
    const int from = i / FINE < 2 * HALF - 3 ? i / FINE : 2 * HALF - 3;
    const double u = (double)(i - from * FINE) / FINE, v = 1 - u;
    const double weight[4] = {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * v * v * v - 6 * v * v + 4) / 6,
                              u * u * u / 6};
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int k = 0; k < 4; k++) sum = tw_vec3_add_scaled(sum, corner(from + k - HALF), weight[k]);
    return sum;
}

static double knot_length(int places)
{
    double sum = 0;
    for (int i = 1; i < places; i++) sum += tw_vec3_norm(tw_vec3_sub(place(i), place(i - 1)));
    return sum;
}

const char* rod_knot_fault(const RodPath* p)
{
    return p->length >= LEAST * p->spacing ? NULL : "a knot takes a 'length' of at least 21 times its 'spacing'";
}

void rod_knot(const RodPath* p, twVec3* points, int count)
{
    const int places = 2 * (HALF - 1) * FINE + 1;
    const double tail = 0.5 * (p->length - p->spacing * knot_length(places));
    const twVec3 start = tw_vec3(p->spacing * place(0).x - tail, 0, 0);
    RodWalk walk = {.step = p->length / (count - 1), .point = start, .last = start};
    points[0] = start;
    int next = 1;
    // chords are shorter than the line: what is left lengthens the end
    for (int i = 0; i <= places; i++)
    {
        const twVec3 to = i < places ? tw_vec3_scale(place(i), p->spacing) : tw_vec3(p->length - start.x, 0, 0);
        while (next < count && rod_walk(&walk, to)) points[next++] = walk.point;
    }
}
