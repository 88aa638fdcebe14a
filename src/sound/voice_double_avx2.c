// SPDX-License-Identifier: MIT
// Voices in double for AVX2.
#define LANES 4
#define EXP_TERMS 11
#define KERNEL voice_double_avx2
typedef double real;
#include "voice_kernel.h"
