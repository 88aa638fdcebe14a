// SPDX-License-Identifier: MIT
// One step: impulses at its beginning bring points to their places at its end, everything goes freely, impulses at its end bring them
// to their velocities (the order of RATTLE, with the exact flow of the oscillators in between). See parts.h for the equations.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define RECOVERY 0.1  // share of an overlap that is mended in a step
#define OVERLAP 1e-3  // of a body's radius: overlap that is left alone

static bool is_held(const twStage* s, int body)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && (s->holds[i].def.body == body || s->holds[i].def.other == body)) return true;
    return false;
}

// to be moved without a push: what is grabbed is where it should be
static double give_of(const twStage* s, const StageBody* body)
{
    return is_held(s, body->index) ? 0 : body->inverse_mass;
}

// what overlaps is moved apart a little, without velocity
static void part_bodies(twStage* s)
{
    for (int i = 0; i < s->contact_count && s->def.contact == TW_STAGE_CONSTRAINT; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        StageBody *a = &s->bodies[touch->body[0]], *b = &s->bodies[touch->body[1]];
        const double slack = OVERLAP * fmin(a->contact->radius, b->contact->radius);
        const double give_a = give_of(s, a), give_b = give_of(s, b), give = give_a + give_b;
        const double deep = -touch->gap - slack;
        if (!(deep > 0) || !(give > 0)) continue;
        const double way = RECOVERY * deep / (s->contact_count * give);
        const double before = stage_body_weight(a, s->def.gravity) + stage_body_weight(b, s->def.gravity);
        a->position = tw_vec3_add_scaled(a->position, touch->normal, way * give_a);
        b->position = tw_vec3_add_scaled(b->position, touch->normal, -way * give_b);
        s->energy.dissipated -= stage_body_weight(a, s->def.gravity) + stage_body_weight(b, s->def.gravity) - before;
    }
}

// Impulses at the beginning of a step and at its end do not take from each other exactly what contacts between soft bodies should; what
// is made of nothing, less than they dissipate on the way, is taken from the vibration of those that touch. Momentum stays.
static void pay_back(twStage* s, double made)
{
    double shaking = 0;
    if (!(made > 0)) return;
    for (int i = 0; i < s->body_count; i++) s->shaken[i] = false;
    for (int c = 0; c < s->contact_count; c++)
        for (int side = 0; side < 2; side++) s->shaken[s->contacts[c].touch.body[side]] = true;
    for (int i = 0; i < s->body_count; i++)
    {
        s->shaken[i] = s->shaken[i] && !is_held(s, i);
        for (int j = 0; j < s->bodies[i].mode_count && s->shaken[i]; j++)
            shaking += 0.5 * s->bodies[i].rate[j] * s->bodies[i].rate[j];
    }
    const double left = shaking > made ? sqrt(1 - made / shaking) : 0;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        const int frame = body->size - body->mode_count;
        double* kick = s->system.kick[i];
        if (!s->shaken[i] || body->mode_count == 0) continue;
        memset(kick, 0, (size_t)frame * sizeof *kick);
        for (int j = 0; j < body->mode_count; j++) kick[frame + j] = (left - 1) * body->rate[j];
        stage_body_kick(&s->bodies[i], kick);
    }
    s->energy.dissipated += fmin(made, shaking);
}

static void find_contacts(twStage* s)
{
    s->contact_count = 0;
    if (!s->touches) return;
    double fastest = 0;
    for (int i = 0; i < s->body_count; i++) fastest = fmax(fastest, tw_place_speed_bound(&s->places[i]));
    const double h = s->def.step, reach = 2 * h * (fastest + h * tw_vec3_norm(s->def.gravity)) + 1e-4 * step_scale(s);
    s->contact_count = stage_touches_find(s->touches, s->places, reach, &s->contacts);
    for (int i = 0; i < s->contact_count; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        double u[3];
        tw_touch_velocity(u, touch, &s->places[touch->body[0]], &s->places[touch->body[1]]);
        s->approach[i] = -u[0];
    }
    s->stats.contacts += s->contact_count;
    if (s->contact_count > s->stats.contacts_max) s->stats.contacts_max = s->contact_count;
}

static bool holds_body(const Hold* hold, int body)
{
    bool any = hold->def.body == body || hold->def.other == body;
    for (int k = 0; k < hold->def.push_count; k++) any = any || hold->def.push_body[k] == body;
    return hold->active && any;
}

void stage_jumped(twStage* s, int body)
{
    if (s->touches) stage_touches_forget(s->touches, body);
    for (int k = 0; k < s->def.max_grabs; k++)
        if (holds_body(&s->holds[k], body)) hold_again(&s->holds[k], s->bodies, s->time);
}

static void reset_lost(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        if (stage_body_finite(&s->bodies[i])) continue;
        stage_body_reset(&s->bodies[i]);
        for (int k = 0; k < s->def.max_grabs; k++)
            if (holds_body(&s->holds[k], i)) s->holds[k].active = false;
        if (s->touches) stage_touches_forget(s->touches, i);
        s->stats.resets++;
    }
}

static double energy_of(const twStage* s, const StageBody* body)
{
    return stage_body_kinetic(body) + stage_body_elastic(body) + stage_body_weight(body, s->def.gravity);
}

// everything goes by itself; what damping has taken is not there any more, whoever brought it in
static void flow(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        const double before = energy_of(s, body);
        stage_body_flow(body, s->def.gravity, s->def.step);
        const double lost = before - energy_of(s, body);
        s->energy.dissipated += lost;
        s->surplus[i] -= lost;
    }
}

void stage_step(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_predict(&s->bodies[i], s->def.step);
        s->places[i] = stage_body_place(&s->bodies[i]);
    }
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].limited = false, s->holds[i].asked = 0;
    find_contacts(s);
    const double before = s->energy.dissipated;
    step_begin(s);
    flow(s);
    step_end(s, before);
    part_bodies(s);
    pay_back(s, before - s->energy.dissipated);
    s->time = (double)++s->step * s->def.step;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        s->holds[i].fresh = false;
        if (s->holds[i].active && s->holds[i].limited) hold_yield(&s->holds[i], s->bodies, s->time);
    }
    reset_lost(s);
    for (int i = 0; i < s->body_count; i++) s->after[i] = stage_body_place(&s->bodies[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->holds[i].def.kind == TW_GRAB_POSITION)
            s->holds[i].error = tw_vec3_norm(hold_error(&s->holds[i], s->bodies, s->after, s->time));
    step_hear(s);
    if (s->recording) stage_record_step(s);
    s->stats.steps++;
}
