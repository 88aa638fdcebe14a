// SPDX-License-Identifier: MIT
// Covers for any processor, and which variant is taken.
#define LANES 4
#include "base/processor.h"
#include "cover_kernel.h"

const CoverKernel cover_kernel_generic = {"generic", bend};

const CoverKernel* cover_kernel(const char* name)
{
#if defined(__x86_64__)
    if (tw_processor_runs("avx2", name)) return &cover_kernel_avx2;
#endif
    return !name || strcmp(name, "generic") == 0 ? &cover_kernel_generic : NULL;
}
