// SPDX-License-Identifier: MIT
// The hot loops for any processor, two doubles at a time (SSE2, NEON, wasm), and the choice of the variant.
#include "base/processor.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define WIDTH 2
typedef double Vec __attribute__((vector_size(16)));
typedef double VecAny __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t Mask __attribute__((vector_size(16)));  // all ones or none
static inline Vec vec_load(const double* p) { return *(const VecAny*)p; }
static inline void vec_store(double* p, Vec a) { *(VecAny*)p = a; }
static inline Vec vec_set(double a) { return (Vec){a, a}; }
static inline Vec vec_add(Vec a, Vec b) { return a + b; }
static inline Vec vec_sub(Vec a, Vec b) { return a - b; }
static inline Vec vec_mul(Vec a, Vec b) { return a * b; }
static inline Vec vec_div(Vec a, Vec b) { return a / b; }
static inline Vec vec_sqrt(Vec a) { return (Vec){sqrt(a[0]), sqrt(a[1])}; }
static inline Vec vec_max(Vec a, Vec b)
{
    const Mask larger = (Mask)(a > b);
    return (Vec)(((Mask)a & larger) | ((Mask)b & ~larger));
}
static inline Vec vec_abs(Vec a) { return (Vec){fabs(a[0]), fabs(a[1])}; }
static inline Vec vec_floor(Vec a) { return (Vec){floor(a[0]), floor(a[1])}; }
static inline unsigned vec_less(Vec a, Vec b) { return (unsigned)(a[0] < b[0]) | (unsigned)(a[1] < b[1]) << 1; }
static inline Vec vec_pick(unsigned bits, Vec a) { return (Vec){bits & 1 ? a[0] : 0, bits & 2 ? a[1] : 0}; }

#define FLOATS 1
typedef float Floats;
static inline Floats floats_load(const float* p) { return *p; }
static inline void floats_store(float* p, Floats a) { *p = a; }
static inline Floats floats_set(float a) { return a; }
static inline Floats floats_add(Floats a, Floats b) { return a + b; }
static inline Floats floats_mul(Floats a, Floats b) { return a * b; }

#define KERNEL acoustics_generic
#define KERNEL_NAME "generic"
#include "kernel_body.h"

const Kernel* acoustics_kernel(const char* name)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (tw_processor_runs("avx512", name)) return &acoustics_avx512;
    if (tw_processor_runs("avx2", name)) return &acoustics_avx2;
#endif
    return !name || strcmp(name, "generic") == 0 ? &acoustics_generic : NULL;
}
