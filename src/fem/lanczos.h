// SPDX-License-Identifier: MIT
#pragma once
#include "fem/mumps.h"
#include "fem/wish.h"

typedef struct FemLanczos FemLanczos;

// Start; the factor is that of K - shift M, rigid (3 nodes x rigid_count, orthonormal) what is known and kept out.
twStatus fem_lanczos_create(FemLanczos** out, const FemSystem* system, FemFactor* factor, double shift,
                            const double* rigid, int rigid_count, int wanted, FemMemory* memory, twError* err);
void fem_lanczos_destroy(FemLanczos* lanczos);  // NULL is fine
// bytes that it and the shapes of the result will need at least for a number of eigenvalues
size_t fem_lanczos_bytes(const FemSystem* system, int rigid_count, int wanted);
// Iterate until the wish is fulfilled.
twStatus fem_lanczos_run(FemLanczos* lanczos, const FemWish* wish, twFemProgress keep_going, void* context,
                         twError* err);
// Bring in random vectors after a run that missed something; then run again.
twStatus fem_lanczos_refresh(FemLanczos* lanczos, twError* err);

int fem_lanczos_below(const FemLanczos* lanczos);           // eigenvalues below the shift, but for the rigid ones
bool fem_lanczos_on_eigenvalue(const FemLanczos* lanczos);  // so near that no run can succeed
int fem_lanczos_found(const FemLanczos* lanczos);           // converged eigenvalues from the lowest on, zeros included
double fem_lanczos_lambda(const FemLanczos* lanczos, int i);
double fem_lanczos_residual(const FemLanczos* lanczos, int i);
// vectors first ... first + count - 1 into x (3 nodes x count); count is at most FEM_VECTORS
enum
{
    FEM_VECTORS = 8
};
void fem_lanczos_vectors(FemLanczos* lanczos, int first, int count, double* x);
int fem_lanczos_solves(const FemLanczos* lanczos);  // right-hand sides solved for
