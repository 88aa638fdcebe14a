// SPDX-License-Identifier: MIT
#pragma once
#include "rod/rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// Natural frequencies of a rod by a dense eigensolver: Hessian and mass, Cholesky, Householder, bisection. For tests.

/// entry ((i, r), (j, c)) of blocks laid out as rod->h_blocks
static inline double rod_block_at(const twRod* rod, const double* blocks, int i, int r, int j, int c)
{
    int n = rod->n, d = rod->dofs, k = (i - j + n) % n, back = (j - i + n) % n;
    size_t size = (size_t)(d * d);
    if (k <= 2 && (rod->closed || i >= j)) return blocks[((size_t)j * 3 + (size_t)k) * size + (size_t)(c * d + r)];
    if (back <= 2 && (rod->closed || j >= i))
        return blocks[((size_t)i * 3 + (size_t)back) * size + (size_t)(r * d + c)];
    return 0;
}

/// Householder: a (n x n, symmetric) becomes tridiagonal, d its diagonal, e what is beside it (e[0] is nothing)
static inline void rod_tridiagonal(double* a, double* d, double* e, int n)
{
    for (int k = 0; k < n - 2; k++)
    {
        double norm = 0, *v = a + k * n;  // row k right of the diagonal, mirrored in its column
        for (int i = k + 1; i < n; i++) norm += v[i] * v[i];
        norm = sqrt(norm);
        d[k] = v[k];
        if (norm == 0)
        {
            e[k + 1] = 0;
            continue;
        }
        double alpha = v[k + 1] > 0 ? -norm : norm, beta = 0;
        e[k + 1] = alpha;
        v[k + 1] -= alpha;
        for (int i = k + 1; i < n; i++) beta += v[i] * v[i];
        beta = 2 / beta;
        // p = beta A v, then A -= v w^T + w v^T with w = p - beta/2 (p.v) v; p is kept in e's unused end
        double pv = 0, *p = e + n;
        for (int i = k + 1; i < n; i++)
        {
            p[i] = 0;
            for (int j = k + 1; j < n; j++) p[i] += a[i * n + j] * v[j];
            p[i] *= beta;
            pv += p[i] * v[i];
        }
        for (int i = k + 1; i < n; i++) p[i] -= 0.5 * beta * pv * v[i];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
    for (int k = n > 2 ? n - 2 : 0; k < n; k++)
    {
        d[k] = a[k * n + k];
        if (k > 0 && k == n - 1) e[k] = a[k * n + k - 1];
    }
}

/// How many eigenvalues of a tridiagonal matrix are below x (Sturm)
static inline int rod_count_below(const double* d, const double* e, int n, double x)
{
    int count = 0;
    double q = 1;
    for (int i = 0; i < n; i++)
    {
        q = d[i] - x - (i > 0 ? e[i] * e[i] / q : 0);
        if (q == 0) q = 1e-300;
        count += q < 0;
    }
    return count;
}

/// Eigenvalues of a (n x n, symmetric; spoilt), rising, by bisection
static inline void rod_eigenvalues(double* a, double* value, int n)
{
    double *d = calloc((size_t)n, sizeof *d), *e = calloc(2 * (size_t)n, sizeof *e), span = 0;
    rod_tridiagonal(a, d, e, n);
    for (int i = 0; i < n; i++)
        span = fmax(span, fabs(d[i]) + (i > 0 ? fabs(e[i]) : 0) + (i + 1 < n ? fabs(e[i + 1]) : 0));
    for (int k = 0; k < n; k++)
    {
        double low = k > 0 ? value[k - 1] - 1e-15 * span : -span, high = span;
        while (high - low > 1e-15 * span + 4e-16 * (fabs(low) + fabs(high)))
        {
            double middle = 0.5 * (low + high);
            if (rod_count_below(d, e, n, middle) > k)
                high = middle;
            else
                low = middle;
            if (middle == low && middle == high) break;
        }
        value[k] = 0.5 * (low + high);
    }
    free(d), free(e);
}

/// k becomes L^-1 K L^-T and m its Cholesky factor L (both n x n). @return false if m is not positive definite
static inline bool rod_reduce(double* k, double* m, int count)
{
    if (!tw_cholesky_factor(m, count)) return false;
    // rows, then columns
    for (int pass = 0; pass < 2; pass++)
    {
        for (int c = 0; c < count; c++)
            for (int a = 0; a < count; a++)
            {
                double sum = k[a * count + c];
                for (int b = 0; b < a; b++) sum -= m[a * count + b] * k[b * count + c];
                k[a * count + c] = sum / m[a * count + a];
            }
        for (int a = 0; a < count; a++)
            for (int b = 0; b < a; b++)
            {
                double x = k[a * count + b];
                k[a * count + b] = k[b * count + a], k[b * count + a] = x;
            }
    }
    return true;
}

/// Squares of the natural angular frequencies, rising, of the rod at its present place, at most (points x dofs) of them;
/// @return how many. shape, if not NULL, becomes the mode of the given index in world coordinates (points x dofs), M-normal.
static inline int rod_modes(twRod* rod, double* square, int index, double* shape)
{
    int n = rod->n, d = rod->dofs, count = 0, all = n * d;
    int* at = malloc((size_t)all * sizeof *at);
    for (int i = 0; i < all; i++)
        if ((i % d < 3 ? rod->free_x : rod->free_t)[i / d] > 0) at[count++] = i;
    tw_rod_hessian(rod, 1, 1);
    tw_rod_mass_blocks(rod, rod->m_blocks);
    double *k = malloc((size_t)(count * count) * sizeof *k), *m = malloc((size_t)(count * count) * sizeof *m);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
        {
            k[a * count + b] = rod_block_at(rod, rod->h_blocks, at[a] / d, at[a] % d, at[b] / d, at[b] % d);
            m[a * count + b] = rod_block_at(rod, rod->m_blocks, at[a] / d, at[a] % d, at[b] / d, at[b] % d);
        }
    if (!rod_reduce(k, m, count)) count = 0;
    double* copy = malloc((size_t)(count * count) * sizeof *copy);
    memcpy(copy, k, (size_t)(count * count) * sizeof *copy);
    rod_eigenvalues(copy, square, count);
    if (shape && index < count)
    {
        // inverse iteration beside the eigenvalue
        double* x = malloc((size_t)count * sizeof *x);
        int* pivot = malloc((size_t)count * sizeof *pivot);
        double shift = square[index] * (1 + 1e-9);
        for (int a = 0; a < count; a++) k[a * count + a] -= shift;
        tw_lu_factor(k, pivot, count);
        for (int a = 0; a < count; a++) x[a] = 1 + sin(a);
        for (int round = 0; round < 4; round++)
        {
            tw_lu_solve(k, pivot, count, x);
            double norm = 0;
            for (int a = 0; a < count; a++) norm += x[a] * x[a];
            for (int a = 0; a < count; a++) x[a] /= sqrt(norm);
        }
        memset(shape, 0, (size_t)all * sizeof *shape);
        for (int a = count - 1; a >= 0; a--)
        {
            double sum = x[a];
            for (int b = a + 1; b < count; b++) sum -= m[b * count + a] * shape[at[b]];
            shape[at[a]] = sum / m[a * count + a];
        }
        free(x), free(pivot);
    }
    free(copy), free(k), free(m), free(at);
    return count;
}
