// SPDX-License-Identifier: MIT
// The modal step in plain C, and the choice of the variant.

#include "base/processor.h"
#include <string.h>

#if defined(__GNUC__)
// two lanes: SSE2, NEON, WebAssembly
#define WIDTH 2
typedef double Vec __attribute__((vector_size(16)));
static inline double vec_sum(Vec a) { return a[0] + a[1]; }
static inline Vec vec_set(double a) { return (Vec){a, a}; }
#else
#define WIDTH 1
typedef double Vec;
static inline double vec_sum(Vec a) { return a; }
static inline Vec vec_set(double a) { return a; }
#endif
static inline Vec vec_load(const double* p)
{
    Vec a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline void vec_store(double* p, Vec a) { memcpy(p, &a, sizeof a); }
static inline Vec vec_mul(Vec a, Vec b) { return a * b; }
static inline Vec vec_add(Vec a, Vec b) { return a + b; }
static inline Vec vec_fma(Vec a, Vec b, Vec c) { return a * b + c; }

#include "pass_kernel.h"

void pass_generic(const Pass* pass) { pass_any(pass); }

PassFunction pass_select(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (tw_processor_runs("avx512", NULL)) return pass_avx512;
    if (tw_processor_runs("avx2", NULL)) return pass_avx2;
#endif
    return pass_generic;
}
