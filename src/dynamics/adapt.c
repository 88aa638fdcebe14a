// SPDX-License-Identifier: MIT
// Which modes are awake (section 4.1 of Zheng and James 2011). A mode wakes when the change of its force in a step,
// |U_j.(F - F_before)|, reaches wake_force. The highest modes go to sleep while the energy of their oscillation is below
// sleep_energy: (q'^2 + (r/w)^2)/2 with the residual r = U_j.F - w^2 q, which is 0 in a shape bent by a steady load. A mode
// that sleeps keeps its shape, so that nothing jumps, and wakes too when (r/w)^2/2 reaches sleep_energy. Sleeping takes only
// kinetic energy, and takes it away.
#include "dynamics/group.h"

#define UNBENT 1e-13  // [m]: shapes of sleeping modes that displace nothing by more are forgotten

// forces on the sleeping modes of one body, and how they change
typedef struct Excitation
{
    double *force, *change;  // (modes)
} Excitation;

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

static bool excite(Group* g, int index, Excitation* e)
{
    const Body* body = g->world->bodies + index;
    e->force = group_scratch(g, (size_t)body->mode_count, sizeof *e->force);
    e->change = group_scratch(g, (size_t)body->mode_count, sizeof *e->change);
    if (!e->force || !e->change) return false;
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
            add_force(body, touch, side, tw_vec3_sub(f, before), e->change);
        }
    }
    return true;
}

static double omega(const Body* body, int j) { return 2 * TW_PI * body->shape->freq_hz[j]; }

static int wanted_modes(Group* g, int index)
{
    Body* body = g->world->bodies + index;
    const twWorldDef* def = &g->world->def;
    Excitation e;
    int wanted = body->mode_count;
    if (!excite(g, index, &e)) return body->active;
    for (; wanted > body->active; wanted--)
    {
        int j = wanted - 1;
        double w = omega(body, j), off = e.force[j] / w - w * body->start.q[j];
        if (fabs(e.change[j]) >= def->wake_force || 0.5 * off * off >= def->sleep_energy) break;
    }
    return wanted;
}

bool adapt_wake(Group* g)
{
    if (g->world->def.no_mode_adaptation || g->world->settling) return false;
    bool woken = false;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        if (body->active == body->mode_count) continue;
        int wanted = push_acts(g, g->bodies[k]) ? body->mode_count : wanted_modes(g, g->bodies[k]);
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
    double w = omega(body, j), off = force / w - w * body->now.q[j], v = body->now.rate[j];
    return 0.5 * (v * v + off * off);
}

void adapt_sleep(Group* g)
{
    if (g->world->def.no_mode_adaptation || g->world->settling) return;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        if (body->active == 0 || body->hold-- > 0) continue;
        body->hold = 0;
        while (body->active > 0 && oscillation(g, k, body->active - 1) < g->world->def.sleep_energy)
        {
            body->now.rate[--body->active] = 0;
            g->cluster->stats.put_to_sleep++;
        }
        const double* motion = body->shape->contact->motion;
        while (body->bent > body->active && fabs(body->now.q[body->bent - 1]) * motion[body->bent - 1] < UNBENT)
            body->now.q[--body->bent] = 0;
    }
}
