// SPDX-License-Identifier: MIT
#pragma once
#include "fem/spread.h"
#include "fem/wish.h"

void fem_slepc_start(void);  // once, on all ranks
void fem_slepc_stop(void);

// A search for the lowest modes by SLEPc; all calls are collective. What SLEPc itself cannot do ends the program on all
// ranks (MPI_Abort).
typedef struct FemSlepc FemSlepc;

// Start. system and share: as for fem_spread_create(), and k still there for fem_slepc_keep_out().
twStatus fem_slepc_create(FemSlepc** out, const FemSystem* system, const FemShare* share, FemMemory* memory,
                          twError* err);
void fem_slepc_destroy(FemSlepc* slepc);  // NULL is fine
// Keep a rigid motion out of the search: x (3 nodes, by rows of the body; on rank 0). @return its eigenvalue
double fem_slepc_keep_out(FemSlepc* slepc, const double* x);
// bytes this rank will need at least for a number of eigenvalues
size_t fem_slepc_bytes(const FemShare* share, int wanted);
// Search until the wish is fulfilled. keep_going is asked on rank 0.
twStatus fem_slepc_run(FemSlepc* slepc, FemSpread* factor, double shift, const FemWish* wish, twFemProgress keep_going,
                       void* context, twError* err);

int fem_slepc_found(const FemSlepc* slepc);  // eigenvalues from the lowest on, the motions kept out left out
double fem_slepc_lambda(const FemSlepc* slepc, int i);
double fem_slepc_residual(const FemSlepc* slepc, int i);
// vector i, by rows of the body; NULL but on rank 0. Holds until the next call.
const double* fem_slepc_vector(FemSlepc* slepc, int i);
