// SPDX-License-Identifier: MIT
// A table with open addresses, at most half full; slots that are free wait on a heap, the lowest on top.

#include "base/ids.h"
#include <stdlib.h>

typedef struct Place
{
    uint64_t id;
    int slot;  // -1: free
} Place;

struct Ids
{
    Place* places;
    size_t size, used;  // size: a power of 2
    int *free_slots, free_count, slots;
};

static size_t home_of(const Ids* ids, uint64_t id)
{
    return (size_t)(((id ^ id >> 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (ids->size - 1);
}

static Place* place_of(const Ids* ids, uint64_t id)
{
    size_t i = home_of(ids, id);
    while (ids->places[i].slot >= 0 && ids->places[i].id != id) i = (i + 1) & (ids->size - 1);
    return &ids->places[i];
}

static bool grow(Ids* ids)
{
    Ids larger = *ids;
    larger.size = ids->size ? 2 * ids->size : 64;
    larger.places = malloc(larger.size * sizeof *larger.places);
    larger.free_slots = realloc(ids->free_slots, larger.size * sizeof *larger.free_slots);
    if (larger.free_slots) ids->free_slots = larger.free_slots;
    if (!larger.places || !larger.free_slots)
    {
        free(larger.places);
        return false;
    }
    for (size_t i = 0; i < larger.size; i++) larger.places[i].slot = -1;
    for (size_t i = 0; i < ids->size; i++)
        if (ids->places[i].slot >= 0) *place_of(&larger, ids->places[i].id) = ids->places[i];
    free(ids->places);
    *ids = larger;
    return true;
}

Ids* ids_create(void)
{
    Ids* ids = calloc(1, sizeof *ids);
    if (ids && grow(ids)) return ids;
    ids_destroy(ids);
    return NULL;
}

void ids_destroy(Ids* ids)
{
    if (!ids) return;
    free(ids->places);
    free(ids->free_slots);
    free(ids);
}

int ids_find(const Ids* ids, uint64_t id) { return place_of(ids, id)->slot; }
int ids_slots(const Ids* ids) { return ids->slots; }

// ---- free slots ----

static int take_slot(Ids* ids)
{
    if (ids->free_count == 0) return ids->slots++;
    int* heap = ids->free_slots;
    const int slot = heap[0], last = heap[--ids->free_count];
    int at = 0;
    for (int child = 1; child < ids->free_count; child = 2 * at + 1)
    {
        if (child + 1 < ids->free_count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return slot;
}

static void free_slot(Ids* ids, int slot)
{
    int* heap = ids->free_slots;
    int at = ids->free_count++;
    for (; at > 0 && heap[(at - 1) / 2] > slot; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = slot;
}

// ---- ids ----

int ids_add(Ids* ids, uint64_t id)
{
    if (2 * (ids->used + 1) > ids->size && !grow(ids)) return -1;
    Place* place = place_of(ids, id);
    if (place->slot >= 0) return place->slot;
    *place = (Place){id, take_slot(ids)};
    ids->used++;
    return place->slot;
}

void ids_remove(Ids* ids, uint64_t id)
{
    Place* place = place_of(ids, id);
    if (place->slot < 0) return;
    free_slot(ids, place->slot);
    ids->used--;
    // those behind it that would be found no more move up
    const size_t mask = ids->size - 1;
    size_t hole = (size_t)(place - ids->places);
    for (size_t i = (hole + 1) & mask; ids->places[i].slot >= 0; i = (i + 1) & mask)
    {
        if (((i - home_of(ids, ids->places[i].id)) & mask) < ((i - hole) & mask)) continue;
        ids->places[hole] = ids->places[i];
        hole = i;
    }
    ids->places[hole].slot = -1;
}
