// SPDX-License-Identifier: MIT
// cell_error_: where the error of the modes is. The functions are hierarchic, so a solution tells how much of it is of the
// highest degree p: eta_c = max over modes k of u_top^T K_c u_top / lambda_k, u_top the part of degree p in cell c. It is
// large where the cell is too coarse, whatever the reason: short waves, thin walls, corners, gaps.
#include "fem/cell_error.h"
#include <math.h>
#include <string.h>

#define CELL_THETA 0.85  // part of the sum of eta in the cells that are refined
#define CELL_LEAST 0.12  // part of the cells that are refined: else 64 modes of a cow stood still for a round

// scratch for one leaf
typedef struct ErrorWork
{
    CellMatrices matrices;
    double *rows, *u;  // (functions of a leaf x n), (3 n)
} ErrorWork;

static bool error_alloc(ErrorWork* work, const CellSpace* space)
{
    const size_t n = (size_t)space->trunk->count;
    work->rows = malloc((CELL_ROWS_MAX * n + 3 * n) * sizeof *work->rows);
    work->u = work->rows ? work->rows + CELL_ROWS_MAX * n : NULL;
    return work->rows && cell_matrices_alloc(&work->matrices, space->trunk);
}

static void error_free(ErrorWork* work)
{
    cell_matrices_free(&work->matrices);
    free(work->rows);
}

// u^T K u of the functions that count
static double error_elastic(const Trunk* trunk, const double* stiffness, const double* u, bool top)
{
    const int n = trunk->count;
    double sum = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
        {
            const double* block = stiffness + (size_t)((3 * r + c) * n * n);
            for (int j = 0; j < n; j++)
            {
                if (top && !trunk->function[j].top) continue;
                double column = 0;
                for (int i = 0; i < n; i++)
                    if (!top || trunk->function[i].top) column += block[j * n + i] * u[3 * i + r];
                sum += column * u[3 * j + c];
            }
        }
    return sum;
}

static double error_kinetic(const Trunk* trunk, const double* mass, const double* u)
{
    const int n = trunk->count;
    double sum = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++) sum += mass[j * n + i] * u[3 * i + d] * u[3 * j + d];
    return sum;
}

twStatus cell_error_shares(const CellSpace* space, const CellBody* body, const CellModes* modes, double* share,
                           double* eta, twError* err)
{
    ErrorWork work = {0};
    const bool good = error_alloc(&work, space);
    memset(share, 0, (size_t)modes->count * sizeof *share);
    for (int l = 0; l < space->leaf_count && good; l++)
    {
        eta[l] = 0;
        cell_matrices_of(&work.matrices, body, &space->tree->cells[space->leaf[l]], CELL_ALL);
        cell_space_rows(space, l, work.rows);
        for (int k = 0; k < modes->count; k++)
        {
            cell_space_gather(space, l, work.rows, modes->x + 3 * (size_t)k * (size_t)space->functions, work.u);
            const double part = error_elastic(space->trunk, work.matrices.stiffness, work.u, true) / modes->lambda[k];
            share[k] += part;
            eta[l] = fmax(eta[l], part);
        }
    }
    error_free(&work);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the errors of the cells");
}

twStatus cell_error_energy(const CellSpace* space, const CellBody* body, const CellModes* modes, double* kinetic,
                           double* elastic, twError* err)
{
    ErrorWork work = {0};
    const size_t materials = (size_t)body->material_count;
    const bool good = error_alloc(&work, space);
    for (size_t i = 0; i < materials * (size_t)modes->count; i++) kinetic[i] = elastic[i] = 0;
    for (int l = 0; l < space->leaf_count && good; l++)
        for (int m = 0; m < body->material_count; m++)
        {
            const Cell* cell = &space->tree->cells[space->leaf[l]];
            if (cell->kind == CELL_FULL ? m > 0 : !cell_weights_of(cell, m)) continue;
            cell_matrices_of(&work.matrices, body, cell, m);
            cell_space_rows(space, l, work.rows);
            for (int k = 0; k < modes->count; k++)
            {
                const size_t at = (size_t)k * materials + (size_t)m;
                cell_space_gather(space, l, work.rows, modes->x + 3 * (size_t)k * (size_t)space->functions, work.u);
                elastic[at] += error_elastic(space->trunk, work.matrices.stiffness, work.u, false) / modes->lambda[k];
                kinetic[at] += error_kinetic(space->trunk, work.matrices.mass, work.u);
            }
        }
    error_free(&work);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the energies of the cells");
}

// ---- marking ----

typedef struct ErrorRank
{
    double eta;
    int leaf;
} ErrorRank;

static int error_compare(const void* a, const void* b)
{
    const ErrorRank *x = a, *y = b;
    if (x->eta != y->eta) return x->eta > y->eta ? -1 : 1;
    return x->leaf - y->leaf;
}

int cell_error_mark(const CellSpace* space, const double* eta, int* order)
{
    ErrorRank* rank = malloc(((size_t)space->leaf_count + 1) * sizeof *rank);
    if (!rank) return 0;
    double sum = 0, taken = 0;
    for (int l = 0; l < space->leaf_count; l++)
    {
        rank[l] = (ErrorRank){eta[l], l};
        sum += eta[l];
    }
    qsort(rank, (size_t)space->leaf_count, sizeof *rank, error_compare);
    int count = 0;
    for (int l = 0; l < space->leaf_count; l++)
    {
        if (taken >= CELL_THETA * sum && l >= CELL_LEAST * space->leaf_count) break;
        taken += rank[l].eta;
        if (space->tree->cells[space->leaf[rank[l].leaf]].level + 1 < CELL_LEVELS_MAX) order[count++] = rank[l].leaf;
    }
    free(rank);
    return count;
}
