// SPDX-License-Identifier: MIT
// solve_: in the program for several processes, which solves tets only (modes_mpi.c): cut cells and shells are small enough for
// one process.
#include "fem/solve.h"

twStatus fem_solve_create(FemSolve** out, const FemSolveDef* def, twError* err)
{
    (void)def;
    *out = NULL;
    return tw_fail(
        err, TW_BAD_INPUT,
        "shapes, surfaces and shells are analysed by one process: use 'twang modes'; several take files of tets");
}

void fem_solve_destroy(FemSolve* solve) { (void)solve; }

FemSolved fem_solve_result(const FemSolve* solve)
{
    (void)solve;
    return (FemSolved){0};
}

double fem_solve_lambda(const FemSolve* solve, int mode)
{
    (void)solve;
    return mode;
}

double fem_solve_residual(const FemSolve* solve, int mode)
{
    (void)solve;
    return mode;
}

void fem_solve_vectors(FemSolve* solve, int first, int count, double* x)
{
    (void)solve;
    (void)first;
    (void)count;
    (void)x;
}
