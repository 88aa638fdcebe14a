// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// What the processor can run (internal): kernels come as *_avx512.c, *_avx2.c and *_generic.c, and the first that runs is taken.

/// The environment may ask for less: TWANG_PROCESSOR=generic or avx2, so that one machine does what another would, to the bit.

/// Whether code built for a set of instructions, "avx512" or "avx2", runs here, and is wanted: NULL wants whatever runs.
bool tw_processor_runs(const char* set, const char* wanted);
