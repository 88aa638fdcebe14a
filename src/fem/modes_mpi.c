// SPDX-License-Identifier: MIT
// From a def to modes on several ranks: what modes.c is for one. Rank 0 has the whole mesh, numbers and orders its
// nodes, and deals out the elements; from there all ranks go the same way: each assembles its elements, MUMPS factors
// K - s M of all, SLEPc finds the modes, and rank 0 collects the shapes. Bodies small enough for full matrices stay on
// rank 0.
#include "fem/dense.h"
#include "fem/lapack.h"
#include "fem/metis.h"
#include "fem/ranks.h"
#include "fem/result.h"
#include "fem/slepc.h"

// what one rank has of an analysis
typedef struct Part
{
    FemMemory memory;
    FemShare share;
    FemSystem* system;  // of its elements; NULL if it has none
    FemSlepc* slepc;
    FemSpread* factor;
    FemWish wish;
    double mass, rigid_lambda;
    twError err;
} Part;

// what rank 0 has besides
typedef struct Run
{
    const twFemDef* def;
    Part part;
    FemSystem* system;  // of the whole body, without matrices unless it is small
    int* position;      // (nodes) row of each
    double* rigid;      // (3 nodes x rigid_count)
    int rigid_count;
    double *lambda, *vectors;  // all of a small problem
    double* x;                 // (3 nodes)
    twFemModes* modes;
    twFemSeconds seconds;
    double stage_start;
} Run;

// ---- stages; run is NULL but on rank 0 ----

static twStatus report(Run* run, const char* stage, double done)
{
    const twFemDef* def = run->def;
    if (!def->keep_going || def->keep_going(stage, done, def->context)) return TW_OK;
    return tw_fail(&run->part.err, TW_INTERRUPTED, "interrupted at stage \"%s\"", stage);
}

static twStatus begin(Run* run, const char* stage)
{
    if (!run) return TW_OK;
    run->stage_start = tw_seconds();
    return report(run, stage, 0);
}

static void end(Run* run, double* seconds)
{
    if (!run) return;
    double took = tw_seconds() - run->stage_start;
    *seconds += took;
    run->seconds.total += took;
}

// ---- all ranks ----

// the matrices of this rank's elements, in the units of the whole body
static twStatus assemble(Part* part)
{
    FemShare* share = &part->share;
    if (share->tets.tet_count == 0) return TW_OK;
    twStatus status = fem_system_prepare(&part->system, &share->def, &part->memory, &part->err);
    if (status != TW_OK) return status;
    double scale = part->system->length / share->length;
    for (int i = 0; i < share->tets.node_count; i++) part->system->x[i] = tw_vec3_scale(part->system->x[i], scale);
    part->system->length = share->length;
    part->system->tet_name = share->name;
    return fem_system_assemble(part->system, &share->def, &part->memory, &part->err);
}

// motion i by rows of the body, on rank 0
static const double* by_rows(Run* run, int i)
{
    if (!run) return NULL;
    size_t nodes = (size_t)run->system->nodes;
    const double* from = run->rigid + 3 * nodes * (size_t)i;
    for (size_t a = 0; a < nodes; a++)
        for (size_t d = 0; d < 3; d++) run->x[3 * (size_t)run->position[a] + d] = from[3 * a + d];
    return run->x;
}

static twStatus start_search(Part* part, Run* run)
{
    twStatus status = fem_slepc_create(&part->slepc, part->system, &part->share, &part->memory, &part->err);
    if (status != TW_OK) return status;
    for (int i = 0; i < part->share.rigid_count; i++)
        part->rigid_lambda = fmax(part->rigid_lambda, fem_slepc_keep_out(part->slepc, by_rows(run, i)));
    return TW_OK;
}

// bytes this rank needs after the factor: vectors, and on rank 0 the shapes
static size_t later_bytes(const Part* part, const Run* run)
{
    int count = part->share.def.count;
    return fem_slepc_bytes(&part->share, count > 0 ? count : 64) + (run ? fem_result_bytes(run->system, count) : 0);
}

