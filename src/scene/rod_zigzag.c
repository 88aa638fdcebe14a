// SPDX-License-Identifier: MIT
// A wire of a chain-link fence: legs to and fro across the axis with round bends between them, every other leg in front.
//
// Seen from the front, legs lean by b against the axis z, and a bend of radius r turns by 2 b. With W = (pitch/2) tan b between
// the corners that the bends cut off,
//
//   width = W - 2 r (1/cos b - 1),   leg = (pitch/2)/cos b - 2 r tan b
//
// From the side it goes from -depth/2 to depth/2 as sin(pi s/(4 b r)) over twice a bend, s from the tip. Half a turn of it about
// z is half a turn on along z: neighbours that begin half a turn later hook into each other's tips.

#include "rod_path.h"
#include <math.h>

#define FINE 512  // pieces of half a turn

typedef struct Zigzag
{
    double lean;  // b [rad]
    double leg;   // straight part [m]
    double bend;  // half a bend: b r [m]
    double half;  // half a turn seen from the front [m]
} Zigzag;

static double width_at(const RodPath* p, double lean)
{
    return 0.5 * p->pitch * tan(lean) - 2 * p->bend * (1 / cos(lean) - 1);
}

static Zigzag zigzag(const RodPath* p)
{
    double low = 0, high = 0.5 * TW_PI;
    for (int i = 0; i < 60; i++)
    {
        const double middle = 0.5 * (low + high);
        *(width_at(p, middle) < p->width ? &low : &high) = middle;
    }
    Zigzag z = {.lean = low, .bend = low * p->bend};
    z.leg = 0.5 * p->pitch / cos(low) - 2 * p->bend * tan(low);
    z.half = z.leg + 2 * z.bend;
    return z;
}

const char* rod_zigzag_fault(const RodPath* p)
{
    if (!(p->pitch > 4 * p->bend)) return "the 'pitch' of a zigzag must be above four times the radius of its 'bend'";
    const Zigzag z = zigzag(p);
    return z.leg > 2 * z.bend ? NULL : "the legs of this zigzag are shorter than its bends; a smaller 'bend' will do";
}

// at a distance s from a tip on the right, -half/2 to half/2, seen from the front
static twVec3 near_tip(const RodPath* p, const Zigzag* z, double s)
{
    const double far = fabs(s), turned = fmin(far, z->bend) / p->bend, on = fmax(far - z->bend, 0);
    const double back = p->bend * (1 - cos(turned)) + on * sin(turned);
    const double up = p->bend * sin(turned) + on * cos(turned);
    const double side = sin(0.5 * TW_PI * fmin(far / (2 * z->bend), 1));
    return tw_vec3(0.5 * p->width - back, copysign(0.5 * p->depth * side, s), copysign(up, s));
}

// so many turns on from where a tip on the right is
static twVec3 place(const RodPath* p, const Zigzag* z, double turns)
{
    const double tip = round(2 * turns), side = fmod(tip, 2) == 0 ? 1 : -1;
    const twVec3 a = near_tip(p, z, (2 * turns - tip) * z->half);
    return tw_vec3(side * a.x, side * a.y, 0.5 * p->pitch * tip + a.z);
}

void rod_zigzag(const RodPath* p, twVec3* points, int count)
{
    const Zigzag z = zigzag(p);
    const int fine = (int)ceil(2 * FINE * fmax(p->turns, 0.5));
    // it begins in the middle of a leg that goes to the right
    const double begin = p->phase - 0.25;
    const twVec3 down = tw_vec3(0, 0, -p->pitch * begin);
    double length = 0, passed = 0;
    for (int i = 0; i < fine; i++)
        length += tw_vec3_norm(
            tw_vec3_sub(place(p, &z, begin + p->turns * (i + 1) / fine), place(p, &z, begin + p->turns * i / fine)));
    int next = 0;
    for (int i = 0; i < fine && next < count - 1; i++)
    {
        const twVec3 a = place(p, &z, begin + p->turns * i / fine), b = place(p, &z, begin + p->turns * (i + 1) / fine);
        const double piece = tw_vec3_norm(tw_vec3_sub(b, a));
        for (; next < count - 1 && length * next / (count - 1) <= passed + piece; next++)
        {
            const double part = (length * next / (count - 1) - passed) / piece;
            points[next] = tw_vec3_add(place(p, &z, begin + p->turns * (i + part) / fine), down);
        }
        passed += piece;
    }
    for (; next < count; next++) points[next] = tw_vec3_add(place(p, &z, begin + p->turns), down);
}
