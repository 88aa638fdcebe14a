// SPDX-License-Identifier: MIT
// cell_error_: how far frequencies are off, and where that comes from, by the residual of the modes in the functions of the
// next degree (hierarchic estimate: Bank and Smith, SIAM J. Numer. Anal. 30, 1993). With all functions of degree p + 1 beside
// those of the space, lambda would fall by about
//     r^T K^-1 r,   r = lambda M u - K u,
// K and M in all these functions; r is 0 in those of the space. The inverse is taken leaf by leaf (additive Schwarz: Dryja and
// Widlund, SIAM J. Sci. Comput. 15, 1994): K_l has the functions that a leaf uses, of all degrees, which together bend where one
// alone would stretch, and each function's residual is shared by its n leaves,
//     sum over leaves  r_l^T K_l^-1 r_l,   r_l = r / sqrt(n).
// Over 2 lambda this is what the frequency would gain by the next degree, and each leaf's part in it. Cells are refined where
// the gain is.
#include "fem/cell_error.h"
#include "fem/lapack.h"
#include <math.h>
#include <string.h>

#define CELL_THETA 0.85   // part of the sum of eta in the cells that are refined
#define CELL_LEAST 0.12   // part of the cells that are refined: else 64 modes of a cow stood still for a round
#define CELL_RIDGE 1e-12  // on diagonals of ones: round-off, so that what moves without energy does not stop Cholesky

typedef struct Residual
{
    const CellSpace *space, *finer;
    const FemSystem* system;  // of finer
    const CellModes* modes;
    int* lower;     // (functions of finer) the same function in space, -1: of the next degree
    double* scale;  // (3 functions of finer) to a diagonal of ones
    double* share;  // (functions of finer) 1/sqrt(leaves that use it)
    double *u, *r;  // (3 functions of space, of finer, x modes)

    // scratch of one leaf
    int* local;                    // (functions of finer) number in the leaf, -1: not in it
    double *matrix, *left, *part;  // (3 functions of a leaf)^2, (modes x 3 functions of a leaf), (modes)
} Residual;

// ---- memory ----

static bool residual_alloc(Residual* res)
{
    const size_t functions = (size_t)res->finer->functions, modes = (size_t)res->modes->count,
                 most = 3 * (size_t)cell_space_most(res->finer), columns = 3 * modes;
    res->lower = malloc((2 * functions + 1) * sizeof *res->lower);
    res->scale =
        calloc(functions * (4 + columns) + (size_t)res->space->functions * columns + most * (most + modes) + modes + 1,
               sizeof *res->scale);
    if (!res->lower || !res->scale) return false;
    res->local = res->lower + functions;
    for (size_t f = 0; f < 2 * functions; f++) res->lower[f] = -1;
    res->share = res->scale + 3 * functions;
    res->r = res->share + functions;
    res->u = res->r + functions * columns;
    res->matrix = res->u + (size_t)res->space->functions * columns;
    res->left = res->matrix + most * most;
    res->part = res->left + most * modes;
    return true;
}

static void residual_free(Residual* res)
{
    free(res->lower);
    free(res->scale);
}

// ---- the residual ----

// the functions of a leaf in both spaces come in the same order, but for those of the next degree between
static void residual_number(Residual* res)
{
    const CellSpace *space = res->space, *finer = res->finer;
    for (int l = 0; l < space->leaf_count; l++)
    {
        int64_t e = space->start[l];
        for (int64_t f = finer->start[l]; f < finer->start[l + 1] && e < space->start[l + 1]; f++)
            if (finer->use[f].kind == space->use[e].kind && finer->use[f].level == space->use[e].level)
                res->lower[finer->function[f]] = space->function[e++];
    }
}

static void residual_set_scales(Residual* res)
{
    const CellSpace* finer = res->finer;
    const FemSystem* system = res->system;
    for (int f = 0; f < finer->functions; f++)
        for (int d = 0; d < 3; d++)
        {
            const double k = system->k[9 * (system->start[f + 1] - 1) + 4 * d];
            res->scale[3 * f + d] = k > 0 ? 1 / sqrt(k) : 0;
        }
    for (int64_t e = 0; e < finer->start[finer->leaf_count]; e++) res->share[finer->function[e]]++;
    for (int f = 0; f < finer->functions; f++) res->share[f] = 1 / sqrt(res->share[f]);
}

