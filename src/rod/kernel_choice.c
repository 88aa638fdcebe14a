// SPDX-License-Identifier: MIT
// Which kernel this machine runs.
#include "base/processor.h"
#include "rod.h"
#include <string.h>

const RodKernel* tw_rod_kernel(const char* name)
{
#if defined(__x86_64__)
    if (tw_processor_runs("avx512", name)) return &tw_rod_kernel_avx512;
    if (tw_processor_runs("avx2", name)) return &tw_rod_kernel_avx2;
#endif
    return !name || strcmp(name, "generic") == 0 ? &tw_rod_kernel_generic : NULL;
}
