// SPDX-License-Identifier: MIT
// cell_error_: how far frequencies are off, and where that comes from, by the residual of the modes in the functions of the
// next degree (a hierarchic estimate: Bank and Smith, SIAM J. Numer. Anal. 30, 1993). Adding one function phi of degree p + 1
// to the space would lower lambda by about
//     r^T D^-1 r,   r = lambda M(phi, u) - K(phi, u),   D = K(phi, phi),
// r and D having three components. The sum over all of them, over 2 lambda, is what the frequency would gain by the next
// degree. The error is some times as large, since higher degrees follow and the functions of a new degree act together; that
// number hardly differs between bodies (docs/cells.md). Cells are refined where the gain is.
#include "fem/cell_error.h"
#include "fem/lapack.h"
#include <math.h>
#include <string.h>

#define CELL_THETA 0.85  // part of the sum of eta in the cells that are refined
#define CELL_LEAST 0.12  // part of the cells that are refined: else 64 modes of a cow stood still for a round

typedef struct Residual
{
    const CellSpace *space, *finer;
    const CellBody* body;
    const CellModes* modes;
    int* top;  // (functions of finer) number among those of the highest degree, -1: lower
    int top_count;
    double* r;      // (3 modes x top)
    double* d;      // (9 x top)
    double* share;  // (functions of all leaves of finer) part of a leaf in the trace of d

    // scratch of one leaf: n functions, N of the next degree
    double *rows, *fine_rows;  // (functions x n), (functions x N)
    double *x, *u;             // (functions x 3 modes), (n x 3 modes)
    double *product, *image;   // (3 N x 3 n), (3 N x 3 modes)
    double* left;              // (N x 3 modes) r in the leaf's own functions
    double* weights;           // (points)
} Residual;

// ---- memory ----

static bool residual_number(Residual* res)
{
    const CellSpace* finer = res->finer;
    const int64_t entries = finer->start[finer->leaf_count];
    res->top = malloc(((size_t)finer->functions + 1) * sizeof *res->top);
    if (!res->top) return false;
    for (int f = 0; f < finer->functions; f++) res->top[f] = -1;
    for (int64_t e = 0; e < entries; e++)
        if (finer->trunk->function[finer->use[e].kind].top && res->top[finer->function[e]] < 0)
            res->top[finer->function[e]] = res->top_count++;
    return true;
}

static bool residual_alloc(Residual* res)
{
    const size_t n = (size_t)res->space->trunk->count, N = (size_t)res->finer->trunk->count,
                 modes = (size_t)res->modes->count, points = (size_t)res->finer->trunk->total;
    const size_t rows = (size_t)cell_space_most(res->space), fine_rows = (size_t)cell_space_most(res->finer);
    if (!residual_number(res)) return false;
    res->r = calloc((3 * modes + 9) * (size_t)res->top_count + 1, sizeof *res->r);
    res->share = calloc((size_t)res->finer->start[res->finer->leaf_count] + 1, sizeof *res->share);
    res->rows = malloc((rows * (n + 3 * modes) + fine_rows * N + 3 * n * modes + 9 * N * n + 12 * N * modes + points) *
                       sizeof *res->rows);
    if (!res->r || !res->share || !res->rows) return false;
    res->d = res->r + 3 * modes * (size_t)res->top_count;
    res->x = res->rows + rows * n;
    res->fine_rows = res->x + rows * 3 * modes;
    res->u = res->fine_rows + fine_rows * N;
    res->product = res->u + 3 * n * modes;
    res->image = res->product + 9 * N * n;
    res->left = res->image + 9 * N * modes;
    res->weights = res->left + 3 * N * modes;
    return true;
}

static void residual_free(Residual* res)
{
    free(res->top);
    free(res->r);
    free(res->share);
    free(res->rows);
}

// ---- one leaf ----

