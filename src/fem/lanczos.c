// SPDX-License-Identifier: MIT
// Block Lanczos for A = (K - s M)^-1 M, symmetric in the mass inner product, with thick restarts (Grimes, Lewis and
// Simon 1994; Wu and Simon 2000). An eigenvalue t of A is one of the problem at lambda = s + 1/t: the eigenvalues of
// largest |t| lie next to the shift, those below it have t < 0. After k vectors V
//     A V = V T + U R E^T,   T = V^T M A V,   U the next block, E^T the last rows,
// and a Ritz vector V y of T y = t y has the residual |R E^T y|. T is taken whole from the projections, so that it
// needs no special shape and a restart is only a change of basis: the best Ritz vectors are kept, T becomes diagonal,
// and U stays the next block. A block as wide as the largest cluster of equal eigenvalues finds all of it at once.
//
// The factor tells how many eigenvalues lie below the shift (Sylvester). The j-th most negative Ritz value is never below
// the j-th most negative t; so once there are as many of them as there should be, each stands for one of these
// eigenvalues, and none can be missed. Ritz values t with -1/s < t < 0 stand for none: K has no negative eigenvalue.
//
// In exact arithmetic A U has a part in the last two blocks only. Round-off brings back the others slowly, so what is left
// of them is measured each time, but taken out only when it passes the root of round-off, then twice in a row: that keeps
// T exact to round-off (Simon, The Lanczos algorithm with partial reorthogonalization, 1984).
#include "fem/lanczos.h"
#include "fem/block.h"
#include "fem/lapack.h"
#include "fem/result.h"
#include <limits.h>
#include <math.h>
#include <string.h>

struct FemLanczos
{
    const FemSystem* system;
    FemFactor* factor;
    FemMemory* memory;
    double shift;
    int below;        // eigenvalues below the shift, but for the rigid ones
    int n;            // rows
    int block;        // columns of a block
    int rigid;        // columns of v in front, known and orthogonal to all others
    int k;            // columns after them; the next block follows
    int room;         // for columns in v, and for rows and columns of t
    int limit;        // of k: beyond, restart
    int wanted;       // eigenvalues expected
    bool restarted;   // the next block has a part in all kept vectors
    bool loose;       // the last block was not quite orthogonal: the next one is not either
    double* v;        // (n x room)
    double* t;        // (room x room), upper triangle
    double* r;        // (block x block) couples the next block
    double* mass[2];  // (n x block) each: M times the last block and times the next one
    FemBlocks blocks;
    double *c, *r1, *r2;  // scratch: (room x block), (block x block) twice

