// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand_feature.h"

/// @file
/// Parts of finding where two edges of rods touch (internal).

#define STRAND_PARALLEL 0.28  ///< L l / r: nodes next to a crossing at this angle are 0.5 % of r further away
#define STRAND_FADE 0.05      ///< k
#define STRAND_MOST_BOW 0.25  ///< of the radii: edges count as bent by no more

static inline twVec3 fibre_node(const StrandLine* line, int fibre, int i)
{
    return line->node[(size_t)fibre * (size_t)line->shape->point_count + (size_t)i];
}

static inline twVec3 blend(twVec3 a, twVec3 b, double s) { return tw_vec3_add_scaled(a, tw_vec3_sub(b, a), s); }
static inline double square(double x) { return x * x; }
static inline double least_of(double a, double b) { return a < b ? a : b; }
static inline double most_of(double a, double b) { return a > b ? a : b; }
static inline double clamp(double x, double low, double high) { return least_of(most_of(x, low), high); }

static inline twVec3 tangent_at(const StrandLine* line, int e, double s)
{
    return blend(line->edges[e].tangent[0], line->edges[e].tangent[1], s);
}

static inline double radius_at(const StrandLine* line, int e, double s)
{
    return line->radius[e] + s * (line->radius[strand_next_node(line->shape, e)] - line->radius[e]);
}

static inline twVec3 centre_at(const StrandLine* line, int e, double s)
{
    return tw_vec3_add_scaled(line->centre[e], line->edges[e].along, s);
}

// how far the curve through the nodes (Hermite's, with their tangents) is from the edge
static inline twVec3 bow_at(const StrandLine* line, int e, double s)
{
    const StrandEdge* edge = &line->edges[e];
    const twVec3 inner = tw_vec3_add_scaled(tw_vec3_scale(strand_bow(edge, 0), 1 - s), strand_bow(edge, 1), -s);
    return tw_vec3_scale(inner, s * (1 - s));
}

// what bends may change of the distance of two edges: bows are at most a quarter of what their ends say; and turns
static inline double bow_room(const StrandLine* a, int e, const StrandLine* b, int f, double radii)
{
    const StrandEdge *x = &a->edges[e], *y = &b->edges[f];
    const double room = 0.25 * (x->bend * x->length + y->bend * y->length) + radii * square(x->bend + y->bend);
    return least_of(room, STRAND_MOST_BOW * radii);
}

static inline double turn_at(const StrandLine* line, int e, double s)
{
    const double* turn = line->edges[e].turn;
    return turn[0] + s * (turn[1] - turn[0]);
}

// L of straight rods: more for flat ones, whose faces are as wide
static inline double parallel_base(const StrandLine* a, int e, const StrandLine* b, int f, double radii)
{
    const double width = 0.5 * radii + least_of(a->shape->core[0][e], b->shape->core[0][f]);
    return STRAND_PARALLEL * width * most_of(a->per_edge, b->per_edge);
}

// L: more where they are bent, as edges cross more often than rods do there
static inline double parallel_sine(const StrandLine* a, int e, double s, const StrandLine* b, int f, double t,
                                   double radii)
{
    const double sine = parallel_base(a, e, b, f, radii);
    return sine + least_of(0.5 * (turn_at(a, e, s) + turn_at(b, f, t)), sine);
}

// v less its part along a direction, times share
static inline twVec3 less_along(twVec3 v, twVec3 direction, double share)
{
    const double square_size = tw_vec3_dot(direction, direction);
    return square_size > 0 ? tw_vec3_add_scaled(v, direction, -share * tw_vec3_dot(v, direction) / square_size) : v;
}

// an end of a rod, not only of an edge
static inline bool is_end(const StrandLine* line, int e, double s)
{
    return (s <= 0 && strand_edge_beside(line->shape, e, -1) < 0) ||
           (s >= 1 && strand_edge_beside(line->shape, e, 1) < 0);
}

static inline double close_to(const StrandLine* line, int e, double distance)
{
    return line->edges[e].close * distance + 1e-9;
}

/// Distance of two segments; s, t where.
static inline double strand_segments(twVec3 a0, twVec3 a1, twVec3 b0, twVec3 b1, double* s, double* t)
{
    const twVec3 u = tw_vec3_sub(a1, a0), v = tw_vec3_sub(b1, b0), w = tw_vec3_sub(a0, b0);
    const double uu = tw_vec3_dot(u, u), vv = tw_vec3_dot(v, v), uv = tw_vec3_dot(u, v);
    const double uw = tw_vec3_dot(u, w), vw = tw_vec3_dot(v, w), area = uu * vv - uv * uv;
    *s = area > 1e-14 * uu * vv ? clamp((uv * vw - uw * vv) / area, 0, 1) : 0.5;
    *t = (uv * *s + vw) / vv;
    if (*t < 0 || *t > 1)
    {
        *t = clamp(*t, 0, 1);
        *s = clamp((uv * *t - uw) / uu, 0, 1);
    }
    return tw_vec3_norm(tw_vec3_sub(blend(a0, a1, *s), blend(b0, b1, *t)));
}

// what is known of two points that are nearest to each other
typedef struct Meet
{
    const StrandLine* line[2];
    int feature, item[2], edge[2];
    double share[2], radius[2];
    twVec3 point[2];  ///< of fibre and core
    twVec3 normal;    ///< unit, if distance is not 0
    double distance;  ///< of the points along it
    double offset;    ///< added to the gap
    double room;      ///< most that bends change of the distance of edges
    double u[2];      ///< where along them point[0] is
    twVec3 box[2];    ///< half axes of the core of [1] about centre, if that is solid
    twVec3 centre;    ///< of the core of [1] there; of a crossing its point
    twVec3 across;    ///< to both, if lines cross
} Meet;

/// A touch, if its gap is less than reach.
void strand_make_touch(StrandSink* sink, Meet* m, double reach);
/// Where fibres of two edges cross. near: where these are nearest, if that is known. @return least gap they can have there
double strand_cross(StrandSink* sink, const StrandLine* a, int e, int fibre0, const StrandLine* b, int f, int fibre1,
                    const StrandNear* near, double reach);
