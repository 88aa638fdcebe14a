// SPDX-License-Identifier: MIT
// Sparse factors by MUMPS on several ranks. Each hands in the entries of K - s M from its own elements, numbered over
// the whole body; MUMPS adds what comes twice. The rows are in the order of elimination already, so that the order it
// is given is 1, 2, 3 ... Right-hand sides come from rank 0 and return there. Options and results are numbered from 1
// like in its manual; INFOG is the same on all ranks, INFO is this rank's.
#include "fem/spread.h"
#include "fem/mumps_call.h"
#include "fem/ranks.h"
#include <dmumps_c.h>

#define ICNTL(i) icntl[(i)-1]
#define INFO(i) info[(i)-1]
#define INFOG(i) infog[(i)-1]

struct FemSpread
{
    FemMemory* memory;
    DMUMPS_STRUC_C mumps;
    int *row, *column, *order;  // from 1; order on rank 0
    double* value;
    size_t held;  // bytes counted for MUMPS
    bool started;
};

static void run(FemSpread* factor, MumpsJob job)
{
    factor->mumps.job = job;
    dmumps_c(&factor->mumps);
}

static twStatus failure(const FemSpread* factor, const char* what, twError* err)
{
    return fem_mumps_failure(factor->mumps.INFOG(1), factor->mumps.INFOG(2), what, (double)fem_spread_bytes(factor),
                             factor->memory, err);
}

// ---- entries ----

// the lower triangle, by the numbers of the whole body
static void set_entries(FemSpread* factor, const FemSystem* system, const int* row_of, double shift)
{
    int64_t at = 0;
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < (system->column[e] == a ? r + 1 : 3); c++, at++)
                {
                    int i = 3 * row_of[system->node[a]] + r + 1,
                        j = 3 * row_of[system->node[system->column[e]]] + c + 1;
                    factor->row[at] = i > j ? i : j;
                    factor->column[at] = i > j ? j : i;
                    factor->value[at] = system->k[9 * e + 3 * r + c] - (r == c ? shift * system->m[e] : 0);
                }
}

static void drop_entries(FemSpread* factor)
{
    fem_free(factor->memory, factor->row);
    fem_free(factor->memory, factor->column);
    fem_free(factor->memory, factor->value);
    factor->row = factor->column = NULL;
    factor->value = NULL;
}

static twStatus make_entries(FemSpread* factor, FemSystem* system, const FemShare* share, double shift, twError* err)
{
    FemMemory* memory = factor->memory;
    size_t entries = (size_t)fem_entry_count(system), n = 3 * (size_t)share->nodes;
    factor->row = fem_alloc(memory, entries, sizeof *factor->row);
    factor->column = fem_alloc(memory, entries, sizeof *factor->column);
    factor->value = fem_alloc(memory, entries, sizeof *factor->value);
    if (fem_ranks_first()) factor->order = fem_alloc(memory, n, sizeof *factor->order);
    if (!factor->row || !factor->column || !factor->value || (fem_ranks_first() && !factor->order))
        return fem_no_memory(memory, 16.0 * (double)entries, "the matrix to factor", err);
    for (size_t i = 0; factor->order && i < n; i++) factor->order[i] = (int)i + 1;
    if (!system) return TW_OK;

    // the stiffness is not needed again
    set_entries(factor, system, share->row, shift);
    fem_free(memory, system->k);
    system->k = NULL;
    return TW_OK;
}

// ---- the factor ----

