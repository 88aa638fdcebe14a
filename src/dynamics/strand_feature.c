// SPDX-License-Identifier: MIT
// Two kinds of touches. Fibres a(s), b(t) that cross: a local minimum of |a(s) - b(t)| over both lines. Nodes: a local minimum
// of the distance of a node a_i from the core of the other rod. Both are continuous as rods slide over nodes. With the angle
// phi of the rods there, from tangents that turn evenly along edges, and L = 0.28 r/l,
//
//     gap of a crossing = distance - radii + k r max(0, L/sin phi - 1)^2,
//     gap of a node     = distance - radii + k r max(0, sin phi/L - 1)^2 (1 - m)^2,
//
// so that one takes over from the other smoothly: a crossing lifts off where rods become parallel, nodes where they cross,
// unless they lie over a face (m: how far from its border, over r, at most 1).
#include "dynamics/strand_meet.h"

static const double sparse = 0.25;  // of an edge: nodes of both that are nearer to each other count once

// ---- nodes ----

// the nearest point of a core: along the edge (not clamped), across (-1 to 1)
typedef struct Foot
{
    double t, u[2], distance;
} Foot;

static twVec3 along_of(const StrandLine* b, int f)
{
    return tw_vec3_sub(b->centre[strand_next_node(b->shape, f)], b->centre[f]);
}

// as edges have it, for those beside that need not be set for this
static double share_on(const StrandLine* b, int f, const twVec3* from)
{
    const twVec3 along = along_of(b, f);
    return tw_vec3_dot(*from, along) * (1 / tw_vec3_dot(along, along));
}

// along and across depend on each other where rods are bent: once more along is enough
static double go_across(const StrandLine* b, int f, const twVec3* from, double t, double u[2])
{
    const int next = strand_next_node(b->shape, f);
    const StrandEdge* edge = &b->edges[f];
    const double s = clamp(t, 0, 1);
    twVec3 start = *from, along = edge->along;
    for (int k = 0; k < 2 && b->box[k]; k++)
    {
        const twVec3 turn = tw_vec3_sub(b->box[k][next], b->box[k][f]), h = tw_vec3_add_scaled(b->box[k][f], turn, s);
        const double core = b->shape->core[k][f];
        u[k] = clamp((tw_vec3_dot(*from, h) - s * tw_vec3_dot(edge->along, h)) / (core * core), -1, 1);
        start = tw_vec3_add_scaled(start, b->box[k][f], -u[k]);
        along = tw_vec3_add_scaled(along, turn, u[k]);
    }
    return tw_vec3_dot(start, along) / tw_vec3_dot(along, along);
}

// the same of a flat one, from its edge's products: start and along are from - u h, along + u twist
static double go_across_ribbon(const StrandLine* b, int f, const twVec3* from, double* across)
{
    const StrandEdge* edge = &b->edges[f];
    const StrandTwist* twist = &b->twists[f];
    const double on = tw_vec3_dot(*from, edge->along), s = clamp(on * edge->over, 0, 1);
    const double on_h = tw_vec3_dot(*from, b->box[0][f]), on_twist = tw_vec3_dot(*from, twist->twist);
    const double part = on_h + s * (on_twist - twist->along_h - s * twist->along_twist);
    const double u = *across = clamp(part * b->axes[f].over, -1, 1);
    return (on + u * (on_twist - twist->along_h - u * twist->h_twist)) /
           (edge->length * edge->length + u * (2 * twist->along_twist + u * twist->twist2));
}

static void foot_share(Foot* foot, const StrandLine* b, int f, const twVec3* from)
{
    foot->u[0] = foot->u[1] = 0;
    if (b->box[0] && !b->box[1])
    {
        strand_line_edge(b, f);
        foot->t = go_across_ribbon(b, f, from, foot->u);
        return;
    }
    foot->t = share_on(b, f, from);
    if (!b->box[0]) return;
    strand_line_edge(b, f);
    foot->t = go_across(b, f, from, foot->t, foot->u);
}

static void foot_distance(Foot* foot, const StrandLine* b, int f, const twVec3* from)
{
    const double t = clamp(foot->t, 0, 1);
    twVec3 away = tw_vec3_add_scaled(*from, along_of(b, f), -t);
    for (int k = 0; k < 2 && b->box[k]; k++)
        away = tw_vec3_add_scaled(away, blend(b->box[k][f], b->box[k][strand_next_node(b->shape, f)], t), -foot->u[k]);
    foot->distance = tw_vec3_norm(away);
}

