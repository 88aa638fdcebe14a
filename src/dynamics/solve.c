// SPDX-License-Identifier: MIT
// One step of a group: what all methods share. Prepares contacts, lets the method find impulses p, and then
//
//   v1 = v_free + M^-1 J^T p,   gain of a contact = V(x1) - V(x0) + k_t (z1^2 - z0^2)/2 + p.(u0 + u1)/2.
//
// With bodies and modes by the trapezoidal rule the energy of everything changes by the sum of the gains plus what forces and
// walls put in. By the law no contact gains; solve_guard.c sees to it that none does by round-off or failure.
#include "solver.h"
#include <limits.h>
#include <stdlib.h>

#define GAIN 1e-13  // of the energy, that a solved step may gain

SolveOptions solve_options(SolveMethod method)
{
    static const double tolerance[] = {1e-11, 1e-8, 1e-6};
    static const int iterations[] = {60, 2000, 100};
    return (SolveOptions){.method = method,
                          .tolerance = tolerance[method],
                          .max_iterations = iterations[method],
                          .rest_speed = 1.5e-3,
                          .wake_speed = 15e-3,
                          .drift_speed = 1e-3,
                          .resolved = solve_resolved(6.5),
                          .rest_damping = 0.5,
                          .warm_start = true,
                          .restitution = true,
                          .redistribute = true};
}

Solver* solve_create(const SolveOptions* options)
{
    Solver* s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->options = *options;
    s->kernel = tw_block_kernel(options->instructions);
    if (!s->kernel) s->kernel = tw_block_kernel(NULL);
    s->blocks.kernel = s->kernel;
    return s;
}

void solve_destroy(Solver* s)
{
    if (!s) return;
    block_free(&s->blocks);
    free(s->dense);
    free(s->memory);
    free(s);
}

const SolveStats* solve_stats(const Solver* s) { return &s->stats; }

// ---- memory ----

// the next n bytes of a block, or only their count if there is no block yet
static void* carve(char* block, size_t* used, size_t count, size_t size)
{
    void* at = block ? block + *used : NULL;
    *used += (count * size + 63) / 64 * 64;
    return at;
}

static size_t lay_out(Solver* s, char* block)
{
    size_t used = 0, bodies = (size_t)s->body_room, contacts = (size_t)s->contact_room, size = (size_t)s->size_room;
    double** vectors[] = {&s->mass_root, &s->inverse_root, &s->y, &s->y_free, &s->y_try, &s->y_keep,
                          &s->warm,      &s->inverse_mass, &s->g, &s->dy,     &s->v,     &s->out};
    s->root = carve(block, &used, bodies, sizeof *s->root);
    s->first = carve(block, &used, bodies, sizeof(int));
    s->size = carve(block, &used, bodies, sizeof(int));
    s->filled = carve(block, &used, bodies, sizeof(int));
    s->row_base = carve(block, &used, bodies, sizeof(size_t));
    s->marked = carve(block, &used, bodies, sizeof(bool));
    s->symmetric = carve(block, &used, bodies, sizeof(bool));
    s->swing = carve(block, &used, bodies, sizeof *s->swing);
    s->touch = carve(block, &used, contacts, sizeof *s->touch);
    s->bonds = carve(block, &used, contacts, sizeof *s->bonds);
    s->pair = carve(block, &used, contacts, sizeof *s->pair);
    s->row_counts = carve(block, &used, contacts, sizeof(int));
    s->order = carve(block, &used, contacts, sizeof(int));
    s->active = carve(block, &used, contacts, sizeof(int));
    s->active_row = carve(block, &used, contacts, sizeof(int));
    s->slope = carve(block, &used, contacts, sizeof *s->slope);
    s->dense_pivot = carve(block, &used, 3 * contacts, sizeof(int));
    s->near = carve(block, &used, 9 * contacts, sizeof(double));
    s->scratch = carve(block, &used, 9 * contacts, sizeof(double));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = carve(block, &used, size, sizeof(double));
    s->past = carve(block, &used, (2 * MIX_DEPTH + 2) * size, sizeof(double));
    s->rows = carve(block, &used, s->row_room, sizeof(double));
    s->weighted = carve(block, &used, s->row_room, sizeof(double));
    return used;
}

static size_t count_rows(const SolveGroup* group)
{
    size_t rows = 0;
    for (int i = 0; i < group->contact_count; i++)
        for (int side = 0; side < 2; side++)
        {
            int b = group->contacts[i].body[side];
            if (b >= 0) rows += 3 * (size_t)group->bodies[b].count;
        }
    return rows;
}

