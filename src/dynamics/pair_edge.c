// SPDX-License-Identifier: MIT
// Two sharp convex edges that cross. With directions e of the edge of a and f of that of b the normal is along e x f, and the
// gap is the distance of the two lines along it. It separates the bodies, or is the way out, only if it lies between the
// normals of the faces of b at the edge, and the other way round between those of a (the arcs of the two edges cross on the
// sphere of normals). The nearest points of the lines, from the ends p and q:
//     s = (w x f) . n / n . n,   t = (w x e) . n / n . n,   w = q - p,  n = e x f.
#include "dynamics/pair_parts.h"

// whether d lies between two directions, all across one edge; cosines may be off by some
static bool is_between(twVec3 d, twVec3 u, twVec3 v)
{
    const double off = 0.02;
    double c = tw_vec3_dot(u, v), du = tw_vec3_dot(d, u), dv = tw_vec3_dot(d, v);
    return du - c * dv >= -off && dv - c * du >= -off;
}

static void edge_ends(twVec3 ends[2], const BodyPlace* place, twMat3 r, const ContactEdge* edge)
{
    for (int i = 0; i < 2; i++)
    {
        twVec3 x = place->shape->vertices[edge->v[i]];
        if (place->mode_count > 0) x = tw_vec3_add(x, tw_place_bend(place, edge->v[i]));
        ends[i] = tw_vec3_add(place->position, tw_mat3_mul_vec(r, x));
    }
}

// distance of a point in the world from a body's surface, its bending taken as that of the point t of its edge
static double distance_at(const BodyPlace* place, twMat3 r, twVec3 point, const ContactEdge* edge, double t)
{
    twVec3 x = tw_mat3_mul_vec(tw_mat3_transpose(r), tw_vec3_sub(point, place->position));
    if (place->mode_count > 0)
        x = tw_vec3_sub(x, tw_vec3_add(tw_vec3_scale(tw_place_bend(place, edge->v[0]), 1 - t),
                                       tw_vec3_scale(tw_place_bend(place, edge->v[1]), t)));
    return tw_field_at(place->shape->field, tw_vec3_add(x, place->shape->centre), NULL);
}

// p: ends of the first edge. @return false if they do not touch
static bool cross_edges(Pair* pair, const PairView* view, const PairEdge* item, const twVec3 p[2], double reach,
                        Touch* touch)
{
    const double least_sine = 0.02, deepest = 0.25;  // part of the shorter edge
    const ContactEdge *ea = &view->a->shape->edges[item->edge[0]], *eb = &view->b->shape->edges[item->edge[1]];
    twVec3 q[2];
    edge_ends(q, view->b, view->rb, eb);
    twVec3 e = tw_vec3_sub(p[1], p[0]), f = tw_vec3_sub(q[1], q[0]), n = tw_vec3_cross(e, f);
    double n2 = tw_vec3_dot(n, n), e2 = tw_vec3_dot(e, e), f2 = tw_vec3_dot(f, f);
    if (!(n2 > least_sine * least_sine * e2 * f2)) return false;
    twVec3 w = tw_vec3_sub(q[0], p[0]);
    double s = tw_vec3_dot(tw_vec3_cross(w, f), n) / n2, t = tw_vec3_dot(tw_vec3_cross(w, e), n) / n2;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return false;

    // outward of b
    twVec3 b1 = tw_mat3_mul_vec(view->rb, eb->normal[0]), b2 = tw_mat3_mul_vec(view->rb, eb->normal[1]);
    twVec3 a1 = tw_mat3_mul_vec(view->ra, ea->normal[0]), a2 = tw_mat3_mul_vec(view->ra, ea->normal[1]);
    n = tw_vec3_scale(n, (tw_vec3_dot(n, tw_vec3_add(b1, b2)) < 0 ? -1 : 1) / sqrt(n2));
    if (!is_between(n, b1, b2) || !is_between(tw_vec3_scale(n, -1), a1, a2)) return false;
    twVec3 at_a = tw_vec3_add_scaled(p[0], e, s), at_b = tw_vec3_add_scaled(q[0], f, t);
    double gap = tw_vec3_dot(n, tw_vec3_sub(at_a, at_b));
    if (gap >= reach || gap < -deepest * sqrt(e2 < f2 ? e2 : f2)) return false;

    // bodies may overlap along this normal and be apart along another
    if (gap < 0)
    {
        pair->stats.lookups += 2;
        if (distance_at(view->b, view->rb, at_a, eb, t) > pair->slack) return false;
        if (distance_at(view->a, view->ra, at_b, ea, s) > pair->slack) return false;
    }
    *touch = (Touch){.body = {view->a->body, view->b->body},
                     .edge = true,
                     .vertex = {ea->v[0], ea->v[1]},
                     .share = {1 - s, s},
                     .face = -1,
                     .corner = {eb->v[0], eb->v[1], eb->v[1]},
                     .weight = {1 - t, t, 0},
                     .normal = n,
                     .gap = gap,
                     .which = 0,
                     .item = item->edge[0]};
    touch->point = tw_vec3_scale(tw_vec3_add(at_a, at_b), 0.5);
    return true;
}

