// SPDX-License-Identifier: MIT
// Touches that forces may still be at. They lie in blocks that never move, those no longer needed are used again; one table finds
// them by number, another the one that a contact is at.

#include "trace_live.h"
#include <stdlib.h>

#define BLOCK_TOUCHES 256

struct TraceLiveBlock
{
    TraceLiveBlock* next;
    TraceLiveTouch touches[BLOCK_TOUCHES];
};

// ---- tables ----

static size_t home_of(const TraceLiveTable* table, uint64_t key)
{
    const uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (table->capacity - 1);
}

// its place, or the one it would take
static TraceLivePlace* find(const TraceLiveTable* table, uint64_t key)
{
    size_t i = home_of(table, key);
    while (table->places[i].touch && table->places[i].key != key) i = (i + 1) & (table->capacity - 1);
    return &table->places[i];
}

static bool reserve(TraceLive* live, TraceLiveTable* table)
{
    if (2 * (table->used + 1) <= table->capacity) return true;
    TraceLiveTable larger = {.capacity = table->capacity ? 2 * table->capacity : 64, .used = table->used};
    larger.places = calloc(larger.capacity, sizeof *larger.places);
    if (!larger.places) return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->places[i].touch) *find(&larger, table->places[i].key) = table->places[i];
    free(table->places);
    live->bytes += (larger.capacity - table->capacity) * sizeof *larger.places;
    *table = larger;
    return true;
}

static void put(TraceLiveTable* table, TraceLivePlace* place, uint64_t key, TraceLiveTouch* touch)
{
    table->used += !place->touch;
    *place = (TraceLivePlace){key, touch};
}

// those behind it that would be found no more move up
static void take_out(TraceLiveTable* table, TraceLivePlace* place)
{
    const size_t mask = table->capacity - 1;
    size_t hole = (size_t)(place - table->places);
    for (size_t i = (hole + 1) & mask; table->places[i].touch; i = (i + 1) & mask)
    {
        const size_t home = home_of(table, table->places[i].key);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        table->places[hole] = table->places[i];
        hole = i;
    }
    table->places[hole].touch = NULL;
    table->used--;
}

// ---- touches ----

static bool more_touches(TraceLive* live)
{
    TraceLiveBlock* block = malloc(sizeof *block);
    if (!block) return false;
    block->next = live->blocks;
    live->blocks = block;
    live->bytes += sizeof *block;
    for (int i = 0; i < BLOCK_TOUCHES; i++)
    {
        block->touches[i].next = live->unused;
        live->unused = &block->touches[i];
    }
    return true;
}

bool trace_live_add(TraceLive* live, const twTraceTouch* touch, uint64_t number)
{
    if (!reserve(live, &live->by_number) || (!live->unused && !more_touches(live))) return false;
    TraceLiveTouch* t = live->unused;
    live->unused = t->next;
    *t = (TraceLiveTouch){.touch = *touch, .number = number};
    put(&live->by_number, find(&live->by_number, number), number, t);
    return true;
}

static void leave(TraceLive* live, TraceLiveTouch* t)
{
    take_out(&live->by_number, find(&live->by_number, t->number));
    t->next = live->left;
    live->left = t;
}

const twTraceTouch* trace_live_use(TraceLive* live, uint64_t number, bool pushes, bool* room)
{
    *room = true;
    TraceLiveTouch* t = live->by_number.capacity ? find(&live->by_number, number)->touch : NULL;
    if (!t || (t->used && pushes)) return t ? &t->touch : NULL;
    *room = reserve(live, &live->by_contact);
    if (!*room) return NULL;
    TraceLivePlace* place = find(&live->by_contact, t->touch.id);
    if (place->touch && place->touch != t) leave(live, place->touch);
    t->used = true;
    put(&live->by_contact, place, t->touch.id, t);
    if (pushes) return &t->touch;
    take_out(&live->by_contact, place);
    leave(live, t);
    return &t->touch;
}

void trace_live_forget(TraceLive* live)
{
    while (live->left)
    {
        TraceLiveTouch* t = live->left;
        live->left = t->next;
        t->next = live->unused;
        live->unused = t;
    }
}

void trace_live_free(TraceLive* live)
{
    while (live->blocks)
    {
        TraceLiveBlock* next = live->blocks->next;
        free(live->blocks);
        live->blocks = next;
    }
    free(live->by_number.places);
    free(live->by_contact.places);
    *live = (TraceLive){0};
}
