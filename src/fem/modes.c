// SPDX-License-Identifier: MIT
// From a def to modes, stage by stage: assemble K and M, order the nodes, factor K - s M, find the lowest modes, and
// if wanted prove their number. The shift s = -(2 pi f)^2 with f = sqrt(E/rho) / (20 diagonal) makes K - s M positive
// definite and lies near the lowest modes of compact bodies. Rigid motions are known beforehand and kept out of the
// search. Small problems are solved as full matrices.
#include "fem/dense.h"
#include "fem/lanczos.h"
#include "fem/lapack.h"
#include "fem/metis.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

twFemDef tw_fem_def(void) { return (twFemDef){.count = 32, .tolerance = 1e-7, .threads = 1}; }

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
    double shift;
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

static twStatus end(Run* run, const char* stage, double* seconds, twStatus status)
{
    double took = now() - run->stage_start;
    *seconds += took;
    run->seconds.total += took;
    return status == TW_OK ? report(run, stage, 1) : status;
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

// modes wanted, for sizing things: without a count, a guess to start with
static int expected_count(const Run* run)
{
    int extra = run->wish.extra;
    return run->def->count > 0 ? run->def->count + extra : 64 + extra;
}

static size_t shape_bytes(const Run* run, int count)
{
    return (size_t)count * (size_t)run->system->mesh_nodes * 3 * sizeof(double);
}

static twStatus factor(Run* run)
{
    twStatus status = fem_factor_create(&run->factor, run->system, run->position, true, &run->memory, run->err);
    if (status == TW_OK) status = report(run, "factor", 0.1);
    if (status != TW_OK) return status;
    size_t later = fem_lanczos_bytes(run->system, run->rigid_count, expected_count(run));
    return fem_factor_compute(run->factor, run->shift, later + shape_bytes(run, run->def->count), run->err);
}

static twStatus find_modes(Run* run)
{
    const twFemDef* def = run->def;
    twStatus status = fem_lanczos_create(&run->lanczos, run->system, run->factor, run->shift, run->rigid,
                                         run->rigid_count, expected_count(run), &run->memory, run->err);
    return status == TW_OK ? fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err)
                           : status;
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
}

// ---- the count ----

// eigenvalues below lambda
static twStatus count_below(Run* run, double lambda, int* below)
{
    FemFactor* factor = NULL;
    twStatus status = fem_factor_create(&factor, run->system, run->position, false, &run->memory, run->err);
    if (status == TW_OK) status = fem_factor_compute(factor, lambda, 0, run->err);
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
        int found = fem_lanczos_found(run->lanczos), last = run->first + run->found - 1, below = 0;
        int at = last > 0 ? last : 0;
        for (int i = at; i + 1 < found; i++)
            if (lambda_of(run, i + 1) / lambda_of(run, i) > lambda_of(run, at + 1) / lambda_of(run, at)) at = i;
        if (at + 1 >= found) break;
        twStatus status = count_below(run, 0.5 * (lambda_of(run, at) + lambda_of(run, at + 1)), &below);
        if (status != TW_OK) return status;
        run->verified = below == run->rigid_count + at + 1;
        if (run->verified) return TW_OK;

        status = fem_lanczos_refresh(run->lanczos, run->err);
        if (status == TW_OK)
            status = fem_lanczos_run(run->lanczos, &run->wish, def->keep_going, def->context, run->err);
        if (status != TW_OK) return status;
        select_modes(run);
    }
    return tw_fail(run->err, TW_NO_CONVERGE, "the number of modes found disagrees with the Sturm count");
}

// ---- the result ----

typedef struct Result
{
    twFemModes modes;
    double block[];
} Result;

// mid nodes that linear elements do not use get the mean of their corners
static void fill_mid_nodes(const Run* run, double* shape)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const twTetMesh* tets = run->def->tets;
    for (int e = 0; e < tets->tet_count; e++)
        for (int i = 0; i < 6; i++)
        {
            int mid = tets->mid_nodes[e][i], a = tets->tets[e].n[ends[i][0]], b = tets->tets[e].n[ends[i][1]];
            if (mid < 0 || mid >= tets->node_count || run->system->active[mid] != -2) continue;
            for (int d = 0; d < 3; d++)
                shape[3 * (size_t)mid + (size_t)d] =
                    0.5 * (shape[3 * (size_t)a + (size_t)d] + shape[3 * (size_t)b + (size_t)d]);
        }
}

static void fill_shape(const Run* run, const double* x, double* shape)
{
    const FemSystem* system = run->system;
    double scale = 1 / sqrt(system->density) / (system->length * sqrt(system->length));
    for (size_t a = 0; a < (size_t)system->nodes; a++)
        for (size_t d = 0; d < 3; d++) shape[3 * (size_t)system->node[a] + d] = scale * x[3 * a + d];
    if (run->def->linear && run->def->tets->mid_nodes) fill_mid_nodes(run, shape);
}

