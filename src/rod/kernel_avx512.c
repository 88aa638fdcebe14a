// SPDX-License-Identifier: MIT
// The rod with AVX-512: eight doubles at a time, but for the solve.
#include <immintrin.h>

#define W 8
typedef double VW __attribute__((vector_size(64)));
static inline __attribute__((always_inline)) VW vw_sqrt(VW a) { return (VW)_mm512_sqrt_pd((__m512d)a); }
typedef float F8 __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) F8 f8_twice(const float* p)
{
    return (F8)_mm256_broadcast_ps((const __m128*)p);
}
static inline __attribute__((always_inline)) VW vw_twice(const double* p)
{
    return (VW)_mm512_broadcast_f64x4(_mm256_loadu_pd(p));
}

#include "kernel.h"

const RodKernel tw_rod_kernel_avx512 = KERNEL_TABLE("avx512");
