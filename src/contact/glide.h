// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// Numbers on their way to others (internal): a number that is and stays positive moves by equal factors, as stiffnesses of several
/// decades must, any other by equal steps. The last step arrives exactly. Plain data, real-time safe.

enum
{
    GLIDE_NUMBERS = 8
};

typedef struct Glide
{
    int count, left;  ///< numbers; steps
    double now[GLIDE_NUMBERS], target[GLIDE_NUMBERS], factor[GLIDE_NUMBERS], add[GLIDE_NUMBERS];
} Glide;

void glide_start(Glide* glide, const double* values, int count);  ///< at rest
void glide_to(Glide* glide, const double* target, int steps);     ///< from where it is
void glide_next(Glide* glide);                                    ///< one step; left must be above 0
