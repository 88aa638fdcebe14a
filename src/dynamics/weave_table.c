// SPDX-License-Identifier: MIT
// What contacts of rods remember, found by id.
#include "dynamics/weave.h"
#include <stdlib.h>

static int bucket_of(const WeaveTable* t, uint64_t id)
{
    return (int)((id * 0x9E3779B97F4A7C15u) >> 33) & (t->bucket_count - 1);
}

static void put(WeaveTable* t, int slot)
{
    int b = bucket_of(t, t->slots[slot].id);
    while (t->buckets[b] >= 0) b = (b + 1) & (t->bucket_count - 1);
    t->buckets[b] = slot;
}

bool weave_table_room(WeaveTable* t, int count)
{
    int room = t->room > 0 ? t->room : 64;
    if (count <= t->room) return true;
    while (room < count) room *= 2;
    WeaveSlot* slots = realloc(t->slots, (size_t)room * sizeof *slots);
    if (slots) t->slots = slots;
    int* buckets = realloc(t->buckets, 2 * (size_t)room * sizeof *buckets);
    if (buckets) t->buckets = buckets;
    if (!slots || !buckets) return false;
    t->room = room;
    t->bucket_count = 2 * room;
    memset(t->buckets, -1, (size_t)t->bucket_count * sizeof *t->buckets);
    for (int i = 0; i < t->count; i++) put(t, i);
    return true;
}

bool weave_table_add(WeaveTable* t, const WeaveSlot* slot)
{
    if (!weave_table_room(t, t->count + 1)) return false;
    t->slots[t->count] = *slot;
    put(t, t->count++);
    return true;
}

WeaveSlot* weave_table_find(const WeaveTable* t, uint64_t id)
{
    if (t->count == 0) return NULL;
    for (int b = bucket_of(t, id); t->buckets[b] >= 0; b = (b + 1) & (t->bucket_count - 1))
        if (t->slots[t->buckets[b]].id == id) return t->slots + t->buckets[b];
    return NULL;
}

void weave_table_clear(WeaveTable* t)
{
    // buckets one by one if they are few
    if (8 * t->count < t->bucket_count)
        for (int i = 0; i < t->count; i++)
            for (int b = bucket_of(t, t->slots[i].id); t->buckets[b] >= 0; b = (b + 1) & (t->bucket_count - 1))
                t->buckets[b] = -1;
    else if (t->buckets)
        memset(t->buckets, -1, (size_t)t->bucket_count * sizeof *t->buckets);
    t->count = 0;
}

void weave_table_free(WeaveTable* t)
{
    free(t->slots);
    free(t->buckets);
    *t = (WeaveTable){0};
}
