// SPDX-License-Identifier: MIT
// Which bodies are near, for the next millisecond: a broad phase with room for what each body can move in it, links between
// bodies that are near, clusters of those that are linked and move by themselves.
#include "dynamics/group.h"
#include <stdlib.h>

#define LEAST_WINDOW 5e-4  // [s]
#define ROOM 1.5           // of the way a body goes in a window at its speed
#define MARGIN 1e-4        // [m]
#define WIDEN_ROUNDS 4     // to find who may be hit by what was hit
#define CROWD 3            // of all pairs there is room for
#define HAND_ON 8          // bodies that a blow goes through in a window

static double window_length(const twWorld* world)
{
    if (world->settling) return SETTLE_STEP;
    return world->def.max_step > LEAST_WINDOW ? world->def.max_step : LEAST_WINDOW;
}

// how long a body's clock may go on in a window
static double longest(const twWorld* world) { return window_length(world) + world->def.max_step; }

// what its contacts hold may make a body faster
static void add_stored(twWorld* world)
{
    for (int i = 0; i < world->body_count; i++) world->bodies[i].stored = 0;
    for (int i = 0; i < world->max_pairs; i++)
    {
        const Link* link = world->links + i;
        double energy = link->used && link->count > 0 ? link_energy(link) : 0;
        world->bodies[link->a].stored += energy;
        world->bodies[link->b].stored += energy;
    }
}

static void set_places(twWorld* world)
{
    add_stored(world);
    double length = window_length(world), fall = tw_vec3_norm(world->def.gravity) * length * length;
    for (int i = 0; i < world->body_count; i++)
    {
        Body* body = world->bodies + i;
        BodyState moved = body->now;
        if (body->lost) body->dynamic = false;
        if (body->kind == TW_BODY_MOVED && !body->dynamic)
        {
            moved.time = 0;
            body_drift(body, &moved, world->time);
        }
        BodyPlace* place = world->places + i;
        *place = body_place(body, i, &moved);
        place->still = place->still || body->ghost;
        double speed = tw_place_speed_bound(place) + sqrt(2 * body->stored / body->shape->mass.mass);
        body->room = ROOM * longest(world) * speed + fall + MARGIN;
        body->blow = body->widened = 0;
        place->room = place->still ? 0 : body->room;
        body->window_place = place->position;
        body_bound(body);
    }
}

// bodies that went farther than they had room for may meet others late
static void count_escaped(twWorld* world)
{
    for (int i = 0; i < world->body_count; i++)
    {
        const Body* body = world->bodies + i;
        if (!body->dynamic || body->ghost || world->window == 0) continue;
        double way = tw_vec3_norm(tw_vec3_sub(body->now.position, body->window_place));
        world->stats.escaped += way > body->room + MARGIN;
    }
}

twContactPair world_pair(const twWorld* world, const int material[2], const double radius[2], bool* given)
{
    const twWorldDef* def = &world->def;
    twContactPair pair =
        tw_contact_pair(def->materials + material[0], def->materials + material[1], radius[0], radius[1]);
    *given = false;
    for (int i = 0; i < def->pair_count; i++)
    {
        const int* m = def->pairs[i].material;
        if ((m[0] == material[0] && m[1] == material[1]) || (m[0] == material[1] && m[1] == material[0]))
        {
            pair = def->pairs[i];
            *given = true;
        }
    }
    return pair;
}

// how they touch
static void set_law(const twWorld* world, Link* link)
{
    const Body *a = world->bodies + link->a, *b = world->bodies + link->b;
    const int material[2] = {a->material, b->material};
    const double radius[2] = {a->shape->contact_radius, b->shape->contact_radius};
    bool given;
    twContactPair pair = world_pair(world, material, radius, &given);
    link->law = (SolveLaw){.impact = pair.impact, .friction = pair.friction, .loss_factor = pair.loss_factor};
    link->rolling = pair.rolling;
}

// nothing is between them any more
static void drop_link(twWorld* world, Link* link)
{
    for (int i = 0; i < link->count; i++) record_force(&world->ends, link->slots + i, world->time, tw_vec3(0, 0, 0));
    world->ends.account.loss[TW_LOSS_ENDED] += link_energy(link);
    link->count = 0;
    link->used = false;
}

