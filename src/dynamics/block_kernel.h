// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

/// @file
/// The inner loops of contacts (internal), one table per instruction set. Matrices are row-major.

typedef struct BlockKernel
{
    const char* name;
    /// out += rows v: three rows of n
    void (*dot3)(const double* rows, int n, const double* v, double out[3]);
    /// out += squares of rows times weights, summed
    void (*square3)(const double* rows, int n, const double* weight, double out[3]);
    /// out += rows^T p
    void (*add3)(const double* rows, int n, const double p[3], double* out);
    /// the same with one row
    double (*dot1)(const double* row, int n, const double* v);
    double (*square1)(const double* row, int n, const double* weight);
    void (*add1)(const double* row, int n, double p, double* out);
    /// out += a b^T: three rows of n each
    void (*gram3)(const double* a, const double* b, int n, double out[3][3]);
    /// c (m x n, rows c_stride apart) += f a b, with a(i, l) = a[i a_row + l a_column] and b (k x n, rows b_stride apart)
    void (*multiply)(double* c, int c_stride, double f, const double* a, int a_row, int a_column, const double* b,
                     int b_stride, int m, int n, int k);
    /// out = rows v: three rows of n, stride apart
    void (*bend3)(const float* rows, size_t stride, int n, const double* v, double out[3]);
} BlockKernel;

/// "avx2", "generic", or NULL for the best that runs here. @return NULL if it does not run
const BlockKernel* tw_block_kernel(const char* name);

extern const BlockKernel tw_block_kernel_avx2, tw_block_kernel_generic;
