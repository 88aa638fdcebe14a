// SPDX-License-Identifier: MIT
// The bank in float with AVX-512: 16 lanes.
#include <immintrin.h>

#define LANES 16
#define VOICES 5
typedef float real;
typedef __m512 vf;

static inline vf vf_set(real a) { return _mm512_set1_ps(a); }
static inline vf vf_load(const real* p) { return _mm512_loadu_ps(p); }
static inline void vf_store(real* p, vf a) { _mm512_storeu_ps(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm512_abs_ps(a); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); }

static inline vf vf_keep(vf a, vf size, vf low, vf high)
{
    __mmask16 inside = _mm512_cmp_ps_mask(size, low, _CMP_GE_OQ);
    return _mm512_maskz_mov_ps(_mm512_mask_cmp_ps_mask(inside, size, high, _CMP_LE_OQ), a);
}

static inline vf vf_zip_low(vf a, vf b)
{
    return _mm512_permutex2var_ps(a, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), b);
}

static inline vf vf_zip_high(vf a, vf b)
{
    return _mm512_permutex2var_ps(a, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
                                  b);
}

#include "bank_kernel.h"

const BankVariant tw_bank_float_avx512 = {"avx512", LANES, run_group};
