// SPDX-License-Identifier: MIT
// cell_space_: numbering the functions of a tree of cells, and ancestors' functions in the basis of a leaf (overlay
// refinement without hanging nodes: Zander et al., Multi-level hp-adaptivity, Comput. Mech. 55, 2015).
#include "fem/cell_space.h"
#include "fem/lapack.h"
#include <limits.h>
#include <math.h>
#include <string.h>

static twStatus cell_space_no_memory(twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "no memory for the functions of the cells");
}

// ---- numbering ----

// the cubes of a level around an entity: up to 2 x 2 x 2
typedef struct CellRing
{
    int low[3], size[3];
    int cell[8];  // first fragment, CELL_NONE or CELL_COARSE, by x + 2 y + 4 z
} CellRing;

static CellRing cell_space_ring(const CellTree* tree, int level, const int place[3])
{
    CellRing ring;
    for (int x = 0; x < 3; x++)
    {
        ring.size[x] = place[x] & 1 ? 1 : 2;
        ring.low[x] = (place[x] >> 1) - ring.size[x] + 1;
    }
    for (int i = 0; i < 8; i++)
    {
        const int at[3] = {i & 1, i >> 1 & 1, i >> 2},
                  to[3] = {ring.low[0] + at[0], ring.low[1] + at[1], ring.low[2] + at[2]};
        const bool in = at[0] < ring.size[0] && at[1] < ring.size[1] && at[2] < ring.size[2];
        ring.cell[i] = in ? cell_tree_find(tree, level, to) : CELL_NONE;
    }
    return ring;
}

// which of the cubes of a ring a cell is in
static int cell_space_corner_of(const CellRing* ring, const Cell* cell)
{
    return cell->at[0] - ring->low[0] + 2 * (cell->at[1] - ring->low[1]) + 4 * (cell->at[2] - ring->low[2]);
}

// the face of cube i of a ring towards its neighbour along an axis
static int cell_space_face(int i, int axis) { return 2 * axis + (i >> axis & 1 ? 0 : 1); }

// room for all fragments of a ring
static bool cell_space_room(CellSpace* space, const CellRing* ring)
{
    int count = 1;
    for (int i = 0; i < 8; i++)
        for (int c = ring->cell[i]; c >= 0; c = cell_tree_next(space->tree, c)) count++;
    if (count <= space->joined_room) return true;
    int* joined = realloc(space->joined, (size_t)(2 * count) * sizeof *joined);
    if (!joined) return false;
    space->joined = joined;
    space->joined_room = 2 * count;
    return true;
}

static bool cell_space_has(const int* list, int count, int cell)
{
    for (int i = 0; i < count; i++)
        if (list[i] == cell) return true;
    return false;
}

// The cells of a ring that matter joins to one of them, across faces. Parts of the body that meet at an edge or a corner of
// the grid only, or lie on both sides of a gap, have functions of their own. @return how many; -1 without memory
static int cell_space_joined(CellSpace* space, const CellRing* ring, int cell)
{
    const CellTree* tree = space->tree;
    if (!cell_space_room(space, ring)) return -1;
    int count = 1, *joined = space->joined;
    joined[0] = cell;
    for (int at = 0; at < count; at++)
    {
        const int i = cell_space_corner_of(ring, &tree->cells[joined[at]]);
        for (int axis = 0; axis < 3; axis++)
            for (int c = ring->cell[i ^ 1 << axis]; c >= 0; c = cell_tree_next(tree, c))
                if (!cell_space_has(joined, count, c) &&
                    cell_tree_joined(tree, &space->touching, joined[at], c, cell_space_face(i, axis)))
                    joined[count++] = c;
    }
    return count;
}

// whether the matter of a cell goes on in a coarser one across a face: its ancestor beside that one is joined to it
static bool cell_space_reaches_coarser(const CellSpace* space, int cell, int face)
{
    const CellTree* tree = space->tree;
    if (!(tree->cells[cell].reach >> face & 1)) return false;
    for (int c = cell_tree_parent(tree, cell); c >= 0; c = cell_tree_parent(tree, c))
    {
        const Cell* above = &tree->cells[c];
        int at[3] = {above->at[0], above->at[1], above->at[2]};
        at[face / 2] += face & 1 ? 1 : -1;
        const int beside = cell_tree_find(tree, above->level, at);
        for (int b = beside; b >= 0; b = cell_tree_next(tree, b))
            if (cell_tree_joined(tree, &space->touching, c, b, face)) return true;
        if (beside != CELL_COARSE) return false;
    }
    return false;
}

// Whether an entity has functions for these cells: matter of none of them goes on in a coarser cell, and one of them is a leaf.
static bool cell_space_active(const CellSpace* space, const CellRing* ring, int count)
{
    bool leaf = false;
    for (int at = 0; at < count; at++)
    {
        const Cell* cell = &space->tree->cells[space->joined[at]];
        const int i = cell_space_corner_of(ring, cell);
        leaf = leaf || !cell->refined;
        for (int axis = 0; axis < 3; axis++)
            if (ring->cell[i ^ 1 << axis] == CELL_COARSE &&
                cell_space_reaches_coarser(space, space->joined[at], cell_space_face(i, axis)))
                return false;
    }
    return leaf;
}

static bool cell_space_add_corner(CellSpace* space, int function, int cell, const TrunkFunction* f)
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
    *corner = (CellCorner){.function = function, .cell = cell, .level = space->tree->cells[cell].level};
    memcpy(corner->corner, f->place, sizeof corner->corner);
    return true;
}

