// SPDX-License-Identifier: MIT
// Rolling resistance: where a ball presses on something with N, turning against it about any direction across the normal is held up by a
// torque of at most rolling N, as if the force led the middle of the contact by that length. Each such contact gets a bond of two rows, along
// the turning and across it, that are motors of speed 0: p w <= 0, so energy only falls. N is that of the contact's last step.
#include "dynamics/group.h"

#define SLOW 1e-12  // [rad/s]: turning without a direction

// what the contact may hold [N m]; 0: nothing
static double limit_of(const Group* g, const GroupLink* link, int i)
{
    const Slot* slot = link->slot[i] >= 0 ? link->link->slots + link->slot[i] : NULL;
    if (!slot || !(slot->h > 0) || g->touches[link->first + i].vertex[0] >= 0) return 0;
    return slot->memory.compression > 0 ? link->link->rolling * slot->memory.impulse[0] / slot->h : 0;
}

int rolling_count(const Group* g)
{
    int count = 0;
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count && g->links[l].link->rolling > 0; i++)
            count += limit_of(g, g->links + l, i) > 0;
    return count;
}

static int size_of(const Body* body) { return (body->held ? 0 : 6) + body->active; }

// rows of one side along both axes; of what does not turn by itself: its part of the prescribed rate
static bool set_side(Group* g, const Touch* touch, int side, const twVec3 axis[2], SolveContact* contact)
{
    const Body* body = g->world->bodies + touch->body[side];
    double sign = side == 0 ? 1 : -1;
    BodyState still;
    if (body->held)
    {
        twVec3 spin = world_place(g->world, touch->body[side], g->t + 0.5 * g->h, &still).spin;
        for (int q = 0; q < 2 && body->kind == TW_BODY_MOVED; q++)
            contact->wall[q] += sign * tw_vec3_dot(axis[q], spin);
        return true;
    }
    int size = size_of(body);
    double* rows = group_scratch(g, 3 * (size_t)size, sizeof *rows);
    if (!rows) return false;
    for (int q = 0; q < 2; q++) group_put_vec(rows + q * size + 3, tw_vec3_scale(axis[q], sign));
    contact->row[side] = rows;
    contact->body[side] = body->slot;
    return true;
}

static twVec3 spin_of(const Group* g, int index)
{
    BodyState still;
    return world_place(g->world, index, g->t + 0.5 * g->h, &still).spin;
}

static bool add(Group* g, const Touch* touch, double limit, int k)
{
    SolveBond* bond = group_scratch(g, 1, sizeof *bond);
    if (!bond) return false;
    twVec3 turning = tw_vec3_sub(spin_of(g, touch->body[0]), spin_of(g, touch->body[1]));
    turning = tw_vec3_add_scaled(turning, touch->normal, -tw_vec3_dot(turning, touch->normal));
    twVec3 axis[2] = {tw_vec3_norm(turning) > SLOW ? tw_vec3_normalize(turning) : touch->tangent[0]};
    axis[1] = tw_vec3_cross(touch->normal, axis[0]);
    *bond = (SolveBond){.limit = {limit, limit, 0}, .stiff = {true, true, false}};
    g->contacts[k] = (SolveContact){.body = {-1, -1}, .bond = bond, .memory = &g->memory[k]};
    return set_side(g, touch, 0, axis, g->contacts + k) && set_side(g, touch, 1, axis, g->contacts + k);
}

bool rolling_add(Group* g, int first)
{
    int k = first;
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count && g->links[l].link->rolling > 0; i++)
        {
            double limit = limit_of(g, g->links + l, i);
            if (limit > 0 && !add(g, g->touches + g->links[l].first + i, limit, k++)) return false;
        }
    return true;
}
