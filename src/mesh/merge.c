// SPDX-License-Identifier: MIT
// Duplicate vertices by hashing. Cells are two distances wide, so that all that is near a point lies in the (at most
// eight) cells its ball touches. Vertices that stay are farther apart than the distance: a cell holds few of them.
#include "mesh/mend.h"
#include <stdlib.h>
#include <string.h>

typedef struct Grid
{
    const twMesh* mesh;
    twVec3 low;
    double cell;  // 0: equal coordinates only
    double distance;
    size_t mask;  // buckets - 1
    int* heads;   // (buckets) first vertex of a chain, or -1
    int* next;    // (vertices)
} Grid;

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static size_t bucket_of_cell(const Grid* grid, int64_t i, int64_t j, int64_t k)
{
    uint64_t h = mix(mix(mix(1, (uint64_t)i), (uint64_t)j), (uint64_t)k);
    return (size_t)(h ^ h >> 32) & grid->mask;
}

static int64_t bits(double x)
{
    // the same bits for both zeros
    int64_t result;
    x += 0.0;
    memcpy(&result, &x, sizeof result);
    return result;
}

static int64_t cell_of(const Grid* grid, double x, double low) { return (int64_t)floor((x - low) / grid->cell); }

// the first vertex of a chain near p, or -1
static int search(const Grid* grid, size_t bucket, twVec3 p)
{
    for (int v = grid->heads[bucket]; v >= 0; v = grid->next[v])
    {
        twVec3 gap = tw_vec3_sub(grid->mesh->vertices[v], p);
        if (grid->cell > 0 ? tw_vec3_norm(gap) <= grid->distance : tw_vec3_max(gap) == 0) return v;
    }
    return -1;
}

static int find_near(const Grid* grid, twVec3 p)
{
    if (!(grid->cell > 0)) return search(grid, bucket_of_cell(grid, bits(p.x), bits(p.y), bits(p.z)), p);
    int best = -1;
    double d = grid->distance;
    twVec3 low = grid->low;
    for (int64_t i = cell_of(grid, p.x - d, low.x); i <= cell_of(grid, p.x + d, low.x); i++)
        for (int64_t j = cell_of(grid, p.y - d, low.y); j <= cell_of(grid, p.y + d, low.y); j++)
            for (int64_t k = cell_of(grid, p.z - d, low.z); k <= cell_of(grid, p.z + d, low.z); k++)
            {
                int v = search(grid, bucket_of_cell(grid, i, j, k), p);
                if (v >= 0 && (best < 0 || v < best)) best = v;
            }
    return best;
}

static void insert(Grid* grid, int v)
{
    twVec3 p = grid->mesh->vertices[v], low = grid->low;
    size_t bucket = grid->cell > 0 ? bucket_of_cell(grid, cell_of(grid, p.x, low.x), cell_of(grid, p.y, low.y),
                                                    cell_of(grid, p.z, low.z))
                                   : bucket_of_cell(grid, bits(p.x), bits(p.y), bits(p.z));
    grid->next[v] = grid->heads[bucket];
    grid->heads[bucket] = v;
}

int tw_merge_vertices(int* first_of, const twMesh* mesh, double distance)
{
    size_t buckets = 64, count = (size_t)mesh->vertex_count;
    while (buckets < count) buckets *= 2;
    Grid grid = {.mesh = mesh, .distance = distance, .mask = buckets - 1};
    twVec3 high;
    if (!tw_mesh_box(mesh, &grid.low, &high)) grid.low = high = tw_vec3(0, 0, 0);

    // below the rounding of the coordinates only equal ones are near
    double reach = fmax(tw_vec3_max(grid.low), tw_vec3_max(high));
    if (distance > 1e-15 * reach) grid.cell = 2 * distance;
    grid.heads = malloc(buckets * sizeof *grid.heads);
    grid.next = malloc((count + 1) * sizeof *grid.next);
    int merged = grid.heads && grid.next ? 0 : -1;
    for (size_t i = 0; i < buckets && merged == 0; i++) grid.heads[i] = -1;
    for (int v = 0; v < mesh->vertex_count && merged >= 0; v++)
    {
        first_of[v] = v;
        if (!tw_is_place(mesh->vertices[v])) continue;
        int near = find_near(&grid, mesh->vertices[v]);
        if (near < 0)
            insert(&grid, v);
        else
        {
            first_of[v] = near;
            merged++;
        }
    }
    free(grid.heads);
    free(grid.next);
    return merged;
}
