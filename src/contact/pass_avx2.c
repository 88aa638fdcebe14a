// SPDX-License-Identifier: MIT
// The modal step with AVX2 and FMA.

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#define WIDTH 4
typedef __m256d Vec;
static inline Vec vec_load(const double* p) { return _mm256_load_pd(p); }
static inline void vec_store(double* p, Vec a) { _mm256_store_pd(p, a); }
static inline Vec vec_set(double a) { return _mm256_set1_pd(a); }
static inline Vec vec_mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
static inline Vec vec_add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
static inline Vec vec_fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }
static inline double vec_sum(Vec a)
{
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

#include "pass_kernel.h"

void pass_avx2(const Pass* pass) { pass_any(pass); }
#else
#include "pass.h"

void pass_avx2(const Pass* pass) { pass_generic(pass); }
#endif
