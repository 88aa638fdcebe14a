// SPDX-License-Identifier: MIT
// Staggered projections (Kaufman et al. 2008) as Zheng and James 2011 use them: normal impulses for given friction by an
// active-set method, friction for given normal impulses on the contacts that push, in turn until friction no longer changes. The
// friction disc is round, not a polygon. Contacts are all that overlap, whatever their velocity, and everything starts from
// the last step.
//
// For the record, impulses are spread evenly (their 5.2): the nearest ones to those of the last step with the same J^T p and
// inside the cones. Nearest by Dykstra's alternating projections; then as far from the solution toward it as cones allow.
#include "active_set.h"
#include "coulomb.h"
#include "hard.h"

#define ACCEPT 1e-2        // change in the last turn, of the impulses, above which a step has failed
#define FRICTION_TURNS 50  // sweeps of friction in one turn
#define SPREAD_TURNS 30

// contacts that separate are left out, as methods do that look at velocities
static void only_approaching(Solver* s)
{
    int kept = 0;
    for (int k = 0; k < s->active_count; k++)
    {
        Touch* t = s->touch + s->active[k];
        double u[3];
        solver_relative(s, t, s->group->free, u);
        if (u[0] < 0)
            s->active[kept++] = s->active[k];
        else
            t->end.p[0] = t->end.p[1] = t->end.p[2] = 0;
    }
    s->active_count = kept;
}

// y = y_free + friction alone
static void only_friction(Solver* s)
{
    memcpy(s->y, s->y_free, (size_t)s->group->size * sizeof(double));
    for (int k = 0; k < s->active_count; k++)
    {
        const Touch* t = s->touch + s->active[k];
        double p[3] = {0, t->end.p[1], t->end.p[2]};
        if (p[1] != 0 || p[2] != 0) hard_push(s, t, p);
    }
}

// least energy by the friction of one contact. @return the square of the change
static double rub(Solver* s, int i)
{
    Touch* t = s->touch + i;
    const double(*w)[3] = (const double(*)[3])(s->near + 9 * i);
    double u[3] = {t->contact->wall[0], t->contact->wall[1], t->contact->wall[2]}, h[2], r[2], change[3] = {0};
    for (int side = 0; side < 2; side++)
    {
        int b = t->contact->body[side];
        if (b >= 0) s->kernel->dot3(solver_rows_of(s, t, side), s->size[b], s->y + s->first[b], u);
    }
    double a[2][2] = {{w[1][1], w[1][2]}, {w[2][1], w[2][2]}}, *p = t->end.p, square = 0;
    for (int q = 0; q < 2; q++) h[q] = u[1 + q] - a[q][0] * p[1] - a[q][1] * p[2];
    double most = t->step.friction * p[0];
    coulomb_disc((const double(*)[2])a, h, most, r);
    t->end.slides = r[0] * r[0] + r[1] * r[1] >= (1 - 1e-9) * most * most;
    for (int q = 0; q < 2; q++) change[1 + q] = r[q] - p[1 + q];
    for (int q = 0; q < 2; q++) square += change[1 + q] * (a[q][0] * change[1] + a[q][1] * change[2]);
    p[1] = r[0];
    p[2] = r[1];
    if (square > 0) hard_push(s, t, change);
    return square;
}

