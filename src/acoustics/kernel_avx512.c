// SPDX-License-Identifier: MIT
// The hot loops with AVX-512.
#include <immintrin.h>

#define WIDTH 8
typedef __m512d Vec;
static inline Vec vec_load(const double* p) { return _mm512_loadu_pd(p); }
static inline void vec_store(double* p, Vec a) { _mm512_storeu_pd(p, a); }
static inline Vec vec_set(double a) { return _mm512_set1_pd(a); }
static inline Vec vec_add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
static inline Vec vec_sub(Vec a, Vec b) { return _mm512_sub_pd(a, b); }
static inline Vec vec_mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
static inline Vec vec_div(Vec a, Vec b) { return _mm512_div_pd(a, b); }
static inline Vec vec_sqrt(Vec a) { return _mm512_sqrt_pd(a); }
static inline Vec vec_max(Vec a, Vec b) { return _mm512_max_pd(a, b); }
static inline Vec vec_abs(Vec a) { return _mm512_abs_pd(a); }
static inline Vec vec_floor(Vec a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
static inline unsigned vec_less(Vec a, Vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline Vec vec_pick(unsigned bits, Vec a) { return _mm512_maskz_mov_pd((__mmask8)bits, a); }

#define FLOATS 16
typedef __m512 Floats;
static inline Floats floats_load(const float* p) { return _mm512_loadu_ps(p); }
static inline void floats_store(float* p, Floats a) { _mm512_storeu_ps(p, a); }
static inline Floats floats_set(float a) { return _mm512_set1_ps(a); }
static inline Floats floats_add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
static inline Floats floats_mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }

#define KERNEL acoustics_avx512
#define KERNEL_NAME "avx512"
#include "kernel_body.h"
