// SPDX-License-Identifier: MIT
// From a def to modes, stage by stage: assemble K and M, order the nodes, factor K - s M, find the lowest modes, and
// if wanted prove their number. The shift s lies in the midst of the modes wanted, as far as these can be guessed: the
// Lanczos method finds eigenvalues on both sides of it, and needs a quarter less vectors than from below them all. Rigid
// motions are known beforehand and kept out of the search. Small problems are solved as full matrices.
#include "fem/dense.h"
#include "fem/lanczos.h"
#include "fem/lapack.h"
#include "fem/metis.h"
#include "fem/result.h"
#include "fem/weyl.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// one analysis under way
typedef struct Run
{
    const twFemDef* def;
    twError* err;
    FemMemory memory;
    FemSystem* system;
    int* position;  // (nodes) order of elimination
    FemFactor* factor;
    FemLanczos* lanczos;
    double* rigid;  // (3 nodes x rigid_count)
    int rigid_count;
    double rigid_lambda;  // largest eigenvalue of a rigid motion, by round-off
    FemWeyl weyl;
    double shift;
    int below;  // eigenvalues below the shift, but for the rigid ones
    FemWish wish;
    int zeros, first, found;   // modes without energy beside the rigid ones; first elastic one; elastic ones
    double *lambda, *vectors;  // all of a small problem
    bool verified;
    twFemSeconds seconds;
    double stage_start;
} Run;

// ---- stages ----

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static twStatus report(Run* run, const char* stage, double done)
{
    const twFemDef* def = run->def;
    if (!def->keep_going || def->keep_going(stage, done, def->context)) return TW_OK;
    return tw_fail(run->err, TW_INTERRUPTED, "interrupted at stage \"%s\"", stage);
}

static twStatus begin(Run* run, const char* stage)
{
    run->stage_start = now();
    return report(run, stage, 0);
}

// a stage that has begun ends, also if it failed
static twStatus end(Run* run, const char* stage, double* seconds, twStatus status)
{
    double took = now() - run->stage_start;
    *seconds += took;
    run->seconds.total += took;
    if (status == TW_OK) return report(run, stage, 1);
    const twFemDef* def = run->def;
    if (status != TW_INTERRUPTED && def->keep_going) def->keep_going(stage, 1, def->context);
    return status;
}

// largest energy of the rigid motions: each is its own Rayleigh quotient
static twStatus weigh_rigid(Run* run)
{
    size_t n = 3 * (size_t)run->system->nodes;
    double* y = fem_alloc(&run->memory, n, sizeof *y);
    if (!y) return fem_no_memory(&run->memory, 8.0 * (double)n, "the rigid motions", run->err);
    for (int i = 0; i < run->rigid_count; i++)
    {
        const double* x = run->rigid + (size_t)i * n;
        fem_multiply_stiffness(run->system, x, y, 1);
        double energy = 0;
        for (size_t k = 0; k < n; k++) energy += x[k] * y[k];
        run->rigid_lambda = fmax(run->rigid_lambda, fabs(energy));
    }
    fem_free(&run->memory, y);
    return TW_OK;
}

static twStatus assemble(Run* run)
{
    twStatus status = fem_system_create(&run->system, run->def, &run->memory, run->err);
    if (status == TW_OK)
        status = fem_rigid_motions(&run->rigid, &run->rigid_count, run->system, run->def, &run->memory, run->err);
    return status == TW_OK ? weigh_rigid(run) : status;
}

static twStatus order(Run* run)
{
    size_t n = (size_t)run->system->nodes;
    run->position = fem_alloc(&run->memory, n, sizeof *run->position);
    if (!run->position) return fem_no_memory(&run->memory, 4.0 * (double)n, "the ordering", run->err);
    return fem_order(run->position, run->system, &run->memory, run->err);
}

// ---- the shift ----

enum
{
    MOST_SHIFTS = 4  // tried; the last one is below all modes
};

// Half of the modes wanted should lie below; those far below converge last. A shift near zero would make K - s M singular
// to working precision.
static void guess_shift(Run* run)
{
    const double share = 0.55, part = 0.6, round_off = 1e-9;
    double count = run->def->count, least = fmax(1e5 * run->rigid_lambda, -1e-4 * fem_shift());
    double lambda = count > 0 ? fem_weyl_lambda(&run->weyl, share * count) : HUGE_VAL;
    run->shift = fmax(least, fmin(lambda, part * run->wish.max_lambda));
    run->wish.zero = fmax(run->wish.zero, round_off * run->shift);
}

// more below than are worth finding
static bool is_too_high(const Run* run)
{
    int most = 2 * run->def->count + 40, quarter = 3 * run->system->nodes / 4;
    return run->shift > 0 && run->def->count > 0 && run->below > (most < quarter ? most : quarter);
}

