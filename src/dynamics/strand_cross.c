// SPDX-License-Identifier: MIT
// Fibres that cross: a local minimum of |a(s) - b(t)| over both lines. Where rods lie along each other it lifts off by the angle, and may be
// left alone until they have turned.
#include "dynamics/strand_meet.h"

#define STEEP 0.5    // sine of an angle
#define CHANGE 16.0  // most that the distance of curves that cross as steeply changes for what anything moves

// From the points of the curves where those of the edges are nearest to the distance of curves that go along ta and tb there:
// what is left across these. share: of what is across the first alone. Never further from the distance of the edges than by
// room.
static void face_each_other(Meet* m, twVec3 ta, twVec3 tb, double share)
{
    const double edges = m->distance, most = m->room;
    const twVec3 middle = tw_vec3_scale(tw_vec3_add(m->point[0], m->point[1]), 0.5);
    twVec3 w = less_along(tw_vec3_sub(m->point[0], m->point[1]), ta, 1);
    w = less_along(w, less_along(tb, ta, 1), share);
    const double size = tw_vec3_norm(w);
    m->distance = clamp(size, edges - most, edges + most);
    m->normal = tw_vec3_scale(w, 1 / most_of(size, 1e-300));
    m->point[0] = tw_vec3_add_scaled(middle, m->normal, 0.5 * m->distance);
    m->centre = m->point[1] = tw_vec3_add_scaled(middle, m->normal, -0.5 * m->distance);
}

// Whether an end of the edge is the nearest point of the whole line, and this edge the one to say so; w: from the other. If not, *way is
// how far anything has to move before it can be: what w has along the edge that is nearer has to vanish. Ends of w go by at most twice
// what nodes do, and as that turns by so much over its length, w by as much of its own.
static bool owns(const StrandLine* line, int fibre, int e, double s, twVec3 w, double* way)
{
    *way = 0;
    if (s > 0 && s < 1) return true;
    const int beside = strand_edge_beside(line->shape, e, s > 0 ? 1 : -1), edge = s > 0 ? beside : e;
    if (beside < 0) return true;
    const twVec3 on =
        tw_vec3_sub(fibre_node(line, fibre, strand_next_node(line->shape, edge)), fibre_node(line, fibre, edge));
    const double along = tw_vec3_dot(w, on), length = tw_vec3_norm(on);
    if (s > 0 && along >= 0) return true;
    *way = fabs(along) / (4 * (length + tw_vec3_norm(w)));
    return false;
}

// Whether a neighbour of the edge of line (on the hollow side of a bend both are near) is nearer to the segment; first: line
// comes before that, for distances that are the same to the last bit. If so, *way is how far anything has to move before it can not
// be: distances change by less than four times that, and where they are by eight over the length, more at small angles.
static bool neighbour_nearer(const StrandLine* line, int fibre, int e, double s, twVec3 b0, twVec3 b1, double distance,
                             bool first, double* way)
{
    if (!(s > 0 && s < 1)) return false;
    for (int step = -1; step <= 1; step += 2)
    {
        const int i = strand_edge_beside(line->shape, e, step);
        if (i < 0 || (step < 0 ? s : 1 - s) > close_to(line, e, distance)) continue;
        const twVec3 a0 = fibre_node(line, fibre, i), a1 = fibre_node(line, fibre, strand_next_node(line->shape, i));
        double u, v;
        const double d = first ? strand_segments(a0, a1, b0, b1, &u, &v) : strand_segments(b0, b1, a0, a1, &v, &u);
        if (!(u > 0 && u < 1 && (step < 0 ? d <= distance : d < distance))) continue;
        const twVec3 across = tw_vec3_cross(tw_vec3_sub(a1, a0), tw_vec3_sub(b1, b0));
        const double sine = tw_vec3_norm(across) / tw_vec3_norm(tw_vec3_sub(b1, b0));
        *way = least_of(0.25 * (distance - d), 0.125 * sine * least_of(u, 1 - u));
        return true;
    }
    return false;
}

static double least_turn(const StrandLine* line, int e)
{
    return least_of(line->edges[e].turn[0], line->edges[e].turn[1]);
}

// a crossing that may come: ends of the fibres, from b to a where they are nearest, the least gap but for the angle
typedef struct Along
{
    twVec3 a0, a1, b0, b1, w;
    double bound, radii;
} Along;

// Square of the most that unit tangents of two edges differ where one is above the other; pad: share by which that may be off.
// Shares are tied there, t = t0 + k s, so it is at one of the ends of the overlap. @return INFINITY if edges do not go along each other
static double most_apart(const StrandLine* a, int e, const StrandLine* b, int f, const Along* x, double* pad)
{
    const twVec3 u = tw_vec3_sub(x->a1, x->a0), v = tw_vec3_sub(x->b1, x->b0);
    const double over = 1 / tw_vec3_dot(v, v), uu = tw_vec3_dot(u, u), uv = tw_vec3_dot(u, v), k = uv * over;
    if (!(fabs(k) > 0.5)) return INFINITY;

    // at ends nearest points are not right above each other
    const double t0 = tw_vec3_dot(tw_vec3_sub(x->a0, x->b0), v) * over;
    *pad = fabs(tw_vec3_dot(x->w, v) - tw_vec3_dot(x->w, u) * uv / uu) * over + 1e-3;
    const double s0 = (-*pad - t0) / k, s1 = (1 + *pad - t0) / k;
    const double s[2] = {clamp(least_of(s0, s1), 0, 1), clamp(most_of(s0, s1), 0, 1)};
    *pad += (uu * over - k * k) * (s[1] - s[0]);
    double most = 0;
    for (int i = 0; i < 2; i++)
    {
        const twVec3 ta = tangent_at(a, e, s[i]), tb = tangent_at(b, f, clamp(t0 + k * s[i], 0, 1));
        const twVec3 d = tw_vec3_add_scaled(ta, tb, k < 0 ? 1 : -1);
        most = most_of(most, tw_vec3_dot(d, d) / tw_vec3_dot(ta, ta));
    }
    return most;
}

