// SPDX-License-Identifier: MIT
// What grabs bring in beyond the work of their targets, and how it is taken back.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define SURPLUS 0.05  // of the energy there is: so much more may be there than targets bring
#define ONSET 0.1     // of the energy of all at the speed that is asked for: so much is no surplus

// grabs whose targets do the work: those that push where they hold
static bool is_led(const twStage* s, int slot, bool way)
{
    const Hold* hold = &s->holds[slot];
    return step_acts(hold, way) && hold->def.push_count == 0 && hold->def.kind != TW_GRAB_ACCELERATION;
}

// what such grabs' impulses do, times half the velocity before, then after, is surplus but for the work of their targets
void step_count_surplus(twStage* s, bool way)
{
    for (int i = 0; i < s->body_count; i++) stage_body_speed(&s->bodies[i], s->system.speed[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!is_led(s, i, way)) continue;
        const double half[3] = {hold->half.x, hold->half.y, hold->half.z};
        double* surplus = &s->surplus[hold->def.body];
        for (int axis = 0, column = hold->column; axis < 3; axis++)
            if (hold->def.along[axis])
                *surplus += 0.5 * half[axis] * system_along(&s->system, &s->system.columns[column++]);
        *surplus -= 0.5 * tw_vec3_dot(hold->half, hold_lead(hold, s->bodies, s->places, s->time, s->def.step));
    }
}

// Large steps make grabs on what turns and bends bring in more than their targets do (as RATTLE does: a little to and fro, but where
// forces are strong and directions change much in a step, ever more). What is beyond a share is taken from the motion that they leave
// free, along which no grab feels it.

// bodies that hang together by grabs have the number of one of them; -1: not grabbed
static void find_groups(twStage* s)
{
    for (int i = 0; i < s->body_count; i++) s->group[i] = -1;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        const twGrabDef* def = &hold->def;
        if (!step_acts(hold, false)) continue;
        if (s->group[def->body] < 0) s->group[def->body] = def->body;
        for (int k = -1; k < def->push_count; k++)
        {
            const int other = k < 0 ? def->other : def->push_body[k], now = s->group[def->body];
            if (other == TW_NOWHERE) continue;
            const int old = s->group[other];
            s->group[other] = now;
            for (int b = 0; b < s->body_count && old >= 0; b++)
                if (s->group[b] == old) s->group[b] = now;
        }
    }
}

// kicks become the velocities of least energy that grabs want
static void want_least(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++)
    {
        memset(system->speed[i], 0, (size_t)s->bodies[i].size * sizeof(double));
        memset(system->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
    }
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i], false))
            hold_wants(&s->holds[i], system, s->bodies, s->after, false, s->time + s->def.step, s->def.step,
                       s->def.gravity, system->b);
    system_solve_grabs(system, system->b, system->p);
    system_push(system, system->p, NULL);
}

// V = V_c + V_f, square to each other by the mass: the energy of V_f goes down by the surplus. kicks hold V_c
static void slow_group(twStage* s, int group, double surplus)
{
    double held = 0, moving = 0, gone = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        held += stage_body_kinetic_of(&s->bodies[i], s->system.kick[i]);
        moving += stage_body_kinetic(&s->bodies[i]);
    }
    const double loose = moving - held;
    if (!(loose > 0)) return;
    const double f = sqrt(fmax(1 - surplus / loose, 0));
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        double change[6 + TW_MAX_STAGE_MODES], speed[6 + TW_MAX_STAGE_MODES];
        stage_body_speed(&s->bodies[i], speed);
        for (int k = 0; k < s->bodies[i].size; k++) change[k] = (1 - f) * (s->system.kick[i][k] - speed[k]);
        gone += stage_body_kinetic(&s->bodies[i]);
        stage_body_kick(&s->bodies[i], change);
        gone -= stage_body_kinetic(&s->bodies[i]);
    }
    s->surplus[group] -= gone;
    s->energy.work -= gone;
}

// what a step may be wrong by while things begin to move
static double allowance(const twStage* s, int group)
{
    double mass = 0, fastest = s->def.step * tw_vec3_norm(s->def.gravity);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i], false) && s->group[s->holds[i].def.body] == group)
            fastest = fmax(fastest, s->holds[i].asked);
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group) mass += s->bodies[i].shape->mass.mass;
    return ONSET * mass * fastest * fastest;
}

void step_calm(twStage* s)
{
    bool known = false;
    find_groups(s);
    for (int g = 0; g < s->body_count; g++)
    {
        if (s->group[g] != g) s->surplus[s->group[g] < 0 ? g : s->group[g]] += s->group[g] < 0 ? 0 : s->surplus[g];
        if (s->group[g] != g) s->surplus[g] = 0;
    }
    for (int g = 0; g < s->body_count; g++)
    {
        if (s->group[g] != g) continue;
        double whole = 0;
        for (int i = 0; i < s->body_count; i++)
            if (s->group[i] == g) whole += stage_body_kinetic(&s->bodies[i]) + stage_body_elastic(&s->bodies[i]);
        s->surplus[g] = fmin(fmax(s->surplus[g], -SURPLUS * whole), whole);
        if (!(s->surplus[g] > SURPLUS * whole + allowance(s, g))) continue;
        if (!known) want_least(s);
        known = true;
        slow_group(s, g, s->surplus[g]);
    }
}
