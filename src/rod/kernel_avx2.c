// SPDX-License-Identifier: MIT
// The rod with AVX2 and FMA: four doubles at a time.
#include <immintrin.h>

#define W 4
typedef double VW __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) VW vw_sqrt(VW a) { return (VW)_mm256_sqrt_pd((__m256d)a); }
typedef float F8 __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) F8 f8_twice(const float* p)
{
    return (F8)_mm256_broadcast_ps((const __m128*)p);
}

#include "kernel.h"

const RodKernel tw_rod_kernel_avx2 = KERNEL_TABLE("avx2");
