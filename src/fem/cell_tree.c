// SPDX-License-Identifier: MIT
// cell_tree_: an octree of cells, found by a hash of their places.
#include "fem/cell_tree.h"
#include <math.h>
#include <string.h>

// the third place and the level in one number
static int cell_tree_key(int level, int k) { return k * (CELL_LEVELS_MAX + 1) + level; }

static void cell_tree_clear(Cell* cell)
{
    for (CellWeights* w = cell->weights; w;)
    {
        CellWeights* next = w->next;
        free(w);
        w = next;
    }
    free(cell->surface);
}

void cell_tree_free(CellTree* tree)
{
    for (int c = 0; c < tree->count; c++) cell_tree_clear(&tree->cells[c]);
    free(tree->cells);
    tw_table_clear(&tree->table);
    *tree = (CellTree){0};
}

static int cell_tree_append(CellTree* tree, Cell cell)
{
    if (tree->count == tree->room)
    {
        const int room = tree->room > 0 ? 2 * tree->room : 256;
        Cell* cells = realloc(tree->cells, (size_t)room * sizeof *cells);
        if (!cells) return CELL_NONE;
        tree->cells = cells;
        tree->room = room;
    }
    tree->cells[tree->count] = cell;
    return tree->count++;
}

int cell_tree_add(CellTree* tree, int level, const int at[3])
{
    const Cell cell = {.at = {at[0], at[1], at[2]},
                       .level = level,
                       .first = tree->count,
                       .next = CELL_NONE,
                       .parent = CELL_NONE,
                       .merged = CELL_NONE};
    int* slot = tw_table_put(&tree->table, at[0], at[1], cell_tree_key(level, at[2]), CELL_NONE);
    const int added = slot ? cell_tree_append(tree, cell) : CELL_NONE;
    if (added == CELL_NONE) return CELL_NONE;
    *slot = added;
    if (level >= tree->levels) tree->levels = level + 1;
    return added;
}

int cell_tree_split(CellTree* tree, int cell)
{
    const Cell* like = &tree->cells[cell];
    const Cell fragment = {.at = {like->at[0], like->at[1], like->at[2]},
                           .level = like->level,
                           .first = like->first,
                           .next = CELL_NONE,
                           .parent = like->parent,
                           .merged = CELL_NONE};
    const int added = cell_tree_append(tree, fragment);
    if (added != CELL_NONE) tree->cells[cell].next = added;
    return added;
}

// what was found with the children is forgotten with them
static void cell_tree_unrefine(Cell* cell)
{
    cell->refined = false;
    cell->merged = CELL_NONE;
    if (cell->revived) cell->kind = CELL_EMPTY;
    cell->revived = false;
}

// fragments are added with their cubes, and parents before children: what is left is whole
void cell_tree_truncate(CellTree* tree, int count)
{
    while (tree->count > count)
    {
        Cell* cell = &tree->cells[--tree->count];
        if (cell->parent >= 0 && cell->parent < count)
            for (int c = tree->cells[cell->parent].first; c >= 0; c = tree->cells[c].next)
                cell_tree_unrefine(&tree->cells[c]);
        if (cell->first == tree->count)
            *tw_table_get(&tree->table, cell->at[0], cell->at[1], cell_tree_key(cell->level, cell->at[2])) = CELL_NONE;
        cell_tree_clear(cell);
    }
}

bool cell_tree_refine(CellTree* tree, int cell)
{
    const Cell parent = tree->cells[cell];
    if (parent.refined) return true;
    for (int c = 0; c < 8; c++)
    {
        const int at[3] = {2 * parent.at[0] + (c & 1), 2 * parent.at[1] + (c >> 1 & 1), 2 * parent.at[2] + (c >> 2)};
        const int child = cell_tree_add(tree, parent.level + 1, at);
        if (child == CELL_NONE) return false;
        tree->cells[child].parent = parent.first;
    }
    for (int c = parent.first; c >= 0; c = tree->cells[c].next) tree->cells[c].refined = true;
    return true;
}

