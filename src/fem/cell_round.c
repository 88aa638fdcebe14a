// SPDX-License-Identifier: MIT
// round_: one round of cut cells: refine, number, assemble, solve, and see where the error is.
#include "fem/cells.h"
#include "fem/lapack.h"
#include "fem/solve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_TOLERANCE 1e-5  // relative residual of the modes
#define ROUND_PIECE 0.01      // of the largest: smaller pieces are left out
#define ROUND_PIECES 100      // each has six rigid motions, to which all modes are made orthogonal
#define ROUND_GROWTH 2        // operations of a round over those of the one before, at least: 2.1 to 4 were seen
#define ROUND_BEYOND 6        // modes beyond those wanted, which may come to lie below them

// what a round makes before it replaces the last one
typedef struct Round
{
    twCells* cells;
    twError* err;
    int first_cell, first_step;  // that this round has added
    CellSpace* space;
    FemSystem* system;
    double* rigid;
    int rigid_count;
    FemSolve* solve;
    int zeros;  // modes without energy beside the rigid ones
    CellModes modes;
    double *gain, *eta;
    CellWorst* worst;
    int* marks;
    int mark_count, dropped;
    double operations;
    twFemSeconds seconds;
} Round;

static twStatus round_no_memory(Round* round) { return tw_fail(round->err, TW_NO_MEMORY, "no memory for the cells"); }

static twStatus round_report(const Round* round, const char* stage, double done)
{
    const twCellsDef* def = &round->cells->def;
    if (!def->keep_going || def->keep_going(stage, done, def->context)) return TW_OK;
    return tw_fail(round->err, TW_INTERRUPTED, "interrupted at stage \"%s\"", stage);
}

// ---- cells ----

static bool round_remember(Round* round, const Cell* cell, int kind)
{
    return cells_remember(round->cells, cells_step_of(&round->cells->tree, cell, kind));
}

static twStatus round_refine(Round* round)
{
    twCells* cells = round->cells;
    round->first_cell = cells->tree.count;
    round->first_step = cells->history_count;
    if (cells->mark_count == 0) return TW_OK;
    for (int i = 0; i < cells->mark_count; i++)
    {
        const int c = cells->space->leaf[cells->marks[i]];
        if (!round_remember(round, &cells->tree.cells[c], CELL_STEP_REFINE) || !cell_tree_refine(&cells->tree, c))
            return round_no_memory(round);
    }
    if (!cells_remember(cells, (CellStep){.kind = CELL_STEP_INTEGRATE})) return round_no_memory(round);
    return dexel_integrate(&cells->tree, round->first_cell, cells->finer, &cells->dexel, round->err);
}

// undo the refinement of a failed round; cells that it has dropped stay dropped
static void round_undo(Round* round)
{
    round->cells->history_count = round->first_step;
    cell_tree_truncate(&round->cells->tree, round->first_cell);
}

// ---- pieces ----

static twStatus round_number(Round* round)
{
    twCells* cells = round->cells;
    cell_space_destroy(round->space);
    fem_system_destroy(round->system, &cells->memory);
    round->system = NULL;
    twStatus status = cell_space_create(&round->space, &cells->tree, cells->trunk, round->err);
    if (status == TW_OK && round->space->functions == 0)
        status = tw_fail(round->err, TW_BAD_INPUT, "the surface encloses no volume, or all of it is held");
    if (status == TW_OK) status = cell_system_create(&round->system, round->space, &cells->memory, round->err);
    if (status != TW_OK) return status;
    round->system->length = cells->length;
    round->system->young = cells->young;
    round->system->density = cells->density;
    return TW_OK;
}

static int round_piece(const Round* round, int leaf)
{
    return round->system->piece[round->space->function[round->space->start[leaf]]];
}

