// SPDX-License-Identifier: MIT
// dexel_polygon: the part of a face that lies in a cell, and ways through the cell.
#include "fem/dexel_run.h"

twVec3 dexel_polygon_nearest(const DexelPolygon* polygon, twVec3 place)
{
    twVec3 best = place;
    double least = HUGE_VAL;
    for (int k = 1; k + 1 < polygon->count; k++)
    {
        const twVec3 triangle[3] = {polygon->corner[0], polygon->corner[k], polygon->corner[k + 1]};
        const twVec3 near = tw_triangle_nearest(triangle, place), away = tw_vec3_sub(near, place);
        const double distance = tw_vec3_dot(away, away);
        if (distance < least) least = distance, best = near;
    }
    return best;
}

// where the way from a to b meets a polygon between two parts of it; 1: nowhere
double dexel_polygon_hit(const DexelPolygon* polygon, twVec3 a, twVec3 b, double from, double to)
{
    const twVec3 way = tw_vec3_sub(b, a), o = polygon->corner[0];
    for (int k = 1; k + 1 < polygon->count; k++)
    {
        const twVec3 u = tw_vec3_sub(polygon->corner[k], o), v = tw_vec3_sub(polygon->corner[k + 1], o),
                     n = tw_vec3_cross(u, v);
        const double slope = tw_vec3_dot(n, way), t = slope != 0 ? tw_vec3_dot(n, tw_vec3_sub(o, a)) / slope : -1;
        if (!(t > from && t < to)) continue;
        const twVec3 p = tw_vec3_sub(tw_vec3_add_scaled(a, way, t), o);
        const double area = tw_vec3_dot(n, n), x = tw_vec3_dot(tw_vec3_cross(p, v), n),
                     y = tw_vec3_dot(tw_vec3_cross(u, p), n);
        if (x >= 0 && y >= 0 && x + y <= area) return t;
    }
    return 1;
}

// the point where a way from a point of the cell leaves it
twVec3 dexel_way_out(const Cell* cell, twVec3 from, twVec3 direction)
{
    double t = HUGE_VAL;
    for (int x = 0; x < 3; x++)
    {
        const double start = dexel_axis_of(from, x) - cell->at[x], slope = dexel_axis_of(direction, x);
        if (slope != 0) t = fmin(t, ((slope > 0 ? 1 : 0) - start) / slope);
    }
    return tw_vec3_add_scaled(from, direction, fmax(0, t));
}

// whether a side of one polygon passes through the other
bool dexel_polygon_pierces(const DexelPolygon* sides, const DexelPolygon* through)
{
    for (int k = 0; k < sides->count; k++)
        if (dexel_polygon_hit(through, sides->corner[k], sides->corner[(k + 1) % sides->count], 0, 1) < 1) return true;
    return false;
}