    int ritz;           // Ritz pairs known
    int low, negative;  // of them, those below the shift, which come first; those below zero
    double* theta;      // (ritz) ascending
    double* y;          // (ritz x ritz)
    double* residual;   // (ritz)
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

// fewest vectors that still get on between restarts
static int64_t least_vectors(int64_t wanted, int block) { return wanted + wanted / 4 + 4 * block; }

// doubles held when there are k vectors: they and two blocks more, T while it grows, the Ritz pairs, and a panel for a
// restart
static double doubles_for(double n, double rigid, double k, double block)
{
    double columns = rigid + k + 2 * block;
    return columns * (n + 5 * columns + block + 512);
}

// doubles that come later: the shapes, and some of them on their way
static double doubles_reserved(const FemSystem* system, int wanted)
{
    return (double)fem_result_bytes(system, wanted) / sizeof(double) + 3.0 * FEM_VECTORS * system->nodes;
}

size_t fem_lanczos_bytes(const FemSystem* system, int rigid_count, int wanted)
{
    // and M times two blocks, a third one at work, scratch as large as a fourth
    double block = BLOCK, n = 3.0 * system->nodes;
    double doubles = doubles_for(n, rigid_count, (double)least_vectors(wanted, BLOCK), block) + 4 * block * n;
    double bytes = sizeof(double) * (doubles + doubles_reserved(system, wanted));
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
    int block = lanczos->block, room = columns + 4 * block, most = lanczos->rigid + lanczos->limit + 2 * block;
    if (room > most) room = most > columns ? most : columns;
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
    size_t room = (size_t)(lanczos->room - lanczos->rigid);
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

static twStatus out_of_memory(const FemLanczos* lanczos, int wanted, twError* err)
{
    double bytes = (double)fem_lanczos_bytes(lanczos->system, lanczos->rigid, wanted);
    bytes -= sizeof(double) * (double)lanczos->n * (lanczos->room + 4.0 * lanczos->block);
    return fem_no_memory(lanczos->memory, fmax(bytes, 0), "the vectors of the modes", err);
}

// ---- iteration ----

// M times the last block is not needed any more, that of the next one is in w
static void pass_mass_on(FemLanczos* lanczos)
{
    double* free = lanczos->mass[0];
    lanczos->mass[0] = lanczos->mass[1];
    lanczos->mass[1] = lanczos->blocks.w;
    lanczos->blocks.w = free;
}

static double largest(const double* c, int rows, int columns, int ldc)
{
    double most = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) most = fmax(most, fabs(c[(size_t)j * (size_t)ldc + (size_t)i]));
    return most;
}

// Take out of u its part in the last two blocks, with w = M u kept up; or in the whole basis, where that may be large.
static void take_out_near(FemLanczos* lanczos, double* u, int before)
{
    FemBlocks* blocks = &lanczos->blocks;
    int b = lanczos->block, n = lanczos->n, room = lanczos->room;
    fem_weigh(blocks, u, b);
    if (lanczos->restarted || before - lanczos->rigid < 2 * b)
    {
        fem_overlap(blocks, lanczos->v, before, b, lanczos->c, room);
        fem_remove(blocks, lanczos->v, before, u, b, lanczos->c, room);
        fem_weigh(blocks, u, b);
        return;
    }
    for (int j = 0; j < b; j++) memset(lanczos->c + (size_t)j * (size_t)room, 0, (size_t)before * sizeof(double));
    for (int i = 0; i < 2; i++)
    {
        int near = before - (2 - i) * b;
        double* c = lanczos->c + near;
        fem_overlap(blocks, vector(lanczos, near), b, b, c, room);
        fem_remove(blocks, vector(lanczos, near), b, u, b, c, room);
        fem_gemm('N', 'N', n, b, b, -1, lanczos->mass[i], n, c, room, 1, blocks->w, n);
    }
}

// Make the block u at the end of the basis, A times the last block, orthogonal to all before and orthonormal. What is
// taken out goes to the last columns of T and to R.
static void take_in(FemLanczos* lanczos, double* u, int before)
{
    const double semi = 1e-10;  // orthogonal enough: well below the root of round-off
    FemBlocks* blocks = &lanczos->blocks;
    int b = lanczos->block, room = lanczos->room, rigid = lanczos->rigid, rows = before - rigid;
    double *t = lanczos->t + (size_t)(lanczos->k - b) * (size_t)room, *c = lanczos->c;
    take_out_near(lanczos, u, before);
    fem_scale(blocks, u, b, lanczos->r1);
    for (size_t j = 0; j < (size_t)b; j++)
        memcpy(t + j * (size_t)room, c + j * (size_t)room + rigid, (size_t)rows * sizeof *t);

    // what is left in the whole basis; this pass sees u R1^-1
    fem_overlap(blocks, lanczos->v, before, b, c, room);
    bool loose = largest(c, before, b, room) > semi;
    if (loose || lanczos->loose || lanczos->restarted)
    {
        fem_remove(blocks, lanczos->v, before, u, b, c, room);
        fem_gemm('N', 'N', rows, b, b, 1, c + rigid, room, lanczos->r1, b, 1, t, room);
        fem_weigh(blocks, u, b);
    }
    fem_scale(blocks, u, b, lanczos->r2);
    fem_gemm('N', 'N', b, b, b, 1, lanczos->r2, b, lanczos->r1, b, 0, lanczos->r, b);
    pass_mass_on(lanczos);
    lanczos->loose = loose;
    lanczos->restarted = false;
}

// the next block from random vectors, filtered once by A
static twStatus start_block(FemLanczos* lanczos, twError* err)
{
    int b = lanczos->block, before = lanczos->rigid + lanczos->k;
    double* u = vector(lanczos, before);
    fem_random(&lanczos->blocks, u, b);
    fem_weigh(&lanczos->blocks, u, b);
    memcpy(u, lanczos->blocks.w, (size_t)lanczos->n * (size_t)b * sizeof *u);
    twStatus status = fem_factor_solve(lanczos->factor, u, b, err);
    lanczos->solves += b;
    for (int pass = 0; status == TW_OK && pass < 2; pass++)
    {
        fem_project(&lanczos->blocks, lanczos->v, before, u, b, lanczos->c, lanczos->room);
        fem_normalise(&lanczos->blocks, u, b, lanczos->r1);
    }
    pass_mass_on(lanczos);
    return status;
}

// take the next block into the basis and make the one after
static twStatus step(FemLanczos* lanczos, twError* err)
{
    int b = lanczos->block, before = lanczos->rigid + lanczos->k + b;
    if (!make_room(lanczos, before + b)) return out_of_memory(lanczos, lanczos->wanted, err);
    double* u = vector(lanczos, before);
    memcpy(u, lanczos->mass[1], (size_t)lanczos->n * (size_t)b * sizeof *u);
    twStatus status = fem_factor_solve(lanczos->factor, u, b, err);
    if (status != TW_OK) return status;
    lanczos->solves += b;
    lanczos->k += b;
    take_in(lanczos, u, before);
    return TW_OK;
}

// The filtered start is nearly all of the mode that is next to the shift, so T knows it from its first block on.
bool fem_lanczos_on_eigenvalue(const FemLanczos* lanczos)
{
    const double apart = 1e-6;  // of the shift: a nearer eigenvalue drowns all others in round-off
    double most = 0;
    for (size_t i = 0; i < (size_t)lanczos->k; i++)
    {
        double t = fabs(lanczos->t[i * (size_t)lanczos->room + i]);
        if (!isfinite(t)) return true;
        most = fmax(most, t);
    }
    return apart * most * fabs(lanczos->shift) > 1;
}

// ---- Ritz pairs ----

// |R y_last| / |theta|
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
    return sqrt(sum) / fabs(lanczos->theta[i]);
}

