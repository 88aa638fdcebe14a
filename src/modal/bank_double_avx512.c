// SPDX-License-Identifier: MIT
// The bank in double with AVX-512: 8 lanes.
#include <immintrin.h>

#define LANES 8
#define VOICES 5
typedef double real;
typedef __m512d vf;

static inline vf vf_set(real a) { return _mm512_set1_pd(a); }
static inline vf vf_load(const real* p) { return _mm512_loadu_pd(p); }
static inline void vf_store(real* p, vf a) { _mm512_storeu_pd(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm512_add_pd(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_pd(a, b); }
static inline vf vf_abs(vf a) { return _mm512_abs_pd(a); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_pd(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm512_fnmadd_pd(a, b, c); }

static inline vf vf_keep(vf a, vf size, vf low, vf high)
{
    __mmask8 inside = _mm512_cmp_pd_mask(size, low, _CMP_GE_OQ);
    return _mm512_maskz_mov_pd(_mm512_mask_cmp_pd_mask(inside, size, high, _CMP_LE_OQ), a);
}

static inline vf vf_zip_low(vf a, vf b)
{
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}

static inline vf vf_zip_high(vf a, vf b)
{
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}

#include "bank_kernel.h"

const BankVariant tw_bank_double_avx512 = {"avx512", LANES, run_group};
