// SPDX-License-Identifier: MIT
// Voices in double for AVX-512.
#define LANES 8
#define EXP_TERMS 11
#define KERNEL voice_double_avx512
typedef double real;
#include "voice_kernel.h"
