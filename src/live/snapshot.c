// SPDX-License-Identifier: MIT
// Which frame lies in the middle, and whether it is newer than what is read, is one atomic number: both sides swap theirs for it.
//
// A frame before a removal is not read any more once one after it is published and one after it is read. The reader says 0 before it
// swaps, and what it reads afterwards. Who has read nothing yet has said nothing: in the one order of all these
// operations, whoever sees the publication and then that nothing was said knows that the swap is still to come.

#include "live/snapshot.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum
{
    FRAMES = 3,
    FRESH = 4  // added to the number of the frame in the middle
};

struct LiveSnapshot
{
    LiveFrame frames[FRAMES];
    int writing, reading;
    _Atomic int middle;
    _Atomic int64_t published, read;  // the last removals before
    alignas(double) char block[];
};

// rods have no doubles of their own: what follows them has
static size_t snapshot_rod_bytes(const LiveRoom* room)
{
    return ((size_t)room->rod_count * sizeof(twLiveRod) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

// the arrays of a frame from at on. @return behind them
static char* snapshot_lay_out(LiveFrame* f, char* at, const LiveRoom* room)
{
    const size_t bodies = (size_t)room->body_count, rods = (size_t)room->rod_count;
    f->bodies = (twLivePose*)(void*)at, at += bodies * sizeof *f->bodies;
    f->rods = (twLiveRod*)(void*)at, at += snapshot_rod_bytes(room);
    f->grabs = (twGrabView*)(void*)at, at += (size_t)room->grab_count * sizeof *f->grabs;
    // pointers are no larger than a double
    f->amplitude = (double**)(void*)at, at += bodies * sizeof(double);
    f->looks = (LiveLook**)(void*)at, at += bodies * sizeof(double);
    f->points = (double**)(void*)at, at += rods * sizeof(double);
    for (int i = 0; i < room->body_count; i++)
    {
        f->amplitude[i] = (double*)(void*)at;
        f->bodies[i] = (twLivePose){.turn = tw_quat_identity(), .amplitude = f->amplitude[i]};
        at += (size_t)room->modes[i] * sizeof(double);
    }
    for (int i = 0; i < room->rod_count; i++)
    {
        f->points[i] = (double*)(void*)at;
        at += 9 * (size_t)room->points[i] * sizeof(double);
    }
    f->view.body_count = room->body_count, f->view.rod_count = room->rod_count, f->view.grab_count = room->grab_count;
    f->view.bodies = f->bodies, f->view.rods = f->rods, f->view.grabs = f->grabs;
    return at;
}

LiveSnapshot* live_snapshot_create(const LiveRoom* room)
{
    size_t values = 0;
    for (int i = 0; i < room->body_count; i++) values += (size_t)room->modes[i];
    for (int i = 0; i < room->rod_count; i++) values += 9 * (size_t)room->points[i];
    const size_t frame = (size_t)room->body_count * (sizeof(twLivePose) + 2 * sizeof(double)) +
                         snapshot_rod_bytes(room) + (size_t)room->rod_count * sizeof(double) +
                         (size_t)room->grab_count * sizeof(twGrabView) + values * sizeof(double);
    LiveSnapshot* s = calloc(1, sizeof *s + FRAMES * frame);
    if (!s) return NULL;
    char* at = s->block;
    for (int i = 0; i < FRAMES; i++) at = snapshot_lay_out(&s->frames[i], at, room);
    s->writing = 0, s->reading = 1;
    atomic_init(&s->middle, 2);
    atomic_init(&s->read, INT64_MAX);
    return s;
}

void live_snapshot_destroy(LiveSnapshot* s) { free(s); }
LiveFrame* live_snapshot_begin(LiveSnapshot* s) { return &s->frames[s->writing]; }

void live_snapshot_publish(LiveSnapshot* s)
{
    const int64_t removed = s->frames[s->writing].removed;
    s->writing = atomic_exchange(&s->middle, s->writing + FRESH) % FRESH;
    atomic_store(&s->published, removed);
}

const LiveFrame* live_snapshot_latest(LiveSnapshot* s)
{
    if (atomic_load(&s->read) == INT64_MAX) atomic_store(&s->read, 0);
    if (atomic_load(&s->middle) >= FRESH) s->reading = atomic_exchange(&s->middle, s->reading) % FRESH;
    atomic_store(&s->read, s->frames[s->reading].removed);
    return &s->frames[s->reading];
}

bool live_snapshot_is_past(const LiveSnapshot* s, int64_t removal)
{
    return atomic_load(&s->published) >= removal && atomic_load(&s->read) >= removal;
}
