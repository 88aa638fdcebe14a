// SPDX-License-Identifier: MIT
// Least squares of least norm by a complete orthogonal decomposition (Golub and Van Loan, Matrix Computations, 5.4.1-2
// and 5.5): Householder reflections with column pivoting, A P = Q R, stop when what is left of every column is below a
// tolerance; reflections from the right then clear what is left beside the triangle of rank r,
//
//     A P = Q [T 0; 0 0] Z^T,     x = P Z [T^-1 (Q^T b)_1..r; 0].
//
// A reflection is H = I - tau v v^T with v_0 = 1. Everything lies in one block: rank, scale, A by columns (with R and
// the v below and beside it), then tau of Q, tau of Z, norms of columns, their first values, pivots, and room for Q^T b
// and y. A is divided by its largest entry, so that squares neither over- nor underflow.
#include "twang/math.h"

typedef struct Parts
{
    double *rank, *scale;
    double* a;              // (rows x cols), by columns
    double *tau, *right;    // (the smaller of rows and cols) of Q, of Z
    double *norm, *first;   // (cols)
    double* pivot;          // (cols) which column it was
    double *left, *answer;  // (rows), (cols)
} Parts;

static int smaller(int a, int b) { return a < b ? a : b; }

size_t tw_least_squares_scratch(int rows, int cols)
{
    TW_ASSERT(rows >= 0 && cols >= 0);
    size_t m = (size_t)rows, n = (size_t)cols;
    return 2 + m * n + 2 * (size_t)smaller(rows, cols) + m + 4 * n;
}

static Parts parts_of(double* scratch, int rows, int cols)
{
    int least = smaller(rows, cols);
    Parts p = {.rank = scratch, .scale = scratch + 1, .a = scratch + 2};
    p.tau = p.a + (size_t)rows * (size_t)cols;
    p.right = p.tau + least;
    p.norm = p.right + least;
    p.first = p.norm + cols;
    p.pivot = p.first + cols;
    p.left = p.pivot + cols;
    p.answer = p.left + rows;
    return p;
}

// several sums side by side, so that additions need not wait for each other
static double dot(const double* x, const double* y, int n)
{
    double sums[8] = {0}, rest = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) sums[k] += x[i + k] * y[i + k];
    for (; i < n; i++) rest += x[i] * y[i];
    return (((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))) + rest;
}

static double norm_of(const double* x, int n) { return sqrt(dot(x, x, n)); }

// The reflection that takes (*head, tail) to (new head, 0), norm of the tail given; tail becomes v_1... @return tau
static double reflection(double* head, double* tail, int count, int stride, double tail_norm)
{
    if (!(tail_norm > 0)) return 0;
    double length = sqrt(*head * *head + tail_norm * tail_norm), beta = *head > 0 ? -length : length;
    double tau = (beta - *head) / beta, divisor = *head - beta;
    for (int i = 0; i < count; i++) tail[(size_t)i * (size_t)stride] /= divisor;
    *head = beta;
    return tau;
}

// x = H x for v = (1, tail), both of length 1 + count
static void reflect(double* restrict x, const double* restrict tail, int count, double tau)
{
    const double sum = tau * (x[0] + dot(tail, x + 1, count));
    x[0] -= sum;
    for (int i = 0; i < count; i++) x[1 + i] -= sum * tail[i];
}

// ---- A P = Q R ----

// Copy by columns, divided by the largest entry. @return false if it is zero or not finite
static bool load(const Parts* p, const double* a, int rows, int cols)
{
    double largest = 0;
    bool finite = true;
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++)
    {
        if (!(fabs(a[i]) <= DBL_MAX)) finite = false;
        if (fabs(a[i]) > largest) largest = fabs(a[i]);
    }
    *p->scale = largest;
    if (!finite || !(largest > 0)) return false;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            p->a[(size_t)j * (size_t)rows + (size_t)i] = a[(size_t)i * (size_t)cols + (size_t)j] / largest;
    for (int j = 0; j < cols; j++)
    {
        p->norm[j] = p->first[j] = norm_of(p->a + (size_t)j * (size_t)rows, rows);
        p->pivot[j] = j;
    }
    return true;
}

