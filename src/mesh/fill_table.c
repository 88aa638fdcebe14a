// SPDX-License-Identifier: MIT
// Growing arrays and a hash table with open addressing, both bounded by int. The order of the table never shows in the
// result, so that filling is deterministic.
#include "fill.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool fill_reserve(void** items, int* capacity, int needed, size_t size)
{
    if (needed <= *capacity) return true;
    int grown = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    if (grown < 64) grown = 64;
    if (grown < needed) grown = needed;
    void* moved = realloc(*items, (size_t)grown * size);
    if (!moved) return false;
    *items = moved;
    *capacity = grown;
    return true;
}

// mix of both keys: multiply and fold
static uint64_t hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 29;
    h = (h + b) * 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

static int slot_of(const FillTable* table, uint64_t a, uint64_t b)
{
    uint64_t mask = (uint64_t)table->capacity - 1;
    uint64_t i = hash(a, b) & mask;
    while (table->values[i] >= 0 && (table->keys[i][0] != a || table->keys[i][1] != b)) i = (i + 1) & mask;
    return (int)i;
}

static bool grow(FillTable* table)
{
    if (table->capacity > INT_MAX / 4) return false;
    FillTable old = *table, wide = {.capacity = old.capacity ? 2 * old.capacity : 256, .count = old.count};
    wide.keys = malloc((size_t)wide.capacity * sizeof *wide.keys);
    wide.values = malloc((size_t)wide.capacity * sizeof *wide.values);
    if (!wide.keys || !wide.values)
    {
        fill_table_free(&wide);
        return false;
    }
    memset(wide.values, 0xff, (size_t)wide.capacity * sizeof *wide.values);
    for (int i = 0; i < old.capacity; i++)
    {
        if (old.values[i] < 0) continue;
        int slot = slot_of(&wide, old.keys[i][0], old.keys[i][1]);
        wide.keys[slot][0] = old.keys[i][0];
        wide.keys[slot][1] = old.keys[i][1];
        wide.values[slot] = old.values[i];
    }
    fill_table_free(&old);
    *table = wide;
    return true;
}

int* fill_table_add(FillTable* table, uint64_t a, uint64_t b, int fresh)
{
    // at most 2/3 full
    if (table->count >= table->capacity / 3 * 2 && !grow(table)) return NULL;
    int slot = slot_of(table, a, b);
    if (table->values[slot] < 0)
    {
        table->keys[slot][0] = a;
        table->keys[slot][1] = b;
        table->values[slot] = fresh;
        table->count++;
    }
    return &table->values[slot];
}

int fill_table_find(const FillTable* table, uint64_t a, uint64_t b)
{
    return table->capacity ? table->values[slot_of(table, a, b)] : -1;
}

void fill_table_free(FillTable* table)
{
    free(table->keys);
    free(table->values);
    *table = (FillTable){0};
}

// ---- grid ----

static uint64_t cube_key(const FillGrid* grid, twVec3 p, int k)
{
    // places within +-2^20 cubes of the origin are told apart
    uint64_t x = (uint64_t)(int64_t)floor(p.x / grid->edge) + (uint64_t)(k % 3) + (1u << 20);
    uint64_t y = (uint64_t)(int64_t)floor(p.y / grid->edge) + (uint64_t)(k / 3 % 3) + (1u << 20);
    uint64_t z = (uint64_t)(int64_t)floor(p.z / grid->edge) + (uint64_t)(k / 9) + (1u << 20);
    return (x & 0x1fffff) | (y & 0x1fffff) << 21 | (z & 0x1fffff) << 42;
}

bool fill_grid_add(FillGrid* grid, twVec3 point, int item)
{
    if (!fill_reserve((void**)&grid->links, &grid->capacity, grid->count + 1, sizeof *grid->links)) return false;
    int* head = fill_table_add(&grid->heads, cube_key(grid, point, 13), 0, grid->count);
    if (!head) return false;
    bool fresh = *head == grid->count;
    // the same item again, as along a line, is not listed twice
    if (!fresh && grid->links[*head][0] == item) return true;
    grid->links[grid->count][0] = item;
    grid->links[grid->count][1] = fresh ? -1 : *head;
    *head = grid->count++;
    return true;
}

int fill_grid_around(const FillGrid* grid, twVec3 point, int k)
{
    return fill_table_find(&grid->heads, cube_key(grid, point, k), 0);
}

void fill_grid_free(FillGrid* grid)
{
    fill_table_free(&grid->heads);
    free(grid->links);
    *grid = (FillGrid){0};
}
