// SPDX-License-Identifier: MIT
// cell_tree_: an octree of cells, found by a hash of their places.
#include "fem/cell_tree.h"
#include <math.h>
#include <string.h>

// the third place and the level in one number
static int cell_tree_key(int level, int k) { return k * (CELL_LEVELS_MAX + 1) + level; }

void cell_tree_free(CellTree* tree)
{
    for (int c = 0; c < tree->count; c++)
        for (CellWeights* w = tree->cells[c].weights; w;)
        {
            CellWeights* next = w->next;
            free(w);
            w = next;
        }
    free(tree->cells);
    tw_table_clear(&tree->table);
    *tree = (CellTree){0};
}

int cell_tree_add(CellTree* tree, int level, const int at[3])
{
    if (tree->count == tree->room)
    {
        const int room = tree->room > 0 ? 2 * tree->room : 256;
        Cell* cells = realloc(tree->cells, (size_t)room * sizeof *cells);
        if (!cells) return CELL_NONE;
        tree->cells = cells;
        tree->room = room;
    }
    if (!tw_table_put(&tree->table, at[0], at[1], cell_tree_key(level, at[2]), tree->count)) return CELL_NONE;
    tree->cells[tree->count] = (Cell){.at = {at[0], at[1], at[2]}, .level = level};
    if (level >= tree->levels) tree->levels = level + 1;
    return tree->count++;
}

bool cell_tree_refine(CellTree* tree, int cell)
{
    const Cell parent = tree->cells[cell];
    for (int c = 0; c < 8; c++)
    {
        const int at[3] = {2 * parent.at[0] + (c & 1), 2 * parent.at[1] + (c >> 1 & 1), 2 * parent.at[2] + (c >> 2)};
        if (cell_tree_add(tree, parent.level + 1, at) == CELL_NONE) return false;
    }
    tree->cells[cell].refined = true;
    return true;
}

int cell_tree_at(const CellTree* tree, int level, const int at[3])
{
    const int* found = tw_table_get(&tree->table, at[0], at[1], cell_tree_key(level, at[2]));
    return found ? *found : CELL_NONE;
}

int cell_tree_find(const CellTree* tree, int level, const int at[3])
{
    int place[3] = {at[0], at[1], at[2]};
    for (int x = 0; x < 3; x++)
        if (at[x] < 0 || at[x] >= tree->size[x] << level) return CELL_NONE;
    for (int l = level; l >= 0; l--)
    {
        const int* found = tw_table_get(&tree->table, place[0], place[1], cell_tree_key(l, place[2]));
        if (found)
        {
            if (tree->cells[*found].kind == CELL_EMPTY) return CELL_NONE;
            return l == level ? *found : CELL_COARSE;
        }
        for (int x = 0; x < 3; x++) place[x] >>= 1;
    }
    return CELL_NONE;
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
