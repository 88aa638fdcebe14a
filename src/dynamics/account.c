// SPDX-License-Identifier: MIT
// Where the energy of a step goes. Bodies and modes go by the trapezoidal rule with impulses p along rows J, so that a step changes
// their energy by
//
//   work of pushes, motors and walls - sum over modes of t c ((v0 + v1)/2)^2 + sum over contacts of p.(u0 + u1)/2
//
// exactly, with the stretched step t and the damping c of body.c. A contact that stored V0 and stores V1 loses V0 - V1 - p.(u0 + u1)/2, of
// which its law knows the parts; the rest is what steps take that do not resolve it. What is left of the whole is rounding, or of joints.
//
// A body that goes back in time by a part of its last step gets that part of the step's account back. States in between have less energy than
// that: the difference is an account of its own.
#include "dynamics/group.h"

const char* tw_loss_name(twLoss loss)
{
    static const char* const names[TW_LOSS_COUNT] = {
        "material",   "radiation", "contact_normal", "bristle",  "slip",   "rolling", "joints",
        "unresolved", "sleep",     "ended",          "rollback", "solver", "rods"};
    TW_ASSERT(loss >= 0 && loss < TW_LOSS_COUNT);
    return names[loss];
}

static bool account_is_kept(const Group* g) { return !g->world->settling && !g->world->weave; }

static double account_sum(const Account* a)
{
    double sum = 0;
    for (int i = 0; i < TW_LOSS_COUNT; i++) sum += a->loss[i];
    return sum;
}

static void account_add(Account* to, const Account* a, double times)
{
    to->work += times * a->work;
    for (int i = 0; i < TW_LOSS_COUNT; i++) to->loss[i] += times * a->loss[i];
}

void account_lose(Group* g, Body* body, twLoss loss, double energy)
{
    if (!account_is_kept(g)) return;
    if (body) body->spent.loss[loss] += energy;
    g->cluster->account.loss[loss] += energy;
}

double account_of(const twWorld* world, const Body* body)
{
    const double moving = body_kinetic(body, &body->now) + body_modal(body, &body->now);
    return body->held ? moving : moving - body->shape->mass.mass * tw_vec3_dot(world->def.gravity, body->now.position);
}

// ---- going back in time ----

// what a body had beyond its start [J]
static double account_body_excess(const Group* g, const Body* body)
{
    double excess = body_kinetic(body, &body->now) + body_modal(body, &body->now) - body_kinetic(body, &body->start) -
                    body_modal(body, &body->start);
    if (body->held) return excess;
    twVec3 way = tw_vec3_sub(body->now.position, body->start.position);
    return excess - body->shape->mass.mass * tw_vec3_dot(g->world->def.gravity, way);
}

// and what its contacts and joints stored beyond theirs
static double account_stored_excess(const Group* g)
{
    double excess = 0;
    for (int l = 0; l < g->link_count; l++)
    {
        const Link* link = g->links[l].link;
        for (int i = 0; i < g->links[l].count && link->to > g->t; i++)
            if (g->links[l].slot[i] >= 0)
                excess += contact_energy(link, &link->slots[g->links[l].slot[i]].memory) -
                          contact_energy(link, g->start + g->links[l].first + i);
    }
    int k = g->touch_count;
    for (int i = 0; i < g->joint_count; i++)
    {
        const WorldJoint* joint = g->world->joints + g->joints[i];
        for (int block = 0; block < world_joint_blocks(joint); block++, k++)
            excess += joint->memory[block].stored - g->start[k].stored;
    }
    return excess;
}

void account_go_back(Group* g)
{
    Account* all = &g->cluster->account;
    double undone = 0;
    bool any = false;
    if (!account_is_kept(g)) return;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        const double span = body->now.time - body->before.time, back = body->now.time - g->t;
        const double part = back > 0 && span > 0 ? fmin(back / span, 1) : 0;
        any = any || part > 0;
        if (part > 0)
        {
            account_add(all, &body->spent, -part);
            undone += account_body_excess(g, body) + part * (account_sum(&body->spent) - body->spent.work);
        }
        body->spent = (Account){0};
    }
    undone += any || g->joint_count > 0 ? account_stored_excess(g) : 0;
    if (undone - undone == 0) all->loss[TW_LOSS_ROLLBACK] += undone;
}

// ---- a step ----

// t c ((v0 + v1)/2)^2 of the modes awake, with t c from their effective mass D = 1 + (t w/2)^2 + t c/2; of which sound takes its share of c
static double account_modes(const Group* g, int k, double* sound)
{
    const Body* body = g->world->bodies + g->bodies[k];
    const SolveBody* b = g->solve_bodies + k;
    const int first = b->first + (b->held ? 0 : 6);
    double sum = 0;
    *sound = 0;
    for (int j = 0; j < body->active; j++)
    {
        const double half = TW_PI * body->shape->freq_hz[j] * body->stretch[j] * g->h,
                     mean = 0.5 * (g->solve.velocity[first + j] + g->solve.result[first + j]);
        const double lost = 2 * (body->mass[j] - 1 - half * half) * mean * mean;
        sum += lost;
        if (body->shape->radiation) *sound += body->shape->radiation[j] * lost;
    }
    return sum;
}

static double account_bristles(const Link* link, const SolveMemory* m)
{
    const double* z = m->bristle;
    return 0.5 * link->law.friction.stiffness * (z[0] * z[0] + z[1] * z[1]);
}

static void account_touch(const Group* g, const Link* link, int k, double* loss)
{
    const SolveSpent* spent = g->solve.spent + k;
    const double let_go = g->solve.frictionless ? account_bristles(link, g->start + k) : 0;
    const double all = contact_energy(link, g->start + k) - contact_energy(link, g->memory + k) - spent->work;
    loss[TW_LOSS_NORMAL] += spent->law.normal;
    loss[TW_LOSS_BRISTLE] += spent->law.bristle;
    loss[TW_LOSS_SLIP] += spent->law.slip;
    loss[TW_LOSS_ENDED] += let_go;
    // what it stored beyond its law when it opened is gone with it
    loss[g->memory[k].compression > 0 ? TW_LOSS_UNRESOLVED : TW_LOSS_ENDED] +=
        all - let_go - spent->law.normal - spent->law.bristle - spent->law.slip;
}

void account_step(Group* g, double work, double lost)
{
    if (!account_is_kept(g))
    {
        g->cluster->account.work += work;
        return;
    }
    Account step = {.work = work};
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count; i++)
            account_touch(g, g->links[l].link, g->links[l].first + i, step.loss);
    for (int k = g->rolling_first; k < g->solve.contact_count; k++)
        step.loss[TW_LOSS_ROLLING] -= g->solve.spent[k].work;
    double left = lost - account_sum(&step);
    for (int k = 0; k < g->body_count; k++)
    {
        double sound;
        const double modes = account_modes(g, k, &sound);
        account_lose(g, g->world->bodies + g->bodies[k], TW_LOSS_MATERIAL, modes - sound);
        account_lose(g, g->world->bodies + g->bodies[k], TW_LOSS_RADIATION, sound);
        left -= modes;
    }
    step.loss[g->joint_count > 0 ? TW_LOSS_JOINTS : TW_LOSS_SOLVER] += left;
    account_add(&g->world->bodies[g->bodies[0]].spent, &step, 1);
    account_add(&g->cluster->account, &step, 1);
}
