// SPDX-License-Identifier: MIT
// Bodies that are in each other from the start: nothing could tell on which side they belong. Where surfaces merely touch a point
// may be a little inside, and stays there. Points are those that touch, all vertices, and the middles of faces, so that boxes with
// flush sides are found too.
#include "dynamics/world.h"

#define OVERLAP 2e-3  // of the smaller body's radius: what may overlap

typedef struct Depth
{
    double depth;  // of the deepest point [m]
    twVec3 point;  // in the world
} Depth;

static void deepen(Depth* deepest, double depth, twVec3 point)
{
    if (!(depth > deepest->depth)) return;
    deepest->depth = depth;
    deepest->point = point;
}

// points of one body in the other, both as they are at rest
static void look_inside(Depth* deepest, const BodyPlace* a, const BodyPlace* b)
{
    const ContactShape *from = a->shape, *to = b->shape;
    if (!to->field) return;
    for (int i = 0; i < from->vertex_count + from->face_count; i++)
    {
        twVec3 x = {0, 0, 0};
        if (i < from->vertex_count)
            x = from->vertices[i];
        else
            for (int k = 0; k < 3; k++)
                x = tw_vec3_add_scaled(x, from->vertices[from->faces[i - from->vertex_count].v[k]], 1.0 / 3);
        twVec3 world = tw_vec3_add(a->position, tw_quat_rotate(a->turn, x));
        twVec3 y = tw_quat_rotate(tw_quat_conj(b->turn), tw_vec3_sub(world, b->position));
        deepen(deepest, -tw_field_at(to->field, tw_vec3_add(y, to->centre), NULL), world);
    }
}

static Depth depth_of(twWorld* world, const Link* link)
{
    Depth deepest = {0};
    const BodyPlace *a = world->places + link->a, *b = world->places + link->b;
    Touch* touches = world->workers[0].touches;
    int count = tw_pair_touches(link->pair, a, b, 0, touches);
    for (int k = 0; k < count; k++) deepen(&deepest, -touches[k].gap, touches[k].point);
    if (!(a->shape->ball > 0)) look_inside(&deepest, a, b);
    if (!(b->shape->ball > 0)) look_inside(&deepest, b, a);
    return deepest;
}

twStatus overlap_check(twWorld* world, const twWorldStart* start, twError* err)
{
    for (int i = 0; i < world->near_count; i++)
    {
        if (world->near_link[i] < 0) continue;
        const Link* link = world->links + world->near_link[i];
        // as they were, bent and pressed into each other
        if (start && start->from[link->a] >= 0 && start->from[link->b] >= 0) continue;
        double most = OVERLAP * fmin(world->places[link->a].shape->radius, world->places[link->b].shape->radius);
        Depth d = depth_of(world, link);
        if (d.depth > most)
            return tw_fail(err, TW_BAD_INPUT,
                           "bodies '%s' and '%s' overlap by %.3g m or more at (%.4g, %.4g, %.4g); move them apart",
                           world->bodies[link->a].name, world->bodies[link->b].name, d.depth, d.point.x, d.point.y,
                           d.point.z);
    }
    return TW_OK;
}
