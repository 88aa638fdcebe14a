// SPDX-License-Identifier: MIT
// One step of bodies that touch (algorithm 2 of Zheng and James 2011): solve, see which modes are excited, solve again with these,
// and make it so.
#include "dynamics/group.h"
#include "dynamics/law.h"

static void* scratch(Group* g, size_t count, size_t size)
{
    void* memory = tw_arena_alloc(g->worker->arena, count + 1, size);
    if (!memory) g->no_memory = true;
    return memory;
}

// ---- from bodies and touches to the solver's group ----

static int size_of(const Body* body) { return (body->held ? 0 : 6) + body->active; }

static void put_vec(double* out, twVec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static twVec3 get_vec(const double* v) { return tw_vec3(v[0], v[1], v[2]); }

static twMat3 turned(twMat3 inertia, twQuat turn)
{
    twMat3 r = tw_mat3_from_quat(turn);
    return tw_mat3_mul(tw_mat3_mul(r, inertia), tw_mat3_transpose(r));
}

// forces from outside, to the free velocities
static void add_pushes(Group* g, int index, double* free, double* modal)
{
    const Body* body = g->world->bodies + index;
    double middle = g->t + 0.5 * g->h;
    for (int i = 0; i < g->world->def.push_count; i++)
    {
        const twPushDef* push = g->world->def.pushes + i;
        if (push->body != index || !(middle >= push->begin && middle < push->end)) continue;
        twVec3 f = push->force(middle, push->context), arm = {0, 0, 0};
        BodyPlace place = body_place(body, index, &body->middle);
        twVec3 local = tw_quat_rotate(tw_quat_conj(place.turn), f);
        if (push->vertex >= 0)
        {
            twVec3 at = tw_vec3_add(place.shape->vertices[push->vertex], tw_place_bend(&place, push->vertex));
            arm = at;
            const float* u = place.shape->shape + 3 * (size_t)place.shape->mode_count * (size_t)push->vertex;
            for (int j = 0; j < body->active; j++)
                modal[j] += u[j] * local.x + u[place.shape->mode_count + j] * local.y +
                            u[2 * place.shape->mode_count + j] * local.z;
        }
        if (body->held) continue;
        twVec3 spin = tw_mat3_mul_vec(body->shape->inverse_inertia, tw_vec3_cross(arm, local));
        spin = tw_quat_rotate(place.turn, spin);
        put_vec(free, tw_vec3_add_scaled(get_vec(free), f, g->h / body->shape->mass.mass));
        put_vec(free + 3, tw_vec3_add_scaled(get_vec(free + 3), spin, g->h));
    }
}

bool group_is_pushed(const Group* g, int index)
{
    double middle = g->t + 0.5 * g->h;
    for (int i = 0; i < g->world->def.push_count; i++)
    {
        const twPushDef* push = g->world->def.pushes + i;
        if (push->body == index && middle >= push->begin && middle < push->end) return true;
    }
    return false;
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
        put_vec(velocity, body->middle.velocity);
        put_vec(velocity + 3, spin);
        put_vec(free, tw_vec3_add_scaled(body->middle.velocity, g->world->def.gravity, g->h));
        put_vec(free + 3, spin);
    }
    for (int j = 0; j < body->active; j++) velocity[rigid + j] = body->start.rate[j];
    double* modal = NULL;
    if (group_is_pushed(g, index))
    {
        modal = scratch(g, (size_t)body->active, sizeof *modal);
        if (modal) add_pushes(g, index, free, modal);
    }
    body_free_modes(body, &body->start, modal, free + rigid);
}

static bool set_bodies(Group* g)
{
    int size = 0;
    for (int k = 0; k < g->body_count; k++) size += size_of(g->world->bodies + g->bodies[k]);
    g->solve_bodies = scratch(g, (size_t)g->body_count, sizeof *g->solve_bodies);
    g->velocity = scratch(g, 3 * (size_t)size, sizeof *g->velocity);
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

static bool set_side(Group* g, const Touch* touch, int side, SolveContact* contact)
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
    double* rows = scratch(g, 3 * (size_t)size, sizeof *rows);
    if (!rows) return false;
    tw_touch_rows(rows, touch, side, &place, body->held);
    for (int q = 0; q < 3; q++)
        for (int j = 0; j < body->active; j++) rows[q * size + rigid + j] *= body->stretch[j];
    contact->row[side] = rows;
    contact->body[side] = body->slot;
    return true;
}

