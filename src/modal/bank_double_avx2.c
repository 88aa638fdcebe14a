// SPDX-License-Identifier: MIT
// The bank in double with AVX2 and FMA: 4 lanes.
#include <immintrin.h>

#define LANES 4
#define VOICES 4
typedef double real;
typedef __m256d vf;

static inline vf vf_set(real a) { return _mm256_set1_pd(a); }
static inline vf vf_load(const real* p) { return _mm256_loadu_pd(p); }
static inline void vf_store(real* p, vf a) { _mm256_storeu_pd(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_pd(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_pd(a, b); }
static inline vf vf_abs(vf a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_pd(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm256_fnmadd_pd(a, b, c); }

static inline vf vf_keep(vf a, vf size, vf low, vf high)
{
    vf inside = _mm256_and_pd(_mm256_cmp_pd(size, low, _CMP_GE_OQ), _mm256_cmp_pd(size, high, _CMP_LE_OQ));
    return _mm256_and_pd(inside, a);
}

static inline vf vf_zip_low(vf a, vf b)
{
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x20);
}

static inline vf vf_zip_high(vf a, vf b)
{
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x31);
}

#include "bank_kernel.h"

const BankVariant tw_bank_double_avx2 = {"avx2", LANES, run_group};