static twStatus find_ritz(FemLanczos* lanczos, twError* err)
{
    int k = lanczos->k;
    if (!make_ritz_room(lanczos)) return out_of_memory(lanczos, lanczos->wanted, err);
    for (size_t c = 0; c < (size_t)k; c++)
        memcpy(lanczos->y + c * (size_t)k, lanczos->t + c * (size_t)lanczos->room, (c + 1) * sizeof(double));
    if (!fem_eigen(k, lanczos->y, lanczos->theta, lanczos->work))
        return tw_fail(err, TW_NO_CONVERGE, "the projected eigenproblem of %d vectors did not converge", k);
    lanczos->ritz = k;
    lanczos->low = lanczos->negative = 0;
    for (int i = 0; i < k; i++)
    {
        lanczos->residual[i] = ritz_residual(lanczos, i);
        if (lanczos->theta[i] < 0) lanczos->negative++;
        if (lanczos->theta[i] < 0 && lanczos->shift + 1 / lanczos->theta[i] > -lanczos->zero) lanczos->low++;
    }
    return TW_OK;
}

// where Ritz pair i from the lowest eigenvalue on lies: those below the shift from zero on, then the others
static int place(const FemLanczos* lanczos, int i)
{
    return i < lanczos->low ? lanczos->low - 1 - i : lanczos->ritz - 1 - (i - lanczos->low);
}

