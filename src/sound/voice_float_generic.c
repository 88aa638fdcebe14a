// SPDX-License-Identifier: MIT
// Voices in float for any processor.
#define LANES 4
#define EXP_TERMS 5
#define KERNEL voice_float_generic
typedef float real;
#include "voice_kernel.h"