static bool set_contacts(Group* g)
{
    g->contacts = scratch(g, (size_t)g->touch_count, sizeof *g->contacts);
    g->memory = scratch(g, (size_t)g->touch_count, sizeof *g->memory);
    g->start = scratch(g, (size_t)g->touch_count, sizeof *g->start);
    g->solve.impulse = scratch(g, 3 * (size_t)g->touch_count, sizeof(double));
    if (g->no_memory) return false;
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
            if (!set_side(g, touch, 0, c) || !set_side(g, touch, 1, c)) return false;
        }
    }
    g->solve.contacts = g->contacts;
    g->solve.contact_count = g->touch_count;
    return true;
}

// ---- energy ----

static double stored(const Link* link, const SolveMemory* memory)
{
    LawStep step = {.impact = link->law.impact, .kt = link->law.bristle_stiffness};
    return law_energy(&step, memory->compression, memory->bristle);
}

static double energy_of(const Group* g, bool end)
{
    double sum = 0;
    for (int k = 0; k < g->body_count; k++)
    {
        const Body* body = g->world->bodies + g->bodies[k];
        const BodyState* state = end ? &body->now : &body->start;
        sum += body_kinetic(body, state) + body_modal(body, state);
        if (!body->held)
            sum -= body->shape->mass.mass *
                   tw_vec3_dot(g->world->def.gravity, tw_vec3_sub(state->position, body->start.position));
    }
    return sum;
}

static double contact_energy(const Group* g, const SolveMemory* memory)
{
    double sum = 0;
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count; i++) sum += stored(g->links[l].link, memory + g->links[l].first + i);
    return sum;
}

// work of moved bodies and pushes
static double work_of(const Group* g)
{
    double work = 0;
    for (int k = 0; k < g->touch_count; k++)
        for (int q = 0; q < 3; q++) work -= g->solve.impulse[3 * k + q] * g->contacts[k].wall[q];
    for (int k = 0; k < g->body_count; k++)
    {
        int index = g->bodies[k];
        if (!group_is_pushed(g, index)) continue;
        const Body* body = g->world->bodies + index;
        const SolveBody* b = g->solve_bodies + k;
        int rigid = b->held ? 0 : 6;
        const double *v0 = g->solve.velocity + b->first, *v1 = g->solve.result + b->first;
        double* free = scratch((Group*)g, 6, sizeof(double));
        double* modal = scratch((Group*)g, (size_t)body->active, sizeof(double));
        if (!free || !modal) continue;
        add_pushes((Group*)g, index, free, modal);
        for (int i = 0; i < 3 && rigid; i++) work += 0.5 * b->mass * free[i] * (v0[i] + v1[i]);
        if (rigid)
        {
            twVec3 l = tw_mat3_mul_vec(b->inertia, get_vec(free + 3));
            work += 0.5 * tw_vec3_dot(l, tw_vec3_add(get_vec(v0 + 3), get_vec(v1 + 3)));
        }
        for (int j = 0; j < body->active; j++)
            work += 0.5 * body->stretch[j] * g->h * modal[j] * (v0[rigid + j] + v1[rigid + j]);
    }
    return work;
}

// ---- making it so ----

static void finish_body(Group* g, int k, bool touched)
{
    Body* body = g->world->bodies + g->bodies[k];
    const SolveBody* b = g->solve_bodies + k;
    const double* v = g->solve.result + b->first;
    twVec3 velocity = body->middle.velocity, spin = body->middle.spin;
    if (!b->held)
    {
        velocity = get_vec(v);
        spin = tw_quat_rotate(tw_quat_conj(body->middle.turn), get_vec(v + 3));
    }
    body_finish(body, &body->start, &body->middle, velocity, spin, v + (b->held ? 0 : 6), g->h, &body->now);
    body->now.time = g->t + g->h;
    body_copy(&body->before, &body->start, body->mode_count);
    body->mates = g->stamp;
    body->touched = touched;
}

twVec3 group_force(const Group* g, int k)
{
    const double* p = g->solve.impulse + 3 * k;
    const Touch* t = g->touches + k;
    twVec3 f = tw_vec3_scale(t->normal, p[0]);
    f = tw_vec3_add_scaled(tw_vec3_add_scaled(f, t->tangent[0], p[1]), t->tangent[1], p[2]);
    return tw_vec3_scale(f, 1 / g->h);
}

static double impact_length(const Group* g, const Link* link, int k)
{
    // of what is beginning: from the speed at which it closes
    const SolveContact* c = g->contacts + k;
    double u = 0, inverse = 0;
    for (int side = 0; side < 2; side++)
    {
        int b = c->body[side];
        if (b < 0) continue;
        const SolveBody* body = g->solve_bodies + b;
        for (int i = 0; i < body->count; i++) u += c->row[side][i] * g->solve.velocity[body->first + i];
        if (!body->held) inverse += 1 / body->mass;
    }
    u += c->wall[0];
    if (!(-u > REST_SPEED) || !(inverse > 0)) return 0;
    double a = link->law.impact.exponent;
    return 3 * pow((a + 1) * u * u / (2 * link->law.impact.stiffness * inverse), 1 / (a + 1)) / -u;
}

