// SPDX-License-Identifier: MIT
#pragma once
#include "fem/memory.h"

// Error code and detail of MUMPS in words; wanted: bytes of the factor, what: the step that failed.
twStatus fem_mumps_failure(int code, int detail, const char* what, double wanted, const FemMemory* memory,
                           twError* err);
