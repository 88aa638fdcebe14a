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
#include "dynamics/strand_feature.h"
#include "dynamics/strand_pair.h"
#include <stdlib.h>

static const double parallel = 0.28;  // L l / r: nodes next to a crossing at this angle are 0.5 % of r further away
static const double fade = 0.05;      // k
static const double deep = 0.75;      // of the radii: nearer, the side is remembered
static const double blurred = 0.1;    // of the radii: nearer, it tells the normal
static const double most_bow = 0.25;  // of the radii: edges count as bent by no more
static const double sparse = 0.25;    // of an edge: nodes of both that are nearer to each other count once

// ---- lines ----

static twVec3 fibre_node(const StrandLine* line, int fibre, int i)
{
    return line->node[(size_t)fibre * (size_t)line->shape->point_count + (size_t)i];
}

static twVec3 blend(twVec3 a, twVec3 b, double s) { return tw_vec3_add_scaled(a, tw_vec3_sub(b, a), s); }
static double square(double x) { return x * x; }
static double least_of(double a, double b) { return a < b ? a : b; }
static double most_of(double a, double b) { return a > b ? a : b; }
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static twVec3 tangent_at(const StrandLine* line, int e, double s)
{
    return blend(line->tangent[e], line->tangent[strand_next_node(line->shape, e)], s);
}

static double radius_at(const StrandLine* line, int e, double s)
{
    return line->radius[e] + s * (line->radius[strand_next_node(line->shape, e)] - line->radius[e]);
}

static twVec3 centre_at(const StrandLine* line, int e, double s)
{
    return tw_vec3_add_scaled(line->centre[e], line->edges[e].along, s);
}

// how far the curve through the nodes (Hermite's, with their tangents) is from the edge
static twVec3 bow_at(const StrandLine* line, int e, double s)
{
    const StrandEdge* edge = &line->edges[e];
    const twVec3 inner = tw_vec3_add_scaled(tw_vec3_scale(edge->bow[0], 1 - s), edge->bow[1], -s);
    return tw_vec3_scale(inner, s * (1 - s));
}

// distance of two segments; s, t where
static inline double segments(twVec3 a0, twVec3 a1, twVec3 b0, twVec3 b1, double* s, double* t)
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

// ---- a touch ----

// what is known of two points that are nearest to each other
typedef struct Meet
{
    const StrandLine* line[2];
    int feature, item[2], edge[2];
    double share[2], radius[2];
    twVec3 point[2];  // of fibre and core
    twVec3 normal;    // unit, if distance is not 0
    double distance;  // of the points along it
    double offset;    // added to the gap
    double room;      // most that bends change of the distance of edges
    double depth;     // how far point[1] is from the border of a face
    twVec3 box[2];    // half axes of the core of [1] about centre, if that is solid
    twVec3 centre;    // of the core of [1] there; of a crossing its point
    twVec3 across;    // to both, if lines cross
} Meet;

// sides point to what comes first, so that it does not matter which of both is the one with the node
static double sign_of(const StrandTouch* t)
{
    return t->rod[0] < t->rod[1] || (t->rod[0] == t->rod[1] && t->edge[0] < t->edge[1]) ? 1 : -1;
}

static bool side_of(const StrandSink* sink, const StrandTouch* touch, twVec3* normal)
{
    if (sink->before.count == 0) return false;
    uint64_t ids[8];
    const StrandSide* side = strand_sides_find(&sink->before, touch->id);
    const int count = side ? 0 : strand_neighbours(touch, sink->shapes, ids);
    for (int i = 0; i < count && !side; i++) side = strand_sides_find(&sink->before, ids[i]);
    if (side) *normal = tw_vec3_scale(side->normal, sign_of(touch));
    return side != NULL;
}

// unit direction to measure along when places alone do not tell
static twVec3 remembered_normal(const Meet* m, twVec3 side)
{
    const double size = tw_vec3_norm(m->across);
    if (size > 0.1) return tw_vec3_scale(m->across, tw_vec3_dot(m->across, side) < 0 ? -1 / size : 1 / size);
    const twVec3 t = tangent_at(m->line[1], m->edge[1], m->share[1]);
    const twVec3 n = tw_vec3_add_scaled(side, t, -tw_vec3_dot(side, t) / tw_vec3_dot(t, t));
    return tw_vec3_norm(n) > 1e-6 ? tw_vec3_normalize(n) : side;
}

