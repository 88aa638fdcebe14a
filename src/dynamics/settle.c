// SPDX-License-Identifier: MIT
// Bodies that stand on something begin in balance: before time 0 they sink into their contacts and bend what carries them, with
// steps of a millisecond and heavy damping. Compliance against steady forces is right at any step, so that what is found is the
// state they would come to rest in. Bodies that move, hang in the air or would slide or fall are left as they are.
#include "dynamics/group.h"
#include <stdlib.h>

#define SETTLE_STEPS 1500  // at most
#define SETTLE_TRIES 3
#define NEAR 1e-4   // of a body's radius: what is closer touches
#define FAR 0.02    // of a body's radius: what goes farther falls, or slides
#define SLOW 1e-6   // [m/s]: as does what is faster in the end
#define STILL 1e-9  // [m/s]: mean speed at which all is in balance

typedef struct Settle
{
    twWorld* world;
    bool* stands;      // (bodies) stands on something
    bool* carries;     // (bodies) is fixed, and at rest
    BodyState* start;  // (bodies)
    double* numbers;
    size_t number_count;
    double keep;  // of all speeds, from step to step
} Settle;

static bool is_slow(const Body* b)
{
    double sum = tw_vec3_max(b->now.velocity) + tw_vec3_max(b->now.spin);
    for (int j = 0; j < b->mode_count; j++) sum += fabs(b->now.q[j]) + fabs(b->now.rate[j]);
    return sum == 0;
}

// ---- who takes part ----

static bool touches(twWorld* world, const Link* link)
{
    const BodyPlace *a = world->places + link->a, *b = world->places + link->b;
    double reach = NEAR * fmin(a->shape->radius, b->shape->radius);
    return tw_pair_touches(link->pair, a, b, reach, world->workers[0].touches) > 0;
}

static bool can_carry(const Settle* s, int body) { return s->carries[body] || s->stands[body]; }

// what stands on something that stands
static void find_standing(Settle* s)
{
    twWorld* world = s->world;
    for (bool more = true; more;)
    {
        more = false;
        for (int i = 0; i < world->near_count; i++)
        {
            if (world->near_link[i] < 0) continue;
            const Link* link = world->links + world->near_link[i];
            const int ends[2] = {link->a, link->b};
            for (int side = 0; side < 2; side++)
            {
                int body = ends[side];
                const Body* b = world->bodies + body;
                if (s->stands[body] || b->held || s->start[body].time < 0 || !is_slow(b)) continue;
                if (!can_carry(s, ends[1 - side]) || !touches(world, link)) continue;
                s->stands[body] = more = true;
            }
        }
    }
}

// ---- back to the start ----

static void forget_contacts(twWorld* world)
{
    for (int i = 0; i < world->max_pairs; i++) world->links[i] = (Link){0};
    for (int i = 0; i < world->def.joint_count; i++)
    {
        world->joints[i].h = 0;
        world->joints[i].to = 0;
        memset(world->joints[i].memory, 0, sizeof world->joints[i].memory);
    }
}

// all clocks to time 0, at rest; bodies that took no part as they were
static void restart(Settle* s, bool keep)
{
    twWorld* world = s->world;
    for (int i = 0; i < world->body_count; i++)
    {
        Body* b = world->bodies + i;
        body_reset(b, world->def.bodies + i);
        bool stays = keep && can_carry(s, i);
        BodyState* now = &b->now;
        if (!stays)
        {
            double time = s->start[i].time;
            s->start[i].time = 0;
            body_copy(now, &s->start[i], b->mode_count);
            s->start[i].time = time;
        }
        now->time = 0;
        if (stays) now->velocity = now->spin = tw_vec3(0, 0, 0);
        for (int j = 0; j < b->mode_count; j++)
        {
            if (stays) now->rate[j] = 0;
            b->dream_q[j] = now->q[j];
            b->dream_rate[j] = 0;
        }
        body_copy(&b->before, now, b->mode_count);
        b->next_step = 0;
        b->touched = false;
        b->mates = b->prepared = b->member = -1;
        solve_destroy(world->solvers[i]);
        world->solvers[i] = NULL;
    }
    world->time = 0;
    world->window_end = 0;
    world->force_count = world->ends.force_count = 0;
    world->stats = (twWorldStats){0};
    world->energy = (twWorldEnergy){0};
    if (!keep) forget_contacts(world);
    for (int i = 0; i < world->def.joint_count; i++) world->joints[i].to = 0;
    for (int i = 0; i < world->max_pairs; i++)
    {
        Link* link = world->links + i;
        link->from = link->to = 0;
        for (int k = 0; k < link->count; k++)
        {
            memset(link->slots[k].given, 0, sizeof link->slots[k].given);
            link->slots[k].memory.impact = false;
        }
    }
}

