// SPDX-License-Identifier: MIT
// Which frame lies in the middle, and whether it is newer than what is read, is one atomic number: both sides swap theirs for it.

#include "stage/snapshot.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum
{
    FRAMES = 3,
    FRESH = 4  // added to the number of the frame in the middle
};

struct Snapshot
{
    StageFrame frames[FRAMES];
    int writing, reading;
    _Atomic int middle;
    alignas(double) char block[];
};

// the arrays of a frame from at on. @return behind them
static char* lay_out(StageFrame* f, char* at, int body_count, const int* mode_count, int grab_count)
{
    f->bodies = (twStagePose*)(void*)at;
    at += (size_t)body_count * sizeof *f->bodies;
    f->grabs = (twStageGrip*)(void*)at;
    at += (size_t)grab_count * sizeof *f->grabs;
    f->amplitude = (double**)(void*)at;
    at += (size_t)body_count * sizeof(double);  // pointers are no larger
    for (int i = 0; i < body_count; i++)
    {
        f->amplitude[i] = (double*)(void*)at;
        f->bodies[i] =
            (twStagePose){.turn = tw_quat_identity(), .mode_count = mode_count[i], .amplitude = f->amplitude[i]};
        at += (size_t)mode_count[i] * sizeof(double);
    }
    f->view.body_count = body_count, f->view.grab_count = grab_count;
    f->view.bodies = f->bodies, f->view.grabs = f->grabs;
    return at;
}

Snapshot* snapshot_create(int body_count, const int* mode_count, int grab_count)
{
    size_t modes = 0;
    for (int i = 0; i < body_count; i++) modes += (size_t)mode_count[i];
    const size_t frame = (size_t)body_count * (sizeof(twStagePose) + sizeof(double)) +
                         (size_t)grab_count * sizeof(twStageGrip) + modes * sizeof(double);
    Snapshot* s = calloc(1, sizeof *s + FRAMES * frame);
    if (!s) return NULL;
    char* at = s->block;
    for (int i = 0; i < FRAMES; i++) at = lay_out(&s->frames[i], at, body_count, mode_count, grab_count);
    s->writing = 0, s->reading = 1;
    atomic_init(&s->middle, 2);
    return s;
}

void snapshot_destroy(Snapshot* s) { free(s); }
StageFrame* snapshot_begin(Snapshot* s) { return &s->frames[s->writing]; }

void snapshot_publish(Snapshot* s)
{
    s->writing = atomic_exchange_explicit(&s->middle, s->writing + FRESH, memory_order_acq_rel) % FRESH;
}

const twStageView* snapshot_latest(Snapshot* s)
{
    if (atomic_load_explicit(&s->middle, memory_order_relaxed) >= FRESH)
        s->reading = atomic_exchange_explicit(&s->middle, s->reading, memory_order_acq_rel) % FRESH;
    return &s->frames[s->reading].view;
}