static int larger(int a, int b) { return a > b ? a : b; }

static bool solve_make_room(Solver* s)
{
    free(s->memory);
    solve_forget(s);
    s->memory = calloc(1, lay_out(s, NULL) + 64);
    if (s->memory)
        lay_out(s, s->memory);
    else
        s->body_room = s->contact_room = s->size_room = 0, s->row_room = 0;
    return s->memory != NULL;
}

bool solve_reserve(Solver* s, const SolveGroup* group)
{
    size_t rows = count_rows(group);
    if (s->memory && group->body_count <= s->body_room && group->contact_count <= s->contact_room &&
        group->size <= s->size_room && rows <= s->row_room)
        return true;
    s->body_room = larger(s->body_room, group->body_count);
    s->contact_room = larger(s->contact_room, group->contact_count + group->contact_count / 4);
    s->size_room = larger(s->size_room, group->size);
    s->row_room = rows + rows / 4 > s->row_room ? rows + rows / 4 : s->row_room;
    return solve_make_room(s);
}

// Contacts are factored instead of bodies only where that costs less: for fewer rows than all velocities and three bodies have.
bool solve_room(Solver* s, const SolveRoom* room)
{
    const int rows = 3 * room->contacts, most = room->size + 3 * room->largest;
    s->body_room = room->bodies;
    s->contact_room = room->contacts;
    s->size_room = room->size;
    s->row_room = 2 * (size_t)rows * (size_t)room->largest;
    return solve_make_room(s) && block_room(&s->blocks, room->bodies, room->size) &&
           solver_dense_room(s, (size_t)(rows < most ? rows : most));
}

void solve_forget(Solver* s)
{
    s->planned = s->factored = false;
    s->pair_count = -1;
}

// ---- mass ----

// L and L^-1 of a 3 x 3 matrix. @return false unless positive definite
static bool root_of(Root* root, const twMat3* a)
{
    *root = (Root){.turns = true};
    double(*l)[3] = root->low, (*m)[3] = root->inverse;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
        {
            double sum = a->m[i][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0 && sum <= DBL_MAX)) return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++)
        {
            double sum = i == j;
            for (int k = j; k < i; k++) sum -= l[i][k] * m[k][j];
            m[i][j] = sum / l[i][i];
        }
    return true;
}

static bool set_mass(Solver* s, int at, double mass)
{
    s->mass_root[at] = sqrt(mass);
    s->inverse_root[at] = 1 / s->mass_root[at];
    s->inverse_mass[at] = 1 / mass;
    return mass > 0 && mass <= DBL_MAX && s->inverse_root[at] <= DBL_MAX;
}

static bool prepare_bodies(Solver* s)
{
    bool fine = true, same = true;
    for (int b = 0; b < s->group->body_count; b++)
    {
        const SolveBody* body = s->group->bodies + b;
        int rigid = body->held ? 0 : 6;
        same = same && s->first[b] == body->first && s->size[b] == body->count;
        s->first[b] = body->first;
        s->size[b] = body->count;
        s->root[b].turns = false;
        if (!body->held) fine = root_of(&s->root[b], &body->inertia) && fine;
        for (int i = 0; i < rigid; i++) fine = set_mass(s, body->first + i, i < 3 ? body->mass : 1) && fine;
        for (int i = 3; i < rigid; i++) s->inverse_mass[body->first + i] = 0;
        for (int i = rigid; i < body->count; i++)
            fine = set_mass(s, body->first + i, body->mode_mass[i - rigid]) && fine;
    }
    if (!same || s->blocks.count != s->group->body_count) s->planned = s->factored = false;
    return fine;
}

void solver_to_velocity(const Solver* s, const double* y, double* v)
{
    for (int i = 0; i < s->group->size; i++) v[i] = y[i] * s->inverse_root[i];
    for (int b = 0; b < s->group->body_count; b++)
        if (s->root[b].turns)
        {
            double(*m)[3] = s->root[b].inverse;
            const double* from = y + s->first[b] + 3;
            double* to = v + s->first[b] + 3;
            for (int i = 0; i < 3; i++) to[i] = m[0][i] * from[0] + m[1][i] * from[1] + m[2][i] * from[2];
        }
}

void solver_to_scaled(const Solver* s, const double* v, double* y)
{
    for (int i = 0; i < s->group->size; i++) y[i] = v[i] * s->mass_root[i];
    for (int b = 0; b < s->group->body_count; b++)
        if (s->root[b].turns)
        {
            double(*l)[3] = s->root[b].low;
            const double* from = v + s->first[b] + 3;
            double* to = y + s->first[b] + 3;
            for (int i = 0; i < 3; i++) to[i] = l[0][i] * from[0] + l[1][i] * from[1] + l[2][i] * from[2];
        }
}

