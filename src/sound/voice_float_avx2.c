// SPDX-License-Identifier: MIT
// Voices in float for AVX2.
#define LANES 8
#define EXP_TERMS 5
#define KERNEL voice_float_avx2
typedef float real;
#include "voice_kernel.h"
