// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"
#include <math.h>

/// @file
/// Bending and twist of one node in plain numbers; the equations are in force_kernel.h (internal).

typedef struct RodFrame
{
    twVec3 t, d1, d2;
} RodFrame;

/// Edge j's of arrays of components.
static inline RodFrame rod_frame_at(double* const* t, double* const* d1, double* const* d2, int j)
{
    return (RodFrame){{t[0][j], t[1][j], t[2][j]}, {d1[0][j], d1[1][j], d1[2][j]}, {d2[0][j], d2[1][j], d2[2][j]}};
}

/// With tangent t, d1 about along d.
static inline RodFrame rod_frame(twVec3 t, twVec3 d)
{
    RodFrame f = {.t = t};
    f.d1 = tw_vec3_normalize(tw_vec3_add_scaled(d, t, -tw_vec3_dot(d, t)));
    f.d2 = tw_vec3_cross(t, f.d1);
    return f;
}

/// d carried from tangent a to b by the smallest rotation
static inline twVec3 rod_carry(twVec3 d, twVec3 a, twVec3 b)
{
    double chi = 1 + tw_vec3_dot(a, b);
    if (!(chi > 1e-9)) return d;
    return tw_vec3_add_scaled(d, tw_vec3_add(a, b), -tw_vec3_dot(d, b) / chi);
}

/// About its tangent.
static inline RodFrame rod_turned(RodFrame f, double angle)
{
    twVec3 d = tw_vec3_add_scaled(tw_vec3_scale(f.d1, cos(angle)), f.d2, sin(angle));
    return rod_frame(f.t, d);
}

typedef struct RodElement
{
    double chi, k1, k2, x;         ///< x = tan(twist/2)
    double tau, slope, curvature;  ///< and its first two derivatives by the twist
} RodElement;

static inline RodElement rod_element(const RodFrame* e, const RodFrame* f)
{
    const double least = 1e-12;  // where an edge turned round: finite
    RodElement a;
    a.chi = 1 + tw_vec3_dot(e->t, f->t);
    if (a.chi < least) a.chi = least;
    a.k1 = (tw_vec3_dot(f->t, e->d1) - tw_vec3_dot(e->t, f->d1)) / a.chi;
    a.k2 = (tw_vec3_dot(f->t, e->d2) - tw_vec3_dot(e->t, f->d2)) / a.chi;
    double s = a.chi + tw_vec3_dot(e->d1, f->d1) + tw_vec3_dot(e->d2, f->d2);
    if (fabs(s) < least) s = least;
    double x = (tw_vec3_dot(e->d2, f->d1) - tw_vec3_dot(e->d1, f->d2)) / s, x2 = x * x, den = 5 + 3 * x2;
    a.x = x;
    a.tau = 2 * x * (15 + 4 * x2) / (3 * den);
    a.slope = 1 + 4 * x2 * x2 * x2 / (den * den);
    a.curvature = (1 + x2) * (60 + 12 * x2) * x2 * x2 * x / (den * den * den);
    return a;
}
