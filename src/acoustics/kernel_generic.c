// SPDX-License-Identifier: MIT
// The hot loops for any processor, and the choice of the variant.
#include "base/processor.h"
#include <math.h>
#include <string.h>

#define WIDTH 1
typedef double Vec;
static inline Vec vec_load(const double* p) { return *p; }
static inline void vec_store(double* p, Vec a) { *p = a; }
static inline Vec vec_set(double a) { return a; }
static inline Vec vec_add(Vec a, Vec b) { return a + b; }
static inline Vec vec_sub(Vec a, Vec b) { return a - b; }
static inline Vec vec_mul(Vec a, Vec b) { return a * b; }
static inline Vec vec_div(Vec a, Vec b) { return a / b; }
static inline Vec vec_sqrt(Vec a) { return sqrt(a); }
static inline Vec vec_max(Vec a, Vec b) { return a > b ? a : b; }
static inline Vec vec_abs(Vec a) { return fabs(a); }
static inline Vec vec_floor(Vec a) { return floor(a); }
static inline unsigned vec_less(Vec a, Vec b) { return a < b; }
static inline Vec vec_pick(unsigned bits, Vec a) { return bits ? a : 0; }

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
