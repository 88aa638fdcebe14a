// SPDX-License-Identifier: MIT
// Everything that changes in a rod, as bytes.
//
// One list tells what that is; it is gone through to count, to write, to check and to read. The matrix is not in it: saving lets it be made
// anew, so that both rods go on alike. Numbers are as this machine has them.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <string.h>

#define MAGIC "TWROD006"
#define MOST (1 << 30)  // of what is counted: more can be added

typedef struct Head
{
    char magic[8];
    uint64_t count;  // bytes in all
    twHash of;       // what the rod is made of
    twHash sum;      // of what follows
} Head;

typedef enum Way
{
    COUNT,
    WRITE,
    READ,
    CHECK  // whether READ would do no harm: the checksum tells accidents, not what somebody made up
} Way;

typedef struct Bytes
{
    char* at;  // NULL if they are only counted
    size_t count;
    Way way;
    bool bad;  // a check failed
} Bytes;

static void pass(Bytes* bytes, void* data, size_t count)
{
    if (bytes->way == READ) memcpy(data, bytes->at + bytes->count, count);
    if (bytes->way == WRITE) memcpy(bytes->at + bytes->count, data, count);
    bytes->count += count;
}

// infinity stands for none in some of them
static void pass_numbers(Bytes* bytes, double* data, size_t count)
{
    for (size_t i = 0; bytes->way == CHECK && i < count; i++)
    {
        double x;
        memcpy(&x, bytes->at + bytes->count + i * sizeof x, sizeof x);
        if (isnan(x)) bytes->bad = true;
    }
    pass(bytes, data, count * sizeof *data);
}

static void pass_ints(Bytes* bytes, int* data, size_t count, int most)
{
    for (size_t i = 0; bytes->way == CHECK && i < count; i++)
    {
        int x;
        memcpy(&x, bytes->at + bytes->count + i * sizeof x, sizeof x);
        if (x < 0 || x > most) bytes->bad = true;
    }
    pass(bytes, data, count * sizeof *data);
}

// a truth value as it was saved: any other byte is none
static void pass_truths(Bytes* bytes, bool* data, size_t count)
{
    for (size_t i = 0; bytes->way == CHECK && i < count * sizeof(bool); i++)
        if ((unsigned char)bytes->at[bytes->count + i] > 1) bytes->bad = true;
    pass(bytes, data, count * sizeof *data);
}

// a number or several, in whatever they are kept
#define NUMBERS(thing) pass_numbers(bytes, (double*)&(thing), sizeof(thing) / (sizeof(double)))
#define INT(thing, most) pass_ints(bytes, &(thing), 1, most)
#define TRUTH(thing) pass_truths(bytes, &(thing), 1)

// with what lies beyond the ends
static void pass_arrays(Bytes* bytes, const twRod* rod, double* const* arrays, int count)
{
    for (int c = 0; c < count; c++) pass_numbers(bytes, arrays[c] - ROD_PAD / 2, (size_t)rod->n + ROD_PAD);
}

// ---- what changes; structures with gaps number by number ----

static void pass_motion(Bytes* bytes, twRod* rod)
{
    pass_arrays(bytes, rod, rod->q, rod->dofs);
    pass_arrays(bytes, rod, rod->v, rod->dofs);
    double* const* threes[] = {rod->t0, rod->d0, rod->e0, rod->acc[0], rod->acc[1], rod->sound_acc, rod->sound_jerk};
    for (size_t k = 0; k < sizeof threes / sizeof *threes; k++) pass_arrays(bytes, rod, threes[k], 3);
    for (int k = 0; k < 2; k++) pass_arrays(bytes, rod, rod->z[k], rod->dofs);
    for (int k = 0; k < 2; k++) pass_arrays(bytes, rod, rod->stage[k], rod->dofs);
    if (rod->branches.any) pass_numbers(bytes, rod->branches.strain, tw_rod_branch_size(rod));
    NUMBERS(rod->time);
    NUMBERS(rod->sound_time);
    NUMBERS(rod->acc_h);
    NUMBERS(rod->sound_weight);
    NUMBERS(rod->sound_before);
    NUMBERS(rod->sound_after);
    NUMBERS(rod->ghost);
}

static void pass_stats(Bytes* bytes, twRodStats* stats)
{
    for (size_t i = 0; bytes->way == CHECK && i < sizeof *stats / sizeof(int64_t); i++)
    {
        int64_t x;
        memcpy(&x, bytes->at + bytes->count + i * sizeof x, sizeof x);
        if (x < 0 || x > INT64_MAX / 2) bytes->bad = true;
    }
    pass(bytes, stats, sizeof *stats);
}

