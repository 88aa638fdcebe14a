// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stdlib.h>

/// @file
/// A hash table from up to three integers to one: edges, faces, names. Open addressing, grows as it fills. Plain data:
/// {0} is an empty table. Defined here so that it can be inlined into loops over millions of edges.

typedef struct twTableSlot
{
    int key[3];
    int value;
} twTableSlot;

typedef struct twTable
{
    twTableSlot* slots;
    size_t capacity;  ///< power of two, or 0
    size_t count;
} twTable;

enum
{
    TW_TABLE_EMPTY = INT32_MIN  ///< key[0] of an empty slot: no key may begin with it
};

/// A good mix of three integers: the finaliser of MurmurHash3 (Appleby, public domain), twice.
static inline uint64_t tw_table_hash(int a, int b, int c)
{
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
    h ^= h >> 29 ^ (uint64_t)(uint32_t)c * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
    return h ^ h >> 32;
}

/// The slot of a key, or the empty one where it belongs. The table must not be full.
static inline twTableSlot* tw_table_slot(const twTable* table, int a, int b, int c)
{
    size_t mask = table->capacity - 1;
    for (size_t i = (size_t)tw_table_hash(a, b, c) & mask;; i = (i + 1) & mask)
    {
        twTableSlot* slot = &table->slots[i];
        if (slot->key[0] == TW_TABLE_EMPTY) return slot;
        if (slot->key[0] == a && slot->key[1] == b && slot->key[2] == c) return slot;
    }
}

static inline bool tw_table_grow(twTable* table)
{
    twTable larger = {NULL, table->capacity > 0 ? 2 * table->capacity : 64, table->count};
    if (larger.capacity > SIZE_MAX / 2 / sizeof *larger.slots) return false;
    larger.slots = malloc(larger.capacity * sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < larger.capacity; i++) larger.slots[i].key[0] = TW_TABLE_EMPTY;
    for (size_t i = 0; i < table->capacity; i++)
    {
        const twTableSlot* old = &table->slots[i];
        if (old->key[0] == TW_TABLE_EMPTY) continue;
        *tw_table_slot(&larger, old->key[0], old->key[1], old->key[2]) = *old;
    }
    free(table->slots);
    *table = larger;
    return true;
}

/// The value of a key; if there is none yet, value is put there. Good until the next call. @return NULL without memory
static inline int* tw_table_put(twTable* table, int a, int b, int c, int value)
{
    if (4 * (table->count + 1) > 3 * table->capacity && !tw_table_grow(table)) return NULL;
    twTableSlot* slot = tw_table_slot(table, a, b, c);
    if (slot->key[0] == TW_TABLE_EMPTY)
    {
        *slot = (twTableSlot){{a, b, c}, value};
        table->count++;
    }
    return &slot->value;
}

/// The value of a key, or NULL if there is none
static inline int* tw_table_get(const twTable* table, int a, int b, int c)
{
    if (table->capacity == 0) return NULL;
    twTableSlot* slot = tw_table_slot(table, a, b, c);
    return slot->key[0] == TW_TABLE_EMPTY ? NULL : &slot->value;
}

static inline void tw_table_clear(twTable* table)
{
    free(table->slots);
    *table = (twTable){0};
}
