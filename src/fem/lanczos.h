// SPDX-License-Identifier: MIT
#pragma once
#include "fem/mumps.h"

// what is wanted of the lower end of the spectrum
typedef struct FemWish
{
    int count;          // eigenvalues above zero
    double max_lambda;  // none above
    double zero;        // eigenvalues below count as zero
    int extra;          // converged ones beyond, for choosing a gap
    double tolerance;   // relative residual
} FemWish;

typedef struct FemLanczos FemLanczos;

// Start; rigid (3 nodes x rigid_count, orthonormal) is what is known and kept out.
twStatus fem_lanczos_create(FemLanczos** out, const FemSystem* system, FemFactor* factor, double shift,
                            const double* rigid, int rigid_count, int wanted, FemMemory* memory, twError* err);
void fem_lanczos_destroy(FemLanczos* lanczos);  // NULL is fine
// bytes it will need at least for a number of eigenvalues
size_t fem_lanczos_bytes(const FemSystem* system, int rigid_count, int wanted);
// Iterate until the wish is fulfilled.
twStatus fem_lanczos_run(FemLanczos* lanczos, const FemWish* wish, twFemProgress keep_going, void* context,
                         twError* err);
// Bring in random vectors after a run that missed something; then run again.
twStatus fem_lanczos_refresh(FemLanczos* lanczos, twError* err);

int fem_lanczos_found(const FemLanczos* lanczos);  // converged eigenvalues from the lowest on, zeros included
double fem_lanczos_lambda(const FemLanczos* lanczos, int i);
double fem_lanczos_residual(const FemLanczos* lanczos, int i);
// vectors first ... first + count - 1 into x (3 nodes x count); count is at most FEM_VECTORS
enum
{
    FEM_VECTORS = 8
};
void fem_lanczos_vectors(FemLanczos* lanczos, int first, int count, double* x);
int fem_lanczos_solves(const FemLanczos* lanczos);  // right-hand sides solved for