static void swap(double* a, double* b, int count)
{
    for (int i = 0; i < count; i++)
    {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// bring the longest column that is left to place k
static void choose(const Parts* p, int rows, int cols, int k)
{
    int best = k;
    for (int j = k + 1; j < cols; j++)
        if (p->norm[j] > p->norm[best]) best = j;
    if (best == k) return;
    swap(p->a + (size_t)k * (size_t)rows, p->a + (size_t)best * (size_t)rows, rows);
    swap(p->norm + k, p->norm + best, 1);
    swap(p->first + k, p->first + best, 1);
    swap(p->pivot + k, p->pivot + best, 1);
}

// What is left of a column without its entry k: |x'|^2 = |x|^2 - x_k^2, anew where that cancels
static void shorten(const Parts* p, int rows, int k, int j)
{
    const double* x = p->a + (size_t)j * (size_t)rows;
    double share = x[k] / p->norm[j], rest = fmax(0, (1 - share) * (1 + share)), ratio = p->norm[j] / p->first[j];
    if (rest * ratio * ratio > sqrt(DBL_EPSILON))
        p->norm[j] *= sqrt(rest);
    else
        p->norm[j] = p->first[j] = norm_of(x + k + 1, rows - k - 1);
}

// @return rank
static int triangulate(const Parts* p, int rows, int cols, double tolerance)
{
    int least = smaller(rows, cols);
    double limit = 0;
    for (int k = 0; k < least; k++)
    {
        choose(p, rows, cols, k);
        if (k == 0) limit = tolerance * p->norm[0];
        double* x = p->a + (size_t)k * (size_t)rows + (size_t)k;
        if (!(norm_of(x, rows - k) > limit)) return k;
        p->tau[k] = reflection(x, x + 1, rows - k - 1, 1, norm_of(x + 1, rows - k - 1));
        for (int j = k + 1; j < cols; j++)
        {
            reflect(p->a + (size_t)j * (size_t)rows + (size_t)k, x + 1, rows - k - 1, p->tau[k]);
            if (p->norm[j] > 0) shorten(p, rows, k, j);
        }
    }
    return least;
}

// ---- R = [T 0] Z^T ----

// clear what is beside the triangle, last row first; the rows above take part
static void clear_right(const Parts* p, int rows, int cols, int rank)
{
    double* beside = p->a + (size_t)rank * (size_t)rows;  // the column after the triangle
    for (int k = rank - 1; k >= 0; k--)
    {
        double* column = p->a + (size_t)k * (size_t)rows;
        double sum = 0;
        for (int j = 0; j < cols - rank; j++)
            sum += beside[(size_t)j * (size_t)rows + (size_t)k] * beside[(size_t)j * (size_t)rows + (size_t)k];
        p->right[k] = reflection(&column[k], beside + k, cols - rank, rows, sqrt(sum));

        // rows i: what the reflection takes, gathered by columns
        double* dot = p->left;
        for (int i = 0; i < k; i++) dot[i] = column[i];
        for (int j = 0; j < cols - rank; j++)
            for (int i = 0; i < k; i++)
                dot[i] += beside[(size_t)j * (size_t)rows + (size_t)i] * beside[(size_t)j * (size_t)rows + (size_t)k];
        for (int i = 0; i < k; i++) column[i] -= p->right[k] * dot[i];
        for (int j = 0; j < cols - rank; j++)
            for (int i = 0; i < k; i++)
                beside[(size_t)j * (size_t)rows + (size_t)i] -=
                    p->right[k] * dot[i] * beside[(size_t)j * (size_t)rows + (size_t)k];
    }
}

int tw_least_squares_factor(const double* a, int rows, int cols, double tolerance, double* scratch)
{
    TW_ASSERT(rows >= 0 && cols >= 0);
    Parts p = parts_of(scratch, rows, cols);
    int most = rows > cols ? rows : cols, rank = 0;
    if (load(&p, a, rows, cols)) rank = triangulate(&p, rows, cols, fmax(tolerance, most * DBL_EPSILON));
    if (rank < cols) clear_right(&p, rows, cols, rank);
    *p.rank = rank;
    return rank;
}

// ---- x = P Z [T^-1 Q^T b; 0] ----

static void apply_right(const Parts* p, int rows, int cols, int rank, double* y)
{
    const double* beside = p->a + (size_t)rank * (size_t)rows;
    for (int k = 0; k < rank; k++)
    {
        double sum = y[k];
        for (int j = 0; j < cols - rank; j++) sum += beside[(size_t)j * (size_t)rows + (size_t)k] * y[rank + j];
        sum *= p->right[k];
        y[k] -= sum;
        for (int j = 0; j < cols - rank; j++) y[rank + j] -= sum * beside[(size_t)j * (size_t)rows + (size_t)k];
    }
}

void tw_least_squares_solve(double* x, const double* b, int rows, int cols, double* scratch)
{
    Parts p = parts_of(scratch, rows, cols);
    int rank = (int)*p.rank;
    for (int i = 0; i < rows; i++) p.left[i] = b[i];
    for (int j = 0; j < cols; j++) x[j] = 0;
    if (rank == 0) return;

    // Q^T b, then T^-1
    for (int k = 0; k < rank; k++)
        reflect(p.left + k, p.a + (size_t)k * (size_t)rows + (size_t)k + 1, rows - k - 1, p.tau[k]);
    for (int k = rank - 1; k >= 0; k--)
    {
        const double* column = p.a + (size_t)k * (size_t)rows;
        p.answer[k] = p.left[k] / column[k];
        for (int i = 0; i < k; i++) p.left[i] -= column[i] * p.answer[k];
    }

    for (int j = rank; j < cols; j++) p.answer[j] = 0;
    if (rank < cols) apply_right(&p, rows, cols, rank, p.answer);
    for (int j = 0; j < cols; j++) x[(int)p.pivot[j]] = p.answer[j] / *p.scale;
}

int tw_least_squares(double* x, const double* a, int rows, int cols, const double* b, double tolerance, double* scratch)
{
    int rank = tw_least_squares_factor(a, rows, cols, tolerance, scratch);
    tw_least_squares_solve(x, b, rows, cols, scratch);
    return rank;
}
