// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// bytes that the result of a number of modes takes
size_t fem_result_bytes(const FemSystem* system, int count);
// Room for the result, counted in memory, and what the system tells of it. Free with tw_fem_modes_destroy().
twStatus fem_result_create(twFemModes** out, const FemSystem* system, const twFemDef* def, int count, FemMemory* memory,
                           twError* err);
// Set mode k from its eigenvalue and vector x (3 nodes, unit mass) without units.
void fem_result_mode(twFemModes* modes, int k, const FemSystem* system, const twFemDef* def, double lambda,
                     double residual, const double* x);
