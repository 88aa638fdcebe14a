// SPDX-License-Identifier: MIT
// Writing of traces: forces of contacts. A force is short (when, where, how much), the touch that says where is long; so a touch
// is written only when a contact begins or has moved so far that it matters: a touch stands for a place on each body, known by
// three vertices and weights, off by less than NEAR_PLACE of the body's size. What is heard of a mode whose wave is a fifth of
// the body is then off by 2 pi 5 NEAR_PLACE, 3e-3.

#include "trace_writer.h"
#include <math.h>
#include <stdlib.h>

#define NEAR_PLACE 1e-4   // of a body's size: how far a contact moves on it before that is written
#define NEAR_POINT 1e-3   // of the smaller body's size: and in the world
#define NEAR_NORMAL 1e-3  // [rad]

// ---- contacts that push, by id ----

static size_t home_of(const TraceContacts* c, uint64_t id)
{
    const uint64_t mixed = (id ^ id >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (c->capacity - 1);
}

TraceContact* trace_find_contact(const TraceContacts* c, uint64_t id)
{
    size_t i = home_of(c, id);
    while (c->places[i].number != 0 && c->places[i].touch.id != id) i = (i + 1) & (c->capacity - 1);
    return &c->places[i];
}

bool trace_reserve_contacts(TraceContacts* c, size_t more)
{
    size_t capacity = c->capacity ? c->capacity : 64;
    if (more > SIZE_MAX / sizeof(TraceContact) / 8) return false;
    while (capacity < 2 * (c->used + more) + 2) capacity *= 2;
    if (capacity == c->capacity) return true;
    TraceContacts larger = {calloc(capacity, sizeof *larger.places), capacity, c->used};
    if (!larger.places) return false;
    for (size_t i = 0; i < c->capacity; i++)
        if (c->places[i].number != 0) *trace_find_contact(&larger, c->places[i].touch.id) = c->places[i];
    free(c->places);
    *c = larger;
    return true;
}

// those behind it that would be found no more move up
void trace_end_contact(TraceContacts* c, TraceContact* place)
{
    const size_t mask = c->capacity - 1;
    size_t hole = (size_t)(place - c->places);
    for (size_t i = (hole + 1) & mask; c->places[i].number != 0; i = (i + 1) & mask)
    {
        const size_t home = home_of(c, c->places[i].touch.id);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        c->places[hole] = c->places[i];
        hole = i;
    }
    c->places[hole].number = 0;
    c->used--;
}

// ---- what is written of a force ----

static void put_vector(float out[3], twVec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static twTraceTouch touch_of(const twContactForce* f)
{
    twTraceTouch touch = {.id = f->id, .body = {f->body[0], f->body[1]}};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
        {
            touch.vertex[side][k] = f->vertex[side][k];
            touch.weight[side][k] = f->vertex[side][k] >= 0 ? f->weight[side][k] : 0;
        }
    put_vector(touch.point, f->point);
    put_vector(touch.normal, f->normal);
    return touch;
}

// in the body's own axes
static twVec3 place_on(const twTraceWriter* w, const twTraceTouch* touch, int side)
{
    twVec3 at = {0, 0, 0};
    const int body = touch->body[side];
    for (int k = 0; k < 3; k++)
        if (touch->vertex[side][k] >= 0)
            at = tw_vec3_add(at, tw_vec3_scale(w->sets[body].vertices[touch->vertex[side][k]], touch->weight[side][k]));
    return at;
}

static double apart(const float a[3], const float b[3])
{
    return hypot(hypot((double)a[0] - b[0], (double)a[1] - b[1]), (double)a[2] - b[2]);
}

// whether a touch still says where a contact is
static bool still_there(const twTraceWriter* w, const twTraceTouch* old, const twTraceTouch* now)
{
    double smaller = HUGE_VAL;
    for (int side = 0; side < 2; side++)
    {
        const int body = now->body[side];
        if (old->body[side] != body) return false;
        if (body < 0) continue;
        const twVec3 moved = tw_vec3_sub(place_on(w, now, side), place_on(w, old, side));
        if (!(tw_vec3_norm(moved) <= NEAR_PLACE * w->size[body])) return false;
        smaller = fmin(smaller, w->size[body]);
    }
    return apart(old->point, now->point) <= NEAR_POINT * smaller && apart(old->normal, now->normal) <= NEAR_NORMAL;
}

// ---- all of a call ----

static twStatus check(const twTraceWriter* w, const twContactForce* forces, int count, twError* err)
{
    twError inner = {0};
    double last = w->last_time;
    for (int i = 0; i < count; i++)
    {
        float force[3];
        const twTraceTouch touch = touch_of(&forces[i]);
        put_vector(force, forces[i].force);
        if (trace_check_touch(&touch, w->bodies, w->body_count, &inner) != TW_OK)
            return tw_fail(err, TW_BAD_INPUT, "%s: force %d: %s", w->path, i, inner.text);
        if (!isfinite(force[0]) || !isfinite(force[1]) || !isfinite(force[2]))
            return tw_fail(err, TW_BAD_INPUT, "%s: force %d is not finite", w->path, i);
        if (!(forces[i].time >= last && isfinite(forces[i].time)))
            return tw_fail(err, TW_BAD_INPUT, "%s: force %d is of %.9g s, after one of %.9g s", w->path, i,
                           forces[i].time, last);
        last = forces[i].time;
    }
    return TW_OK;
}

static bool reserve_scratch(twTraceWriter* w, size_t bytes)
{
    if (bytes <= w->scratch_bytes) return true;
    char* larger = realloc(w->scratch, 2 * bytes);
    if (!larger) return false;
    w->scratch = larger;
    w->scratch_bytes = 2 * bytes;
    return true;
}

// one force; a new touch goes to *touch. @return whether it did. *keep: false for the end of what does not push
static bool take(twTraceWriter* w, const twContactForce* f, twTraceTouch* touch, uint64_t number, twTraceForce* out,
                 bool* keep)
{
    *touch = touch_of(f);
    *out = (twTraceForce){.time = f->time};
    put_vector(out->force, f->force);
    const bool pushes = out->force[0] != 0 || out->force[1] != 0 || out->force[2] != 0;
    TraceContact* place = trace_find_contact(&w->contacts, touch->id);
    const bool known = place->number != 0, fresh = pushes && !(known && still_there(w, &place->touch, touch));
    *keep = pushes || known;
    if (fresh)
    {
        w->contacts.used += !known;
        *place = (TraceContact){*touch, number + 1};
    }
    if (*keep) out->touch = (uint32_t)(place->number - 1);
    if (known && !pushes) trace_end_contact(&w->contacts, place);
    return fresh;
}

twStatus tw_trace_append_forces(twTraceWriter* w, const twContactForce* forces, int count, twError* err)
{
    TW_ASSERT(count >= 0);
    twStatus status = check(w, forces, count, err);
    if (status != TW_OK || count == 0) return status;
    const size_t most = (size_t)count;
    if (w->done.touch_count + most > TRACE_MAX_TOUCHES)
        return tw_fail(err, TW_BAD_INPUT, "%s: more than %u touches", w->path, (unsigned)TRACE_MAX_TOUCHES);
    if (!reserve_scratch(w, most * (sizeof(twTraceTouch) + sizeof(twTraceForce))) ||
        !trace_reserve_contacts(&w->contacts, most))
        return tw_fail(err, TW_NO_MEMORY, "%s: no memory for %d forces", w->path, count);
    twTraceTouch* touches = (void*)w->scratch;
    twTraceForce* kept = (void*)(touches + most);
    uint64_t fresh = 0, n = 0;
    for (int i = 0; i < count; i++)
    {
        bool keep;
        twTraceTouch touch;
        if (take(w, &forces[i], &touch, w->done.touch_count + fresh, &kept[n], &keep)) touches[fresh++] = touch;
        n += keep;
    }
    w->last_time = forces[count - 1].time;
    if (fresh > 0) status = trace_put(w, "TOUC", w->done.touch_count, sizeof *touches, fresh, touches, err);
    if (status == TW_OK && n > 0) status = trace_put(w, "FORC", w->done.force_count, sizeof *kept, n, kept, err);
    if (status != TW_OK) return status;  // the writer is of no use any more: contacts are ahead of the file
    w->done.touch_count += fresh;
    w->done.force_count += n;
    return TW_OK;
}
