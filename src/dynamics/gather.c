// SPDX-License-Identifier: MIT
// Which bodies touch at a time, and so must be stepped together (algorithm 1 of Zheng and James 2011: interpolate, detect, group,
// roll back). Touches are those half a step later, with velocities as they are, which is where forces will act.
#include "dynamics/group.h"
#include "dynamics/rough.h"

#define CLOSE_ENOUGH 1e-6  // of a body's radius: gaps below count as touching
#define APPROACH 0.98      // of the time until it touches
#define THIN 0.5           // of the thinner body: how far what comes may go in a step
#define TURN 0.5           // and how far it may turn [rad]
#define REACH 0.6          // of what the fastest points can approach in a step, seen from its middle

static double gravity_of(const Group* g) { return tw_vec3_norm(g->world->def.gravity); }

// state at the start of the step, and half way
static void prepare(const Group* g, Body* body)
{
    if (body->prepared == g->stamp) return;
    body->prepared = g->stamp;
    body_at(body, g->t, g->world->def.gravity, &body->start);
    body_copy(&body->middle, &body->start, body->mode_count);
    body_drift(body, &body->middle, 0.5 * g->h);
    for (int j = 0; j < body->mode_count; j++) body->middle.rate[j] = body->start.rate[j];
}

BodyPlace world_place(const twWorld* world, int index, double time, BodyState* scratch)
{
    Body* body = world->bodies + index;
    if (body->dynamic) return body_place(body, index, &body->middle);
    // shared by clusters: not to be changed
    *scratch = body->now;
    scratch->q = scratch->rate = NULL;
    if (body->kind == TW_BODY_MOVED)
    {
        scratch->time = 0;
        body_drift(body, scratch, time);
    }
    return body_place(body, index, scratch);
}

// room for one more. @return false without memory
static bool grow(Group* g, void** list, int count, int* room, size_t size)
{
    if (count < *room) return true;
    int more = 2 * *room + 16;
    void* block = group_scratch(g, (size_t)more, size);
    if (!block) return false;
    if (count > 0) memcpy(block, *list, (size_t)count * size);
    *list = block;
    *room = more;
    return true;
}

static bool is_member(const Group* g, int body) { return g->world->bodies[body].member == g->stamp; }

static void join(Group* g, int index)
{
    if (is_member(g, index)) return;
    Body* body = g->world->bodies + index;
    body->member = g->stamp;
    prepare(g, body);
    if (!grow(g, (void**)&g->bodies, g->body_count, &g->body_room, sizeof *g->bodies)) return;
    g->bodies[g->body_count++] = index;
    g->limit = fmin(g->limit, body_wanted_step(body, g->world->def.steps_per_cycle, g->world->def.max_step));
    if (!(body->now.time > g->t) || !body->touched) return;

    // it goes back in time, and with it all that its last step has pushed
    for (int i = 0; i < g->cluster->count; i++)
    {
        int other = g->world->members[g->cluster->first + i];
        if (g->world->bodies[other].mates == body->mates) join(g, other);
    }
}

// ---- touches of a link ----

static Slot* find_slot(Link* link, uint64_t id, int* index)
{
    for (*index = 0; *index < link->count; (*index)++)
        if (link->slots[*index].id == id) return link->slots + *index;
    *index = -1;
    return NULL;
}

// how long an impact of this speed lasts, roughly: x_max = ((a+1) m v^2/(2 k))^(1/(a+1)), T = 3 x_max/v
double gather_impact_time(const Group* g, const Link* link, double speed)
{
    double inverse = 0;
    for (int side = 0; side < 2; side++)
    {
        const Body* body = g->world->bodies + (side ? link->b : link->a);
        if (!body->held) inverse += 1 / body->shape->mass.mass;
    }
    if (!(inverse > 0)) return HUGE_VAL;
    double a = link->law.impact.exponent, k = link->law.impact.stiffness;
    return 3 * pow((a + 1) * speed * speed / (2 * k * inverse), 1 / (a + 1)) / speed;
}

