// SPDX-License-Identifier: MIT
// Private clocks (algorithm 1 of Zheng and James 2011): the body that is behind all others goes on, together with those it
// touches, which come back to its time if they are ahead.
#include "dynamics/group.h"

#define ATTEMPTS 12   // to find a step short enough, or all modes that wake
#define SHORTER 0.25  // of a step that could not be solved

// ---- the queue: a heap by time, then by number ----

static bool is_before(const twWorld* world, int a, int b)
{
    double ta = world->bodies[a].now.time, tb = world->bodies[b].now.time;
    return ta != tb ? ta < tb : a < b;
}

static void put(twWorld* world, const Cluster* cluster, int at, int body)
{
    world->members[cluster->first + at] = body;
    world->heap_at[body] = at;
}

// a body whose clock went on finds its place below
static void queue_down(twWorld* world, const Cluster* cluster, int body)
{
    const int* heap = world->members + cluster->first;
    int at = world->heap_at[body];
    for (int down = 2 * at + 1; down < cluster->count; down = 2 * at + 1)
    {
        if (down + 1 < cluster->count && is_before(world, heap[down + 1], heap[down])) down++;
        if (!is_before(world, heap[down], body)) break;
        put(world, cluster, at, heap[down]);
        at = down;
    }
    put(world, cluster, at, body);
}

// all of them, from below
void cluster_begin(twWorld* world, Cluster* cluster)
{
    for (int i = 0; i < cluster->count; i++) world->heap_at[world->members[cluster->first + i]] = i;
    for (int i = cluster->count / 2 - 1; i >= 0; i--) queue_down(world, cluster, world->members[cluster->first + i]);
}

// ---- a step ----

// all bodies together: the shortest step that one of them wants
static double common_step(const twWorld* world, double t)
{
    double h = world->def.max_step;
    for (int i = 0; i < world->body_count; i++)
    {
        const Body* body = world->bodies + i;
        if (body->dynamic) h = body_wanted_step(body, world->def.steps_per_cycle, h);
    }
    for (int i = 0; i < world->def.push_count; i++) h = fmin(h, push_limit(world->def.pushes + i, t));
    return h;
}

// to the next of the times that all bodies step to
static double to_grid(const twWorld* world, double t)
{
    const double h = world->def.max_step, steps = floor(t / h + FIXED_SLACK) + 1;
    return steps * h - t;
}

static double first_guess(const twWorld* world, const Body* body)
{
    if (world->def.fixed_step && !world->settling) return to_grid(world, body->now.time);
    if (world->settling) return world->window_end - body->now.time;
    if (world->def.no_private_clocks) return common_step(world, body->now.time);
    double h = body_wanted_step(body, world->def.steps_per_cycle, world->def.max_step);
    return body->next_step > 0 && body->next_step < h ? body->next_step : h;
}

static bool is_finite(const Body* body)
{
    const BodyState* s = &body->now;
    double sum = tw_vec3_dot(s->velocity, s->velocity) + tw_vec3_dot(s->spin, s->spin);
    for (int j = 0; j < body->active; j++) sum += s->q[j] * s->q[j] + s->rate[j] * s->rate[j];
    return sum - sum == 0 && tw_vec3_max(s->position) < LOST_DISTANCE &&
           (body->held || tw_vec3_max(s->spin) < LOST_SPIN) && s->turn.w - s->turn.w == 0;
}

// nothing is known of it any more: it stays where it was, and touches nothing
static void lose(twWorld* world, Cluster* cluster, int index)
{
    Body* body = world->bodies + index;
    double time = body->now.time, energy = account_of(world, body);
    body_copy(&body->now, &body->before, body->mode_count);
    body->now.time = body->before.time = time;
    body->now.velocity = body->now.spin = tw_vec3(0, 0, 0);
    for (int j = 0; j < body->mode_count; j++) body->now.q[j] = body->now.rate[j] = 0;
    body_lose(body);
    body->dynamic = true;  // for the rest of the window: its clock goes on
    energy -= account_of(world, body);
    if (energy - energy == 0) cluster->account.loss[TW_LOSS_SOLVER] += energy;
    cluster->stats.lost++;
}

// without memory, or in doubt: bodies go on as if alone
static void step_alone(twWorld* world, Cluster* cluster, int index, double h)
{
    Body* body = world->bodies + index;
    cluster->account.loss[TW_LOSS_SOLVER] += account_of(world, body);
    body_copy(&body->before, &body->now, body->mode_count);
    body_free_step(body, &body->before, world->def.gravity, h, &body->now);
    cluster->account.loss[TW_LOSS_SOLVER] -= account_of(world, body);
    body->spent = (Account){0};
    body_bound(body);
    body->touched = false;
    body->mates = cluster->stamp++;
    cluster->stats.failures++;
}

// Those that could not be solved together begin with shorter steps, whichever of them is next: else each of them would try the
// same group again.
static void remember_shorter(Group* g, double h)
{
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        if (!(body->next_step > 0 && body->next_step < h)) body->next_step = h;
    }
}

static void settle(Group* g, double h)
{
    const double grow = g->hard ? 1 : GROW_STEP;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        body->next_step = grow * h;
        if (!is_finite(body)) lose(g->world, g->cluster, g->bodies[k]);
        body_bound(body);
    }
    if (g->body_count == 1)
        queue_down(g->world, g->cluster, g->bodies[0]);
    else
        cluster_begin(g->world, g->cluster);  // several clocks changed, some of them back
}

static void step_first(twWorld* world, Cluster* cluster, Worker* worker)
{
    int body = world->members[cluster->first];
    double t = world->bodies[body].now.time, h = first_guess(world, world->bodies + body);
    Group g = {.world = world, .cluster = cluster, .worker = worker};
    for (int i = 0; i < ATTEMPTS; i++)
    {
        double begin = tw_seconds();
        bool last = i + 1 == ATTEMPTS || world->def.no_private_clocks || world->settling;
        gather(&g, body, t, h, !last);
        cluster->stats.collide_seconds += tw_seconds() - begin;
        if (g.no_memory) break;
        if (!last && gather_is_short(&g))
        {
            h = fmax(g.limit, world->def.fixed_step ? FIXED_SHORTEST * world->def.max_step : LEAST_STEP);
            cluster->stats.tried_again++;
            continue;
        }
        GroupOutcome outcome = group_step(&g, i + 1 == ATTEMPTS || world->def.fixed_step);
        if (outcome == GROUP_DONE)
        {
            settle(&g, h);
            return;
        }
        if (outcome == GROUP_NO_MEMORY) break;
        if (outcome == GROUP_SHORTER) remember_shorter(&g, h *= SHORTER);
        cluster->stats.tried_again++;
    }
    step_alone(world, cluster, body, h);
    queue_down(world, cluster, body);
}

void cluster_run(twWorld* world, Cluster* cluster, Worker* worker, double until)
{
    double begin = tw_seconds();
    while (world->bodies[world->members[cluster->first]].now.time < until) step_first(world, cluster, worker);
    cluster->stats.other_seconds += tw_seconds() - begin;
}
