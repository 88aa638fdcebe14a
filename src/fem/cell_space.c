// SPDX-License-Identifier: MIT
// cell_space_: numbering the functions of a tree of cells, and ancestors' functions in the basis of a leaf (overlay
// refinement without hanging nodes: Zander et al., Multi-level hp-adaptivity, Comput. Mech. 55, 2015).
#include "fem/cell_space.h"
#include "fem/lapack.h"
#include <math.h>
#include <string.h>

static twStatus cell_space_no_memory(twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "no memory for the functions of the cells");
}

// ---- numbering ----

// whether an entity at doubled places has functions
static bool cell_space_active(const CellTree* tree, int level, const int place[3])
{
    int low[3], high[3], at[3];
    bool leaf = false;
    for (int x = 0; x < 3; x++)
    {
        high[x] = place[x] >> 1;
        low[x] = place[x] & 1 ? high[x] : high[x] - 1;
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
            {
                const int c = cell_tree_find(tree, level, at);
                if (c == CELL_COARSE) return false;
                leaf = leaf || (c >= 0 && !tree->cells[c].refined);
            }
    return leaf;
}

static bool cell_space_add_corner(CellSpace* space, int function, int level, const int at[3], const TrunkFunction* f)
{
    if (space->corner_count == space->corner_room)
    {
        const int room = space->corner_room > 0 ? 2 * space->corner_room : 1024;
        CellCorner* corners = realloc(space->corners, (size_t)room * sizeof *corners);
        if (!corners) return false;
        space->corners = corners;
        space->corner_room = room;
    }
    CellCorner* corner = &space->corners[space->corner_count++];
    *corner = (CellCorner){.function = function, .level = level};
    memcpy(corner->at, at, sizeof corner->at);
    memcpy(corner->corner, f->place, sizeof corner->corner);
    return true;
}

static int* cell_space_entity(CellSpace* space, int level, const int at[3], const TrunkFunction* f)
{
    const int place[3] = {2 * at[0] + f->place[0], 2 * at[1] + f->place[1], 2 * at[2] + f->place[2]};
    const int key = place[2] * (CELL_LEVELS_MAX + 1) + level;
    int* first = tw_table_get(&space->entities, place[0], place[1], key);
    if (first) return first;
    first = tw_table_put(&space->entities, place[0], place[1], key, -1);
    if (!first || !cell_space_active(space->tree, level, place)) return first;
    *first = space->functions;
    space->functions += space->trunk->per_entity[f->entity];
    const bool corner = f->degree[0] + f->degree[1] + f->degree[2] == 0;
    if (corner && !cell_space_add_corner(space, *first, level, at, f)) return NULL;
    return first;
}

// ---- the rows of a leaf ----

// the next ancestor's functions on the leaf: T_child of the ancestor times what its own child has
static void cell_space_climb(const Trunk* trunk, int child, const double* below, double* out)
{
    const int n = trunk->count;
    const double* t = trunk->child[child];
    if (!below)
    {
        memcpy(out, t, (size_t)(n * n) * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int f = 0; f < n; f++)
        for (int k = 0; k < n; k++)
        {
            const double weight = t[f * n + k];
            if (weight == 0) continue;
            for (int g = 0; g < n; g++) out[f * n + g] += weight * below[k * n + g];
        }
}

static bool cell_space_vanishes(const double* row, int count)
{
    const double round_off = 1e-13;
    for (int g = 0; g < count; g++)
        if (fabs(row[g]) > round_off) return false;
    return true;
}

// One walk from a leaf to the root: functions (if not NULL) numbers those that do not vanish on the leaf, rows (if not
// NULL) gets their coefficients. @return how many; -1 without memory
static int cell_space_walk(CellSpace* space, int cell, int* functions, double* rows)
{
    const Trunk* trunk = space->trunk;
    const Cell* leaf = &space->tree->cells[cell];
    const int n = trunk->count;
    int at[3] = {leaf->at[0], leaf->at[1], leaf->at[2]}, count = 0;
    double buffer[2][TRUNK_MAX * TRUNK_MAX], *below = NULL;
    for (int level = leaf->level;; level--)
    {
        for (int f = 0; f < n; f++)
        {
            if (below && cell_space_vanishes(below + f * n, n)) continue;
            const int* first = cell_space_entity(space, level, at, &trunk->function[f]);
            if (!first) return -1;
            if (*first < 0) continue;
            if (functions) functions[count] = *first + trunk->function[f].slot;
            if (rows && below) memcpy(rows + (size_t)count * (size_t)n, below + f * n, (size_t)n * sizeof *rows);
            if (rows && !below) rows[(size_t)count * (size_t)n + (size_t)f] = 1;
            count++;
        }
        if (level == 0) return count;
        double* above = below == buffer[0] ? buffer[1] : buffer[0];
        cell_space_climb(trunk, (at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1), below, above);
        below = above;
        for (int x = 0; x < 3; x++) at[x] >>= 1;
    }
}

bool cell_space_rows(const CellSpace* space, int leaf, double* rows)
{
    const int n = space->trunk->count;
    const int64_t count = space->start[leaf + 1] - space->start[leaf];
    memset(rows, 0, (size_t)(count * n) * sizeof *rows);
    // all entities are numbered: the walk changes nothing
    cell_space_walk((CellSpace*)space, space->leaf[leaf], NULL, rows);
    if (count != n) return false;
    for (int i = 0; i < n * n; i++)
        if (rows[i] != (i / n == i % n)) return false;
    return true;
}

void cell_space_gather(const CellSpace* space, int leaf, const double* rows, const double* vectors, int count,
                       double* scratch, double* out)
{
    const int n = space->trunk->count, m = (int)(space->start[leaf + 1] - space->start[leaf]);
    const int* function = space->function + space->start[leaf];
    for (int k = 0; k < count; k++, vectors += 3 * (size_t)space->functions)
        for (int i = 0; i < m; i++)
            for (int d = 0; d < 3; d++) scratch[(3 * k + d) * m + i] = vectors[3 * (size_t)function[i] + (size_t)d];
    fem_gemm('N', 'N', n, 3 * count, m, 1, rows, n, scratch, m, 0, out, n);
}

int cell_space_most(const CellSpace* space)
{
    int most = 1;
    for (int l = 0; l < space->leaf_count; l++)
        if (space->start[l + 1] - space->start[l] > most) most = (int)(space->start[l + 1] - space->start[l]);
    return most;
}

// ---- all of it ----

static bool cell_space_grow(CellSpace* space, int64_t room)
{
    if (room <= space->room) return true;
    room += room / 2;
    int* function = realloc(space->function, (size_t)room * sizeof *function);
    if (!function) return false;
    space->function = function;
    space->room = room;
    return true;
}

twStatus cell_space_create(CellSpace** out, const CellTree* tree, const Trunk* trunk, twError* err)
{
    *out = NULL;
    CellSpace* space = calloc(1, sizeof *space);
    if (!space) return cell_space_no_memory(err);
    space->tree = tree;
    space->trunk = trunk;
    const size_t cells = (size_t)tree->count;
    space->leaf = malloc((cells + 1) * sizeof *space->leaf);
    space->leaf_of = malloc((cells + 1) * sizeof *space->leaf_of);
    space->start = calloc(cells + 2, sizeof *space->start);
    bool good = space->leaf && space->leaf_of && space->start;
    for (int c = 0; good && c < tree->count; c++)
    {
        space->leaf_of[c] = -1;
        if (!cell_is_leaf(&tree->cells[c])) continue;
        const int64_t start = space->start[space->leaf_count];
        good = cell_space_grow(space, start + CELL_ROWS_MAX);
        const int count = good ? cell_space_walk(space, c, space->function + start, NULL) : -1;
        good = count >= 0;
        space->leaf_of[c] = space->leaf_count;
        space->leaf[space->leaf_count++] = c;
        if (good) space->start[space->leaf_count] = start + count;
    }
    if (good)
        *out = space;
    else
        cell_space_destroy(space);
    return good ? TW_OK : cell_space_no_memory(err);
}

void cell_space_destroy(CellSpace* space)
{
    if (!space) return;
    free(space->leaf);
    free(space->leaf_of);
    free(space->start);
    free(space->function);
    free(space->corners);
    tw_table_clear(&space->entities);
    free(space);
}

// ---- linear functions ----

static int cell_space_by_level(const void* a, const void* b)
{
    const CellCorner *x = a, *y = b;
    return x->level != y->level ? x->level - y->level : (x->function > y->function) - (x->function < y->function);
}

// what the corners of one ancestor give at a place
static double cell_space_hats(const CellSpace* space, int level, const int at[3], const double place[3],
                              const double* coefficient)
{
    const double scale = ldexp(1, level);
    double sum = 0;
    for (int c = 0; c < 8; c++)
    {
        const int bit[3] = {c & 1, c >> 1 & 1, c >> 2};
        const int* first = tw_table_get(&space->entities, 2 * (at[0] + bit[0]), 2 * (at[1] + bit[1]),
                                        2 * (at[2] + bit[2]) * (CELL_LEVELS_MAX + 1) + level);
        if (!first || *first < 0) continue;
        double hat = 1;
        for (int x = 0; x < 3; x++)
        {
            const double t = place[x] * scale - at[x];
            hat *= bit[x] ? t : 1 - t;
        }
        sum += hat * coefficient[*first];
    }
    return sum;
}

// From coarse to fine: a corner's coefficient is the value there less what coarser functions give there. What is left of a
// linear function after the coarser levels is in the trilinear functions of the finer ones.
twStatus cell_space_linear(const CellSpace* space, double (*value)(const void* context, const double place[3]),
                           const void* context, double* out, twError* err)
{
    CellCorner* corners = malloc(((size_t)space->corner_count + 1) * sizeof *corners);
    if (!corners) return cell_space_no_memory(err);
    memset(out, 0, (size_t)space->functions * sizeof *out);
    memcpy(corners, space->corners, (size_t)space->corner_count * sizeof *corners);
    qsort(corners, (size_t)space->corner_count, sizeof *corners, cell_space_by_level);
    for (int i = 0; i < space->corner_count; i++)
    {
        const CellCorner* corner = &corners[i];
        int at[3] = {corner->at[0], corner->at[1], corner->at[2]};
        double place[3];
        for (int x = 0; x < 3; x++) place[x] = ldexp(at[x] + corner->corner[x] / 2, -corner->level);
        double left = value(context, place);
        for (int level = corner->level - 1; level >= 0; level--)
        {
            for (int x = 0; x < 3; x++) at[x] >>= 1;
            left -= cell_space_hats(space, level, at, place, out);
        }
        out[corner->function] = left;
    }
    free(corners);
    return TW_OK;
}
