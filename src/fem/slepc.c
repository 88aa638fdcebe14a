// SPDX-License-Identifier: MIT
// The lowest modes on several ranks, by the Krylov-Schur method of SLEPc (Hernandez, Roman and Vidal 2005; Stewart
// 2001) for A = (K - s M)^-1 M in the mass inner product: an eigenvalue t of A is one of the problem at
// lambda = s + 1/t. Vectors are spread by rows; M is never put together: each rank multiplies by the mass of its own
// elements and the results are added where they meet. Krylov-Schur works with one vector at a time and may overlook one
// of several equal eigenvalues, so the search is repeated from another random vector, with all that is known kept out,
// until it finds nothing below the last mode wanted.
#include "fem/slepc.h"
#include "fem/ranks.h"
#include <math.h>
#include <slepceps.h>
#include <stdlib.h>

#ifdef PETSC_USE_COMPLEX
#error "this SLEPc is for complex numbers: install the one for real ones (libslepc-real-dev)"
#endif

// PETSc has no way back from its errors on one rank while others wait: end them all
#define TRY(call) PetscCallAbort(PETSC_COMM_WORLD, call)

typedef struct Mode
{
    double lambda, residual;
    Vec x;
} Mode;

struct FemSlepc
{
    const FemSystem* system;  // of this rank's elements; NULL: it has none
    FemMemory* memory;
    FemSpread* factor;
    double shift;
    Mat mass;
    Vec x, w;                // of the whole body, spread by rows
    Vec near, near_product;  // of the share's nodes
    VecScatter to_near;
    Vec whole;  // on rank 0
    VecScatter to_first;
    double* scratch;
    size_t vector_bytes;  // of a spread vector, on this rank
    Vec* known;           // motions kept out, then the modes found, as they came
    Mode* modes;          // by rising lambda
    int kept_out, found, room;
    unsigned searches;
    int wanted;  // in all, for the progress
    twFemProgress keep_going;
    void* context;
    bool stopped;
    twStatus status;  // of the solves inside SLEPc
    twError error;
};

// an error inside PETSc: say so once, without its pages of advice
static PetscErrorCode give_up(MPI_Comm ranks, int line, const char* function, const char* file, PetscErrorCode code,
                              PetscErrorType type, const char* message, void* context)
{
    (void)ranks, (void)line, (void)file, (void)type, (void)context;
    fprintf(stderr, "rank %d: PETSc error %d in %s: %s\n", fem_rank(), (int)code, function, message);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return code;
}

void fem_slepc_start(void)
{
    // neither options of its own nor signals
    int argc = 0;
    char** argv = NULL;
    TRY(SlepcInitialize(&argc, &argv, "", NULL));
    TRY(PetscPopSignalHandler());
    TRY(PetscPushErrorHandler(give_up, NULL));
}

void fem_slepc_stop(void) { TRY(SlepcFinalize()); }

// ---- products ----

// the values of a spread vector at the share's nodes
static void gather(FemSlepc* slepc, Vec x)
{
    TRY(VecScatterBegin(slepc->to_near, x, slepc->near, INSERT_VALUES, SCATTER_FORWARD));
    TRY(VecScatterEnd(slepc->to_near, x, slepc->near, INSERT_VALUES, SCATTER_FORWARD));
}

static PetscErrorCode multiply_mass(Mat mass, Vec x, Vec y)
{
    FemSlepc* slepc;
    TRY(MatShellGetContext(mass, &slepc));
    gather(slepc, x);
    if (slepc->system)
    {
        const double* from;
        double* to;
        TRY(VecGetArrayRead(slepc->near, &from));
        TRY(VecGetArray(slepc->near_product, &to));
        fem_multiply_mass(slepc->system, from, to, 1, slepc->scratch);
        TRY(VecRestoreArray(slepc->near_product, &to));
        TRY(VecRestoreArrayRead(slepc->near, &from));
    }
    TRY(VecSet(y, 0));
    TRY(VecScatterBegin(slepc->to_near, slepc->near_product, y, ADD_VALUES, SCATTER_REVERSE));
    TRY(VecScatterEnd(slepc->to_near, slepc->near_product, y, ADD_VALUES, SCATTER_REVERSE));
    return 0;
}

