// SPDX-License-Identifier: MIT
// A force of the trace is constant until the next one of its contact. A sample is the mean of their sum over the sample before it, which
// keeps every impulse and is half a sample late: a change dF at x samples adds (1 - frac x) dF to the sample that it falls into and the rest
// to the next one. What is held is no sound: a high-pass of first order, as for clicks.

#include "board.h"
#include "base/ids.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_HZ 5.0   // below: a held force, no sound
#define SILENT 1e-10  // change of a force over mass per area that nobody hears [m/s^2]: 2e-11 Pa at 1 m

// how a contact presses from a time on
typedef struct BoardForce
{
    double time, force;  // [s]; out of the board, over its mass per area [m/s^2]
    int contact;         // slot
    twVec3 point;
} BoardForce;

typedef struct BoardContact
{
    double force, since;  // [m/s^2]; [samples] of the batch
    twVec3 point;
} BoardContact;

// what one body, or all rods, do to boards
typedef struct BoardLoad
{
    Ids* ids;  // of contacts; NULL before the first one
    BoardContact* contacts;
    int contact_room;
    BoardForce* waiting;
    int64_t wait_count, wait_room;
    double net, held;  // force in the last sample; slow part of it [m/s^2]
    double rest;       // what the last change has left for the next sample [m/s^2]
    twVec3 place;
    bool heard;  // in the batch before
} BoardLoad;

typedef struct BoardPlate
{
    double mass_per_area;  // [kg/m^2]; 0: no board
    twVec3 normal;         // of its face; 0: that of what touches it
} BoardPlate;

struct Board
{
    double rate_hz, fade;  // of the held force in a sample
    int body_count;
    BoardPlate* plates;  // (bodies, then the ground)
    BoardLoad loads[];   // (bodies, then rods)
};

twStatus board_create(Board** out, int body_count, double rate_hz, twError* err)
{
    const size_t loads = (size_t)body_count + 1;
    Board* b = *out = calloc(1, sizeof *b + loads * (sizeof *b->loads + sizeof *b->plates));
    if (!b) return tw_fail(err, TW_NO_MEMORY, "no memory for boards under %d bodies", body_count);
    b->body_count = body_count;
    b->plates = (BoardPlate*)(b->loads + loads);
    b->rate_hz = rate_hz;
    b->fade = exp(-2 * TW_PI * SLOW_HZ / rate_hz);
    return TW_OK;
}

void board_destroy(Board* b)
{
    for (int i = 0; b && i <= b->body_count; i++)
    {
        ids_destroy(b->loads[i].ids);
        free(b->loads[i].contacts);
        free(b->loads[i].waiting);
    }
    free(b);
}

static BoardPlate* board_plate(const Board* b, int body)
{
    return &b->plates[body == TW_NOWHERE ? b->body_count : body];
}

void board_set(Board* b, int body, double mass_per_area) { board_plate(b, body)->mass_per_area = mass_per_area; }

void board_face(Board* b, int body, int axis, double component)
{
    ((double*)&board_plate(b, body)->normal)[axis] = component;
}

int board_load_count(const Board* b) { return b->body_count + 1; }

// ---- forces that wait ----

// The board of a touch, and who presses on it: what touches the ground or a rod has the point, so that these are told apart.
// @return NULL: there is none
static const BoardPlate* board_find(const Board* b, const twTraceTouch* touch, int* load)
{
    const int first = touch->body[0], second = touch->body[1];
    if (touch->id >= TW_TRACE_PUSH) return NULL;
    *load = first == TW_NOWHERE ? b->body_count : first;
    const BoardPlate* under = board_plate(b, second);
    if (under->mass_per_area > 0) return under;
    if (first == TW_NOWHERE || second == TW_NOWHERE) return NULL;
    *load = second;
    return board_plate(b, first)->mass_per_area > 0 ? board_plate(b, first) : NULL;
}

// A force along the normal of the face that it is nearest to, over the mass per area: what goes along a board, as a blow on its rim, does not bend it.
static double board_push(const BoardPlate* plate, const twTraceTouch* touch, const float force[3])
{
    const twVec3 on = tw_vec3((double)touch->normal[0], (double)touch->normal[1], (double)touch->normal[2]);
    const bool faced = tw_vec3_dot(plate->normal, plate->normal) > 0;
    const twVec3 face = faced ? plate->normal : on;
    const double out = tw_vec3_dot(tw_vec3((double)force[0], (double)force[1], (double)force[2]), face);
    return -copysign(out, out * tw_vec3_dot(face, on)) / plate->mass_per_area;
}

// @return the slot of a contact; -1 without memory
static int board_contact(BoardLoad* load, uint64_t id)
{
    if (!load->ids && !(load->ids = ids_create())) return -1;
    const int slot = ids_add(load->ids, id);
    if (slot < load->contact_room) return slot;
    const int room = 2 * slot + 4;
    BoardContact* more = realloc(load->contacts, (size_t)room * sizeof *more);
    if (!more) return -1;
    memset(more + load->contact_room, 0, (size_t)(room - load->contact_room) * sizeof *more);
    load->contacts = more;
    load->contact_room = room;
    return slot;
}

