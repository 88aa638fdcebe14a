// SPDX-License-Identifier: MIT
// With R (rows x n) and G (columns x n) of rank n, fewer than rows and columns,
//
//     (R G^T)^+ = G (G^T G)^-1 (R^T R)^-1 R^T,
//
// which takes rows n^2 instead of rows^3. Squares of condition numbers that normal equations bring are mended by solving once more for
// what is left (Björck: Numerical Methods for Least Squares Problems, 1996, 6.6.5).
#include "stage/gram.h"
#include "stage/lanes.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-8  // of its diagonal entry: below, columns are not clearly independent

// ---- memory ----

static double* take(double** from, size_t count)
{
    double* out = *from;
    *from += count;
    return out;
}

size_t gram_size(int rows, int columns, int n)
{
    const size_t r = (size_t)rows, c = (size_t)columns, m = (size_t)n;
    return (r + c + 2 * m + 5) * m + r + c;
}

void gram_place(Gram* g, int rows, int columns, int n, double* block)
{
    const size_t r = (size_t)rows, c = (size_t)columns, m = (size_t)n;
    *g = (Gram){.rows = rows, .columns = columns, .n = n};
    g->left = take(&block, r * m);
    g->right = take(&block, c * m);
    g->left_factor = take(&block, m * m);
    g->right_factor = take(&block, m * m);
    g->x = take(&block, m);
    g->left_size = take(&block, m);
    g->right_size = take(&block, m);
    g->left_rest = take(&block, m);
    g->right_rest = take(&block, m);
    g->rest = take(&block, r);
    g->more = take(&block, c);
}

// ---- factors ----

enum
{
    TOGETHER = 4  // rows, so that sums are loaded and stored less often
};

// adds the upper triangle of A^T A, of so many rows; what is zero is passed over, for rows know few bodies of many
static void add_squares(double* restrict out, const double* a, int n)
{
    const double *a0 = a, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n;
    for (int k = 0; k < n; k++)
    {
        const double f0 = a0[k], f1 = a1[k], f2 = a2[k], f3 = a3[k];
        double* sum = out + (size_t)k * (size_t)n;
        if (f0 == 0 && f1 == 0 && f2 == 0 && f3 == 0) continue;
        for (int j = k; j < n; j++) sum[j] += (f0 * a0[j] + f1 * a1[j]) + (f2 * a2[j] + f3 * a3[j]);
    }
}

static void add_square(double* restrict out, const double* a, int n)
{
    for (int k = 0; k < n; k++)
        for (int j = k; j < n; j++) out[(size_t)k * (size_t)n + (size_t)j] += a[k] * a[j];
}

static void square(double* out, const double* a, int rows, int n)
{
    int i = 0;
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (; i + TOGETHER <= rows; i += TOGETHER) add_squares(out, a + (size_t)i * (size_t)n, n);
    for (; i < rows; i++) add_square(out, a + (size_t)i * (size_t)n, n);
}

// U^T U in the upper triangle; size: its diagonal, rest: what is left of it. @return false if it is not clearly definite
static bool factor(double* u, int n, double* size, double* rest)
{
    for (int k = 0; k < n; k++) size[k] = u[(size_t)k * (size_t)n + (size_t)k];
    for (int k = 0; k < n; k++)
    {
        double* row = u + (size_t)k * (size_t)n;
        if (!(row[k] > LEAST_PIVOT * size[k]) || !(row[k] <= DBL_MAX)) return false;
        rest[k] = row[k];
        const double inverse = 1 / sqrt(row[k]);
        for (int j = k; j < n; j++) row[j] *= inverse;
        for (int i = k + 1; i < n; i++)
        {
            double* restrict below = u + (size_t)i * (size_t)n;
            const double f = row[i];
            for (int j = i; j < n && f != 0; j++) below[j] -= f * row[j];
        }
    }
    return true;
}

bool gram_factor_left(Gram* g)
{
    square(g->left_factor, g->left, g->rows, g->n);
    return factor(g->left_factor, g->n, g->left_size, g->left_rest);
}

bool gram_factor_right(Gram* g)
{
    square(g->right_factor, g->right, g->columns, g->n);
    return factor(g->right_factor, g->n, g->right_size, g->right_rest);
}

bool gram_is_safe(const Gram* g, double least)
{
    double largest = 0, smallest = HUGE_VAL;
    for (int k = 0; k < g->n; k++)
    {
        largest = fmax(largest, sqrt(g->left_size[k]) * sqrt(g->right_size[k]));
        smallest = fmin(smallest, sqrt(g->left_rest[k]) * sqrt(g->right_rest[k]));
    }
    return smallest > least * largest && largest <= DBL_MAX;
}

// ---- solving ----

void solve_triangles(const double* u, int n, double* x)
{
    for (int k = 0; k < n; k++)
    {
        const double* row = u + (size_t)k * (size_t)n;
        const double value = x[k] /= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= value * row[j];
    }
    for (int k = n - 1; k >= 0; k--)
    {
        const double* row = u + (size_t)k * (size_t)n;
        x[k] = (x[k] - dot(row + k + 1, x + k + 1, n - k - 1)) / row[k];
    }
}

// x = A^T y
static void times_turned(double* restrict x, const double* a, const double* y, int rows, int n)
{
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) x[k] += a[(size_t)i * (size_t)n + (size_t)k] * y[i];
}

// y = A x
static void times(double* y, const double* a, const double* x, int rows, int n)
{
    for (int i = 0; i < rows; i++) y[i] = dot(a + (size_t)i * (size_t)n, x, n);
}

void gram_solve_roughly(Gram* g, const double* b, double* p)
{
    times_turned(g->x, g->left, b, g->rows, g->n);
    solve_triangles(g->left_factor, g->n, g->x);
    solve_triangles(g->right_factor, g->n, g->x);
    times(p, g->right, g->x, g->columns, g->n);
}

void gram_times(Gram* g, const double* p, double* out)
{
    times_turned(g->x, g->right, p, g->columns, g->n);
    times(out, g->left, g->x, g->rows, g->n);
}

void gram_solve(Gram* g, const double* b, double* p)
{
    gram_solve_roughly(g, b, p);
    gram_times(g, p, g->rest);
    for (int i = 0; i < g->rows; i++) g->rest[i] = b[i] - g->rest[i];
    gram_solve_roughly(g, g->rest, g->more);
    for (int j = 0; j < g->columns; j++) p[j] += g->more[j];
}
