// SPDX-License-Identifier: MIT
// Block Lanczos for A = (K - s M)^-1 M, symmetric in the mass inner product, with full reorthogonalisation and thick
// restarts (Grimes, Lewis and Simon 1994; Wu and Simon 2000). An eigenvalue t of A is one of the problem at
// lambda = s + 1/t: the largest t are the lowest modes. After k vectors V
//     A V = V T + U R E^T,   T = V^T M A V,   U the next block, E^T the last rows,
// and a Ritz vector V y of T y = t y has the residual |R E^T y|. T is taken whole from the projections, so that it
// needs no special shape and a restart is only a change of basis: the best Ritz vectors are kept, T becomes diagonal,
// and U stays the next block. A block as wide as the largest cluster of equal eigenvalues finds all of it at once.
#include "fem/lanczos.h"
#include "fem/block.h"
#include "fem/lapack.h"
#include <limits.h>
#include <math.h>
#include <string.h>

struct FemLanczos
{
    const FemSystem* system;
    FemFactor* factor;
    FemMemory* memory;
    double shift;
    int n;           // rows
    int block;       // columns of a block
    int rigid;       // columns of v in front, known and orthogonal to all others
    int k;           // columns after them; the next block follows
    int room;        // for columns in v, and for rows and columns of t
    int limit;       // of k: beyond, restart
    bool restarted;  // the next block has a part in all kept vectors
    double* v;       // (n x room)
    double* t;       // (room x room), upper triangle
    double* r;       // (block x block) couples the next block
    FemBlocks blocks;
    double *c, *r1, *r2;  // scratch: (room x block), (block x block) twice

    int ritz;          // Ritz pairs known
    double* theta;     // (ritz) ascending
    double* y;         // (ritz x ritz)
    double* residual;  // (ritz)
    double* work;
    int ritz_room;
    int found, zeros, solves;
    double zero;
};

enum
{
    BLOCK = 8,
    MOST_VECTORS = 30000
};  // LAPACK counts its work by int

// most vectors before a restart: three for each one wanted
static int64_t most_vectors(int64_t wanted, int block) { return 3 * wanted + 20 * block; }

static double* vector(const FemLanczos* lanczos, int column)
{
    return lanczos->v + (size_t)column * (size_t)lanczos->n;
}

size_t fem_lanczos_bytes(const FemSystem* system, int rigid_count, int wanted)
{
    // twice the vectors wanted, so that restarts still get on, and blocks of scratch
    double block = BLOCK, n = 3.0 * system->nodes;
    double columns = rigid_count + 2.0 * wanted + 7 * block;
    double bytes = 8 * columns * (n + 8 * columns);
    return bytes < 1e18 ? (size_t)bytes : SIZE_MAX / 4;
}

// ---- memory ----

static bool grow_square(double** matrix, int old, int room, FemMemory* memory)
{
    double* larger = fem_alloc(memory, (size_t)room * (size_t)room, sizeof *larger);
    if (!larger) return false;
    for (int c = 0; c < old; c++)
        memcpy(larger + (size_t)c * (size_t)room, *matrix + (size_t)c * (size_t)old, (size_t)old * sizeof *larger);
    fem_free(memory, *matrix);
    *matrix = larger;
    return true;
}

// room for columns more of v; false if memory does not suffice
static bool make_room(FemLanczos* lanczos, int columns)
{
    if (columns <= lanczos->room) return true;
    int room = columns + 4 * lanczos->block, block = lanczos->block;
    double* v = fem_resize(lanczos->memory, lanczos->v, (size_t)room * (size_t)lanczos->n, sizeof *v);
    if (!v) return false;
    lanczos->v = v;
    double* c = fem_resize(lanczos->memory, lanczos->c, (size_t)room * (size_t)block, sizeof *c);
    if (!c) return false;
    lanczos->c = c;
    if (!grow_square(&lanczos->t, lanczos->room, room, lanczos->memory)) return false;
    lanczos->room = room;
    return true;
}