static void analyse(FemSpread* factor, const FemSystem* system, const FemShare* share)
{
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    mumps->par = 1;                 // rank 0 works too
    mumps->sym = 1;                 // positive definite
    mumps->comm_fortran = -987654;  // MPI_COMM_WORLD
    run(factor, MUMPS_START);
    factor->started = true;
    for (int i = 1; i <= 3; i++) mumps->ICNTL(i) = -1;  // no output
    mumps->ICNTL(4) = 0;
    mumps->ICNTL(6) = 0;    // no column permutation
    mumps->ICNTL(7) = 1;    // the order is given
    mumps->ICNTL(8) = 0;    // no scaling: the diagonal says the size of everything
    mumps->ICNTL(14) = 20;  // percent of room to spare
    mumps->ICNTL(18) = 3;   // entries from all ranks
    mumps->ICNTL(28) = 1;   // analysis on rank 0
    mumps->n = 3 * share->nodes;
    mumps->nnz_loc = fem_entry_count(system);
    mumps->irn_loc = factor->row;
    mumps->jcn_loc = factor->column;
    mumps->a_loc = factor->value;
    mumps->perm_in = factor->order;
    run(factor, MUMPS_ANALYSE);
}

static twStatus check_room(const FemSpread* factor, double wanted, twError* err)
{
    twStatus status = TW_OK;
    if (wanted > (double)fem_memory_left(factor->memory))
        status = fem_no_memory(factor->memory, wanted, "the factor and the modes", err);
    return fem_agree(status, err);
}

// factor, with more room if the parts turn out uneven, but never past the limit of a rank
static twStatus compute(FemSpread* factor, size_t reserve, twError* err)
{
    const int most_room = 400;
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    double bytes = (double)fem_spread_bytes(factor), entries = 16 * (double)mumps->nnz_loc;
    double later = (double)reserve > entries ? (double)reserve - entries : 0;  // entries are given back before
    twStatus status = check_room(factor, bytes + later, err);
    if (status != TW_OK) return status;
    for (run(factor, MUMPS_FACTOR); mumps->INFOG(1) == -8 || mumps->INFOG(1) == -9; run(factor, MUMPS_FACTOR))
    {
        mumps->ICNTL(14) = 2 * mumps->ICNTL(14) + 10;
        if (mumps->ICNTL(14) > most_room) break;
        status = check_room(factor, bytes * (1 + 0.01 * mumps->ICNTL(14)) + later, err);
        if (status != TW_OK) return status;
    }
    if (mumps->INFOG(1) >= 0 && mumps->INFOG(12) > 0) mumps->INFOG(1) = -40;
    if (mumps->INFOG(1) < 0) return failure(factor, "factorising", err);
    factor->held = (size_t)(1e6 * mumps->INFO(22));
    fem_memory_add(factor->memory, factor->held);
    drop_entries(factor);
    return TW_OK;
}

twStatus fem_spread_create(FemSpread** out, FemSystem* system, const FemShare* share, double shift, size_t reserve,
                           FemMemory* memory, twError* err)
{
    *out = NULL;
    twStatus status = TW_OK;
    FemSpread* factor = fem_alloc(memory, 1, sizeof *factor);
    if (!factor)
        status = fem_no_memory(memory, sizeof *factor, "the factor", err);
    else
    {
        factor->memory = memory;
        status = make_entries(factor, system, share, shift, err);
    }
    status = fem_agree(status, err);
    if (status == TW_OK)
    {
        analyse(factor, system, share);
        status = factor->mumps.INFOG(1) < 0 ? failure(factor, "choosing the pattern of the factor", err)
                                            : compute(factor, reserve, err);
    }
    if (status == TW_OK)
        *out = factor;
    else
        fem_spread_destroy(factor);
    return status;
}

void fem_spread_destroy(FemSpread* factor)
{
    if (!factor) return;
    if (factor->started) run(factor, MUMPS_STOP);
    drop_entries(factor);
    fem_free(factor->memory, factor->order);
    fem_memory_remove(factor->memory, factor->held);
    fem_free(factor->memory, factor);
}

size_t fem_spread_bytes(const FemSpread* factor)
{
    // megabytes estimated, then used
    return factor->held > 0 ? factor->held : (size_t)(1e6 * factor->mumps.INFO(15));
}

twStatus fem_spread_solve(FemSpread* factor, double* x, twError* err)
{
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    mumps->rhs = x;
    mumps->nrhs = 1;
    mumps->lrhs = mumps->n;
    run(factor, MUMPS_SOLVE);
    return mumps->INFOG(1) < 0 ? failure(factor, "solving", err) : TW_OK;
}
