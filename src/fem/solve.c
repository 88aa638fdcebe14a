// SPDX-License-Identifier: MIT
// solve_: the lowest modes of an assembled system, stage by stage: order the nodes, factor K - s M, run Lanczos and, if
// wanted, prove the number of modes. The shift s lies in the midst of the modes wanted, as far as these can be guessed:
// the Lanczos method finds eigenvalues on both sides of it, and needs a quarter less vectors than from below them all.
// Rigid motions are known beforehand and kept out of the search. Small problems may be solved as full matrices.
#include "fem/solve.h"
#include "fem/dense.h"
#include "fem/metis.h"
#include <limits.h>
#include <math.h>
#include <string.h>

struct FemSolve
{
    FemSolveDef def;
    const twFemDef* want;
    const FemSystem* system;
    FemMemory* memory;
    twError* err;
    int* position;  // (nodes) order of elimination
    FemFactor* factor;
    FemLanczos* lanczos;
    double rigid_lambda;  // largest eigenvalue of a rigid motion, by round-off
    double shift;
    int below;  // eigenvalues below the shift, but for the rigid ones
    FemWish wish;
    int zeros, first, found;   // modes without energy beside the rigid ones; first elastic one; elastic ones
    double *lambda, *vectors;  // all of a small problem
    bool verified;
    double operations;
    twFemSeconds seconds;
    double stage_start;
};

// ---- stages ----

static twStatus solve_report(FemSolve* run, const char* stage, double done)
{
    const twFemDef* want = run->want;
    if (!want->keep_going || want->keep_going(stage, done, want->context)) return TW_OK;
    return tw_fail(run->err, TW_INTERRUPTED, "interrupted at stage \"%s\"", stage);
}

static twStatus solve_begin(FemSolve* run, const char* stage)
{
    run->stage_start = tw_seconds();
    return solve_report(run, stage, 0);
}

// a stage that has begun ends, also if it failed
static twStatus solve_end(FemSolve* run, const char* stage, double* seconds, twStatus status)
{
    double took = tw_seconds() - run->stage_start;
    *seconds += took;
    run->seconds.total += took;
    if (status == TW_OK) return solve_report(run, stage, 1);
    const twFemDef* want = run->want;
    if (status != TW_INTERRUPTED && want->keep_going) want->keep_going(stage, 1, want->context);
    return status;
}

// largest energy of the rigid motions: each is its own Rayleigh quotient
static twStatus solve_weigh_rigid(FemSolve* run)
{
    size_t n = 3 * (size_t)run->system->nodes;
    double* y = fem_alloc(run->memory, n, sizeof *y);
    if (!y) return fem_no_memory(run->memory, 8.0 * (double)n, "the rigid motions", run->err);
    for (int i = 0; i < run->def.rigid_count; i++)
    {
        const double* x = run->def.rigid + (size_t)i * n;
        fem_multiply_stiffness(run->system, x, y, 1);
        double energy = 0;
        for (size_t k = 0; k < n; k++) energy += x[k] * y[k];
        run->rigid_lambda = fmax(run->rigid_lambda, fabs(energy));
    }
    fem_free(run->memory, y);
    return TW_OK;
}

static twStatus solve_order(FemSolve* run)
{
    size_t n = (size_t)run->system->nodes;
    run->position = fem_alloc(run->memory, n, sizeof *run->position);
    if (!run->position) return fem_no_memory(run->memory, 4.0 * (double)n, "the ordering", run->err);
    return fem_order(run->position, run->system, run->memory, run->err);
}

// ---- the shift ----

enum
{
    MOST_SHIFTS = 4  // tried; the last one is below all modes
};

// Half of the modes wanted should lie below; those far below converge last. A shift near zero would make K - s M singular
// to working precision.
static void solve_guess_shift(FemSolve* run)
{
    const double share = 0.55, part = 0.6, round_off = 1e-9;
    double count = run->want->count, least = fmax(1e5 * run->rigid_lambda, -1e-4 * fem_shift());
    double lambda = count > 0 ? fem_weyl_lambda(&run->def.weyl, share * count) : HUGE_VAL;
    run->shift = fmax(least, fmin(lambda, part * run->wish.max_lambda));
    if (run->def.shift > 0) run->shift = run->def.shift;
    run->wish.zero = fmax(run->wish.zero, round_off * run->shift);
}

// more below than are worth finding
static bool solve_too_high(const FemSolve* run)
{
    int most = 2 * run->want->count + 40, quarter = 3 * run->system->nodes / 4;
    return run->shift > 0 && run->want->count > 0 && run->below > (most < quarter ? most : quarter);
}

// after a shift that hit an eigenvalue, or one that has too many below
static void solve_move_shift(FemSolve* run, int attempt)
{
    double off = run->below / fmax(1, fem_weyl_count(&run->def.weyl, run->shift));
    if (attempt + 1 >= MOST_SHIFTS - 1)
        run->shift = fem_shift();
    else if (solve_too_high(run))
        run->shift = fem_weyl_lambda(&run->def.weyl, 0.5 * run->want->count / off);
    else
        run->shift *= 0.97;
    fem_factor_destroy(run->factor);
    run->factor = NULL;
}

