// SPDX-License-Identifier: MIT
// What the machine can do: bytes read.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2,fma")))
#else
#define WIDE
#endif

// read it once, from one end to the other
WIDE void read_stretch(void* context)
{
    const Stretch* s = context;
    Floats sum[8] = {{0}};
    for (size_t i = 0; i + 8 <= s->count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += s->data[i + (size_t)k];
    for (int k = 1; k < 8; k++) sum[0] += sum[k];
    bench_keep((double)sum[0][0]);
}

bool wide_runs(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}