static void move_to_first(FemSlepc* slepc, Vec x)
{
    TRY(VecScatterBegin(slepc->to_first, x, slepc->whole, INSERT_VALUES, SCATTER_FORWARD));
    TRY(VecScatterEnd(slepc->to_first, x, slepc->whole, INSERT_VALUES, SCATTER_FORWARD));
}

static void move_from_first(FemSlepc* slepc, Vec x)
{
    TRY(VecScatterBegin(slepc->to_first, slepc->whole, x, INSERT_VALUES, SCATTER_REVERSE));
    TRY(VecScatterEnd(slepc->to_first, slepc->whole, x, INSERT_VALUES, SCATTER_REVERSE));
}

// y = (K - s M)^-1 x, through rank 0
static PetscErrorCode solve(PC solver, Vec x, Vec y)
{
    FemSlepc* slepc;
    TRY(PCShellGetContext(solver, &slepc));
    move_to_first(slepc, x);
    double* whole;
    TRY(VecGetArray(slepc->whole, &whole));
    if (slepc->status == TW_OK) slepc->status = fem_spread_solve(slepc->factor, whole, &slepc->error);
    TRY(VecRestoreArray(slepc->whole, &whole));
    move_from_first(slepc, y);
    return 0;
}

// ---- start and end ----

static size_t vector_bytes(const FemShare* share)
{
    int rank = fem_rank(), ranks = fem_rank_count();
    return 24 * (size_t)(fem_share_begin(share->nodes, rank + 1, ranks) - fem_share_begin(share->nodes, rank, ranks));
}

static void make_vectors(FemSlepc* slepc, const FemShare* share)
{
    int rank = fem_rank(), ranks = fem_rank_count(), nodes = slepc->system ? slepc->system->nodes : 0;
    int begin = fem_share_begin(share->nodes, rank, ranks), end = fem_share_begin(share->nodes, rank + 1, ranks);
    TRY(VecCreateMPI(PETSC_COMM_WORLD, 3 * (end - begin), 3 * share->nodes, &slepc->x));
    TRY(VecDuplicate(slepc->x, &slepc->w));
    TRY(VecCreateSeq(PETSC_COMM_SELF, 3 * nodes, &slepc->near));
    TRY(VecDuplicate(slepc->near, &slepc->near_product));
    TRY(VecScatterCreateToZero(slepc->x, &slepc->to_first, &slepc->whole));

    PetscInt* rows;
    IS set;
    TRY(PetscMalloc1((size_t)nodes + 1, &rows));
    for (int a = 0; a < nodes; a++) rows[a] = share->row[slepc->system->node[a]];
    TRY(ISCreateBlock(PETSC_COMM_SELF, 3, nodes, rows, PETSC_OWN_POINTER, &set));
    TRY(VecScatterCreate(slepc->x, set, slepc->near, NULL, &slepc->to_near));
    TRY(ISDestroy(&set));

    PetscInt own = 3 * (end - begin), all = 3 * share->nodes;
    TRY(MatCreateShell(PETSC_COMM_WORLD, own, own, all, all, slepc, &slepc->mass));
    TRY(MatShellSetOperation(slepc->mass, MATOP_MULT, (void (*)(void))multiply_mass));
    TRY(MatSetOption(slepc->mass, MAT_SYMMETRIC, PETSC_TRUE));
}

static bool make_room(FemSlepc* slepc, int more)
{
    int count = slepc->kept_out + slepc->found + more;
    if (count <= slepc->room) return true;
    Vec* known = fem_resize(slepc->memory, slepc->known, (size_t)count, sizeof *known);
    if (known) slepc->known = known;
    Mode* modes = fem_resize(slepc->memory, slepc->modes, (size_t)count, sizeof *modes);
    if (modes) slepc->modes = modes;
    if (!known || !modes) return false;
    slepc->room = count;
    return true;
}