// L^-1 of an angular part
static void turn_force(const Root* root, const double from[3], double to[3])
{
    const double(*m)[3] = root->inverse;
    double f[3] = {from[0], from[1], from[2]};
    for (int i = 0; i < 3; i++) to[i] = m[i][0] * f[0] + m[i][1] * f[1] + m[i][2] * f[2];
}

void solver_force_to_scaled(const Solver* s, const double* force, double* y)
{
    for (int i = 0; i < s->group->size; i++) y[i] = force[i] * s->inverse_root[i];
    for (int b = 0; b < s->group->body_count; b++)
        if (s->root[b].turns) turn_force(&s->root[b], force + s->first[b] + 3, y + s->first[b] + 3);
}

double solver_norm(const Solver* s, const double* y)
{
    double sum = 0;
    for (int i = 0; i < s->group->size; i++) sum += y[i] * y[i];
    return sqrt(sum);
}

// ---- contacts ----

void solver_scaled_rows(const Solver* s, const Touch* t, int side, double* rows)
{
    int b = t->contact->body[side], n = s->size[b];
    const double *from = t->contact->row[side], *inverse = s->inverse_root + s->first[b];
    for (int q = 0; q < t->rows; q++)
    {
        for (int i = 0; i < n; i++) rows[q * n + i] = from[q * n + i] * inverse[i];
        if (s->root[b].turns) turn_force(&s->root[b], from + q * n + 3, rows + q * n + 3);
    }
}

double* solver_rows_of(const Solver* s, const Touch* t, int side)
{
    int b = t->contact->body[side];
    return s->rows + s->row_base[b] + (size_t)t->slot[side] * (size_t)s->size[b];
}

// where each body's rows begin, if all contacts were active
static void place_rows(Solver* s)
{
    const SolveGroup* group = s->group;
    memset(s->filled, 0, (size_t)group->body_count * sizeof(int));
    for (int i = 0; i < group->contact_count; i++)
        for (int side = 0; side < 2; side++)
            if (group->contacts[i].body[side] >= 0) s->filled[group->contacts[i].body[side]] += s->touch[i].rows;
    size_t next = 0;
    for (int b = 0; b < group->body_count; b++)
    {
        s->row_base[b] = next;
        next += (size_t)s->filled[b] * (size_t)s->size[b];
    }
}

void solver_all_rows(Solver* s)
{
    memset(s->filled, 0, (size_t)s->group->body_count * sizeof(int));
    memset(s->near, 0, (size_t)s->group->contact_count * 9 * sizeof(double));
    for (int i = 0; i < s->group->contact_count; i++)
        for (int side = 0; side < 2; side++)
        {
            Touch* t = s->touch + i;
            int b = t->contact->body[side];
            if (b < 0) continue;
            t->slot[side] = s->filled[b];
            s->filled[b] += t->rows;
            double *rows = solver_rows_of(s, t, side), *near = s->near + 9 * i;
            solver_scaled_rows(s, t, side, rows);
            if (t->rows == 1)
                near[0] += s->kernel->dot1(rows, s->size[b], rows);
            else
                s->kernel->gram3(rows, rows, s->size[b], (double(*)[3])near);
        }
}

void solver_relative(const Solver* s, const Touch* t, const double* v, double u[3])
{
    const SolveContact* c = t->contact;
    for (int q = 0; q < 3; q++) u[q] = c->wall[q];
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0) touch_dot(s, t, c->row[side], s->size[c->body[side]], v + s->first[c->body[side]], u);
}

// diagonal of J M^-1 J^T
static void own_mobility(const Solver* s, const Touch* t, double own[3])
{
    const SolveContact* c = t->contact;
    own[0] = own[1] = own[2] = 0;
    for (int side = 0; side < 2; side++)
    {
        int b = c->body[side];
        if (b < 0) continue;
        int n = s->size[b];
        if (t->rows == 1)
            own[0] += s->kernel->square1(c->row[side], n, s->inverse_mass + s->first[b]);
        else
            s->kernel->square3(c->row[side], n, s->inverse_mass + s->first[b], own);
        for (int q = 0; q < t->rows && s->root[b].turns; q++)
        {
            double turned[3];
            turn_force(&s->root[b], c->row[side] + (size_t)q * (size_t)n + 3, turned);
            own[q] += turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2];
        }
    }
}

