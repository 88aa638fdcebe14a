// SPDX-License-Identifier: MIT
// The bank in double for any processor: 2 lanes where the compiler has vector types (SSE2, NEON, wasm), else 1.
// Multiplies and adds round separately.
#include <math.h>
#include <string.h>

typedef double real;

#if defined(__GNUC__)
#define LANES 2
#define VOICES 5
typedef double vf __attribute__((vector_size(16)));
typedef long long vf_bits __attribute__((vector_size(16)));

static inline vf vf_set(real a) { return (vf){a, a}; }
static inline vf vf_abs(vf a) { return (vf)((vf_bits)a & 0x7fffffffffffffff); }
static inline vf vf_keep(vf a, vf size, vf low, vf high) { return (vf)((vf_bits)a & (size >= low) & (size <= high)); }
static inline vf vf_zip_low(vf a, vf b) { return (vf){a[0], b[0]}; }
static inline vf vf_zip_high(vf a, vf b) { return (vf){a[1], b[1]}; }
#else
#define LANES 1
#define VOICES 5
typedef double vf;

static inline vf vf_set(real a) { return a; }
static inline vf vf_abs(vf a) { return fabs(a); }
static inline vf vf_keep(vf a, vf size, vf low, vf high) { return size >= low && size <= high ? a : 0; }
static inline vf vf_zip_low(vf a, vf b) { return (void)b, a; }
static inline vf vf_zip_high(vf a, vf b) { return (void)a, b; }
#endif

static inline vf vf_load(const real* p)
{
    vf a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline void vf_store(real* p, vf a) { memcpy(p, &a, sizeof a); }
static inline vf vf_add(vf a, vf b) { return a + b; }
static inline vf vf_mul(vf a, vf b) { return a * b; }
static inline vf vf_fma(vf a, vf b, vf c) { return a * b + c; }
static inline vf vf_fnma(vf a, vf b, vf c) { return c - a * b; }

#include "bank_kernel.h"

const BankVariant tw_bank_double_generic = {"generic", LANES, run_group};