// left -= h/2 C G u, with the weights of a material's stiffness, or of a full cell
static void residual_add_stiffness(Residual* res, const CellMaterial* material, double h, const double* weights)
{
    const int n = res->body->trunk->count, N = res->body->finer->count, columns = 3 * res->modes->count;
    if (weights) trunk_product_sum(res->body->finer_slopes, weights, res->product);
    const double* product = weights ? res->product : res->body->finer_slopes->full;
    for (int b = 0; b < 3; b++)
    {
        fem_gemm('N', 'N', 3 * N, columns, n, 1, product + (size_t)(b * n) * (size_t)(3 * N), 3 * N, res->u, n, 0,
                 res->image, 3 * N);
        for (int a = 0; a < 3; a++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                {
                    const double modulus = 0.5 * h * cell_modulus(material, r, a, c, b);
                    if (modulus == 0) continue;
                    for (int k = 0; k < columns; k += 3)
                        for (int i = 0; i < N; i++)
                            res->left[(k + r) * N + i] -= modulus * res->image[(k + c) * 3 * N + a * N + i];
                }
    }
}

// left += lambda scale M u, or left -= scale M u without lambda
static void residual_add_mass(Residual* res, double scale, const double* weights, bool stiffness)
{
    const int n = res->body->trunk->count, N = res->body->finer->count, columns = 3 * res->modes->count;
    if (weights) trunk_product_sum(res->body->finer_values, weights, res->product);
    const double* product = weights ? res->product : res->body->finer_values->full;
    fem_gemm('N', 'N', N, columns, n, 1, product, N, res->u, n, 0, res->image, N);
    for (int k = 0; k < columns; k++)
    {
        const double factor = stiffness ? -scale : scale * res->modes->lambda[k / 3];
        for (int i = 0; i < N; i++) res->left[k * N + i] += factor * res->image[k * N + i];
    }
}

// Products of a function's factor along an axis at the Gauss points of a leaf: value^2, value slope, slope^2. The function is
// of an ancestor some levels up, or of the leaf itself.
static void residual_factors(const Trunk* finer, const TrunkFunction* f, const Cell* leaf, int up, int axis,
                             double out[3][TRUNK_POINTS_MAX])
{
    const double scale = 1.0 / (1 << up);
    const int in_ancestor = leaf->at[axis] & ((1 << up) - 1);
    for (int g = 0; g < finer->points; g++)
    {
        double value, slope;
        trunk_factor(f->place[axis], f->degree[axis], (2 * in_ancestor + 1 + finer->node[g]) * scale - 1, &value,
                     &slope);
        out[0][g] = value * value;
        out[1][g] = value * slope * scale;
        out[2][g] = slope * slope * scale * scale;
    }
}

// int of the square of a function
static double residual_square(const Residual* res, const TrunkFunction* f, const Cell* leaf, int up,
                              const double* weights)
{
    const Trunk* finer = res->body->finer;
    const int q = finer->points;
    double factor[3][3][TRUNK_POINTS_MAX], sum = 0;
    for (int axis = 0; axis < 3; axis++) residual_factors(finer, f, leaf, up, axis, factor[axis]);
    for (int g = 0; g < finer->total; g++)
        sum += weights[g] * factor[0][0][g % q] * factor[1][0][g / q % q] * factor[2][0][g / q / q];
    return sum;
}

// int of the products of a function's slopes along two axes, summed axis by axis
static void residual_slopes(const Residual* res, const TrunkFunction* f, const Cell* leaf, int up,
                            const double* weights, double out[3][3])
{
    const Trunk* finer = res->body->finer;
    const int q = finer->points;
    double factor[3][3][TRUNK_POINTS_MAX], x[3][TRUNK_POINTS_MAX * TRUNK_POINTS_MAX];
    for (int axis = 0; axis < 3; axis++) residual_factors(finer, f, leaf, up, axis, factor[axis]);
    for (int d = 0; d < 3; d++)
        for (int yz = 0; yz < q * q; yz++)
        {
            x[d][yz] = 0;
            for (int g = 0; g < q; g++) x[d][yz] += factor[0][d][g] * weights[yz * q + g];
        }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b <= a; b++)
        {
            const int dx = (a == 0) + (b == 0), dy = (a == 1) + (b == 1), dz = (a == 2) + (b == 2);
            double sum = 0;
            for (int z = 0; z < q; z++)
                for (int y = 0; y < q; y++) sum += factor[2][dz][z] * factor[1][dy][y] * x[dx][z * q + y];
            out[a][b] = out[b][a] = sum;
        }
}