// small pieces of matter that share no cell with the rest
static twStatus round_drop_pieces(Round* round)
{
    CellTree* tree = &round->cells->tree;
    double *volume = calloc((size_t)round->system->pieces + 1, sizeof *volume), most = 0;
    if (!volume) return round_no_memory(round);
    for (int l = 0; l < round->space->leaf_count; l++)
    {
        const Cell* cell = &tree->cells[round->space->leaf[l]];
        volume[round_piece(round, l)] += cell->fraction * pow(cell_edge(cell->level), 3);
    }
    for (int p = 0; p < round->system->pieces; p++) most = fmax(most, volume[p]);
    for (int p = 0; p < round->system->pieces; p++) round->dropped += volume[p] < ROUND_PIECE * most;
    bool good = true;
    for (int l = 0; l < round->space->leaf_count && round->dropped > 0; l++)
    {
        if (volume[round_piece(round, l)] >= ROUND_PIECE * most) continue;
        tree->cells[round->space->leaf[l]].kind = CELL_EMPTY;
        good = good && round_remember(round, &tree->cells[round->space->leaf[l]], CELL_STEP_DROP);
    }
    free(volume);
    if (!good) return round_no_memory(round);
    return round->dropped > 0 ? round_number(round) : TW_OK;
}

// ---- matrices ----

// functions of a leaf, in the space or in that of the next degree
static double round_rows(const Round* round, const CellBody* body, int leaf)
{
    const double rows = (double)(round->space->start[leaf + 1] - round->space->start[leaf]);
    return rows * body->trunk->count / round->space->trunk->count;
}

// operations of the assembly: the products of cut cells, and rows K rows^T of all ten blocks
static double round_assembly_operations(const Round* round, const CellBody* body)
{
    const double n = body->trunk->count,
                 products = trunk_product_operations(body->slopes) + trunk_product_operations(body->values);
    double sum = 0;
    for (int l = 0; l < round->space->leaf_count; l++)
    {
        const double rows = round_rows(round, body, l);
        if (round->cells->tree.cells[round->space->leaf[l]].kind == CELL_CUT) sum += products;
        sum += 20 * rows * n * (n + rows);
    }
    return sum;
}

// operations of the estimate: the assembly of the next degree, the residual, and a Cholesky factor of each leaf
static double round_error_operations(const Round* round, int modes)
{
    const CellBody* body = &round->cells->finer_body;
    double sum = round_assembly_operations(round, body);
    for (int l = 0; l < round->space->leaf_count; l++)
    {
        const double n = 3 * round_rows(round, body, l);
        sum += n * n * (n / 3 + 2 * modes);
    }
    return sum;
}

static twStatus round_assemble(Round* round)
{
    twCells* cells = round->cells;
    twStatus status = round_number(round);
    if (status == TW_OK) status = round_drop_pieces(round);
    if (status != TW_OK) return status;
    if (round->system->pieces > ROUND_PIECES)
        return tw_fail(round->err, TW_BAD_INPUT, "%d separate pieces, and at most %d are analysed together",
                       round->system->pieces, ROUND_PIECES);
    round->operations += round_assembly_operations(round, &cells->body);
    status = cell_system_assemble(round->system, round->space, &cells->body, &cells->memory, round->err);
    if (status == TW_OK)
        status = cell_system_rigid(&round->rigid, &round->rigid_count, round->system, round->space, &cells->memory,
                                   round->err);
    return status;
}

// ---- modes ----

// how many modes to expect, from the volumes of the materials
static FemWeyl round_weyl(const Round* round)
{
    const twCells* cells = round->cells;
    FemWeyl weyl = {0};
    double volume;
    cells_count(&cells->tree, &volume);
    volume *= pow(cells->body.cell, 3);
    fem_weyl_add(&weyl, volume, round->system, &cells->materials[0]);
    fem_weyl_end(&weyl, volume, cells->area / (cells->length * cells->length));
    return weyl;
}

// the middle of the modes, away from any of them
static double round_shift(const CellModes* modes)
{
    const int i = modes->count / 2;
    if (modes->count < 4) return 0;
    const double middle = 0.5 * (modes->lambda[i] + modes->lambda[i - 1]);
    return modes->lambda[i] - modes->lambda[i - 1] < 1e-3 * middle ? 1.01 * middle : middle;
}

