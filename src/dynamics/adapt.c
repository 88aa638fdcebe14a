// SPDX-License-Identifier: MIT
// Which modes are awake (section 4.1 of Zheng and James 2011). A mode wakes when the change of its force, |U_j.(F - F_before)|,
// reaches wake_force; the highest modes sleep while (q'^2 + w^2 q^2)/2 is below sleep_energy. Sleeping only takes energy away.
#include "dynamics/group.h"

// change of the modal forces of one body, of the modes asleep
static void add_change(const Body* body, const Touch* touch, int side, twVec3 change, double* out)
{
    const ContactShape* shape = body->shape->contact;
    size_t n = (size_t)shape->mode_count;
    twVec3 f = tw_quat_rotate(tw_quat_conj(body->middle.turn), side == 0 ? change : tw_vec3_scale(change, -1));
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

static int wanted_modes(Group* g, int index)
{
    Body* body = g->world->bodies + index;
    double* change = tw_arena_alloc(g->worker->arena, (size_t)body->mode_count, sizeof *change);
    if (!change) return body->active;
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count; i++)
        {
            int k = g->links[l].first + i, slot = g->links[l].slot[i];
            const Touch* touch = g->touches + k;
            if (touch->body[0] != index && touch->body[1] != index) continue;
            twVec3 f = group_force(g, k);
            if (slot >= 0) f = tw_vec3_sub(f, g->links[l].link->slots[slot].force);
            add_change(body, touch, touch->body[0] == index ? 0 : 1, f, change);
        }
    int wanted = body->mode_count;
    while (wanted > body->active && !(fabs(change[wanted - 1]) >= g->world->def.wake_force)) wanted--;
    return wanted;
}

bool adapt_wake(Group* g)
{
    if (g->world->def.no_mode_adaptation) return false;
    bool woken = false;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        if (body->active == body->mode_count) continue;
        int wanted = push_acts(g, g->bodies[k]) ? body->mode_count
                     : g->touch_count > 0       ? wanted_modes(g, g->bodies[k])
                                                : body->active;
        if (wanted == body->active) continue;
        g->cluster->stats.woken += wanted - body->active;
        body->active = wanted;
        body->hold = WAKE_HOLD;
        woken = true;
    }
    return woken;
}

void adapt_sleep(Group* g)
{
    if (g->world->def.no_mode_adaptation) return;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        if (body->active == 0 || body->hold-- > 0) continue;
        body->hold = 0;
        while (body->active > 0)
        {
            int j = body->active - 1;
            double w = 2 * TW_PI * body->shape->freq_hz[j] * body->now.q[j], v = body->now.rate[j];
            if (0.5 * (v * v + w * w) >= g->world->def.sleep_energy) break;
            body->now.q[j] = body->now.rate[j] = 0;
            body->active--;
            g->cluster->stats.put_to_sleep++;
        }
    }
}
