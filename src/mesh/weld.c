// SPDX-License-Identifier: MIT
// Welding by a hash grid. Cells are a thousand tolerances wide, so nearly every point is looked up in one cell only; one
// that lies within the tolerance of a cell's wall is looked up on both sides.
#include "mesh/weld.h"
#include <limits.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-10, CELL = 1e-7;  // of the size

bool tw_weld_create(twWeld* weld, size_t capacity, size_t hashed, twVec3 origin, double size)
{
    *weld = (twWeld){.origin = origin, .cell = CELL * size, .tolerance = TOLERANCE * size};
    if (capacity >= INT_MAX || hashed > capacity) return false;
    size_t slots = 16;
    while (slots < 2 * hashed) slots *= 2;
    weld->capacity = (int)capacity;
    weld->slot_mask = (uint32_t)(slots - 1);
    weld->points = malloc((capacity + 1) * sizeof *weld->points);
    weld->slots = calloc(slots, sizeof *weld->slots);
    if (weld->points && weld->slots) return true;
    tw_weld_destroy(weld);
    return false;
}

void tw_weld_destroy(twWeld* weld)
{
    free(weld->points);
    free(weld->slots);
    *weld = (twWeld){0};
}

static uint32_t slot_of(const twWeld* weld, const int64_t key[3])
{
    uint64_t h = (uint64_t)key[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)key[1] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)key[2] * 0x165667B19E3779F9u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h >> 32) & weld->slot_mask;
}

// the point near p among those hashed to the cell, or -1; *free_slot gets the first empty slot
static int find(const twWeld* weld, const int64_t key[3], twVec3 p, uint32_t* free_slot)
{
    uint32_t slot = slot_of(weld, key);
    for (; weld->slots[slot]; slot = (slot + 1) & weld->slot_mask)
    {
        int i = weld->slots[slot] - 1;
        if (tw_vec3_max(tw_vec3_sub(weld->points[i], p)) <= weld->tolerance) return i;
    }
    *free_slot = slot;
    return -1;
}

int tw_weld_append(twWeld* weld, twVec3 point)
{
    TW_ASSERT(weld->count < weld->capacity);
    weld->points[weld->count] = point;
    return weld->count++;
}

int tw_weld_add(twWeld* weld, twVec3 point)
{
    // the cells that hold the point or come within the tolerance of it
    const double x[3] = {point.x - weld->origin.x, point.y - weld->origin.y, point.z - weld->origin.z};
    int64_t low[3], high[3], home[3], key[3];
    for (int d = 0; d < 3; d++)
    {
        low[d] = (int64_t)floor((x[d] - weld->tolerance) / weld->cell);
        high[d] = (int64_t)floor((x[d] + weld->tolerance) / weld->cell);
        home[d] = (int64_t)floor(x[d] / weld->cell);
    }
    uint32_t slot = 0;
    for (key[0] = low[0]; key[0] <= high[0]; key[0]++)
        for (key[1] = low[1]; key[1] <= high[1]; key[1]++)
            for (key[2] = low[2]; key[2] <= high[2]; key[2]++)
            {
                int i = find(weld, key, point, &slot);
                if (i >= 0) return i;
            }

    // a new one, in its own cell
    find(weld, home, point, &slot);
    int index = tw_weld_append(weld, point);
    weld->slots[slot] = index + 1;
    return index;
}
