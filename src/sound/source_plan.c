// SPDX-License-Identifier: MIT
// What happens to a source in a block: forces of the trace, turned into the body's axes, at the samples where they begin to act.
// A contact keeps its slot until the block after the one in which it ended.

#include "source_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the forces on a body"); }

// ---- forces that wait ----

twStatus source_force(Source* s, const twTraceTouch* touch, double time, const float force[3], twError* err)
{
    if (s->force_count == s->force_room)
    {
        const int64_t room = 2 * s->force_room + 256;
        Force* more = realloc(s->forces, (size_t)room * sizeof *more);
        if (!more) return no_memory(err);
        s->forces = more;
        s->force_room = room;
    }
    const int side = touch->body[0] == s->def.body ? 0 : 1;
    Force* f = &s->forces[s->force_count++];
    *f = (Force){.time = time, .id = touch->id};
    for (int k = 0; k < 3; k++)
    {
        f->force[k] = side == 0 ? force[k] : -force[k];
        f->normal[k] = touch->normal[k];
        f->vertex[k] = touch->vertex[side][k];
        f->weight[k] = touch->vertex[side][k] >= 0 ? touch->weight[side][k] : 0;
    }
    return TW_OK;
}

// ---- contacts ----

static SourceContact* contact_of(Source* s, uint64_t id, int* slot)
{
    *slot = ids_add(s->ids, id);
    if (*slot < 0) return NULL;
    if (*slot >= s->contact_room)
    {
        const int room = 2 * *slot + 16;
        SourceContact* more = realloc(s->contacts, (size_t)room * sizeof *more);
        if (!more) return NULL;
        memset(more + s->contact_room, 0, (size_t)(room - s->contact_room) * sizeof *more);
        s->contacts = more;
        s->contact_room = room;
    }
    SourceContact* c = &s->contacts[*slot];
    if (!c->open) *c = (SourceContact){.id = id, .open = true, .since = s->block_start, .vertex = {-2, -2, -2}};
    return c;
}

static void into_body(double out[3], twQuat turn, const float v[3])
{
    const twVec3 u = tw_quat_rotate(tw_quat_conj(turn), tw_vec3((double)v[0], (double)v[1], (double)v[2]));
    out[0] = u.x, out[1] = u.y, out[2] = u.z;
}

static void count_impulse(SourceContact* c, double until)
{
    const double normal = c->force[0] * c->normal[0] + c->force[1] * c->normal[1] + c->force[2] * c->normal[2];
    c->impulse += fabs(normal) * fmax(until - c->since, 0);
    c->since = until;
}

static bool same_place(const SourceContact* c, const Force* f)
{
    return memcmp(c->vertex, f->vertex, sizeof c->vertex) == 0 && memcmp(c->weight, f->weight, sizeof c->weight) == 0;
}

// a contact pushes otherwise from now on
static SourceContact* take_force(Source* s, const Force* f, Event* event)
{
    SourceContact* c = contact_of(s, f->id, &event->contact);
    if (!c) return NULL;
    const twQuat turn = source_turn(s, f->time);
    count_impulse(c, f->time);
    for (int d = 0; d < 3; d++) s->net[d] -= c->force[d];
    into_body(c->force, turn, f->force);
    for (int d = 0; d < 3; d++) s->net[d] += c->force[d];
    memcpy(event->net, s->net, sizeof event->net);
    into_body(c->normal, turn, f->normal);
    event->placed = !same_place(c, f);
    memcpy(c->vertex, f->vertex, sizeof c->vertex);
    memcpy(c->weight, f->weight, sizeof c->weight);
    memcpy(event->vertex, f->vertex, sizeof event->vertex);
    memcpy(event->weight, f->weight, sizeof event->weight);
    memcpy(event->force, c->force, sizeof event->force);
    c->ended = f->force[0] == 0 && f->force[1] == 0 && f->force[2] == 0;
    return c;
}

// ended in the block before: nobody needs the slot any more
static void close_ended(Source* s)
{
    const int slots = ids_slots(s->ids);
    for (int i = 0; i < slots && i < s->contact_room; i++)
    {
        SourceContact* c = &s->contacts[i];
        if (!c->open) continue;
        c->impulse = 0;
        c->since = s->block_start;
        if (!c->ended) continue;
        ids_remove(s->ids, c->id);
        c->open = false;
    }
}

