// SPDX-License-Identifier: MIT
// The hot loops for any processor, and the choice of the variant.
#include "base/processor.h"
#include <math.h>
#include <string.h>

#define WIDTH 4
typedef float Vec __attribute__((vector_size(4 * WIDTH)));
typedef unsigned Bits __attribute__((vector_size(4 * WIDTH)));
static inline Vec vec_sqrt(Vec a) { return (Vec){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])}; }

typedef double Wide __attribute__((vector_size(4 * WIDTH)));
typedef unsigned long long WideBits __attribute__((vector_size(4 * WIDTH)));
static inline Wide wide_sqrt(Wide a) { return (Wide){sqrt(a[0]), sqrt(a[1])}; }

#define BEM_KERNEL bem_generic
#define BEM_KERNEL_NAME "generic"
#include "kernel_body.h"

const BemKernel* bem_kernel(const char* name)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (tw_processor_runs("avx512", name)) return &bem_avx512;
    if (tw_processor_runs("avx2", name)) return &bem_avx2;
#endif
    return !name || strcmp(name, "generic") == 0 ? &bem_generic : NULL;
}
