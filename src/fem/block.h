// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// Blocks of vectors, orthonormal in the mass norm: x^T M x = 1. All have 3 nodes rows, by columns.

// what the functions below work with
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
void fem_random(FemBlocks* blocks, double* u, int columns);

void fem_weigh(FemBlocks* blocks, const double* u, int columns);  // w = M u
// c = v^T w, with v (n x k) orthonormal and c (k x columns, leading dimension ldc)
void fem_overlap(FemBlocks* blocks, const double* v, int k, int columns, double* c, int ldc);
// u = u - v c
void fem_remove(FemBlocks* blocks, const double* v, int k, double* u, int columns, const double* c, int ldc);
// Given w = M u: u = u R^-1 orthonormal and w = w R^-1, with R upper (columns x columns). Columns that depend on others
// are replaced by random ones, with a zero row of R; the caller makes them orthogonal to the rest and calls again.
void fem_scale(FemBlocks* blocks, double* u, int columns, double* r);

void fem_project(FemBlocks* blocks, const double* v, int k, double* u, int columns, double* c, int ldc);  // all three
void fem_normalise(FemBlocks* blocks, double* u, int columns, double* r);  // weigh and scale