static twStatus fill_shapes(Run* run, double* shapes)
{
    size_t n = 3 * (size_t)run->system->nodes, stride = 3 * (size_t)run->system->mesh_nodes;
    double* x = run->lambda ? NULL : fem_alloc(&run->memory, n * FEM_VECTORS, sizeof *x);
    if (!run->lambda && !x) return fem_no_memory(&run->memory, 64.0 * (double)n, "the shapes", run->err);
    for (int i = 0; i < run->found; i += FEM_VECTORS)
    {
        int count = run->found - i < FEM_VECTORS ? run->found - i : FEM_VECTORS;
        const double* from = run->lambda ? run->vectors + (size_t)(run->first + i) * n : x;
        if (!run->lambda) fem_lanczos_vectors(run->lanczos, run->first + i, count, x);
        for (int c = 0; c < count; c++) fill_shape(run, from + (size_t)c * n, shapes + (size_t)(i + c) * stride);
    }
    fem_free(&run->memory, x);
    return TW_OK;
}

static twStatus make_result(Run* run, Result** out)
{
    const FemSystem* system = run->system;
    size_t count = (size_t)run->found,
           bytes = sizeof(Result) + 2 * count * sizeof(double) + shape_bytes(run, run->found);
    Result* result = bytes <= fem_memory_left(&run->memory) ? calloc(1, bytes) : NULL;
    if (!result) return fem_no_memory(&run->memory, (double)bytes, "the shapes", run->err);
    fem_memory_add(&run->memory, bytes);
    double *freq = result->block, *residual = freq + count, *shape = residual + count;
    for (int i = 0; i < run->found; i++)
    {
        freq[i] = fem_system_freq_hz(system, lambda_of(run, run->first + i));
        residual[i] = run->lambda ? 0 : fem_lanczos_residual(run->lanczos, run->first + i);
    }
    double unit = system->length * system->length * system->length * system->density;
    result->modes = (twFemModes){.count = run->found,
                                 .rigid_modes = run->rigid_count + run->zeros,
                                 .pieces = system->pieces,
                                 .node_count = system->mesh_nodes,
                                 .active_nodes = system->nodes,
                                 .element_count = run->def->tets->tet_count,
                                 .freq_hz = freq,
                                 .residual = residual,
                                 .shape = shape,
                                 .mass = system->mass * unit,
                                 .rigid_freq_hz = fem_system_freq_hz(system, run->rigid_lambda),
                                 .verified = run->verified,
                                 .factor_memory_bytes = run->factor ? fem_factor_bytes(run->factor) : 0};
    *out = result;
    return fill_shapes(run, shape);
}

// ---- all of it ----

static twStatus solve_small(Run* run)
{
    twStatus status = begin(run, "modes");
    if (status == TW_OK) status = fem_dense(&run->lambda, &run->vectors, run->system, &run->memory, run->err);
    run->verified = status == TW_OK;
    return end(run, "modes", &run->seconds.modes, status);
}

static twStatus solve_large(Run* run)
{
    int unknowns = 3 * run->system->nodes;
    if (run->def->count > unknowns / 4 && run->def->max_freq_hz == 0)
        return tw_fail(run->err, TW_BAD_INPUT, "%d modes wanted of a mesh with %d unknowns: at most %d mean anything",
                       run->def->count, unknowns, unknowns / 4);
    twStatus status = begin(run, "order");
    if (status == TW_OK) status = end(run, "order", &run->seconds.order, order(run));
    if (status == TW_OK) status = begin(run, "factor");
    if (status == TW_OK) status = end(run, "factor", &run->seconds.factor, factor(run));
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

static void set_wish(Run* run)
{
    const double zero = 1e-4;  // of the frequency of the shift: below is a mechanism, a hinge or a ball joint
    const twFemDef* def = run->def;
    double root = 2 * TW_PI / 20;
    run->shift = -root * root;
    run->wish =
        (FemWish){.count = def->count > 0 ? def->count : INT_MAX / 8,
                  .max_lambda = def->max_freq_hz > 0 ? fem_system_lambda(run->system, def->max_freq_hz) : HUGE_VAL,
                  .zero = fmax(zero * zero * root * root, 10 * run->rigid_lambda),
                  .extra = def->verify_count ? 8 : 0,
                  .tolerance = def->tolerance};
}

static twStatus analyse(Run* run, Result** result)
{
    twStatus status = begin(run, "assemble");
    if (status == TW_OK) status = end(run, "assemble", &run->seconds.assemble, assemble(run));
    if (status != TW_OK) return status;
    set_wish(run);
    status = 3 * run->system->nodes <= FEM_DENSE_UNKNOWNS ? solve_small(run) : solve_large(run);
    if (status != TW_OK) return status;
    select_modes(run);
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
    Result* result = NULL;
    int threads = fem_blas_threads(def->threads);
    twStatus status = analyse(&run, &result);
    fem_blas_threads(threads);
    if (status == TW_OK)
    {
        result->modes.seconds = run.seconds;
        result->modes.peak_memory_bytes = run.memory.peak;
        *out = &result->modes;
    }
    else
        free(result);

    fem_lanczos_destroy(run.lanczos);
    fem_factor_destroy(run.factor);
    fem_free(&run.memory, run.position);
    fem_free(&run.memory, run.rigid);
    fem_free(&run.memory, run.lambda);
    fem_free(&run.memory, run.vectors);
    fem_system_destroy(run.system, &run.memory);
    return status;
}

void tw_fem_modes_destroy(twFemModes* modes) { free(modes); }