// r of function `to` += (lambda M - K) u of function `from`, by an entry that has them in its row and column, or turned
static void residual_add(Residual* res, int64_t entry, bool turn, int to, int from)
{
    const int modes = res->modes->count;
    const double *k = res->system->k + 9 * entry, m = res->system->m[entry], *lambda = res->modes->lambda;
    for (int a = 0; a < 3; a++)
    {
        double* restrict r = res->r + (3 * (size_t)to + (size_t)a) * (size_t)modes;
        const double* u = res->u + 3 * (size_t)from * (size_t)modes;
        for (int i = 0; i < modes; i++) r[i] += lambda[i] * m * u[a * modes + i];
        for (int b = 0; b < 3; b++)
        {
            const double stiffness = turn ? k[3 * b + a] : k[3 * a + b];
            for (int i = 0; i < modes; i++) r[i] -= stiffness * u[b * modes + i];
        }
    }
}

// r of all functions of the next degree, scaled and shared
static void residual_find(Residual* res)
{
    const FemSystem* system = res->system;
    const size_t modes = (size_t)res->modes->count, n = 3 * (size_t)res->space->functions;
    for (size_t k = 0; k < modes; k++)
        for (size_t i = 0; i < n; i++) res->u[i * modes + k] = res->modes->x[k * n + i];
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
        {
            const int b = system->column[e], from_a = res->lower[a], from_b = res->lower[b];
            if (from_a < 0 && from_b >= 0) residual_add(res, e, false, a, from_b);
            if (from_b < 0 && from_a >= 0) residual_add(res, e, true, b, from_a);
        }
    for (size_t i = 0; i < 3 * (size_t)system->nodes * modes; i++)
        res->r[i] *= res->scale[i / modes] * res->share[i / modes / 3];
}

// ---- one leaf ----

// The leaf's functions, those of the space first. @return how many of these; all of them are in order (functions of the leaf)
static int residual_order(const Residual* res, int leaf, int* order)
{
    const int *function = res->finer->function + res->finer->start[leaf],
              *end = res->finer->function + res->finer->start[leaf + 1];
    int lower = 0, count = 0;
    for (const int* f = function; f < end; f++)
        if (res->lower[*f] >= 0) order[lower++] = *f;
    count = lower;
    for (const int* f = function; f < end; f++)
        if (res->lower[*f] < 0) order[count++] = *f;
    return lower;
}

// the upper triangle of K_l, scaled, and ridge on its diagonal
static void residual_set_matrix(const Residual* res, const int* order, int count, double ridge)
{
    const FemSystem* system = res->system;
    const int n = 3 * count;
    memset(res->matrix, 0, (size_t)n * (size_t)n * sizeof *res->matrix);
    for (int i = 0; i < count; i++) res->local[order[i]] = i;
    for (int i = 0; i < count; i++)
        for (int64_t e = system->start[order[i]]; e < system->start[order[i] + 1]; e++)
        {
            const int j = res->local[system->column[e]];
            for (int b = 0; b < 9 && j >= 0; b++)
            {
                const int row = 3 * i + b / 3, column = 3 * j + b % 3;
                res->matrix[row > column ? row * n + column : column * n + row] =
                    res->scale[3 * order[i] + b / 3] * res->scale[3 * order[j] + b % 3] * system->k[9 * e + b];
            }
        }
    for (int i = 0; i < n; i++) res->matrix[i * n + i] += ridge;
    for (int i = 0; i < count; i++) res->local[order[i]] = -1;
}