// those that take no part are not there
static void set_aside(Settle* s)
{
    for (int i = 0; i < s->world->body_count; i++)
    {
        Body* b = s->world->bodies + i;
        b->now.time = b->before.time = -SETTLE_STEPS * SETTLE_STEP;
        if (can_carry(s, i)) continue;
        b->dynamic = false;
        b->ghost = true;
    }
    s->world->time = -SETTLE_STEPS * SETTLE_STEP;
    s->world->window_end = s->world->time;
}

// ---- sinking ----

// @return the mean square of all speeds
static double damp(Settle* s)
{
    double sum = 0, mass = 1e-30;
    for (int i = 0; i < s->world->body_count; i++)
    {
        Body* b = s->world->bodies + i;
        if (!b->dynamic) continue;
        sum += body_kinetic(b, &b->now);
        mass += b->held ? 1 : b->shape->mass.mass;
        b->now.velocity = tw_vec3_scale(b->now.velocity, s->keep);
        b->now.spin = tw_vec3_scale(b->now.spin, s->keep);
        for (int j = 0; j < b->mode_count; j++)
        {
            sum += 0.5 * b->now.rate[j] * b->now.rate[j];
            b->now.rate[j] *= s->keep;
        }
    }
    return 2 * sum / mass;
}

static void sink(Settle* s)
{
    for (int k = 1; k <= SETTLE_STEPS - 1; k++)
    {
        tw_world_advance(s->world, s->world->time + SETTLE_STEP);
        if (damp(s) < STILL * STILL && k > 10) break;
    }
}

// @return whether all have stayed; those that have not will take no part
static bool all_stayed(Settle* s)
{
    bool all = true;
    for (int i = 0; i < s->world->body_count; i++)
    {
        const Body* b = s->world->bodies + i;
        if (!s->stands[i]) continue;
        double way = tw_vec3_norm(tw_vec3_sub(b->now.position, s->start[i].position));
        twVec3 x = tw_quat_rotate(b->now.turn, tw_vec3(1, 0, 0)),
               y = tw_quat_rotate(s->start[i].turn, tw_vec3(1, 0, 0));
        twVec3 u = tw_quat_rotate(b->now.turn, tw_vec3(0, 0, 1)),
               v = tw_quat_rotate(s->start[i].turn, tw_vec3(0, 0, 1));
        double turn = tw_vec3_norm(tw_vec3_sub(x, y)) + tw_vec3_norm(tw_vec3_sub(u, v));
        double speed = tw_vec3_norm(b->now.velocity) + tw_vec3_norm(b->now.spin) * b->shape->contact->radius;
        if (b->lost || !(way / b->shape->contact->radius + turn < FAR) || !(speed < SLOW))
        {
            s->start[i].time = -1;
            all = false;
        }
    }
    return all;
}

// near critical for the lowest mode
static double speed_kept(const twWorld* world)
{
    double lowest = 50;
    for (int i = 0; i < world->body_count; i++)
        if (world->bodies[i].mode_count > 0) lowest = fmin(lowest, world->bodies[i].shape->freq_hz[0]);
    double keep = exp(-4 * TW_PI * lowest * SETTLE_STEP);
    return keep < 0.5 ? 0.5 : keep > 0.97 ? 0.97 : keep;
}

static bool reserve(Settle* s)
{
    size_t n = (size_t)s->world->body_count;
    for (int i = 0; i < s->world->body_count; i++) s->number_count += 2 * (size_t)s->world->bodies[i].mode_count;
    s->stands = calloc(n + 1, sizeof *s->stands);
    s->carries = calloc(n + 1, sizeof *s->carries);
    s->start = calloc(n + 1, sizeof *s->start);
    s->numbers = calloc(s->number_count + 1, sizeof *s->numbers);
    if (!s->stands || !s->carries || !s->start || !s->numbers) return false;
    double* next = s->numbers;
    for (int i = 0; i < s->world->body_count; i++)
    {
        const Body* b = s->world->bodies + i;
        s->start[i].q = next;
        s->start[i].rate = next + b->mode_count;
        next += 2 * b->mode_count;
        body_copy(&s->start[i], &b->now, b->mode_count);
        s->carries[i] = b->kind == TW_BODY_FIXED && is_slow(b);
    }
    return true;
}

static bool any_stands(const Settle* s)
{
    for (int i = 0; i < s->world->body_count; i++)
        if (s->stands[i]) return true;
    return false;
}

bool world_settle(twWorld* world)
{
    Settle s = {.world = world, .keep = speed_kept(world)};
    bool fine = reserve(&s), done = false;
    for (int i = 0; fine && !done && i < SETTLE_TRIES; i++)
    {
        memset(s.stands, 0, (size_t)world->body_count * sizeof *s.stands);
        find_standing(&s);
        if (!any_stands(&s)) break;
        set_aside(&s);
        world->settling = true;
        sink(&s);
        world->settling = false;
        done = all_stayed(&s);
        restart(&s, done);
        window_begin(world);
        world->stats = (twWorldStats){0};  // those put back have not escaped
    }
    free(s.stands);
    free(s.carries);
    free(s.start);
    free(s.numbers);
    return fine;
}