// Least gap that fibres have as a crossing, wherever on their edges, as long as rods lie along each other: for how far has anything
// to go before sin phi is a fifth of L? Edges turn by half of the way over their length, at most, and shares go by so much.
static double lie_along(const StrandLine* a, int e, const StrandLine* b, int f, const Along* x)
{
    const double base = parallel_base(a, e, b, f, x->radii), turns = least_turn(a, e) + least_turn(b, f);
    const double limit = base + clamp(0.5 * (turns - base), 0, base), goal = limit / 5;
    double pad = 0;
    const double most = most_apart(a, e, b, f, x, &pad), bends = a->edges[e].bend + b->edges[f].bend;
    if (!(most < goal * goal)) return x->bound;
    const double way = (goal - sqrt(most) - pad * bends) * least_of(a->edges[e].length, b->edges[f].length);
    const double gap = x->bound + STRAND_FADE * 0.5 * x->radii * square(limit / goal - 1);
    return most_of(x->bound, least_of(way / (1 + 2 * bends), gap));
}

// @return least gap it can have there
double strand_cross(StrandSink* sink, const StrandLine* a, int e, int fibre0, const StrandLine* b, int f, int fibre1,
                    const StrandNear* near, double reach)
{
    const twVec3 a0 = fibre_node(a, fibre0, e), a1 = fibre_node(a, fibre0, strand_next_node(a->shape, e));
    const twVec3 b0 = fibre_node(b, fibre1, f), b1 = fibre_node(b, fibre1, strand_next_node(b->shape, f));
    StrandNear own;
    if (!near) own.distance = strand_segments(a0, a1, b0, b1, &own.share[0], &own.share[1]);
    const StrandNear* at = near ? near : &own;
    const double distance = at->distance, s = at->share[0], t = at->share[1];
    const double radius[2] = {radius_at(a, e, s), radius_at(b, f, t)}, radii = radius[0] + radius[1];
    const double room = bow_room(a, e, b, f, radii), bound = distance - radii - room;
    if (bound >= reach) return bound;
    const twVec3 pa = blend(a0, a1, s), pb = blend(b0, b1, t), w = tw_vec3_sub(pa, pb);
    const Along along = {a0, a1, b0, b1, w, bound, radii};
    double way[2];
    const bool mine = owns(a, fibre0, e, s, w, &way[0]), his = owns(b, fibre1, f, t, tw_vec3_scale(w, -1), &way[1]);
    if (!mine || !his)
    {
        const double more = most_of(way[0], way[1]);
        return more >= reach ? most_of(bound, more) : most_of(more, lie_along(a, e, b, f, &along));
    }
    const twVec3 ta = tangent_at(a, e, s), tb = tangent_at(b, f, t), across = tw_vec3_cross(ta, tb);
    const double sine = sqrt(tw_vec3_dot(across, across) / (tw_vec3_dot(ta, ta) * tw_vec3_dot(tb, tb)));
    const double limit = parallel_sine(a, e, s, b, f, t, radii);
    const double offset = sine < limit ? STRAND_FADE * 0.5 * radii * square(limit / (sine + 1e-9 * limit) - 1) : 0;
    if (bound + offset >= reach) return lie_along(a, e, b, f, &along);
    if (neighbour_nearer(a, fibre0, e, s, b0, b1, distance, true, &way[0]) ||
        neighbour_nearer(b, fibre1, f, t, a0, a1, distance, false, &way[0]))
        return most_of(bound, way[0]);
    Meet m = {.line = {a, b},
              .feature = strand_feature(STRAND_CROSS, fibre0, fibre1),
              .item = {e, f},
              .edge = {e, f},
              .share = {s, t},
              .radius = {radius[0], radius[1]},
              .distance = distance,
              .room = room,
              .offset = offset,
              .across = across};
    m.point[0] = tw_vec3_add(pa, bow_at(a, e, s));
    m.point[1] = tw_vec3_add(pb, bow_at(b, f, t));
    const twVec3 none = tw_vec3(0, 0, 0);
    face_each_other(&m, is_end(a, e, s) ? none : ta, is_end(b, f, t) ? none : tb,
                    most_of(0, 1 - limit / (sine + 1e-9 * limit)));
    strand_make_touch(sink, &m, reach);
    return sine > STEEP && sine > limit ? most_of(bound, (m.distance - radii) / CHANGE) : bound;
}
