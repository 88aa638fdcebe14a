// SPDX-License-Identifier: MIT
// cell_error_: how far frequencies are off, and where that comes from. The functions are hierarchic, so the solution tells in
// each cell the energies e_p and e_(p-1) of its parts of degree p and p - 1. If they go on falling by that ratio, degree
// p + 1 and what follows, which is missing, has about
//     e_p (e_p / e_(p-1)),   at most e_p.
// Where the solution is smooth in a cell this is small; where the cell is too coarse for whatever reason (short waves, thin
// walls, corners) the parts do not fall. The sum over cells, over lambda, tells the relative error of a frequency.
// Cells are refined by the geometric mean of e_p and what is missing: e_p alone spends too much on smooth parts, what is
// missing alone finds features late.
#include "fem/cell_error.h"
#include "fem/lapack.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Factors from what is missing to the relative error of a frequency, with a reserve; half would be the mean. Functions of
// degree 3 are for thin walls, where parts fall off half as fast. Measured: docs/cells.md
#define CELL_SAFETY 0.75
#define CELL_SAFETY_WALLS 1.25
#define CELL_THETA 0.85  // part of the sum of eta in the cells that are refined
#define CELL_LEAST 0.12  // part of the cells that are refined: else 64 modes of a cow stood still for a round

// which part of the solution a function belongs to: 1 for all below 2
static int error_degree(const TrunkFunction* f)
{
    const int sum = f->degree[0] + f->degree[1] + f->degree[2];
    return sum < 1 ? 1 : sum;
}

// scratch for one leaf
typedef struct ErrorWork
{
    CellMatrices matrices;
    double *rows, *x, *u;       // (functions of a leaf x n), (functions of a leaf x 3 modes), (n x 3 modes)
    double *k, *part, *k_part;  // (3 n x 3 n), (3 n x modes) twice
    double* energy;             // (2 x modes)
} ErrorWork;

static bool error_alloc(ErrorWork* work, const CellSpace* space, int modes)
{
    const size_t n = (size_t)space->trunk->count, m = (size_t)modes, rows = (size_t)cell_space_most(space);
    work->rows = malloc((rows * n + rows * 3 * m + 9 * n * n + 9 * n * m + 2 * m + 1) * sizeof *work->rows);
    if (!work->rows || !cell_matrices_alloc(&work->matrices, space->trunk)) return false;
    work->x = work->rows + rows * n;
    work->u = work->x + rows * 3 * m;
    work->k = work->u + 3 * n * m;
    work->part = work->k + 9 * n * n;
    work->k_part = work->part + 3 * n * m;
    work->energy = work->k_part + 3 * n * m;
    return true;
}

static void error_free(ErrorWork* work)
{
    cell_matrices_free(&work->matrices);
    free(work->rows);
}

// u^T K u of the part of u of one degree (0: of all of it), for every mode: energy (modes)
static void error_elastic(ErrorWork* work, const Trunk* trunk, int degree, int modes, double* energy)
{
    int index[TRUNK_MAX], m = 0;
    const int n = trunk->count;
    for (int f = 0; f < n; f++)
        if (degree == 0 || error_degree(&trunk->function[f]) == degree) index[m++] = f;
    const int rows = 3 * m;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < m; j++)
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < m; i++)
                    work->k[(c * m + j) * rows + r * m + i] =
                        work->matrices.stiffness[(3 * r + c) * n * n + index[j] * n + index[i]];
    for (int k = 0; k < 3 * modes; k++)
        for (int i = 0; i < m; i++) work->part[k * m + i] = work->u[k * n + index[i]];
    fem_gemm('N', 'N', rows, modes, rows, 1, work->k, rows, work->part, rows, 0, work->k_part, rows);
    for (int k = 0; k < modes; k++)
    {
        energy[k] = 0;
        for (int i = 0; i < rows; i++) energy[k] += work->part[k * rows + i] * work->k_part[k * rows + i];
    }
}