// modes to expect, for sizing things; better known once some have been counted
static int solve_expected(const FemSolve* run)
{
    const int enough = 10;  // to trust their number
    double guess = fem_weyl_count(&run->def.weyl, run->wish.max_lambda);
    if (run->below >= enough) guess *= run->below / fmax(1, fem_weyl_count(&run->def.weyl, run->shift));
    double count = fmin(run->wish.count, guess + enough);
    return (int)fmin(fmax(count, run->below), 3.0 * run->system->nodes) + run->wish.extra;
}

// operations of so many Lanczos vectors: each is solved for, and made orthogonal twice to all before it
static double solve_lanczos_operations(const FemSolve* run, double vectors)
{
    return vectors * fem_factor_solve_operations(run->factor) + 12.0 * run->system->nodes * vectors * vectors;
}

// operations so far and those of the Lanczos vectors to come: about two for each mode
static double solve_foreseen(const FemSolve* run)
{
    return run->operations + solve_lanczos_operations(run, 2.0 * solve_expected(run));
}

static twStatus solve_factor_once(FemSolve* run)
{
    twStatus status =
        fem_factor_create(&run->factor, run->system, run->position, run->shift < 0, run->memory, run->err);
    if (status == TW_OK) status = solve_report(run, "factor", 0.1);
    if (status != TW_OK) return status;
    run->operations += fem_factor_operations(run->factor);
    if (run->def.foreseen) *run->def.foreseen = solve_foreseen(run);
    if (run->def.max_operations > 0 && solve_foreseen(run) > run->def.max_operations)
        return tw_fail(run->err, TW_LIMIT, "%.2g operations foreseen, and %.2g are the limit", solve_foreseen(run),
                       run->def.max_operations);
    fem_factor_watch(run->factor, "factor", 0.1, run->want->keep_going, run->want->context);
    size_t later = fem_lanczos_bytes(run->system, run->def.rigid_count, solve_expected(run));
    status = fem_factor_compute(run->factor, run->shift, later, run->err);
    if (status == TW_OK) run->below = run->shift > 0 ? fem_factor_negative(run->factor) - run->def.rigid_count : 0;
    return status;
}

static twStatus solve_factor(FemSolve* run, int attempt)
{
    for (;; attempt++)
    {
        twStatus status = solve_factor_once(run);
        bool again = status == TW_NO_CONVERGE || (status == TW_OK && solve_too_high(run));
        if (!again || run->shift < 0) return status;
        solve_move_shift(run, attempt);
    }
}

static twStatus solve_find(FemSolve* run)
{
    const twFemDef* def = run->want;
    for (int attempt = 0;; attempt++)
    {
        twStatus status = fem_lanczos_create(&run->lanczos, run->system, run->factor, run->shift, run->def.rigid,
                                             run->def.rigid_count, solve_expected(run), run->memory, run->err);
        if (status == TW_OK)
            status = fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err);
        if (status != TW_NO_CONVERGE || run->shift < 0 || !fem_lanczos_on_eigenvalue(run->lanczos)) return status;
        fem_lanczos_destroy(run->lanczos);
        run->lanczos = NULL;
        solve_move_shift(run, attempt);
        status = solve_factor(run, attempt + 1);
        if (status != TW_OK) return status;
    }
}

static double solve_lambda(const FemSolve* run, int i)
{
    return run->lambda ? run->lambda[i] : fem_lanczos_lambda(run->lanczos, i);
}

// from what has been found, the elastic modes that were asked for
static void solve_select(FemSolve* run)
{
    int found = run->lambda ? 3 * run->system->nodes : fem_lanczos_found(run->lanczos);
    int zeros = 0;
    while (zeros < found && solve_lambda(run, zeros) < run->wish.zero) zeros++;
    run->first = zeros;
    run->found = 0;
    while (zeros + run->found < found && run->found < run->wish.count &&
           solve_lambda(run, zeros + run->found) <= run->wish.max_lambda)
        run->found++;

    // full matrices find the rigid motions too
    run->zeros = run->lambda ? zeros - run->def.rigid_count : zeros;
    run->verified = run->lambda || run->first + run->found <= run->below;
}

// ---- the count ----

// eigenvalues below lambda
static twStatus solve_count_below(FemSolve* run, double lambda, int* below)
{
    FemFactor* factor = NULL;
    twStatus status = fem_factor_create(&factor, run->system, run->position, false, run->memory, run->err);
    if (status == TW_OK)
    {
        fem_factor_watch(factor, "check", 0.1, run->want->keep_going, run->want->context);
        status = fem_factor_compute(factor, lambda, 0, run->err);
    }
    if (status == TW_OK) *below = fem_factor_negative(factor);
    fem_factor_destroy(factor);
    return status;
}

