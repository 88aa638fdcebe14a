// SPDX-License-Identifier: MIT
// The rod with AVX-512: eight doubles at a time, but for the solve.
#include <immintrin.h>

#define W 8
typedef double VW __attribute__((vector_size(64)));
static inline __attribute__((always_inline)) VW vw_sqrt(VW a) { return (VW)_mm512_sqrt_pd((__m512d)a); }

#include "kernel.h"

const RodKernel tw_rod_kernel_avx512 = KERNEL_TABLE("avx512");
