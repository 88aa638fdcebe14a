// SPDX-License-Identifier: MIT
// From tets to modes: assemble K and M, find the rigid motions, solve, and hand the shapes over.
#include "fem/lapack.h"
#include "fem/result.h"
#include "fem/solve.h"
#include <math.h>

// one analysis under way
typedef struct TetRun
{
    const twFemDef* def;
    twError* err;
    FemMemory memory;
    FemSystem* system;
    double* rigid;  // (3 nodes x rigid_count)
    int rigid_count;
    FemSolve* solve;
    double assemble_seconds;
} TetRun;

static twStatus tet_report(const TetRun* run, double done)
{
    const twFemDef* def = run->def;
    if (!def->keep_going || def->keep_going("assemble", done, def->context)) return TW_OK;
    return tw_fail(run->err, TW_INTERRUPTED, "interrupted at stage \"assemble\"");
}

static twStatus tet_assemble(TetRun* run)
{
    const double start = tw_seconds();
    twStatus status = tet_report(run, 0);
    if (status == TW_OK) status = fem_system_create(&run->system, run->def, &run->memory, run->err);
    if (status == TW_OK)
        status = fem_rigid_motions(&run->rigid, &run->rigid_count, run->system, run->def, &run->memory, run->err);
    run->assemble_seconds = tw_seconds() - start;
    if (status == TW_INTERRUPTED) return status;
    const twStatus after = tet_report(run, 1);
    return status == TW_OK ? after : status;
}

// hand the vectors over, some at a time
static twStatus tet_fill_shapes(TetRun* run, twFemModes* modes)
{
    size_t n = 3 * (size_t)run->system->nodes;
    double* x = fem_alloc(&run->memory, n * FEM_VECTORS, sizeof *x);
    if (!x) return fem_no_memory(&run->memory, 64.0 * (double)n, "the shapes", run->err);
    for (int i = 0; i < modes->count; i += FEM_VECTORS)
    {
        int count = modes->count - i < FEM_VECTORS ? modes->count - i : FEM_VECTORS;
        fem_solve_vectors(run->solve, i, count, x);
        for (int c = 0; c < count; c++)
            fem_result_mode(modes, i + c, run->system, run->def, fem_solve_lambda(run->solve, i + c),
                            fem_solve_residual(run->solve, i + c), x + (size_t)c * n);
    }
    fem_free(&run->memory, x);
    return TW_OK;
}

static twStatus tet_result(TetRun* run, twFemModes** out)
{
    const double start = tw_seconds();
    const FemSolved solved = fem_solve_result(run->solve);
    twStatus status = fem_result_create(out, run->system, run->def, solved.count, &run->memory, run->err);
    if (status != TW_OK) return status;
    twFemModes* modes = *out;
    modes->rigid_modes = run->rigid_count + solved.zeros;
    modes->rigid_freq_hz = fem_system_freq_hz(run->system, solved.rigid_lambda);
    modes->verified = solved.verified;
    modes->factor_memory_bytes = solved.factor_bytes;
    status = tet_fill_shapes(run, modes);
    const double took = tw_seconds() - start;
    modes->seconds = solved.seconds;
    modes->seconds.assemble = run->assemble_seconds;
    modes->seconds.modes += took;
    modes->seconds.total += took + run->assemble_seconds;
    modes->peak_memory_bytes = run->memory.peak;
    return status;
}

static twStatus tet_analyse(TetRun* run, twFemModes** result)
{
    twStatus status = tet_assemble(run);
    if (status != TW_OK) return status;
    const FemSolveDef solve = {.system = run->system,
                               .memory = &run->memory,
                               .want = run->def,
                               .weyl = fem_weyl(run->system, run->def, &run->memory),
                               .rigid = run->rigid,
                               .rigid_count = run->rigid_count,
                               .dense = true};
    status = fem_solve_create(&run->solve, &solve, run->err);
    return status == TW_OK ? tet_result(run, result) : status;
}

twStatus tw_fem_modes_create(twFemModes** out, const twFemDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    TetRun run = {.def = def, .err = err, .memory = fem_memory(def->max_memory_bytes)};
    twFemModes* result = NULL;
    int threads = fem_blas_threads(def->threads);
    twStatus status = tet_analyse(&run, &result);
    fem_blas_threads(threads);
    if (status == TW_OK)
        *out = result;
    else
        tw_fem_modes_destroy(result);
    fem_solve_destroy(run.solve);
    fem_free(&run.memory, run.rigid);
    fem_system_destroy(run.system, &run.memory);
    return status;
}
