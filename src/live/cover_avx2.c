// SPDX-License-Identifier: MIT
// Covers for AVX2.
#define LANES 8
#include "cover_kernel.h"

const CoverKernel cover_kernel_avx2 = {"avx2", bend};
