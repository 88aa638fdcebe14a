// SPDX-License-Identifier: MIT
// The hot loops with AVX2.
#include <immintrin.h>

#define WIDTH 4
typedef __m256d Vec;
static inline Vec vec_load(const double* p) { return _mm256_loadu_pd(p); }
static inline void vec_store(double* p, Vec a) { _mm256_storeu_pd(p, a); }
static inline Vec vec_set(double a) { return _mm256_set1_pd(a); }
static inline Vec vec_add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
static inline Vec vec_sub(Vec a, Vec b) { return _mm256_sub_pd(a, b); }
static inline Vec vec_mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
static inline Vec vec_div(Vec a, Vec b) { return _mm256_div_pd(a, b); }
static inline Vec vec_sqrt(Vec a) { return _mm256_sqrt_pd(a); }
static inline Vec vec_max(Vec a, Vec b) { return _mm256_max_pd(a, b); }
static inline Vec vec_abs(Vec a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline Vec vec_floor(Vec a) { return _mm256_floor_pd(a); }
static inline unsigned vec_less(Vec a, Vec b) { return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)); }
static inline Vec vec_pick(unsigned bits, Vec a)
{
    // a lane of all ones where its bit is set
    __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8), set = _mm256_and_si256(_mm256_set1_epi64x(bits), lane);
    return _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, lane)));
}

#define FLOATS 8
typedef __m256 Floats;
static inline Floats floats_load(const float* p) { return _mm256_loadu_ps(p); }
static inline void floats_store(float* p, Floats a) { _mm256_storeu_ps(p, a); }
static inline Floats floats_set(float a) { return _mm256_set1_ps(a); }
static inline Floats floats_add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
static inline Floats floats_mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }

#define KERNEL acoustics_avx2
#define KERNEL_NAME "avx2"
#include "kernel_body.h"
