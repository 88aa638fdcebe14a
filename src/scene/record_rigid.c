// SPDX-License-Identifier: MIT
// What a trace says of the contacts of its scene, before the first frame: what answers as a board; whether forces are
// unique, and if not, the friction that bounds them, so that sound can choose among them.

#include "bodies.h"
#include "record.h"
#include <math.h>
#include <stdlib.h>

#define MOST_PAIRS 4096  // with a friction of their own; what is beyond is as follows from the bodies
#define BATCH 64

typedef struct Saying
{
    twTraceWriter* writer;
    int count;
    twTraceNumber numbers[BATCH];
    char names[BATCH][TW_TRACE_NAME];
} Saying;

static twStatus say_all(Saying* s, twError* err)
{
    const int count = s->count;
    s->count = 0;
    return count > 0 ? tw_trace_put_numbers(s->writer, s->numbers, count, err) : TW_OK;
}

static twStatus say(Saying* s, const char* name, double value, twError* err)
{
    const twStatus status = s->count == BATCH ? say_all(s, err) : TW_OK;
    snprintf(s->names[s->count], TW_TRACE_NAME, "%s", name);
    s->numbers[s->count] = (twTraceNumber){s->names[s->count], value};
    s->count++;
    return status;
}

// the ground is behind the bodies in the world, and -1 in the trace
static int number_of(const twScene* scene, int body) { return body < scene->body_count ? body : TW_NOWHERE; }

static twStatus say_friction(Saying* s, const twScene* scene, const twBodies* bodies, twError* err)
{
    const int count = scene->body_count + scene->ground.given;
    char name[TW_TRACE_NAME];
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        snprintf(name, sizeof name, TW_TRACE_FRICTION, number_of(scene, i));
        status = say(s, name, bodies_friction(bodies, i, i), err);
    }

    // pairs that were told to touch otherwise
    int left = scene->touch_count > 0 ? MOST_PAIRS : 0;
    for (int i = 0; i < count && left > 0; i++)
        for (int k = i + 1; k < count && left > 0 && status == TW_OK; k++)
        {
            const double both = bodies_friction(bodies, i, k);
            const double usual = sqrt(bodies_friction(bodies, i, i) * bodies_friction(bodies, k, k));
            if (fabs(both - usual) <= 1e-9 * usual) continue;
            snprintf(name, sizeof name, TW_TRACE_FRICTION_PAIR, i, number_of(scene, k));
            status = say(s, name, both, err);
            left--;
        }
    return status;
}

static twStatus say_boards(Saying* s, const twScene* scene, const twBodies* bodies, twError* err)
{
    char name[TW_TRACE_NAME];
    twStatus status = TW_OK;
    for (int i = 0; i < scene->body_count + scene->ground.given && status == TW_OK; i++)
    {
        const bool ground = i == scene->body_count;
        twVec3 normal;
        const double board = ground ? scene->ground.mass_per_area : body_board(bodies, i, &normal);
        if (!(board > 0)) continue;
        snprintf(name, sizeof name, TW_TRACE_BOARD, number_of(scene, i));
        status = say(s, name, board, err);
        for (int k = 0; !ground && k < 3 && status == TW_OK; k++)
        {
            snprintf(name, sizeof name, TW_TRACE_BOARD_NORMAL, k, i);
            status = say(s, name, ((const double*)&normal)[k], err);
        }
    }
    return status;
}

twStatus record_rigid(twTraceWriter* writer, const twScene* scene, const twBodies* bodies, twError* err)
{
    const twContactMethod method = scene->world.method;
    const bool hard = method != TW_CONTACT_COMPLIANT;
    Saying* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for the trace");
    s->writer = writer;
    twStatus status = say(s, TW_TRACE_HARD, hard, err);
    if (status == TW_OK) status = say_boards(s, scene, bodies, err);
    if (hard && status == TW_OK)
        status = say(s, TW_TRACE_SPREAD, method == TW_CONTACT_STAGGERED && !scene->world.no_redistribution, err);
    if (hard && status == TW_OK) status = say_friction(s, scene, bodies, err);
    if (status == TW_OK) status = say_all(s, err);
    free(s);
    return status;
}
