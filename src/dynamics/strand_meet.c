// SPDX-License-Identifier: MIT
// A touch of two rods from the points that are nearest, and which side it is on if they overlap deeply.
#include "dynamics/strand_meet.h"
#include "dynamics/strand_pair.h"
#include <stdlib.h>

static const double deep = 0.75;    // of the radii: nearer, the side is remembered
static const double blurred = 0.1;  // of the radii: nearer, it tells the normal

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

bool strand_sink_reserve(StrandSink* sink, int room)
{
    StrandTouch* touches = realloc(sink->touches, (size_t)room * sizeof *touches);
    if (!touches) return false;
    sink->touches = touches;
    sink->room = room;
    return true;
}

static StrandTouch* new_touch(StrandSink* sink)
{
    if (sink->count == sink->room && !strand_sink_reserve(sink, 2 * sink->room + 256))
    {
        sink->failed = true;
        return NULL;
    }
    return &sink->touches[sink->count];
}

void strand_make_touch(StrandSink* sink, Meet* m, double reach)
{
    const double radii = m->radius[0] + m->radius[1];
    if (!(m->distance - radii + m->offset < reach)) return;
    StrandTouch* t = new_touch(sink);
    if (!t) return;
    t->body = t->corner[2] = -1;
    t->corner[0] = m->feature;
    t->corner[1] = m->feature & STRAND_NODE ? m->item[0] : -1;
    for (int k = 0; k < 3; k++) t->weight[k] = 0;
    for (int k = 0; k < 2; k++)
    {
        t->rod[k] = m->line[k]->place->rod;
        t->edge[k] = m->edge[k];
        t->share[k] = m->share[k];
    }
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