// steps that resolve an impact: of those that are slow, only in small groups
static void limit_step(Group* g, const Link* link, const Slot* slot, double gap, double closing)
{
    double steps = g->world->def.steps_per_impact, limit = HUGE_VAL, speed = closing;
    const bool fixed = g->world->def.no_private_clocks || g->world->def.fixed_step || g->world->settling;
    if (!(steps > 0) || fixed) return;
    if (slot && slot->memory.compression > 0)
    {
        speed = slot->impact_speed;
        if (slot->memory.impact && speed > IMPACT_SPEED) limit = slot->impact_time / steps;
    }
    else if (closing > IMPACT_SPEED && gap < g->h * closing)
        limit = fmax(gather_impact_time(g, link, closing) / steps, APPROACH * gap / closing);
    double* least = speed > IMPACT_FAST ? &g->limit : &g->slow_limit;
    *least = fmin(*least, limit);
}

// the touches that may close in this step. @return whether there is one that is closed or will be
static bool choose(Group* g, Link* link, const BodyPlace* a, const BodyPlace* b, Touch* touches, int* count)
{
    double fall = gravity_of(g) * g->h * g->h, fastest = 0, u[LINK_SLOTS][3];
    double small = CLOSE_ENOUGH * fmin(a->shape->radius, b->shape->radius);
    bool touching = false;
    for (int i = 0; i < *count; i++)
    {
        Touch* t = touches + i;
        int index;
        tw_touch_velocity(u[i], t, t->which == 0 ? a : b, t->which == 0 ? b : a);
        fastest = fmax(fastest, fabs(u[i][0]));
        t->gap -= 0.5 * g->h * u[i][0];  // at the start
        const Slot* slot = find_slot(link, t->id, &index);
        bool closed = slot && slot->memory.compression > 0;
        double end = t->gap + g->h * u[i][0] - fall;
        if (closed || end < small)
        {
            touching = true;
            limit_step(g, link, slot, t->gap, -u[i][0]);
        }
    }
    if (!touching) return false;
    int kept = 0;
    for (int i = 0; i < *count; i++)
    {
        int index;
        const Slot* slot = find_slot(link, touches[i].id, &index);
        if (touches[i].gap < g->h * fastest + fall + small || (slot && slot->memory.compression > 0))
            touches[kept++] = touches[i];
    }
    *count = kept;
    return true;
}

static void keep(Group* g, Link* link, const Touch* touches, int count)
{
    if (!grow(g, (void**)&g->links, g->link_count, &g->link_room, sizeof *g->links)) return;
    if (g->touch_count + count > g->touch_room)
    {
        int room = 2 * (g->touch_count + count) + LINK_SLOTS;
        Touch* more = group_scratch(g, (size_t)room, sizeof *more);
        if (!more) return;
        if (g->touch_count > 0) memcpy(more, g->touches, (size_t)g->touch_count * sizeof *more);
        g->touches = more;
        g->touch_room = room;
    }
    GroupLink* kept = g->links + g->link_count;
    *kept = (GroupLink){link, g->touch_count, count, group_scratch(g, (size_t)count, sizeof(int))};
    if (!kept->slot) return;
    for (int i = 0; i < count; i++) find_slot(link, touches[i].id, &kept->slot[i]);
    if (count > 0) memcpy(g->touches + g->touch_count, touches, (size_t)count * sizeof *touches);
    g->touch_count += count;
    g->link_count++;
}

// two bodies so far apart that nothing need be asked: by spheres around them and the way they can go
static bool is_far(const Group* g, const Link* link)
{
    const Body *a = g->world->bodies + link->a, *b = g->world->bodies + link->b;
    if (link->count > 0 || !a->dynamic || !b->dynamic) return false;
    double end = g->t + g->h, fall = gravity_of(g) * g->h;
    double way = (a->speed + fall) * fmax(a->now.time - g->t, end - a->now.time) +
                 (b->speed + fall) * fmax(b->now.time - g->t, end - b->now.time);
    twVec3 apart = tw_vec3_sub(a->now.position, b->now.position);
    double least = (a->extent + b->extent) * (1 + CLOSE_ENOUGH) + way;
    return tw_vec3_dot(apart, apart) > least * least;
}

static void roughen(const Group* g, const Link* link, const BodyPlace place[2], Touch* touches, int count)
{
    const int bodies[2] = {link->a, link->b};
    for (int side = 0; side < 2; side++)
    {
        const Body* body = g->world->bodies + bodies[side];
        if (!(body->roughness > 0)) continue;
        for (int i = 0; i < count; i++)
            tw_rough_touch(touches + i, &place[side], body->roughness, body->grain,
                           g->world->def.seed + (uint64_t)bodies[side]);
    }
}

