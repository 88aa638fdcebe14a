// SPDX-License-Identifier: MIT
#pragma once
#include "fem/mumps.h"
#include <arpack/arpack.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// Another eigensolver for the same matrices and the same factor: ARPACK, one vector at a time, shift and invert.

/// The lowest count eigenvalues, ascending, rigid ones included. @return the number of solves; 0 if it failed
static inline int arpack_lowest(const FemSystem* system, FemFactor* factor, double shift, int count, double tolerance,
                                double* lambda)
{
    int n = 3 * system->nodes, ncv = 2 * count + 20 < n ? 2 * count + 20 : n, work = ncv * (ncv + 8), solves = 0;
    int ido = 0, info = 0, iparam[11] = {1, 0, 1000, 1, 0, 0, 3}, ipntr[14];
    size_t size = (size_t)n * ((size_t)ncv + 4) + (size_t)work + fem_multiply_scratch(system);
    double* block = calloc(size, sizeof *block);
    int* select = calloc((size_t)ncv, sizeof *select);
    if (!block || !select) exit(1);
    double *v = block, *residual = v + (size_t)n * (size_t)ncv, *workd = residual + n, *workl = workd + 3 * (size_t)n;
    double* scratch = workl + work;
    for (;;)
    {
        dsaupd_c(&ido, "G", n, "LM", count, tolerance, residual, ncv, v, n, iparam, ipntr, workd, workl, work, &info);
        double *x = workd + ipntr[0] - 1, *y = workd + ipntr[1] - 1;
        if (ido == -1 || ido == 1)
        {
            // M x is known, but for the first vector
            if (ido == -1)
                fem_multiply_mass(system, x, y, 1, scratch);
            else
                memcpy(y, workd + ipntr[2] - 1, (size_t)n * sizeof *y);
            if (fem_factor_solve(factor, y, 1, NULL) != TW_OK) break;
            solves++;
        }
        else if (ido == 2)
            fem_multiply_mass(system, x, y, 1, scratch);
        else
            break;
    }
    if (info == 0)
        dseupd_c(1, "A", select, lambda, v, n, shift, "G", n, "LM", count, tolerance, residual, ncv, v, n, iparam,
                 ipntr, workd, workl, work, &info);
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && lambda[j] < lambda[j - 1]; j--)
        {
            double swap = lambda[j];
            lambda[j] = lambda[j - 1];
            lambda[j - 1] = swap;
        }
    free(block);
    free(select);
    return info == 0 ? solves : 0;
}
