// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// Blocks of vectors, orthonormal in the mass norm: x^T M x = 1. All have 3 nodes rows, by columns.

// what the functions below work with: w (3 nodes x most columns) and scratch
typedef struct FemBlocks
{
    const FemSystem* system;
    int n;                // rows: 3 nodes
    int most;             // columns at most
    double *w, *scratch;  // M u; for multiplying
    double* gram;         // (most x most)
    twRng rng;
} FemBlocks;

bool fem_blocks_create(FemBlocks* blocks, const FemSystem* system, int most, FemMemory* memory);
void fem_blocks_destroy(FemBlocks* blocks, FemMemory* memory);
// c = v^T M u, u = u - v c, with v (n x k) orthonormal and c (k x columns, leading dimension ldc)
void fem_project(FemBlocks* blocks, const double* v, int k, double* u, int columns, double* c, int ldc);
// u = u R^-1 orthonormal, R upper (columns x columns). Columns that depend on others are replaced by random ones, with
// a zero row of R; the caller makes them orthogonal to the rest and calls again.
void fem_normalise(FemBlocks* blocks, double* u, int columns, double* r);
void fem_random(FemBlocks* blocks, double* u, int columns);
