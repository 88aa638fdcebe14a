// SPDX-License-Identifier: MIT
// LU of a block matrix (George and Liu, Computer Solution of Large Sparse Positive Definite Systems): with body k eliminated,
//
//   A_kk = L U,  A_kj <- L^-1 P A_kj,  A_jk <- A_jk U^-1,  A_ij <- A_ij - A_ik A_kj   for all later neighbours i, j of k.
#include "block_factor.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PANEL 8  // columns factored at a time

// ---- dense ----

static void swap_rows(double* a, int n, int i, int j)
{
    for (int k = 0; k < n; k++)
    {
        double t = a[(size_t)i * n + k];
        a[(size_t)i * n + k] = a[(size_t)j * n + k];
        a[(size_t)j * n + k] = t;
    }
}

// columns [begin, end) of all rows from begin on, rows swapped as a whole
static bool factor_panel(double* a, int* pivot, int n, int begin, int end)
{
    for (int k = begin; k < end; k++)
    {
        int row = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)row * n + k])) row = i;
        pivot[k] = row;
        if (row != k) swap_rows(a, n, k, row);
        const double* top = a + (size_t)k * n;
        if (!(fabs(top[k]) > DBL_MIN && fabs(top[k]) <= DBL_MAX)) return false;
        double inverse = a[(size_t)k * n + k] = 1 / top[k];
        for (int i = k + 1; i < n; i++)
        {
            double* to = a + (size_t)i * n;
            double factor = to[k] *= inverse;
            for (int j = k + 1; j < end; j++) to[j] -= factor * top[j];
        }
    }
    return true;
}

// rows of b (m x n) <- L^-1 b, with unit L the lower part of a (m x m, rows stride apart)
static void solve_lower(const BlockKernel* kernel, const double* a, int stride, int m, double* b, int b_stride, int n)
{
    for (int begin = 0; begin < m; begin += PANEL)
    {
        int end = begin + PANEL < m ? begin + PANEL : m;
        kernel->multiply(b + (size_t)begin * b_stride, b_stride, -1, a + (size_t)begin * stride, stride, 1, b, b_stride,
                         end - begin, n, begin);
        for (int i = begin + 1; i < end; i++)
            for (int l = begin; l < i; l++)
            {
                double at = a[(size_t)i * stride + l];
                for (int j = 0; j < n; j++) b[(size_t)i * b_stride + j] -= at * b[(size_t)l * b_stride + j];
            }
    }
}

bool block_dense_factor(const BlockKernel* kernel, double* a, int* pivot, int n)
{
    for (int begin = 0; begin < n; begin += PANEL)
    {
        int end = begin + PANEL < n ? begin + PANEL : n;
        if (!factor_panel(a, pivot, n, begin, end)) return false;
        if (end == n) break;
        double *top = a + (size_t)begin * n, *below = a + (size_t)end * n;
        solve_lower(kernel, top + begin, n, end - begin, top + end, n, n - end);
        kernel->multiply(below + end, n, -1, below + begin, n, 1, top + end, n, n - end, n - end, end - begin);
    }
    return true;
}

static void permute(const int* pivot, int n, double* x)
{
    for (int k = 0; k < n; k++)
    {
        double t = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = t;
    }
}

static void forward(const double* a, const int* pivot, int n, double* x)
{
    permute(pivot, n, x);
    for (int i = 1; i < n; i++) x[i] -= block_dot(a + (size_t)i * n, x, i);
}

static void backward(const double* a, int n, double* x)
{
    for (int i = n - 1; i >= 0; i--)
        x[i] = (x[i] - block_dot(a + (size_t)i * n + i + 1, x + i + 1, n - i - 1)) * a[(size_t)i * n + i];
}

void block_dense_solve(const double* a, const int* pivot, int n, double* x)
{
    forward(a, pivot, n, x);
    backward(a, n, x);
}

// ---- plan ----

static bool grow(void* pointer, size_t size)
{
    void** block = pointer;
    void* more = realloc(*block, size ? size : 1);
    if (more) *block = more;
    return more != NULL;
}

