// SPDX-License-Identifier: MIT
/// @file
/// All fast parts of a rod for one instruction set. The including file defines W (doubles per vector, but for
/// the solve), VW and vw_sqrt, includes this, and fills a table with KERNEL_TABLE.

#include "rod.h"
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double VWAny __attribute__((vector_size(W * 8), aligned(8), may_alias));
typedef double V4 __attribute__((vector_size(32)));
typedef double V4Any __attribute__((vector_size(32), aligned(8), may_alias));

INLINE VW vw_load(const double* p) { return *(const VWAny*)p; }
INLINE void vw_store(double* p, VW a) { *(VWAny*)p = a; }
INLINE V4 v4_load(const double* p) { return *(const V4Any*)p; }
INLINE void v4_store(double* p, V4 a) { *(V4Any*)p = a; }
INLINE V4 v4_load_short(const float* p)
{
    typedef float F4 __attribute__((vector_size(16), aligned(4), may_alias));
    return __builtin_convertvector(*(const F4*)p, V4);
}
INLINE V4 v4_set(double a) { return (V4){a, a, a, a}; }
#define v4_splat(a, k) __builtin_shufflevector(a, a, k, k, k, k)

// vector product of the first three numbers; the fourth becomes 0 if a's is
INLINE V4 v4_cross(V4 a, V4 b)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

#include "force_kernel.h"
#include "stage_kernel.h"

#define BAND(name) real4_##name
#define COLS 4
#define VECS 1
#define PARTS 1
#define NUMBER double
#define NUMBER_LOAD v4_load
#define DOWN(band, half) (band)->down[half]
#define UP(band, half) (band)->up[half]
#include "band_kernel.h"

#define BAND(name) complex4_##name
#define COLS 4
#define VECS 1
#define PARTS 2
#define NUMBER double
#define NUMBER_LOAD v4_load
#define DOWN(band, half) (band)->down[half]
#define UP(band, half) (band)->up[half]
#include "band_kernel.h"

#define BAND(name) short4_##name
#define COLS 4
#define VECS 1
#define PARTS 2
#define NUMBER float
#define NUMBER_LOAD v4_load_short
#define DOWN(band, half) (band)->short_down[half]
#define UP(band, half) (band)->short_up[half]
#define SOLVE_ONLY
#include "band_kernel.h"
#undef SOLVE_ONLY

#define BAND(name) real6_##name
#define COLS 6
#define VECS 2
#define PARTS 1
#define NUMBER double
#define NUMBER_LOAD v4_load
#define DOWN(band, half) (band)->down[half]
#define UP(band, half) (band)->up[half]
#include "band_kernel.h"

#define BAND(name) complex6_##name
#define COLS 6
#define VECS 2
#define PARTS 2
#define NUMBER double
#define NUMBER_LOAD v4_load
#define DOWN(band, half) (band)->down[half]
#define UP(band, half) (band)->up[half]
#include "band_kernel.h"

static void shorten(const double* from, float* to, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
}

static void kernel_factor(RodBand* band)
{
    if (band->cols == 4)
        band->is_complex ? complex4_factor(band) : real4_factor(band);
    else
        band->is_complex ? complex6_factor(band) : real6_factor(band);
    for (int half = 0; band->short_down[0] && half < 2; half++)
    {
        size_t count = (size_t)(band->n / 2 + 4) * (size_t)band->size;
        shorten(band->down[half], band->short_down[half], 3 * count);
        shorten(band->up[half], band->short_up[half], 2 * count);
    }
}

static void kernel_solve(const RodBand* band, double* y)
{
    if (band->use_short)
    {
        short4_solve_band(band, y);
        return;
    }
    if (band->cols == 4)
        band->is_complex ? complex4_solve(band, y) : real4_solve(band, y);
    else
        band->is_complex ? complex6_solve(band, y) : real6_solve(band, y);
}

#define KERNEL_TABLE(name)                                                                                             \
    {                                                                                                                  \
        name, kernel_force, kernel_commit, kernel_turn, kernel_guess, kernel_residual, kernel_update, kernel_finish,   \
            kernel_factor, kernel_solve                                                                                \
    }
