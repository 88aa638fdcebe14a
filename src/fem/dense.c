// SPDX-License-Identifier: MIT
// Small problems as full matrices, all modes at once.
#include "fem/dense.h"
#include "fem/lapack.h"

// the upper triangles, by columns: an entry of the lower triangle (row i, column j) goes to row j, column i
static void fill(const FemSystem* system, double* k, double* m)
{
    size_t n = 3 * (size_t)system->nodes;
    for (size_t a = 0; a < (size_t)system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++)
                {
                    size_t b = (size_t)system->column[e], at = (3 * a + r) * n + 3 * b + c;
                    k[at] = system->k[9 * e + (int64_t)(3 * r + c)];
                    m[at] = r == c ? system->m[e] : 0;
                }
}

twStatus fem_dense(double** lambda, double** vectors, const FemSystem* system, FemMemory* memory, twError* err)
{
    int n = 3 * system->nodes;
    size_t square = (size_t)n * (size_t)n;
    double* values = fem_alloc(memory, (size_t)n, sizeof *values);
    double* k = fem_alloc(memory, square, sizeof *k);
    double* m = fem_alloc(memory, square, sizeof *m);
    double* work = fem_alloc(memory, fem_eigen_work(n), sizeof *work);
    twStatus status = TW_OK;
    if (!values || !k || !m || !work) status = fem_no_memory(memory, 32.0 * (double)square, "the modes", err);
    if (status == TW_OK)
    {
        fill(system, k, m);
        if (!fem_eigen_general(n, k, m, values, work))
            status = tw_fail(err, TW_NO_CONVERGE, "the eigenproblem of %d unknowns did not converge", n);
    }
    fem_free(memory, m);
    fem_free(memory, work);
    if (status != TW_OK)
    {
        fem_free(memory, k);
        fem_free(memory, values);
        values = k = NULL;
    }
    *lambda = values;
    *vectors = k;
    return status;
}