// ---- thin bodies ----

// until a touch that closes: to just before it, or half through what is thin
static void limit_approach(Group* g, const Link* link, double thin, double gap, double closing)
{
    if (!(closing > 0 && gap < g->h * closing)) return;
    double through = THIN * thin / closing, steps = g->world->def.steps_per_impact;
    if (steps > 0) through = fmin(through, gather_impact_time(g, link, closing) / steps);
    g->limit = fmin(g->limit, fmax(through, APPROACH * gap / closing));
    g->too_long = g->too_long || g->h * closing - gap > THIN * thin;
}

// Touches are looked for in the middle of the step. What may be beyond a thin body by then is seen from where it starts, and
// steps up to it.
static void limit_by_thickness(Group* g, Link* link, double way)
{
    const twWorld* world = g->world;
    const int bodies[2] = {link->a, link->b};
    BodyPlace place[2];
    BodyState scratch;
    double thin = HUGE_VAL;
    for (int side = 0; side < 2; side++) thin = fmin(thin, world->bodies[bodies[side]].shape->contact->thickness);
    if (!(way > THIN * thin) || world->def.no_private_clocks || world->settling) return;
    for (int side = 0; side < 2; side++)
    {
        const Body* body = world->bodies + bodies[side];
        place[side] = body->dynamic ? body_place(body, bodies[side], &body->start)
                                    : world_place(world, bodies[side], g->t, &scratch);
    }
    Touch* touches = g->worker->touches;
    int count = tw_pair_touches_ahead(link->pair, &place[0], &place[1], way, 0, touches);
    for (int i = 0; i < count; i++)
    {
        double u[3];
        int slot, first = touches[i].which;
        tw_touch_velocity(u, touches + i, &place[first], &place[1 - first]);
        const Slot* old = find_slot(link, touches[i].id, &slot);
        if (!old || !(old->memory.compression > 0)) limit_approach(g, link, thin, fmax(touches[i].gap, 0), -u[0]);
    }
    double spin = tw_vec3_norm(tw_vec3_sub(place[0].spin, place[1].spin));
    if (count > 0 && spin * g->h > TURN && !(place[0].shape->ball > 0 && place[1].shape->ball > 0))
        g->limit = fmin(g->limit, TURN / spin);
}

static void look(Group* g, Link* link)
{
    twWorld* world = g->world;
    int bodies[2] = {link->a, link->b};
    link->seen = g->stamp;
    if (is_far(g, link)) return;
    BodyPlace place[2];
    BodyState scratch[2];
    double reach = gravity_of(g) * g->h * g->h, way = reach;
    for (int side = 0; side < 2; side++)
    {
        Body* body = world->bodies + bodies[side];
        if (body->dynamic) prepare(g, body);
        place[side] = world_place(world, bodies[side], g->t + 0.5 * g->h, &scratch[side]);
        double speed = tw_place_speed_bound(&place[side]);
        reach += REACH * g->h * speed + CLOSE_ENOUGH * place[side].shape->radius;
        way += g->h * speed;
    }
    limit_by_thickness(g, link, way);
    Touch* touches = g->worker->touches;
    int count = tw_pair_touches_ahead(link->pair, &place[0], &place[1], reach, 0.5 * g->h, touches);
    roughen(g, link, place, touches, count);
    bool touching = choose(g, link, &place[0], &place[1], touches, &count);
    if (touching || link->count > 0) keep(g, link, touches, touching ? count : 0);
    for (int side = 0; touching && side < 2; side++)
        if (world->bodies[bodies[side]].dynamic) join(g, bodies[side]);
}

// bodies that are joined are stepped together
static void follow_joints(Group* g, int member)
{
    twWorld* world = g->world;
    for (int k = world->joint_first[member]; k < world->joint_first[member + 1]; k++)
    {
        WorldJoint* joint = world->joints + world->joint_of[k];
        if (joint->seen == g->stamp) continue;
        joint->seen = g->stamp;
        if (!grow(g, (void**)&g->joints, g->joint_count, &g->joint_room, sizeof *g->joints)) return;
        g->joints[g->joint_count++] = world->joint_of[k];
        for (int side = 0; side < 2; side++)
            if (joint->body[side] >= 0 && world->bodies[joint->body[side]].dynamic) join(g, joint->body[side]);
    }
}