static bool make_ritz_room(FemLanczos* lanczos)
{
    if (lanczos->k <= lanczos->ritz_room) return true;
    FemMemory* memory = lanczos->memory;
    size_t room = (size_t)lanczos->k + 4 * (size_t)lanczos->block;
    fem_free(memory, lanczos->theta);
    fem_free(memory, lanczos->residual);
    fem_free(memory, lanczos->y);
    fem_free(memory, lanczos->work);
    lanczos->theta = fem_alloc(memory, room, sizeof(double));
    lanczos->residual = fem_alloc(memory, room, sizeof(double));
    lanczos->y = fem_alloc(memory, room * room, sizeof(double));
    lanczos->work = fem_alloc(memory, fem_eigen_work((int)room), sizeof(double));
    bool ok = lanczos->theta && lanczos->residual && lanczos->y && lanczos->work;
    lanczos->ritz_room = ok ? (int)room : 0;
    return ok;
}

static twStatus out_of_memory(const FemLanczos* lanczos, twError* err)
{
    double bytes = 8.0 * lanczos->n * (lanczos->rigid + lanczos->k + 4.0 * lanczos->block);
    return fem_no_memory(lanczos->memory, bytes, "the vectors of the modes", err);
}

// ---- iteration ----

// Make the block u at the end of the basis, A times the last block, orthogonal to all before and orthonormal. What is
// taken out goes to the last columns of T and to R. In exact arithmetic only the last two blocks have a part in it
// (after a restart all): they are taken out first, so that one more pass over the whole basis is enough.
static void take_in(FemLanczos* lanczos, double* u, int before)
{
    int b = lanczos->block, room = lanczos->room, rigid = lanczos->rigid, rows = before - rigid;
    int near = lanczos->restarted || rows < 2 * b ? 0 : before - 2 * b;
    double *t = lanczos->t + (size_t)(lanczos->k - b) * (size_t)room, *c = lanczos->c;
    fem_project(&lanczos->blocks, vector(lanczos, near), before - near, u, b, c + near, room);
    fem_normalise(&lanczos->blocks, u, b, lanczos->r1);
    for (int j = 0; j < b; j++)
        for (int i = rigid; i < before; i++)
            t[(size_t)j * (size_t)room + (size_t)(i - rigid)] = i < near ? 0 : c[(size_t)j * (size_t)room + (size_t)i];

    // the second pass saw u R1^-1
    fem_project(&lanczos->blocks, lanczos->v, before, u, b, c, room);
    fem_normalise(&lanczos->blocks, u, b, lanczos->r2);
    fem_gemm('N', 'N', rows, b, b, 1, c + rigid, room, lanczos->r1, b, 1, t, room);
    fem_gemm('N', 'N', b, b, b, 1, lanczos->r2, b, lanczos->r1, b, 0, lanczos->r, b);
    lanczos->restarted = false;
}

// the next block from random vectors, filtered once by A
static twStatus start_block(FemLanczos* lanczos, twError* err)
{
    int b = lanczos->block, before = lanczos->rigid + lanczos->k;
    double* u = vector(lanczos, before);
    fem_random(&lanczos->blocks, u, b);
    fem_multiply_mass(lanczos->system, u, lanczos->blocks.w, b, lanczos->blocks.scratch);
    memcpy(u, lanczos->blocks.w, (size_t)lanczos->n * (size_t)b * sizeof *u);
    twStatus status = fem_factor_solve(lanczos->factor, u, b, err);
    lanczos->solves += b;
    for (int pass = 0; status == TW_OK && pass < 3; pass++)
    {
        fem_project(&lanczos->blocks, lanczos->v, before, u, b, lanczos->c, lanczos->room);
        fem_normalise(&lanczos->blocks, u, b, lanczos->r1);
    }
    return status;
}

