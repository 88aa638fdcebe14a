// SPDX-License-Identifier: MIT
// What changes in the rods of a world, as bytes: the rods themselves, what their contacts and ties remember. The bytes are part of those
// of a world, whose checksum they share.
#include "dynamics/weave.h"

typedef struct Head
{
    int64_t steps;
    double last_h, tank;
    int32_t level, easy, rod_count, tie_count, slot_count, reserved;
    uint64_t rod_bytes, pair_bytes;
} Head;

typedef struct SavedTie
{
    double credit, mobility[3], mobility_h;
    SolveMemory memory;
} SavedTie;

static size_t rod_bytes(const Weave* w)
{
    size_t sum = 0;
    for (int i = 0; i < w->rod_count; i++) sum += tw_rod_state_bytes(w->rods[i].rod);
    return sum;
}

static size_t whole(const Weave* w, size_t slots, size_t pair_bytes)
{
    return sizeof(Head) + (size_t)w->rod_count * sizeof(double) + (size_t)w->tie_room * sizeof(SavedTie) +
           slots * sizeof(WeaveSlot) + rod_bytes(w) + pair_bytes;
}

size_t weave_bytes(const Weave* w)
{
    size_t pair_bytes;
    strand_pairs_state(w->pairs, &pair_bytes);
    return whole(w, (size_t)w->table.count, pair_bytes);
}

static char* put(char* at, const void* from, size_t bytes)
{
    if (bytes > 0) memcpy(at, from, bytes);
    return at + bytes;
}

void weave_save(Weave* w, char* at)
{
    size_t pair_bytes;
    const void* pairs = strand_pairs_state(w->pairs, &pair_bytes);
    Head head = {.steps = w->steps,
                 .last_h = w->last_h,
                 .tank = w->tank,
                 .level = w->level,
                 .easy = w->easy,
                 .rod_count = w->rod_count,
                 .tie_count = w->tie_room,
                 .slot_count = w->table.count,
                 .rod_bytes = rod_bytes(w),
                 .pair_bytes = pair_bytes};
    at = put(at, &head, sizeof head);
    for (int i = 0; i < w->rod_count; i++) at = put(at, &w->rods[i].contact_work, sizeof(double));
    for (int i = 0; i < w->tie_room; i++)
    {
        SavedTie saved;
        memset(&saved, 0, sizeof saved);
        saved.credit = w->ties[i].credit;
        memcpy(saved.mobility, w->ties[i].mobility, sizeof saved.mobility);
        saved.mobility_h = w->ties[i].mobility_h;
        saved.memory = w->ties[i].memory;
        at = put(at, &saved, sizeof saved);
    }
    at = put(at, w->table.slots, (size_t)w->table.count * sizeof(WeaveSlot));
    for (int i = 0; i < w->rod_count; i++)
    {
        tw_rod_save(w->rods[i].rod, at);
        at += tw_rod_state_bytes(w->rods[i].rod);
    }
    put(at, pairs, pair_bytes);
}

static bool good_slot(const twWorld* world, const WeaveSlot* s)
{
    const Weave* w = world->weave;
    const StrandTouch* t = &s->touch;
    if (!world_good_memory(&s->memory) || !(s->stored >= 0 && s->stored < 1e100) || t->rod[0] < 0 ||
        t->rod[0] >= w->rod_count)
        return false;
    return t->rod[1] >= 0 ? t->rod[1] < w->rod_count : t->body >= 0 && t->body < world->body_count;
}

static bool good_tie(const SavedTie* s)
{
    for (int q = 0; q < 3; q++)
        if (!(s->mobility[q] >= 0 && s->mobility[q] < 1e100)) return false;
    return s->credit >= 0 && s->credit < 1e100 && s->mobility_h >= 0 && s->mobility_h < 1 &&
           world_good_memory(&s->memory);
}

bool weave_check(const twWorld* world, double time, const char* bytes, size_t count)
{
    const Weave* w = world->weave;
    Head head;
    if (count < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    if (head.rod_count != w->rod_count || head.tie_count != w->tie_room || head.slot_count < 0 ||
        head.rod_bytes != rod_bytes(w) || head.pair_bytes > count || head.steps < 0 || head.steps > (int64_t)1 << 52 ||
        (double)head.steps / w->rate_hz != time || head.level < 0 || head.level > WEAVE_HALVINGS ||
        !(head.last_h >= 0 && head.last_h < 1) || !(head.tank >= 0 && head.tank < 1e100) ||
        (size_t)head.slot_count > count / sizeof(WeaveSlot) ||
        whole(w, (size_t)head.slot_count, head.pair_bytes) != count)
        return false;
    const char* at = bytes + sizeof head + (size_t)w->rod_count * sizeof(double);
    for (int i = 0; i < w->tie_room; i++, at += sizeof(SavedTie))
    {
        SavedTie saved;
        memcpy(&saved, at, sizeof saved);
        if (!good_tie(&saved)) return false;
    }
    for (int i = 0; i < head.slot_count; i++, at += sizeof(WeaveSlot))
    {
        WeaveSlot slot;
        memcpy(&slot, at, sizeof slot);
        if (!good_slot(world, &slot)) return false;
    }
    for (int i = 0; i < w->rod_count; i++)
    {
        const size_t size = tw_rod_state_bytes(w->rods[i].rod);
        if (!tw_rod_fits(w->rods[i].rod, at, size)) return false;
        at += size;
    }
    return strand_pairs_fits(at, head.pair_bytes);
}

bool weave_load(twWorld* world, const char* at)
{
    Weave* w = world->weave;
    Head head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    bool fine = true;
    for (int slot = 0; slot < world->def.max_grabs; slot++) weave_bind_grab(world, slot);
    for (int i = 0; i < w->rod_count; i++, at += sizeof(double)) memcpy(&w->rods[i].contact_work, at, sizeof(double));
    for (int i = 0; i < w->tie_room; i++, at += sizeof(SavedTie))
    {
        SavedTie saved;
        memcpy(&saved, at, sizeof saved);
        w->ties[i].credit = saved.credit;
        memcpy(w->ties[i].mobility, saved.mobility, sizeof saved.mobility);
        w->ties[i].mobility_h = saved.mobility_h;
        w->ties[i].memory = saved.memory;
    }
    weave_table_clear(&w->table);
    weave_table_clear(&w->next);
    for (int i = 0; i < head.slot_count; i++, at += sizeof(WeaveSlot))
    {
        WeaveSlot slot;
        memcpy(&slot, at, sizeof slot);
        slot.taken = false;
        fine = weave_table_add(&w->table, &slot) && fine;
    }
    for (int i = 0; i < w->rod_count; i++)
    {
        const size_t bytes = tw_rod_state_bytes(w->rods[i].rod);
        fine = tw_rod_load(w->rods[i].rod, at, bytes) && fine;
        at += bytes;
    }
    fine = strand_pairs_load(w->pairs, at, head.pair_bytes) && fine;
    w->steps = head.steps;
    w->last_h = head.last_h;
    w->tank = head.tank;
    w->level = head.level;
    w->easy = head.easy;
    weave_forget(w);
    return fine;
}
