// SPDX-License-Identifier: MIT
// Rigid contacts by block Gauss-Seidel in velocity space: contact after contact gets the impulse that obeys Coulomb's law exactly
// for the velocities the others have left, until a sweep changes nothing. A contact takes part if it overlaps, or would
// within the step; it ends with u_N >= 0, or with the law's rebound after an impact:  u_N >= -e u0_N,  e = v_out/v_in.
#include "contact/hunt.h"
#include "coulomb.h"
#include "hard.h"

#define ACCEPT 1e-3  // change in the last sweep, of the impulses, above which a step has failed

// speed after an impact at this speed by the law's closed form, the root of (6) in docs/impact.md
static double rebound(const Solver* s, const Touch* t)
{
    double speed = -t->step.u0[0];
    if (!s->options.restitution || !(speed > s->options.rest_speed)) return 0;
    return -hunt_release(t->step.impact.dissipation, speed);
}

// whether a contact takes part
static bool takes_part(const Solver* s, const Touch* t)
{
    double u[3], h = t->step.h, gap = t->contact->gap;
    if (t->step.bond) return true;
    if (!(t->own[0] > 0)) return false;
    if (gap <= 0) return true;
    solver_relative(s, t, s->group->free, u);
    return gap + 0.5 * h * (t->step.u0[0] + u[0]) < 0;
}

static void relative(const Solver* s, const Touch* t, double u[3])
{
    for (int q = 0; q < 3; q++) u[q] = t->contact->wall[q];
    for (int side = 0; side < 2; side++)
    {
        int b = t->contact->body[side];
        if (b >= 0) touch_dot(s, t, solver_rows_of(s, t, side), s->size[b], s->y + s->first[b], u);
    }
}

void hard_push(Solver* s, const Touch* t, const double p[3])
{
    for (int side = 0; side < 2; side++)
    {
        int b = t->contact->body[side];
        if (b >= 0) touch_add(s, t, solver_rows_of(s, t, side), s->size[b], p, s->y + s->first[b]);
    }
}

// the impulse of one contact or bond if u1 = W r + b
static void alone(Touch* t, const double w[3][3], double b[3], double target, double r[3])
{
    b[0] -= target;
    if (t->step.bond)
        law_bond_alone(&t->step, w, b, r);
    else if (t->rows == 1)
    {
        r[0] = b[0] < 0 ? -b[0] / w[0][0] : 0;
        r[1] = r[2] = 0;
    }
    else
        t->end.slides = coulomb_solve(w, b, t->step.friction, r) == COULOMB_SLIDE;
}

// one contact. @return the square of the change it makes
static double relax(Solver* s, int i, double target)
{
    Touch* t = s->touch + i;
    const double(*w)[3] = (const double(*)[3])(s->near + 9 * i);
    double u[3], b[3], change[3], square = 0;
    relative(s, t, u);
    for (int q = 0; q < 3; q++) b[q] = u[q] - (w[q][0] * t->end.p[0] + w[q][1] * t->end.p[1] + w[q][2] * t->end.p[2]);
    double r[3];
    alone(t, w, b, target, r);
    for (int q = 0; q < 3; q++) change[q] = r[q] - t->end.p[q];
    for (int q = 0; q < 3; q++) square += change[q] * (w[q][0] * change[0] + w[q][1] * change[1] + w[q][2] * change[2]);
    memcpy(t->end.p, r, sizeof r);
    if (square > 0) hard_push(s, t, change);
    return square;
}

// start from the last impulses, or from none
void hard_start(Solver* s, bool warm)
{
    solver_all_rows(s);
    memcpy(s->y, s->y_free, (size_t)s->group->size * sizeof(double));
    s->active_count = 0;
    s->factored = s->settled = false;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        t->end = (LawEnd){0};
        if (!takes_part(s, t)) continue;
        s->active[s->active_count++] = i;
        t->end.holds = t->step.bond != NULL;
        s->scratch[i] = t->step.bond ? 0 : rebound(s, t);
        if (warm) memcpy(t->end.p, t->contact->memory->impulse, (size_t)t->rows * sizeof(double));
        if (law_pushes(&t->end)) hard_push(s, t, t->end.p);
    }
}

static double push_square(const Solver* s)
{
    double sum = 0;
    for (int i = 0; i < s->group->size; i++) sum += (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
    return sum;
}

bool hard_solve(Solver* s)
{
    hard_start(s, s->options.warm_start);
    double change = 0, push = 0, least = s->options.tolerance * s->options.tolerance, size = solver_norm(s, s->y_free);
    // bonds of bodies in flight push by round-off alone
    double roundoff = 16 * DBL_EPSILON * DBL_EPSILON * size * size;
    for (int sweep = 0; sweep < s->options.max_iterations; sweep++)
    {
        change = 0;
        for (int k = 0; k < s->active_count; k++) change += relax(s, s->active[k], s->scratch[s->active[k]]);
        s->stats.iterations++;
        push = push_square(s);
        if (change <= least * push + roundoff) break;
    }
    return solver_accept(s, change > roundoff ? sqrt(change / push) : 0, ACCEPT);
}

void hard_rescue(Solver* s)
{
    hard_start(s, false);
    for (int sweep = 0; sweep < 20; sweep++)
        for (int k = 0; k < s->active_count; k++) relax(s, s->active[k], 0);
}