// take the next block into the basis and make the one after
static twStatus step(FemLanczos* lanczos, twError* err)
{
    int b = lanczos->block, before = lanczos->rigid + lanczos->k + b;
    if (!make_room(lanczos, before + b)) return out_of_memory(lanczos, err);
    double *last = vector(lanczos, before - b), *u = vector(lanczos, before);
    fem_multiply_mass(lanczos->system, last, u, b, lanczos->blocks.scratch);
    twStatus status = fem_factor_solve(lanczos->factor, u, b, err);
    if (status != TW_OK) return status;
    lanczos->solves += b;
    lanczos->k += b;
    take_in(lanczos, u, before);
    return TW_OK;
}

// ---- Ritz pairs ----

// |R y_last| / theta
static double ritz_residual(const FemLanczos* lanczos, int i)
{
    int b = lanczos->block, k = lanczos->k;
    const double* last = lanczos->y + (size_t)i * (size_t)k + (size_t)(k - b);
    double sum = 0;
    for (int row = 0; row < b; row++)
    {
        double x = 0;
        for (int col = row; col < b; col++) x += lanczos->r[(size_t)col * (size_t)b + (size_t)row] * last[col];
        sum += x * x;
    }
    return sqrt(sum) / lanczos->theta[i];
}

static twStatus find_ritz(FemLanczos* lanczos, twError* err)
{
    int k = lanczos->k;
    if (!make_ritz_room(lanczos)) return out_of_memory(lanczos, err);
    for (size_t c = 0; c < (size_t)k; c++)
        memcpy(lanczos->y + c * (size_t)k, lanczos->t + c * (size_t)lanczos->room, (c + 1) * sizeof(double));
    if (!fem_eigen(k, lanczos->y, lanczos->theta, lanczos->work))
        return tw_fail(err, TW_NO_CONVERGE, "the projected eigenproblem of %d vectors did not converge", k);
    lanczos->ritz = k;
    for (int i = 0; i < k; i++) lanczos->residual[i] = ritz_residual(lanczos, i);
    return TW_OK;
}

// Ritz pair i from the lowest mode on is the last but i
double fem_lanczos_lambda(const FemLanczos* lanczos, int i)
{
    return lanczos->shift + 1 / lanczos->theta[lanczos->ritz - 1 - i];
}

double fem_lanczos_residual(const FemLanczos* lanczos, int i) { return lanczos->residual[lanczos->ritz - 1 - i]; }

int fem_lanczos_found(const FemLanczos* lanczos) { return lanczos->found; }
int fem_lanczos_solves(const FemLanczos* lanczos) { return lanczos->solves; }

// count what has converged, from the lowest on without a gap. @return whether that fulfils the wish
static bool is_fulfilled(FemLanczos* lanczos, const FemWish* wish)
{
    int zeros = 0, within = 0, beyond = 0, found = 0;
    while (found < lanczos->ritz && beyond <= wish->extra && fem_lanczos_residual(lanczos, found) <= wish->tolerance)
    {
        double lambda = fem_lanczos_lambda(lanczos, found++);
        if (lambda < wish->zero)
            zeros++;
        else if (lambda <= wish->max_lambda && within < wish->count)
            within++;
        else
            beyond++;
        if (within == wish->count && wish->extra == 0) break;
    }
    lanczos->found = found;
    lanczos->zeros = zeros;
    if (within == wish->count) return beyond >= wish->extra;
    return beyond > wish->extra;
}

// Ritz values in the range wanted, converged or not
static int within_range(const FemLanczos* lanczos, const FemWish* wish)
{
    int count = 0;
    while (count < lanczos->ritz && fem_lanczos_lambda(lanczos, count) <= wish->max_lambda) count++;
    return count < wish->count + lanczos->zeros ? count : wish->count + lanczos->zeros;
}

// ---- restart ----

