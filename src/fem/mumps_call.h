// SPDX-License-Identifier: MIT
#pragma once
#include "fem/memory.h"
#include "fem/system.h"

// What MUMPS is called with, on one process or several.

typedef enum MumpsJob
{
    MUMPS_START = -1,
    MUMPS_STOP = -2,
    MUMPS_ANALYSE = 1,
    MUMPS_FACTOR = 2,
    MUMPS_SOLVE = 3
} MumpsJob;

// entries of the lower triangle of unknowns: six of each diagonal block, nine of the others; 0 without a system
static inline int64_t fem_entry_count(const FemSystem* system)
{
    return system ? 9 * system->start[system->nodes] - 3 * (int64_t)system->nodes : 0;
}

// Error code and detail of MUMPS in words; wanted: bytes of the factor, what: the step that failed.
twStatus fem_mumps_failure(int code, int detail, const char* what, double wanted, const FemMemory* memory,
                           twError* err);