// whether an edge beside has a nearer foot (on the hollow side of a bend both have one)
static bool foot_nearer(const StrandLine* b, int beside, const twVec3* p, double distance, bool or_equal)
{
    if (beside < 0) return false;
    const twVec3 from = tw_vec3_sub(*p, b->centre[beside]);
    Foot other;
    foot_share(&other, b, beside, &from);
    if (!(other.t >= 0 && other.t < 1)) return false;
    foot_distance(&other, b, beside, &from);
    return or_equal ? other.distance <= distance : other.distance < distance;
}

// Whether the foot is the nearest one of the whole line, and this edge the one to say so. If not, *way is how far it has to
// move before it can be: shares change by less than 8 times what anything moves.
static bool owns_foot(const StrandLine* b, int f, const twVec3* p, const Foot* foot, double* way)
{
    const int before = strand_edge_beside(b->shape, f, -1), after = strand_edge_beside(b->shape, f, 1);
    const double close = close_to(b, f, foot->distance), length = b->edges[f].length / 8;
    *way = 0;
    if (foot->t >= 1 && after >= 0) *way = (foot->t - 1) * length;
    if (foot->t >= 1) return after < 0;
    if (foot->t < 0)
    {
        Foot other = {.t = 1};
        if (before >= 0 && foot->t < -close)
        {
            *way = (-foot->t - close) * 0.5 * length;
            return false;
        }
        const twVec3 from = before < 0 ? *p : tw_vec3_sub(*p, b->centre[before]);
        if (before >= 0) foot_share(&other, b, before, &from);
        return other.t >= 1;
    }
    if (1 - foot->t < close && foot_nearer(b, after, p, foot->distance, false)) return false;
    return !(foot->t < close && foot_nearer(b, before, p, foot->distance, true));
}

// inside a solid core: out by the nearest face
static void leave_core(Meet* m)
{
    double way = INFINITY;
    for (int k = 0; k < 2; k++)
    {
        const double axis = tw_vec3_norm(m->box[k]), depth = (1 - fabs(m->u[k])) * axis;
        if (depth < way) m->normal = tw_vec3_scale(m->box[k], m->u[k] < 0 ? -1 / axis : 1 / axis);
        way = least_of(way, depth);
    }
    m->distance = -way;
}

// what is known of two points that are nearest, of a node i of a and its foot on b; on the curve through the nodes
static void set_meet(Meet* m, const StrandLine* b, int f, const Foot* foot)
{
    const double t = m->share[1], most = m->room;
    m->centre = tw_vec3_add(centre_at(b, f, t), bow_at(b, f, t));
    m->point[1] = m->centre;
    bool inside = b->shape->fibre_count == STRAND_FIBRES;
    for (int k = 0; k < 2 && b->box[k]; k++)
    {
        const twVec3 h = m->box[k] = blend(b->box[k][f], b->box[k][strand_next_node(b->shape, f)], t);
        m->u[k] = tw_vec3_dot(tw_vec3_sub(m->point[0], m->centre), h) / tw_vec3_dot(h, h);
        m->point[1] = tw_vec3_add_scaled(m->point[1], h, clamp(m->u[k], -1, 1));
        inside = inside && fabs(m->u[k]) < 1;
    }
    twVec3 w = tw_vec3_sub(m->point[0], m->point[1]);
    if (!is_end(b, f, t)) w = less_along(w, tangent_at(b, f, t), 1);
    const double size = tw_vec3_norm(w);
    m->distance = clamp(size, foot->distance - most, foot->distance + most);
    m->normal = tw_vec3_scale(w, 1 / most_of(size, 1e-300));
    if (inside) leave_core(m);
}

// how far the point is from the border of a face
static double depth_of(const Meet* m)
{
    double depth = 0;
    for (int k = 0; k < 2 && m->line[1]->box[k]; k++)
        depth = most_of(depth, (1 - fabs(m->u[k])) * tw_vec3_norm(m->box[k]));
    return depth;
}

static twVec3 node_tangent(const Meet* m) { return m->line[0]->edges[m->edge[0]].tangent[m->share[0] > 0]; }

