// SPDX-License-Identifier: MIT
// The bank in float for any processor: 4 lanes where the compiler has vector types (SSE2, NEON, wasm), else 1.
// Multiplies and adds round separately.
#include <math.h>
#include <string.h>

typedef float real;

#if defined(__GNUC__)
#define LANES 4
#define VOICES 5
typedef float vf __attribute__((vector_size(16)));
typedef int vf_bits __attribute__((vector_size(16)));

static inline vf vf_set(real a) { return (vf){a, a, a, a}; }
static inline vf vf_abs(vf a) { return (vf)((vf_bits)a & 0x7fffffff); }
static inline vf vf_keep(vf a, vf size, vf low, vf high) { return (vf)((vf_bits)a & (size >= low) & (size <= high)); }
static inline vf vf_zip_low(vf a, vf b) { return (vf){a[0], b[0], a[1], b[1]}; }
static inline vf vf_zip_high(vf a, vf b) { return (vf){a[2], b[2], a[3], b[3]}; }
#else
#define LANES 1
#define VOICES 5
typedef float vf;

static inline vf vf_set(real a) { return a; }
static inline vf vf_abs(vf a) { return fabsf(a); }
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

const BankVariant tw_bank_float_generic = {"generic", LANES, run_group};
