// SPDX-License-Identifier: MIT
// Which contacts are at rest. An onset slower than v_rest is one; an impact becomes one when it stays closed longer than an
// impact lasts, 3 + 2 pi/sqrt(h^2 W V'') steps; faster than v_wake it is an impact again, and so are all contacts connected
// to an impact. At rest the compression drifts down to the overlap, slowly; not up, which would take energy. What rings, and swings on
// its contacts no faster than steps resolve, goes by the rule of impacts at rest too, with the loss of the solids: that of rest would take its sound.
#include "rest.h"
#include "contact/hunt.h"
#include "solver.h"

#define DRIFT_TIME 0.01  // [s]

static double duration(const LawStep* step, double own)
{
    double slope;
    hunt_elastic(&step->impact, step->x0, &slope);
    return 3 + 2 * TW_PI / sqrt(step->h * step->h * own * slope + 1e-12);
}

bool rest_choose(const SolveOptions* options, const LawStep* step, double own, SolveMemory* memory)
{
    double speed = fabs(step->u0[0]);
    if (memory->closed_steps == 0)
        memory->impact = !(speed < options->rest_speed);
    else if (!memory->impact && speed > options->wake_speed)
    {
        memory->impact = true;
        memory->closed_steps = 1;
    }
    else if (memory->impact && !(speed > options->wake_speed) && memory->closed_steps > duration(step, own))
        memory->impact = false;
    double c0 = -step->u0[0];
    return memory->impact && c0 > options->wake_speed && step->x0 + step->h * c0 > 0;
}

// what moves one body moves the other
static bool connects(const Touch* t) { return t->step.bond || t->step.x0 > 0; }

static bool is_marked(const Solver* s, const SolveContact* c)
{
    return (c->body[0] >= 0 && s->marked[c->body[0]]) || (c->body[1] >= 0 && s->marked[c->body[1]]);
}

static bool mark(Solver* s, const SolveContact* c)
{
    bool changed = false;
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0 && !s->marked[c->body[side]]) s->marked[c->body[side]] = changed = true;
    return changed;
}

// impacts wake everything connected to them by closed contacts and bonds
static void wake(Solver* s)
{
    bool changed = false;
    memset(s->marked, 0, (size_t)s->group->body_count * sizeof(bool));
    for (int i = 0; i < s->group->contact_count; i++)
        if (s->touch[i].in_impact) changed = mark(s, s->touch[i].contact) || changed;
    if (!changed) return;
    while (changed)
    {
        changed = false;
        for (int i = 0; i < s->group->contact_count; i++)
            if (connects(s->touch + i) && is_marked(s, s->touch[i].contact))
                changed = mark(s, s->touch[i].contact) || changed;
    }
    for (int i = 0; i < s->group->contact_count; i++)
    {
        SolveMemory* memory = s->touch[i].contact->memory;
        if (s->touch[i].step.bond || !is_marked(s, s->touch[i].contact)) continue;
        memory->impact = true;
        if (memory->closed_steps > 1) memory->closed_steps = 1;
    }
}

static double drift_of(const SolveOptions* options, const LawStep* step, double gap)
{
    if (!(step->x0 > 0)) return 0;
    double rate = (-gap - step->x0) / (DRIFT_TIME > step->h ? DRIFT_TIME : step->h);
    return !(rate < 0) ? 0 : rate < -options->drift_speed ? -options->drift_speed : rate;
}

static double damping_of(const SolveOptions* options, const LawStep* step, double own)
{
    double slope;
    hunt_elastic(&step->impact, step->x0, &slope);
    return own > 0 ? 2 * options->rest_damping * sqrt(slope / own) : 0;
}

void rest_apply(const SolveOptions* options, LawStep* step, const SolveMemory* memory, double gap, double own,
                bool plain)
{
    const bool still = !memory->impact && !options->always_impact;
    step->calm = still && !plain;
    step->rest = still;
    step->drift = still ? drift_of(options, step, gap) : 0;
    step->rest_damping = still ? damping_of(options, step, own) : 0;
}

// ---- what steps resolve ----

// h^2 k W of the contact along its normal, and of its bristles
static void rest_add_swing(const Touch* t, double swing[2])
{
    double slope, square = t->step.h * t->step.h;
    hunt_elastic(&t->step.impact, t->step.x0, &slope);
    swing[0] += square * slope * t->own[0];
    swing[1] += square * t->step.kt * (t->own[1] + t->own[2]);
}

// Sums over the contacts of each body: no swing of a body on its contacts is faster than the trace of h^2 K J M^-1 J^T.
static void rest_sum_swings(Solver* s)
{
    memset(s->swing, 0, (size_t)s->group->body_count * sizeof *s->swing);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        const Touch* t = s->touch + i;
        for (int side = 0; side < 2; side++)
            if (!t->step.bond && t->step.x0 > 0 && t->contact->body[side] >= 0)
                rest_add_swing(t, s->swing[t->contact->body[side]]);
    }
}

// A body that rings loses to its contacts what their law says, and nothing else, where steps resolve all swings of both bodies. Groups that do not
// ring calm down all the same: what they do is known at rest, and their small swings on contacts would only disturb friction.
static void rest_resolve(const Solver* s, Touch* t)
{
    double swing[2] = {0};
    bool rings = false;
    for (int side = 0; side < 2; side++)
    {
        const int b = t->contact->body[side];
        if (b < 0) continue;
        rings = rings || s->group->bodies[b].count > (s->group->bodies[b].held ? 0 : 6);
        for (int q = 0; q < 2; q++) swing[q] += s->swing[b][q];
    }
    if (!rings) return;
    if (t->step.rest && swing[0] < s->options.resolved)
    {
        t->step.rest = false;
        law_branch(&t->step, t->contact->law, t->contact->memory, t->own[0]);
    }
    if (swing[1] < s->options.resolved) law_smooth(&t->step);
}

void rest_modes(Solver* s)
{
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        if (!t->step.bond) t->in_impact = rest_choose(&s->options, &t->step, t->own[0], t->contact->memory);
    }
    wake(s);
    rest_sum_swings(s);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        if (t->step.bond) continue;
        rest_apply(&s->options, &t->step, t->contact->memory, t->contact->gap, t->own[0], s->plain);
        rest_resolve(s, t);
    }
}
