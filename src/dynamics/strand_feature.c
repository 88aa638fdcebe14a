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

// ---- lines ----

static int next_node(const StrandShape* shape, int e) { return e + 1 < shape->point_count ? e + 1 : 0; }

// the edge after or before; -1: none
static int edge_beside(const StrandShape* shape, int e, int step)
{
    const int i = e + step;
    if (i >= 0 && i < shape->edge_count) return i;
    return shape->closed ? (i + shape->edge_count) % shape->edge_count : -1;
}

static twVec3 fibre_node(const StrandLine* line, int fibre, int i)
{
    return line->node[(size_t)fibre * (size_t)line->shape->point_count + (size_t)i];
}

static twVec3 blend(twVec3 a, twVec3 b, double s) { return tw_vec3_add_scaled(a, tw_vec3_sub(b, a), s); }
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static twVec3 tangent_at(const StrandLine* line, int e, double s)
{
    return blend(line->tangent[e], line->tangent[next_node(line->shape, e)], s);
}

static double radius_at(const StrandLine* line, int e, double s)
{
    return line->radius[e] + s * (line->radius[next_node(line->shape, e)] - line->radius[e]);
}

static twVec3 centre_at(const StrandLine* line, int e, double s)
{
    const double* const* x = line->place->x;
    const int i = next_node(line->shape, e);
    return blend(tw_vec3(x[0][e], x[1][e], x[2][e]), tw_vec3(x[0][i], x[1][i], x[2][i]), s);
}

double strand_segments(twVec3 a0, twVec3 a1, twVec3 b0, twVec3 b1, double* s, double* t)
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

// ---- ids ----

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t strand_id(int feature, int rod0, int item0, int rod1, int item1)
{
    const uint64_t a = (uint64_t)rod0 << 24 | (uint64_t)item0, b = (uint64_t)rod1 << 24 | (uint64_t)item1;
    return mix(mix(a << 8 | (uint64_t)feature) + b * UINT64_C(0x9e3779b97f4a7c15));
}

// ---- neighbours ----

typedef struct Ids8
{
    uint64_t* ids;
    int count;
} Ids8;

static void add_id(Ids8* out, int feature, int rod0, int item0, int rod1, int item1)
{
    if (item0 >= 0 && item1 >= 0 && out->count < 8)
        out->ids[out->count++] = strand_id(feature, rod0, item0, rod1, item1);
}

// the nearer neighbour along an edge first
static int step_of(double share, int k) { return (share < 0.5) == (k == 0) ? -1 : 1; }

static int near_node(const StrandShape* shape, int edge, double share)
{
    return share < 0.5 ? edge : next_node(shape, edge);
}

static void cross_neighbours(Ids8* out, const StrandTouch* t, const StrandShape* const* shapes, int fibre0, int fibre1)
{
    const StrandShape* a = shapes[t->rod[0]];
    const StrandShape* b = shapes[t->rod[1]];
    const int f = t->corner[0];
    for (int k = 0; k < 2; k++)
    {
        add_id(out, f, t->rod[0], edge_beside(a, t->edge[0], step_of(t->share[0], k)), t->rod[1], t->edge[1]);
        add_id(out, f, t->rod[0], t->edge[0], t->rod[1], edge_beside(b, t->edge[1], step_of(t->share[1], k)));
    }
    add_id(out, f, t->rod[0], edge_beside(a, t->edge[0], step_of(t->share[0], 0)), t->rod[1],
           edge_beside(b, t->edge[1], step_of(t->share[1], 0)));
    add_id(out, strand_feature(STRAND_NODE, fibre0, 0), t->rod[0], near_node(a, t->edge[0], t->share[0]), t->rod[1],
           t->edge[1]);
    add_id(out, strand_feature(STRAND_NODE, fibre1, 0), t->rod[1], near_node(b, t->edge[1], t->share[1]), t->rod[0],
           t->edge[0]);
}

// a crossing of the edges, whichever comes first
static void add_cross(Ids8* out, const StrandTouch* t, int edge0, int fibre0, int fibre1)
{
    const bool swap = t->rod[0] > t->rod[1] || (t->rod[0] == t->rod[1] && edge0 > t->edge[1]);
    if (swap)
        add_id(out, strand_feature(STRAND_CROSS, fibre1, fibre0), t->rod[1], t->edge[1], t->rod[0], edge0);
    else
        add_id(out, strand_feature(STRAND_CROSS, fibre0, fibre1), t->rod[0], edge0, t->rod[1], t->edge[1]);
}

