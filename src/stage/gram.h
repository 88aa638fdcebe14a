// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stddef.h>

/// @file
/// The pseudo-inverse of a product of two narrow matrices (internal): more grabs than ways to move.

typedef struct Gram
{
    int rows, columns, n;
    double* left;                        ///< R (rows x n), row-major
    double* right;                       ///< G (columns x n): the matrix is R G^T
    double *left_factor, *right_factor;  ///< of R^T R and G^T G (n x n): upper triangles U, U^T U
    double *x, *left_size, *right_size;  ///< (n) each: squares of columns
    double *left_rest, *right_rest;      ///< (n) each: of what is new in a column
    double *rest, *more;                 ///< (rows), (columns)
} Gram;

/// x becomes (U^T U)^-1 x, U the upper triangle of u (n x n), by rows.
void solve_triangles(const double* u, int n, double* x);

/// Numbers that it takes.
size_t gram_size(int rows, int columns, int n);
/// Set it up in such a block; left and right are for the caller to fill.
void gram_place(Gram* gram, int rows, int columns, int n, double* block);
bool gram_factor_left(Gram* gram);  ///< @return false: R is not clearly of rank n
bool gram_factor_right(Gram* gram);
bool gram_is_safe(const Gram* gram, double least);  ///< no direction of the product is below least of the largest
/// p (columns) of least norm among those with the least |R G^T p - b|.
void gram_solve(Gram* gram, const double* b, double* p);
/// The same but for the squares of condition numbers, for those who come back with what is left.
void gram_solve_roughly(Gram* gram, const double* b, double* p);
/// R G^T p (rows).
void gram_times(Gram* gram, const double* p, double* out);
