// SPDX-License-Identifier: MIT
#pragma once
#include "bench.h"

/// @file
/// What the parts of bench_sound share. See bench_sound.c.

static inline void check(twStatus status, const twError* err)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

// ---- baking (sound_bake.c) ----

void report_bake_cost(BenchReport* report);      ///< of a mode, against kR
void report_bake_accuracy(BenchReport* report);  ///< of the default, against 4000 panels
void report_bake_left(BenchReport* report);      ///< of modes that a budget leaves out