static double error_kinetic(const Trunk* trunk, const double* mass, const double* u)
{
    const int n = trunk->count;
    double sum = 0;
    for (int d = 0; d < 3; d++, u += n)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) sum += mass[j * n + i] * u[i] * u[j];
    return sum;
}

twStatus cell_error_estimate(const CellSpace* space, const CellBody* body, const CellModes* modes, double* error,
                             double* eta, CellWorst* worst, twError* err)
{
    ErrorWork work = {0};
    const bool good = error_alloc(&work, space, modes->count);
    const int p = space->trunk->degree;
    for (int k = 0; k < modes->count; k++) error[k] = 0, worst[k] = (CellWorst){0};
    for (int l = 0; l < space->leaf_count && good; l++)
    {
        double *top = work.energy, *below = top + modes->count;
        eta[l] = 0;
        cell_matrices_of(&work.matrices, body, &space->tree->cells[space->leaf[l]], CELL_ALL);
        cell_space_rows(space, l, work.rows);
        cell_space_gather(space, l, work.rows, modes->x, modes->count, work.x, work.u);
        error_elastic(&work, space->trunk, p, modes->count, top);
        error_elastic(&work, space->trunk, p - 1, modes->count, below);
        for (int k = 0; k < modes->count; k++)
        {
            const double energy = fmax(0, top[k]) / modes->lambda[k];
            const double missing = energy * fmin(1, fmax(0, top[k]) / fmax(below[k], DBL_MIN));
            const double mean = sqrt(energy * missing);
            const double part = p == 2 ? CELL_SAFETY * missing : CELL_SAFETY_WALLS * mean;
            error[k] += part;
            if (part > worst[k].part) worst[k] = (CellWorst){l, part};
            eta[l] = fmax(eta[l], mean);
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
    const bool good = error_alloc(&work, space, modes->count);
    for (size_t i = 0; i < materials * (size_t)modes->count; i++) kinetic[i] = elastic[i] = 0;
    for (int l = 0; l < space->leaf_count && good; l++)
        for (int m = 0; m < body->material_count; m++)
        {
            const Cell* cell = &space->tree->cells[space->leaf[l]];
            if (cell->kind == CELL_FULL ? m > 0 : !cell_weights_of(cell, m)) continue;
            cell_matrices_of(&work.matrices, body, cell, m);
            cell_space_rows(space, l, work.rows);
            cell_space_gather(space, l, work.rows, modes->x, modes->count, work.x, work.u);
            error_elastic(&work, space->trunk, 0, modes->count, work.energy);
            for (int k = 0; k < modes->count; k++)
            {
                const size_t at = (size_t)k * materials + (size_t)m;
                elastic[at] += work.energy[k] / modes->lambda[k];
                kinetic[at] += error_kinetic(space->trunk, work.matrices.mass,
                                             work.u + 3 * (size_t)k * (size_t)space->trunk->count);
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
    int forced = 0, count = 0;
    for (int l = 0; l < space->leaf_count; l++)
    {
        // parts that do not touch each other move as one as long as they share a cell, and no energy shows it
        const bool apart = space->tree->cells[space->leaf[l]].gap > 0;
        rank[l] = (ErrorRank){apart ? HUGE_VAL : eta[l], l};
        forced += apart;
        sum += apart ? 0 : eta[l];
    }
    qsort(rank, (size_t)space->leaf_count, sizeof *rank, error_compare);
    for (int l = 0; l < space->leaf_count; l++)
    {
        if (l >= forced && taken >= CELL_THETA * sum && l >= CELL_LEAST * space->leaf_count) break;
        taken += l >= forced ? rank[l].eta : 0;
        if (space->tree->cells[space->leaf[rank[l].leaf]].level + 1 < CELL_LEVELS_MAX) order[count++] = rank[l].leaf;
    }
    free(rank);
    return count;
}
