// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/scene.h"

/// @file
/// What `twang modes` and `twang strike` have in common: body, material, damping, analysis.

#define BAKE_OPTION_COUNT 16
#define BAKE_MAX_HOLDS 64

/// The options' values. Start from bake_options().
typedef struct BakeOptions
{
    const char *source, *material, *fix;
    double density, young, poisson, alpha, beta, loss_factor, scale, max_freq, accuracy, max_memory_gb;
    bool density_given, young_given, poisson_given, rayleigh_given, loss_given, count_given, max_freq_given;
    int count, elements;
    bool no_cache, json;
    twHold holds[BAKE_MAX_HOLDS];
    char cache[512];
    CliProgress progress;
    char stage[32];
} BakeOptions;

BakeOptions bake_options(void);
/// Their table, for a command's own options to follow.
void bake_option_table(BakeOptions* o, CliOption table[BAKE_OPTION_COUNT]);
/// The analysis they ask for. def points into o.
twStatus bake_options_def(BakeOptions* o, twBakeDef* def, twError* err);