static bool plan_room(BlockFactor* f, int count, int total)
{
    size_t n = (size_t)count;
    if (count > f->count_room)
    {
        if (!grow(&f->order, n * sizeof(int)) || !grow(&f->link_end, n * sizeof(int)) ||
            !grow(&f->done, n * sizeof(bool)) || !grow(&f->work, n * sizeof(double)) ||
            !grow(&f->place, n * n * sizeof(long)))
            return false;
        f->count_room = count;
    }
    if (total > f->size_room)
    {
        if (!grow(&f->pivot, (size_t)total * sizeof(int))) return false;
        f->size_room = total;
    }
    return true;
}

#define IS(f, i, j) ((f)->place[(size_t)(i) * (size_t)(f)->count + (size_t)(j)] >= 0)
#define MARK(f, i, j) ((f)->place[(size_t)(i) * (size_t)(f)->count + (size_t)(j)] = 0)

// multiplications if body k were next
static double work_of(const BlockFactor* f, int k)
{
    double around = 0, own = f->size[k];
    for (int j = 0; j < f->count; j++)
        if (j != k && !f->done[j] && IS(f, k, j)) around += f->size[j];
    return own * (own * own / 3 + own * around + around * around);
}

static int cheapest(const BlockFactor* f)
{
    int best = -1;
    for (int k = 0; k < f->count; k++)
        if (!f->done[k] && (best < 0 || f->work[k] < f->work[best])) best = k;
    return best;
}

// eliminate body k: its neighbours become neighbours of each other. @return false without memory
static bool eliminate(BlockFactor* f, int k, int* links)
{
    int begin = *links;
    f->done[k] = true;
    if (*links + f->count > f->link_room)
    {
        int room = 2 * (*links + f->count);
        if (!grow(&f->link, (size_t)room * sizeof(int))) return false;
        f->link_room = room;
    }
    for (int j = 0; j < f->count; j++)
        if (!f->done[j] && IS(f, k, j)) f->link[(*links)++] = j;
    for (int a = begin; a < *links; a++)
        for (int b = begin; b < *links; b++) MARK(f, f->link[a], f->link[b]);
    for (int a = begin; a < *links; a++) f->work[f->link[a]] = work_of(f, f->link[a]);
    return true;
}

static bool plan_order(BlockFactor* f)
{
    int links = 0;
    f->cost = 0;
    memset(f->done, 0, (size_t)f->count * sizeof(bool));
    for (int k = 0; k < f->count; k++) f->work[k] = work_of(f, k);
    for (int step = 0; step < f->count; step++)
    {
        int k = cheapest(f);
        f->cost += f->work[k];
        f->order[step] = k;
        if (!eliminate(f, k, &links)) return false;
        f->link_end[step] = links;
    }
    return true;
}

static bool plan_places(BlockFactor* f)
{
    size_t next = 0, n = (size_t)f->count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (f->place[i * n + j] >= 0)
            {
                f->place[i * n + j] = (long)next;
                next += (size_t)f->size[i] * (size_t)f->size[j];
            }
    f->value_count = next;
    if (next <= f->value_room) return true;
    if (!grow(&f->value, next * sizeof(double))) return false;
    f->value_room = next;
    return true;
}

bool block_room(BlockFactor* f, int count, int total)
{
    const size_t links = (size_t)count * (size_t)count, values = (size_t)total * (size_t)total;
    if (!plan_room(f, count, total) || !grow(&f->link, links * sizeof(int)) ||
        !grow(&f->value, values * sizeof(double)))
        return false;
    f->link_room = (int)links;
    f->value_room = values;
    return true;
}