// gap added for the angle, and for nodes of the later rod beside nodes of the first
static double node_offset(const Meet* m, double radii, bool later)
{
    const double t = m->share[1], r = 0.5 * radii;
    const twVec3 tb = tangent_at(m->line[1], m->edge[1], t), across = tw_vec3_cross(node_tangent(m), tb);
    const double square_sine = tw_vec3_dot(across, across) / tw_vec3_dot(tb, tb);
    const double limit = parallel_sine(m->line[0], m->edge[0], m->share[0], m->line[1], m->edge[1], t, radii);
    double offset = 0;
    if (square_sine > limit * limit)
        offset = square((sqrt(square_sine) / limit - 1) * (1 - least_of(1, depth_of(m) / r)));
    const double beside = least_of(t, 1 - t);
    if (later && beside < sparse) offset += square(1 - beside / sparse);
    return STRAND_FADE * r * offset;
}

// far beyond an end of the edge, where t is along it: another edge has the node. @return a bound of its distance if so; else 0
static double beyond(const StrandLine* b, int f, const twVec3* p, double t)
{
    if (t >= -sparse && t <= 1 + sparse) return 0;
    const double core = b->shape->core[0][f] + b->shape->core[1][f];
    if (t > 1) return strand_edge_beside(b->shape, f, 1) < 0 ? 0 : (t - 1) * b->edges[f].length - core;
    const int before = strand_edge_beside(b->shape, f, -1);
    if (before < 0) return 0;
    const twVec3 other = tw_vec3_sub(*p, b->centre[before]);
    return share_on(b, before, &other) > 1 - sparse ? 0 : -t * b->edges[f].length - core;
}

// Least gap that a node of the later rod has while it is beside one of the first: bent edges change it by less than one and a half of
// what anything moves, and shares by less than 8 times that over the length.
static double stay_beside(const Meet* m, double radii)
{
    const double more = 0.02, t = m->share[1], beside = least_of(t, 1 - t) + more;
    if (beside >= sparse) return -INFINITY;
    const double gap = m->distance - radii + STRAND_FADE * 0.5 * radii * square(1 - beside / sparse);
    return least_of(gap / 1.5, more * m->line[1]->edges[m->edge[1]].length / 8);
}

// Least gap that a node has on a round rod that crosses while nothing has moved by more than a twentieth of an edge: so much, over the
// length, at most, rods turn against each other, and bends change. An end of a rod has no tangent that turns evenly.
static double stay_across(const Meet* m, double radii, double bound)
{
    if (m->line[1]->box[0]) return -INFINITY;
    const StrandLine *a = m->line[0], *b = m->line[1];
    // not even at a right angle
    const double base = parallel_base(a, m->edge[0], b, m->edge[1], radii), most = 0.9 / (0.1 + base) - 1;
    if (!(bound + STRAND_FADE * 0.5 * radii * square(most) > 0)) return -INFINITY;
    const double least = least_of(a->edges[m->edge[0]].length, b->edges[m->edge[1]].length), way = 0.05 * least;
    const twVec3 ta = node_tangent(m), tb = tangent_at(b, m->edge[1], m->share[1]), across = tw_vec3_cross(ta, tb);
    const double sine = sqrt(tw_vec3_dot(across, across) / tw_vec3_dot(tb, tb)) - 0.1;
    const double limit = 0.1 + parallel_sine(a, m->edge[0], m->share[0], b, m->edge[1], m->share[1], radii);
    if (!(sine > limit)) return -INFINITY;
    return least_of(way, bound + STRAND_FADE * 0.5 * radii * square(sine / limit - 1));
}

// node i of a fibre of a, at an end of its edge e, on edge f of b. @return least gap it can have there
static double node_on(StrandSink* sink, const StrandLine* a, int fibre, int i, int e, const StrandLine* b, int f,
                      bool later, double reach)
{
    const twVec3* p = &a->node[(size_t)fibre * (size_t)a->shape->point_count + (size_t)i];
    const double most = a->radius[i] + most_of(b->radius[f], b->radius[strand_next_node(b->shape, f)]);
    const twVec3 from = tw_vec3_sub(*p, b->centre[f]);
    const double on = tw_vec3_dot(from, b->edges[f].along) * b->edges[f].over;
    const double far = beyond(b, f, p, on) - (1 + STRAND_MOST_BOW) * most;
    if (far >= reach) return far;
    Foot foot = {.t = on};
    if (b->box[0]) foot_share(&foot, b, f, &from);
    foot_distance(&foot, b, f, &from);
    const double t = clamp(foot.t, 0, 1), rb = radius_at(b, f, t), radii = a->radius[i] + rb;
    const double room = bow_room(a, e, b, f, radii), bound = foot.distance - radii - room;
    double way;
    if (bound >= reach) return bound;
    const bool mine = owns_foot(b, f, p, &foot, &way);
    if (!mine && (way >= reach || !later)) return most_of(bound, way);
    Meet m = {.line = {a, b}};
    m.feature = strand_feature(STRAND_NODE, fibre, 0);
    m.item[0] = i;
    m.edge[0] = e;
    m.item[1] = m.edge[1] = f;
    m.share[0] = i == e ? 0 : 1;
    m.share[1] = t;
    m.radius[0] = a->radius[i];
    m.radius[1] = rb;
    m.room = room;
    m.point[0] = *p;
    m.across = m.box[0] = m.box[1] = (twVec3){0};
    set_meet(&m, b, f, &foot);
    const double apart = most_of(later ? most_of(bound, stay_beside(&m, radii)) : bound, stay_across(&m, radii, bound));
    if (!mine) return most_of(apart, way);
    if (m.distance - radii >= reach) return apart;
    m.offset = node_offset(&m, radii, later);
    if (m.offset < 0.5 * radii) strand_make_touch(sink, &m, reach);
    return apart;
}