// bodies that are joined do not touch each other
static bool is_linked(const twWorld* world, BroadPair pair)
{
    const Body *a = world->bodies + pair.a, *b = world->bodies + pair.b;
    if (a->ghost || b->ghost || (!a->dynamic && !b->dynamic)) return false;
    for (int k = world->joint_first[pair.a]; k < world->joint_first[pair.a + 1]; k++)
    {
        const WorldJoint* joint = world->joints + world->joint_of[k];
        if (!joint->grab && (joint->body[0] == pair.b || joint->body[1] == pair.b)) return false;
    }
    return true;
}

static void set_links(twWorld* world)
{
    const BroadPair* near = tw_collider_near(world->collider, world->places, 0, &world->near_count);
    for (int i = 0; i < world->max_pairs; i++) world->links[i].kept = false;
    for (int i = 0; i < world->near_count; i++)
    {
        int slot = tw_collider_slot(world->collider, i);
        Link* link = world->links + slot;
        bool same = link->used && link->a == near[i].a && link->b == near[i].b;
        world->near_link[i] = is_linked(world, near[i]) ? slot : -1;
        if (world->near_link[i] < 0) continue;
        if (!same)
        {
            if (link->used) drop_link(world, link);
            *link = (Link){.a = near[i].a, .b = near[i].b, .used = true, .seen = -1};
            set_law(world, link);
        }
        link->kept = true;
        link->pair = tw_collider_pair(world->collider, i);
    }
    for (int i = 0; i < world->max_pairs; i++)
        if (world->links[i].used && !world->links[i].kept) drop_link(world, world->links + i);
}

// What a body at rest may get from another in an elastic blow: of a heavy one up to twice its speed. Blows that were handed on
// do not grow by going to and fro, as both factors together are at most 1.
static double blow_on(const twWorld* world, int index, int other)
{
    const Body *body = world->bodies + index, *by = world->bodies + other;
    const BodyPlace *a = world->places + index, *b = world->places + other;
    if (body->held) return 0;
    if (by->held) return 2 * tw_place_speed_bound(b);
    double m = body->shape->mass.mass, rest_a = tw_place_speed_bound(a) - tw_vec3_norm(a->velocity),
           rest_b = tw_place_speed_bound(b) - tw_vec3_norm(b->velocity);
    double speed = tw_vec3_norm(tw_vec3_sub(a->velocity, b->velocity)) + rest_a + rest_b;
    return 2 * by->shape->mass.mass / (m + by->shape->mass.mass) * fmax(speed, by->blow);
}

// whether two bodies may meet in the window: their boxes do, as far as they can go
static bool may_meet(const twWorld* world, const Link* link)
{
    const BodyPlace *a = world->places + link->a, *b = world->places + link->b;
    twVec3 low[2], high[2];
    double room = a->room + b->room;
    tw_place_box(a, &low[0], &high[0]);
    tw_place_box(b, &low[1], &high[1]);
    twVec3 apart = tw_vec3_sub(low[1], high[0]), other = tw_vec3_sub(low[0], high[1]);
    return fmax(fmax(apart.x, fmax(apart.y, apart.z)), fmax(other.x, fmax(other.y, other.z))) < room;
}

// @return whether blows have grown
static bool hand_on(twWorld* world)
{
    bool more = false;
    for (int i = 0; i < world->near_count; i++)
    {
        if (world->near_link[i] < 0) continue;
        const Link* link = world->links + world->near_link[i];
        const int ends[2] = {link->a, link->b};
        for (int side = 0; side < 2 && may_meet(world, link); side++)
        {
            double blow = blow_on(world, ends[side], ends[1 - side]);
            if (!(blow > world->bodies[ends[side]].blow)) continue;
            world->bodies[ends[side]].blow = blow;
            more = true;
        }
    }
    return more;
}

// Room for what a body gets from those near it, which may bring others near; not in a crowd, which has no room for more pairs.
// @return whether there is more of it
static bool widen(twWorld* world)
{
    bool wider = false;
    int64_t all = (int64_t)world->body_count * (world->body_count - 1) / 2;
    if (world->max_pairs < all && world->near_count > world->max_pairs / CROWD) return false;
    for (int i = 0; i < HAND_ON && hand_on(world); i++) continue;
    for (int i = 0; i < world->body_count; i++)
    {
        Body* body = world->bodies + i;
        double room = longest(world) * body->blow;
        if (!(room > body->widened + MARGIN)) continue;
        body->room += room - body->widened;
        body->widened = room;
        world->places[i].room = body->room;
        wider = true;
    }
    return wider;
}

