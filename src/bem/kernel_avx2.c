// SPDX-License-Identifier: MIT
// The hot loops with AVX2.
#include <immintrin.h>

#define WIDTH 8
typedef float Vec __attribute__((vector_size(4 * WIDTH)));
typedef unsigned Bits __attribute__((vector_size(4 * WIDTH)));
static inline Vec vec_sqrt(Vec a) { return (Vec)_mm256_sqrt_ps((__m256)a); }

typedef double Wide __attribute__((vector_size(4 * WIDTH)));
typedef unsigned long long WideBits __attribute__((vector_size(4 * WIDTH)));
static inline Wide wide_sqrt(Wide a) { return (Wide)_mm256_sqrt_pd((__m256d)a); }

#define BEM_KERNEL bem_avx2
#define BEM_KERNEL_NAME "avx2"
#include "kernel_body.h"
