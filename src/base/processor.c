// SPDX-License-Identifier: MIT
// What the processor can run: the sets are those that the build allows in *_avx2.c and *_avx512.c.
#include "base/processor.h"
#include <stdlib.h>
#include <string.h>

// TWANG_PROCESSOR=generic or avx2 does without the rest, to compare machines
static bool is_left_out(const char* set)
{
    const char* most = getenv("TWANG_PROCESSOR");
    if (!most) return false;
    return strcmp(most, "generic") == 0 || (strcmp(most, "avx2") == 0 && strcmp(set, "avx512") == 0);
}

bool tw_processor_runs(const char* set, const char* wanted)
{
    if (wanted && strcmp(wanted, set) != 0) return false;
    if (!wanted && is_left_out(set)) return false;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(set, "avx2") == 0) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}