static void keep_side(StrandSink* sink, Meet* m, const StrandTouch* touch)
{
    const double radii = m->radius[0] + m->radius[1];
    twVec3 side;
    const bool known = side_of(sink, touch, &side);
    if (known && !(m->distance > blurred * radii && tw_vec3_dot(m->normal, side) > 0))
    {
        const twVec3 n = remembered_normal(m, side);
        double distance = tw_vec3_dot(tw_vec3_sub(m->point[0], m->centre), n);
        for (int k = 0; k < 2; k++) distance -= fabs(tw_vec3_dot(m->box[k], n));
        // wholly through: that is another touch
        if (distance > -radii)
        {
            m->normal = n;
            m->distance = distance;
        }
    }
    else if (!known && !(m->distance > 1e-9 * radii) && m->distance > -1e-9 * radii)
        m->normal = tw_vec3_norm(m->across) > 0 ? tw_vec3_normalize(m->across) : tw_vec3(0, 0, 1);
    if (m->distance < deep * radii &&
        !strand_sides_add(&sink->now, touch->id, tw_vec3_scale(m->normal, sign_of(touch))))
        sink->failed = true;
}

static StrandTouch* new_touch(StrandSink* sink)
{
    if (sink->count == sink->room)
    {
        const int room = 2 * sink->room + 256;
        StrandTouch* touches = realloc(sink->touches, (size_t)room * sizeof *touches);
        if (!touches)
        {
            sink->failed = true;
            return NULL;
        }
        sink->touches = touches;
        sink->room = room;
    }
    return &sink->touches[sink->count];
}

static void make_touch(StrandSink* sink, Meet* m, double reach)
{
    const double radii = m->radius[0] + m->radius[1];
    if (!(m->distance - radii + m->offset < reach)) return;
    StrandTouch* t = new_touch(sink);
    if (!t) return;
    *t = (StrandTouch){.rod = {m->line[0]->place->rod, m->line[1]->place->rod},
                       .edge = {m->edge[0], m->edge[1]},
                       .share = {m->share[0], m->share[1]},
                       .body = -1,
                       .corner = {m->feature, m->feature & STRAND_NODE ? m->item[0] : -1, -1}};
    t->id = strand_id(m->feature, t->rod[0], m->item[0], t->rod[1], m->item[1]);
    if (m->distance < deep * radii) keep_side(sink, m, t);
    t->gap = m->distance - radii + m->offset;
    t->normal = m->normal;
    // half way between the surfaces
    const twVec3 a = tw_vec3_add_scaled(m->point[0], m->normal, -m->radius[0]);
    t->point = tw_vec3_add_scaled(a, m->normal, -0.5 * (m->distance - radii));
    for (int k = 0; k < 2; k++) t->arm[k] = tw_vec3_sub(t->point, centre_at(m->line[k], t->edge[k], t->share[k]));
    strand_tangents(t, tangent_at(m->line[0], t->edge[0], t->share[0]));
    sink->count++;
}

// what bends may change of the distance of two edges: bows are at most a quarter of what their ends say; and turns
static double bow_room(const StrandLine* a, int e, const StrandLine* b, int f, double radii)
{
    const StrandEdge *x = &a->edges[e], *y = &b->edges[f];
    const double room = 0.25 * (x->bend * x->length + y->bend * y->length) + radii * square(x->bend + y->bend);
    return least_of(room, most_bow * radii);
}

static double turn_at(const StrandLine* line, int e, double s)
{
    return line->turn[e] + s * (line->turn[strand_next_node(line->shape, e)] - line->turn[e]);
}

// L: more for flat ones, whose faces are as wide; and where they are bent, as edges cross more often than rods do there
static double parallel_sine(const StrandLine* a, int e, double s, const StrandLine* b, int f, double t, double radii)
{
    const double width = 0.5 * radii + least_of(a->shape->core[0][e], b->shape->core[0][f]);
    const double sine = parallel * width / least_of(a->shape->longest, b->shape->longest);
    return sine + least_of(0.5 * (turn_at(a, e, s) + turn_at(b, f, t)), sine);
}

// ---- crossings ----

// v less its part along a direction, times share
static twVec3 less_along(twVec3 v, twVec3 direction, double share)
{
    const double square_size = tw_vec3_dot(direction, direction);
    return square_size > 0 ? tw_vec3_add_scaled(v, direction, -share * tw_vec3_dot(v, direction) / square_size) : v;
}

