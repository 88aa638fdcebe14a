// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// a sparse factor of K - shift M
typedef struct FemFactor FemFactor;

// Choose the pattern of the factor for an order of the nodes (position of each). definite: Cholesky-like, for shifts
// below all eigenvalues; otherwise L D L^T with pivots of both signs.
twStatus fem_factor_create(FemFactor** out, const FemSystem* system, const int* position, bool definite,
                           FemMemory* memory, twError* err);
void fem_factor_destroy(FemFactor* factor);        // NULL is fine
size_t fem_factor_bytes(const FemFactor* factor);  // estimated before fem_factor_compute, held after
// Ask keep_going while computing, from a fraction of the stage on. If it says no, computing goes on to its end first.
void fem_factor_watch(FemFactor* factor, const char* stage, double from, twFemProgress keep_going, void* context);
// Factor. Refuses if the factor and reserve [bytes], for what comes later, do not fit into the memory's limit.
twStatus fem_factor_compute(FemFactor* factor, double shift, size_t reserve, twError* err);
double fem_factor_operations(const FemFactor* factor);        // to factor, from the analysis
double fem_factor_solve_operations(const FemFactor* factor);  // to solve for one right-hand side
int fem_factor_negative(const FemFactor* factor);  // negative pivots: eigenvalues below the shift (Sylvester)
// x (3 nodes x columns, by columns) becomes the solution
twStatus fem_factor_solve(FemFactor* factor, double* x, int columns, twError* err);