static void finish_link(Group* g, const GroupLink* kept)
{
    Link* link = kept->link;
    Slot* slots = scratch(g, (size_t)kept->count, sizeof *slots);
    if (!slots) return;
    bool stays[LINK_SLOTS] = {0};
    for (int i = 0; i < kept->count; i++)
    {
        int k = kept->first + i, old = kept->slot[i];
        if (old >= 0) slots[i] = link->slots[old];
        if (old >= 0) stays[old] = true;
        slots[i].id = g->touches[k].id;
        slots[i].touch = g->touches[k];
        slots[i].before = g->start[k];
        slots[i].memory = g->memory[k];
        slots[i].h = g->h;
        if (!(g->start[k].compression > 0)) slots[i].impact_time = impact_length(g, link, k);
        slots[i].force = group_force(g, k);
        record_force(g->cluster, slots + i, g->t, slots[i].force);
    }
    for (int i = 0; i < link->count; i++)
        if (!stays[i]) record_force(g->cluster, link->slots + i, g->t, tw_vec3(0, 0, 0));
    memcpy(link->slots, slots, (size_t)kept->count * sizeof *slots);
    link->count = kept->count;
    link->from = g->t;
    link->to = g->t + g->h;
}

static void count_step(Group* g)
{
    twWorldStats* s = &g->cluster->stats;
    s->body_steps += g->body_count;
    s->step_bins[step_bin(g->h)]++;
    for (int k = 0; k < g->body_count; k++) s->rollbacks += g->world->bodies[g->bodies[k]].now.time > g->t;
    if (g->touch_count == 0)
    {
        s->free_steps++;
        return;
    }
    s->steps++;
    s->contacts += g->touch_count;
    s->unknowns += g->solve.size;
    if (g->touch_count > s->contacts_max) s->contacts_max = g->touch_count;
    if (g->solve.size > s->unknowns_max) s->unknowns_max = g->solve.size;
}

static void finish(Group* g)
{
    count_step(g);
    double before = energy_of(g, false) + contact_energy(g, g->start), work = work_of(g);
    bool touched = g->touch_count > 0;
    for (int k = 0; k < g->body_count; k++) touched = touched || group_is_pushed(g, g->bodies[k]);
    for (int k = 0; k < g->body_count; k++) finish_body(g, k, touched);
    for (int l = 0; l < g->link_count; l++) finish_link(g, g->links + l);
    double rise = energy_of(g, true) + contact_energy(g, g->memory) - before - work;
    g->cluster->work += work;
    if (rise > 0)
    {
        g->cluster->largest_rise = fmax(g->cluster->largest_rise, rise);
        g->cluster->total_rise += rise;
    }
}

// ---- the step ----

static Solver* solver_of(Group* g)
{
    int least = g->bodies[0];
    for (int k = 1; k < g->body_count; k++)
        if (g->bodies[k] < least) least = g->bodies[k];
    Solver** solver = g->world->solvers + least;
    if (!*solver)
    {
        SolveOptions options = world_solve_options(&g->world->def);
        *solver = solve_create(&options);
    }
    return *solver;
}

static void solve(Group* g)
{
    if (g->touch_count == 0)
    {
        memcpy(g->solve.result, g->solve.free, (size_t)g->solve.size * sizeof(double));
        return;
    }
    Solver* solver = solver_of(g);
    if (!solver)
    {
        g->no_memory = true;
        memcpy(g->solve.result, g->solve.free, (size_t)g->solve.size * sizeof(double));
        return;
    }
    int64_t failures = solve_stats(solver)->failures, iterations = solve_stats(solver)->iterations;
    double begin = tw_seconds();
    solve_step(solver, &g->solve);
    g->cluster->stats.solve_seconds += tw_seconds() - begin;
    g->cluster->stats.failures += solve_stats(solver)->failures - failures;
    g->cluster->stats.iterations += solve_stats(solver)->iterations - iterations;
}

GroupOutcome group_step(Group* g, bool last)
{
    if (g->no_memory || !set_bodies(g) || !set_contacts(g)) return GROUP_NO_MEMORY;
    solve(g);
    if (adapt_wake(g) && !last) return GROUP_AGAIN;
    finish(g);
    adapt_sleep(g);
    return GROUP_DONE;
}
