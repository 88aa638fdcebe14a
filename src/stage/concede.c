// SPDX-License-Identifier: MIT
// Grabs that contradict each other get what makes the sum of squares of their errors least, as fast as hands may go and no faster. Where
// points hold more than their body can give up, that least moves fast, or jumps, as they change: bodies would be bent, and thrown, by
// impulses without bound. So the answer is looked for before a part of a step, without forces: bodies are displaced from where they are,
//
//     |target - place|^2 + sum of w^2 q^2 / K  least,     |displacement| <= R h     (norm of the mass),
//
// K the stiffness of hands, by Gauss and Newton's method in a region that is trusted (Levenberg and Marquardt), then by errors alone where
// slopes are clear. The places found that way, which all points can reach together, are what grabs are held to in this part. Grabs that
// agree never get here, nor those whose targets rest.
#include "stage/displace.h"
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define APART 1e-6     // of the size of things: grabs that are farther from their targets contradict each other
#define FAR 1e-3       // of it: that is no rest of the second order
#define CLOSE 1e-13    // of it: grabs agree after all
#define MET 1e-10      // so do they if no more is left
#define STIFF 1e4      // hands that lead somewhere, in stiffnesses of the body in its fastest mode
#define FAINTEST 1e-8  // of the sum of squares of slopes: directions that bring points nearer by less are hardly gone
#define CLEAR 1e-2     // slopes, of the largest: errors alone count there
#define BENT 0.5       // of the energy that hands may bring a group to: they bend it no further
#define WEAKER 0.03    // they are then
#define DISCORD 16     // parts of steps until it is asked again whether grabs agree
#define ROUNDS 4
#define TRIES 6    // each a quarter as long as the one before
#define GAIN 1e-3  // of the cost: less is not worth another round

// Whether points of a group were apart from their targets after the last step. In parts of a step they may always be, by a little: what
// goes round is told by straight lines.
static bool contradicts(const twStage* s, int group)
{
    const double most = APART * step_scale(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (step_acts(hold) && (group == STEP_ALL || s->group[hold->def.body] == group) && hold->error > most)
            return true;
    }
    return false;
}

// a round, no longer than most: by bending against hands, or (HUGE_VAL) by errors alone where slopes are clear. @return how long it was;
// 0: none is nearer
static double come_nearer(twStage* s, int group, double most, double stiffness)
{
    const double before = displace_cost(s, group, stiffness);
    step_keep(s, s->kept[3]);
    for (int try = 0; try < TRIES; try++)
    {
        const double far = stiffness < HUGE_VAL ? displace_aim_within(s, group, most, FAINTEST, stiffness)
                                                : displace_aim(s, group, CLEAR);
        displace_go(s, fmin(1, most / far));
        if (!(far > 0)) return 0;
        if (displace_cost(s, group, stiffness) < before) return fmin(far, most);
        displace_undo(s, group, s->kept[3]);
        most = 0.25 * fmin(far, most);
    }
    return 0;
}

// @return what is left of most
static double come_near_by(twStage* s, int group, double most, double stiffness)
{
    for (int round = 0; round < ROUNDS && most > 0; round++)
    {
        const double before = displace_cost(s, group, stiffness), far = come_nearer(s, group, most, stiffness);
        most -= far;
        if (!(far > 0) || displace_cost(s, group, stiffness) > (1 - GAIN) * before) break;
    }
    return most;
}

static double bending(const twStage* s, int group)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += s->group[i] == group ? stage_body_elastic(&s->bodies[i]) : 0;
    return sum;
}

// As near as hands may bring them in this part. Where they hardly bring them nearer bending counts: what is bent far for little would have
// to come back. Nor do they bend more than hands may.
static void come_near(twStage* s, int group)
{
    const double most = s->h * ledger_haste(s, group), bent = fmax(bending(s, group), BENT * ledger_level(s, group));
    double stiffness = STIFF;
    come_near_by(s, group, come_near_by(s, group, most, stiffness), HUGE_VAL);
    for (int try = 0; try < TRIES && bending(s, group) > bent; try++)
    {
        displace_undo(s, group, s->kept[2]);
        come_near_by(s, group, most, stiffness *= WEAKER);
    }
}

// Where points can be in their places after all, by a way that slopes hardly tell: as far on it as hands may bring them in this part.
// @return whether there is one
static bool agree(twStage* s, int group)
{
    const double left = displace_look(s, group), most = s->h * ledger_haste(s, group);
    double square = 0;
    if (left > FAR * step_scale(s) || !displace_bring(s, group, left, CLOSE, MET)) return false;
    displace_measure(s, s->kept[2]);
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] == group) square += 2 * stage_body_kinetic_of(&s->bodies[i], s->system.speed[i]);
        memcpy(s->system.kick[i], s->system.speed[i], (size_t)s->bodies[i].size * sizeof(double));
    }
    if (square <= most * most) return true;
    displace_undo(s, group, s->kept[2]);
    displace_go(s, most / sqrt(square));
    return true;
}

// whether grabs agree takes longer to find out than all the rest, and is not asked in vain again and again
static void find_way(twStage* s, int group)
{
    int* discord = &s->accounts[group].discord;
    if (*discord > 0) --*discord;
    if (*discord == 0 && agree(s, group)) return;
    if (*discord == 0) *discord = DISCORD;
    displace_undo(s, group, s->kept[2]);
    come_near(s, group);
}

// bodies of a group being where they are to be: what its grabs make do with
static void concede(twStage* s, int group)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!step_acts(hold) || s->group[hold->def.body] != group) continue;
        double rate[3] = {0, 0, 0};
        for (int axis = 0, row = hold->row; axis < 3; axis++)
            if (hold->def.along[axis]) rate[axis] = system_along(system, &system->rows[row++]) / s->h;
        hold->short_of = hold_error(hold, s->bodies, s->after, s->time + s->h);
        hold->conceded = tw_vec3(rate[0], rate[1], rate[2]);
        hold->concedes = true;
    }
}

static void look_now(twStage* s)
{
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!step_acts(hold)) continue;
        hold_set_out(hold, s->bodies, s->time);
        hold->was_short = hold_error(hold, s->bodies, s->after, s->time);
    }
}

void step_concede(twStage* s)
{
    if (!contradicts(s, STEP_ALL)) return;
    look_now(s);
    ledger_groups(s);
    for (int g = 0; g < s->body_count; g++)
    {
        if (s->group[g] != g || !contradicts(s, g) || !step_in_place(s, g) || !ledger_is_led(s, g)) continue;
        step_keep(s, s->kept[2]);
        find_way(s, g);
        system_clear(&s->system);
        step_look(s);
        step_grab_lines(s, s->after, true);
        displace_measure(s, s->kept[2]);
        concede(s, g);
        displace_undo(s, g, s->kept[2]);
    }
}

bool step_concedes(const twStage* s, int group)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].concedes && s->group[s->holds[i].def.body] == group) return true;
    return false;
}

void step_recant(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].concedes = false;
}
