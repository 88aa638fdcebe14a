// SPDX-License-Identifier: MIT
// From bodies, touches and joints to the group that a solver steps: velocities in the middle of the step, rows there, what
// contacts remember from its start.
#include "dynamics/group.h"

void* group_scratch(Group* g, size_t count, size_t size)
{
    void* memory = tw_arena_alloc(g->worker->arena, count + 1, size);
    if (!memory) g->no_memory = true;
    return memory;
}

// ---- from bodies and touches to the solver's group ----

static int size_of(const Body* body) { return (body->held ? 0 : 6) + body->active; }

static twMat3 turned(twMat3 inertia, twQuat turn)
{
    twMat3 r = tw_mat3_from_quat(turn);
    return tw_mat3_mul(tw_mat3_mul(r, inertia), tw_mat3_transpose(r));
}

static void set_body(Group* g, int k, int first, double* velocity, double* free)
{
    int index = g->bodies[k], rigid;
    Body* body = g->world->bodies + index;
    body_prepare(body, g->h);
    rigid = body->held ? 0 : 6;
    g->solve_bodies[k] = (SolveBody){.first = first,
                                     .count = size_of(body),
                                     .held = body->held,
                                     .mass = body->shape->mass.mass,
                                     .inertia = turned(body->shape->mass.inertia, body->middle.turn),
                                     .mode_mass = body->mass};
    body->slot = k;
    if (!body->held)
    {
        twVec3 spin = tw_quat_rotate(body->middle.turn, body->middle.spin);
        group_put_vec(velocity, body->middle.velocity);
        group_put_vec(velocity + 3, spin);
        group_put_vec(free, tw_vec3_add_scaled(body->middle.velocity, g->world->def.gravity, g->h));
        group_put_vec(free + 3, spin);
    }
    for (int j = 0; j < body->active; j++) velocity[rigid + j] = body->start.rate[j];
    if (body_is_shaken(body)) g->shakes[k] = group_scratch(g, (size_t)body->mode_count, sizeof(double));
    if (g->shakes[k]) body_shake(body, g->t, g->h, g->shakes[k]);
    double* modal = g->shakes[k];
    if (push_acts(g, index))
    {
        modal = group_scratch(g, (size_t)body->mode_count, sizeof *modal);
        for (int j = 0; modal && g->shakes[k] && j < body->mode_count; j++) modal[j] = g->shakes[k][j];
        if (modal) push_add(g, index, free, modal);
    }
    body_free_modes(body, &body->start, modal, free + rigid);
}

static bool set_bodies(Group* g)
{
    int size = 0;
    for (int k = 0; k < g->body_count; k++) size += size_of(g->world->bodies + g->bodies[k]);
    g->solve_bodies = group_scratch(g, (size_t)g->body_count, sizeof *g->solve_bodies);
    g->velocity = group_scratch(g, 3 * (size_t)size, sizeof *g->velocity);
    g->shakes = group_scratch(g, (size_t)g->body_count, sizeof *g->shakes);
    if (g->no_memory) return false;
    double* free = g->velocity + size;
    for (int k = 0, first = 0; k < g->body_count; k++)
    {
        set_body(g, k, first, g->velocity + first, free + first);
        first += size_of(g->world->bodies + g->bodies[k]);
    }
    g->solve = (SolveGroup){.step = g->h,
                            .body_count = g->body_count,
                            .size = size,
                            .bodies = g->solve_bodies,
                            .velocity = g->velocity,
                            .free = free,
                            .result = free + size};
    return true;
}

