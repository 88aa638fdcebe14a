// SPDX-License-Identifier: MIT
// Which kernel this machine runs.
#include "rod.h"
#include <string.h>

#if defined(__x86_64__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

// what the build may use in *_avx512.c
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const RodKernel* tw_rod_kernel(const char* name)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if ((!name || strcmp(name, "avx512") == 0) && has_avx512()) return &tw_rod_kernel_avx512;
    if ((!name || strcmp(name, "avx2") == 0) && has_avx2()) return &tw_rod_kernel_avx2;
#endif
    if (!name || strcmp(name, "generic") == 0) return &tw_rod_kernel_generic;
    return NULL;
}
