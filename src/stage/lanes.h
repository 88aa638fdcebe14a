// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Sums side by side, so that additions need not wait for each other (internal). Their order is fixed.

enum
{
    LANES = 8
};

static inline double sum_lanes(const double* x)
{
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

static inline double dot(const double* a, const double* b, int count)
{
    double sums[LANES] = {0};
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) sums[k] += a[i + k] * b[i + k];
    double sum = sum_lanes(sums);
    for (; i < count; i++) sum += a[i] * b[i];
    return sum;
}