// what a contact remembers at the start of the step, which may lie within its last one
static SolveMemory start_memory(const Link* link, const Slot* slot, double t, double h)
{
    SolveMemory m = slot->memory;
    double s = link->to > link->from ? (t - link->from) / (link->to - link->from) : 1;
    if (s < 1)
    {
        s = s > 0 ? s : 0;
        const SolveMemory* b = &slot->before;
        m.compression = b->compression + s * (m.compression - b->compression);
        m.branch = b->branch + s * (m.branch - b->branch);
        for (int q = 0; q < 2; q++) m.bristle[q] = b->bristle[q] + s * (m.bristle[q] - b->bristle[q]);
    }
    double scale = slot->h > 0 ? h / slot->h : 1;
    for (int q = 0; q < 3; q++)
    {
        m.impulse[q] *= scale;
        m.before[q] *= scale;
        m.spread[q] *= scale;
    }
    return m;
}

bool group_set_side(Group* g, const Touch* touch, int side, SolveContact* contact)
{
    int index = touch->body[side];
    Body* body = g->world->bodies + index;
    BodyState still;
    BodyPlace place = world_place(g->world, index, g->t + 0.5 * g->h, &still);
    contact->body[side] = -1;
    if (body->kind == TW_BODY_MOVED)
    {
        // the way its frame is led
        twVec3 v = tw_vec3_add(place.velocity, tw_vec3_cross(place.spin, tw_vec3_sub(touch->point, place.position)));
        const twVec3 axes[3] = {touch->normal, touch->tangent[0], touch->tangent[1]};
        for (int q = 0; q < 3; q++) contact->wall[q] += (side == 0 ? 1 : -1) * tw_vec3_dot(axes[q], v);
    }
    if (!body->dynamic || size_of(body) == 0) return true;
    int size = size_of(body), rigid = body->held ? 0 : 6;
    place.mode_count = body->active;
    double* rows = group_scratch(g, 3 * (size_t)size, sizeof *rows);
    if (!rows) return false;
    tw_touch_rows(rows, touch, side, &place, body->held);
    for (int q = 0; q < 3; q++)
        for (int j = 0; j < body->active; j++) rows[q * size + rigid + j] *= body->stretch[j];
    contact->row[side] = rows;
    contact->body[side] = body->slot;
    return true;
}

static bool set_touches(Group* g)
{
    for (int l = 0; l < g->link_count; l++)
    {
        const GroupLink* link = g->links + l;
        for (int i = 0; i < link->count; i++)
        {
            int k = link->first + i, slot = link->slot[i];
            const Touch* touch = g->touches + k;
            SolveContact* c = g->contacts + k;
            g->start[k] = slot >= 0 ? start_memory(link->link, link->link->slots + slot, g->t, g->h) : (SolveMemory){0};
            g->memory[k] = g->start[k];
            *c = (SolveContact){.body = {-1, -1}, .gap = touch->gap, .law = &link->link->law, .memory = &g->memory[k]};
            if (!group_set_side(g, touch, 0, c) || !group_set_side(g, touch, 1, c)) return false;
        }
    }
    return true;
}

// ---- joints ----

static bool set_joint_side(Group* g, const WorldJoint* joint, int side, JointSides* out)
{
    int index = joint->body[side];
    out->place[side] = NULL;
    out->held[side] = true;
    out->row[side] = NULL;
    if (index < 0) return true;
    Body* body = g->world->bodies + index;
    out->at[side] = world_place(g->world, index, g->t + 0.5 * g->h, &out->state[side]);
    out->place[side] = &out->at[side];
    // one that is set aside while others settle holds like the world
    out->bent[side] = out->at[side].mode_count;
    out->at[side].mode_count = body->dynamic ? body->active : 0;
    out->held[side] = body->held || !body->dynamic;
    if (!body->dynamic || size_of(body) == 0) return true;
    out->row[side] = group_scratch(g, 3 * (size_t)size_of(body), sizeof(double));
    return out->row[side] != NULL;
}