static double push_square(const Solver* s)
{
    double sum = 0;
    for (int i = 0; i < s->group->size; i++) sum += (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
    return sum;
}

static void friction(Solver* s)
{
    double least = 0.01 * s->options.tolerance * s->options.tolerance;
    for (int sweep = 0; sweep < FRICTION_TURNS; sweep++)
    {
        double change = 0;
        for (int k = 0; k < s->active_count; k++)
        {
            const double* p = s->touch[s->active[k]].end.p;
            if (s->options.keep_all || p[0] > 0 || p[1] != 0 || p[2] != 0) change += rub(s, s->active[k]);
        }
        if (change <= least * push_square(s)) break;
    }
}

bool staggered_solve(Solver* s)
{
    hard_start(s, s->options.warm_start);
    if (s->options.only_approaching) only_approaching(s);
    double change = HUGE_VAL, push = 0;
    memcpy(s->dy, s->y, (size_t)s->group->size * sizeof(double));
    for (int turn = 0; turn < s->options.max_iterations; turn++)
    {
        only_friction(s);
        if (active_set_solve(s) < 0) return false;
        if (!s->group->frictionless) friction(s);
        s->stats.iterations++;
        change = 0;
        for (int i = 0; i < s->group->size; i++) change += (s->y[i] - s->dy[i]) * (s->y[i] - s->dy[i]);
        push = push_square(s);
        memcpy(s->dy, s->y, (size_t)s->group->size * sizeof(double));
        // without friction the first turn is the last
        if (s->group->frictionless) change = 0;
        if (change <= s->options.tolerance * s->options.tolerance * push) break;
    }
    return solver_accept(s, push > 0 ? sqrt(change / push) : 0, ACCEPT);
}

// ---- redistribution ----

static void onto_cone(double mu, double p[3])
{
    double t = sqrt(p[1] * p[1] + p[2] * p[2]);
    if (t <= mu * p[0]) return;
    double n = (p[0] + mu * t) / (1 + mu * mu);
    if (mu * t <= -p[0]) n = 0;
    double part = t > 0 ? mu * n / t : 0;
    p[0] = n;
    p[1] *= part;
    p[2] *= part;
}

// p - J (J^T J)^+ J^T (p - solution), by factors of J^T J + a little
static void onto_motion(Solver* s, double* p, const double* solution, int turns)
{
    for (int turn = 0; turn < turns; turn++)
    {
        memset(s->g, 0, (size_t)s->group->size * sizeof(double));
        for (int i = 0; i < s->group->contact_count; i++)
        {
            const Touch* t = s->touch + i;
            double d[3] = {p[3 * i] - solution[3 * i], p[3 * i + 1] - solution[3 * i + 1],
                           p[3 * i + 2] - solution[3 * i + 2]};
            for (int side = 0; side < 2; side++)
            {
                int b = t->contact->body[side];
                if (b >= 0) touch_add(s, t, solver_rows_of(s, t, side), s->size[b], d, s->g + s->first[b]);
            }
        }
        matrix_solve(s, s->g, s->dy);
        for (int i = 0; i < s->group->contact_count; i++)
            for (int side = 0; side < 2; side++)
            {
                const Touch* t = s->touch + i;
                int b = t->contact->body[side];
                double u[3] = {0};
                if (b >= 0) touch_dot(s, t, solver_rows_of(s, t, side), s->size[b], s->dy + s->first[b], u);
                for (int q = 0; q < 3; q++) p[3 * i + q] -= u[q];
            }
    }
}

// factors of J^T J + a little, over the contacts that take part; the others' rows are zero
static bool factor_motion(Solver* s)
{
    double trace = 0;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        t->end.p[0] = 1;
        memset(t->end.d, 0, sizeof t->end.d);
    }
    for (int k = 0; k < s->active_count; k++)
        for (int q = 0; q < 3; q++)
        {
            Touch* t = s->touch + s->active[k];
            t->end.d[q][q] = 1;
            trace += t->own[q];
        }
    if (!(trace > 0) || !matrix_factor(s, 1e-9 * trace / s->group->size, true)) return false;
    s->factored = false;
    for (int i = 0; i < s->group->contact_count; i++)
        for (int side = 0; side < 2; side++)
        {
            const Touch* t = s->touch + i;
            int b = t->contact->body[side];
            if (b >= 0 && t->end.d[0][0] == 0)
                memset(solver_rows_of(s, t, side), 0, (size_t)t->rows * (size_t)s->size[b] * sizeof(double));
        }
    return true;
}

// how far from p toward q the cone reaches
static double reach(double mu, const double p[3], const double q[3])
{
    double low = 0, high = 1;
    for (int i = 0; i < 40; i++)
    {
        double f = i ? 0.5 * (low + high) : 1, r[3];
        for (int l = 0; l < 3; l++) r[l] = p[l] + f * (q[l] - p[l]);
        bool inside = r[1] * r[1] + r[2] * r[2] <= mu * mu * r[0] * r[0] && r[0] >= 0;
        if (inside && i == 0) return 1;
        if (inside)
            low = f;
        else
            high = f;
    }
    return low;
}

void staggered_redistribute(Solver* s, double* impulse)
{
    int n = s->group->contact_count;
    double *p = s->scratch, *extra = s->scratch + 3 * n, part = 1;
    if (!factor_motion(s)) return;
    for (int i = 0; i < n; i++)
        for (int q = 0; q < 3; q++) p[3 * i + q] = s->touch[i].contact->memory->spread[q];
    memset(extra, 0, 3 * (size_t)n * sizeof(double));
    for (int turn = 0; turn < SPREAD_TURNS; turn++)
    {
        onto_motion(s, p, impulse, 1);
        for (int i = 0; i < n; i++)
        {
            double x[3], *e = extra + 3 * i;
            for (int q = 0; q < 3; q++) x[q] = e[q] += p[3 * i + q];
            onto_cone(s->touch[i].step.friction, x);
            for (int q = 0; q < 3; q++)
            {
                e[q] -= x[q];
                p[3 * i + q] = x[q];
            }
        }
    }
    onto_motion(s, p, impulse, 3);
    for (int i = 0; i < 3 * n; i++)
        if (!(p[i] - p[i] == 0)) return;
    for (int i = 0; i < n; i++) part = fmin(part, reach(s->touch[i].step.friction, impulse + 3 * i, p + 3 * i));
    for (int i = 0; i < 3 * n; i++) impulse[i] += part * (p[i] - impulse[i]);
    for (int i = 0; i < n; i++) memcpy(s->touch[i].contact->memory->spread, impulse + 3 * i, 3 * sizeof(double));
}
