// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

/// @file
/// Quadric: squared distances to many planes, weighted by area (Garland and Heckbert 1997):
/// Q(x) = sum of a (n.x - d)^2 = x.Ax - 2 b.x + c.

typedef struct Quadric
{
    twMat3 a;
    twVec3 b;
    double c, area;
} Quadric;

/// Of one plane n.x = d.
static inline Quadric quadric_of(twVec3 n, double d, double area)
{
    return (Quadric){tw_mat3_scale(tw_mat3_outer(n, n), area), tw_vec3_scale(n, area * d), area * d * d, area};
}

static inline Quadric quadric_add(Quadric p, Quadric q)
{
    return (Quadric){tw_mat3_add(p.a, q.a), tw_vec3_add(p.b, q.b), p.c + q.c, p.area + q.area};
}

/// Mean squared distance of a place to the planes.
static inline double quadric_at(const Quadric* q, twVec3 x)
{
    double sum = tw_vec3_dot(x, tw_mat3_mul_vec(q->a, x)) - 2 * tw_vec3_dot(q->b, x) + q->c;
    return sum > 0 && q->area > 0 ? sum / q->area : 0;
}

/// The place nearest to the planes, held by a weak spring to one given: (A + s I) x = b + s held.
static inline twVec3 quadric_best(const Quadric* q, twVec3 held, double spring)
{
    double s = spring * q->area;
    twMat3 inverse, a = tw_mat3_add(q->a, tw_mat3_diagonal(tw_vec3(s, s, s)));
    if (!tw_mat3_inverse(&inverse, a)) return held;
    return tw_mat3_mul_vec(inverse, tw_vec3_add(q->b, tw_vec3_scale(held, s)));
}