static void set_grab(Group* g, const WorldJoint* joint, const JointSides* sides, SolveContact* c, SolveBond* bond)
{
    GrabStep step = {.t = g->t, .h = g->h};
    BodyPlace at[2];
    for (int side = 0; side < 2; side++)
    {
        step.held[side] = sides->held[side];
        step.row[side] = sides->row[side];
        if (!sides->place[side]) continue;
        at[side] = *sides->place[side];
        step.awake[side] = at[side].mode_count;
        at[side].mode_count = sides->bent[side];
        step.place[side] = &at[side];
    }
    grab_block(joint->grab, &step, c->offset, c->wall, bond);
}

static bool set_block(Group* g, WorldJoint* joint, int block, int k)
{
    JointSides sides;
    if (!set_joint_side(g, joint, 0, &sides) || !set_joint_side(g, joint, 1, &sides)) return false;
    SolveContact* c = g->contacts + k;
    SolveBond* bond = group_scratch(g, 1, sizeof *bond);
    if (!bond) return false;
    *c = (SolveContact){.body = {-1, -1}, .bond = bond, .memory = &g->memory[k]};
    if (joint->grab)
        set_grab(g, joint, &sides, c, bond);
    else
        tw_joint_block(&joint->joint, block, g->h, sides.place, sides.held, sides.row, c->offset, c->wall, bond);
    for (int q = 0; q < 3; q++)
        if (!joint->grab && bond->stiff[q] && !(bond->stiffness[q] > 0 && bond->stiffness[q] < joint->stiffness[block]))
            bond->stiffness[q] = joint->stiffness[block];
    for (int side = 0; side < 2; side++)
    {
        if (!sides.row[side]) continue;
        const Body* body = g->world->bodies + joint->body[side];
        int size = size_of(body), rigid = body->held ? 0 : 6;
        for (int q = 0; q < 3; q++)
            for (int j = 0; j < body->active; j++) sides.row[side][q * size + rigid + j] *= body->stretch[j];
        c->row[side] = sides.row[side];
        c->body[side] = body->slot;
    }
    double scale = joint->h > 0 ? g->h / joint->h : 1;
    g->start[k] = joint->memory[block];
    if (g->t < joint->to && joint->h > 0)
    {
        // its bodies went back in time
        double back = fmin((joint->to - g->t) / joint->h, 1);
        g->start[k].stored += back * (joint->stored[block] - g->start[k].stored);
    }
    for (int q = 0; q < 3; q++)
    {
        g->start[k].impulse[q] *= scale;
        g->start[k].before[q] *= scale;
    }
    g->memory[k] = g->start[k];
    return true;
}

static bool set_joints(Group* g)
{
    int k = g->touch_count;
    for (int i = 0; i < g->joint_count; i++)
    {
        WorldJoint* joint = g->world->joints + g->joints[i];
        for (int block = 0; block < world_joint_blocks(joint); block++)
            if (!set_block(g, joint, block, k++)) return false;
    }
    if (!g->world->settling) budget_joints(g);
    return true;
}

static bool set_contacts(Group* g)
{
    int count = g->touch_count;
    for (int i = 0; i < g->joint_count; i++) count += world_joint_blocks(g->world->joints + g->joints[i]);
    g->rolling_first = count;
    count += rolling_count(g);
    g->contacts = group_scratch(g, (size_t)count, sizeof *g->contacts);
    g->memory = group_scratch(g, (size_t)count, sizeof *g->memory);
    g->start = group_scratch(g, (size_t)count, sizeof *g->start);
    g->solve.impulse = group_scratch(g, 3 * (size_t)count, sizeof(double));
    g->solve.spent = group_scratch(g, (size_t)count, sizeof *g->solve.spent);
    g->spare = group_scratch(g, (size_t)(count - g->touch_count), sizeof(double));
    if (g->no_memory || !set_touches(g) || !set_joints(g) || !rolling_add(g, g->rolling_first)) return false;
    g->solve.contacts = g->contacts;
    g->solve.contact_count = count;
    return true;
}

bool group_build(Group* g) { return !g->no_memory && push_list(g) && set_bodies(g) && set_contacts(g); }
