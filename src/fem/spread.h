// SPDX-License-Identifier: MIT
#pragma once
#include "fem/share.h"

// A sparse factor of K - shift M, spread over the ranks. All calls are collective and return the same on all ranks.
typedef struct FemSpread FemSpread;

// system: the matrices of the share, NULL if it is empty; k is given back. reserve: bytes this rank needs later.
twStatus fem_spread_create(FemSpread** out, FemSystem* system, const FemShare* share, double shift, size_t reserve,
                           FemMemory* memory, twError* err);
void fem_spread_destroy(FemSpread* factor);  // NULL is fine
// x (3 nodes, on rank 0) becomes the solution
twStatus fem_spread_solve(FemSpread* factor, double* x, twError* err);
size_t fem_spread_bytes(const FemSpread* factor);  // of this rank
