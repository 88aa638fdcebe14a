// SPDX-License-Identifier: MIT
// One step of bodies that touch (algorithm 2 of Zheng and James 2011): solve, see which modes are excited, solve again with these,
// and make it so.
#include "dynamics/group.h"

#define SHORTEST 2e-5  // [s]: a step that cannot be solved is made shorter down to this
#define HARD 12        // iterations: a longer step of a large group would likely fail

// ---- energy ----

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

static double stored_energy(const Group* g, const SolveMemory* memory)
{
    double sum = 0;
    for (int k = g->touch_count; k < g->solve.contact_count; k++) sum += memory[k].stored;
    for (int l = 0; l < g->link_count; l++)
        for (int i = 0; i < g->links[l].count; i++)
            sum += contact_energy(g->links[l].link, memory + g->links[l].first + i);
    return sum;
}

// rate of a row by the bodies' own motion, mean of the step
static double row_rate(const Group* g, const SolveContact* c, int q)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
    {
        if (c->body[side] < 0) continue;
        const SolveBody* b = g->solve_bodies + c->body[side];
        for (int i = 0; i < b->count; i++)
            sum += c->row[side][q * b->count + i] * (g->solve.velocity[b->first + i] + g->solve.result[b->first + i]);
    }
    return 0.5 * sum;
}

// work that the acceleration of moved frames does on modes
static double shake_work(const Group* g)
{
    double work = 0;
    for (int k = 0; k < g->body_count; k++)
    {
        const Body* body = g->world->bodies + g->bodies[k];
        const double* force = g->shakes[k];
        int first = g->solve_bodies[k].first;
        const double *v0 = g->solve.velocity + first, *v1 = g->solve.result + first;
        for (int j = 0; force && j < body->active; j++)
            work += 0.5 * body->stretch[j] * g->h * force[j] * (v0[j] + v1[j]);
    }
    return work;
}

