// SPDX-License-Identifier: MIT
// A push is a function of time. It is recorded as steps, each with the value in its middle: STEPS of a tap, or as many as samples
// of the sound. Steps that are as the one before are left out.

#include "record_push.h"
#include "bodies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 32  // of a tap; half a sine keeps its impulse to (pi/32)^2/24, 0.04 %

struct PushRecord
{
    const twScene* scene;
    twBodies* bodies;
    twContactForce* forces;
    int count, room;
};

PushRecord* push_record_create(const twScene* scene, twBodies* bodies)
{
    PushRecord* r = calloc(1, sizeof *r);
    if (r) *r = (PushRecord){.scene = scene, .bodies = bodies};
    return r;
}

void push_record_destroy(PushRecord* r)
{
    if (r) free(r->forces);
    free(r);
}

static bool reserve(PushRecord* r, int room)
{
    if (room <= r->room) return true;
    twContactForce* more = realloc(r->forces, 2 * (size_t)room * sizeof *more);
    if (!more) return false;
    r->forces = more;
    r->room = 2 * room;
    return true;
}

static double step_of(const PushRecord* r, int push)
{
    const twScenePush* p = &r->scene->pushes[push];
    const double sample = 1 / r->scene->rate_hz;
    return p->tap ? fmin((p->end - p->begin) / STEPS, sample) : sample;
}

static twVec3 value_at(const twPushDef* push, int64_t k, double step)
{
    const double middle = push->begin + ((double)k + 0.5) * step;
    return k >= 0 && middle < push->end ? push->force(middle, push->context) : tw_vec3(0, 0, 0);
}

static bool same(twVec3 a, twVec3 b)
{
    return (float)a.x == (float)b.x && (float)a.y == (float)b.y && (float)a.z == (float)b.z;
}

static bool add(PushRecord* r, int index, double time, twVec3 force)
{
    const twPushDef* push = &bodies_pushes(r->bodies)[index];
    const twWorld* world = tw_bodies_world(r->bodies);
    const double size = tw_vec3_norm(force);
    if (!reserve(r, r->count + 1)) return false;
    r->forces[r->count++] =
        (twContactForce){.id = TW_TRACE_PUSH + (uint64_t)index,
                         .time = time,
                         .body = {push->body, TW_NOWHERE},
                         .vertex = {{push->vertex, -1, -1}, {-1, -1, -1}},
                         .weight = {{1, 0, 0}, {0, 0, 0}},
                         .point = tw_world_point(world, push->body, push->vertex, tw_world_time(world), NULL),
                         .normal = size > 0 ? tw_vec3_scale(force, 1 / size) : tw_vec3(0, 0, 1),
                         .force = force};
    return true;
}

// what begins in [from, to) of a push
static bool add_push(PushRecord* r, int index, double from, double to)
{
    const twPushDef* push = &bodies_pushes(r->bodies)[index];
    if (push->vertex < 0 || push->begin >= to || push->end < from) return true;
    const double step = step_of(r, index);
    for (int64_t k = (int64_t)fmax(floor((from - push->begin) / step) - 1, 0);; k++)
    {
        const double time = fmin(push->begin + (double)k * step, push->end);
        if (time >= to) return true;
        const twVec3 force = value_at(push, k, step);
        if (time >= from && !same(force, value_at(push, k - 1, step)) && !add(r, index, time, force)) return false;
        if (time >= push->end) return true;
    }
}

static int compare_times(const void* a, const void* b)
{
    const twContactForce *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

bool push_record_merge(PushRecord* r, const twContactForce** forces, int* count, double from, double to)
{
    r->count = 0;
    for (int i = 0; i < r->scene->push_count; i++)
        if (!add_push(r, i, from, to)) return false;
    if (r->count == 0) return true;

    // pushes first, behind them room to merge both from the end
    const int pushes = r->count, all = pushes + *count;
    qsort(r->forces, (size_t)pushes, sizeof *r->forces, compare_times);
    if (!reserve(r, all)) return false;
    const twContactForce* others = *forces;
    for (int out = all - 1, p = pushes - 1, f = *count - 1; f >= 0; out--)
        r->forces[out] = p >= 0 && r->forces[p].time > others[f].time ? r->forces[p--] : others[f--];
    *count = all;
    *forces = r->forces;
    return true;
}
