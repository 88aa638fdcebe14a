// SPDX-License-Identifier: MIT
// Inner loops of the contact solvers for any processor, two doubles at a time; and which of them this machine runs.
#include "base/processor.h"
#define W 2
#include "block_kernel_body.h"

const BlockKernel tw_block_kernel_generic = KERNEL_TABLE("generic");

const BlockKernel* tw_block_kernel(const char* name)
{
#if defined(__x86_64__)
    if (tw_processor_runs("avx2", name)) return &tw_block_kernel_avx2;
#endif
    return !name || strcmp(name, "generic") == 0 ? &tw_block_kernel_generic : NULL;
}