// What a spring's ends yield to an impulse of 1, at most, one body's part [1/kg]
static double yield_of(const twWorld* world, const WorldJoint* joint, int side)
{
    const Body* body = joint->body[side] < 0 ? NULL : world->bodies + joint->body[side];
    if (!body || body->held) return 0;
    const twMat3* i = &body->shape->inverse_inertia;
    double arm = tw_vec3_norm(joint->joint.anchor[side]);
    return 1 / body->shape->mass.mass + arm * arm * (i->m[0][0] + i->m[1][1] + i->m[2][2]);
}

// A spring's swing is resolved like that of a mode: its line turns within longer steps, which makes energy.
static void limit_by_springs(Group* g)
{
    for (int i = 0; i < g->joint_count; i++)
    {
        const WorldJoint* joint = g->world->joints + g->joints[i];
        if (joint->joint.kind != TW_JOINT_SPRING) continue;
        double yield = yield_of(g->world, joint, 0) + yield_of(g->world, joint, 1);
        double omega = sqrt(joint->joint.stiffness * yield);
        if (omega > 0) g->limit = fmin(g->limit, 2 * TW_PI / (g->world->def.steps_per_cycle * omega));
    }
}

// forces from outside begin and end with a step, and are resolved
static void limit_by_pushes(Group* g)
{
    const twWorldDef* def = &g->world->def;
    for (int i = 0; i < def->push_count; i++)
    {
        const twPushDef* push = def->pushes + i;
        if (!is_member(g, push->body)) continue;
        g->limit = fmin(g->limit, push_limit(push, g->t));
        g->too_long = g->too_long || push_is_passed(push, g->t, g->h);
    }
}

// The whole of a large group is hardly easier to solve than the parts of it that could only be solved in shorter steps.
static void limit_by_members(Group* g)
{
    for (int k = 0; k < g->body_count; k++)
    {
        double next = g->world->bodies[g->bodies[k]].next_step;
        if (next > 0) g->limit = fmin(g->limit, next);
    }
}

bool gather_is_short(const Group* g)
{
    const twWorldDef* def = &g->world->def;
    if (def->fixed_step) return g->too_long && g->h > 1.01 * FIXED_SHORTEST * def->max_step;
    return (g->too_long || g->limit < AGAIN * g->h) && g->h > LEAST_STEP;
}

static void begin(Group* g, double t, double h)
{
    twWorld* world = g->world;
    Cluster* cluster = g->cluster;
    tw_arena_reset(g->worker->arena, 0);
    *g = (Group){.world = world,
                 .cluster = cluster,
                 .worker = g->worker,
                 .stamp = cluster->stamp++,
                 .t = t,
                 .h = h,
                 .limit = HUGE_VAL,
                 .slow_limit = HUGE_VAL};
}

void gather_all(Group* g, double t, double h)
{
    twWorld* world = g->world;
    begin(g, t, h);
    for (int i = 0; i < world->body_count; i++)
        if (world->bodies[i].dynamic) join(g, i);
    for (int i = 0; i < g->body_count && !g->no_memory; i++)
    {
        follow_joints(g, g->bodies[i]);
        for (int k = world->link_first[g->bodies[i]]; k < world->link_first[g->bodies[i] + 1] && !g->no_memory; k++)
        {
            Link* link = world->links + world->link_of[k];
            if (link->seen != g->stamp) look(g, link);
        }
    }
}

void gather(Group* g, int body, double t, double h, bool may_stop)
{
    twWorld* world = g->world;
    begin(g, t, h);
    join(g, body);
    for (int i = 0; i < g->body_count && !g->no_memory; i++)
    {
        int member = g->bodies[i];
        follow_joints(g, member);
        for (int k = world->link_first[member]; k < world->link_first[member + 1] && !g->no_memory; k++)
        {
            if (may_stop && gather_is_short(g)) return;
            Link* link = world->links + world->link_of[k];
            if (link->seen != g->stamp) look(g, link);
        }
    }
    if (g->touch_count <= SMALL_GROUP) g->limit = fmin(g->limit, g->slow_limit);
    if (g->touch_count > LARGE_GROUP) limit_by_members(g);
    limit_by_springs(g);
    limit_by_pushes(g);
}