// from the share to the modes; every step ends alike on all ranks
static twStatus solve(Part* part, Run* run)
{
    twStatus status = begin(run, "assemble");
    if (status == TW_OK) status = assemble(part);
    status = fem_agree(status, &part->err);
    if (status != TW_OK) return status;
    part->mass = fem_ranks_sum(part->system ? part->system->mass : 0);
    status = start_search(part, run);
    end(run, run ? &run->seconds.assemble : NULL);
    if (status == TW_OK) status = fem_agree(begin(run, "factor"), &part->err);
    if (status != TW_OK) return status;

    double shift = fem_shift();
    status = fem_spread_create(&part->factor, part->system, &part->share, shift, later_bytes(part, run), &part->memory,
                               &part->err);
    end(run, run ? &run->seconds.factor : NULL);
    if (status == TW_OK) status = fem_agree(begin(run, "modes"), &part->err);
    if (status != TW_OK) return status;

    part->wish = part->share.wish;
    part->wish.zero = fmax(part->wish.zero, 10 * part->rigid_lambda);
    twFemProgress keep_going = run ? run->def->keep_going : NULL;
    return fem_slepc_run(part->slepc, part->factor, shift, &part->wish, keep_going, run ? run->def->context : NULL,
                         &part->err);
}

// which of the eigenvalues found are the elastic modes wanted
static void choose(const FemWish* wish, double (*lambda_of)(const void* from, int i), const void* from, int found,
                   int* zeros, int* count)
{
    *zeros = *count = 0;
    while (*zeros < found && lambda_of(from, *zeros) < wish->zero) ++*zeros;
    while (*zeros + *count < found && *count < wish->count && lambda_of(from, *zeros + *count) <= wish->max_lambda)
        ++*count;
}

static double found_lambda(const void* slepc, int i) { return fem_slepc_lambda(slepc, i); }
static double listed_lambda(const void* list, int i) { return ((const double*)list)[i]; }

// vector by rows of the body to one by nodes
static const double* by_nodes(Run* run, const double* rows)
{
    for (size_t a = 0; a < (size_t)run->system->nodes; a++)
        for (size_t d = 0; d < 3; d++) run->x[3 * a + d] = rows[3 * (size_t)run->position[a] + d];
    return run->x;
}

// the result, on rank 0, from all
static twStatus collect(Part* part, Run* run)
{
    int zeros, count;
    choose(&part->wish, found_lambda, part->slepc, fem_slepc_found(part->slepc), &zeros, &count);
    double factor_bytes = fem_ranks_sum((double)fem_spread_bytes(part->factor));
    twStatus status = TW_OK;
    if (run)
    {
        run->system->mass = part->mass;
        status = fem_result_create(&run->modes, run->system, run->def, count, &part->memory, &part->err);
    }
    status = fem_agree(status, &part->err);
    for (int k = 0; status == TW_OK && k < count; k++)
    {
        const double* rows = fem_slepc_vector(part->slepc, zeros + k);
        if (!run) continue;
        double lambda = fem_slepc_lambda(part->slepc, zeros + k), residual = fem_slepc_residual(part->slepc, zeros + k);
        fem_result_mode(run->modes, k, run->system, run->def, lambda, residual, by_nodes(run, rows));
    }
    double peak = fem_ranks_most((double)part->memory.peak);
    if (!run || status != TW_OK) return status;
    run->modes->rigid_modes = run->rigid_count + zeros;
    run->modes->rigid_freq_hz = fem_system_freq_hz(run->system, part->rigid_lambda);
    run->modes->factor_memory_bytes = (size_t)factor_bytes;
    run->modes->peak_memory_bytes = (size_t)peak;
    end(run, &run->seconds.modes);
    return TW_OK;
}

static void part_free(Part* part)
{
    fem_slepc_destroy(part->slepc);
    fem_spread_destroy(part->factor);
    fem_system_destroy(part->system, &part->memory);
    fem_share_free(&part->share, &part->memory);
}

static twStatus analyse(Part* part, Run* run, twStatus shared)
{
    twStatus status = fem_agree(shared, &part->err);
    if (status == TW_OK) status = solve(part, run);
    if (status == TW_OK) status = collect(part, run);
    part_free(part);
    return status;
}

void fem_modes_help(void)
{
    Part part = {.memory = {0}};
    twStatus status = fem_share_receive(&part.share, &part.memory, &part.err);
    int threads = fem_blas_threads(part.share.def.threads);
    analyse(&part, NULL, status);
    fem_blas_threads(threads);
}