// Count the eigenvalues below the widest gap behind the last mode wanted; as long as some are missing, search again.
static twStatus solve_verify(FemSolve* run)
{
    const twFemDef* def = run->want;
    for (int attempt = 0; attempt < 4; attempt++)
    {
        // the factor itself has counted those below the shift
        if (run->verified) return TW_OK;
        int found = fem_lanczos_found(run->lanczos), last = run->first + run->found - 1, below = 0;
        int at = last > 0 ? last : 0;
        for (int i = at; i + 1 < found; i++)
            if (solve_lambda(run, i + 1) / solve_lambda(run, i) > solve_lambda(run, at + 1) / solve_lambda(run, at))
                at = i;
        if (at + 1 >= found) break;
        twStatus status = solve_count_below(run, 0.5 * (solve_lambda(run, at) + solve_lambda(run, at + 1)), &below);
        if (status != TW_OK) return status;
        if (below == run->def.rigid_count + at + 1)
        {
            run->verified = true;
            return TW_OK;
        }

        status = fem_lanczos_refresh(run->lanczos, run->err);
        if (status == TW_OK)
            status = fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err);
        if (status != TW_OK) return status;
        solve_select(run);
    }
    return tw_fail(run->err, TW_NO_CONVERGE, "the number of modes found disagrees with the Sturm count");
}

// ---- all of it ----

static twStatus solve_small(FemSolve* run)
{
    twStatus status = solve_begin(run, "modes");
    if (status == TW_OK) status = fem_dense(&run->lambda, &run->vectors, run->system, run->memory, run->err);
    if (status == TW_OK) solve_select(run);
    return solve_end(run, "modes", &run->seconds.modes, status);
}

static twStatus solve_large(FemSolve* run)
{
    int unknowns = 3 * run->system->nodes;
    if (run->want->count > unknowns / 4 && run->want->max_freq_hz == 0)
        return tw_fail(run->err, TW_BAD_INPUT, "%d modes wanted with %d unknowns: the limit is %d modes",
                       run->want->count, unknowns, unknowns / 4);
    solve_guess_shift(run);
    twStatus status = solve_begin(run, "order");
    if (status == TW_OK) status = solve_end(run, "order", &run->seconds.order, solve_order(run));
    if (status == TW_OK) status = solve_begin(run, "factor");
    if (status == TW_OK) status = solve_end(run, "factor", &run->seconds.factor, solve_factor(run, 0));
    if (status == TW_OK) status = solve_begin(run, "modes");
    if (status == TW_OK) status = solve_end(run, "modes", &run->seconds.modes, solve_find(run));
    if (status == TW_OK) solve_select(run);
    if (status == TW_OK && run->want->verify_count)
    {
        status = solve_begin(run, "check");
        if (status == TW_OK) status = solve_end(run, "check", &run->seconds.check, solve_verify(run));
    }
    if (run->lanczos) run->operations += solve_lanczos_operations(run, fem_lanczos_solves(run->lanczos));
    return status;
}

twStatus fem_solve_create(FemSolve** out, const FemSolveDef* def, twError* err)
{
    *out = NULL;
    FemSolve* run = fem_alloc(def->memory, 1, sizeof *run);
    if (!run) return fem_no_memory(def->memory, sizeof *run, "the modes", err);
    *run = (FemSolve){.def = *def, .want = def->want, .system = def->system, .memory = def->memory, .err = err};
    twStatus status = solve_weigh_rigid(run);
    if (status == TW_OK)
    {
        run->wish = fem_wish(run->want, run->system, run->rigid_lambda);
        const bool small = def->dense && 3 * run->system->nodes <= FEM_DENSE_UNKNOWNS;
        status = small ? solve_small(run) : solve_large(run);
    }
    run->err = NULL;
    if (status == TW_OK)
        *out = run;
    else
        fem_solve_destroy(run);
    return status;
}

void fem_solve_destroy(FemSolve* run)
{
    if (!run) return;
    fem_lanczos_destroy(run->lanczos);
    fem_factor_destroy(run->factor);
    void* const blocks[] = {run->position, run->lambda, run->vectors, run};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fem_free(run->memory, blocks[i]);
}

// ---- results ----

FemSolved fem_solve_result(const FemSolve* run)
{
    return (FemSolved){.count = run->found,
                       .zeros = run->zeros,
                       .rigid_lambda = run->rigid_lambda,
                       .verified = run->verified,
                       .factor_bytes = run->factor ? fem_factor_bytes(run->factor) : 0,
                       .operations = run->operations,
                       .seconds = run->seconds};
}

double fem_solve_lambda(const FemSolve* run, int mode) { return solve_lambda(run, run->first + mode); }

double fem_solve_residual(const FemSolve* run, int mode)
{
    return run->lambda ? 0 : fem_lanczos_residual(run->lanczos, run->first + mode);
}

void fem_solve_vectors(FemSolve* run, int first, int count, double* x)
{
    size_t n = 3 * (size_t)run->system->nodes;
    if (run->lambda)
        memcpy(x, run->vectors + (size_t)(run->first + first) * n, (size_t)count * n * sizeof *x);
    else
        fem_lanczos_vectors(run->lanczos, run->first + first, count, x);
}