int cell_tree_at(const CellTree* tree, int level, const int at[3])
{
    const int* found = tw_table_get(&tree->table, at[0], at[1], cell_tree_key(level, at[2]));
    return found ? *found : CELL_NONE;
}

// this fragment or the next one with matter that is not part of another
static int cell_tree_full(const CellTree* tree, int cell)
{
    while (cell >= 0 && (tree->cells[cell].kind == CELL_EMPTY || tree->cells[cell].merged >= 0))
        cell = tree->cells[cell].next;
    return cell;
}

int cell_tree_next(const CellTree* tree, int cell) { return cell_tree_full(tree, tree->cells[cell].next); }

int cell_tree_find(const CellTree* tree, int level, const int at[3])
{
    int place[3] = {at[0], at[1], at[2]};
    for (int x = 0; x < 3; x++)
        if (at[x] < 0 || at[x] >= tree->size[x] << level) return CELL_NONE;
    for (int l = level; l >= 0; l--)
    {
        const int found = cell_tree_at(tree, l, place);
        if (found >= 0)
        {
            const int cell = cell_tree_full(tree, found);
            return cell < 0 || l == level ? cell : CELL_COARSE;
        }
        for (int x = 0; x < 3; x++) place[x] >>= 1;
    }
    return CELL_NONE;
}

// ---- fragments ----

static int cell_tree_whole(const CellTree* tree, int cell)
{
    while (cell >= 0 && tree->cells[cell].merged >= 0) cell = tree->cells[cell].merged;
    return cell;
}

int cell_tree_parent(const CellTree* tree, int cell) { return cell_tree_whole(tree, tree->cells[cell].parent); }

bool cell_tree_is_split(const CellTree* tree, int cell)
{
    return tree->cells[tree->cells[cell].first].next != CELL_NONE;
}

static const CellSurface* cell_tree_surface(const CellTree* tree, int cell)
{
    return tree->cells[tree->cells[cell].first].surface;
}

