// SPDX-License-Identifier: MIT
// Inner loops of the contact solvers with AVX2 and FMA: four doubles at a time.
#define W 4
#include "block_kernel_body.h"

const BlockKernel tw_block_kernel_avx2 = KERNEL_TABLE("avx2");
