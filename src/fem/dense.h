// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

enum
{
    FEM_DENSE_UNKNOWNS = 600
};  // small enough for full matrices

// all eigenvalues, ascending, and vectors (3 nodes x 3 nodes, orthonormal in the mass norm); free both with fem_free()
twStatus fem_dense(double** lambda, double** vectors, const FemSystem* system, FemMemory* memory, twError* err);
