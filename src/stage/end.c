// SPDX-License-Identifier: MIT
// The end of a step: impulses that bring points to their velocities, and what touches apart.
#include "stage/cone.h"
#include "stage/step.h"
#include <math.h>
#include <string.h>

// Whether springs push at the end of a step as they did at its beginning. Where all is slow they do not: springs that are stiffer than
// steps can tell would shake what lies on them for ever.
static bool springs_push(const twStage* s)
{
    if (s->def.contact != TW_STAGE_PENALTY) return false;
    for (int i = 0; i < s->contact_count; i++)
        if (s->contacts[i].impulse[0] > 0 && s->approach[i] >= SLOW_BOUNCE) return true;
    return false;
}

// what touches at the end: what pushed, and what overlaps
static int feel(twStage* s)
{
    int count = 0;
    const bool hard = s->def.contact == TW_STAGE_CONSTRAINT;
    if (springs_push(s)) return 0;
    for (int i = 0; i < s->contact_count; i++)
        if (s->contacts[i].impulse[0] > 0 || (hard && s->contacts[i].touch.gap <= 0)) s->felt[count++] = i;
    return count;
}

// how fast rigid bodies go apart after a blow; of soft ones the modes rebound
static double rebound(const twStage* s, int contact)
{
    const int a = s->contacts[contact].touch.body[0], b = s->contacts[contact].touch.body[1];
    if (s->bodies[a].mode_count + s->bodies[b].mode_count > 0 || s->approach[contact] < SLOW_BOUNCE) return 0;
    return fmin(s->restitution[a], s->restitution[b]) * s->approach[contact];
}

// what springs hold after the step, to those that they push
static void share_springs(twStage* s)
{
    const double h = s->h;
    for (int i = 0; i < s->contact_count; i++)
    {
        const StageContact* c = &s->contacts[i];
        const double soft = 2 / (h * (h * c->stiffness + c->damping));
        // way = -soft p - k gap/(h k + d)
        const double way = -soft * c->impulse[0] - c->stiffness * c->touch.gap / (h * c->stiffness + c->damping);
        const double deep = c->impulse[0] > 0 ? fmin(c->touch.gap + h * way, 0) : 0;
        const double energy = 0.5 * c->stiffness * deep * deep;
        // all of it belongs to the one that moves, if the other does not
        for (int side = 0; side < 2; side++)
            if (s->bodies[c->touch.body[side]].size > 0)
                s->accounts[c->touch.body[side]].sprung +=
                    s->bodies[c->touch.body[!side]].size > 0 ? 0.5 * energy : energy;
    }
}

// The energy of springs is what was put into them: what overlaps when it is found has done nothing for it yet.
static void load_springs(twStage* s)
{
    const double before = s->energy.springs;
    s->energy.springs = 0;
    for (int i = 0; i < s->body_count; i++)
        s->accounts[i].was_sprung = s->accounts[i].sprung, s->accounts[i].sprung = 0;
    share_springs(s);
    for (int i = 0; i < s->body_count; i++)
    {
        StageAccount* account = &s->accounts[i];
        account->unpaid = fmin(account->unpaid, account->sprung);
        account->sprung -= account->unpaid;
        s->energy.springs += account->sprung;
    }
    s->energy.dissipated += before - s->energy.springs;
}

// the other half of the penalty
static void push_springs(twStage* s)
{
    for (int i = 0; i < s->contact_count; i++)
    {
        step_contact_lines(s, &s->contacts[i], false);
        for (int k = 0; k < 3; k++) s->system.pc[3 * i + k] = s->contacts[i].impulse[k];
    }
    system_push(&s->system, NULL, s->system.pc);
}

// only impulses of the beginning
static void hold_back(Hold* hold)
{
    hold->impulse = tw_vec3_sub(hold->impulse, hold->half);
    hold->half = tw_vec3(0, 0, 0);
    memcpy(hold->pushed, hold->first, sizeof hold->pushed);
}

// lines and right sides of the end of a step, springs already pushing. @return contacts that are felt
static int set_end(twStage* s)
{
    StageSystem* system = &s->system;
    const double end = s->time + s->h;
    system_clear(system);
    step_push_given(s, end);
    step_grab_lines(s, s->after, false);
    const int felt = feel(s);
    for (int i = 0; i < felt; i++) step_contact_lines(s, &s->contacts[s->felt[i]], false);
    if (springs_push(s)) push_springs(s);
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_speed(&s->bodies[i], system->speed[i]);
        for (int k = 0; k < s->bodies[i].size; k++) system->speed[i][k] += system->kick[i][k];
    }
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i])) hold_wants(&s->holds[i], system, s->bodies, s->after, false, end, s->h, system->b);
    for (int i = 0; i < 3 * felt; i++) system->bc[i] = system_along(system, &system->touches[i]);
    for (int i = 0; i < felt; i++) system->bc[3 * i] -= rebound(s, s->felt[i]);
    return felt;
}

static void solve_end(twStage* s, int felt)
{
    StageSystem* system = &s->system;
    StageContact touching[CONE_MAX];
    system_factor(system);
    if (felt == 0)
    {
        system_solve_grabs(system, system->b, system->p);
        system_push(system, system->p, NULL);
        return;
    }
    for (int i = 0; i < felt; i++) touching[i] = s->contacts[s->felt[i]];
    memset(system->soft, 0, (size_t)felt * sizeof *system->soft);
    memset(system->pc, 0, 3 * (size_t)felt * sizeof *system->pc);
    system_solve(system, touching);
    system_push(system, system->p, system->pc);
}

void step_end(twStage* s)
{
    StageSystem* system = &s->system;
    int felt = 0;
    system->softness = s->softness;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        s->holds[i].half = tw_vec3(0, 0, 0);
        memcpy(s->holds[i].first, s->holds[i].pushed, sizeof s->holds[i].pushed);
    }
    step_look(s);
    if (s->def.contact == TW_STAGE_PENALTY) load_springs(s);
    const bool sprung = springs_push(s);
    for (int try = 0; try < MOST_TRIES; try++)
    {
        // from anew: what is given, and what grabs did
        for (int i = 0; i < s->def.max_grabs; i++) hold_back(&s->holds[i]);
        felt = set_end(s);
        solve_end(s, felt);
        step_count_grabs(s, system->p);
        if (!step_limit(s, s->h)) break;
    }
    for (int i = 0; i < s->contact_count && sprung; i++)
        for (int k = 0; k < 3; k++) s->contacts[i].impulse[k] *= 2;
    for (int i = 0; i < felt; i++)
        for (int k = 0; k < 3; k++) s->contacts[s->felt[i]].impulse[k] += system->pc[3 * i + k];
    step_kick(s);
}
