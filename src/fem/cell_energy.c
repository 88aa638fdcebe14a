// SPDX-License-Identifier: MIT
// cell_energy_: shares of the materials in the kinetic and the elastic energy of the modes.
#include "fem/cell_error.h"
#include "fem/lapack.h"

// scratch of one leaf: n functions
typedef struct EnergyWork
{
    CellMatrices matrices;
    double *rows, *x, *u, *image;  // (functions x n), (functions x 3 modes), (n x 3 modes) twice
} EnergyWork;

static bool energy_alloc(EnergyWork* work, const CellSpace* space, const CellBody* body, int modes)
{
    const size_t n = (size_t)space->trunk->count, m = (size_t)modes, rows = (size_t)cell_space_most(space);
    work->rows = malloc((rows * (n + 3 * m) + 6 * n * m + 1) * sizeof *work->rows);
    if (!work->rows || !cell_matrices_alloc(&work->matrices, body)) return false;
    work->x = work->rows + rows * n;
    work->u = work->x + rows * 3 * m;
    work->image = work->u + 3 * n * m;
    return true;
}

// sum over the leaf's functions of u of axis a times image of axis b, of one mode
static double energy_dot(const EnergyWork* work, int n, int mode, int a, int b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += work->u[(3 * mode + a) * n + i] * work->image[(3 * mode + b) * n + i];
    return sum;
}

// adds u^T A u for every third column, A a block for displacements along a and b
static void energy_add(EnergyWork* work, int n, const CellModes* modes, const double* block, int a, int b, double* out,
                       int stride, bool over_lambda)
{
    fem_gemm('N', 'N', n, 3 * modes->count, n, 1, block, n, work->u, n, 0, work->image, n);
    for (int k = 0; k < modes->count; k++)
        out[k * stride] += energy_dot(work, n, k, a, b) / (over_lambda ? modes->lambda[k] : 1);
}

twStatus cell_error_energy(const CellSpace* space, const CellBody* body, const CellModes* modes, double* kinetic,
                           double* elastic, twError* err)
{
    EnergyWork work = {0};
    const int n = space->trunk->count, materials = body->material_count;
    const bool good = energy_alloc(&work, space, body, modes->count);
    for (int i = 0; i < materials * modes->count; i++) kinetic[i] = elastic[i] = 0;
    for (int l = 0; l < space->leaf_count && good; l++)
        for (int m = 0; m < materials; m++)
        {
            const Cell* cell = &space->tree->cells[space->leaf[l]];
            if (cell->kind == CELL_FULL ? m > 0 : !cell_weights_of(cell, m)) continue;
            cell_matrices_of(&work.matrices, body, cell, m);
            cell_space_rows(space, l, work.rows);
            cell_space_gather(space, l, work.rows, modes->x, modes->count, work.x, work.u);
            for (int b = 0; b < 9; b++)
                energy_add(&work, n, modes, work.matrices.stiffness + b * n * n, b / 3, b % 3, elastic + m, materials,
                           true);
            for (int a = 0; a < 3; a++)
                energy_add(&work, n, modes, work.matrices.mass, a, a, kinetic + m, materials, false);
        }
    cell_matrices_free(&work.matrices);
    free(work.rows);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the energies of the cells");
}
