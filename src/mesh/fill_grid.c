// SPDX-License-Identifier: MIT
// Growing arrays, and lists of items by place: cubes of a hash table, each with a chain of links. The order of the table
// never shows in the result, so that filling is deterministic.
#include "fill.h"
#include <limits.h>
#include <math.h>

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

// cube k of 27 around a point's own
static void cube_of(const FillGrid* grid, twVec3 p, int k, int cube[3])
{
    const double x[3] = {p.x, p.y, p.z};
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    for (int i = 0; i < 3; i++) cube[i] = (int)fmin(fmax(floor(x[i] / grid->edge), -1e9), 1e9) + step[i];
}

bool fill_grid_add(FillGrid* grid, twVec3 point, int item)
{
    if (!fill_reserve((void**)&grid->links, &grid->capacity, grid->count + 1, sizeof *grid->links)) return false;
    int cube[3];
    cube_of(grid, point, 13, cube);
    int* head = tw_table_put(&grid->heads, cube[0], cube[1], cube[2], grid->count);
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
    int cube[3];
    cube_of(grid, point, k, cube);
    const int* head = tw_table_get(&grid->heads, cube[0], cube[1], cube[2]);
    return head ? *head : -1;
}

void fill_grid_free(FillGrid* grid)
{
    tw_table_clear(&grid->heads);
    free(grid->links);
    *grid = (FillGrid){0};
}
