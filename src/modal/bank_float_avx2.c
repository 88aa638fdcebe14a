// SPDX-License-Identifier: MIT
// The bank in float with AVX2 and FMA: 8 lanes.
#include <immintrin.h>

#define LANES 8
#define VOICES 4
typedef float real;
typedef __m256 vf;

static inline vf vf_set(real a) { return _mm256_set1_ps(a); }
static inline vf vf_load(const real* p) { return _mm256_loadu_ps(p); }
static inline void vf_store(real* p, vf a) { _mm256_storeu_ps(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); }

static inline vf vf_keep(vf a, vf size, vf low, vf high)
{
    vf inside = _mm256_and_ps(_mm256_cmp_ps(size, low, _CMP_GE_OQ), _mm256_cmp_ps(size, high, _CMP_LE_OQ));
    return _mm256_and_ps(inside, a);
}

static inline vf vf_zip_low(vf a, vf b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}

static inline vf vf_zip_high(vf a, vf b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}

#include "bank_kernel.h"

const BankVariant tw_bank_float_avx2 = {"avx2", LANES, run_group};