// an end of a rod, not only of an edge
static bool is_end(const StrandLine* line, int e, double s)
{
    return (s <= 0 && strand_edge_beside(line->shape, e, -1) < 0) ||
           (s >= 1 && strand_edge_beside(line->shape, e, 1) < 0);
}

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

// whether an end of the edge is the nearest point of the whole line, and this edge the one to say so; w: from the other
static bool owns(const StrandLine* line, int fibre, int e, double s, twVec3 w)
{
    if (s > 0 && s < 1) return true;
    const int beside = strand_edge_beside(line->shape, e, s > 0 ? 1 : -1);
    if (beside < 0) return true;
    if (s <= 0) return false;
    const twVec3 on =
        tw_vec3_sub(fibre_node(line, fibre, strand_next_node(line->shape, beside)), fibre_node(line, fibre, beside));
    return tw_vec3_dot(w, on) >= 0;
}

// share of an edge, at its ends, from which what is so far away may be near to the next edge too: twice that, to be sure
static double close_to(const StrandLine* line, int e, double distance)
{
    return 2 * line->edges[e].bend * distance / line->edges[e].length + 1e-9;
}

// whether a neighbour of the edge of line (on the hollow side of a bend both are near) is nearer to the segment; first: line
// comes before that, for distances that are the same to the last bit
static bool neighbour_nearer(const StrandLine* line, int fibre, int e, double s, twVec3 b0, twVec3 b1, double distance,
                             bool first)
{
    if (!(s > 0 && s < 1)) return false;
    for (int step = -1; step <= 1; step += 2)
    {
        const int i = strand_edge_beside(line->shape, e, step);
        if (i < 0 || (step < 0 ? s : 1 - s) > close_to(line, e, distance)) continue;
        const twVec3 a0 = fibre_node(line, fibre, i), a1 = fibre_node(line, fibre, strand_next_node(line->shape, i));
        double u, v;
        const double d = first ? segments(a0, a1, b0, b1, &u, &v) : segments(b0, b1, a0, a1, &v, &u);
        if (u > 0 && u < 1 && (step < 0 ? d <= distance : d < distance)) return true;
    }
    return false;
}

// @return least gap it can have there
static double cross(StrandSink* sink, const StrandLine* a, int e, int fibre0, const StrandLine* b, int f, int fibre1,
                    double reach)
{
    const twVec3 a0 = fibre_node(a, fibre0, e), a1 = fibre_node(a, fibre0, strand_next_node(a->shape, e));
    const twVec3 b0 = fibre_node(b, fibre1, f), b1 = fibre_node(b, fibre1, strand_next_node(b->shape, f));
    double s, t;
    const double distance = segments(a0, a1, b0, b1, &s, &t);
    const double radius[2] = {radius_at(a, e, s), radius_at(b, f, t)}, radii = radius[0] + radius[1];
    const double room = bow_room(a, e, b, f, radii), bound = distance - radii - room;
    if (bound >= reach) return bound;
    const twVec3 pa = blend(a0, a1, s), pb = blend(b0, b1, t), w = tw_vec3_sub(pa, pb);
    if (!owns(a, fibre0, e, s, w) || !owns(b, fibre1, f, t, tw_vec3_scale(w, -1))) return bound;
    const twVec3 ta = tangent_at(a, e, s), tb = tangent_at(b, f, t), across = tw_vec3_cross(ta, tb);
    const double sine = sqrt(tw_vec3_dot(across, across) / (tw_vec3_dot(ta, ta) * tw_vec3_dot(tb, tb)));
    const double limit = parallel_sine(a, e, s, b, f, t, radii);
    const double offset = sine < limit ? fade * 0.5 * radii * square(limit / (sine + 1e-9 * limit) - 1) : 0;
    if (bound + offset >= reach) return bound;
    if (neighbour_nearer(a, fibre0, e, s, b0, b1, distance, true) ||
        neighbour_nearer(b, fibre1, f, t, a0, a1, distance, false))
        return bound;
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
    const twVec3 free0 = is_end(a, e, s) ? (twVec3){0} : ta, free1 = is_end(b, f, t) ? (twVec3){0} : tb;
    face_each_other(&m, free0, free1, most_of(0, 1 - limit / (sine + 1e-9 * limit)));
    make_touch(sink, &m, reach);
    return bound;
}

// ---- nodes ----

// the nearest point of a core: along the edge (not clamped), across (-1 to 1)
typedef struct Foot
{
    double t, u[2], distance;
} Foot;