twStatus fem_slepc_create(FemSlepc** out, const FemSystem* system, const FemShare* share, FemMemory* memory,
                          twError* err)
{
    *out = NULL;
    twStatus status = TW_OK;
    FemSlepc* slepc = fem_alloc(memory, 1, sizeof *slepc);
    if (slepc)
    {
        slepc->system = system;
        slepc->memory = memory;
        slepc->vector_bytes = vector_bytes(share);
        if (system) slepc->scratch = fem_alloc(memory, fem_multiply_scratch(system), sizeof(double));
    }
    if (!slepc || (system && !slepc->scratch) || !make_room(slepc, share->rigid_count))
        status = fem_no_memory(memory, 200.0 * (system ? system->nodes : 0), "the vectors of the modes", err);
    status = fem_agree(status, err);
    if (status == TW_OK)
    {
        make_vectors(slepc, share);
        *out = slepc;
    }
    else
        fem_slepc_destroy(slepc);
    return status;
}

void fem_slepc_destroy(FemSlepc* slepc)
{
    if (!slepc) return;
    for (int i = 0; i < slepc->kept_out + slepc->found; i++) TRY(VecDestroy(&slepc->known[i]));
    Vec* vectors[] = {&slepc->x, &slepc->w, &slepc->near, &slepc->near_product, &slepc->whole};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) TRY(VecDestroy(vectors[i]));
    TRY(VecScatterDestroy(&slepc->to_near));
    TRY(VecScatterDestroy(&slepc->to_first));
    TRY(MatDestroy(&slepc->mass));
    fem_free(slepc->memory, slepc->scratch);
    fem_free(slepc->memory, slepc->known);
    fem_free(slepc->memory, slepc->modes);
    fem_free(slepc->memory, slepc);
}

// ---- motions kept out ----

// x^T K x, from the elements of all ranks
static double energy(FemSlepc* slepc, Vec x)
{
    double sum = 0;
    gather(slepc, x);
    if (slepc->system)
    {
        const double* from;
        double* to;
        TRY(VecGetArrayRead(slepc->near, &from));
        TRY(VecGetArray(slepc->near_product, &to));
        fem_multiply_stiffness(slepc->system, from, to, 1);
        for (int i = 0; i < 3 * slepc->system->nodes; i++) sum += from[i] * to[i];
        TRY(VecRestoreArray(slepc->near_product, &to));
        TRY(VecRestoreArrayRead(slepc->near, &from));
    }
    return fem_ranks_sum(sum);
}

// unit mass
static void normalise(FemSlepc* slepc, Vec x)
{
    double square;
    TRY(MatMult(slepc->mass, x, slepc->w));
    TRY(VecDot(x, slepc->w, &square));
    TRY(VecScale(x, 1 / sqrt(square)));
}

double fem_slepc_keep_out(FemSlepc* slepc, const double* x)
{
    double* whole;
    PetscInt n;
    TRY(VecGetSize(slepc->whole, &n));
    TRY(VecGetArray(slepc->whole, &whole));
    for (PetscInt i = 0; i < n; i++) whole[i] = x[i];
    TRY(VecRestoreArray(slepc->whole, &whole));
    Vec* out = &slepc->known[slepc->kept_out++];
    TRY(VecDuplicate(slepc->x, out));
    move_from_first(slepc, *out);
    normalise(slepc, *out);
    return fabs(energy(slepc, *out));
}

// ---- the search ----

// SLEPc asks after each restart
static PetscErrorCode ask(EPS eps, PetscInt turn, PetscInt most, PetscInt converged, PetscInt wanted,
                          EPSConvergedReason* reason, void* context)
{
    FemSlepc* slepc = context;
    TRY(EPSStoppingBasic(eps, turn, most, converged, wanted, reason, NULL));
    double done = fmin(1, (double)(slepc->found + converged) / slepc->wanted);
    bool stop = slepc->keep_going && !slepc->keep_going("modes", done, slepc->context);
    slepc->stopped = fem_ranks_sum(stop) > 0;
    if (slepc->stopped || slepc->status != TW_OK) *reason = EPS_CONVERGED_USER;
    return 0;
}

// Shift and invert for (K - s M) x = mu M x near mu = 0. The first matrix is asked for nothing but its size: the factor
// stands for its inverse.
static void set_transform(FemSlepc* slepc, EPS eps)
{
    ST transform;
    KSP inverse;
    PC solver;
    TRY(EPSGetST(eps, &transform));
    TRY(STSetType(transform, STSINVERT));
    TRY(STSetMatMode(transform, ST_MATMODE_SHELL));
    TRY(STGetKSP(transform, &inverse));
    TRY(KSPSetType(inverse, KSPPREONLY));
    TRY(KSPGetPC(inverse, &solver));
    TRY(PCSetType(solver, PCSHELL));
    TRY(PCShellSetContext(solver, slepc));
    TRY(PCShellSetApply(solver, solve));
}

