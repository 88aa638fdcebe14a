// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// Fits of spectra by the few cosines or sines that a short filter has (internal).

enum
{
    SERIES_MAX = 64  ///< terms
};

/// Minimise sum_i (weight_i (sum_k c_k basis_k(f_i) - target_i))^2 over terms k = first .. first + n - 1, basis cos(2 pi k f) or
/// sin(2 pi k f); frequency, target and weight (grid). work (n x n). @return false if there is no unique minimum
bool series_fit(double* c, double* work, bool sines, int first, int n, const double* frequency, const double* target,
                const double* weight, int grid);