// What is left of a touch: that of the same edge; else that of an edge that has none now, close by and with the same normal,
// for a crossing that slides passes from edge to edge.
static PairMemory* recall_edge(Pair* pair, const PairView* view, const Touch* touch)
{
    PairMemory *memory = tw_pair_memory(pair, pair->now), *best = NULL;
    twMat3 to_rest = tw_mat3_transpose(view->rb);
    twVec3 n = tw_mat3_mul_vec(to_rest, touch->normal);
    twVec3 at = tw_mat3_mul_vec(to_rest, tw_vec3_sub(touch->point, view->b->position));
    double nearest = pair->margin * pair->margin;
    for (int i = 0; i < pair->memory_count; i++)
    {
        PairMemory* m = &memory[i];
        if (!m->edge || m->used) continue;
        if (m->item == touch->item) return m;
        twVec3 way = tw_vec3_sub(m->point, at);
        if (tw_vec3_dot(m->normal, n) < 0.9 || tw_vec3_dot(way, way) >= nearest) continue;
        nearest = tw_vec3_dot(way, way);
        best = m;
    }
    return best;
}

// Where two pieces of an edge meet both may touch: one of them is enough, the one that did before. @return how many are left
static int drop_doubles(Pair* pair, Touch* touches, int count)
{
    const PairMemory* memory = tw_pair_memory(pair, pair->now);
    const double same = 1e-2 * pair->slack;
    int left = 0;
    for (int i = 0; i < count; i++)
    {
        int twin = 0;
        bool known = false;
        for (int m = 0; m < pair->memory_count; m++)
            known = known || (memory[m].edge && memory[m].item == touches[i].item);
        while (twin < left && (tw_vec3_norm(tw_vec3_sub(touches[twin].point, touches[i].point)) > same ||
                               tw_vec3_dot(touches[twin].normal, touches[i].normal) < 0.9))
            twin++;
        if (twin == left) left++;
        if (twin == left - 1 || known) touches[twin] = touches[i];
    }
    return left;
}

int tw_pair_edge_touches(Pair* pair, const PairView view[2], double reach, Touch* out, int count)
{
    const PairEdge* edges = tw_pair_edges(pair);
    int first = count;
    twVec3 ends[2];
    for (int i = 0; i < pair->edge_count; i++)
    {
        // of each edge of the first body only one: the edges of it lie together
        Touch touch;
        const int edge = edges[i].edge[0];
        if (i == 0 || edge != edges[i - 1].edge[0])
            edge_ends(ends, view[0].a, view[0].ra, &view[0].a->shape->edges[edge]);
        if (!cross_edges(pair, &view[0], &edges[i], ends, reach, &touch)) continue;
        bool again = count > first && out[count - 1].item == touch.item;
        if (again && touch.gap >= out[count - 1].gap) continue;
        if (!again) count++;
        out[count - 1] = touch;
    }
    count = first + drop_doubles(pair, out + first, count - first);
    for (int i = first; i < count; i++)
        tw_pair_remember(pair, &view[0], &out[i], i, recall_edge(pair, &view[0], &out[i]));
    return count;
}
