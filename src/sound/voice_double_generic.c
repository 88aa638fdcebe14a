// SPDX-License-Identifier: MIT
// Voices in double for any processor.
#define LANES 2
#define EXP_TERMS 11
#define KERNEL voice_double_generic
typedef double real;
#include "voice_kernel.h"
