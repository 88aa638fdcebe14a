// SPDX-License-Identifier: MIT
// The modal step in plain C, and the choice of the variant.

#define WIDTH 1
typedef double Vec;
static inline Vec vec_load(const double* p) { return *p; }
static inline void vec_store(double* p, Vec a) { *p = a; }
static inline Vec vec_set(double a) { return a; }
static inline Vec vec_mul(Vec a, Vec b) { return a * b; }
static inline Vec vec_add(Vec a, Vec b) { return a + b; }
static inline Vec vec_fma(Vec a, Vec b, Vec c) { return a * b + c; }
static inline double vec_sum(Vec a) { return a; }

#include "pass_kernel.h"

void pass_generic(const Pass* pass) { pass_any(pass); }

PassFunction pass_select(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return pass_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return pass_avx2;
#endif
    return pass_generic;
}