// ---- rank 0 ----

static twStatus prepare(Run* run)
{
    FemMemory* memory = &run->part.memory;
    twError* err = &run->part.err;
    twStatus status = begin(run, "assemble");
    if (status == TW_OK) status = fem_system_prepare(&run->system, run->def, memory, err);
    if (status == TW_OK) status = fem_rigid_find(&run->rigid, &run->rigid_count, run->system, run->def, memory, err);
    end(run, &run->seconds.assemble);
    return status;
}

static twStatus solve_small(Run* run)
{
    FemMemory* memory = &run->part.memory;
    twError* err = &run->part.err;
    twStatus status = begin(run, "modes");
    if (status == TW_OK) status = fem_system_assemble(run->system, run->def, memory, err);
    if (status == TW_OK) status = fem_dense(&run->lambda, &run->vectors, run->system, memory, err);
    if (status != TW_OK) return status;
    int zeros, count, n = 3 * run->system->nodes;
    FemWish wish = fem_wish(run->def, run->system, fabs(run->rigid_count > 0 ? run->lambda[run->rigid_count - 1] : 0));
    choose(&wish, listed_lambda, run->lambda, n, &zeros, &count);
    status = fem_result_create(&run->modes, run->system, run->def, count, memory, err);
    for (int k = 0; status == TW_OK && k < count; k++)
        fem_result_mode(run->modes, k, run->system, run->def, run->lambda[zeros + k], 0,
                        run->vectors + (size_t)n * (size_t)(zeros + k));
    if (status != TW_OK) return status;
    run->modes->rigid_modes = zeros;
    run->modes->verified = true;
    run->modes->peak_memory_bytes = memory->peak;
    end(run, &run->seconds.modes);
    return TW_OK;
}

static twStatus order(Run* run)
{
    FemMemory* memory = &run->part.memory;
    size_t n = (size_t)run->system->nodes;
    twStatus status = begin(run, "order");
    if (status != TW_OK) return status;
    run->position = fem_alloc(memory, n, sizeof *run->position);
    run->x = fem_alloc(memory, 3 * n, sizeof *run->x);
    if (!run->position || !run->x) return fem_no_memory(memory, 28.0 * (double)n, "the ordering", &run->part.err);
    status = fem_order(run->position, run->system, memory, &run->part.err);

    // the graph is not needed again
    fem_free(memory, run->system->column);
    run->system->column = NULL;
    end(run, &run->seconds.order);
    return status;
}

static twStatus solve_large(Run* run)
{
    int unknowns = 3 * run->system->nodes;
    if (run->def->count > unknowns / 4 && run->def->max_freq_hz == 0)
        return tw_fail(&run->part.err, TW_BAD_INPUT,
                       "%d modes wanted of a mesh with %d unknowns: at most %d mean anything", run->def->count,
                       unknowns, unknowns / 4);
    twStatus status = order(run);
    if (status != TW_OK) return status;
    fem_ranks_call();
    status = fem_share_send(&run->part.share, run->def, run->system, run->position, run->rigid_count, &run->part.memory,
                            &run->part.err);
    return analyse(&run->part, run, status);
}

twStatus tw_fem_modes_create(twFemModes** out, const twFemDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    Run run = {.def = def, .part = {.memory = fem_ranks_memory(def->max_memory_bytes)}};
    FemMemory* memory = &run.part.memory;
    int threads = fem_blas_threads(def->threads);
    twStatus status = prepare(&run);
    if (status == TW_OK) status = 3 * run.system->nodes <= FEM_DENSE_UNKNOWNS ? solve_small(&run) : solve_large(&run);
    fem_blas_threads(threads);
    if (status == TW_OK)
    {
        run.modes->seconds = run.seconds;
        *out = run.modes;
    }
    else
    {
        tw_fem_modes_destroy(run.modes);
        tw_fail(err, status, "%s", run.part.err.text);
    }
    void* const blocks[] = {run.position, run.rigid, run.lambda, run.vectors, run.x};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fem_free(memory, blocks[i]);
    fem_system_destroy(run.system, memory);
    return status;
}
