// SPDX-License-Identifier: MIT
// The rod for any processor: vectors of two doubles, as SSE2, NEON and wasm have; of four in the solve, which the compiler cuts in two.
// Multiplies and adds round separately. Vectors are never passed to functions that are not inlined, so that the warning
// about how that would be done does not matter.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#include <math.h>

#define W 2
typedef double VW __attribute__((vector_size(16)));
static inline __attribute__((always_inline)) VW vw_sqrt(VW a) { return (VW){sqrt(a[0]), sqrt(a[1])}; }
typedef float F8 __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) F8 f8_twice(const float* p)
{
    return (F8){p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]};
}

#include "kernel.h"

const RodKernel tw_rod_kernel_generic = KERNEL_TABLE("generic");
