// SPDX-License-Identifier: MIT
// The hot loops with AVX-512.
#include <immintrin.h>

#define WIDTH 16
typedef float Vec __attribute__((vector_size(4 * WIDTH)));
typedef unsigned Bits __attribute__((vector_size(4 * WIDTH)));
static inline Vec vec_sqrt(Vec a) { return (Vec)_mm512_sqrt_ps((__m512)a); }

typedef double Wide __attribute__((vector_size(4 * WIDTH)));
typedef unsigned long long WideBits __attribute__((vector_size(4 * WIDTH)));
static inline Wide wide_sqrt(Wide a) { return (Wide)_mm512_sqrt_pd((__m512d)a); }

#define BEM_KERNEL bem_avx512
#define BEM_KERNEL_NAME "avx512"
#include "kernel_body.h"
