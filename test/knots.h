// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/// @file
/// What makes curves of straight pieces linked and knotted, by means that know nothing of rods.

typedef struct Curve
{
    int count;  ///< of points
    bool closed;
    twVec3 points[512];
} Curve;

static inline int curve_edges(const Curve* c) { return c->closed ? c->count : c->count - 1; }
static inline twVec3 curve_next(const Curve* c, int i) { return c->points[(i + 1) % c->count]; }

static inline void curve_add(Curve* c, twVec3 p)
{
    if (c->count == (int)(sizeof c->points / sizeof *c->points)) abort();
    c->points[c->count++] = p;
}

/// solid angle of two segments, of 4 pi (Klenin and Langowski 2000)
static inline double gauss_pair(twVec3 a, twVec3 b, twVec3 c, twVec3 d)
{
    const twVec3 ac = tw_vec3_sub(c, a), ad = tw_vec3_sub(d, a), bc = tw_vec3_sub(c, b), bd = tw_vec3_sub(d, b);
    twVec3 n[4] = {tw_vec3_cross(ac, ad), tw_vec3_cross(ad, bd), tw_vec3_cross(bd, bc), tw_vec3_cross(bc, ac)};
    for (int i = 0; i < 4; i++)
    {
        const double size = tw_vec3_norm(n[i]);
        if (!(size > 1e-30)) return 0;
        n[i] = tw_vec3_scale(n[i], 1 / size);
    }
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += asin(fmax(-1, fmin(1, tw_vec3_dot(n[i], n[(i + 1) % 4]))));
    const double side = tw_vec3_dot(tw_vec3_cross(tw_vec3_sub(d, c), tw_vec3_sub(b, a)), ac);
    return (side > 0 ? sum : -sum) / (4 * TW_PI);
}

/// Gauss's integral: how often two closed curves go through each other
static inline double linking(const Curve* a, const Curve* b)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            sum += gauss_pair(a->points[i], curve_next(a, i), b->points[j], curve_next(b, j));
    return sum;
}

static inline double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static inline double segment_distance(twVec3 a, twVec3 b, twVec3 c, twVec3 d)
{
    const twVec3 u = tw_vec3_sub(b, a), v = tw_vec3_sub(d, c), w = tw_vec3_sub(a, c);
    const double uu = tw_vec3_dot(u, u), uv = tw_vec3_dot(u, v), vv = tw_vec3_dot(v, v), uw = tw_vec3_dot(u, w),
                 vw = tw_vec3_dot(v, w), det = uu * vv - uv * uv;
    double s = det > 1e-12 * uu * vv ? clamp01((uv * vw - vv * uw) / det) : 0;
    const double t = clamp01((uv * s + vw) / vv);
    s = clamp01((uv * t - uw) / uu);
    return tw_vec3_norm(tw_vec3_sub(tw_vec3_add_scaled(a, u, s), tw_vec3_add_scaled(c, v, t)));
}

/// least distance of two curves
static inline double curve_distance(const Curve* a, const Curve* b)
{
    double least = HUGE_VAL;
    for (int i = 0; i < curve_edges(a); i++)
        for (int j = 0; j < curve_edges(b); j++)
            least = fmin(least, segment_distance(a->points[i], curve_next(a, i), b->points[j], curve_next(b, j)));
    return least;
}

/// least distance of edges of a curve that are further apart along it than so many
static inline double self_distance(const Curve* c, int apart)
{
    double least = HUGE_VAL;
    for (int i = 0; i < curve_edges(c); i++)
        for (int j = i + apart + 1; j < curve_edges(c); j++)
        {
            if (c->closed && i + c->count - j <= apart) continue;
            least = fmin(least, segment_distance(c->points[i], curve_next(c, i), c->points[j], curve_next(c, j)));
        }
    return least;
}

/// with a point more on every edge, by cubics through four: nearer to the curve that the points are of
static inline Curve curve_fine(const Curve* c)
{
    Curve fine = {.closed = c->closed};
    const int n = c->count;
    for (int i = 0; i < curve_edges(c); i++)
    {
        const bool whole = c->closed || (i > 0 && i + 2 < n);
        const twVec3 a = c->points[i], b = curve_next(c, i), mean = tw_vec3_scale(tw_vec3_add(a, b), 0.5);
        curve_add(&fine, a);
        const twVec3 out = tw_vec3_scale(tw_vec3_add(c->points[(i + n - 1) % n], c->points[(i + 2) % n]), 0.5);
        curve_add(&fine, whole ? tw_vec3_add_scaled(mean, tw_vec3_sub(mean, out), 1.0 / 8) : mean);
    }
    if (!c->closed) curve_add(&fine, c->points[n - 1]);
    return fine;
}

enum
{
    KNOT_CROSSINGS = 60
};

/// Where one edge of a closed curve goes below another, seen along z.
typedef struct Crossing
{
    double under, over;  ///< along the curve, in edges
} Crossing;

static inline int by_under(const void* a, const void* b)
{
    const Crossing *x = a, *y = b;
    return (x->under > y->under) - (x->under < y->under);
}

static inline int find_crossings(const Curve* c, Crossing* out)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        for (int j = i + 1; j < c->count; j++)
        {
            const twVec3 a = c->points[i], b = c->points[j], u = tw_vec3_sub(curve_next(c, i), a),
                         v = tw_vec3_sub(curve_next(c, j), b), w = tw_vec3_sub(b, a);
            const double det = u.x * v.y - u.y * v.x;
            if (j == i + 1 || (i == 0 && j == c->count - 1) || det == 0) continue;
            const double s = (w.x * v.y - w.y * v.x) / det, t = (w.x * u.y - w.y * u.x) / det;
            if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) continue;
            if (count == KNOT_CROSSINGS) abort();
            const bool above = a.z + s * u.z > b.z + t * v.z;
            out[count++] = above ? (Crossing){j + t, i + s} : (Crossing){i + s, j + t};
        }
    qsort(out, (size_t)count, sizeof *out, by_under);
    return count;
}

/// |det| of n x n numbers, which are used up
static inline double determinant(double a[KNOT_CROSSINGS][KNOT_CROSSINGS], int n)
{
    double det = 1;
    for (int k = 0; k < n; k++)
    {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < n; j++)
        {
            const double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        if (a[k][k] == 0) return 0;
        det *= fabs(a[k][k]);
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    return det;
}

/// The knot's determinant, by the colours of the arcs of its picture along z: 1 of what is no knot, 3 of a trefoil.
static inline double knot_determinant(const Curve* c)
{
    static double a[KNOT_CROSSINGS][KNOT_CROSSINGS];
    Crossing crossings[KNOT_CROSSINGS];
    const int n = find_crossings(c, crossings);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) a[k][j] = 0;
    for (int k = 0; k < n; k++)
    {
        // arc i ends where crossing i goes below
        int over = 0;
        while (over < n && crossings[over].under < crossings[k].over) over++;
        a[k][over % n] += 2;
        a[k][k] -= 1;
        a[k][(k + 1) % n] -= 1;
    }
    return n > 0 ? determinant(a, n - 1) : 1;
}