// impulse to start from: along a straight line, if there is one
static void predict(const Touch* t, double p[3])
{
    const SolveMemory* memory = t->contact->memory;
    bool line = memory->closed_steps > 2 && (t->contact->bond || 2 * memory->impulse[0] > memory->before[0]);
    for (int q = 0; q < t->rows; q++) p[q] = line ? 2 * memory->impulse[q] - memory->before[q] : memory->impulse[q];
}

// rows are read once for all that is needed to begin with: velocity, mobility, and the push of the last impulse
static void prepare_touch(Solver* s, int i)
{
    const SolveContact* c = s->group->contacts + i;
    Touch* t = s->touch + i;
    *t = (Touch){.contact = c, .rows = s->row_counts[i]};
    own_mobility(s, t, t->own);
    t->step.h = s->group->step;
    t->step.bond = c->bond ? s->bonds + i : NULL;
    solver_relative(s, t, s->group->velocity, t->step.u0);  // friction depends on it
    if (c->bond)
        s->bonds[i] = law_bond(c->bond, c->offset, t->step.h, t->own);
    else
    {
        t->step.frictionless = s->group->frictionless;
        law_begin(&t->step, c->law, c->memory, c->gap == c->gap ? c->gap : DBL_MAX, 0.5 * (t->own[1] + t->own[2]));
    }
    if (!s->options.warm_start || !(c->bond || c->memory->impulse[0] > 0)) return;
    predict(t, t->end.p);
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0)
            touch_add(s, t, c->row[side], s->size[c->body[side]], t->end.p, s->warm + s->first[c->body[side]]);
}