static int place_count(const FemLanczos* lanczos) { return lanczos->ritz - lanczos->negative + lanczos->low; }

double fem_lanczos_lambda(const FemLanczos* lanczos, int i)
{
    return lanczos->shift + 1 / lanczos->theta[place(lanczos, i)];
}

double fem_lanczos_residual(const FemLanczos* lanczos, int i) { return lanczos->residual[place(lanczos, i)]; }

int fem_lanczos_below(const FemLanczos* lanczos) { return lanczos->below; }
int fem_lanczos_found(const FemLanczos* lanczos) { return lanczos->found; }
int fem_lanczos_solves(const FemLanczos* lanczos) { return lanczos->solves; }

// The residual e bounds the relative error of lambda - s, which is about e^2: far below the shift that is many times
// more of lambda, so there e has to be smaller, as far as round-off allows.
static bool is_converged(const FemLanczos* lanczos, const FemWish* wish, int i)
{
    const double loss = 30;  // the error of lambda may pass e^2 by its square
    const double floor = 1e-11;
    double lambda = fem_lanczos_lambda(lanczos, i), far = fabs(lambda - lanczos->shift);
    double part = loss * sqrt(fmax(lambda, wish->zero) / far);
    double most = wish->tolerance * fmin(1, part);
    return fem_lanczos_residual(lanczos, i) <= fmax(most, fmin(wish->tolerance, floor));
}

// count what has converged, from the lowest on without a gap. @return whether that fulfils the wish
static bool is_fulfilled(FemLanczos* lanczos, const FemWish* wish)
{
    int zeros = 0, within = 0, beyond = 0, found = 0, places = place_count(lanczos);
    while (found < places && beyond <= wish->extra && is_converged(lanczos, wish, found))
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
    if (lanczos->low < lanczos->below) return false;
    if (within == wish->count) return beyond >= wish->extra;
    return beyond > wish->extra;
}

// Ritz values in the range wanted, converged or not, and at least those below the shift
static int within_range(const FemLanczos* lanczos, const FemWish* wish)
{
    int count = 0, places = place_count(lanczos), most = wish->count + lanczos->zeros;
    while (count < places && count < most && fem_lanczos_lambda(lanczos, count) <= wish->max_lambda) count++;
    return count > lanczos->below ? count : lanczos->below;
}

// ---- restart ----

// some neighbours among the Ritz pairs
typedef struct Part
{
    int first, count;
} Part;

// the two parts of the Ritz vectors become the basis, by panels of rows; returns false without memory
static bool change_basis(FemLanczos* lanczos, const Part parts[2])
{
    enum
    {
        ROWS = 512
    };
    int k = lanczos->k, n = lanczos->n, keep = parts[0].count + parts[1].count;
    double* panel = fem_alloc(lanczos->memory, ROWS * (size_t)keep, sizeof *panel);
    if (!panel) return false;
    double* v = vector(lanczos, lanczos->rigid);
    for (int row = 0; row < n; row += ROWS)
    {
        int rows = n - row < ROWS ? n - row : ROWS;
        double* to = panel;
        for (int p = 0; p < 2; to += ROWS * (size_t)parts[p++].count)
        {
            const double* y = lanczos->y + (size_t)parts[p].first * (size_t)k;
            if (parts[p].count > 0) fem_gemm('N', 'N', rows, parts[p].count, k, 1, v + row, n, y, k, 0, to, ROWS);
        }
        for (int c = 0; c < keep; c++)
            memcpy(v + (size_t)c * (size_t)n + row, panel + (size_t)c * ROWS, (size_t)rows * sizeof *v);
    }
    fem_free(lanczos->memory, panel);
    return true;
}