static void pass_solver(Bytes* bytes, twRod* rod)
{
    NUMBERS(rod->scheme);
    NUMBERS(rod->enough);
    NUMBERS(rod->rate_seen);
    NUMBERS(rod->change_seen);
    NUMBERS(rod->mean_iterations);
    INT(rod->precision_steps, MOST);
    TRUTH(rod->band->use_short);
    for (int k = 0; k < 2; k++) INT(rod->since_look[k], MOST);
    INT(rod->wanted_level, ROD_MOST_LEVEL);
    INT(rod->level, ROD_MOST_LEVEL);
    TRUTH(rod->stopped);
    INT(rod->last_iterations, MOST);
    INT(rod->easy, MOST);
    TRUTH(rod->has_guess);
    TRUTH(rod->by_line);
    NUMBERS(rod->guess_off);
    TRUTH(rod->by_lengths);
    INT(rod->guess_steps, MOST);
    NUMBERS(rod->guess_iterations);
    NUMBERS(rod->bow.z);
    NUMBERS(rod->bow.y);
    NUMBERS(rod->bow.tank);
    NUMBERS(rod->bow.force);
    NUMBERS(rod->work);
    NUMBERS(rod->dissipated);
    TRUTH(rod->keeping);
    NUMBERS(rod->kept_energy);
    TRUTH(rod->lively);
    NUMBERS(rod->highest);
    NUMBERS(rod->lowest);
    pass_stats(bytes, &rod->stats);
}

static void pass_supports(Bytes* bytes, twRod* rod)
{
    for (int k = 0; k < rod->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        NUMBERS(s->anchor);
        INT(s->moving, MOST);
        NUMBERS(s->target);
        NUMBERS(s->past);
        NUMBERS(s->arrival);
        NUMBERS(s->end_x);
        NUMBERS(s->end_v);
    }
}

// those that are pushed are in the list, which has room for all
static bool good_pushes(const char* at, const char* list, const char* marks, int n)
{
    int count, marked = 0;
    memcpy(&count, at, sizeof count);
    for (int i = 0; i < n; i++) marked += marks[i] != 0;
    bool good = marked == count;
    for (int i = 0; good && i < count; i++)
    {
        int point;
        memcpy(&point, list + (size_t)i * sizeof point, sizeof point);
        good = point >= 0 && point < n && marks[point];
    }
    return good;
}

static void pass_pushes(Bytes* bytes, twRod* rod)
{
    const size_t at = bytes->count;
    INT(rod->push_count, rod->n);
    pass(bytes, rod->pushed, (size_t)rod->n * sizeof *rod->pushed);
    const size_t marks = bytes->count;
    pass_truths(bytes, rod->is_pushed, (size_t)rod->n);
    if (bytes->way == CHECK && !bytes->bad &&
        !good_pushes(bytes->at + at, bytes->at + at + sizeof rod->push_count, bytes->at + marks, rod->n))
        bytes->bad = true;
    pass_arrays(bytes, rod, rod->push, 3);
}

static void pass_loads(Bytes* bytes, twRod* rod)
{
    for (int k = 0; k < rod->pulse_count + ROD_STRIKES; k++)
    {
        twRodPulse* p = &rod->pulses[k];
        TRUTH(rod->pulse_used[k]);
        INT(p->point, rod->n - 1);
        NUMBERS(p->force);
        NUMBERS(p->start);
        NUMBERS(p->duration);
    }
    pass_pushes(bytes, rod);
    INT(rod->spring_count, ROD_PUSH_SPRINGS);
    for (int k = 0; k < ROD_PUSH_SPRINGS; k++)
    {
        RodLoad* load = &rod->springs[k];
        INT(load->point, rod->n - 1);
        TRUTH(load->elastic);
        TRUTH(load->does_work);
        NUMBERS(load->force);
        NUMBERS(load->anchor);
        NUMBERS(load->stiffness);
        NUMBERS(load->damping);
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
    sum = tw_hash(rod->branches.pole, sizeof rod->branches.pole, sum);
    sum = tw_hash(rod->branches.weight, sizeof rod->branches.weight, sum);
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
    Bytes bytes = {NULL, sizeof(Head), COUNT, false};
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
    Bytes to = {bytes, sizeof(Head), WRITE, false};
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
    if (!same || memcmp(&head.of, &of, sizeof of) != 0 || memcmp(&head.sum, &sum, sizeof sum) != 0) return false;
    Bytes check = {(char*)(uintptr_t)bytes, sizeof(Head), CHECK, false};  // changes neither
    pass_all(&check, (twRod*)(uintptr_t)rod);
    return !check.bad;
}

bool tw_rod_load(twRod* rod, const void* bytes, size_t count)
{
    if (!tw_rod_fits(rod, bytes, count)) return false;
    Bytes from = {(char*)(uintptr_t)bytes, sizeof(Head), READ, false};  // read only
    pass_all(&from, rod);
    forget_factor(rod);
    rod->begun = false;
    return true;
}
