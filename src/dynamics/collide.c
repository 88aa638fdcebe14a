// SPDX-License-Identifier: MIT
// Broad phase and pairs together. Blocks of pairs come from a pool; both the old and the new list of near pairs rise, so that
// one walk along both finds which pairs stay, go and come.
#include "dynamics/collide.h"
#include <stdlib.h>
#include <string.h>

struct Collider
{
    ColliderDef def;
    Broad* broad;
    size_t pair_bytes;
    char* pool;         // (max_pairs) blocks
    int near_count;     // pairs of the last list
    BroadPair* near;    // (max_pairs)
    int* numbers;       // the three arrays that follow
    int *slot, *other;  // (max_pairs) blocks of the pairs, and of those of the next list
    int free_count;
    int* free;       // (max_pairs) blocks that are free
    Touch* touches;  // (max_touches + room of a pair)
    PairStats gone;  // of pairs that are near no more
    int64_t dropped;
};

ColliderDef tw_collider_def(void)
{
    return (ColliderDef){.max_pairs = 256, .max_touches = 4096, .margin = 5e-3, .pair = tw_pair_def()};
}

static Pair* block(const Collider* collider, int slot)
{
    return (Pair*)(void*)(collider->pool + (size_t)slot * collider->pair_bytes);
}

static twStatus build(Collider* collider, twError* err)
{
    const ColliderDef* def = &collider->def;
    size_t pairs = (size_t)def->max_pairs;
    twStatus status = tw_broad_create(&collider->broad, def->body_count, def->max_pairs, def->margin, err);
    if (status != TW_OK) return status;
    collider->pair_bytes = (tw_pair_bytes(&def->pair) + 15) / 16 * 16;
    collider->pool = malloc(pairs * collider->pair_bytes + 1);
    collider->near = malloc((pairs + 1) * sizeof *collider->near);
    collider->numbers = malloc(3 * (pairs + 1) * sizeof *collider->numbers);
    collider->touches =
        malloc(((size_t)def->max_touches + (size_t)TW_PAIR_ROOM(def->pair)) * sizeof *collider->touches);
    if (!collider->pool || !collider->near || !collider->numbers || !collider->touches)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d pairs of bodies of %zu bytes", def->max_pairs,
                       collider->pair_bytes);
    collider->slot = collider->numbers;
    collider->other = collider->slot + pairs + 1;
    collider->free = collider->other + pairs + 1;
    for (int i = 0; i < def->max_pairs; i++)
    {
        tw_pair_init(block(collider, i), &def->pair);
        collider->free[i] = def->max_pairs - 1 - i;
    }
    collider->free_count = def->max_pairs;
    return TW_OK;
}

twStatus tw_collider_create(Collider** out, const ColliderDef* def, twError* err)
{
    *out = NULL;
    Collider* collider = calloc(1, sizeof *collider);
    if (!collider) return tw_fail(err, TW_NO_MEMORY, "no memory for collision detection");
    collider->def = *def;
    twStatus status = build(collider, err);
    if (status == TW_OK)
        *out = collider;
    else
        tw_collider_destroy(collider);
    return status;
}

void tw_collider_destroy(Collider* collider)
{
    if (!collider) return;
    tw_broad_destroy(collider->broad);
    free(collider->pool);
    free(collider->near);
    free(collider->numbers);
    free(collider->touches);
    free(collider);
}

// ---- pairs that stay, go and come ----

static void add_stats(PairStats* sum, PairStats more)
{
    sum->steps += more.steps;
    sum->refreshes += more.refreshes;
    sum->lookups += more.lookups;
    sum->sides += more.sides;
    sum->forced += more.forced;
    sum->lost += more.lost;
    sum->crowded += more.crowded;
}

static void release(Collider* collider, int slot)
{
    add_stats(&collider->gone, tw_pair_stats(block(collider, slot)));
    tw_pair_init(block(collider, slot), &collider->def.pair);
    collider->free[collider->free_count++] = slot;
}

static int order(BroadPair x, BroadPair y) { return x.a != y.a ? (x.a < y.a ? -1 : 1) : (x.b > y.b) - (x.b < y.b); }

static void renew(Collider* collider, const BroadPair* list, int count)
{
    // those that go make room first
    int k = 0;
    for (int i = 0; i < count; i++) collider->other[i] = -1;
    for (int i = 0; i < collider->near_count; i++)
    {
        while (k < count && order(list[k], collider->near[i]) < 0) k++;
        if (k < count && order(list[k], collider->near[i]) == 0)
            collider->other[k] = collider->slot[i];
        else
            release(collider, collider->slot[i]);
    }
    for (int i = 0; i < count; i++)
        if (collider->other[i] < 0) collider->other[i] = collider->free[--collider->free_count];
    int* swap = collider->slot;
    collider->slot = collider->other;
    collider->other = swap;
    memcpy(collider->near, list, (size_t)count * sizeof *list);
    collider->near_count = count;
}

const BroadPair* tw_collider_near(Collider* collider, const BodyPlace* places, double reach, int* count)
{
    bool changed = tw_broad_update(collider->broad, places, reach);
    const BroadPair* list = tw_broad_pairs(collider->broad, count);
    if (changed) renew(collider, list, *count);
    return collider->near;
}

Pair* tw_collider_pair(Collider* collider, int index)
{
    TW_ASSERT(index >= 0 && index < collider->near_count);
    return block(collider, collider->slot[index]);
}

int tw_collider_slot(const Collider* collider, int index)
{
    TW_ASSERT(index >= 0 && index < collider->near_count);
    return collider->slot[index];
}

const Touch* tw_collider_step(Collider* collider, const BodyPlace* places, double reach, int* count)
{
    int near;
    const BroadPair* list = tw_collider_near(collider, places, reach, &near);
    *count = 0;
    for (int i = 0; i < near; i++)
    {
        *count += tw_pair_touches(tw_collider_pair(collider, i), &places[list[i].a], &places[list[i].b], reach,
                                  collider->touches + *count);
        if (*count <= collider->def.max_touches) continue;
        collider->dropped += *count - collider->def.max_touches;
        *count = collider->def.max_touches;
    }
    return collider->touches;
}

ColliderStats tw_collider_stats(const Collider* collider)
{
    ColliderStats stats = {tw_broad_stats(collider->broad), collider->gone, collider->dropped};
    for (int i = 0; i < collider->near_count; i++)
        add_stats(&stats.pairs, tw_pair_stats(block(collider, collider->slot[i])));
    return stats;
}
