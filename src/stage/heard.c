// SPDX-License-Identifier: MIT
// What of a step is heard, recorded and doubted: contacts, grabs and strikes as pushes on points.
#include "stage/step.h"
#include <math.h>
#include <string.h>

// how long a blow between masses lasts by Hertz' law: 2.94 x/v, x = (5 m v^2/4k)^(2/5)
static double blow_time(double mass, double speed, double hertz)
{
    const double v = fmax(speed, 1e-3);
    const double x = pow(1.25 * mass * v * v / fmax(hertz, 1), 0.4);
    return fmin(fmax(2.94 * x / v, 2e-5), 0.05);
}

// another one, or more of the one that a part of the step before had
static StagePush* new_push(twStage* s, uint64_t id, int body, twVec3 impulse)
{
    for (int i = s->strike_count; i < s->push_count && s->parts > 1; i++)
        if (s->pushes[i].id == id && s->pushes[i].body == body)
        {
            const twVec3 own = tw_quat_rotate(tw_quat_conj(s->bodies[body].turn), impulse);
            s->pushes[i].impulse = tw_vec3_add(s->pushes[i].impulse, own);
            return NULL;
        }
    if (s->push_count >= s->push_room) return NULL;
    StagePush* push = &s->pushes[s->push_count++];
    *push = (StagePush){.id = id, .body = body, .vertex = {-1, -1, -1}};
    push->impulse = tw_quat_rotate(tw_quat_conj(s->bodies[body].turn), impulse);
    return push;
}

static void hear_contact(twStage* s, int index)
{
    const StageContact* c = &s->contacts[index];
    const Touch* t = &c->touch;
    if (!(c->impulse[0] > 0)) return;
    twVec3 impulse = tw_vec3_scale(t->normal, c->impulse[0]);
    impulse =
        tw_vec3_add_scaled(tw_vec3_add_scaled(impulse, t->tangent[0], c->impulse[1]), t->tangent[1], c->impulse[2]);
    const double give = s->bodies[t->body[0]].inverse_mass + s->bodies[t->body[1]].inverse_mass;
    for (int side = 0; side < 2; side++)
    {
        StagePush* push = new_push(s, t->id, t->body[side], tw_vec3_scale(impulse, side == 0 ? 1 : -1));
        if (!push) continue;
        push->hit = s->approach[index] > SLOW_BOUNCE;
        push->contact_time = blow_time(give > 0 ? 1 / give : 1, s->approach[index], c->hertz);
        for (int i = 0; i < (side == 0 ? 2 : 3); i++)
        {
            const bool there = t->edge ? i < 2 : side == 1 || i < 1;
            push->vertex[i] = !there ? -1 : side == 0 ? t->vertex[i] : t->corner[i];
            push->weight[i] = !there ? 0 : (float)(side == 0 ? t->share[i] : t->weight[i]);
        }
    }
}

static void hear_point(twStage* s, int slot, int body, const twStagePoint* point, twVec3 impulse)
{
    StagePush* push = new_push(s, TW_TRACE_PUSH | (uint64_t)slot, body, impulse);
    for (int i = 0; i < 3 && push; i++)
    {
        push->vertex[i] = point->vertex[i];
        push->weight[i] = (float)point->weight[i];
    }
}

static void hear_grab(twStage* s, int slot)
{
    const Hold* hold = &s->holds[slot];
    const twStageGrabDef* def = &hold->def;
    if (!hold->active) return;
    for (int k = 0; k < def->push_count; k++)
        hear_point(s, slot, def->push_body[k], &def->push_point[k], hold->whole_pushed[k]);
    if (def->push_count > 0) return;
    hear_point(s, slot, def->body, &def->point, hold->whole);
    if (def->other != TW_NOWHERE) hear_point(s, slot, def->other, &def->other_point, tw_vec3_scale(hold->whole, -1));
}

void step_forget(twStage* s)
{
    s->push_count = s->strike_count;
    s->force_count = 0;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        s->holds[i].whole = tw_vec3(0, 0, 0);
        memset(s->holds[i].whole_pushed, 0, sizeof s->holds[i].whole_pushed);
    }
}

void step_gather(twStage* s)
{
    for (int i = 0; i < s->contact_count; i++) hear_contact(s, i);
    if (s->recording) stage_record_contacts(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!hold->active) continue;
        hold->whole = tw_vec3_add(hold->whole, hold->impulse);
        for (int k = 0; k < hold->def.push_count; k++)
            hold->whole_pushed[k] = tw_vec3_add(hold->whole_pushed[k], hold->pushed[k]);
    }
}

void step_hear(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++) hear_grab(s, i);
    doubt_step(s->doubt, s->pushes, s->push_count);
    live_hear(s->live, s->time, s->pushes, s->push_count, s->after);
    s->push_count = 0;
}

void stage_strike_now(twStage* s, int body, const twStagePoint* point, twVec3 impulse)
{
    system_clear(&s->system);
    step_push_point(s, body, point, impulse);
    const double before = step_kinetic(s);
    for (int i = 0; i < s->body_count; i++) stage_body_kick(&s->bodies[i], s->system.kick[i]);
    s->energy.work += step_kinetic(s) - before;
    StagePush* push = new_push(s, TW_TRACE_PUSH | TW_MAX_STAGE_GRABS, body, impulse);
    if (!push) return;
    push->hit = true;
    push->contact_time = 1e-3;
    for (int i = 0; i < 3; i++)
    {
        push->vertex[i] = point->vertex[i];
        push->weight[i] = (float)point->weight[i];
    }
}
