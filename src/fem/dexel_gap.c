// SPDX-License-Identifier: MIT
// dexel_gap: parts of the matter in a cell that do not touch each other, and how near it comes to the cell's faces.
#include "fem/dexel_run.h"
#include "mesh/edges.h"
#include <string.h>

#define DEXEL_FOLDS                                                                                                    \
    0.05  // part of the rays of a cell, by weight, that must have a gap for the cell to count as one with a gap

static int dexel_compare_pieces(const void* a, const void* b)
{
    const DexelPiece *x = a, *y = b;
    if (x->cell != y->cell) return x->cell - y->cell;
    if (x->j != y->j) return x->j - y->j;
    if (x->i != y->i) return x->i - y->i;
    return (x->from > y->from) - (x->from < y->from);
}

// intervals of neighbouring rays belong together if they overlap, or nearly so
static bool dexel_adjoin(const DexelPiece* x, const DexelPiece* y, double near)
{
    const int di = abs(x->i - y->i), dj = abs(x->j - y->j);
    return di + dj == 1 && x->from < y->to + near && y->from < x->to + near;
}

// Rays that leave the matter and enter it again within one cell, between two walls, say: the walls move as one polynomial.
// @return the mean width of the gap over these rays, in cells; 0 if they are too few
static double dexel_fold(const DexelPiece* piece, int count)
{
    const double least = 0.01;  // of a cell: gaps below are none
    double rays = 0, width = 0;
    for (int i = 0; i + 1 < count; i++)
    {
        const bool same = piece[i].i == piece[i + 1].i && piece[i].j == piece[i + 1].j;
        const double gap = piece[i + 1].from - piece[i].to;
        if (!same || gap < least) continue;
        rays += 0.25 * piece[i].weight;
        width += 0.25 * piece[i].weight * gap;
    }
    return rays > DEXEL_FOLDS ? width / rays : 0;
}

// how many parts the intervals of one cell form that are worth counting
static int dexel_count_parts(const DexelRun* run, const DexelPiece* piece, int count, int* parent, double* volume)
{
    const double least = 0.002;  // of the cell
    const Trunk* trunk = run->trunk;
    const double near = 0.5 / trunk->rays;
    int parts = 0, width = 1;
    for (int i = 0; i < count; i++) parent[i] = i, volume[i] = 0;
    for (int i = 0; i < count; i++)
    {
        // only intervals of this row of rays and the next can adjoin
        for (width = i + 1; width < count && piece[width].j <= piece[i].j + 1; width++)
            if (dexel_adjoin(&piece[i], &piece[width], near)) tw_union_join(parent, i, width);
    }
    for (int i = 0; i < count; i++)
        volume[tw_union_root(parent, i)] += 0.25 * piece[i].weight * (piece[i].to - piece[i].from);
    for (int i = 0; i < count; i++) parts += volume[i] > least;
    return parts;
}

// how far the matter is from the six faces of its cell, as rays tell
static void dexel_find_nearest(Cell* cell, const DexelPiece* piece, int count, double spacing)
{
    for (int f = 0; f < 6; f++) cell->near[f] = 1;
    for (int i = 0; i < count; i++)
    {
        const int d = piece[i].axis, u = (d + 1) % 3, v = (d + 2) % 3;
        double low[3], high[3];
        low[d] = piece[i].from, high[d] = piece[i].to;
        low[u] = high[u] = piece[i].place[0];
        low[v] = high[v] = piece[i].place[1];
        for (int x = 0; x < 3; x++)
        {
            // the first ray from a face stands for all that is nearer
            const double least = x == d ? 0 : spacing;
            cell->near[2 * x] = fmin(cell->near[2 * x], low[x] > least ? low[x] : 0);
            cell->near[2 * x + 1] = fmin(cell->near[2 * x + 1], 1 - high[x] > least ? 1 - high[x] : 0);
        }
    }
}

twStatus dexel_find_parts(DexelRun* run, twError* err)
{
    int* parent = malloc((run->piece_count + 1) * sizeof *parent);
    double* volume = malloc((run->piece_count + 1) * sizeof *volume);
    const bool good = parent && volume;
    if (good && run->piece_count > 0) qsort(run->pieces, run->piece_count, sizeof *run->pieces, dexel_compare_pieces);
    for (size_t i = 0, end; good && i < run->piece_count; i = end)
    {
        for (end = i; end < run->piece_count && run->pieces[end].cell == run->pieces[i].cell;) end++;
        Cell* cell = &run->tree->cells[run->pieces[i].cell];
        const int count = (int)(end - i);
        cell->gap = dexel_fold(run->pieces + i, count);
        // parts side by side of the rays: a gap between two rays
        if (cell->gap == 0 && dexel_count_parts(run, run->pieces + i, count, parent, volume) > 1)
            cell->gap = 1.0 / run->trunk->rays;
        cell->gap *= cell_edge(cell->level);
        dexel_find_nearest(cell, run->pieces + i, count, 0.5 * (1 + run->trunk->ray[0]) + 1e-9);
    }
    free(parent);
    free(volume);
    return good ? TW_OK : dexel_no_memory(err);
}
