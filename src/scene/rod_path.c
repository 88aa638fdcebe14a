// SPDX-License-Identifier: MIT
// Lines that rods follow.
//
//   helix    (R cos 2 pi s, R sin 2 pi s, pitch s),                             s = 0 .. turns
//   spiral   the same with R + (inner - R) s/turns and rise s/turns
//
// Knots, zigzags and arches are in files of their own. Distances along a spiral are found by summing a fine polygon; along the others they are known.

#include "rod_path.h"
#include <math.h>

#define FINE 512  // pieces of a turn of a spiral

static int pieces(const RodPath* p) { return (int)ceil(FINE * fmax(p->turns, 1)); }

// a coil at the fraction s of its way
static twVec3 coil(const RodPath* p, double s)
{
    const double angle = 2 * TW_PI * p->turns * s;
    const bool spiral = p->kind == PATH_SPIRAL;
    const double radius = spiral ? p->radius + (p->inner - p->radius) * s : p->radius;
    const double height = spiral ? p->rise * s : p->pitch * p->turns * s;
    return tw_vec3(radius * cos(angle), radius * sin(angle), height);
}

static double piece_length(const RodPath* p, int i, int count)
{
    return tw_vec3_norm(tw_vec3_sub(coil(p, (i + 1.0) / count), coil(p, (double)i / count)));
}

// points at equal distances along a spiral
static void spiral(const RodPath* p, twVec3* points, int count)
{
    const int fine = pieces(p);
    double length = 0, passed = 0;
    for (int i = 0; i < fine; i++) length += piece_length(p, i, fine);
    const double step = length / (count - 1);
    int next = 0;
    for (int i = 0; i < fine && next < count - 1; i++)
    {
        const double piece = piece_length(p, i, fine);
        for (; next < count - 1 && next * step <= passed + piece; next++)
            points[next] = coil(p, (i + (next * step - passed) / piece) / fine);
        passed += piece;
    }
    points[count - 1] = coil(p, 1);
}

static double polyline_length(const RodPath* p)
{
    double sum = 0;
    const int edges = p->closed ? p->corner_count : p->corner_count - 1;
    for (int i = 0; i < edges; i++)
        sum += tw_vec3_norm(tw_vec3_sub(p->corners[(i + 1) % p->corner_count], p->corners[i]));
    return sum;
}

// points at equal distances along a polyline
static void polyline(const RodPath* p, twVec3* points, int count)
{
    const int edges = p->closed ? p->corner_count : p->corner_count - 1;
    const double step = polyline_length(p) / (p->closed ? count : count - 1);
    double passed = 0;
    int next = 0;
    for (int i = 0; i < edges; i++)
    {
        const twVec3 a = p->corners[i], along = tw_vec3_sub(p->corners[(i + 1) % p->corner_count], a);
        const double piece = tw_vec3_norm(along);
        for (; next < count && next * step <= passed + piece; next++)
            points[next] = tw_vec3_add_scaled(a, along, piece > 0 ? (next * step - passed) / piece : 0);
        passed += piece;
    }
    // what rounding left over
    const twVec3 end = p->corners[p->closed ? 0 : p->corner_count - 1];
    for (; next < count; next++) points[next] = end;
}

// turn from the axis a path is drawn about to its own: half a turn about the direction between the two
static twVec3 turn(const RodPath* p, twVec3 point)
{
    const bool along_x = p->kind == PATH_STRAIGHT || p->kind == PATH_KNOT;
    const twVec3 from = along_x ? tw_vec3(1, 0, 0) : tw_vec3(0, 0, 1);
    const twVec3 to = tw_vec3_normalize(p->axis);
    const double dot = tw_vec3_dot(from, to);
    const twVec3 cross = tw_vec3_cross(from, to);
    if (dot < -1 + 1e-12)  // straight back: half a turn about y, which is across both axes
        return tw_vec3(-point.x, point.y, -point.z);
    const twVec3 once = tw_vec3_cross(cross, point);
    return tw_vec3_add(tw_vec3_add(point, once), tw_vec3_scale(tw_vec3_cross(cross, once), 1 / (1 + dot)));
}

static void corners(const RodPath* p, twVec3* points, int count)
{
    if (count == p->corner_count)
        for (int i = 0; i < count; i++) points[i] = p->corners[i];
    else
        polyline(p, points, count);
}

void rod_path(const RodPath* p, twVec3* points, int count)
{
    switch (p->kind)
    {
    case PATH_STRAIGHT:
        for (int i = 0; i < count; i++) points[i] = tw_vec3(p->length * i / (count - 1), 0, 0);
        break;
    case PATH_HELIX:
    case PATH_RING:
        for (int i = 0; i < count; i++) points[i] = coil(p, (double)i / (p->kind == PATH_RING ? count : count - 1));
        break;
    case PATH_SPIRAL:
        spiral(p, points, count);
        break;
    case PATH_POLYLINE:
        corners(p, points, count);
        break;
    case PATH_KNOT:
        rod_knot(p, points, count);
        break;
    case PATH_ZIGZAG:
        rod_zigzag(p, points, count);
        break;
    case PATH_ARCH:
        rod_arch(p, points, NULL, count);
        break;
    }
    for (int i = 0; i < count; i++)
        points[i] = tw_vec3_add(p->kind == PATH_POLYLINE ? points[i] : turn(p, points[i]), p->at);
}

void rod_path_axes(const RodPath* p, twVec3* axes, int count)
{
    if (p->kind == PATH_ARCH) rod_arch(p, NULL, axes, count);
    for (int i = 0; i < count; i++) axes[i] = p->kind == PATH_ARCH ? turn(p, axes[i]) : tw_vec3_normalize(p->axis);
}

const char* rod_path_fault(const RodPath* p)
{
    if (p->kind == PATH_KNOT) return rod_knot_fault(p);
    if (p->kind == PATH_ZIGZAG) return rod_zigzag_fault(p);
    return p->kind == PATH_ARCH ? rod_arch_fault(p) : NULL;
}

bool rod_walk(RodWalk* w, twVec3 place)
{
    // |last + u along - point| = step, the later of two solutions
    const twVec3 along = tw_vec3_sub(place, w->last), behind = tw_vec3_sub(w->last, w->point);
    const double aa = tw_vec3_dot(along, along), ab = tw_vec3_dot(along, behind);
    const double root = ab * ab - aa * (tw_vec3_dot(behind, behind) - w->step * w->step);
    const double u = aa > 0 && root >= 0 ? (sqrt(root) - ab) / aa : INFINITY;
    w->last = u <= 1 ? tw_vec3_add_scaled(w->last, along, u) : place;
    if (u <= 1) w->point = w->last;
    return u <= 1;
}
