// SPDX-License-Identifier: MIT
// Small dense systems (Golub and Van Loan, Matrix Computations, 3.4 and 4.2): Gaussian elimination with partial
// pivoting, P A = L U with unit L below the diagonal and U on and above it, and Cholesky's A = L L^T. Both run along
// rows, as the matrices are stored.
#include "twang/math.h"

// ---- LU ----

static void swap_rows(double* a, int n, int i, int j)
{
    for (int k = 0; k < n; k++)
    {
        double t = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = t;
    }
}

// row of the largest entry of column k at or below the diagonal; a NaN that is passed over spreads and ends as a pivot
static int largest_row(const double* a, int n, int k)
{
    int row = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[row * n + k])) row = i;
    return row;
}

// A pivot is round-off if it is n eps of what was subtracted to get it: the entries of U above it (|L| <= 1). Scaling
// a column changes nothing.
static bool is_pivot(const double* a, int n, int k)
{
    double above = 0;
    for (int i = 0; i < k; i++) above = fmax(above, fabs(a[i * n + k]));
    double pivot = fabs(a[k * n + k]);
    return pivot > n * DBL_EPSILON * above && pivot <= DBL_MAX;
}

bool tw_lu_factor(double* a, int* pivot, int n)
{
    TW_ASSERT(n >= 0);
    for (int k = 0; k < n; k++)
    {
        pivot[k] = largest_row(a, n, k);
        if (pivot[k] != k) swap_rows(a, n, k, pivot[k]);
        if (!is_pivot(a, n, k)) return false;

        // row i minus its multiple of row k
        for (int i = k + 1; i < n; i++)
        {
            double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

void tw_lu_solve(const double* a, const int* pivot, int n, double* b)
{
    // P b: factoring swapped whole rows, so all swaps come first
    for (int k = 0; k < n; k++)
    {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }

    // L y = P b, then U x = y
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--)
    {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

// ---- Cholesky ----

bool tw_cholesky_factor(double* a, int n)
{
    TW_ASSERT(n >= 0);
    for (int i = 0; i < n; i++)
    {
        double* row = a + i * n;
        double diagonal = row[i];
        for (int j = 0; j < i; j++)
        {
            const double* other = a + j * n;
            for (int k = 0; k < j; k++) row[j] -= row[k] * other[k];
            row[j] /= other[j];
            row[i] -= row[j] * row[j];
        }

        // what is left of the diagonal must be more than round-off of it
        if (!(row[i] > n * DBL_EPSILON * diagonal && row[i] <= DBL_MAX)) return false;
        row[i] = sqrt(row[i]);
    }
    return true;
}

void tw_cholesky_solve(const double* a, int n, double* b)
{
    // L y = b, then L^T x = y
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--)
    {
        b[i] /= a[i * n + i];
        for (int j = 0; j < i; j++) b[j] -= a[i * n + j] * b[i];
    }
}
