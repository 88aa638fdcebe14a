// SPDX-License-Identifier: MIT
// The beginning of a step: impulses that bring points to their places at its end, and keep bodies apart; see parts.h for the equations.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 16    // of Newton's method for places
#define CLOSE 1e-13       // of the size of things: near enough
#define MET 1e-10         // of it: no reason to do otherwise
#define UNSEEN 1e-10      // of what is missing and cannot be reached: near enough
#define FINE 1e-8         // of it: no reason to do otherwise; rounding hides what is less, for squares are compared
#define ROUNDING 1e-14    // of the square of what is missing
#define SLOW_NEWTON 0.1   // of what was left is left after a round: directions have to be looked at anew
#define LEAST_SHARE 0.01  // of a round of Newton's method: then there is no way

// no impulses yet
static void hold_rest(Hold* hold)
{
    hold->impulse = hold->half = tw_vec3(0, 0, 0);
    for (int k = 0; k < hold->def.push_count; k++) hold->pushed[k] = hold->first[k] = tw_vec3(0, 0, 0);
}

// velocities that ways are made of: mean ones without impulses, and what the kicks add
static void set_ways(twStage* s)
{
    const double h = s->h;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        double* speed = s->system.speed[i];
        const double* kick = s->system.kick[i];
        stage_body_mean(body, s->def.gravity, h, speed);
        const int frame = body->size - body->mode_count;
        for (int k = 0; k < frame; k++) speed[k] += kick[k];
        for (int j = 0; j < body->mode_count; j++) speed[frame + j] += body->s[j] / h * kick[frame + j];
    }
}

static void go_on(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        s->after[i] = stage_body_after(&s->bodies[i], s->def.gravity, s->h, s->system.kick[i], s->after_q[i]);
}

// right sides of the grabs' rows
static void want_places(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i]))
            hold_wants(&s->holds[i], &s->system, s->bodies, s->after, true, s->time + s->h, s->h, s->system.b);
}

static void contact_ways(twStage* s)
{
    const double h = s->h;
    StageSystem* system = &s->system;
    for (int i = 0; i < s->contact_count; i++)
    {
        const StageContact* c = &s->contacts[i];
        for (int k = 0; k < 3; k++) system->bc[3 * i + k] = system_along(system, &system->touches[3 * i + k]);
        system->soft[i] = 0;
        if (s->def.contact == TW_STAGE_PENALTY)
        {
            // an implicit spring with damper, p = -h (k (gap + h way) + d way), half of it now and half at the end of the step
            system->soft[i] = 2 / (h * (h * c->stiffness + c->damping));
            system->bc[3 * i] += c->stiffness * c->touch.gap / (h * c->stiffness + c->damping);
        }
        else
            system->bc[3 * i] += fmax(c->touch.gap, 0) / h;
    }
}

// rows as places at the end of the step change
static void aim_grabs(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        if (s->bodies[i].free) s->turning[i] = stage_body_turning(&s->bodies[i], s->h, s->system.kick[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i])) hold_aim(&s->holds[i], &s->system, s->bodies, s->after, s->turning);
    system_aim(&s->system);
}

// sum of squares of what is missing
static double missing(const twStage* s)
{
    double sum = 0;
    for (int k = 0; k < s->system.row_count; k++) sum += s->system.b[k] * s->system.b[k];
    return sum;
}

static void push_more(twStage* s, const double* p, double share)
{
    for (int k = 0; k < s->system.column_count; k++) s->system.p[k] = share * p[k];
    system_push(&s->system, s->system.p, NULL);
    step_count_grabs(s, s->system.p);
    go_on(s);
    want_places(s);
}

// one round of Newton's method, less of it as long as it leads away. @return whether it got nearer, as far as rounding tells
static bool come_nearer(twStage* s)
{
    double* p = s->newton;
    const double before = (1 + ROUNDING) * missing(s);
    memcpy(p, s->system.p, (size_t)s->system.column_count * sizeof *p);
    push_more(s, p, 1);
    double share = 1;
    for (; !(missing(s) < before) && share > LEAST_SHARE; share *= 0.5) push_more(s, p, -0.5 * share);
    if (missing(s) < before) return true;
    push_more(s, p, -share);
    return false;
}

// whether what grabs can still do is a share of the size of things, or of what they cannot do anything about
static bool is_within(const twStage* s, double left, double of_size, double of_rest)
{
    return left <= of_size * step_scale(s) || left <= of_rest * s->h * sqrt(missing(s));
}

// Places by Newton's method; contacts push as they did. Of what cannot be reached, the rest is as small as it can be: what counts is
// how far grabs can still go. @return whether there is no way to go; grabs that agree with each other should not have to give up any
static bool correct_places(twStage* s, bool agree)
{
    double before = HUGE_VAL, left = 0;
    go_on(s);
    want_places(s);
    for (int round = 0; round < MOST_ROUNDS && s->system.row_count > 0; round++)
    {
        system_solve_roughly(&s->system, s->system.b, s->system.p);
        left = s->h * system_reach(&s->system, s->system.p);
        if (is_within(s, left, CLOSE, UNSEEN)) break;
        if (left > SLOW_NEWTON * before)
        {
            aim_grabs(s);
            system_solve_roughly(&s->system, s->system.b, s->system.p);
        }
        before = left;
        s->stats.repeated++;
        if (come_nearer(s)) continue;
        if (s->system.softness >= SOFTEST) return false;
        // without the directions that give least
        s->system.softness = fmax(1e-8, 100 * s->system.softest);
        aim_grabs(s);
    }
    return is_within(s, left, MET, FINE) && (!agree || s->system.softness <= s->softness);
}

// all impulses as if directions stayed
static void first_impulses(twStage* s)
{
    StageSystem* system = &s->system;
    set_ways(s);
    go_on(s);
    want_places(s);
    contact_ways(s);
    system->softness = s->softness;
    system_factor(system);
    system_solve(system, s->contacts);
    system_push(system, system->p, system->pc);
    step_count_grabs(s, system->p);
}

void step_begin(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active) hold_set_out(&s->holds[i], s->bodies, s->time);
    for (int try = 0; try < MOST_TRIES; try++)
    {
        system_clear(system);
        for (int i = 0; i < 3 * s->contact_count; i++) system->pc[i] = 0.5 * s->contacts[i / 3].impulse[i % 3];
        for (int i = 0; i < s->def.max_grabs; i++) hold_rest(&s->holds[i]);
        step_push_given(s, s->time);
        step_grab_lines(s, s->places, true);
        for (int i = 0; i < s->contact_count; i++) step_contact_lines(s, &s->contacts[i], true);
        if (system->row_count + system->touch_count > s->stats.rows_max)
            s->stats.rows_max = system->row_count + system->touch_count;
        first_impulses(s);
        s->missed = !correct_places(s, system->definite);
        if (!step_limit(s, 0.5 * s->h)) break;
    }
    for (int i = 0; i < s->contact_count; i++)
        for (int k = 0; k < 3; k++) s->contacts[i].impulse[k] = system->pc[3 * i + k];
    step_kick(s);
}
