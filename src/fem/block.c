// SPDX-License-Identifier: MIT
// Orthonormal blocks in the mass norm. A block is normalised by Cholesky's factor of its Gram matrix, u^T M u = R^T R,
// which loses as many digits as the square of its condition; called twice, after another projection, the result is
// orthonormal to round-off (Yamamoto et al. 2015, CholeskyQR2). If the Gram matrix is singular to working precision,
// columns are taken one by one instead (modified Gram-Schmidt).
#include "fem/block.h"
#include "fem/lapack.h"
#include <math.h>
#include <string.h>

bool fem_blocks_create(FemBlocks* blocks, const FemSystem* system, int most, FemMemory* memory)
{
    size_t n = 3 * (size_t)system->nodes, columns = (size_t)most;
    *blocks = (FemBlocks){.system = system, .n = (int)n, .most = most, .rng = tw_rng(1)};
    blocks->w = fem_alloc(memory, n * columns, sizeof *blocks->w);
    blocks->scratch = fem_alloc(memory, fem_multiply_scratch(system), sizeof *blocks->scratch);
    blocks->gram = fem_alloc(memory, columns * columns, sizeof *blocks->gram);
    return blocks->w && blocks->scratch && blocks->gram;
}

void fem_blocks_destroy(FemBlocks* blocks, FemMemory* memory)
{
    fem_free(memory, blocks->w);
    fem_free(memory, blocks->scratch);
    fem_free(memory, blocks->gram);
}

void fem_random(FemBlocks* blocks, double* u, int columns)
{
    for (size_t i = 0; i < (size_t)blocks->n * (size_t)columns; i++) u[i] = tw_rng_between(&blocks->rng, -1, 1);
}

void fem_weigh(FemBlocks* blocks, const double* u, int columns)
{
    fem_multiply_mass(blocks->system, u, blocks->w, columns, blocks->scratch);
}

void fem_overlap(FemBlocks* blocks, const double* v, int k, int columns, double* c, int ldc)
{
    int n = blocks->n;
    if (k > 0) fem_gemm('T', 'N', k, columns, n, 1, v, n, blocks->w, n, 0, c, ldc);
}

void fem_remove(FemBlocks* blocks, const double* v, int k, double* u, int columns, const double* c, int ldc)
{
    int n = blocks->n;
    if (k > 0) fem_gemm('N', 'N', n, columns, k, -1, v, n, c, ldc, 1, u, n);
}

void fem_project(FemBlocks* blocks, const double* v, int k, double* u, int columns, double* c, int ldc)
{
    fem_weigh(blocks, u, columns);
    fem_overlap(blocks, v, k, columns, c, ldc);
    fem_remove(blocks, v, k, u, columns, c, ldc);
}

static double dot(const double* x, const double* y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// column by column; a column of which nothing is left becomes random, twice made orthogonal to those before
static void normalise_slowly(FemBlocks* blocks, double* u, int columns, double* r)
{
    const double nothing = 1e-13;
    size_t n = (size_t)blocks->n;
    double* w = blocks->w;
    for (int j = 0; j < columns; j++)
    {
        double* uj = u + (size_t)j * n;
        double* rj = r + (size_t)j * (size_t)columns;
        fem_multiply_mass(blocks->system, uj, w, 1, blocks->scratch);
        double before = sqrt(dot(uj, w, n)), after = 0;
        for (int attempt = 0; attempt < 3; attempt++)
        {
            for (int pass = 0; pass < 2; pass++)
                for (int i = 0; i < j; i++)
                {
                    const double* ui = u + (size_t)i * n;
                    fem_multiply_mass(blocks->system, uj, w, 1, blocks->scratch);
                    double c = dot(ui, w, n);
                    if (attempt == 0) rj[i] += c;
                    for (size_t k = 0; k < n; k++) uj[k] -= c * ui[k];
                }
            fem_multiply_mass(blocks->system, uj, w, 1, blocks->scratch);
            after = sqrt(dot(uj, w, n));
            if (attempt == 0) rj[j] = after > nothing * before ? after : 0;
            if (after > nothing * before && after > 0) break;
            fem_random(blocks, uj, 1);
            before = 0;
        }
        for (size_t k = 0; k < n; k++) uj[k] /= after;
    }
}

void fem_scale(FemBlocks* blocks, double* u, int columns, double* r)
{
    int n = blocks->n;
    size_t size = (size_t)columns;
    double* gram = blocks->gram;
    fem_gemm('T', 'N', columns, columns, n, 1, u, n, blocks->w, n, 0, gram, columns);
    memset(r, 0, size * size * sizeof *r);

    // a diagonal of R below round-off of the largest says nothing
    bool good = fem_cholesky(columns, gram, columns);
    double least = HUGE_VAL, most = 0;
    for (size_t j = 0; good && j < size; j++)
    {
        least = fmin(least, gram[j * size + j]);
        most = fmax(most, gram[j * size + j]);
    }
    if (!good || !(least > 1e-7 * most))
    {
        normalise_slowly(blocks, u, columns, r);
        fem_weigh(blocks, u, columns);
        return;
    }
    for (size_t j = 0; j < size; j++) memcpy(r + j * size, gram + j * size, (j + 1) * sizeof *r);
    fem_solve_right(n, columns, r, columns, u, n);
    fem_solve_right(n, columns, r, columns, blocks->w, n);
}

void fem_normalise(FemBlocks* blocks, double* u, int columns, double* r)
{
    fem_weigh(blocks, u, columns);
    fem_scale(blocks, u, columns, r);
}
