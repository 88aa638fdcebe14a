// SPDX-License-Identifier: MIT
/// @file
/// The loops of covers, for LANES floats at a time, set by the including file. All variants give the same bits: lanes are points,
/// and every point is summed in the order of the modes.

#include "live/cover.h"
#include "modal/modal_warp.h"
#include <string.h>

typedef float Vec __attribute__((vector_size(LANES * sizeof(float))));

enum
{
    PARTS = COVER_BLOCK / LANES,
    VALUES = 3 * COVER_BLOCK,
};

#define INLINE static inline __attribute__((always_inline))

INLINE Vec load(const float* p)
{
    Vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

// sum over the modes of a block
INLINE void sum_block(const float* values, const float* amplitude, int modes, float out[VALUES])
{
    Vec sum[3 * PARTS];
    for (int i = 0; i < 3 * PARTS; i++) sum[i] = (Vec){0};
    for (int k = 0; k < modes; k++, values += VALUES)
        for (int i = 0; i < 3 * PARTS; i++) sum[i] += amplitude[k] * load(values + i * LANES);
    memcpy(out, sum, sizeof sum);
}

// A and B of modal_warp.h by t^2, as series, to a float's accuracy up to t = pi and a little more
#define SERIES_ENDS 10.0f

INLINE Vec warp_lanes(Vec tt, int n)
{
    Vec sum = (Vec){0} + 1;
    for (int k = n + 16; k > n; k -= 2) sum = 1 - sum * tt * (1.f / (float)(k * (k - 1)));
    return sum * (n == 2 ? 1.f / 2 : 1.f / 6);
}

// u + A w x u + B w x (w x u), in place. @return the largest square of an angle
INLINE void warp_part(float* u, const float* w, float* squares)
{
    const Vec x = load(u), y = load(u + COVER_BLOCK), z = load(u + 2 * COVER_BLOCK);
    const Vec p = load(w), q = load(w + COVER_BLOCK), r = load(w + 2 * COVER_BLOCK);
    const Vec tt = p * p + q * q + r * r, a = warp_lanes(tt, 2), b = warp_lanes(tt, 3);
    const Vec cx = q * z - r * y, cy = r * x - p * z, cz = p * y - q * x;
    const Vec ox = x + a * cx + b * (q * cz - r * cy);
    const Vec oy = y + a * cy + b * (r * cx - p * cz);
    const Vec oz = z + a * cz + b * (p * cy - q * cx);
    memcpy(u, &ox, sizeof ox);
    memcpy(u + COVER_BLOCK, &oy, sizeof oy);
    memcpy(u + 2 * COVER_BLOCK, &oz, sizeof oz);
    memcpy(squares, &tt, sizeof tt);
}

static twVec3 point_of(const float* block, int i)
{
    return tw_vec3((double)block[i], (double)block[COVER_BLOCK + i], (double)block[2 * COVER_BLOCK + i]);
}

// turns so large are rare
static void warp_far(float u[VALUES], const float before[VALUES], const float w[VALUES], const float* squares)
{
    for (int i = 0; i < COVER_BLOCK; i++)
    {
        if (!(squares[i] > SERIES_ENDS)) continue;
        twVec3 v = warp_point(point_of(before, i), point_of(w, i));
        u[i] = (float)v.x, u[COVER_BLOCK + i] = (float)v.y, u[2 * COVER_BLOCK + i] = (float)v.z;
    }
}

INLINE void warp_block(float u[VALUES], const float w[VALUES])
{
    float before[VALUES], squares[COVER_BLOCK];
    bool far = false;
    memcpy(before, u, sizeof before);
    for (int i = 0; i < COVER_BLOCK; i += LANES) warp_part(u + i, w + i, squares + i);
    for (int i = 0; i < COVER_BLOCK; i++) far |= squares[i] > SERIES_ENDS;
    if (far) warp_far(u, before, w, squares);
}

static void bend(const CoverField* field, const float* amplitude, float* out, int stride)
{
    const size_t step = (size_t)field->mode_count * VALUES;
    for (int first = 0, block = 0; first < field->point_count; first += COVER_BLOCK, block++)
    {
        float u[VALUES], w[VALUES];
        sum_block(field->shape + step * (size_t)block, amplitude, field->mode_count, u);
        if (field->turn)
        {
            sum_block(field->turn + step * (size_t)block, amplitude, field->mode_count, w);
            warp_block(u, w);
        }
        const int left = field->point_count - first, count = left < COVER_BLOCK ? left : COVER_BLOCK;
        float* to = out + (size_t)first * (size_t)stride;
        for (int i = 0; i < count; i++, to += stride)
            to[0] = u[i], to[1] = u[COVER_BLOCK + i], to[2] = u[2 * COVER_BLOCK + i];
    }
}
