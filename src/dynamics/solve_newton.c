// SPDX-License-Identifier: MIT
// Compliant contacts by Newton's method in velocity space: the root of
//
//   g(y) = y - y_free - J^T p(J y)
//
// from y_free + J^T p_last, with old factors while they contract, and a line search with new ones. The law has
// corners, and sliding makes the problem neither symmetric nor monotone, so this may go in circles. Then the slow,
// safe way: friction is limited by friction times the normal impulse of the last round (Tresca), which makes each
// round the minimum of a convex function. Each is passive, so that a budget of iterations may end with any of them.
#include "solver.h"

#define ACCEPT 1e-7             // residual, of the free velocity, above which a step has failed
#define TRIALS 30               // lengths of a Newton step that are tried
#define GREEDY 10               // of these, such that seek more than just any decrease
#define STUCK 3                 // line searches that find nothing before giving up
#define QUICK_STUCK 1           // the same, of a group that may fail
#define FIRST_PART 0.4          // of a budget, before the safe way
#define ROUNDS 50               // of the safe way
#define SLACK_CONE 1e-3         // change of friction's limits, of the impulses, that is no failure
#define SETTLED 1e-13           // residual, of the impulses, that leaves u1 as it is
#define CONTRACTION 0.3         // old factors are kept while a step reduces the residual by this
#define FRESH_CONTRACTION 0.05  // and new ones

// Residual at y. Leaves the law's ends in the touches.
static double evaluate(Solver* s, const double* y, double* g)
{
    const SolveGroup* group = s->group;
    s->stats.evaluations++;
    solver_to_velocity(s, y, s->v);
    memset(s->out, 0, (size_t)group->size * sizeof(double));
    for (int i = 0; i < group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        const SolveContact* c = t->contact;
        solver_relative(s, t, s->v, t->u1);
        law_end(&t->end, &t->step, t->u1);
        if (!law_pushes(&t->end)) continue;
        for (int side = 0; side < 2; side++)
            if (c->body[side] >= 0)
                touch_add(s, t, c->row[side], s->size[c->body[side]], t->end.p, s->out + s->first[c->body[side]]);
    }
    solver_force_to_scaled(s, s->out, g);
    for (int i = 0; i < group->size; i++) g[i] = y[i] - s->y_free[i] - g[i];
    return solver_norm(s, g);
}

// ---- one contact at a time ----

// rate of compression at the end less what the contact's own impulse leaves of it: c - c_free + W p(c), rising
typedef struct Lone
{
    const LawStep* step;
    double free, own, across[2];
} Lone;

static double lone_gap(double c, double* slope, const void* context)
{
    const Lone* lone = context;
    double u[3] = {-c, lone->across[0], lone->across[1]};
    LawEnd end;
    law_end(&end, lone->step, u);
    *slope = 1 + lone->own * end.d[0][0];
    return c - lone->free + lone->own * end.p[0];
}

// v += M^-1 J^T p
static void push_velocity(Solver* s, const Touch* t, const double p[3])
{
    const SolveContact* c = t->contact;
    for (int side = 0; side < 2; side++)
    {
        int b = c->body[side];
        if (b < 0) continue;
        int n = s->size[b], first = s->first[b];
        double *force = s->out + first, (*m)[3] = s->root[b].inverse;
        memset(force, 0, (size_t)n * sizeof(double));
        touch_add(s, t, c->row[side], n, p, force);
        for (int i = 0; i < n; i++)
        {
            double inverse = s->inverse_root[first + i];
            if (!s->root[b].turns || i < 3 || i > 5) s->v[first + i] += inverse * inverse * force[i];
        }
        double turn[3];
        for (int i = 0; i < 3 && s->root[b].turns; i++)
            turn[i] = m[i][0] * force[3] + m[i][1] * force[4] + m[i][2] * force[5];
        for (int i = 0; i < 3 && s->root[b].turns; i++)
            s->v[first + 3 + i] += m[0][i] * turn[0] + m[1][i] * turn[1] + m[2][i] * turn[2];
    }
}

// Give a contact the normal impulse that obeys its law if nothing else changes.
static void relax(Solver* s, Touch* t)
{
    double u[3], slope, change[3] = {0}, *p = t->end.p;
    solver_relative(s, t, s->v, u);
    Lone lone = {&t->step, t->own[0] * p[0] - u[0], t->own[0], {u[1], u[2]}};
    double at = lone_gap(lone.free, &slope, &lone), least = 1e-15 * (fabs(lone.free) + fabs(t->step.u0[0]));
    twRoot root = {.x = lone.free};
    if (at > least) root = tw_root_find(lone_gap, &lone, lone.free - at, lone.free, lone.free - at / slope, least, 200);
    if (!(t->own[0] > 0) || !(root.x - root.x == 0)) return;
    double normal = (lone.free - root.x) / t->own[0], cone = t->step.cone * normal;
    double across = sqrt(p[1] * p[1] + p[2] * p[2]), part = across > cone ? cone / across : 1;
    change[0] = normal - p[0];
    for (int q = 1; q < 3; q++) change[q] = (part - 1) * p[q];
    for (int q = 0; q < 3; q++) p[q] += change[q];
    push_velocity(s, t, change);
}