// ---- the plan ----

static Event* next_event(Source* s)
{
    if (s->event_count == s->event_room)
    {
        const int room = 2 * s->event_room + 256;
        Event* more = realloc(s->events, (size_t)room * sizeof *more);
        if (!more) return NULL;
        s->events = more;
        s->event_room = room;
    }
    return &s->events[s->event_count++];
}

// waiting forces until a time, from the taken-th on, as events. @return how many are taken now; -1 without memory
static int64_t take_forces(Source* s, int64_t taken, double until)
{
    for (; taken < s->force_count && s->forces[taken].time <= until; taken++)
    {
        const Force* f = &s->forces[taken];
        Event* event = next_event(s);
        if (!event || !take_force(s, f, event)) return -1;
        const double after = (f->time - s->block_start) * s->def.rate_hz;
        event->sample = (int)fmin(fmax(ceil(after), 1), VOICE_BLOCK);
        event->tau = fmin(fmax(event->sample - after, 0), 1);
    }
    return taken;
}

static bool drop_taken(Source* s, int64_t taken)
{
    s->force_count -= taken;
    if (s->force_count > 0) memmove(s->forces, s->forces + taken, (size_t)s->force_count * sizeof *s->forces);
    const int slots = ids_slots(s->ids);
    for (int i = 0; i < s->voice_count; i++)
        if (!voice_reserve(s->voices[i].voice, slots)) return false;
    return true;
}

static bool take_dampers(Source* s, double end)
{
    for (int i = 0; i < s->contact_room; i++)
    {
        SourceContact* c = &s->contacts[i];
        if (!c->open || c->id >= TW_TRACE_PUSH) continue;
        count_impulse(c, end);
        const double strength = s->def.contact_damping * c->impulse * s->def.rate_hz / VOICE_BLOCK;
        if (!(strength > 0)) continue;
        if (s->damper_count == s->damper_room)
        {
            const int room = 2 * s->damper_room + 64;
            Damper* more = realloc(s->dampers, (size_t)room * sizeof *more);
            if (!more) return false;
            s->dampers = more;
            s->damper_room = room;
        }
        s->dampers[s->damper_count++] = (Damper){i, strength, {c->normal[0], c->normal[1], c->normal[2]}};
    }
    return true;
}

// what damped in the last block, for voices that wake in the next one
static void keep_dampers(Source* s, const Plan* last)
{
    s->damper_count = last->damper_count;
    if (s->damper_count > 0)
        memmove(s->dampers, s->dampers + last->damper_first, (size_t)s->damper_count * sizeof *s->dampers);
    s->before = (Plan){.damper_count = s->damper_count};
}

twStatus source_plan(Source* s, double start, twError* err)
{
    int64_t taken = 0;
    bool fine = true;
    s->event_count = 0;
    keep_dampers(s, &s->plans[SOURCE_BLOCKS - 1]);
    for (int b = 0; b < SOURCE_BLOCKS && fine; b++)
    {
        Plan* plan = &s->plans[b];
        s->block_start = start + b * VOICE_BLOCK / s->def.rate_hz;
        const double end = start + (b + 1) * VOICE_BLOCK / s->def.rate_hz;
        *plan = (Plan){s->event_count, 0, s->damper_count, 0, {s->net[0], s->net[1], s->net[2]}, end};
        close_ended(s);
        taken = take_forces(s, taken, end);
        fine = taken >= 0 && take_dampers(s, end);
        plan->event_count = s->event_count - plan->event_first;
        plan->damper_count = s->damper_count - plan->damper_first;
    }
    return fine && drop_taken(s, taken) ? TW_OK : no_memory(err);
}

twStatus source_plan_start(Source* s, twError* err)
{
    s->block_start = 0;
    const int64_t taken = take_forces(s, 0, 0);
    if (taken < 0 || !drop_taken(s, taken)) return no_memory(err);
    // they have pushed for a block
    for (int i = 0; i < s->contact_room; i++) s->contacts[i].since = -VOICE_BLOCK / s->def.rate_hz;
    if (!take_dampers(s, 0)) return no_memory(err);
    s->plans[SOURCE_BLOCKS - 1] = (Plan){.damper_count = s->damper_count};
    return TW_OK;
}