// D += h/2 C int of the products of slopes, for the functions of the highest degree, with one material's weights
static void residual_add_diagonals(Residual* res, int leaf, const CellMaterial* material, double h,
                                   const double* weights)
{
    const CellSpace* finer = res->finer;
    const Cell* cell = &finer->tree->cells[finer->leaf[leaf]];
    for (int64_t e = finer->start[leaf]; e < finer->start[leaf + 1]; e++)
    {
        const int top = res->top[finer->function[e]];
        if (top < 0) continue;
        double g[3][3], *d = res->d + 9 * (size_t)top;
        residual_slopes(res, &finer->trunk->function[finer->use[e].kind], cell, cell->level - finer->use[e].level,
                        weights, g);
        for (int i = 0; i < 81; i++)
        {
            const int r = i / 27, c = i / 9 % 3, a = i / 3 % 3, b = i % 3;
            const double part = 0.5 * h * g[a][b] * cell_modulus(material, r, a, c, b);
            d[3 * r + c] += part;
            if (r == c) res->share[e] += part;
        }
    }
}

// D += stiffness of the held surface
static void residual_add_held(Residual* res, int leaf, double stiffness, const double* weights)
{
    const CellSpace* finer = res->finer;
    const Cell* cell = &finer->tree->cells[finer->leaf[leaf]];
    for (int64_t e = finer->start[leaf]; e < finer->start[leaf + 1]; e++)
    {
        const int top = res->top[finer->function[e]];
        if (top < 0) continue;
        const TrunkFunction* f = &finer->trunk->function[finer->use[e].kind];
        const double part = stiffness * residual_square(res, f, cell, cell->level - finer->use[e].level, weights);
        for (int r = 0; r < 3; r++) res->d[9 * (size_t)top + (size_t)(4 * r)] += part;
        res->share[e] += 3 * part;
    }
}

// r in the leaf's own functions, and its part of D
static void residual_of_leaf(Residual* res, int leaf)
{
    const CellBody* body = res->body;
    const Cell* cell = &res->space->tree->cells[res->space->leaf[leaf]];
    const double h = body->cell * cell_edge(cell->level), volume = 0.125 * h * h * h;
    memset(res->left, 0, (size_t)(3 * body->finer->count * res->modes->count) * sizeof *res->left);
    if (cell->kind == CELL_FULL)
    {
        residual_add_stiffness(res, &body->materials[0], h, NULL);
        residual_add_mass(res, volume * body->materials[0].density, NULL, false);
        residual_add_diagonals(res, leaf, &body->materials[0], h, body->finer->full_weight);
        return;
    }
    for (const CellWeights* w = cell->weights; w; w = w->next)
    {
        if (w->material == CELL_HELD)
        {
            residual_add_mass(res, cell_held_stiffness(h), w->w, true);
            residual_add_held(res, leaf, cell_held_stiffness(h), w->w);
        }
        if (w->material < 0) continue;
        const CellMaterial* material = &body->materials[w->material];
        cell_stiffness_weights(body, cell, w, res->weights);
        residual_add_stiffness(res, material, h, res->weights);
        residual_add_mass(res, volume * material->density, w->w, false);
        residual_add_diagonals(res, leaf, material, h, res->weights);
    }
}

