// SPDX-License-Identifier: MIT
// The forces of a step, mean over it, as worlds give them: each holds until the next of its contact, and 0 ends it.
#include "stage/stage.h"
#include <string.h>

#define PUSH_BITS 32  // of an id behind which the places are counted where a grab pushes

static twContactForce* add(twStage* s, uint64_t id, int a, int b)
{
    if (s->force_count >= s->force_room) return NULL;
    twContactForce* out = &s->forces[s->force_count++];
    *out = (twContactForce){.id = id, .time = s->began, .body = {a, b}, .vertex = {{-1, -1, -1}, {-1, -1, -1}}};
    return out;
}

static twContactForce* find(twStage* s, uint64_t id)
{
    for (int i = 0; i < s->force_count && s->parts > 1; i++)
        if (s->forces[i].id == id) return &s->forces[i];
    return NULL;
}

static void put_contact(twStage* s, const StageContact* c)
{
    const Touch* t = &c->touch;
    if (!(c->impulse[0] > 0)) return;
    const double rate = 1 / s->def.step;
    const twVec3 force = tw_vec3_add_scaled(
        tw_vec3_add_scaled(tw_vec3_scale(t->normal, c->impulse[0] * rate), t->tangent[0], c->impulse[1] * rate),
        t->tangent[1], c->impulse[2] * rate);
    twContactForce* out = find(s, t->id);
    if (out)
    {
        // of a part of the step before
        out->force = tw_vec3_add(out->force, force);
        return;
    }
    out = add(s, t->id, t->body[0], t->body[1]);
    if (!out) return;
    out->point = t->point;
    out->normal = t->normal;
    out->force = force;
    for (int i = 0; i < (t->edge ? 2 : 1); i++)
    {
        out->vertex[0][i] = t->vertex[i];
        out->weight[0][i] = (float)t->share[i];
    }
    for (int i = 0; i < (t->edge ? 2 : 3); i++)
    {
        out->vertex[1][i] = t->corner[i];
        out->weight[1][i] = (float)t->weight[i];
    }
}

static void put_place(twContactForce* out, int side, const int vertex[3], const double weight[3])
{
    for (int i = 0; i < 3; i++)
    {
        out->vertex[side][i] = vertex[i];
        out->weight[side][i] = (float)weight[i];
    }
}

// at a point of a body, from outside
static twContactForce* put_push(twStage* s, uint64_t id, int body, const twStagePoint* point, twVec3 impulse)
{
    twContactForce* out = add(s, TW_TRACE_PUSH | id, body, TW_NOWHERE);
    if (!out) return NULL;
    out->force = tw_vec3_scale(impulse, 1 / s->def.step);
    out->point = stage_point_place(&s->bodies[body], &s->after[body], point);
    out->normal = tw_vec3_max(out->force) > 0 ? tw_vec3_normalize(out->force) : tw_vec3(0, 0, 1);
    put_place(out, 0, point->vertex, point->weight);
    return out;
}

static void put_grab(twStage* s, int slot)
{
    const Hold* hold = &s->holds[slot];
    const twStageGrabDef* def = &hold->def;
    if (!hold->active) return;
    for (int k = 0; k < def->push_count; k++)
        put_push(s, (uint64_t)slot | (uint64_t)(k + 1) << PUSH_BITS, def->push_body[k], &def->push_point[k],
                 hold->whole_pushed[k]);
    if (def->push_count > 0) return;
    twContactForce* out = put_push(s, (uint64_t)slot, def->body, &def->point, hold->whole);
    if (!out || def->other == TW_NOWHERE) return;
    out->body[1] = def->other;
    put_place(out, 1, def->other_point.vertex, def->other_point.weight);
}

static void put_strike(twStage* s, int index)
{
    const StagePush* push = &s->pushes[index];
    twStagePoint point;
    for (int i = 0; i < 3; i++) point.vertex[i] = push->vertex[i], point.weight[i] = (double)push->weight[i];
    const twVec3 impulse = tw_quat_rotate(s->places[push->body].turn, push->impulse);
    put_push(s, TW_MAX_STAGE_GRABS + (uint64_t)index, push->body, &point, impulse);
}

static bool goes_on(const twStage* s, const twContactForce* old, int count)
{
    for (int i = 0; i < count; i++)
        if (s->forces[i].id == old->id) return true;
    return false;
}

void stage_record_begin(twStage* s)
{
    // those of the last step that pushed
    s->before_count = 0;
    for (int i = 0; i < s->force_count; i++)
        if (tw_vec3_max(s->forces[i].force) > 0) s->before[s->before_count++] = s->forces[i];
}

void stage_record_contacts(twStage* s)
{
    for (int i = 0; i < s->contact_count; i++) put_contact(s, &s->contacts[i]);
}

void stage_record_step(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++) put_grab(s, i);
    for (int i = 0; i < s->strike_count; i++) put_strike(s, i);
    const int count = s->force_count;
    for (int i = 0; i < s->before_count && s->force_count < s->force_room; i++)
    {
        if (goes_on(s, &s->before[i], count)) continue;
        twContactForce* out = &s->forces[s->force_count++];
        *out = s->before[i];
        out->time = s->began;
        out->force = tw_vec3(0, 0, 0);
    }
}