// v[first ...] = v y for the best Ritz vectors, by panels of rows; returns false without memory
static bool change_basis(FemLanczos* lanczos, int keep)
{
    enum
    {
        ROWS = 512
    };
    int k = lanczos->k, n = lanczos->n;
    double* panel = fem_alloc(lanczos->memory, ROWS * (size_t)keep, sizeof *panel);
    if (!panel) return false;
    const double* y = lanczos->y + (size_t)(lanczos->ritz - keep) * (size_t)k;
    double* v = vector(lanczos, lanczos->rigid);
    for (int row = 0; row < n; row += ROWS)
    {
        int rows = n - row < ROWS ? n - row : ROWS;
        fem_gemm('N', 'N', rows, keep, k, 1, v + row, n, y, k, 0, panel, ROWS);
        for (int c = 0; c < keep; c++)
            memcpy(v + (size_t)c * (size_t)n + row, panel + (size_t)c * ROWS, (size_t)rows * sizeof *v);
    }
    fem_free(lanczos->memory, panel);
    return true;
}

static twStatus restart(FemLanczos* lanczos, int keep, twError* err)
{
    size_t room = (size_t)lanczos->room, bytes = (size_t)lanczos->n * (size_t)lanczos->block * sizeof(double);
    if (!change_basis(lanczos, keep)) return out_of_memory(lanczos, err);
    memmove(vector(lanczos, lanczos->rigid + keep), vector(lanczos, lanczos->rigid + lanczos->k), bytes);
    memset(lanczos->t, 0, room * room * sizeof *lanczos->t);
    for (size_t i = 0; i < (size_t)keep; i++)
        lanczos->t[i * room + i] = lanczos->theta[(size_t)(lanczos->ritz - keep) + i];
    lanczos->k = keep;
    lanczos->restarted = true;
    return TW_OK;
}

// as many vectors before a restart as are useful and as memory has room for
static twStatus set_limit(FemLanczos* lanczos, int wanted, twError* err)
{
    int b = lanczos->block;
    int64_t useful = most_vectors(wanted, b), most = ((int64_t)lanczos->n - lanczos->rigid) / 2;
    if (most > MOST_VECTORS) most = MOST_VECTORS;
    if (useful > most) useful = most;
    double left = (double)fem_memory_left(lanczos->memory) / 8;
    double have = lanczos->room, n = lanczos->n;
    double fit = have + 0.9 * left / (n + 12 * (double)useful) - 6 * b - lanczos->rigid;
    if (fit < (double)useful) useful = (int64_t)fit;
    if (useful < wanted + 2 * b && useful < most) return out_of_memory(lanczos, err);
    lanczos->limit = (int)useful;
    return TW_OK;
}

twStatus fem_lanczos_refresh(FemLanczos* lanczos, twError* err)
{
    int keep = lanczos->found;
    twStatus status = restart(lanczos, keep, err);
    return status == TW_OK ? start_block(lanczos, err) : status;
}

// ---- all of it ----

static twStatus too_many(const FemLanczos* lanczos, const FemWish* wish, twError* err)
{
    double freq = fem_system_freq_hz(lanczos->system, wish->max_lambda);
    return tw_fail(
        err, TW_BAD_INPUT,
        "more than %d modes lie below %g Hz, too many for the %d unknowns of the mesh: refine it or lower the "
        "frequency",
        lanczos->n / 4, freq, lanczos->n);
}

// what to do after another block: nothing, grow or restart
static twStatus go_on(FemLanczos* lanczos, const FemWish* wish, twError* err)
{
    int b = lanczos->block, wanted = within_range(lanczos, wish) + wish->extra;
    if (wanted > lanczos->n / 4) return too_many(lanczos, wish, err);
    twStatus status = set_limit(lanczos, wanted, err);
    if (status != TW_OK || lanczos->k + b <= lanczos->limit) return status;
    int keep = wanted + 2 * b < lanczos->k - 2 * b ? wanted + 2 * b : lanczos->k - 2 * b;
    return restart(lanczos, keep, err);
}