// from y, which the impulses in the touches have made
static void relax_all(Solver* s)
{
    solver_to_velocity(s, s->y, s->v);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        if (t->contact->memory->impact && t->contact->memory->closed_steps <= 1) relax(s, t);
    }
    solver_to_scaled(s, s->v, s->y);
}

// the last impulses; contacts that have just begun get theirs as if each were alone
static void warm_start(Solver* s)
{
    bool begun = false;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        const SolveMemory* memory = s->touch[i].contact->memory;
        begun = begun || (memory->impact && memory->closed_steps <= 1);
    }
    solver_force_to_scaled(s, s->warm, s->y);
    for (int i = 0; i < s->group->size; i++) s->y[i] += s->y_free[i];
    // a second time the touches no longer have the impulses that have made y
    if (begun && !s->plain) relax_all(s);
}

// ---- Newton ----

// the state of a search
typedef struct Search
{
    double norm;       // of g now
    double reference;  // of y_free
    bool fresh;        // factors are those of this y
    int stuck;         // line searches that found nothing
    bool convex;
} Search;

static void swap(double** a, double** b)
{
    double* t = *a;
    *a = *b;
    *b = t;
}

static double try_step(Solver* s, double length)
{
    for (int i = 0; i < s->group->size; i++) s->y_try[i] = s->y[i] + length * s->dy[i];
    double norm = evaluate(s, s->y_try, s->g);
    return norm == norm ? norm : HUGE_VAL;
}

// g along dy, of which a root is sought: below 0 at the start
static double along(const Solver* s)
{
    double sum = 0;
    for (int i = 0; i < s->group->size; i++) sum += s->dy[i] * s->g[i];
    return sum;
}

// A length for which g along dy changes its sign, by false position (Illinois) and halving
typedef struct Bracket
{
    double low, high, at_low, at_high;  // at_high < 0: not found yet
    int trials;
} Bracket;

static double next_length(Bracket* b, double length, double at)
{
    if (!(at < 0))
    {
        if (b->at_high > 0) b->at_low *= 0.5;
        b->high = length;
        b->at_high = at;
    }
    else if (b->at_high > 0)
    {
        b->low = length;
        b->at_low = at;
        b->at_high *= 0.5;
    }
    if (!(b->at_high > 0)) return 0.5 * length;
    double f = b->at_high < HUGE_VAL && ++b->trials % 3 ? b->at_low / (b->at_low - b->at_high) : 0.5;
    return b->low + (f > 0.01 && f < 0.99 ? f : 0.5) * (b->high - b->low);
}

// Along dy with new factors. Convex: to where g along dy is small. Else the first length that decreases the residual
// enough. A strongly damped contact near its release is all but a jump, so it must be found.
static double search_line(Solver* s, Search* search)
{
    double length = 1, best = HUGE_VAL, best_length = 1;
    Bracket bracket = {0, 1, along(s), -1, 0};
    double start = bracket.at_low;
    for (int i = 0; i < TRIALS; i++)
    {
        double norm = try_step(s, length), at = along(s),
               enough = bracket.at_high > 0 && i < GREEDY ? 0.5 : 1 - 0.1 * length;
        if (search->convex ? at <= -0.5 * start && norm < HUGE_VAL && (at >= 0.9 * start || length == 1)
                           : norm < enough * search->norm)
            return norm;
        if (norm < best)
        {
            best = norm;
            best_length = length;
        }
        length = next_length(&bracket, length, at);
        if (!(length > 1e-12)) break;
    }
    s->factored = false;
    search->stuck++;
    return try_step(s, best_length);
}

static bool refactor(Solver* s, Search* search)
{
    if (s->factored) return true;
    search->fresh = true;
    return matrix_factor(s, 1, false) || matrix_factor(s, 2, false);
}

// One Newton step. @return false if there is nothing more to try
static bool newton_step(Solver* s, Search* search)
{
    if (!refactor(s, search)) return false;
    if (search->fresh) mix_reset(s);
    matrix_solve(s, s->g, s->dy);
    mix_step(s);
    double before = search->norm, norm = search->fresh ? search_line(s, search) : try_step(s, 1);
    s->stats.iterations++;
    s->left--;
    if (!search->fresh && !(norm <= CONTRACTION * before))
    {
        s->factored = false;
        if (!(norm < before))
        {
            // back to where we were, for new factors
            search->norm = evaluate(s, s->y, s->g);
            return true;
        }
    }
    if (search->fresh && !(norm <= FRESH_CONTRACTION * before)) s->factored = false;
    search->fresh = false;
    swap(&s->y, &s->y_try);
    search->norm = norm;
    return norm < HUGE_VAL;
}