// work of moved bodies, motors and pushes; of a motor at the speed it has, not at the one it is to have
static double work_of(Group* g)
{
    double work = push_work(g) + shake_work(g) + g->budget_work + g->rod_work;
    for (int k = 0; k < g->solve.contact_count; k++)
        for (int q = 0; q < 3; q++)
        {
            const SolveContact* c = g->contacts + k;
            bool motor = c->bond && c->bond->limit[q] > 0 && k < g->rolling_first;
            work += g->solve.impulse[3 * k + q] * (motor ? row_rate(g, c, q) : -c->wall[q]);
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
        velocity = group_get_vec(v);
        spin = tw_quat_rotate(tw_quat_conj(body->middle.turn), group_get_vec(v + 3));
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

// speed at which a contact closes at the start of the step
static double closing_speed(const Group* g, int k)
{
    const SolveContact* c = g->contacts + k;
    double u = c->wall[0];
    for (int side = 0; side < 2; side++)
    {
        if (c->body[side] < 0) continue;
        const SolveBody* body = g->solve_bodies + c->body[side];
        for (int i = 0; i < body->count; i++) u += c->row[side][i] * g->solve.velocity[body->first + i];
    }
    return -u;
}

static void finish_link(Group* g, const GroupLink* kept)
{
    Link* link = kept->link;
    Slot* slots = group_scratch(g, (size_t)kept->count, sizeof *slots);
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
        if (!(g->start[k].compression > 0))
        {
            slots[i].impact_speed = closing_speed(g, k);
            slots[i].impact_time = gather_impact_time(g, link, fmax(slots[i].impact_speed, IMPACT_SPEED));
        }
        slots[i].force = group_force(g, k);
        record_force(g->cluster, slots + i, g->t, slots[i].force);
    }
    for (int i = 0; i < link->count; i++)
        if (!stays[i])
        {
            record_force(g->cluster, link->slots + i, g->t, tw_vec3(0, 0, 0));
            account_lose(g, NULL, TW_LOSS_ENDED, contact_energy(link, &link->slots[i].memory));
        }
    memcpy(link->slots, slots, (size_t)kept->count * sizeof *slots);
    link->count = kept->count;
    link->from = g->t;
    link->to = g->t + g->h;
}

static void finish_joints(Group* g)
{
    int k = g->touch_count;
    for (int i = 0; i < g->joint_count; i++)
    {
        WorldJoint* joint = g->world->joints + g->joints[i];
        joint->h = g->h;
        joint->to = g->t + g->h;
        if (joint->grab) grab_finish(g, joint, k);
        for (int block = 0; block < world_joint_blocks(joint); block++, k++)
        {
            g->memory[k].stored += g->spare[k - g->touch_count];
            joint->stored[block] = g->start[k].stored;
            joint->memory[block] = g->memory[k];
        }
    }
}

static void count_step(Group* g)
{
    twWorldStats* s = &g->cluster->stats;
    s->body_steps += g->body_count;
    s->step_bins[step_bin(g->h)]++;
    for (int k = 0; k < g->body_count; k++) s->rollbacks += g->world->bodies[g->bodies[k]].now.time > g->t;
    if (g->touch_count + g->joint_count == 0)
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

void group_finish(Group* g)
{
    count_step(g);
    account_go_back(g);
    double before = energy_of(g, false) + stored_energy(g, g->start), work = work_of(g);
    bool touched = g->solve.contact_count > 0;
    for (int k = 0; k < g->body_count; k++) touched = touched || push_acts(g, g->bodies[k]);
    for (int k = 0; k < g->body_count; k++) finish_body(g, k, touched);
    for (int l = 0; l < g->link_count; l++) finish_link(g, g->links + l);
    finish_joints(g);
    double rise = energy_of(g, true) + stored_energy(g, g->memory) - before - work;
    if (rise - rise == 0) account_step(g, work, -rise);  // else bodies are about to be lost
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
    Solver** solver = g->worker->solver ? &g->worker->solver : g->world->solvers + least;
    if (g->worker->solver) solve_forget(g->worker->solver);
    if (!*solver)
    {
        SolveOptions options = world_solve_options(&g->world->def);
        *solver = solve_create(&options);
    }
    return *solver;
}

// Friction is left out where nothing slides or rubs (section 4.1 of Zheng and James 2011, equations 10 and 11).
static void cull_friction(Group* g)
{
    const twWorldDef* def = &g->world->def;
    if (def->no_friction_culling || g->touch_count == 0) return;
    double slip = 0, rub = 0;
    for (int k = 0; k < g->touch_count; k++)
    {
        const SolveContact* c = g->contacts + k;
        double u[3] = {0, c->wall[1], c->wall[2]};
        for (int side = 0; side < 2; side++)
        {
            if (c->body[side] < 0) continue;
            const SolveBody* b = g->solve_bodies + c->body[side];
            for (int q = 1; q < 3; q++)
                for (int i = 0; i < b->count; i++) u[q] += c->row[side][q * b->count + i] * g->solve.free[b->first + i];
        }
        slip += hypot(u[1], u[2]);
        rub += hypot(g->start[k].impulse[1], g->start[k].impulse[2]);
        if (slip >= def->cull_speed || rub >= def->cull_impulse) return;
    }
    g->solve.frictionless = true;
    g->cluster->stats.culled++;
}

static void solve(Group* g)
{
    if (g->solve.contact_count == 0)
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
    g->failed = solve_stats(solver)->failures > failures;
    iterations = solve_stats(solver)->iterations - iterations;
    g->cluster->stats.iterations += iterations;
    g->cluster->stats.iteration_bins[iterations < TW_ITERATION_BINS ? iterations : TW_ITERATION_BINS - 1]++;
    g->hard = g->solve.quick && iterations > HARD;
}

GroupOutcome group_step(Group* g, bool last)
{
    if (!group_build(g)) return GROUP_NO_MEMORY;
    cull_friction(g);
    const bool can_shorten = !last && g->h > SHORTEST && !g->world->def.no_private_clocks && !g->world->settling;
    g->solve.quick = can_shorten && g->touch_count > LARGE_GROUP;
    solve(g);
    if (g->failed && can_shorten) return GROUP_SHORTER;
    if (!last && adapt_wake(g)) return GROUP_AGAIN;
    g->cluster->stats.failures += g->failed;
    group_finish(g);
    adapt_sleep(g);
    return GROUP_DONE;
}