// after a shift that hit an eigenvalue, or one that has too many below
static void move_shift(Run* run, int attempt)
{
    double off = run->below / fmax(1, fem_weyl_count(&run->weyl, run->shift));
    if (attempt + 1 >= MOST_SHIFTS - 1)
        run->shift = fem_shift();
    else if (is_too_high(run))
        run->shift = fem_weyl_lambda(&run->weyl, 0.5 * run->def->count / off);
    else
        run->shift *= 0.97;
    fem_factor_destroy(run->factor);
    run->factor = NULL;
}

// modes to expect, for sizing things; better known once some have been counted
static int expected_count(const Run* run)
{
    const int enough = 10;  // to trust their number
    double guess = fem_weyl_count(&run->weyl, run->wish.max_lambda);
    if (run->below >= enough) guess *= run->below / fmax(1, fem_weyl_count(&run->weyl, run->shift));
    double count = fmin(run->wish.count, guess + enough);
    return (int)fmin(fmax(count, run->below), 3.0 * run->system->nodes) + run->wish.extra;
}

static twStatus factor_once(Run* run)
{
    twStatus status =
        fem_factor_create(&run->factor, run->system, run->position, run->shift < 0, &run->memory, run->err);
    if (status == TW_OK) status = report(run, "factor", 0.1);
    if (status != TW_OK) return status;
    fem_factor_watch(run->factor, "factor", 0.1, run->def->keep_going, run->def->context);
    size_t later = fem_lanczos_bytes(run->system, run->rigid_count, expected_count(run));
    status = fem_factor_compute(run->factor, run->shift, later, run->err);
    if (status == TW_OK) run->below = run->shift > 0 ? fem_factor_negative(run->factor) - run->rigid_count : 0;
    return status;
}

static twStatus factor(Run* run, int attempt)
{
    for (;; attempt++)
    {
        twStatus status = factor_once(run);
        bool again = status == TW_NO_CONVERGE || (status == TW_OK && is_too_high(run));
        if (!again || run->shift < 0) return status;
        move_shift(run, attempt);
    }
}

static twStatus find_modes(Run* run)
{
    const twFemDef* def = run->def;
    for (int attempt = 0;; attempt++)
    {
        twStatus status = fem_lanczos_create(&run->lanczos, run->system, run->factor, run->shift, run->rigid,
                                             run->rigid_count, expected_count(run), &run->memory, run->err);
        if (status == TW_OK)
            status = fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err);
        if (status != TW_NO_CONVERGE || run->shift < 0 || !fem_lanczos_on_eigenvalue(run->lanczos)) return status;
        fem_lanczos_destroy(run->lanczos);
        run->lanczos = NULL;
        move_shift(run, attempt);
        status = factor(run, attempt + 1);
        if (status != TW_OK) return status;
    }
}

static double lambda_of(const Run* run, int i)
{
    return run->lambda ? run->lambda[i] : fem_lanczos_lambda(run->lanczos, i);
}

// from what has been found, the elastic modes that were asked for
static void select_modes(Run* run)
{
    int found = run->lambda ? 3 * run->system->nodes : fem_lanczos_found(run->lanczos);
    int zeros = 0;
    while (zeros < found && lambda_of(run, zeros) < run->wish.zero) zeros++;
    run->first = zeros;
    run->found = 0;
    while (zeros + run->found < found && run->found < run->wish.count &&
           lambda_of(run, zeros + run->found) <= run->wish.max_lambda)
        run->found++;

    // full matrices find the rigid motions too
    run->zeros = run->lambda ? zeros - run->rigid_count : zeros;
    run->verified = run->lambda || run->first + run->found <= run->below;
}

// ---- the count ----

// eigenvalues below lambda
static twStatus count_below(Run* run, double lambda, int* below)
{
    FemFactor* factor = NULL;
    twStatus status = fem_factor_create(&factor, run->system, run->position, false, &run->memory, run->err);
    if (status == TW_OK)
    {
        fem_factor_watch(factor, "check", 0.1, run->def->keep_going, run->def->context);
        status = fem_factor_compute(factor, lambda, 0, run->err);
    }
    if (status == TW_OK) *below = fem_factor_negative(factor);
    fem_factor_destroy(factor);
    return status;
}

// Count the eigenvalues below the widest gap behind the last mode wanted; as long as some are missing, search again.
static twStatus verify(Run* run)
{
    const twFemDef* def = run->def;
    for (int attempt = 0; attempt < 4; attempt++)
    {
        // the factor itself has counted those below the shift
        if (run->verified) return TW_OK;
        int found = fem_lanczos_found(run->lanczos), last = run->first + run->found - 1, below = 0;
        int at = last > 0 ? last : 0;
        for (int i = at; i + 1 < found; i++)
            if (lambda_of(run, i + 1) / lambda_of(run, i) > lambda_of(run, at + 1) / lambda_of(run, at)) at = i;
        if (at + 1 >= found) break;
        twStatus status = count_below(run, 0.5 * (lambda_of(run, at) + lambda_of(run, at + 1)), &below);
        if (status != TW_OK) return status;
        if (below == run->rigid_count + at + 1)
        {
            run->verified = true;
            return TW_OK;
        }

        status = fem_lanczos_refresh(run->lanczos, run->err);
        if (status == TW_OK)
            status = fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err);
        if (status != TW_OK) return status;
        select_modes(run);
    }
    return tw_fail(run->err, TW_NO_CONVERGE, "the number of modes found disagrees with the Sturm count");
}

