// SPDX-License-Identifier: MIT
// What keeps a step passive when numbers do not: a contact that gains by round-off stores less instead; and if impulses do not solve
// the problem, they are scaled by f until what was stored pays for their work
//
//   f p.(u0 + u_free)/2 + f^2 |J^T p|^2/2
//
// which is 0 at f = 0 and convex, so that there is always an f that fits. With bonds, what they store at the end, a square in f too,
// is added; then f = 0 may gain, and the f is taken that gains least.
#include "solver.h"

#define ROUNDOFF 1e-14  // of the energies in a contact: gain that is let pass

double guard_settle(Solver* s)
{
    double over = 0;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        // bonds have no state to take it from; their gain is a negative square
        if (t->step.bond) continue;
        double size = law_energy(&t->step, t->step.x0, t->step.z0), gain = law_gain(&t->step, &t->end, t->u1);
        for (int q = 0; q < 3; q++) size += fabs(t->end.p[q]) * (fabs(t->u1[q]) + fabs(t->step.u0[q]));
        if (!(gain > ROUNDOFF * size)) continue;
        over += law_shrink(&t->step, &t->end, gain);
        s->stats.shrunk++;
    }
    return over;
}

// gain of everything, square f^2 + work f - stored
typedef struct Balance
{
    double square, work, stored;
} Balance;

// what a bond stores at the end for velocities between free and those of its impulses
static void add_bond(Balance* sum, const LawStep* step, const double free[3], const double u1[3])
{
    for (int q = 0; q < 3; q++)
    {
        double k = step->bond->k[q], z = step->bond->z0[q] + 0.5 * step->h * (step->u0[q] + free[q]),
               change = 0.5 * step->h * (u1[q] - free[q]);
        sum->square += 0.5 * k * change * change;
        sum->work += k * z * change;
        sum->stored -= 0.5 * k * (z * z - step->bond->z0[q] * step->bond->z0[q]);
    }
}

static Balance balance(Solver* s)
{
    Balance sum = {0};
    solver_apply(s, s->y);
    for (int i = 0; i < s->group->size; i++) sum.square += 0.5 * (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
    solver_to_velocity(s, s->y, s->v);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        double free[3];
        solver_relative(s, t, s->group->free, free);
        for (int q = 0; q < t->rows; q++) sum.work += 0.5 * t->end.p[q] * (t->step.u0[q] + free[q]);
        if (t->step.bond)
        {
            solver_relative(s, t, s->v, t->u1);
            add_bond(&sum, &t->step, free, t->u1);
            continue;
        }
        sum.stored += law_energy(&t->step, t->step.x0, t->step.z0) + 0.5 * t->step.branch0 * t->step.branch0;
        t->end.x1 = t->end.z1[0] = t->end.z1[1] = t->end.branch1 = 0;
    }
    return sum;
}

// the largest part of the impulses, up to 1, that gains nothing, or else the one that gains least
static double part_of(const Balance* b)
{
    if (!(b->square + b->work > b->stored)) return 1;
    double root = b->work * b->work + 4 * b->square * b->stored;
    if (root < 0) return -b->work / (2 * b->square);
    // without cancellation
    root = sqrt(root);
    return b->work > 0 ? 2 * b->stored / (b->work + root) : (root - b->work) / (2 * b->square);
}

void guard_scale(Solver* s)
{
    s->settled = false;
    Balance sum = balance(s);
    double f = part_of(&sum);
    if (f != 1) s->stats.guarded++;
    if (!(f >= 0)) f = 0;
    if (f > 1) f = 1;
    for (int i = 0; i < s->group->contact_count; i++)
        for (int q = 0; q < 3; q++) s->touch[i].end.p[q] *= f;
}