static twStatus restart(FemLanczos* lanczos, const Part parts[2], twError* err)
{
    size_t room = (size_t)lanczos->room, bytes = (size_t)lanczos->n * (size_t)lanczos->block * sizeof(double);
    int keep = parts[0].count + parts[1].count;
    if (!change_basis(lanczos, parts)) return out_of_memory(lanczos, lanczos->wanted, err);
    memmove(vector(lanczos, lanczos->rigid + keep), vector(lanczos, lanczos->rigid + lanczos->k), bytes);
    memset(lanczos->t, 0, room * room * sizeof *lanczos->t);
    for (int p = 0, at = 0; p < 2; p++)
        for (int i = 0; i < parts[p].count; i++, at++)
            lanczos->t[(size_t)at * room + (size_t)at] = lanczos->theta[parts[p].first + i];
    lanczos->k = keep;
    lanczos->restarted = true;
    return TW_OK;
}

// what to keep when count eigenvalues are wanted: these and two blocks more, on both sides of the shift
static void choose_kept(const FemLanczos* lanczos, int wanted, Part parts[2])
{
    int b = lanczos->block, most = lanczos->k - 2 * b;
    int under = lanczos->below > 0 ? lanczos->below + b : 0;
    if (under > lanczos->negative) under = lanczos->negative;
    if (under > most) under = most;
    int over = (wanted > lanczos->below ? wanted - lanczos->below : 0) + 2 * b;
    if (over > lanczos->ritz - lanczos->negative) over = lanczos->ritz - lanczos->negative;
    if (over > most - under) over = most - under;
    parts[0] = (Part){0, under};
    parts[1] = (Part){lanczos->ritz - over, over};
}

// as many vectors before a restart as are useful and as memory has room for
static twStatus set_limit(FemLanczos* lanczos, int wanted, twError* err)
{
    int b = lanczos->block;
    double room = lanczos->room, ritz = lanczos->ritz_room;
    int64_t useful = most_vectors(wanted, b), most = ((int64_t)lanczos->n - lanczos->rigid) / 2;
    int64_t least = least_vectors(wanted, b);
    if (most > MOST_VECTORS) most = MOST_VECTORS;
    if (useful > most) useful = most;
    if (least > most) least = most;
    double have = room * (lanczos->n + room) + 3 * ritz * ritz - doubles_reserved(lanczos->system, wanted);
    have += (double)(fem_memory_left(lanczos->memory) / sizeof(double));
    while (useful >= least && doubles_for(lanczos->n, lanczos->rigid, (double)useful, b) > have) useful -= b;
    if (useful < least) return out_of_memory(lanczos, wanted, err);
    lanczos->limit = (int)useful;
    return TW_OK;
}

twStatus fem_lanczos_refresh(FemLanczos* lanczos, twError* err)
{
    // only what has converged keeps its meaning without the block that follows
    int under = lanczos->found < lanczos->low ? lanczos->found : lanczos->low, over = lanczos->found - under;
    const Part parts[2] = {{lanczos->low - under, under}, {lanczos->ritz - over, over}};
    twStatus status = restart(lanczos, parts, err);
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
    Part parts[2];
    choose_kept(lanczos, wanted, parts);
    return restart(lanczos, parts, err);
}

// how the search goes on: columns and converged values when last looked at, columns when to look again, and in the end
typedef struct Course
{
    int k, converged, next;
    double end, done;
} Course;

static Course start_course(const FemLanczos* lanczos)
{
    int b = lanczos->block, least = lanczos->wanted + lanczos->wanted / 2;
    return (Course){.next = lanczos->k + (least > 4 * b ? least : 4 * b), .end = 2.5 * lanczos->wanted + 10 * b};
}

// Looking costs as k^3, so the next look comes half way to where the number of converged values points.
static void set_course(Course* course, const FemLanczos* lanczos, const FemWish* wish, int k)
{
    int b = lanczos->block, wanted = within_range(lanczos, wish) + wish->extra, converged = 0;
    for (int i = 0; i < wanted && i < place_count(lanczos); i++) converged += is_converged(lanczos, wish, i);
    int missing = wanted - converged, gained = converged - course->converged, taken = k - course->k;
    double ahead = gained > 0 && taken > 0 ? (double)missing * taken / gained : 0.5 * k;
    course->end = k + fmax(b, ahead);
    course->next = lanczos->k + (int)fmin(0.5 * ahead, 0.25 * k);
    course->k = lanczos->k;
    course->converged = converged;
}

