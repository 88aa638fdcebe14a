// SPDX-License-Identifier: MIT
// Which contacts are at rest. An onset slower than v_rest is one; an impact becomes one when it stays closed longer than an
// impact lasts, 3 + 2 pi/sqrt(h^2 W V'') steps; faster than v_wake it is an impact again, and so are all contacts connected
// to an impact. At rest the compression drifts down to the overlap, slowly; not up, which would take energy.
#include "contact/hunt.h"
#include "solver.h"

#define DRIFT_TIME 0.01  // [s]

static double duration(const Touch* t)
{
    double slope;
    hunt_elastic(&t->step.impact, t->step.x0, &slope);
    double stiff = t->step.h * t->step.h * t->own[0] * slope;
    return 3 + 2 * TW_PI / sqrt(stiff + 1e-12);
}

static void choose_mode(const Solver* s, Touch* t)
{
    SolveMemory* memory = t->contact->memory;
    double speed = fabs(t->step.u0[0]);
    if (memory->closed_steps == 0)
        memory->impact = !(speed < s->options.rest_speed);
    else if (!memory->impact && speed > s->options.wake_speed)
    {
        memory->impact = true;
        memory->closed_steps = 1;
    }
    else if (memory->impact && memory->closed_steps > duration(t))
        memory->impact = false;
    double c0 = -t->step.u0[0], h = t->step.h;
    t->in_impact = memory->impact && c0 > s->options.wake_speed && t->step.x0 + h * c0 > 0;
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

static double drift_of(const Solver* s, const Touch* t)
{
    if (!(t->step.x0 > 0)) return 0;
    double rate = (-t->contact->gap - t->step.x0) / (DRIFT_TIME > t->step.h ? DRIFT_TIME : t->step.h);
    return !(rate < 0) ? 0 : rate < -s->options.drift_speed ? -s->options.drift_speed : rate;
}

static double damping_of(const Solver* s, const Touch* t)
{
    double slope;
    hunt_elastic(&t->step.impact, t->step.x0, &slope);
    return t->own[0] > 0 ? 2 * s->options.rest_damping * sqrt(slope / t->own[0]) : 0;
}

void rest_modes(Solver* s)
{
    for (int i = 0; i < s->group->contact_count; i++)
        if (!s->touch[i].step.bond) choose_mode(s, s->touch + i);
    wake(s);
    for (int i = 0; i < s->group->contact_count; i++)
    {
        Touch* t = s->touch + i;
        if (t->step.bond) continue;
        t->step.rest = !t->contact->memory->impact && !s->options.always_impact;
        t->step.calm = t->step.rest && !s->plain;
        t->step.drift = t->step.rest ? drift_of(s, t) : 0;
        t->step.rest_damping = t->step.rest ? damping_of(s, t) : 0;
    }
}