static double share_on(const StrandLine* b, int f, const twVec3* p)
{
    return tw_vec3_dot(tw_vec3_sub(*p, b->centre[f]), b->edges[f].along) * b->edges[f].over;
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

static void foot_on(Foot* foot, const StrandLine* b, int f, const twVec3* p)
{
    const StrandEdge* edge = &b->edges[f];
    const twVec3 from = tw_vec3_sub(*p, b->centre[f]);
    foot->t = tw_vec3_dot(from, edge->along) * edge->over;
    foot->u[0] = foot->u[1] = 0;
    if (b->box[0]) foot->t = go_across(b, f, &from, foot->t, foot->u);
    const double t = clamp(foot->t, 0, 1);
    twVec3 away = tw_vec3_add_scaled(from, edge->along, -t);
    for (int k = 0; k < 2 && b->box[k]; k++)
        away = tw_vec3_add_scaled(away, blend(b->box[k][f], b->box[k][strand_next_node(b->shape, f)], t), -foot->u[k]);
    foot->distance = tw_vec3_norm(away);
}

// whether an edge beside has a nearer foot (on the hollow side of a bend both have one)
static bool foot_nearer(const StrandLine* b, int beside, const twVec3* p, double distance, bool or_equal)
{
    if (beside < 0) return false;
    Foot other;
    foot_on(&other, b, beside, p);
    return other.t >= 0 && other.t < 1 && (or_equal ? other.distance <= distance : other.distance < distance);
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
        if (before >= 0) foot_on(&other, b, before, p);
        return other.t >= 1;
    }
    if (1 - foot->t < close && foot_nearer(b, after, p, foot->distance, false)) return false;
    return !(foot->t < close && foot_nearer(b, before, p, foot->distance, true));
}

// what is known of two points that are nearest, of a node i of a and its foot on b; on the curve through the nodes
static void set_meet(Meet* m, const StrandLine* b, int f, const Foot* foot)
{
    const double t = clamp(foot->t, 0, 1), most = m->room;
    const twVec3 bow = bow_at(b, f, t);
    m->centre = tw_vec3_add(centre_at(b, f, t), bow);
    m->point[1] = m->centre;
    m->depth = 0;
    bool inside = b->shape->fibre_count == STRAND_FIBRES;
    double way = INFINITY;
    twVec3 out = {0};
    for (int k = 0; k < 2 && b->box[k]; k++)
    {
        const twVec3 h = m->box[k] = blend(b->box[k][f], b->box[k][strand_next_node(b->shape, f)], t);
        const double square_size = tw_vec3_dot(h, h), axis = sqrt(square_size);
        const double u = tw_vec3_dot(tw_vec3_sub(m->point[0], m->centre), h) / square_size;
        m->point[1] = tw_vec3_add_scaled(m->point[1], h, clamp(u, -1, 1));
        const double depth = (1 - fabs(u)) * axis;
        m->depth = most_of(m->depth, depth);
        inside = inside && depth > 0;
        if (depth < way) out = tw_vec3_scale(h, u < 0 ? -1 / axis : 1 / axis);
        way = least_of(way, depth);
    }
    const twVec3 along = is_end(b, f, t) ? (twVec3){0} : tangent_at(b, f, t);
    const twVec3 w = less_along(tw_vec3_sub(m->point[0], m->point[1]), along, 1);
    const double size = tw_vec3_norm(w);
    m->distance = clamp(size, foot->distance - most, foot->distance + most);
    m->normal = tw_vec3_scale(w, 1 / most_of(size, 1e-300));
    // inside a solid core: out by the nearest face
    if (!inside) return;
    m->normal = out;
    m->distance = -way;
}

// gap added for the angle, and for nodes of the later rod beside nodes of the first
static double node_offset(const Meet* m, double radii, bool later)
{
    const double t = m->share[1], r = 0.5 * radii;
    const twVec3 tb = tangent_at(m->line[1], m->edge[1], t),
                 across = tw_vec3_cross(m->line[0]->tangent[m->item[0]], tb);
    const double square_sine = tw_vec3_dot(across, across) / tw_vec3_dot(tb, tb);
    const double limit = parallel_sine(m->line[0], m->edge[0], m->share[0], m->line[1], m->edge[1], t, radii);
    double offset = 0;
    if (square_sine > limit * limit) offset = square((sqrt(square_sine) / limit - 1) * (1 - least_of(1, m->depth / r)));
    const double beside = least_of(t, 1 - t);
    if (later && beside < sparse) offset += square(1 - beside / sparse);
    return fade * r * offset;
}

