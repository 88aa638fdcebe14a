// SPDX-License-Identifier: MIT
// The ranks: starting, waiting, agreeing. Commands go out from rank 0 by broadcast; a rank that waits for one sleeps
// between looks, so that it does not take a processor from whoever makes the mesh.
#define _POSIX_C_SOURCE 200809L
#include "fem/ranks.h"
#include "fem/slepc.h"
#include <mpi.h>
#include <string.h>
#include <time.h>

typedef enum Order
{
    HELP,
    FINISH
} Order;

static int neighbours = 1;  // ranks on this machine, itself included; fixed from the start, like all of MPI's state

// ---- start and end ----

void fem_ranks_start(void)
{
    MPI_Comm machine;
    MPI_Init(NULL, NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
    fem_slepc_start();
}

void fem_ranks_stop(void)
{
    fem_slepc_stop();
    MPI_Finalize();
}

int fem_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int fem_rank_count(void)
{
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

bool fem_ranks_first(void) { return fem_rank() == 0; }

// ---- orders ----

// rank 0 gives an order, the others get it
static void pass_order(int order[2])
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    MPI_Ibcast(order, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;) nanosleep(&nap, NULL);
}

int fem_ranks_serve(void)
{
    int order[2] = {FINISH, 0};
    for (pass_order(order); order[0] == HELP; pass_order(order)) fem_modes_help();
    return order[1];
}

void fem_ranks_call(void) { pass_order((int[2]){HELP, 0}); }
void fem_ranks_finish(int code) { pass_order((int[2]){FINISH, code}); }

// ---- agreement ----

double fem_ranks_sum(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

double fem_ranks_most(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

twStatus fem_agree(twStatus status, twError* err)
{
    int count = fem_rank_count(), who = status == TW_OK ? count : fem_rank();
    MPI_Allreduce(MPI_IN_PLACE, &who, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (who == count) return TW_OK;
    twError theirs = *err;
    MPI_Bcast(&theirs, sizeof theirs, MPI_BYTE, who, MPI_COMM_WORLD);
    *err = theirs;
    return theirs.status;
}

FemMemory fem_ranks_memory(size_t limit)
{
    FemMemory memory = fem_memory(limit);
    if (limit == 0) memory.limit /= (size_t)neighbours;
    return memory;
}