// links of each body, in the order of the near pairs
static void set_lists(twWorld* world)
{
    memset(world->link_first, 0, ((size_t)world->body_count + 1) * sizeof(int));
    for (int pass = 0; pass < 2; pass++)
    {
        for (int i = 0; i < world->near_count; i++)
        {
            if (world->near_link[i] < 0) continue;
            const Link* link = world->links + world->near_link[i];
            const int ends[2] = {link->a, link->b};
            for (int side = 0; side < 2; side++)
                if (pass == 0)
                    world->link_first[ends[side] + 1]++;
                else
                    world->link_of[world->link_first[ends[side]]++] = world->near_link[i];
        }
        if (pass == 0)
            for (int i = 0; i < world->body_count; i++) world->link_first[i + 1] += world->link_first[i];
    }
    for (int i = world->body_count; i > 0; i--) world->link_first[i] = world->link_first[i - 1];
    world->link_first[0] = 0;
}

// ---- clusters ----

static int root_of(twWorld* world, int body)
{
    while (world->parent[body] != body) body = world->parent[body] = world->parent[world->parent[body]];
    return body;
}

static void unite(twWorld* world, int a, int b)
{
    if (a < 0 || b < 0 || !world->bodies[a].dynamic || !world->bodies[b].dynamic) return;
    int x = root_of(world, a), y = root_of(world, b);
    if (x < y) world->parent[y] = x;
    if (y < x) world->parent[x] = y;
}

static Cluster* new_cluster(twWorld* world)
{
    Cluster* c = world->clusters + world->cluster_count;
    twContactForce* forces = c->forces;
    int room = c->force_room;
    *c = (Cluster){
        .stamp = (world->window << 36) | ((int64_t)world->cluster_count << 20), .forces = forces, .force_room = room};
    world->cluster_count++;
    return c;
}

// bodies by cluster, in order
static void fill_clusters(twWorld* world)
{
    int filled = 0, n = world->body_count;
    world->cluster_count = 0;
    for (int i = 0; i < n; i++)
    {
        world->heap_at[i] = -1;
        if (!world->bodies[i].dynamic) continue;
        // the root is the least body of a cluster, so its number is known when others come
        int root = root_of(world, i);
        if (root == i) world->heap_at[i] = (int)(new_cluster(world) - world->clusters);
        world->clusters[world->heap_at[root]].count++;
        world->heap_at[i] = world->heap_at[root];
    }
    for (int c = 0; c < world->cluster_count; c++)
    {
        world->clusters[c].first = filled;
        filled += world->clusters[c].count;
        world->clusters[c].count = 0;
    }
    for (int i = 0; i < n; i++)
    {
        if (world->heap_at[i] < 0) continue;
        Cluster* c = world->clusters + world->heap_at[i];
        world->members[c->first + c->count++] = i;
    }
    for (int c = 0; c < world->cluster_count; c++) cluster_begin(world, world->clusters + c);
}

static void set_clusters(twWorld* world)
{
    int n = world->body_count;
    for (int i = 0; i < n; i++) world->parent[i] = i;
    for (int i = 0; i < world->near_count; i++)
        if (world->near_link[i] >= 0)
            unite(world, world->links[world->near_link[i]].a, world->links[world->near_link[i]].b);
    for (int i = 0; i < world->joint_count; i++) unite(world, world->joints[i].body[0], world->joints[i].body[1]);
    for (int i = 1, least = -1; i < n && world->def.no_private_clocks; i++)
    {
        if (least < 0 && world->bodies[i - 1].dynamic) least = i - 1;
        if (least >= 0) unite(world, least, i);
    }
    fill_clusters(world);
}

void window_begin(twWorld* world)
{
    count_escaped(world);
    set_places(world);
    set_links(world);
    for (int i = 0; i < WIDEN_ROUNDS && widen(world); i++) set_links(world);
    set_lists(world);
    set_clusters(world);
    world->window_end = world->time + window_length(world);
    world->window++;
}