twStatus fem_lanczos_run(FemLanczos* lanczos, const FemWish* wish, twFemProgress keep_going, void* context,
                         twError* err)
{
    const int most_solves = 60 * most_vectors(64, lanczos->block);
    int start = lanczos->solves, next = 0;
    while (lanczos->solves - start < most_solves + 20 * (int64_t)lanczos->limit)
    {
        twStatus status = step(lanczos, err);
        int b = lanczos->block, k = lanczos->k;
        bool full = k + b > lanczos->limit;
        int least = wish->max_lambda < HUGE_VAL ? b : wish->count + wish->extra;
        if (status == TW_OK && (full || (k >= least && k >= next)))
        {
            // the cost of looking grows like k^3: look seldom when there is much to look at
            status = find_ritz(lanczos, err);
            next = k + b * (1 + k / (24 * b));
            if (status == TW_OK && is_fulfilled(lanczos, wish)) return TW_OK;
            if (status == TW_OK) status = go_on(lanczos, wish, err);
            if (lanczos->k < k) next = lanczos->k + 2 * b;
        }
        double wanted = lanczos->ritz > 0 ? within_range(lanczos, wish) + wish->extra : least + b;
        double done = lanczos->found > 0 ? 0.5 + 0.5 * lanczos->found / (wanted + 1) : 0.5 * k / (k + wanted);
        if (status == TW_OK && keep_going && !keep_going("modes", done < 1 ? done : 1, context))
            return tw_fail(err, TW_INTERRUPTED, "interrupted while finding the modes");
        if (status != TW_OK) return status;
    }
    return tw_fail(err, TW_NO_CONVERGE, "%d modes converged after %d solves, but not all wanted", lanczos->found,
                   lanczos->solves);
}

twStatus fem_lanczos_create(FemLanczos** out, const FemSystem* system, FemFactor* factor, double shift,
                            const double* rigid, int rigid_count, int wanted, FemMemory* memory, twError* err)
{
    *out = NULL;
    FemLanczos* lanczos = fem_alloc(memory, 1, sizeof *lanczos);
    if (!lanczos) return fem_no_memory(memory, sizeof *lanczos, "the modes", err);
    int b = BLOCK;
    *lanczos = (FemLanczos){.system = system,
                            .factor = factor,
                            .memory = memory,
                            .shift = shift,
                            .n = 3 * system->nodes,
                            .block = b,
                            .rigid = rigid_count};
    lanczos->limit = 20 * b;
    size_t square = (size_t)b * (size_t)b;
    lanczos->r = fem_alloc(memory, square, sizeof(double));
    lanczos->r1 = fem_alloc(memory, square, sizeof(double));
    lanczos->r2 = fem_alloc(memory, square, sizeof(double));
    bool ok = lanczos->r && lanczos->r1 && lanczos->r2 && fem_blocks_create(&lanczos->blocks, system, b, memory) &&
              make_room(lanczos, rigid_count + 2 * b);
    twStatus status = ok ? set_limit(lanczos, wanted, err) : out_of_memory(lanczos, err);
    if (status == TW_OK)
    {
        if (rigid_count > 0) memcpy(lanczos->v, rigid, (size_t)rigid_count * (size_t)lanczos->n * sizeof(double));
        status = start_block(lanczos, err);
    }
    if (status == TW_OK)
        *out = lanczos;
    else
        fem_lanczos_destroy(lanczos);
    return status;
}

void fem_lanczos_destroy(FemLanczos* lanczos)
{
    if (!lanczos) return;
    FemMemory* memory = lanczos->memory;
    void* const blocks[] = {lanczos->v,  lanczos->t, lanczos->r,     lanczos->c,        lanczos->r1,
                            lanczos->r2, lanczos->y, lanczos->theta, lanczos->residual, lanczos->work};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fem_free(memory, blocks[i]);
    fem_blocks_destroy(&lanczos->blocks, memory);
    fem_free(memory, lanczos);
}

void fem_lanczos_vectors(FemLanczos* lanczos, int first, int count, double* x)
{
    // the coefficients lie from the highest mode down: turn them round
    int n = lanczos->n, k = lanczos->k;
    for (int i = 0; i < count; i++)
        memcpy(lanczos->work + (size_t)i * (size_t)k, lanczos->y + (size_t)(lanczos->ritz - 1 - first - i) * (size_t)k,
               (size_t)k * sizeof *x);
    fem_gemm('N', 'N', n, count, k, 1, vector(lanczos, lanczos->rigid), n, lanczos->work, k, 0, x, n);
}
