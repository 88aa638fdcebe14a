// SPDX-License-Identifier: MIT
// Sides of touches that overlap deeply: few, if any. Sorted by halving steps: qsort may allocate.
#include "dynamics/strand_feature.h"
#include <stdlib.h>

bool strand_sides_reserve(StrandSides* sides, int room)
{
    StrandSide* items = realloc(sides->items, (size_t)room * sizeof *items);
    if (!items) return false;
    sides->items = items;
    sides->room = room;
    return true;
}

bool strand_sides_add(StrandSides* sides, uint64_t id, twVec3 normal)
{
    if (sides->count == sides->room && !strand_sides_reserve(sides, 2 * sides->room + 16)) return false;
    sides->items[sides->count++] = (StrandSide){id, normal};
    return true;
}

void strand_sides_sort(StrandSides* sides)
{
    StrandSide* items = sides->items;
    for (int step = sides->count / 2; step > 0; step /= 2)
        for (int i = step; i < sides->count; i++)
        {
            const StrandSide item = items[i];
            int j = i;
            for (; j >= step && item.id < items[j - step].id; j -= step) items[j] = items[j - step];
            items[j] = item;
        }
}

const StrandSide* strand_sides_find(const StrandSides* sides, uint64_t id)
{
    int low = 0, high = sides->count;
    while (low < high)
    {
        const int middle = (low + high) / 2;
        if (sides->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sides->count && sides->items[low].id == id ? &sides->items[low] : NULL;
}