// Start from another random vector each time: what the first one has no part in, neither has what is left of it.
static void set_start(FemSlepc* slepc, EPS eps)
{
    PetscRandom random;
    BV basis;
    TRY(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    TRY(PetscRandomSetSeed(random,
                           1 + (unsigned long)fem_rank() + (unsigned long)fem_rank_count() * slepc->searches++));
    TRY(PetscRandomSeed(random));
    TRY(EPSGetBV(eps, &basis));
    TRY(BVSetRandomContext(basis, random));
    TRY(PetscRandomDestroy(&random));
}

static EPS make_solver(FemSlepc* slepc, int count, const FemWish* wish)
{
    EPS eps;
    TRY(EPSCreate(PETSC_COMM_WORLD, &eps));
    TRY(EPSSetOperators(eps, slepc->mass, slepc->mass));
    TRY(EPSSetProblemType(eps, EPS_GHEP));
    TRY(EPSSetType(eps, EPSKRYLOVSCHUR));
    TRY(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    TRY(EPSSetTarget(eps, 0));
    set_transform(slepc, eps);
    set_start(slepc, eps);
    TRY(EPSSetPurify(eps, PETSC_FALSE));  // M has no kernel
    TRY(EPSSetTolerances(eps, wish->tolerance, PETSC_DEFAULT));
    TRY(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
    TRY(EPSSetStoppingTestFunction(eps, ask, slepc, NULL));
    TRY(EPSSetDeflationSpace(eps, slepc->kept_out + slepc->found, slepc->known));
    return eps;
}

static void insert(FemSlepc* slepc, Mode mode)
{
    int at = slepc->found;
    slepc->known[slepc->kept_out + slepc->found++] = mode.x;
    for (; at > 0 && slepc->modes[at - 1].lambda > mode.lambda; at--) slepc->modes[at] = slepc->modes[at - 1];
    slepc->modes[at] = mode;
}

// take what has converged; *lowest: its lowest eigenvalue
static twStatus collect(FemSlepc* slepc, EPS eps, double* lowest, twError* err)
{
    PetscInt count;
    TRY(EPSGetConverged(eps, &count));
    twStatus status = TW_OK;
    if (!make_room(slepc, (int)count))
        status = fem_no_memory(slepc->memory, 100.0 * (double)count, "the vectors of the modes", err);
    status = fem_agree(status, err);
    for (PetscInt i = 0; status == TW_OK && i < count; i++)
    {
        Mode mode = {0};
        double mu;
        TRY(VecDuplicate(slepc->x, &mode.x));
        TRY(EPSGetEigenpair(eps, i, &mu, NULL, mode.x, NULL));
        TRY(EPSGetErrorEstimate(eps, i, &mode.residual));
        normalise(slepc, mode.x);
        mode.lambda = slepc->shift + fem_ranks_most(mu);  // ranks on different machines may differ in a bit
        *lowest = fmin(*lowest, mode.lambda);
        insert(slepc, mode);
    }
    return status;
}

// vectors that SLEPc works with when looking for count modes: its default
static int basis_size(int count)
{
    return count < 500 ? (2 * count > count + 15 ? 2 * count : count + 15) : count + 500;
}

size_t fem_slepc_bytes(const FemShare* share, int wanted)
{
    // the basis with what is kept out, the motions themselves, the modes, and some to work with
    return vector_bytes(share) * (size_t)(basis_size(wanted) + 2 * share->rigid_count + wanted + 6);
}

// count the memory of a search, or refuse it
static twStatus claim(FemSlepc* slepc, int count, size_t* bytes, twError* err)
{
    *bytes = slepc->vector_bytes * (size_t)(basis_size(count) + 2 * (slepc->kept_out + slepc->found) + count);
    twStatus status = TW_OK;
    if (*bytes > fem_memory_left(slepc->memory))
        status = fem_no_memory(slepc->memory, (double)*bytes, "the vectors of the modes", err);
    status = fem_agree(status, err);
    if (status == TW_OK) fem_memory_add(slepc->memory, *bytes);
    return status;
}

// one search for a number of modes beside those known
static twStatus search(FemSlepc* slepc, int count, const FemWish* wish, double* lowest, twError* err)
{
    size_t bytes;
    twStatus status = claim(slepc, count, &bytes, err);
    if (status != TW_OK) return status;
    EPS eps = make_solver(slepc, count, wish);
    EPSConvergedReason reason;
    TRY(EPSSolve(eps));
    TRY(EPSGetConvergedReason(eps, &reason));
    *lowest = HUGE_VAL;
    if (slepc->status != TW_OK)
        status = tw_fail(err, slepc->status, "%s", slepc->error.text);
    else if (slepc->stopped)
        status = tw_fail(err, TW_INTERRUPTED, "interrupted at stage \"modes\"");
    else if (reason < 0)
        status = tw_fail(err, TW_NO_CONVERGE, "the search for modes did not converge (SLEPc reason %d)", (int)reason);
    if (status == TW_OK) status = collect(slepc, eps, lowest, err);
    TRY(EPSDestroy(&eps));
    fem_memory_remove(slepc->memory, bytes);
    return status;
}

// Eigenvalue of the last mode wanted; infinite if that is not reached yet, *missing more at least.
static double last_wanted(const FemSlepc* slepc, const FemWish* wish, int* missing)
{
    int zeros = 0, found = slepc->found;
    while (zeros < found && slepc->modes[zeros].lambda < wish->zero) zeros++;
    *missing = 0;
    if (found > 0 && slepc->modes[found - 1].lambda > wish->max_lambda) return wish->max_lambda;
    if (found - zeros >= wish->count) return slepc->modes[zeros + wish->count - 1].lambda;
    *missing = wish->count - (found - zeros);
    return HUGE_VAL;
}

static twStatus too_many(const FemSlepc* slepc, int unknowns, twError* err)
{
    return tw_fail(
        err, TW_BAD_INPUT,
        "more than %d modes wanted of a mesh with %d unknowns, where no more mean anything: use a finer mesh or "
        "a lower frequency",
        slepc->found, unknowns);
}

twStatus fem_slepc_run(FemSlepc* slepc, FemSpread* factor, double shift, const FemWish* wish, twFemProgress keep_going,
                       void* context, twError* err)
{
    const double same = 1e-8;  // eigenvalues nearer than that are one, found twice or not
    PetscInt unknowns;
    TRY(VecGetSize(slepc->x, &unknowns));
    slepc->factor = factor;
    slepc->shift = shift;
    slepc->keep_going = keep_going;
    slepc->context = context;
    double lowest = -HUGE_VAL, last = HUGE_VAL;
    for (int missing = wish->count; missing > 0 || lowest < (1 - same) * last;)
    {
        // up to a frequency: some to start with, then as many again
        int most = (int)unknowns / 4 - slepc->found, batch = slepc->found > 64 ? slepc->found : 64;
        int count = missing > 0 ? missing : 1;
        if (count > batch && wish->max_lambda < HUGE_VAL) count = batch;
        if (count > most) count = most;
        if (count < 1) return too_many(slepc, (int)unknowns, err);
        slepc->wanted = slepc->found + count;
        twStatus status = search(slepc, count, wish, &lowest, err);
        if (status != TW_OK) return status;
        last = last_wanted(slepc, wish, &missing);
    }
    return TW_OK;
}

// ---- what was found ----

int fem_slepc_found(const FemSlepc* slepc) { return slepc->found; }
double fem_slepc_lambda(const FemSlepc* slepc, int i) { return slepc->modes[i].lambda; }
double fem_slepc_residual(const FemSlepc* slepc, int i) { return slepc->modes[i].residual; }

const double* fem_slepc_vector(FemSlepc* slepc, int i)
{
    const double* whole;
    move_to_first(slepc, slepc->modes[i].x);
    TRY(VecGetArrayRead(slepc->whole, &whole));
    const double* values = fem_ranks_first() ? whole : NULL;
    TRY(VecRestoreArrayRead(slepc->whole, &whole));  // which forgets only the name
    return values;
}