static twStatus round_take_modes(Round* round)
{
    const int count = fem_solve_result(round->solve).count;
    const size_t n = 3 * (size_t)round->space->functions;
    round->modes.count = count;
    round->modes.lambda = malloc(((size_t)count + 1) * sizeof *round->modes.lambda);
    round->modes.x = malloc(((size_t)count * n + 1) * sizeof *round->modes.x);
    if (!round->modes.lambda || !round->modes.x) return round_no_memory(round);
    for (int k = 0; k < count; k += FEM_VECTORS)
        fem_solve_vectors(round->solve, k, count - k < FEM_VECTORS ? count - k : FEM_VECTORS,
                          round->modes.x + (size_t)k * n);
    for (int k = 0; k < count; k++) round->modes.lambda[k] = fem_solve_lambda(round->solve, k);
    return TW_OK;
}

// The next round costs at least GROWTH times the last: where that is too much, skip cutting and ordering.
static double round_least_operations(const twCells* cells)
{
    return cells->round.operations + ROUND_GROWTH * cells->last_operations;
}

// modes of this round: about those of the last one, which knows how many there are up to the highest frequency
static int round_expected(const Round* round)
{
    const twCells* cells = round->cells;
    return cells->round.round >= 0 ? cells->round.count + ROUND_BEYOND : cells->def.count;
}

static twStatus round_solve(Round* round)
{
    const double beyond = 1.05;  // frequencies only fall
    twCells* cells = round->cells;
    twFemDef want = tw_fem_def();
    want.count = cells->def.count > 0 ? cells->def.count + ROUND_BEYOND : 0;
    want.max_freq_hz = beyond * cells->def.max_freq_hz;
    want.tolerance = ROUND_TOLERANCE;
    want.keep_going = cells->def.keep_going;
    want.context = cells->def.context;
    FemSolveDef def = {.system = round->system,
                       .memory = &cells->memory,
                       .want = &want,
                       .weyl = round_weyl(round),
                       .shift = cells->shift,
                       .rigid = round->rigid,
                       .rigid_count = round->rigid_count};
    const double spent =
        cells->round.operations + round->operations + round_error_operations(round, round_expected(round));
    if (cells->def.max_operations > 0 && cells->round.round >= 0)
        def.max_operations = fmax(1, cells->def.max_operations - spent);
    double foreseen = 0;
    def.foreseen = &foreseen;
    twStatus status = fem_solve_create(&round->solve, &def, round->err);
    cells->round.next_operations = status == TW_LIMIT ? spent + foreseen : 0;
    if (status != TW_OK) return status;
    cells->round.foreseen_operations = fmax(spent + foreseen, round_least_operations(cells));
    const FemSolved solved = fem_solve_result(round->solve);
    round->operations += solved.operations;
    round->seconds.order += solved.seconds.order;
    round->seconds.factor += solved.seconds.factor;
    round->seconds.modes += solved.seconds.modes;
    round->zeros = solved.zeros;
    status = round_take_modes(round);
    fem_solve_destroy(round->solve);  // its factor makes room for the matrices of the next degree
    round->solve = NULL;
    return status;
}

// ---- errors ----

static twStatus round_errors(Round* round)
{
    const size_t leaves = (size_t)round->space->leaf_count, count = (size_t)round->modes.count;
    round->gain = malloc((count + 1) * sizeof *round->gain);
    round->eta = malloc((leaves + 1) * sizeof *round->eta);
    round->marks = malloc((leaves + 1) * sizeof *round->marks);
    round->worst = malloc((count + 1) * sizeof *round->worst);
    if (!round->gain || !round->eta || !round->marks || !round->worst) return round_no_memory(round);
    twStatus status = cell_error_estimate(round->space, &round->cells->finer_body, &round->modes, &round->cells->memory,
                                          round->gain, round->eta, round->worst, round->err);
    round->operations += round_error_operations(round, round->modes.count);
    if (status == TW_OK) round->mark_count = cell_error_mark(round->space, round->eta, round->marks);
    return status;
}

// ---- all of it ----

static twStatus round_check_budget(Round* round)
{
    twCellsRound* last = &round->cells->round;
    const double least = round_least_operations(round->cells), most = round->cells->def.max_operations;
    if (last->round < 0 || most <= 0 || least <= most) return TW_OK;
    last->next_operations = least;
    return tw_fail(round->err, TW_LIMIT, "%.2g operations foreseen, and %.2g are the limit", least, most);
}

