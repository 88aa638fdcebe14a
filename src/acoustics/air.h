// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"

/// @file
/// Filters that do to sound what air does on its way (internal).

enum
{
    AIR_HALF = 16,  ///< samples on either side
    AIR_TAPS = 2 * AIR_HALF + 1,
    AIR_MAX_STEPS = 512
};

/// Filters for distances 0, spacing, 2 spacing ...: (steps + 1) x AIR_TAPS.
typedef struct Air
{
    int steps;
    double spacing;  ///< [m]
    double* filters;
} Air;

int air_steps(double farthest);  ///< that a table up to this distance needs
/// Design the filters; air->filters has room for (air_steps(farthest) + 1) x AIR_TAPS. @return false if that fails
bool air_design(Air* air, double farthest, const twEarDef* def);
/// The filter for a distance (AIR_TAPS), between the two about it.
void air_filter(const Air* air, double distance, double* out);