// Flat rods have their nodes on one fibre and the other in turn, but for ends: that is enough to lie on, and half the touches.
static bool has_node(const StrandShape* shape, int fibre, int i)
{
    if (shape->fibre_count != 2 || (!shape->closed && (i < 2 || i >= shape->point_count - 2))) return true;
    return (i & 1) == fibre;
}

// nodes that an edge has, of some fibres: the one it begins with; the last edge of an open rod both. later: a comes after b
static double nodes_on(StrandSink* sink, const StrandLine* a, int e, int first, int end, const StrandLine* b, int f,
                       bool later, double reach)
{
    const bool last = !a->shape->closed && e == a->shape->edge_count - 1;
    double least = INFINITY;
    for (int fibre = first; fibre < end; fibre++)
    {
        if (has_node(a->shape, fibre, e)) least = least_of(least, node_on(sink, a, fibre, e, e, b, f, later, reach));
        if (last) least = least_of(least, node_on(sink, a, fibre, e + 1, e, b, f, later, reach));
    }
    return least;
}

static double crossings(StrandSink* sink, const StrandLine* a, int e, int first0, int end0, const StrandLine* b, int f,
                        int first1, int end1, const StrandNear* near, double reach)
{
    // centre lines are fibres of round rods
    if (!a->box[0] && !b->box[0]) return strand_cross(sink, a, e, 0, b, f, 0, near, reach);
    double least = INFINITY;
    for (int i = first0; i < end0; i++)
        for (int j = first1; j < end1; j++) least = least_of(least, strand_cross(sink, a, e, i, b, f, j, NULL, reach));
    return least;
}

double strand_edge_bound(const StrandLine* a, int e, const StrandLine* b, int f, StrandNear* near)
{
    const twVec3 *x = a->centre, *y = b->centre;
    const int next0 = strand_next_node(a->shape, e), next1 = strand_next_node(b->shape, f);
    near->distance = strand_segments(x[e], x[next0], y[f], y[next1], &near->share[0], &near->share[1]);
    return near->distance - (1 + STRAND_MOST_BOW) * (a->thick + b->thick);
}

// fibres in groups: of one each, or of two if there are four
double strand_edge_pair(StrandSink* sink, const StrandLine* a, int e, const StrandLine* b, int f,
                        const StrandNear* near, double reach, double path, double until, double wake[STRAND_GROUPS])
{
    const int na = a->shape->fibre_count, nb = b->shape->fibre_count, sa = na > 2 ? 2 : 1, sb = nb > 2 ? 2 : 1;
    double least = INFINITY;
    strand_line_edge(a, e);
    strand_line_edge(b, f);
    for (int k = 0; k < STRAND_GROUPS; k++)
    {
        const int i = k < 4 ? (k >> 1) * sa : (k & 1) * sa, j = (k & 1) * sb;
        const bool none = k < 4 ? i >= na || j >= nb : k < 6 ? i >= na : j >= nb;
        if (none) continue;
        if (wake[k] <= until)
        {
            const int deep_before = sink->now.count;
            const double gap = k < 4   ? crossings(sink, a, e, i, i + sa, b, f, j, j + sb, near, reach)
                               : k < 6 ? nodes_on(sink, a, e, i, i + sa, b, f, false, reach)
                                       : nodes_on(sink, b, f, j, j + sb, a, e, true, reach);
            wake[k] = sink->now.count > deep_before ? -INFINITY : path + gap;
        }
        least = least_of(least, wake[k]);
    }
    return least;
}