// distance from y_free: the size of the impulses
static double push_of(const Solver* s)
{
    double sum = 0;
    for (int i = 0; i < s->group->size; i++) sum += (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
    return sqrt(sum);
}

// Each body's residual is small beside its own impulses: beside those of a body a billion times as heavy it would leave a light one with
// any speed.
static bool is_reached(const Solver* s, double roundoff)
{
    for (int b = 0; b < s->group->body_count; b++)
    {
        double residual = 0, push = 0;
        for (int i = s->first[b]; i < s->first[b] + s->size[b]; i++)
        {
            residual += s->g[i] * s->g[i];
            push += (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
        }
        if (!(sqrt(residual) <= roundoff + s->options.tolerance * sqrt(push))) return false;
    }
    return true;
}

// @return relative residual
static double newton_root(Solver* s, bool convex, int iterations)
{
    mix_reset(s);
    Search search = {.reference = solver_norm(s, s->y_free), .convex = convex};
    search.norm = evaluate(s, s->y, s->g);
    if (!(search.norm < HUGE_VAL))
    {
        memcpy(s->y, s->y_free, (size_t)s->group->size * sizeof(double));
        search.norm = evaluate(s, s->y, s->g);
    }
    double roundoff = 4 * DBL_EPSILON * search.reference, last = HUGE_VAL;
    bool reached = false;
    const int stuck = s->group->quick ? QUICK_STUCK : STUCK;
    for (int i = 0; i < iterations && search.stuck < stuck; i++)
    {
        reached = is_reached(s, roundoff);
        if (reached) break;
        // as good as it gets: small, and no longer falling
        if (search.norm <= 0.01 * ACCEPT * search.reference && !(search.norm < 0.5 * last) && i > 2) break;
        last = search.norm;
        if (s->left <= 0 || !newton_step(s, &search)) break;
    }
    double reference = search.reference > 0 ? search.reference : 1;
    const double residual = search.norm == search.norm ? search.norm / reference : HUGE_VAL;
    return reached ? fmin(residual, ACCEPT) : residual;  // what was asked for is enough
}

// ---- the safe way ----

// limits of friction from the normal impulses. @return their change, as velocity
static double set_limits(Solver* s, bool first)
{
    double change = 0;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        LawStep* step = &s->touch[i].step;
        if (step->bond) continue;
        double limit = step->friction * s->touch[i].end.p[0], d = first ? limit : limit - step->limit;
        change += d * d * (s->touch[i].own[1] + s->touch[i].own[2]);
        step->fixed_limit = true;
        step->limit = limit;
    }
    return sqrt(change);
}

static void free_limits(Solver* s)
{
    for (int i = 0; i < s->group->contact_count; i++) s->touch[i].step.fixed_limit = false;
}

// a round's solution, with the limits that it is for
static void keep_round(Solver* s)
{
    memcpy(s->y_keep, s->y, (size_t)s->group->size * sizeof(double));
    for (int i = 0; i < s->group->contact_count; i++) s->scratch[i] = s->touch[i].step.limit;
}

static void take_round(Solver* s)
{
    memcpy(s->y, s->y_keep, (size_t)s->group->size * sizeof(double));
    for (int i = 0; i < s->group->contact_count; i++)
        if (!s->touch[i].step.bond) s->touch[i].step.fixed_limit = true, s->touch[i].step.limit = s->scratch[i];
}

// from where the direct way has come to: the normal impulses there, unlike those of a first guess, are nearly right
static double safe_root(Solver* s)
{
    double residual = HUGE_VAL, change = HUGE_VAL;
    s->stats.fallbacks++;
    s->factored = false;
    for (int round = 0; round < ROUNDS; round++)
    {
        change = set_limits(s, round == 0);
        if (round > 0 && change <= 1e-9 * push_of(s)) break;
        const double next = newton_root(s, true, s->options.max_iterations);
        if (!(next <= ACCEPT) && s->left > 0) return next;
        if (!(next <= ACCEPT)) break;
        residual = next;
        keep_round(s);
    }
    if (s->left <= 0)
    {
        if (!(residual <= ACCEPT)) return residual;
        s->stats.failures += change > SLACK_CONE * push_of(s);
        take_round(s);
        evaluate(s, s->y, s->g);
        return residual;
    }
    // finish by the law itself, if that works
    free_limits(s);
    double finished = newton_root(s, false, 10);
    if (finished <= ACCEPT) return finished;
    double push = push_of(s);
    take_round(s);
    evaluate(s, s->y, s->g);
    set_limits(s, true);
    residual = newton_root(s, true, s->options.max_iterations);
    return change <= SLACK_CONE * push ? residual : HUGE_VAL;
}

bool newton_solve(Solver* s)
{
    rest_modes(s);
    warm_start(s);
    // bonds alone are the gradient of a convex function
    bool convex = true;
    for (int i = 0; i < s->group->contact_count && convex; i++) convex = s->touch[i].step.bond != NULL;
    const int most = s->options.max_iterations, budget = s->options.budget;
    double residual = newton_root(s, convex, budget > 0 && !convex ? (int)(FIRST_PART * budget) : most);
    if (!(residual <= ACCEPT) && !s->group->quick) residual = safe_root(s);
    // what the impulses make of y; u1 is theirs but for the residual
    for (int i = 0; i < s->group->size; i++) s->y[i] -= s->g[i];
    s->settled = solver_norm(s, s->g) <= SETTLED * push_of(s);
    return solver_accept(s, residual, ACCEPT);
}