// an entity as the first of the cells that share it has it: its key
typedef struct CellEntity
{
    int cell, entity;
} CellEntity;

static CellEntity cell_space_key(const CellSpace* space, int count, const int place[3])
{
    int first = INT_MAX;
    for (int i = 0; i < count; i++)
        if (space->joined[i] < first) first = space->joined[i];
    const int* at = space->tree->cells[first].at;
    return (CellEntity){first, place[0] - 2 * at[0] + 3 * (place[1] - 2 * at[1]) + 9 * (place[2] - 2 * at[2])};
}

static int* cell_space_entity(CellSpace* space, int cell, const TrunkFunction* f)
{
    const Cell* at = &space->tree->cells[cell];
    const int place[3] = {2 * at->at[0] + f->place[0], 2 * at->at[1] + f->place[1], 2 * at->at[2] + f->place[2]};
    // what this cell calls it is known after the first time
    int* known = tw_table_get(&space->entities, cell, f->entity, 0);
    if (known) return known;
    const CellRing ring = cell_space_ring(space->tree, at->level, place);
    const int joined = cell_space_joined(space, &ring, cell);
    if (joined < 0) return NULL;
    const CellEntity key = cell_space_key(space, joined, place);
    const int* shared = tw_table_get(&space->entities, key.cell, key.entity, 0);
    int first = shared ? *shared : -1;
    if (!shared && cell_space_active(space, &ring, joined))
    {
        first = space->functions;
        space->functions += space->trunk->per_entity[f->entity];
        const bool corner = f->degree[0] + f->degree[1] + f->degree[2] == 0;
        if (corner && !cell_space_add_corner(space, first, cell, f)) return NULL;
    }
    if (!shared && !tw_table_put(&space->entities, key.cell, key.entity, 0, first)) return NULL;
    return tw_table_put(&space->entities, cell, f->entity, 0, first);
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

// One walk from a leaf to the root: functions and uses (if not NULL) get those that do not vanish on the leaf, rows (if not
// NULL) their coefficients. @return how many; -1 without memory
static int cell_space_walk(CellSpace* space, int cell, int* functions, CellUse* uses, double* rows)
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
            const int* first = cell_space_entity(space, cell, &trunk->function[f]);
            if (!first) return -1;
            if (*first < 0) continue;
            if (functions) functions[count] = *first + trunk->function[f].slot;
            if (uses) uses[count] = (CellUse){(uint8_t)f, (uint8_t)level};
            if (rows && below) memcpy(rows + (size_t)count * (size_t)n, below + f * n, (size_t)n * sizeof *rows);
            if (rows && !below) rows[(size_t)count * (size_t)n + (size_t)f] = 1;
            count++;
        }
        if (level == 0) return count;
        double* above = below == buffer[0] ? buffer[1] : buffer[0];
        cell_space_climb(trunk, (at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1), below, above);
        below = above;
        for (int x = 0; x < 3; x++) at[x] >>= 1;
        cell = cell_tree_parent(space->tree, cell);
    }
}

bool cell_space_rows(const CellSpace* space, int leaf, double* rows)
{
    const int n = space->trunk->count;
    const int64_t count = space->start[leaf + 1] - space->start[leaf];
    memset(rows, 0, (size_t)(count * n) * sizeof *rows);
    // all entities are numbered: the walk changes nothing
    cell_space_walk((CellSpace*)space, space->leaf[leaf], NULL, NULL, rows);
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
    CellUse* use = realloc(space->use, (size_t)room * sizeof *use);
    if (!use) return false;
    space->use = use;
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
    bool good = space->leaf && space->leaf_of && space->start && cell_tree_find_touching(tree, &space->touching);
    for (int c = 0; good && c < tree->count; c++)
    {
        space->leaf_of[c] = -1;
        if (!cell_is_leaf(&tree->cells[c])) continue;
        const int64_t start = space->start[space->leaf_count];
        good = cell_space_grow(space, start + CELL_ROWS_MAX);
        const int count = good ? cell_space_walk(space, c, space->function + start, space->use + start, NULL) : -1;
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
    free(space->use);
    free(space->corners);
    free(space->joined);
    tw_table_clear(&space->entities);
    tw_table_clear(&space->touching);
    free(space);
}

// ---- linear functions ----

static int cell_space_by_level(const void* a, const void* b)
{
    const CellCorner *x = a, *y = b;
    return x->level != y->level ? x->level - y->level : (x->function > y->function) - (x->function < y->function);
}

// what the corners of one ancestor give at a place
static double cell_space_hats(const CellSpace* space, int cell, const double place[3], const double* coefficient)
{
    const int* at = space->tree->cells[cell].at;
    const double scale = ldexp(1, space->tree->cells[cell].level);
    double sum = 0;
    for (int c = 0; c < 8; c++)
    {
        const int bit[3] = {c & 1, c >> 1 & 1, c >> 2};
        const int* first = tw_table_get(&space->entities, cell, 2 * bit[0] + 6 * bit[1] + 18 * bit[2], 0);
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
        const Cell* cell = &space->tree->cells[corner->cell];
        double place[3];
        for (int x = 0; x < 3; x++) place[x] = ldexp(cell->at[x] + corner->corner[x] / 2, -corner->level);
        double left = value(context, place);
        for (int c = cell_tree_parent(space->tree, corner->cell); c >= 0; c = cell_tree_parent(space->tree, c))
            left -= cell_space_hats(space, c, place, out);
        out[corner->function] = left;
    }
    free(corners);
    return TW_OK;
}
