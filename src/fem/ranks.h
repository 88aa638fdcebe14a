// SPDX-License-Identifier: MIT
#pragma once
#include "fem/memory.h"

// The processes of one program under MPI. Rank 0 reads, decides and writes; the others wait until it has work for them.
// What one rank finds wrong, all must hear of before the next exchange, or some would wait forever: fem_agree().

void fem_ranks_start(void);          // before anything else
bool fem_ranks_first(void);          // is this rank 0?
int fem_ranks_serve(void);           // on the others: help until rank 0 is done. @return its exit code
void fem_ranks_finish(int code);     // on rank 0: done
void fem_ranks_stop(void);           // on all, last
int fem_rank(void);                  // from 0
int fem_rank_count(void);            // 1 without mpirun
void fem_ranks_call(void);           // on rank 0: the others begin fem_modes_help()
double fem_ranks_sum(double value);  // over all
double fem_ranks_most(double value);

// The failure of the lowest rank that has one, with its message; TW_OK if there is none. The same on all ranks.
twStatus fem_agree(twStatus status, twError* err);
// memory of this rank: the limit; 0: its part of what its machine has free
FemMemory fem_ranks_memory(size_t limit);

// what the others do when called, in modes_mpi.c
void fem_modes_help(void);
