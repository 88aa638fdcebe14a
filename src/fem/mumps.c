// SPDX-License-Identifier: MIT
// Sparse factors by sequential MUMPS (Amestoy, Duff, Koster and L'Excellent 2001). Its options and results are
// numbered; the macros below count from 1 like its manual. By Sylvester's law of inertia the negative pivots of K - s
// M = L D L^T count the eigenvalues below s.
#include "fem/mumps.h"
#include "fem/lapack.h"
#include "fem/mumps_call.h"
#include "fem/wait.h"
#include <dmumps_c.h>

#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

struct FemFactor
{
    const FemSystem* system;
    FemMemory* memory;
    DMUMPS_STRUC_C mumps;
    int *row, *column, *position;  // the lower triangle and the order, both from 1
    double* value;
    size_t held;  // bytes counted for MUMPS
    FemWait wait;
};

static void run(FemFactor* factor, MumpsJob job)
{
    factor->mumps.job = job;
    dmumps_c(&factor->mumps);
}

static twStatus failure(const FemFactor* factor, const char* what, twError* err)
{
    return fem_mumps_failure(factor->mumps.INFOG(1), factor->mumps.INFOG(2), what, (double)fem_factor_bytes(factor),
                             factor->memory, err);
}

// ---- pattern and values ----

static void set_pattern(FemFactor* factor)
{
    const FemSystem* system = factor->system;
    int64_t at = 0;
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < (system->column[e] == a ? r + 1 : 3); c++, at++)
                {
                    factor->row[at] = 3 * a + r + 1;
                    factor->column[at] = 3 * system->column[e] + c + 1;
                }
}

static void set_values(FemFactor* factor, double shift)
{
    const FemSystem* system = factor->system;
    double* value = factor->value;
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < (system->column[e] == a ? r + 1 : 3); c++)
                    *value++ = system->k[9 * e + 3 * r + c] - (r == c ? shift * system->m[e] : 0);
}

static void drop_entries(FemFactor* factor)
{
    fem_free(factor->memory, factor->row);
    fem_free(factor->memory, factor->column);
    fem_free(factor->memory, factor->value);
    factor->row = factor->column = NULL;
    factor->value = NULL;
}

// ---- the factor ----

static void set_options(FemFactor* factor, bool definite)
{
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    mumps->par = 1;
    mumps->sym = definite ? 1 : 2;
    mumps->comm_fortran = -987654;  // MPI_COMM_WORLD
    run(factor, MUMPS_START);
    for (int i = 1; i <= 3; i++) mumps->ICNTL(i) = -1;  // no output
    mumps->ICNTL(4) = 0;
    mumps->ICNTL(6) = 0;    // no column permutation
    mumps->ICNTL(7) = 1;    // the order is given
    mumps->ICNTL(8) = 1;    // scaled by the diagonal: functions of cells are as small as the matter in them
    mumps->ICNTL(14) = 10;  // percent of room to spare
    mumps->n = 3 * factor->system->nodes;
    mumps->nnz = fem_entry_count(factor->system);
    mumps->irn = factor->row;
    mumps->jcn = factor->column;
    mumps->a = factor->value;
    mumps->perm_in = factor->position;
}

twStatus fem_factor_create(FemFactor** out, const FemSystem* system, const int* position, bool definite,
                           FemMemory* memory, twError* err)
{
    *out = NULL;
    size_t entries = (size_t)fem_entry_count(system), n = (size_t)system->nodes;
    FemFactor* factor = fem_alloc(memory, 1, sizeof *factor);
    if (!factor) return fem_no_memory(memory, sizeof *factor, "the factor", err);
    factor->system = system;
    factor->memory = memory;
    factor->row = fem_alloc(memory, entries, sizeof *factor->row);
    factor->column = fem_alloc(memory, entries, sizeof *factor->column);
    factor->value = fem_alloc(memory, entries, sizeof *factor->value);
    factor->position = fem_alloc(memory, 3 * n, sizeof *factor->position);
    twStatus status = TW_OK;
    if (!factor->row || !factor->column || !factor->value || !factor->position)
        status = fem_no_memory(memory, 16.0 * (double)entries, "the matrix to factor", err);
    if (status == TW_OK)
    {
        set_pattern(factor);
        for (size_t i = 0; i < 3 * n; i++) factor->position[i] = 3 * position[i / 3] + (int)(i % 3) + 1;
        set_options(factor, definite);
        run(factor, MUMPS_ANALYSE);
        if (factor->mumps.INFOG(1) < 0) status = failure(factor, "choosing the pattern of the factor", err);
    }
    if (status == TW_OK)
        *out = factor;
    else
        fem_factor_destroy(factor);
    return status;
}