static bool board_reserve(BoardLoad* load)
{
    if (load->wait_count < load->wait_room) return true;
    const int64_t room = 2 * load->wait_room + 64;
    BoardForce* more = realloc(load->waiting, (size_t)room * sizeof *more);
    if (!more) return false;
    load->waiting = more;
    load->wait_room = room;
    return true;
}

twStatus board_force(Board* b, const twTraceTouch* touch, double time, const float force[3], twError* err)
{
    int index;
    const BoardPlate* plate = board_find(b, touch, &index);
    if (!plate) return TW_OK;
    BoardLoad* load = &b->loads[index];
    const int slot = board_reserve(load) ? board_contact(load, touch->id) : -1;
    if (slot < 0) return tw_fail(err, TW_NO_MEMORY, "no memory for the forces on a board");
    // the slot of a contact that ends is free for those after it, which wait behind it
    if (force[0] == 0 && force[1] == 0 && force[2] == 0) ids_remove(load->ids, touch->id);
    const twVec3 point = tw_vec3((double)touch->point[0], (double)touch->point[1], (double)touch->point[2]);
    load->waiting[load->wait_count++] = (BoardForce){time, board_push(plate, touch, force), slot, point};
    return TW_OK;
}

// ---- a batch ----

// impulses of a batch and their places
typedef struct BoardMean
{
    double weight;
    twVec3 sum;
} BoardMean;

static void board_weigh(BoardMean* mean, const BoardContact* c, double until)
{
    const double weight = fabs(c->force) * (until - c->since);
    mean->weight += weight;
    mean->sum = tw_vec3_add_scaled(mean->sum, c->point, weight);
}

// waiting forces before a time. jumps (SOURCE_BATCH + 1): of the samples from a time on
static void board_take(const Board* b, BoardLoad* load, double from, double until, double* jumps, BoardMean* mean)
{
    int64_t taken = 0;
    for (; taken < load->wait_count && load->waiting[taken].time < until; taken++)
    {
        const BoardForce* f = &load->waiting[taken];
        BoardContact* c = &load->contacts[f->contact];
        const double at = fmin(fmax((f->time - from) * b->rate_hz, 0), SOURCE_BATCH), change = f->force - c->force;
        const int sample = at < SOURCE_BATCH ? (int)at : SOURCE_BATCH - 1;
        jumps[sample] += (sample + 1 - at) * change;
        jumps[sample + 1] += (at - sample) * change;
        board_weigh(mean, c, at);
        *c = (BoardContact){f->force, at, f->point};
    }
    load->wait_count -= taken;
    if (taken > 0) memmove(load->waiting, load->waiting + taken, (size_t)load->wait_count * sizeof *load->waiting);
}

// the force of all contacts, which sums of changes would drift away from
static double board_sum(const BoardLoad* load)
{
    double sum = 0;
    for (int i = 0; i < load->contact_room; i++) sum += load->contacts[i].force;
    return sum;
}

static void board_end(BoardLoad* load, BoardMean* mean)
{
    for (int i = 0; i < load->contact_room; i++)
    {
        board_weigh(mean, &load->contacts[i], SOURCE_BATCH);
        load->contacts[i].since = 0;
    }
    if (mean->weight > 0) load->place = tw_vec3_scale(mean->sum, 1 / mean->weight);
}

void board_start(Board* b)
{
    double jumps[SOURCE_BATCH + 1] = {0};  // they change nothing that is heard
    BoardMean mean = {0};
    for (int i = 0; i <= b->body_count; i++)
    {
        BoardLoad* load = &b->loads[i];
        board_take(b, load, 0, nextafter(0, 1), jumps, &mean);
        for (int k = 0; k < load->contact_room; k++) load->contacts[k].since = 0;
        load->net = load->held = board_sum(load);
    }
}

bool board_play(Board* b, int index, double start, float* signal, twVec3 place[2])
{
    BoardLoad* load = &b->loads[index];
    const double from = start - 1 / b->rate_hz, until = from + SOURCE_BATCH / b->rate_hz;
    const bool pushed = load->wait_count > 0 && load->waiting[0].time < until;
    const bool before = load->heard;
    load->heard = pushed || fabs(load->net + load->rest - load->held) > SILENT;
    if (!load->heard) return false;
    double jumps[SOURCE_BATCH + 1] = {load->rest}, force = load->net;
    BoardMean mean = {0};
    place[0] = load->place;
    board_take(b, load, from, until, jumps, &mean);
    board_end(load, &mean);
    place[1] = load->place;
    if (!before) place[0] = place[1];
    for (int n = 0; n < SOURCE_BATCH; n++)
    {
        force += jumps[n];
        signal[n] = (float)(force - load->held);
        load->held = force - (force - load->held) * b->fade;
    }
    load->rest = jumps[SOURCE_BATCH];
    load->net = board_sum(load) - load->rest;
    return true;
}
