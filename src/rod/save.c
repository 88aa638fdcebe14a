// SPDX-License-Identifier: MIT
// Everything that changes in a rod, as bytes.
//
// One list tells what that is; it is gone through to count, to write and to read. The matrix is not in it: saving lets it be made
// anew, so that both rods go on alike. Numbers are as this machine has them.
#include "couple.h"
#include "rod.h"
#include <string.h>

#define MAGIC "TWROD002"

typedef struct Head
{
    char magic[8];
    uint64_t count;  // bytes in all
    twHash of;       // what the rod is made of
    twHash sum;      // of what follows
} Head;

// bytes that are written or read; at NULL only counts
typedef struct Bytes
{
    char* at;
    size_t count;
    bool load;
} Bytes;

static void pass(Bytes* bytes, void* data, size_t count)
{
    if (bytes->at && bytes->load)
        memcpy(data, bytes->at + bytes->count, count);
    else if (bytes->at)
        memcpy(bytes->at + bytes->count, data, count);
    bytes->count += count;
}

#define PASS(thing) pass(bytes, &(thing), sizeof(thing))

// with what lies beyond the ends
static void pass_arrays(Bytes* bytes, const twRod* rod, double* const* arrays, int count)
{
    for (int c = 0; c < count; c++) pass(bytes, arrays[c] - ROD_PAD / 2, ((size_t)rod->n + ROD_PAD) * sizeof(double));
}

// ---- what changes; structures with gaps number by number ----

static void pass_motion(Bytes* bytes, twRod* rod)
{
    pass_arrays(bytes, rod, rod->q, rod->dofs);
    pass_arrays(bytes, rod, rod->v, rod->dofs);
    double* const* threes[] = {rod->t0, rod->d0, rod->e0, rod->acc[0], rod->acc[1], rod->sound_acc, rod->sound_jerk};
    for (size_t k = 0; k < sizeof threes / sizeof *threes; k++) pass_arrays(bytes, rod, threes[k], 3);
    for (int k = 0; k < 2; k++) pass_arrays(bytes, rod, rod->z[k], rod->dofs);
    PASS(rod->time);
    PASS(rod->sound_time);
    PASS(rod->acc_h);
    PASS(rod->sound_weight);
    PASS(rod->sound_before);
    PASS(rod->sound_after);
    PASS(rod->ghost);
}

static void pass_solver(Bytes* bytes, twRod* rod)
{
    PASS(rod->scheme);
    PASS(rod->enough);
    PASS(rod->rate_seen);
    PASS(rod->change_seen);
    PASS(rod->mean_iterations);
    PASS(rod->precision_steps);
    PASS(rod->band->use_short);
    PASS(rod->since_look);
    PASS(rod->wanted_level);
    PASS(rod->level);
    PASS(rod->stopped);
    PASS(rod->last_iterations);
    PASS(rod->easy);
    PASS(rod->has_guess);
    PASS(rod->bow.z);
    PASS(rod->bow.y);
    PASS(rod->bow.tank);
    PASS(rod->bow.force);
    PASS(rod->work);
    PASS(rod->dissipated);
    PASS(rod->keeping);
    PASS(rod->kept_energy);
    PASS(rod->lively);
    PASS(rod->highest);
    PASS(rod->lowest);
    PASS(rod->stats);
}

static void pass_supports(Bytes* bytes, twRod* rod)
{
    for (int k = 0; k < rod->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        PASS(s->anchor);
        PASS(s->moving);
        PASS(s->target);
        PASS(s->past);
        PASS(s->arrival);
        PASS(s->end_x);
        PASS(s->end_v);
    }
}

static void pass_loads(Bytes* bytes, twRod* rod)
{
    for (int k = 0; k < rod->pulse_count + ROD_STRIKES; k++)
    {
        twRodPulse* p = &rod->pulses[k];
        PASS(rod->pulse_used[k]);
        PASS(p->point);
        PASS(p->force);
        PASS(p->start);
        PASS(p->duration);
    }
    PASS(rod->push_count);
    pass(bytes, rod->pushed, (size_t)rod->n * sizeof *rod->pushed);
    pass(bytes, rod->is_pushed, (size_t)rod->n * sizeof *rod->is_pushed);
    pass_arrays(bytes, rod, rod->push, 3);
    PASS(rod->spring_count);
    for (int k = 0; k < ROD_PUSH_SPRINGS; k++)
    {
        RodLoad* load = &rod->springs[k];
        PASS(load->point);
        PASS(load->elastic);
        PASS(load->does_work);
        PASS(load->force);
        PASS(load->anchor);
        PASS(load->stiffness);
        PASS(load->damping);
    }
}

