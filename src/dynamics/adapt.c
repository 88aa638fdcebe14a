// SPDX-License-Identifier: MIT
// Which modes are awake (section 4.1 of Zheng and James 2011). The highest modes go to sleep while the energy of their
// oscillation is below sleep_energy: (q'^2 + (r/w)^2)/2 with the residual r = U_j.F - w^2 q, which is 0 in a shape bent by a steady
// load. A mode that sleeps keeps its shape, so that nothing jumps. It dreams: an oscillator beside it is driven by the contact
// forces, moves nothing, and wakes it when its energy reaches sleep_energy. As in the source, a mode wakes also when the change
// of its force in a step reaches wake_force, if that is not 0. Sleeping takes only kinetic energy, and takes it away.
// Modes of bodies with joints stay awake.
#include "dynamics/group.h"

#define UNBENT 1e-13  // [m]: shapes of sleeping modes that displace nothing by more are forgotten

// forces on the sleeping modes of one body, how they change, and where their dreams end
struct Excitation
{
    double *force, *change, *q, *rate;  // (modes)
};

static void add_force(const Body* body, const Touch* touch, int side, twVec3 force, double* out)
{
    const ContactShape* shape = body->shape->contact;
    size_t n = (size_t)shape->mode_count;
    twVec3 f = tw_quat_rotate(tw_quat_conj(body->middle.turn), side == 0 ? force : tw_vec3_scale(force, -1));
    const int* vertex = side == 0 ? touch->vertex : touch->corner;
    const double* share = side == 0 ? touch->share : touch->weight;
    int points = touch->edge ? 2 : side == 0 ? 1 : 3;
    for (int i = 0; i < points; i++)
    {
        const float *x = shape->shape + 3 * n * (size_t)vertex[i], *y = x + n, *z = y + n;
        for (int j = body->active; j < body->mode_count; j++)
            out[j] += share[i] * ((double)x[j] * f.x + (double)y[j] * f.y + (double)z[j] * f.z);
    }
}

static bool reserve(Group* g, int modes, Excitation* e)
{
    double* block = group_scratch(g, 4 * (size_t)modes, sizeof *block);
    if (!block) return false;
    *e = (Excitation){block, block + modes, block + 2 * modes, block + 3 * modes};
    return true;
}

static void excite(const Group* g, int index, Excitation* e)
{
    const Body* body = g->world->bodies + index;
    bool changes = g->world->def.wake_force > 0;
    const double* shake = g->shakes[body->slot];
    for (int j = body->active; shake && j < body->mode_count; j++) e->force[j] = shake[j];
    for (int l = 0; l < g->link_count; l++)
    {
        const GroupLink* link = g->links + l;
        if (link->link->a != index && link->link->b != index) continue;
        for (int i = 0; i < link->count; i++)
        {
            const Touch* touch = g->touches + link->first + i;
            int side = touch->body[0] == index ? 0 : 1;
            twVec3 f = group_force(g, link->first + i), before = {0, 0, 0};
            if (link->slot[i] >= 0) before = link->link->slots[link->slot[i]].force;
            add_force(body, touch, side, f, e->force);
            if (changes) add_force(body, touch, side, tw_vec3_sub(f, before), e->change);
        }
    }
}

static double omega(const Body* body, int j) { return 2 * TW_PI * body->shape->freq_hz[j]; }

// a step of the oscillator beside a sleeping mode. @return its energy
static double dream(const Body* body, int j, double h, const Excitation* e)
{
    double w = omega(body, j), t = body->stretch[j] * h, d = body->mass[j], q = body->dream_q[j],
           v = body->dream_rate[j];
    e->rate[j] = ((2 - d) * v + t * (e->force[j] - w * w * q)) / d;
    e->q[j] = q + 0.5 * t * (v + e->rate[j]);
    double off = e->force[j] / w - w * e->q[j];
    return 0.5 * (e->rate[j] * e->rate[j] + off * off);
}

static int wanted_modes(Group* g, int index, Excitation* e)
{
    const Body* body = g->world->bodies + index;
    const twWorldDef* def = &g->world->def;
    excite(g, index, e);
    int wanted = body->active;
    for (int j = body->active; j < body->mode_count; j++)
        if (dream(body, j, g->h, e) >= def->sleep_energy ||
            (def->wake_force > 0 && fabs(e->change[j]) >= def->wake_force))
            wanted = j + 1;
    return wanted;
}

bool adapt_wake(Group* g)
{
    if (g->world->def.no_mode_adaptation || g->world->settling) return false;
    bool woken = false;
    g->excitations = group_scratch(g, (size_t)g->body_count, sizeof *g->excitations);
    for (int k = 0; k < g->body_count && g->excitations; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        Excitation* e = g->excitations + k;
        if (body->active == body->mode_count || !reserve(g, body->mode_count, e)) continue;
        int wanted = push_acts(g, g->bodies[k]) ? body->mode_count : wanted_modes(g, g->bodies[k], e);
        if (wanted == body->active) continue;
        g->cluster->stats.woken += wanted - body->active;
        body->active = wanted;
        if (body->bent < wanted) body->bent = wanted;
        body->hold = WAKE_HOLD;
        woken = true;
    }
    return woken;
}

// energy of the oscillation about the shape that the forces of the step hold
static double oscillation(const Group* g, int k, int j)
{
    const Body* body = g->world->bodies + g->bodies[k];
    const SolveBody* b = g->solve_bodies + k;
    int at = b->first + (b->held ? 0 : 6) + j;
    double force = body->mass[j] * (g->solve.result[at] - g->solve.free[at]) / (body->stretch[j] * g->h);
    if (g->shakes[k]) force += g->shakes[k][j];
    double w = omega(body, j), off = force / w - w * body->now.q[j], v = body->now.rate[j];
    return 0.5 * (v * v + off * off);
}

// what joints do to sleeping modes is not looked at: they do not sleep
static bool is_joined(const Group* g, int k)
{
    const int* first = g->world->joint_first + g->bodies[k];
    return first[1] > first[0];
}

static void end_dreams(Group* g, int k)
{
    Body* body = g->world->bodies + g->bodies[k];
    const Excitation* e = g->excitations ? g->excitations + k : NULL;
    for (int j = body->active; e && e->q && j < body->mode_count; j++)
    {
        body->dream_q[j] = e->q[j];
        body->dream_rate[j] = e->rate[j];
    }
}

void adapt_sleep(Group* g)
{
    if (g->world->def.no_mode_adaptation || g->world->settling) return;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        end_dreams(g, k);
        if (body->active == 0) continue;
        const bool held_awake = body->hold > 0;
        if (held_awake) body->hold--;
        if (held_awake || is_joined(g, k)) continue;
        while (body->active > 0 && oscillation(g, k, body->active - 1) < g->world->def.sleep_energy)
        {
            int j = --body->active;
            body->dream_q[j] = body->now.q[j];
            body->dream_rate[j] = body->now.rate[j];
            account_lose(g, body, TW_LOSS_SLEEP, 0.5 * body->now.rate[j] * body->now.rate[j]);
            body->now.rate[j] = 0;
            g->cluster->stats.put_to_sleep++;
        }
        const double* motion = body->shape->contact->motion;
        while (body->bent > body->active && fabs(body->now.q[body->bent - 1]) * motion[body->bent - 1] < UNBENT)
        {
            const int j = --body->bent;
            const double e = omega(body, j) * body->now.q[j];
            account_lose(g, body, TW_LOSS_SLEEP, 0.5 * e * e);
            body->now.q[j] = 0;
        }
    }
}