int cell_tree_fragment(const CellTree* tree, int cell, int face)
{
    const CellSurface* surface = cell_tree_surface(tree, cell);
    int low = 0, high = surface ? surface->count : 0;
    while (low < high)
    {
        const int middle = (low + high) / 2;
        if (surface->faces[middle].face < face)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = surface && low < surface->count && surface->faces[low].face == face;
    return found ? cell_tree_whole(tree, surface->faces[low].fragment) : CELL_NONE;
}

// the fragment that fills a face of a cube; one that no surface crosses fills all of them
static int cell_tree_cover(const CellTree* tree, int cell, int face)
{
    const CellSurface* surface = cell_tree_surface(tree, cell);
    return surface ? cell_tree_whole(tree, surface->cover[face]) : cell;
}

// fragments of two cubes beside each other that a face of the surface bounds in both
static bool cell_tree_touch(const CellTree* tree, int cube, int beside, twTable* touching)
{
    const CellSurface *sa = tree->cells[cube].surface, *sb = tree->cells[beside].surface;
    for (int i = 0, j = 0; sa && sb && i < sa->count && j < sb->count;)
    {
        const CellFace *x = &sa->faces[i], *y = &sb->faces[j];
        if (x->face == y->face)
        {
            const int a = cell_tree_whole(tree, x->fragment), b = cell_tree_whole(tree, y->fragment);
            if (!tw_table_put(touching, a < b ? a : b, a < b ? b : a, 0, 0)) return false;
        }
        i += x->face <= y->face;
        j += y->face <= x->face;
    }
    return true;
}

bool cell_tree_find_touching(const CellTree* tree, twTable* touching)
{
    for (int c = 0; c < tree->count; c++)
    {
        const Cell* cell = &tree->cells[c];
        for (int x = 0; x < 3 && cell->first == c; x++)
        {
            const int at[3] = {cell->at[0] + (x == 0), cell->at[1] + (x == 1), cell->at[2] + (x == 2)};
            const int beside = cell_tree_at(tree, cell->level, at);
            if (beside < 0 || (!cell_tree_is_split(tree, c) && !cell_tree_is_split(tree, beside))) continue;
            if (!cell_tree_touch(tree, c, beside, touching)) return false;
        }
    }
    return true;
}

// Two cubes beside each other are a box, so that a face of the surface in both crosses the square between them: the
// fragments that it bounds touch each other there. If no face crosses the square, it is full or empty as a whole.
bool cell_tree_joined(const CellTree* tree, const twTable* touching, int a, int b, int face)
{
    const int back = face ^ 1;
    if (!(tree->cells[a].reach >> face & 1) || !(tree->cells[b].reach >> back & 1)) return false;
    if (!cell_tree_is_split(tree, a) && !cell_tree_is_split(tree, b)) return true;
    const int cover_a = cell_tree_cover(tree, a, face), cover_b = cell_tree_cover(tree, b, back);
    if (cover_a >= 0 || cover_b >= 0) return (cover_a < 0 || cover_a == a) && (cover_b < 0 || cover_b == b);
    return tw_table_get(touching, a < b ? a : b, a < b ? b : a, 0);
}

void cell_tree_revive(CellTree* tree, int cell)
{
    for (; cell >= 0 && tree->cells[cell].kind == CELL_EMPTY; cell = cell_tree_parent(tree, cell))
    {
        tree->cells[cell].kind = CELL_CUT;
        tree->cells[cell].revived = true;
    }
}

void cell_tree_merge(CellTree* tree, int a, int b)
{
    a = cell_tree_whole(tree, a), b = cell_tree_whole(tree, b);
    while (a != b && a >= 0)
    {
        const int to = a < b ? a : b, from = a < b ? b : a;
        const int above[2] = {cell_tree_parent(tree, to), cell_tree_parent(tree, from)};
        tree->cells[to].reach |= tree->cells[from].reach;
        tree->cells[from].merged = to;
        if (tree->cells[from].kind != CELL_EMPTY) cell_tree_revive(tree, to);
        a = above[0], b = above[1];
    }
}

// ---- points ----

// squared distance of a point from a cell; to: the nearest point of it
static double cell_tree_distance(const Cell* cell, const double point[3], double to[3])
{
    const double edge = cell_edge(cell->level);
    double sum = 0;
    for (int x = 0; x < 3; x++)
    {
        to[x] = fmin(fmax(point[x], cell->at[x] * edge), (cell->at[x] + 1) * edge);
        sum += (point[x] - to[x]) * (point[x] - to[x]);
    }
    return sum;
}

int cell_tree_leaf(const CellTree* tree, double point[3])
{
    // down the tree where there is matter
    for (int l = 0; l < tree->levels; l++)
    {
        int at[3];
        for (int x = 0; x < 3; x++)
        {
            at[x] = (int)floor(ldexp(point[x], l));
            if (at[x] == tree->size[x] << l) at[x]--;
        }
        const int c = cell_tree_find(tree, l, at);
        if (c < 0) break;
        if (!tree->cells[c].refined) return c;
    }
    // beside all matter that counts: the nearest leaf
    int best = CELL_NONE;
    double least = HUGE_VAL, moved[3] = {point[0], point[1], point[2]};
    for (int c = 0; c < tree->count; c++)
    {
        double to[3];
        if (!cell_is_leaf(&tree->cells[c])) continue;
        const double d = cell_tree_distance(&tree->cells[c], point, to);
        if (d >= least) continue;
        least = d;
        best = c;
        memcpy(moved, to, sizeof moved);
    }
    memcpy(point, moved, sizeof moved);
    return best;
}

// ---- weights ----

const double* cell_weights_of(const Cell* cell, int material)
{
    for (const CellWeights* w = cell->weights; w; w = w->next)
        if (w->material == material) return w->w;
    return NULL;
}

double* cell_tree_weights(Cell* cell, int material, int total)
{
    for (CellWeights* w = cell->weights; w; w = w->next)
        if (w->material == material) return w->w;
    CellWeights* made = calloc(1, sizeof *made + (size_t)total * sizeof(double));
    if (!made) return NULL;
    made->material = material;
    made->next = cell->weights;
    cell->weights = made;
    return made->w;
}