static void pass_all(Bytes* bytes, twRod* rod)
{
    pass_motion(bytes, rod);
    pass_solver(bytes, rod);
    pass_supports(bytes, rod);
    pass_loads(bytes, rod);
}

// ---- bytes ----

// numbers that make a rod what it is
static twHash identity(const twRod* rod)
{
    const int kind[] = {rod->n,          rod->closed,        rod->shear,      rod->account,
                        rod->integrator, rod->support_count, rod->pulse_count};
    const double scalars[] = {rod->rate_hz,   rod->alpha,     rod->beta,      rod->density,
                              rod->gravity.x, rod->gravity.y, rod->gravity.z, rod->tolerance};
    twHash sum = tw_hash(MAGIC, sizeof MAGIC, (twHash){0, 0});
    sum = tw_hash(kind, sizeof kind, sum);
    sum = tw_hash(scalars, sizeof scalars, sum);
    double* const arrays[] = {rod->rest_length, rod->axial,     rod->b11,     rod->b22,      rod->b12,
                              rod->twist_b,     rod->k1_rest,   rod->k2_rest, rod->tau_rest, rod->mass,
                              rod->mass_off,    rod->spin_mass, rod->free_x,  rod->free_t};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        sum = tw_hash(arrays[k], (size_t)rod->n * sizeof(double), sum);
    for (int k = 0; k < rod->support_count; k++)
    {
        const twRodSupport* s = &rod->supports[k].def;
        const double spring[] = {s->kind, s->point, s->stiffness.x, s->stiffness.y, s->stiffness.z, s->damping};
        sum = tw_hash(spring, sizeof spring, sum);
    }
    return sum;
}

size_t tw_rod_state_bytes(const twRod* rod)
{
    TW_ASSERT(rod);
    Bytes bytes = {NULL, sizeof(Head), false};
    pass_all(&bytes, (twRod*)(uintptr_t)rod);  // counts only
    return bytes.count;
}

// what only saves time: all of it is made anew by the next step
static void forget_factor(twRod* rod)
{
    rod->stale = true;
    rod->fresh = rod->slow = false;
}

void tw_rod_save(twRod* rod, void* bytes)
{
    TW_ASSERT(rod && bytes && !rod->begun);
    const size_t count = tw_rod_state_bytes(rod);
    Bytes to = {bytes, sizeof(Head), false};
    pass_all(&to, rod);
    Head head = {.count = count, .of = identity(rod)};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    head.sum = tw_hash(to.at + sizeof head, count - sizeof head, head.of);
    memcpy(bytes, &head, sizeof head);
    forget_factor(rod);
}

bool tw_rod_fits(const twRod* rod, const void* bytes, size_t count)
{
    TW_ASSERT(rod && (bytes || count == 0));
    Head head;
    if (count < sizeof head || count != tw_rod_state_bytes(rod)) return false;
    memcpy(&head, bytes, sizeof head);
    const twHash of = identity(rod), sum = tw_hash((const char*)bytes + sizeof head, count - sizeof head, of);
    const bool same = memcmp(head.magic, MAGIC, sizeof head.magic) == 0 && head.count == count;
    return same && memcmp(&head.of, &of, sizeof of) == 0 && memcmp(&head.sum, &sum, sizeof sum) == 0;
}

bool tw_rod_load(twRod* rod, const void* bytes, size_t count)
{
    if (!tw_rod_fits(rod, bytes, count)) return false;
    Bytes from = {(char*)(uintptr_t)bytes, sizeof(Head), true};  // read only
    pass_all(&from, rod);
    forget_factor(rod);
    rod->begun = false;
    return true;
}
