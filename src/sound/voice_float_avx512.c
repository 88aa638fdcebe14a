// SPDX-License-Identifier: MIT
// Voices in float for AVX-512.
#define LANES 16
#define EXP_TERMS 5
#define KERNEL voice_float_avx512
typedef float real;
#include "voice_kernel.h"