static twStatus tell(Course* course, const FemLanczos* lanczos, twFemProgress keep_going, void* context, twError* err)
{
    course->done = fmin(0.99, fmax(course->done, lanczos->k / fmax(course->end, lanczos->k)));
    if (!keep_going || keep_going("modes", course->done, context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "interrupted at stage \"modes\"");
}

twStatus fem_lanczos_run(FemLanczos* lanczos, const FemWish* wish, twFemProgress keep_going, void* context,
                         twError* err)
{
    const int most_solves = 60 * most_vectors(64, lanczos->block);
    const int start = lanczos->solves;
    Course course = start_course(lanczos);
    lanczos->zero = wish->zero;
    while (lanczos->solves - start < most_solves + 20 * (int64_t)lanczos->limit)
    {
        twStatus status = step(lanczos, err);
        int k = lanczos->k;
        if (status == TW_OK && fem_lanczos_on_eigenvalue(lanczos))
            return tw_fail(err, TW_NO_CONVERGE, "the shift %g lies on an eigenvalue", lanczos->shift);
        if (status == TW_OK && (k + lanczos->block > lanczos->limit || k >= course.next))
        {
            status = find_ritz(lanczos, err);
            if (status == TW_OK && is_fulfilled(lanczos, wish)) return TW_OK;
            if (status == TW_OK) status = go_on(lanczos, wish, err);
            if (status == TW_OK) set_course(&course, lanczos, wish, k);
        }
        if (status == TW_OK) status = tell(&course, lanczos, keep_going, context, err);
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
                            .wanted = wanted,
                            .rigid = rigid_count};
    if (shift > 0) lanczos->below = fem_factor_negative(factor) - rigid_count;
    lanczos->limit = 20 * b;
    size_t square = (size_t)b * (size_t)b;
    lanczos->r = fem_alloc(memory, square, sizeof(double));
    lanczos->r1 = fem_alloc(memory, square, sizeof(double));
    lanczos->r2 = fem_alloc(memory, square, sizeof(double));
    for (int i = 0; i < 2; i++) lanczos->mass[i] = fem_alloc(memory, (size_t)lanczos->n * (size_t)b, sizeof(double));
    bool ok = lanczos->r && lanczos->r1 && lanczos->r2 && lanczos->mass[0] && lanczos->mass[1] &&
              fem_blocks_create(&lanczos->blocks, system, b, memory) && make_room(lanczos, rigid_count + 2 * b);
    twStatus status = ok ? set_limit(lanczos, wanted, err) : out_of_memory(lanczos, wanted, err);
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
    void* const blocks[] = {lanczos->v,  lanczos->t,     lanczos->r,        lanczos->c,
                            lanczos->r1, lanczos->r2,    lanczos->mass[0],  lanczos->mass[1],
                            lanczos->y,  lanczos->theta, lanczos->residual, lanczos->work};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fem_free(memory, blocks[i]);
    fem_blocks_destroy(&lanczos->blocks, memory);
    fem_free(memory, lanczos);
}

void fem_lanczos_vectors(FemLanczos* lanczos, int first, int count, double* x)
{
    // bring the coefficients into the order of the modes
    int n = lanczos->n, k = lanczos->k;
    for (int i = 0; i < count; i++)
        memcpy(lanczos->work + (size_t)i * (size_t)k, lanczos->y + (size_t)place(lanczos, first + i) * (size_t)k,
               (size_t)k * sizeof *x);
    fem_gemm('N', 'N', n, count, k, 1, vector(lanczos, lanczos->rigid), n, lanczos->work, k, 0, x, n);
}