// Gains of the modes by one leaf. With K_l = R^T R they are |R^-T r|^2, of which only the part of the next degree is not 0.
// Where a leaf's functions are all of a body's they may move it without energy, by those of the space alone: the ridge holds it.
static void residual_of_leaf(Residual* res, int leaf, double* gain)
{
    const int count = (int)(res->finer->start[leaf + 1] - res->finer->start[leaf]), n = 3 * count,
              modes = res->modes->count;
    int order[CELL_ROWS_MAX];
    const int lower = 3 * residual_order(res, leaf, order), upper = n - lower;
    bool good = false;
    for (double ridge = CELL_RIDGE; !good && ridge < 1; ridge *= 100)
    {
        residual_set_matrix(res, order, count, ridge);
        good = fem_cholesky(n, res->matrix, n);
    }
    for (int i = 0; i < upper; i++)
    {
        const int at = (lower + i) / 3;
        memcpy(res->left + i * modes, res->r + (3 * (size_t)order[at] + (size_t)(i % 3)) * (size_t)modes,
               (size_t)modes * sizeof *res->left);
    }
    fem_solve_right(modes, upper, res->matrix + lower * n + lower, n, res->left, modes);
    for (int k = 0; k < modes; k++) gain[k] = 0;
    for (int i = 0; i < upper; i++)
        for (int k = 0; k < modes; k++) gain[k] += res->left[i * modes + k] * res->left[i * modes + k];
    for (int k = 0; k < modes; k++) gain[k] /= 2 * res->modes->lambda[k];
}

// ---- the sum ----

static void residual_gains(Residual* res, double* gain, double* eta, CellWorst* worst)
{
    const int modes = res->modes->count;
    residual_number(res);
    residual_set_scales(res);
    residual_find(res);
    for (int k = 0; k < modes; k++)
    {
        gain[k] = 0;
        worst[k] = (CellWorst){0};
    }
    for (int l = 0; l < res->space->leaf_count; l++)
    {
        residual_of_leaf(res, l, res->part);
        eta[l] = 0;
        for (int k = 0; k < modes; k++)
        {
            gain[k] += res->part[k];
            eta[l] = fmax(eta[l], res->part[k]);
            if (res->part[k] > worst[k].part) worst[k] = (CellWorst){l, res->part[k]};
        }
    }
}

twStatus cell_error_estimate(const CellSpace* space, const CellBody* body, const CellModes* modes, FemMemory* memory,
                             double* gain, double* eta, CellWorst* worst, twError* err)
{
    CellSpace* finer = NULL;
    FemSystem* system = NULL;
    if (modes->count == 0)
    {
        for (int l = 0; l < space->leaf_count; l++) eta[l] = 0;
        return TW_OK;
    }
    twStatus status = cell_space_create(&finer, space->tree, body->trunk, err);
    if (status == TW_OK) status = cell_system_create(&system, finer, memory, err);
    if (status == TW_OK) status = cell_system_assemble(system, finer, body, memory, err);
    Residual res = {.space = space, .finer = finer, .system = system, .modes = modes};
    if (status == TW_OK && !residual_alloc(&res))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the errors of the cells");
    if (status == TW_OK) residual_gains(&res, gain, eta, worst);
    residual_free(&res);
    fem_system_destroy(system, memory);
    cell_space_destroy(finer);
    return status;
}

// ---- marking ----

typedef struct ErrorRank
{
    double eta;
    int leaf;
} ErrorRank;

static int error_compare(const void* a, const void* b)
{
    const ErrorRank *x = a, *y = b;
    if (x->eta != y->eta) return x->eta > y->eta ? -1 : 1;
    return x->leaf - y->leaf;
}

int cell_error_mark(const CellSpace* space, const double* eta, int* order)
{
    ErrorRank* rank = malloc(((size_t)space->leaf_count + 1) * sizeof *rank);
    if (!rank) return 0;
    double sum = 0, taken = 0;
    int count = 0;
    for (int l = 0; l < space->leaf_count; l++)
    {
        rank[l] = (ErrorRank){eta[l], l};
        sum += eta[l];
    }
    qsort(rank, (size_t)space->leaf_count, sizeof *rank, error_compare);
    for (int l = 0; l < space->leaf_count; l++)
    {
        if (taken >= CELL_THETA * sum && l >= CELL_LEAST * space->leaf_count) break;
        taken += rank[l].eta;
        if (space->tree->cells[space->leaf[rank[l].leaf]].level + 1 < CELL_LEVELS_MAX) order[count++] = rank[l].leaf;
    }
    free(rank);
    return count;
}
