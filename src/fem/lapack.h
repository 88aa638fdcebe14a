// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

// All matrices by columns, ld... their leading dimensions.

// c = alpha op(a) op(b) + beta c, with op(a) (m x k); ta, tb: 'N' or 'T'
void fem_gemm(char ta, char tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
              double beta, double* c, int ldc);
double fem_gemm_rate(void);  // operations per second of a product of middling size, measured in a few milliseconds
// a = R^T R, R in the upper triangle. @return false if a is not positive definite
bool fem_cholesky(int n, double* a, int lda);
// x = x R^-1 with x (m x n) and R upper
void fem_solve_right(int m, int n, const double* r, int ldr, double* x, int ldx);
// eigenvalues of a (n x n, upper triangle), ascending; the vectors replace a. Work: fem_eigen_work(n) doubles, then
// ints
size_t fem_eigen_work(int n);  // doubles, with the ints in the same block
bool fem_eigen(int n, double* a, double* values, double* work);
// a x = value b x with b positive definite; vectors with x^T b x = 1 replace a, b is lost
bool fem_eigen_general(int n, double* a, double* b, double* values, double* work);
// a complex matrix (n x n) in single precision, factored in place with pivots (n). @return false if it is singular
bool fem_complex_factor(int n, float* a, int* pivot);
// b (n complex) becomes the solution
void fem_complex_solve(int n, const float* factor, const int* pivot, float* b);
// set the threads of the BLAS if it is one that can. @return how many it had; 0: not known
int fem_blas_threads(int threads);