static twStatus round_run(Round* round)
{
    twStatus status = round_check_budget(round);
    if (status == TW_OK) status = round_report(round, "assemble", 0);
    double start = tw_seconds();
    if (status == TW_OK) status = round_refine(round);
    if (status == TW_OK) status = round_assemble(round);
    round->seconds.assemble += tw_seconds() - start;
    if (status == TW_OK) status = round_report(round, "assemble", 1);
    if (status == TW_OK) status = round_solve(round);
    start = tw_seconds();
    if (status == TW_OK) status = round_errors(round);
    round->seconds.check += tw_seconds() - start;
    return status;
}

static void round_add_seconds(twFemSeconds* sum, const twFemSeconds* more)
{
    sum->assemble += more->assemble;
    sum->order += more->order;
    sum->factor += more->factor;
    sum->modes += more->modes;
    sum->check += more->check;
}

// the mode with the largest error, and the cell with most of that: a neck or an inner corner, say
static void round_find_slowest(const Round* round, twCellsRound* out)
{
    const twCells* cells = round->cells;
    int worst = 0;
    for (int k = 1; k < out->count; k++)
        if (out->error[k] > out->error[worst]) worst = k;
    const Cell* cell = &cells->tree.cells[cells->space->leaf[round->worst[worst].leaf]];
    const double edge = cell_edge(cell->level);
    const twVec3 grid = {(cell->at[0] + 0.5) * edge, (cell->at[1] + 0.5) * edge, (cell->at[2] + 0.5) * edge};
    out->slowest = worst;
    out->slowest_at =
        tw_vec3_add_scaled(cells->dexel.origin, tw_mat3_mul_vec(cells->dexel.turn, grid), cells->dexel.cell);
}

// the round becomes the last one
static void round_keep(Round* round)
{
    twCells* cells = round->cells;
    const double unit = cells->dexel.cell * cells->dexel.cell * cells->dexel.cell;
    cells_free_round(cells);
    cells->space = round->space;
    cells->modes = round->modes;
    cells->shift = round_shift(&cells->modes);
    cells->gain = round->gain;
    cells->marks = round->marks;
    cells->mark_count = round->mark_count;
    round->space = NULL;
    round->gain = NULL;
    round->marks = NULL;
    round->modes = (CellModes){0};
    twCellsRound* r = &cells->round;
    r->round++;
    r->cells = cells_count(&cells->tree, &r->volume);
    r->volume *= unit;
    r->functions = cells->space->functions;
    r->degree = cells->trunk->degree;
    r->pieces = round->system->pieces;
    r->dropped_pieces += round->dropped;
    r->rigid_modes = round->rigid_count + round->zeros;
    r->open_share = cells->dexel.rays > 0 ? (double)cells->dexel.open_rays / (double)cells->dexel.rays : 0;
    r->operations += round->operations;
    cells->last_operations = round->operations;
    r->peak_memory_bytes = cells->memory.peak;
}

twStatus tw_cells_next(twCells* cells, twError* err)
{
    Round round = {.cells = cells, .err = err, .first_cell = cells->tree.count, .first_step = cells->history_count};
    const double start = tw_seconds();
    const int threads = fem_blas_threads(1);
    twStatus status = round_run(&round);
    fem_blas_threads(threads);
    if (status == TW_OK)
        round_keep(&round);
    else
        round_undo(&round);
    if (status == TW_OK) status = cells_estimate(cells, round.system, err);
    if (status == TW_OK && cells->round.count > 0) round_find_slowest(&round, &cells->round);
    round_add_seconds(&cells->round.seconds, &round.seconds);
    cells->round.seconds.total += tw_seconds() - start;
    fem_solve_destroy(round.solve);
    fem_free(&cells->memory, round.rigid);
    fem_system_destroy(round.system, &cells->memory);
    cell_space_destroy(round.space);
    void* const blocks[] = {round.modes.lambda, round.modes.x, round.gain, round.eta, round.marks, round.worst};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    return status;
}
