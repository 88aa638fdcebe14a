// SPDX-License-Identifier: MIT
// What keeps a step passive when numbers do not: a contact that gains by round-off stores less instead; and if impulses do not solve
// the problem, they are scaled by f until what was stored pays for their work
//
//   f p.(u0 + u_free)/2 + f^2 |J^T p|^2/2
//
// which is 0 at f = 0 and convex, so that there is always an f that fits. A contact lets go of what is left; a bond stores it.
#include "solver.h"

#define ROUNDOFF 1e-14  // of the energies in a contact: gain that is let pass

// what a bond has left of what it stored after its work, below 0 too
static double guard_bond_left(const Touch* t)
{
    double left = law_bond_energy(&t->step, NULL);
    for (int q = 0; q < 3; q++) left -= 0.5 * t->end.p[q] * (t->step.u0[q] + t->u1[q]);
    return left;
}

// what all bonds have left that have any, and what the others are short of
static double guard_bonds_left(const Solver* s, double* missing)
{
    double left = 0;
    *missing = 0;
    for (int i = 0; i < s->group->contact_count && s->has_bonds; i++)
        if (s->touch[i].step.bond)
        {
            const double own = guard_bond_left(s->touch + i);
            left += fmax(own, 0);
            *missing += fmax(-own, 0);
        }
    return left;
}

static double guard_bonds_short(const Solver* s)
{
    double missing, left = guard_bonds_left(s, &missing);
    return missing > left ? missing - left : 0;
}

double guard_settle(Solver* s)
{
    double over = 0;
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        if (t->step.bond) continue;
        double size = law_energy(&t->step, t->step.x0, t->step.z0), gain = law_gain(&t->step, &t->end, t->u1);
        for (int q = 0; q < 3; q++) size += fabs(t->end.p[q]) * (fabs(t->u1[q]) + fabs(t->step.u0[q]));
        if (!(gain > ROUNDOFF * size)) continue;
        over += law_shrink(&t->step, &t->end, gain);
        s->stats.shrunk++;
    }
    return over + guard_bonds_short(s);
}

// gain of everything, square f^2 + work f - stored
typedef struct Balance
{
    double square, work, stored;
} Balance;

static Balance balance(Solver* s)
{
    Balance sum = {0};
    solver_apply(s, s->y);
    for (int i = 0; i < s->group->size; i++) sum.square += 0.5 * (s->y[i] - s->y_free[i]) * (s->y[i] - s->y_free[i]);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        double free[3];
        solver_relative(s, t, s->group->free, free);
        for (int q = 0; q < t->rows; q++) sum.work += 0.5 * t->end.p[q] * (t->step.u0[q] + free[q]);
        if (t->step.bond)
        {
            sum.stored += law_bond_energy(&t->step, NULL);
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

void guard_store(Solver* s)
{
    double missing, left = guard_bonds_left(s, &missing);
    // what contacts gained, if the step could not be solved, was theirs
    for (int i = 0; i < s->group->contact_count && s->has_bonds; i++)
        if (!s->touch[i].step.bond) missing += fmax(law_gain(&s->touch[i].step, &s->touch[i].end, s->touch[i].u1), 0);
    const double part = left > missing ? (left - missing) / left : 0;
    for (int i = 0; i < s->group->contact_count && s->has_bonds; i++)
    {
        const Touch* t = s->touch + i;
        if (!t->step.bond) continue;
        const double most = part * fmax(guard_bond_left(t), 0);
        t->contact->memory->stored = fmin(law_bond_energy(&t->step, t->u1), most);
    }
}
