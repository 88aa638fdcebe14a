// SPDX-License-Identifier: MIT
// The modal step with AVX-512.

#if defined(__AVX512F__)
#include <immintrin.h>

#define WIDTH 8
typedef __m512d Vec;
static inline Vec vec_load(const double* p) { return _mm512_load_pd(p); }
static inline void vec_store(double* p, Vec a) { _mm512_store_pd(p, a); }
static inline Vec vec_set(double a) { return _mm512_set1_pd(a); }
static inline Vec vec_mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
static inline Vec vec_add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
static inline Vec vec_fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }
static inline double vec_sum(Vec a) { return _mm512_reduce_add_pd(a); }

#include "pass_kernel.h"

void pass_avx512(const Pass* pass) { pass_any(pass); }
#else
#include "pass.h"

void pass_avx512(const Pass* pass) { pass_generic(pass); }
#endif
