// SPDX-License-Identifier: MIT
// Least squares by normal equations: few terms, many frequencies, well conditioned.
#include "series.h"
#include "twang/math.h"

bool series_fit(double* c, double* work, bool sines, int first, int n, const double* frequency, const double* target,
                const double* weight, int grid)
{
    TW_ASSERT(n <= SERIES_MAX);
    for (int k = 0; k < n * n; k++) work[k] = 0;
    for (int k = 0; k < n; k++) c[k] = 0;
    for (int i = 0; i < grid; i++)
    {
        double row[SERIES_MAX], w = weight[i];
        for (int k = 0; k < n; k++)
        {
            double angle = 2 * TW_PI * (k + first) * frequency[i];
            row[k] = w * (sines ? sin(angle) : cos(angle));
        }
        for (int k = 0; k < n; k++)
        {
            c[k] += row[k] * w * target[i];
            for (int j = 0; j <= k; j++) work[k * n + j] += row[k] * row[j];
        }
    }
    // a trace of their size keeps the equations solvable
    for (int k = 0; k < n; k++) work[k * n + k] *= 1 + 1e-13;
    if (!tw_cholesky_factor(work, n)) return false;
    tw_cholesky_solve(work, n, c);
    return true;
}
