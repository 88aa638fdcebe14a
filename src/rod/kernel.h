// SPDX-License-Identifier: MIT
/// @file
/// All fast parts of a rod for one instruction set. The including file defines W (doubles per vector, but for
/// the solve), VW, vw_sqrt and f8_twice (four floats, twice), includes this, and fills a table with KERNEL_TABLE.

#include "rod.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double VWAny __attribute__((vector_size(W * 8), aligned(8), may_alias));
typedef double V4 __attribute__((vector_size(32)));
typedef double V4Any __attribute__((vector_size(32), aligned(8), may_alias));

INLINE VW vw_load(const double* p) { return *(const VWAny*)p; }
INLINE void vw_store(double* p, VW a) { *(VWAny*)p = a; }
INLINE V4 v4_load(const double* p) { return *(const V4Any*)p; }
INLINE void v4_store(double* p, V4 a) { *(V4Any*)p = a; }
typedef float F4 __attribute__((vector_size(16)));
typedef float F4Any __attribute__((vector_size(16), aligned(4), may_alias));
INLINE void v4_store_short(float* p, V4 a) { *(F4Any*)p = __builtin_convertvector(a, F4); }
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

#include "branch_kernel.h"
#include "guess_kernel.h"

#define BAND(name) real4_##name
#define COLS 4
#define VECS 1
#define PARTS 1
#include "band_kernel.h"

#define BAND(name) complex4_##name
#define COLS 4
#define VECS 1
#define PARTS 2
#include "band_kernel.h"

#define BAND(name) real6_##name
#define COLS 6
#define VECS 2
#define PARTS 1
#include "band_kernel.h"

#define BAND(name) complex6_##name
#define COLS 6
#define VECS 2
#define PARTS 2
#include "band_kernel.h"

INLINE void f8_into(double* y, F8 a)
{
    v4_store(y, __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1, 2, 3), V4));
    v4_store(y + 4, __builtin_convertvector(__builtin_shufflevector(a, a, 4, 5, 6, 7), V4));
}

#define OPEN(name) float_##name
#define NUMBER float
#define V8 F8
#define WHOLE uint32_t
#define TWICE f8_twice
#define INTO f8_into
#define DOWN(band) (band)->short_down
#define TURN(band) (band)->short_turn
#include "open_kernel.h"

#if W == 8
#define OPEN(name) double_##name
#define NUMBER double
#define V8 VW
#define WHOLE uint64_t
#define TWICE vw_twice
#define INTO vw_store
#define DOWN(band) (band)->down
#define TURN(band) (band)->turn
#include "open_kernel.h"
#endif

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
    }
}

static void kernel_solve(const RodBand* band, double* y)
{
    if (band->use_short)
    {
        float_solve(band, y);
        return;
    }
#if W == 8
    if (band->cols == 4 && band->is_complex && !band->closed)
    {
        double_solve(band, y);
        return;
    }
#endif
    if (band->cols == 4)
        band->is_complex ? complex4_solve(band, y) : real4_solve(band, y);
    else
        band->is_complex ? complex6_solve(band, y) : real6_solve(band, y);
}

#include "local_kernel.h"
#include "respond_kernel.h"

#define KERNEL_TABLE(name)                                                                                             \
    {                                                                                                                  \
        name, kernel_force, kernel_pair, kernel_follow_strains, kernel_start, kernel_commit, kernel_turn,              \
            kernel_guess, kernel_residual, kernel_update, kernel_finish, kernel_factor, kernel_solve, kernel_push,     \
            kernel_follow, kernel_respond, kernel_local                                                                \
    }