void fem_factor_destroy(FemFactor* factor)
{
    if (!factor) return;
    if (factor->mumps.comm_fortran != 0) run(factor, MUMPS_STOP);
    drop_entries(factor);
    fem_free(factor->memory, factor->position);
    fem_memory_remove(factor->memory, factor->held);
    fem_free(factor->memory, factor);
}

size_t fem_factor_bytes(const FemFactor* factor)
{
    // megabytes estimated, then used
    return factor->held > 0 ? factor->held : (size_t)(1e6 * factor->mumps.INFOG(17));
}

// ---- numbers ----

void fem_factor_watch(FemFactor* factor, const char* stage, double from, twFemProgress keep_going, void* context)
{
    factor->wait = (FemWait){.stage = stage, .from = from, .keep_going = keep_going, .context = context};
}

// entries of the factor, from the analysis
static double factor_entries(const FemFactor* factor)
{
    const int entries = factor->mumps.INFOG(20);  // below zero: in millions
    return entries < 0 ? -1e6 * entries : entries;
}

double fem_factor_operations(const FemFactor* factor) { return factor->mumps.RINFOG(1); }

double fem_factor_solve_operations(const FemFactor* factor) { return 4 * factor_entries(factor); }

// From the operations that the analysis has counted, and the entries to be moved about. Fronts are too small for the
// full speed of a product of matrices; fitted to solids and shells of 10^4 to 2 10^6 unknowns.
static double expected_seconds(const FemFactor* factor)
{
    const double part = 0.5, per_entry = 2e-8;
    return fem_factor_operations(factor) / (part * fem_gemm_rate()) + per_entry * factor_entries(factor);
}

static void compute(void* context) { run(context, MUMPS_FACTOR); }

static bool compute_watched(FemFactor* factor)
{
    if (factor->wait.keep_going) factor->wait.seconds = expected_seconds(factor);
    return fem_wait(&factor->wait, compute, factor);
}

twStatus fem_factor_compute(FemFactor* factor, double shift, size_t reserve, twError* err)
{
    const int most_room = 400;
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    size_t left = fem_memory_left(factor->memory);
    double entries = 16 * (double)fem_entry_count(factor->system);  // given back before what is reserved comes
    double later = (double)reserve > entries ? (double)reserve - entries : 0;
    double wanted = (double)fem_factor_bytes(factor) + later;
    if (wanted > (double)left) return fem_no_memory(factor->memory, wanted, "the factor and the modes", err);

    // more room if pivoting needs it, but never past the limit
    set_values(factor, shift);
    mumps->ICNTL(23) = 0;
    bool going = compute_watched(factor);
    for (; going && (mumps->INFOG(1) == -8 || mumps->INFOG(1) == -9); going = compute_watched(factor))
    {
        mumps->ICNTL(14) = 2 * mumps->ICNTL(14) + 10;
        double room = (double)fem_factor_bytes(factor) * (1 + 0.01 * mumps->ICNTL(14)) + later;
        if (mumps->ICNTL(14) > most_room || room > (double)left)
            return fem_no_memory(factor->memory, room, "the factor and the modes", err);
    }
    if (!going) return tw_fail(err, TW_INTERRUPTED, "interrupted at stage \"%s\"", factor->wait.stage);
    if (mumps->INFOG(1) < 0) return failure(factor, "factorising", err);
    if (mumps->sym == 1 && mumps->INFOG(12) > 0)
    {
        mumps->INFOG(1) = -40;
        return failure(factor, "factorising", err);
    }
    factor->held = (size_t)(1e6 * mumps->INFOG(22));
    fem_memory_add(factor->memory, factor->held);
    drop_entries(factor);
    return TW_OK;
}

int fem_factor_negative(const FemFactor* factor) { return factor->mumps.INFOG(12); }

twStatus fem_factor_solve(FemFactor* factor, double* x, int columns, twError* err)
{
    DMUMPS_STRUC_C* mumps = &factor->mumps;
    mumps->rhs = x;
    mumps->nrhs = columns;
    mumps->lrhs = mumps->n;
    mumps->ICNTL(27) = columns;  // all right-hand sides at once
    run(factor, MUMPS_SOLVE);
    return mumps->INFOG(1) < 0 ? failure(factor, "solving", err) : TW_OK;
}