// far beyond an end of the edge: another edge has the node. @return a bound of its distance if so; else 0
static double beyond(const StrandLine* b, int f, const twVec3* p)
{
    const double t = share_on(b, f, p), core = b->shape->core[0][f] + b->shape->core[1][f];
    if (t > 1 + sparse && strand_edge_beside(b->shape, f, 1) >= 0) return (t - 1) * b->edges[f].length - core;
    if (t >= -sparse) return 0;
    const int before = strand_edge_beside(b->shape, f, -1);
    return before < 0 || share_on(b, before, p) > 1 - sparse ? 0 : -t * b->edges[f].length - core;
}

// node i of a fibre of a, at an end of its edge e, on edge f of b. @return least gap it can have there
static double node_on(StrandSink* sink, const StrandLine* a, int fibre, int i, int e, const StrandLine* b, int f,
                      bool later, double reach)
{
    const twVec3* p = &a->node[(size_t)fibre * (size_t)a->shape->point_count + (size_t)i];
    const double most = a->radius[i] + most_of(b->radius[f], b->radius[strand_next_node(b->shape, f)]);
    const double far = beyond(b, f, p) - (1 + most_bow) * most;
    if (far >= reach) return far;
    Foot foot;
    foot_on(&foot, b, f, p);
    const double t = clamp(foot.t, 0, 1), rb = radius_at(b, f, t), radii = a->radius[i] + rb;
    const double room = bow_room(a, e, b, f, radii), bound = foot.distance - radii - room;
    double way;
    if (bound >= reach) return bound;
    if (!owns_foot(b, f, p, &foot, &way)) return most_of(bound, way);
    Meet m = {.line = {a, b},
              .feature = strand_feature(STRAND_NODE, fibre, 0),
              .item = {i, f},
              .edge = {e, f},
              .share = {i == e ? 0 : 1, t},
              .radius = {a->radius[i], rb},
              .room = room};
    m.point[0] = *p;
    set_meet(&m, b, f, &foot);
    if (m.distance - radii >= reach) return bound;
    m.offset = node_offset(&m, radii, later);
    if (m.offset < 0.5 * radii) make_touch(sink, &m, reach);
    return bound;
}

// nodes that an edge has, of some fibres: the one it begins with; the last edge of an open rod both. later: a comes after b
static double nodes_on(StrandSink* sink, const StrandLine* a, int e, int first, int end, const StrandLine* b, int f,
                       bool later, double reach)
{
    const bool last = !a->shape->closed && e == a->shape->edge_count - 1;
    double least = INFINITY;
    for (int fibre = first; fibre < end; fibre++)
    {
        least = least_of(least, node_on(sink, a, fibre, e, e, b, f, later, reach));
        if (last) least = least_of(least, node_on(sink, a, fibre, e + 1, e, b, f, later, reach));
    }
    return least;
}

static double crossings(StrandSink* sink, const StrandLine* a, int e, int first0, int end0, const StrandLine* b, int f,
                        int first1, int end1, double reach)
{
    double least = INFINITY;
    for (int i = first0; i < end0; i++)
        for (int j = first1; j < end1; j++) least = least_of(least, cross(sink, a, e, i, b, f, j, reach));
    return least;
}

// fibres in groups: of one each, or of two if there are four
double strand_edge_pair(StrandSink* sink, const StrandLine* a, int e, const StrandLine* b, int f, double reach,
                        double path, double until, double wake[STRAND_GROUPS])
{
    const int na = a->shape->fibre_count, nb = b->shape->fibre_count, sa = na > 2 ? 2 : 1, sb = nb > 2 ? 2 : 1;
    double least = INFINITY;
    for (int k = 0; k < STRAND_GROUPS; k++)
    {
        const int i = k < 4 ? (k >> 1) * sa : (k & 1) * sa, j = (k & 1) * sb;
        const bool none = k < 4 ? i >= na || j >= nb : k < 6 ? i >= na : j >= nb;
        if (none) continue;
        if (wake[k] <= until)
        {
            const int deep_before = sink->now.count;
            const double gap = k < 4   ? crossings(sink, a, e, i, i + sa, b, f, j, j + sb, reach)
                               : k < 6 ? nodes_on(sink, a, e, i, i + sa, b, f, false, reach)
                                       : nodes_on(sink, b, f, j, j + sb, a, e, true, reach);
            wake[k] = sink->now.count > deep_before ? -INFINITY : path + gap;
        }
        least = least_of(least, wake[k]);
    }
    return least;
}
