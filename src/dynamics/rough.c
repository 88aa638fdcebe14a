// SPDX-License-Identifier: MIT
// Normals of rough surfaces. At the corners c of a lattice of cubes of the edge L, independent normal numbers g_c; between
// them
//     g(x) = sum of w_c g_c / sqrt(sum of w_c^2),   w_c = product over the axes of s or 1 - s,  s = t^2 (3 - 2 t),
// with t in [0, 1] along each edge: the variance is 1 everywhere, and g and its slope are continuous. Two points have no
// corner in common if they are 2 L apart; with L = grain/1.5 the mean correlation is 0.02 at a grain. Numbers are sums of
// three parts of a hash of the corner: their fourth moment is 2.6, and nearer to 3 between corners, where eight are mixed.
#include "dynamics/rough.h"

static const double EDGE = 1 / 1.5;  // of the lattice, in grains

// all bits depend on all bits (the finisher of splitmix64)
static inline uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// three nearly normal numbers: sums of three parts of 7 bits each, of the mean 190.5 and the variance 3 (128^2 - 1) / 12
static const double MEAN = 190.5, PER_DEVIATION = 1 / 63.998047;
static inline uint64_t add_parts(uint64_t bits)
{
    // in the lowest bits of three lanes of 21
    const uint64_t lanes = (uint64_t)1 | (uint64_t)1 << 21 | (uint64_t)1 << 42, low = 127 * lanes;
    return (bits & low) + (bits >> 7 & low) + (bits >> 14 & low);
}
static inline double lane(uint64_t sums, int i) { return (double)(int)(sums >> (21 * i) & 511); }

// the number of a lattice cell, and the shares of both its ends, along one axis
static inline uint64_t find_cell(double x, double share[2])
{
    // floor() without the call; far away there is no lattice left in a double, but still a number
    int64_t cell = fabs(x) < 9e18 ? (int64_t)x : 0;
    cell -= x < (double)cell;
    double t = fabs(x) < 9e18 ? x - (double)cell : 0, s = t * t * (3 - 2 * t);
    share[0] = 1 - s;
    share[1] = s;
    return (uint64_t)cell;
}

twVec3 tw_rough_noise(double grain, uint64_t seed, twVec3 place)
{
    const uint64_t step[3] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u};
    double x[2], y[2], z[2], per = 1 / (EDGE * grain);
    twVec3 sum = {0, 0, 0};
    uint64_t i = find_cell(place.x * per, x), j = find_cell(place.y * per, y), k = find_cell(place.z * per, z);
    uint64_t key = scramble(seed) + i * step[0] + j * step[1] + k * step[2];
    for (int c = 0; c < 8; c++)
    {
        uint64_t corner = scramble(key + (c & 1 ? step[0] : 0) + (c & 2 ? step[1] : 0) + (c & 4 ? step[2] : 0));
        uint64_t sums = add_parts(corner);
        double w = x[c & 1] * y[c >> 1 & 1] * z[c >> 2];
        sum = tw_vec3_add_scaled(sum, tw_vec3(lane(sums, 0), lane(sums, 1), lane(sums, 2)), w);
    }
    double square = (x[0] * x[0] + x[1] * x[1]) * (y[0] * y[0] + y[1] * y[1]) * (z[0] * z[0] + z[1] * z[1]);
    return tw_vec3_scale(tw_vec3_sub(sum, tw_vec3(MEAN, MEAN, MEAN)), PER_DEVIATION / sqrt(square));
}

// Turn by the part of a small vector v that lies across the normal, with h = v/2 (Cayley):
//     x + 2 (h x x + h x (h x x)) / (1 + h^2),   by the angle 2 atan(|v|/2), which is |v| (1 - |v|^2/12)
static void tilt(twVec3* normal, twVec3 tangent[2], twVec3 v)
{
    twVec3 h = tw_vec3_scale(tw_vec3_add_scaled(v, *normal, -tw_vec3_dot(v, *normal)), 0.5);
    double k = 2 / (1 + tw_vec3_dot(h, h));
    twVec3* frame[3] = {normal, &tangent[0], &tangent[1]};
    for (int i = 0; i < 3; i++)
    {
        twVec3 once = tw_vec3_cross(h, *frame[i]);
        *frame[i] = tw_vec3_add_scaled(*frame[i], tw_vec3_add(once, tw_vec3_cross(h, once)), k);
    }
}

void tw_rough_turn(twVec3* normal, twVec3 tangent[2], double deviation, double grain, uint64_t seed, twVec3 place)
{
    if (!(deviation > 0 && grain > 0)) return;
    tilt(normal, tangent, tw_vec3_scale(tw_rough_noise(grain, seed, place), deviation));
}

void tw_rough_touch(Touch* touch, const BodyPlace* body, double deviation, double grain, uint64_t seed)
{
    if (!(deviation > 0 && grain > 0)) return;
    twVec3 place = tw_quat_rotate(tw_quat_conj(body->turn), tw_vec3_sub(touch->point, body->position));
    twVec3 noise = tw_rough_noise(grain, seed, place);
    tilt(&touch->normal, touch->tangent, tw_vec3_scale(tw_quat_rotate(body->turn, noise), deviation));
}