bool block_plan(BlockFactor* f, int count, const int* first, const int* size, const int (*pairs)[2], int pair_count)
{
    int total = 0;
    for (int k = 0; k < count; k++) total += size[k];
    if (!plan_room(f, count, total)) return false;
    f->count = count;
    f->first = first;
    f->size = size;
    for (size_t i = 0; i < (size_t)count * (size_t)count; i++) f->place[i] = -1;
    for (int k = 0; k < count; k++) MARK(f, k, k);
    for (int i = 0; i < pair_count; i++)
        if (pairs[i][0] >= 0 && pairs[i][1] >= 0)
        {
            MARK(f, pairs[i][0], pairs[i][1]);
            MARK(f, pairs[i][1], pairs[i][0]);
        }
    return plan_order(f) && plan_places(f);
}

void block_free(BlockFactor* f)
{
    free(f->order);
    free(f->link);
    free(f->link_end);
    free(f->place);
    free(f->value);
    free(f->pivot);
    free(f->done);
    free(f->work);
}

void block_clear(BlockFactor* f) { memset(f->value, 0, f->value_count * sizeof(double)); }

double* block_at(BlockFactor* f, int row, int column)
{
    return f->value + f->place[(size_t)row * (size_t)f->count + (size_t)column];
}

// ---- factor and solve ----

static const double* block_get(const BlockFactor* f, int row, int column)
{
    return f->value + f->place[(size_t)row * (size_t)f->count + (size_t)column];
}

// rows of b (m x n) <- b U^-1, U the upper part of a (n x n)
static void solve_upper_right(const double* a, int n, double* b, int m)
{
    for (int i = 0; i < m; i++)
        for (int l = 0; l < n; l++)
        {
            const double* row = a + (size_t)l * n;
            double* to = b + (size_t)i * n;
            double x = to[l] *= row[l];
            for (int j = l + 1; j < n; j++) to[j] -= x * row[j];
        }
}

static void factor_links(BlockFactor* f, int k, const int* link, int links)
{
    int n = f->size[k];
    const double* own = block_at(f, k, k);
    const int* pivot = f->pivot + f->first[k];
    for (int a = 0; a < links; a++)
    {
        int m = f->size[link[a]];
        double* right = block_at(f, k, link[a]);
        for (int i = 0; i < n; i++)
            if (pivot[i] != i) swap_rows(right, m, i, pivot[i]);
        solve_lower(f->kernel, own, n, n, right, m, m);
        solve_upper_right(own, n, block_at(f, link[a], k), m);
    }
    for (int a = 0; a < links; a++)
        for (int b = 0; b < links; b++)
        {
            int rows = f->size[link[a]], columns = f->size[link[b]];
            f->kernel->multiply(block_at(f, link[a], link[b]), columns, -1, block_at(f, link[a], k), n, 1,
                                block_at(f, k, link[b]), columns, rows, columns, n);
        }
}

bool block_factor(BlockFactor* f)
{
    for (int step = 0, begin = 0; step < f->count; begin = f->link_end[step++])
    {
        int k = f->order[step];
        if (!block_dense_factor(f->kernel, block_at(f, k, k), f->pivot + f->first[k], f->size[k])) return false;
        factor_links(f, k, f->link + begin, f->link_end[step] - begin);
    }
    return true;
}

// x_row -= A(row, column) x_column
static void subtract(const BlockFactor* f, int row, int column, double* x)
{
    const double* a = block_get(f, row, column);
    int n = f->size[column];
    for (int i = 0; i < f->size[row]; i++)
        x[f->first[row] + i] -= block_dot(a + (size_t)i * n, x + f->first[column], n);
}

void block_solve(const BlockFactor* f, double* x)
{
    for (int step = 0, l = 0; step < f->count; step++)
    {
        int k = f->order[step];
        forward(block_get(f, k, k), f->pivot + f->first[k], f->size[k], x + f->first[k]);
        // A_jk holds L_jk: of x_k = L^-1 P b
        for (; l < f->link_end[step]; l++) subtract(f, f->link[l], k, x);
    }
    for (int step = f->count - 1; step >= 0; step--)
    {
        int k = f->order[step], begin = step > 0 ? f->link_end[step - 1] : 0;
        for (int l = begin; l < f->link_end[step]; l++) subtract(f, k, f->link[l], x);
        backward(block_get(f, k, k), f->size[k], x + f->first[k]);
    }
}