static void node_neighbours(Ids8* out, const StrandTouch* t, const StrandShape* const* shapes, int fibre0)
{
    const StrandShape* a = shapes[t->rod[0]];
    const StrandShape* b = shapes[t->rod[1]];
    const int node = t->corner[1], fibres = b->fibre_count;
    for (int k = 0; k < 2; k++)
        add_id(out, t->corner[0], t->rod[0], node, t->rod[1], edge_beside(b, t->edge[1], step_of(t->share[1], k)));
    // the edge before this node, or the one it begins
    const int beside = t->share[0] > 0.5 ? -1 : edge_beside(a, t->edge[0], -1);
    for (int fibre = 0; fibre < fibres && fibre < 2; fibre++)
    {
        add_cross(out, t, t->edge[0], fibre0, fibre);
        if (beside >= 0) add_cross(out, t, beside, fibre0, fibre);
    }
    add_id(out, strand_feature(STRAND_NODE, 0, 0), t->rod[1], near_node(b, t->edge[1], t->share[1]), t->rod[0],
           t->edge[0]);
}

int strand_neighbours(const StrandTouch* touch, const StrandShape* const* shapes, uint64_t ids[8])
{
    Ids8 out = {ids, 0};
    const int fibre0 = touch->corner[0] >> 1 & 3, fibre1 = touch->corner[0] >> 3 & 3;
    if (touch->body >= 0) return 0;
    if ((touch->corner[0] & 1) == STRAND_CROSS)
        cross_neighbours(&out, touch, shapes, fibre0, fibre1);
    else
        node_neighbours(&out, touch, shapes, fibre0);
    return out.count;
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

static double parallel_sine(const StrandLine* a, const StrandLine* b, double radii)
{
    return parallel * 0.5 * radii / fmin(a->shape->longest, b->shape->longest);
}

static double square(double x) { return x * x; }

// ---- crossings ----

// whether an end of the edge is the nearest point of the whole line, and this edge the one to say so; w: from the other
static bool owns(const StrandLine* line, int fibre, int e, double s, twVec3 w)
{
    if (s > 0 && s < 1) return true;
    const int beside = edge_beside(line->shape, e, s > 0 ? 1 : -1);
    if (beside < 0) return true;
    if (s <= 0) return false;
    const twVec3 on =
        tw_vec3_sub(fibre_node(line, fibre, next_node(line->shape, beside)), fibre_node(line, fibre, beside));
    return tw_vec3_dot(w, on) >= 0;
}

// whether a neighbour of the edge of line (on the hollow side of a bend both are near) is nearer to the segment
static bool neighbour_nearer(const StrandLine* line, int fibre, int e, double s, twVec3 b0, twVec3 b1, double distance)
{
    if (!(s > 0 && s < 1)) return false;
    for (int step = -1; step <= 1; step += 2)
    {
        const int i = edge_beside(line->shape, e, step);
        if (i < 0 || (step < 0 ? s : 1 - s) * line->shape->longest > 0.5 * distance) continue;
        double u, v;
        const double d = strand_segments(fibre_node(line, fibre, i), fibre_node(line, fibre, next_node(line->shape, i)),
                                         b0, b1, &u, &v);
        if (u > 0 && u < 1 && (step < 0 ? d <= distance : d < distance)) return true;
    }
    return false;
}

// @return raw gap
static double cross(StrandSink* sink, const StrandLine* a, int e, int fibre0, const StrandLine* b, int f, int fibre1,
                    double reach)
{
    const twVec3 a0 = fibre_node(a, fibre0, e), a1 = fibre_node(a, fibre0, next_node(a->shape, e));
    const twVec3 b0 = fibre_node(b, fibre1, f), b1 = fibre_node(b, fibre1, next_node(b->shape, f));
    double s, t;
    const double distance = strand_segments(a0, a1, b0, b1, &s, &t);
    const double radius[2] = {radius_at(a, e, s), radius_at(b, f, t)}, radii = radius[0] + radius[1];
    if (distance - radii >= reach) return distance - radii;
    const twVec3 pa = blend(a0, a1, s), pb = blend(b0, b1, t), w = tw_vec3_sub(pa, pb);
    if (!owns(a, fibre0, e, s, w) || !owns(b, fibre1, f, t, tw_vec3_scale(w, -1))) return distance - radii;
    const twVec3 ta = tangent_at(a, e, s), tb = tangent_at(b, f, t), across = tw_vec3_cross(ta, tb);
    const double sine = sqrt(tw_vec3_dot(across, across) / (tw_vec3_dot(ta, ta) * tw_vec3_dot(tb, tb)));
    const double limit = parallel_sine(a, b, radii);
    const double offset = sine < limit ? fade * 0.5 * radii * square(limit / (sine + 1e-9 * limit) - 1) : 0;
    if (distance - radii + offset >= reach) return distance - radii;
    if (neighbour_nearer(a, fibre0, e, s, b0, b1, distance) || neighbour_nearer(b, fibre1, f, t, a0, a1, distance))
        return distance - radii;
    Meet m = {.line = {a, b},
              .feature = strand_feature(STRAND_CROSS, fibre0, fibre1),
              .item = {e, f},
              .edge = {e, f},
              .share = {s, t},
              .radius = {radius[0], radius[1]},
              .point = {pa, pb},
              .normal = tw_vec3_scale(w, 1 / fmax(distance, 1e-300)),
              .distance = distance,
              .offset = offset,
              .centre = pb,
              .across = across};
    make_touch(sink, &m, reach);
    return distance - radii;
}

// ---- nodes ----

// the nearest point of a core: along the edge (not clamped), across (-1 to 1)
typedef struct Foot
{
    double t, u[2], distance;
    twVec3 point, centre, box[2];
} Foot;

// core of a line at a node: centre, half axes. @return how many of these
static int core_at(const StrandLine* line, int i, twVec3* centre, twVec3 box[2])
{
    const int fibres = line->shape->fibre_count;
    const twVec3 first = fibre_node(line, 0, i);
    *centre = first;
    if (fibres == 1) return 0;
    const twVec3 second = fibre_node(line, 1, i);
    box[0] = tw_vec3_scale(tw_vec3_sub(first, second), 0.5);
    *centre = tw_vec3_scale(tw_vec3_add(first, fibres == 2 ? second : fibre_node(line, 2, i)), 0.5);
    if (fibres == 2) return 1;
    box[1] = tw_vec3_scale(tw_vec3_sub(first, fibre_node(line, 3, i)), 0.5);
    return 2;
}

static Foot foot_on(const StrandLine* b, int f, twVec3 p)
{
    twVec3 c0, c1, box0[2], box1[2];
    const int axes = core_at(b, f, &c0, box0);
    core_at(b, next_node(b->shape, f), &c1, box1);
    const twVec3 edge = tw_vec3_sub(c1, c0), from = tw_vec3_sub(p, c0);
    Foot foot = {.t = tw_vec3_dot(from, edge) / tw_vec3_dot(edge, edge)};
    // along and across depend on each other where rods are bent: twice is enough
    for (int round = 0; round < (axes ? 2 : 0); round++)
    {
        const double t = clamp(foot.t, 0, 1);
        twVec3 start = c0, along = edge;
        for (int k = 0; k < axes; k++)
        {
            const twVec3 h = blend(box0[k], box1[k], t);
            foot.u[k] = clamp((tw_vec3_dot(from, h) - t * tw_vec3_dot(edge, h)) / tw_vec3_dot(h, h), -1, 1);
            start = tw_vec3_add_scaled(start, box0[k], foot.u[k]);
            along = tw_vec3_add_scaled(along, tw_vec3_sub(box1[k], box0[k]), foot.u[k]);
        }
        foot.t = tw_vec3_dot(tw_vec3_sub(p, start), along) / tw_vec3_dot(along, along);
    }
    const double t = clamp(foot.t, 0, 1);
    foot.centre = foot.point = blend(c0, c1, t);
    for (int k = 0; k < axes; k++)
    {
        foot.box[k] = blend(box0[k], box1[k], t);
        foot.point = tw_vec3_add_scaled(foot.point, foot.box[k], foot.u[k]);
    }
    foot.distance = tw_vec3_norm(tw_vec3_sub(p, foot.point));
    return foot;
}

// whether the foot is the nearest one of the whole line, and this edge the one to say so
static bool owns_foot(const StrandLine* b, int f, twVec3 p, const Foot* foot)
{
    const int before = edge_beside(b->shape, f, -1), after = edge_beside(b->shape, f, 1);
    if (foot->t >= 1) return after < 0;
    if (foot->t < 0) return before < 0 || foot_on(b, before, p).t >= 1;
    const double close = 0.5 * foot->distance / b->shape->longest;
    if (after >= 0 && 1 - foot->t < close)
    {
        const Foot other = foot_on(b, after, p);
        if (other.t >= 0 && other.t < 1 && other.distance < foot->distance) return false;
    }
    if (before >= 0 && foot->t < close)
    {
        const Foot other = foot_on(b, before, p);
        if (other.t >= 0 && other.t < 1 && other.distance <= foot->distance) return false;
    }
    return true;
}

// how far a foot is from the border of a face
static double depth_of(const Foot* foot)
{
    double depth = 0;
    for (int k = 0; k < 2; k++)
        if (fabs(foot->u[k]) < 1) depth = fmax(depth, (1 - fabs(foot->u[k])) * tw_vec3_norm(foot->box[k]));
    return depth;
}

// inside a solid core: out by the nearest face
static void leave_core(const StrandLine* b, Meet* m, const Foot* foot)
{
    if (b->shape->fibre_count < STRAND_FIBRES || fabs(foot->u[0]) >= 1 || fabs(foot->u[1]) >= 1) return;
    double way[2];
    for (int k = 0; k < 2; k++) way[k] = (1 - fabs(foot->u[k])) * tw_vec3_norm(foot->box[k]);
    const int k = way[1] < way[0];
    m->normal = tw_vec3_scale(tw_vec3_normalize(foot->box[k]), foot->u[k] < 0 ? -1 : 1);
    m->distance = -way[k];
}

// node i of a fibre of a, at an end of its edge e, on edge f of b. @return raw gap
static double node_on(StrandSink* sink, const StrandLine* a, int fibre, int i, int e, const StrandLine* b, int f,
                      double reach)
{
    const twVec3 p = fibre_node(a, fibre, i);
    const Foot foot = foot_on(b, f, p);
    const double t = clamp(foot.t, 0, 1), rb = radius_at(b, f, t), radii = a->radius[i] + rb;
    const double raw = foot.distance - radii;
    if (raw >= reach) return raw;
    const twVec3 ta = a->tangent[i], tb = tangent_at(b, f, t), across = tw_vec3_cross(ta, tb);
    const double sine = sqrt(tw_vec3_dot(across, across) / (tw_vec3_dot(ta, ta) * tw_vec3_dot(tb, tb)));
    const double limit = parallel_sine(a, b, radii), r = 0.5 * radii;
    const double inside = fmin(1, depth_of(&foot) / r);
    const double offset = sine > limit ? fade * r * square((sine / limit - 1) * (1 - inside)) : 0;
    if (raw + offset >= reach || offset >= r || !owns_foot(b, f, p, &foot)) return raw;
    Meet m = {.line = {a, b},
              .feature = strand_feature(STRAND_NODE, fibre, 0),
              .item = {i, f},
              .edge = {e, f},
              .share = {i == e ? 0 : 1, t},
              .radius = {a->radius[i], rb},
              .point = {p, foot.point},
              .normal = tw_vec3_scale(tw_vec3_sub(p, foot.point), 1 / fmax(foot.distance, 1e-300)),
              .distance = foot.distance,
              .offset = offset,
              .box = {foot.box[0], foot.box[1]},
              .centre = foot.centre};
    leave_core(b, &m, &foot);
    make_touch(sink, &m, reach);
    return raw;
}

static double nodes_on(StrandSink* sink, const StrandLine* a, int e, const StrandLine* b, int f, double reach)
{
    // an edge has the node it begins with; the last one of an open rod both
    const bool last = !a->shape->closed && e == a->shape->edge_count - 1;
    double least = INFINITY;
    for (int fibre = 0; fibre < a->shape->fibre_count; fibre++)
    {
        least = fmin(least, node_on(sink, a, fibre, e, e, b, f, reach));
        if (last) least = fmin(least, node_on(sink, a, fibre, e + 1, e, b, f, reach));
    }
    return least;
}

double strand_edge_pair(StrandSink* sink, const StrandLine* a, int e, const StrandLine* b, int f, double reach)
{
    const int deep_before = sink->now.count;
    double least = INFINITY;
    for (int i = 0; i < a->shape->fibre_count; i++)
        for (int j = 0; j < b->shape->fibre_count; j++) least = fmin(least, cross(sink, a, e, i, b, f, j, reach));
    least = fmin(least, nodes_on(sink, a, e, b, f, reach));
    least = fmin(least, nodes_on(sink, b, f, a, e, reach));
    return sink->now.count > deep_before ? -INFINITY : least;
}
