// SPDX-License-Identifier: MIT
// What grabs that agree leave of the second order. Where points hold more than their body can give up, as three of one flat face, some of
// what they ask for has no slope at all: a bend b makes their distances shorter by b^2, so that b has to be 0, and no force of theirs
// could see to that (it would have to be as large as 1/b). Newton's method leaves such directions alone, and what is left after a step is
// mended here: bodies are displaced, by the least that does it in the norm of the mass, until all points are where they should be,
//
//     J L x = target - place,     L L^T = M^-1,     displacement = L x,
//
// by the pseudo-inverse of J L, not of its square: slopes are small. The motion that has led away,
// as far as grabs leave it free, ends: b is held by what they do not feel. That takes energy, and what lifts or bends is owed (ledger.c).
// Where not all points can be brought to their places nothing is changed: then the rest is the least there is.
#include "stage/displace.h"
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define CLOSE 1e-13    // of the size of things: nothing to mend
#define MET 1e-10      // of it: points are where they should be
#define CONCEDED 1e-7  // of it: near enough to what grabs make do with
#define FAR 1e-3       // of it: that is no rest of the second order

// what lifts and bends is owed
static void charge(twStage* s, const StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody *body = &s->bodies[i], before = *body;
        before.position = kept[i].position, before.turn = kept[i].turn, before.q = kept[i].q;
        const double lifted = stage_body_weight(body, s->def.gravity) - stage_body_weight(&before, s->def.gravity);
        const double bent = stage_body_elastic(body) - stage_body_elastic(&before);
        s->accounts[i].own -= lifted;
        if (ledger_is_led(s, s->group[i])) s->accounts[i].may += bent;
        // spins stay, inertia turns
        s->energy.work += lifted + bent + stage_body_kinetic(body) - stage_body_kinetic(&before);
        tw_oscillators_set(body->oscillators, body->q, body->rate);
    }
}

// @return whether there was something to mend, and it is
static bool mend(twStage* s, int group)
{
    const double left = displace_look(s, group), scale = step_scale(s);
    const bool less = step_concedes(s, group);
    const double close = less ? CONCEDED : CLOSE;
    if (left <= close * scale || left > FAR * scale) return false;
    if (displace_bring(s, group, left, close, less ? CONCEDED : MET)) return true;
    displace_undo(s, group, s->kept[2]);
    return false;
}

bool step_mend(twStage* s)
{
    const StageSystem* system = &s->system;
    bool any = false;
    // where no direction is left alone there is nothing to mend, nor where forces act elsewhere
    if (system->rank == system->row_count || !step_in_place(s, STEP_ALL)) return false;
    step_keep(s, s->kept[2]);
    for (int g = 0; g < s->body_count; g++)
        if (s->group[g] == g && mend(s, g)) any = true;
    if (any) charge(s, s->kept[2]);
    return any;
}

// ---- what has led away ----

// of it only what grabs leave free
static void leave_free(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++) memset(system->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
    for (int k = 0; k < system->row_count; k++) system->b[k] = system_along(system, &system->rows[k]);
    system_solve_grabs(system, system->b, system->p);
    system_push(system, system->p, NULL);
    for (int i = 0; i < s->body_count; i++)
        for (int k = 0; k < s->bodies[i].size; k++) system->speed[i][k] -= system->kick[i][k];
}

// the motion of a group along speed ends
static void stop(twStage* s, int group)
{
    double size = 0, along = 0, change[6 + TW_MAX_STAGE_MODES];
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group) size += 2 * stage_body_kinetic_of(&s->bodies[i], s->system.speed[i]);
    if (!(size > 0)) return;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        double* way = s->system.speed[i];
        if (s->group[i] != group) continue;
        for (int k = 0; k < body->size; k++) way[k] /= sqrt(size);
        stage_body_speed(body, change);
        for (int k = 0; k < body->size; k++) change[k] += way[k];
        along += stage_body_kinetic_of(body, change) - stage_body_kinetic(body) - stage_body_kinetic_of(body, way);
    }
    for (int i = 0; i < s->body_count; i++)
    {
        const double before = stage_body_kinetic(&s->bodies[i]);
        if (s->group[i] != group) continue;
        for (int k = 0; k < s->bodies[i].size; k++) change[k] = -along * s->system.speed[i][k];
        stage_body_kick(&s->bodies[i], change);
        s->energy.work += stage_body_kinetic(&s->bodies[i]) - before;
    }
}

void step_stop_mended(twStage* s)
{
    displace_measure(s, s->kept[2]);
    leave_free(s);
    for (int g = 0; g < s->body_count; g++)
        if (s->group[g] == g) stop(s, g);
}
