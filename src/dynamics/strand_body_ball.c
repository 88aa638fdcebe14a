// SPDX-License-Identifier: MIT
// A rod against an exact ball. The point of an edge nearest to the ball's centre p is at the share of the projection of p on it; of a
// section that is not round, the point of the rectangle there that is nearest. It is a touch if it is inside the edge, or if it is where two
// edges meet and no nearer on either side.
#include "dynamics/strand_body_parts.h"

static double limit(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// share of the projection of the ball's centre on an edge, not limited
static double project(const StrandView* view, int edge)
{
    twVec3 a = strand_body_at(view->rod->x, edge),
           b = strand_body_at(view->rod->x, strand_body_next(view->pair->rod, edge));
    twVec3 e = tw_vec3_sub(b, a);
    double l2 = tw_vec3_dot(e, e);
    return l2 > 0 ? tw_vec3_dot(e, tw_vec3_sub(view->body->position, a)) / l2 : 0;
}

// axes and half sizes at a share of an edge: at its ends the means with the edges beside it
static void section_at(const StrandView* view, int edge, double share, twVec3 axis[2], double half[2], double* radius)
{
    const StrandShape* rod = view->pair->rod;
    twVec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
    half[0] = half[1] = *radius = 0;
    for (int end = 0; end < 2; end++)
    {
        int beside[2], count = 0;
        strand_body_edges(rod, end == 0 ? edge : strand_body_next(rod, edge), beside);
        count = (beside[0] >= 0) + (beside[1] >= 0);
        for (int k = 0; k < 2; k++)
        {
            if (beside[k] < 0) continue;
            double part = (end == 0 ? 1 - share : share) / count;
            *radius += part * rod->radius[beside[k]];
            if (view->pair->line_count == 1) continue;
            strand_body_axes(view, beside[k], axis);
            for (int d = 0; d < 2; d++)
            {
                half[d] += part * strand_body_half(rod, d, beside[k]);
                sum[d] = tw_vec3_add_scaled(sum[d], axis[d], part);
            }
        }
    }
    for (int d = 0; d < 2; d++) axis[d] = tw_vec3_normalize(sum[d]);
}

// the point of a rectangle nearest to one at (u, v); if that is inside, on the side that is nearest, and depth is how far that is
static double in_section(double at[2], const double half[2])
{
    double depth[2] = {half[0] - fabs(at[0]), half[1] - fabs(at[1])};
    if (depth[0] < 0 || depth[1] < 0)
    {
        for (int d = 0; d < 2; d++) at[d] = limit(at[d], -half[d], half[d]);
        return -1;
    }
    int side = depth[0] < depth[1] ? 0 : 1;
    at[side] = at[side] < 0 ? -half[side] : half[side];
    return depth[side];
}

static void give(const StrandView* view, int edge, double share, StrandKind kind)
{
    const StrandShape* rod = view->pair->rod;
    twVec3 a = strand_body_at(view->rod->x, edge), b = strand_body_at(view->rod->x, strand_body_next(rod, edge)),
           axis[2];
    twVec3 centre = tw_vec3_add_scaled(a, tw_vec3_sub(b, a), share), p = view->body->position, normal, skin;
    double half[2], radius, gap, ball = view->body->shape->ball;
    twVec3 way = tw_vec3_sub(p, centre), along = strand_body_at(view->rod->t, edge);
    section_at(view, edge, share, axis, half, &radius);
    if (view->pair->line_count == 1)
    {
        normal = tw_vec3_normalize(tw_vec3_scale(way, -1));
        // on the centre line
        if (!(tw_vec3_dot(normal, normal) > 0)) normal = strand_body_at(view->rod->d1, edge);
        gap = tw_vec3_norm(way) - radius - ball;
        skin = tw_vec3_add_scaled(centre, normal, -radius);
    }
    else
    {
        double at[2] = {tw_vec3_dot(way, axis[0]), tw_vec3_dot(way, axis[1])}, depth = in_section(at, half);
        skin = tw_vec3_add(centre, tw_vec3_add_scaled(tw_vec3_scale(axis[0], at[0]), axis[1], at[1]));
        twVec3 out = tw_vec3_sub(skin, p);
        double away = tw_vec3_norm(out);
        // inside the rod the way out goes on beyond its skin
        normal = tw_vec3_normalize(depth >= 0 ? tw_vec3_scale(out, -1) : out);
        if (!(tw_vec3_dot(normal, normal) > 0)) normal = tw_vec3_scale(axis[1], at[1] < 0 ? 1 : -1);
        gap = (depth >= 0 ? -away : away) - ball;
    }
    if (!(gap < view->reach)) return;
    StrandTouch* touch = strand_body_add(view, edge, 0, 0, kind);
    if (!touch) return;
    touch->share[0] = share;
    touch->normal = normal;
    touch->gap = gap;
    touch->point = tw_vec3_add_scaled(skin, normal, -0.5 * gap);
    touch->arm[0] = tw_vec3_sub(touch->point, centre);
    strand_tangents(touch, along);
}

void strand_body_ball(const StrandView* view, int edge)
{
    const StrandShape* rod = view->pair->rod;
    double share = project(view, edge);
    int before = edge > 0 ? edge - 1 : rod->closed ? rod->edge_count - 1 : -1;
    if (!(share > 0))
    {
        // its first point, if the edge before does not come nearer
        if (before < 0 || project(view, before) >= 1) give(view, edge, 0, STRAND_POINT);
    }
    else if (share < 1)
        give(view, edge, share, STRAND_INSIDE);
    if (share >= 1 && edge == rod->edge_count - 1 && !rod->closed) give(view, edge, 1, STRAND_LAST);
}
