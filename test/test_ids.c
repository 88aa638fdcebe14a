// SPDX-License-Identifier: MIT
// Small numbers for large ids, against a plain list.
#include "base/ids.h"
#include "test.h"
#include "twang/base.h"

#define MOST 500

static int slots_are_the_lowest_free_ones(void)
{
    Ids* ids = ids_create();
    ENSURE(ids && ids_slots(ids) == 0 && ids_find(ids, 7) == -1);
    for (int i = 0; i < 200; i++) ENSURE(ids_add(ids, (uint64_t)i << 40) == i);
    ENSURE(ids_add(ids, (uint64_t)5 << 40) == 5);
    ids_remove(ids, (uint64_t)150 << 40);
    ids_remove(ids, (uint64_t)3 << 40);
    ids_remove(ids, (uint64_t)70 << 40);
    ids_remove(ids, 12345);
    ENSURE(ids_add(ids, 1) == 3 && ids_add(ids, 2) == 70 && ids_add(ids, 3) == 150 && ids_add(ids, 4) == 200);
    ENSURE(ids_slots(ids) == 201);
    ids_destroy(ids);
    ids_destroy(NULL);
    return 0;
}

// ids that collide often, added and removed at random
static int every_id_is_found_while_it_is_there(void)
{
    uint64_t there[MOST] = {0};  // by slot; 0: free
    Ids* ids = ids_create();
    twRng rng = tw_rng(1);
    ENSURE(ids);
    for (int step = 0; step < 20000; step++)
    {
        const uint64_t id = 1 + tw_rng_next(&rng) % 400 * 64;
        int slot = -1, lowest = 0;
        for (int i = 0; i < MOST; i++)
            if (there[i] == id) slot = i;
        while (there[lowest]) lowest++;
        ENSURE(ids_find(ids, id) == slot);
        if (tw_rng_uniform(&rng) < 0.5)
        {
            const int got = ids_add(ids, id);
            ENSURE(got == (slot >= 0 ? slot : lowest));
            there[got] = id;
        }
        else
        {
            ids_remove(ids, id);
            if (slot >= 0) there[slot] = 0;
            ENSURE(ids_find(ids, id) == -1);
        }
    }
    ids_destroy(ids);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(slots_are_the_lowest_free_ones)
    RUN(every_id_is_found_while_it_is_there)
)