static bool all_finite(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

// the group's shape: factors of another one are of no use
static void note_pairs(Solver* s)
{
    const SolveGroup* group = s->group;
    bool same = s->pair_count == group->contact_count;
    for (int i = 0; i < group->contact_count; i++)
    {
        int rows = group->frictionless && !group->contacts[i].bond ? 1 : 3;
        if (s->row_counts[i] != rows) s->factored = false;
        s->row_counts[i] = rows;
        for (int side = 0; side < 2; side++)
        {
            int b = group->contacts[i].body[side];
            same = same && s->pair[i][side] == b;
            s->pair[i][side] = b;
        }
    }
    s->pair_count = group->contact_count;
    if (same) return;
    s->planned = false;
    if (s->by_contacts) s->factored = false;
}

static bool prepare(Solver* s)
{
    const SolveGroup* group = s->group;
    if (!(group->step > 0 && group->step <= DBL_MAX) || !all_finite(group->velocity, group->size) ||
        !all_finite(group->free, group->size) || !prepare_bodies(s))
        return false;
    note_pairs(s);
    solver_to_scaled(s, group->free, s->y_free);
    bool fine = all_finite(s->y_free, group->size);
    s->settled = s->has_bonds = false;
    memset(s->warm, 0, (size_t)group->size * sizeof(double));
    for (int i = 0; i < group->contact_count; i++)
    {
        prepare_touch(s, i);
        s->has_bonds = s->has_bonds || group->contacts[i].bond;
        fine = fine && all_finite(s->touch[i].step.u0, 3) && all_finite(s->touch[i].own, 3) &&
               (!s->touch[i].step.bond || all_finite(s->bonds[i].z0, 3));
    }
    place_rows(s);
    return fine;
}

// ---- after the solve ----

void solver_apply(Solver* s, double* y)
{
    memset(s->out, 0, (size_t)s->group->size * sizeof(double));
    for (int i = 0; i < s->group->contact_count; i++)
    {
        const Touch* t = s->touch + i;
        if (!law_pushes(&t->end)) continue;
        for (int side = 0; side < 2; side++)
        {
            int b = t->contact->body[side];
            if (b >= 0) touch_add(s, t, t->contact->row[side], s->size[b], t->end.p, s->out + s->first[b]);
        }
    }
    solver_force_to_scaled(s, s->out, y);
    for (int i = 0; i < s->group->size; i++) y[i] += s->y_free[i];
}

// velocities at the end from the impulses
static void take_velocities(Solver* s)
{
    const SolveGroup* group = s->group;
    if (!s->settled) solver_apply(s, s->y);
    for (int i = 0; i < group->size; i++) s->g[i] = s->y[i] - s->y_free[i];
    solver_to_velocity(s, s->g, s->v);
    for (int i = 0; i < group->size; i++) group->result[i] = group->free[i] + s->v[i];
    // what bonds store is counted by the velocities that came out
    for (int i = 0; i < group->contact_count && (!s->settled || s->has_bonds); i++)
        if (!s->settled || s->touch[i].step.bond) solver_relative(s, s->touch + i, group->result, s->touch[i].u1);
}

static void remember(const Solver* s, const Touch* t)
{
    bool closed = t->contact->bond || (t->end.p[0] > 0 && (t->end.x1 > 0 || s->options.method != SOLVE_NEWTON));
    law_remember(t->contact->memory, &t->step, &t->end, t->u1, closed);
}

static bool finite_result(const Solver* s)
{
    bool fine = all_finite(s->group->result, s->group->size);
    for (int i = 0; i < s->group->contact_count; i++)
        fine = fine && all_finite(s->touch[i].end.p, 3) && s->touch[i].end.x1 - s->touch[i].end.x1 == 0 &&
               all_finite(s->touch[i].end.z1, 2);
    return fine;
}

// nothing touches: for groups that cannot be solved
static void move_free(const Solver* s)
{
    const SolveGroup* group = s->group;
    for (int i = 0; i < group->size; i++)
    {
        double v = group->free[i] - group->free[i] == 0 ? group->free[i] : group->velocity[i];
        group->result[i] = v - v == 0 ? v : 0;
    }
    memset(group->impulse, 0, (size_t)group->contact_count * 3 * sizeof(double));
    if (group->spent) memset(group->spent, 0, (size_t)group->contact_count * sizeof *group->spent);
    for (int i = 0; i < group->contact_count; i++) *group->contacts[i].memory = (SolveMemory){0};
}

bool solver_accept(Solver* s, double residual, double most)
{
    if (!(residual <= s->stats.worst_residual)) s->stats.worst_residual = residual;
    return residual <= most;
}

static bool solve_by_method(Solver* s)
{
    switch (s->options.method)
    {
    case SOLVE_HARD:
        return hard_solve(s);
    case SOLVE_STAGGERED:
        return s->has_bonds ? hard_solve(s) : staggered_solve(s);
    default:
        return newton_solve(s);
    }
}

// hard contacts have no law that says more
static SolveSpent solve_spent(const Solver* s, const Touch* t)
{
    SolveSpent spent = {.work = 0};
    double along[3];
    for (int q = 0; q < 3; q++) along[q] = 0.5 * t->end.p[q] * (t->step.u0[q] + t->u1[q]);
    spent.work = along[0] + along[1] + along[2];
    if (t->step.bond) return spent;
    if (s->options.method == SOLVE_NEWTON)
        spent.law = law_spent(&t->step, &t->end, t->u1);
    else
        spent.law = (LawSpent){.normal = -along[0], .slip = -along[1] - along[2]};
    return spent;
}

// make of the impulses an end that is finite and gains nothing. @return false if it could not be
static bool finish(Solver* s, bool solved)
{
    take_velocities(s);
    if (s->options.method != SOLVE_NEWTON) return finite_result(s);
    double size = solver_norm(s, s->y_free);
    if (!solved || !finite_result(s) || guard_settle(s) > GAIN * size * size || !finite_result(s))
    {
        if (!solved || !finite_result(s)) hard_rescue(s);
        guard_scale(s);
        take_velocities(s);
    }
    return finite_result(s);
}

void solve_step(Solver* s, const SolveGroup* group)
{
    s->group = group;
    s->stats.solves++;
    s->left = s->options.budget > 0 ? s->options.budget : INT_MAX;
    bool fine = solve_reserve(s, group) && prepare(s);
    if (fine)
    {
        bool solved = solve_by_method(s);
        if (!solved && s->options.method == SOLVE_NEWTON && !group->quick && s->left > 0)
        {
            // bristles that calm down have more kinks: once more without
            s->plain = true;
            s->factored = false;
            solved = newton_solve(s);
            s->plain = false;
        }
        if (!solved) s->stats.failures++;
        if (!solved) s->factored = false;
        if (!solved && group->quick && s->options.method == SOLVE_NEWTON) return;
        fine = finish(s, solved);
    }
    if (!fine)
    {
        s->stats.failures++;
        s->factored = false;
        move_free(s);
        return;
    }
    for (int i = 0; i < group->contact_count; i++)
    {
        memcpy(group->impulse + 3 * i, s->touch[i].end.p, 3 * sizeof(double));
        if (group->spent) group->spent[i] = solve_spent(s, s->touch + i);
        remember(s, s->touch + i);
    }
    guard_store(s);
    if (s->options.method == SOLVE_STAGGERED && s->options.redistribute && !s->has_bonds)
        staggered_redistribute(s, group->impulse);
}