// ---- the result ----

// hand the vectors over, some at a time
static twStatus fill_shapes(Run* run, twFemModes* modes)
{
    size_t n = 3 * (size_t)run->system->nodes;
    double* x = run->lambda ? NULL : fem_alloc(&run->memory, n * FEM_VECTORS, sizeof *x);
    if (!run->lambda && !x) return fem_no_memory(&run->memory, 64.0 * (double)n, "the shapes", run->err);
    for (int i = 0; i < run->found; i += FEM_VECTORS)
    {
        int count = run->found - i < FEM_VECTORS ? run->found - i : FEM_VECTORS;
        const double* from = run->lambda ? run->vectors + (size_t)(run->first + i) * n : x;
        if (!run->lambda) fem_lanczos_vectors(run->lanczos, run->first + i, count, x);
        for (int c = 0; c < count; c++)
        {
            int at = run->first + i + c;
            double residual = run->lambda ? 0 : fem_lanczos_residual(run->lanczos, at);
            fem_result_mode(modes, i + c, run->system, run->def, lambda_of(run, at), residual, from + (size_t)c * n);
        }
    }
    fem_free(&run->memory, x);
    return TW_OK;
}

static twStatus make_result(Run* run, twFemModes** out)
{
    twStatus status = fem_result_create(out, run->system, run->def, run->found, &run->memory, run->err);
    if (status != TW_OK) return status;
    twFemModes* modes = *out;
    modes->rigid_modes = run->rigid_count + run->zeros;
    modes->rigid_freq_hz = fem_system_freq_hz(run->system, run->rigid_lambda);
    modes->verified = run->verified;
    modes->factor_memory_bytes = run->factor ? fem_factor_bytes(run->factor) : 0;
    return fill_shapes(run, modes);
}

// ---- all of it ----

static twStatus solve_small(Run* run)
{
    twStatus status = begin(run, "modes");
    if (status == TW_OK) status = fem_dense(&run->lambda, &run->vectors, run->system, &run->memory, run->err);
    return end(run, "modes", &run->seconds.modes, status);
}

static twStatus solve_large(Run* run)
{
    int unknowns = 3 * run->system->nodes;
    if (run->def->count > unknowns / 4 && run->def->max_freq_hz == 0)
        return tw_fail(run->err, TW_BAD_INPUT, "%d modes wanted of a mesh with %d unknowns: at most %d mean anything",
                       run->def->count, unknowns, unknowns / 4);
    run->weyl = fem_weyl(run->system, run->def, &run->memory);
    guess_shift(run);
    twStatus status = begin(run, "order");
    if (status == TW_OK) status = end(run, "order", &run->seconds.order, order(run));
    if (status == TW_OK) status = begin(run, "factor");
    if (status == TW_OK) status = end(run, "factor", &run->seconds.factor, factor(run, 0));
    if (status == TW_OK) status = begin(run, "modes");
    if (status == TW_OK) status = end(run, "modes", &run->seconds.modes, find_modes(run));
    if (status == TW_OK) select_modes(run);
    if (status == TW_OK && run->def->verify_count)
    {
        status = begin(run, "check");
        if (status == TW_OK) status = end(run, "check", &run->seconds.check, verify(run));
    }
    return status;
}

static twStatus analyse(Run* run, twFemModes** result)
{
    twStatus status = begin(run, "assemble");
    if (status == TW_OK) status = end(run, "assemble", &run->seconds.assemble, assemble(run));
    if (status != TW_OK) return status;
    run->wish = fem_wish(run->def, run->system, run->rigid_lambda);
    bool small = 3 * run->system->nodes <= FEM_DENSE_UNKNOWNS;
    status = small ? solve_small(run) : solve_large(run);
    if (status != TW_OK) return status;
    if (small) select_modes(run);
    double start = now();
    status = make_result(run, result);
    run->seconds.modes += now() - start;
    run->seconds.total += now() - start;
    return status;
}

twStatus tw_fem_modes_create(twFemModes** out, const twFemDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    Run run = {.def = def, .err = err, .memory = fem_memory(def->max_memory_bytes)};
    twFemModes* result = NULL;
    int threads = fem_blas_threads(def->threads);
    twStatus status = analyse(&run, &result);
    fem_blas_threads(threads);
    if (status == TW_OK)
    {
        result->seconds = run.seconds;
        result->peak_memory_bytes = run.memory.peak;
        *out = result;
    }
    else
        tw_fem_modes_destroy(result);

    fem_lanczos_destroy(run.lanczos);
    fem_factor_destroy(run.factor);
    fem_free(&run.memory, run.position);
    fem_free(&run.memory, run.rigid);
    fem_free(&run.memory, run.lambda);
    fem_free(&run.memory, run.vectors);
    fem_system_destroy(run.system, &run.memory);
    return status;
}
