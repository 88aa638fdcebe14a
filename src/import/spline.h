// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// A curve through keys: a cubic between each two, from values and slopes at them. It stays where it is before the first
/// and behind the last.
typedef struct Spline
{
    int count, width;      ///< keys, numbers of each
    const double* times;   ///< (count) rising [s]
    const double* values;  ///< (count x width)
    const double* slopes;  ///< (count x width)
} Spline;

/// Slopes (count x width) of the smoothest curve through keys: its second derivative is continuous, but where it begins or
/// ceases to rest, and where it would overshoot. It rests between keys that are equal, behind the last, and, if rests is true, before the first.
/// scratch (count).
void spline_fit(double* slopes, const double* times, const double* values, int count, int width, bool rests,
                double* scratch);
/// Whether all keys are equal, but for the noise of floats.
bool spline_is_constant(const double* values, int count, int width);
/// Value and slope (width each) at a time. Real-time safe.
void spline_at(const Spline* spline, double time, double* value, double* rate);