static void residual_add_leaf(Residual* res, int leaf)
{
    const CellSpace *space = res->space, *finer = res->finer;
    const int N = finer->trunk->count, columns = 3 * res->modes->count;
    cell_space_rows(space, leaf, res->rows);
    cell_space_gather(space, leaf, res->rows, res->modes->x, res->modes->count, res->x, res->u);
    cell_space_rows(finer, leaf, res->fine_rows);
    residual_of_leaf(res, leaf);
    const double* row = res->fine_rows;
    for (int64_t e = finer->start[leaf]; e < finer->start[leaf + 1]; e++, row += N)
    {
        const int top = res->top[finer->function[e]];
        if (top < 0) continue;
        double* r = res->r + (size_t)top * (size_t)columns;
        for (int f = 0; f < N; f++)
            for (int k = 0; k < columns && row[f] != 0; k++) r[k] += row[f] * res->left[k * N + f];
    }
}

// ---- the sum ----

// r^T D^-1 r by the Cholesky factor of D; 0 for a function without any stiffness
static double residual_gain(const double d[9], const double r[3])
{
    double l[3][3] = {{0}}, y[3], sum = 0;
    for (int i = 0; i < 3; i++)
    {
        y[i] = r[i];
        for (int j = 0; j <= i; j++)
        {
            double v = d[3 * i + j];
            for (int k = 0; k < j; k++) v -= l[i][k] * l[j][k];
            if (i == j && !(v > 0)) return 0;
            l[i][j] = i == j ? sqrt(v) : v / l[j][j];
        }
        for (int j = 0; j < i; j++) y[i] -= l[i][j] * y[j];
        y[i] /= l[i][i];
        sum += y[i] * y[i];
    }
    return sum;
}

// each function's gains, in the place of the first component of its residuals
static void residual_gains(Residual* res, double* gain)
{
    const int modes = res->modes->count;
    for (int k = 0; k < modes; k++) gain[k] = 0;
    for (int t = 0; t < res->top_count; t++)
        for (int k = 0; k < modes; k++)
        {
            double* r = res->r + 3 * ((size_t)t * (size_t)modes + (size_t)k);
            r[0] = residual_gain(res->d + 9 * (size_t)t, r) / (2 * res->modes->lambda[k]);
            gain[k] += r[0];
        }
}

// the gains of a leaf's functions belong to it as far as their stiffness does
static void residual_shares(const Residual* res, int leaf, double* eta, CellWorst* worst)
{
    const CellSpace* finer = res->finer;
    const size_t modes = (size_t)res->modes->count;
    *eta = 0;
    for (size_t k = 0; k < modes; k++)
    {
        double sum = 0;
        for (int64_t e = finer->start[leaf]; e < finer->start[leaf + 1]; e++)
        {
            if (res->share[e] <= 0) continue;
            const size_t top = (size_t)res->top[finer->function[e]];
            const double* d = res->d + 9 * top;
            sum += res->r[3 * (top * modes + k)] * res->share[e] / (d[0] + d[4] + d[8]);
        }
        *eta = fmax(*eta, sum);
        if (sum > worst[k].part) worst[k] = (CellWorst){leaf, sum};
    }
}

twStatus cell_error_estimate(const CellSpace* space, const CellBody* body, const CellModes* modes, double* gain,
                             double* eta, CellWorst* worst, twError* err)
{
    CellSpace* finer;
    twStatus status = cell_space_create(&finer, space->tree, body->finer, err);
    if (status != TW_OK) return status;
    Residual res = {.space = space, .finer = finer, .body = body, .modes = modes};
    const bool good = residual_alloc(&res);
    for (int l = 0; l < space->leaf_count && good; l++) residual_add_leaf(&res, l);
    if (good) residual_gains(&res, gain);
    for (int k = 0; k < modes->count; k++) worst[k] = (CellWorst){0};
    for (int l = 0; l < space->leaf_count && good; l++) residual_shares(&res, l, &eta[l], worst);
    residual_free(&res);
    cell_space_destroy(finer);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the errors of the cells");
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
