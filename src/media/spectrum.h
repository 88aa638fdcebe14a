// SPDX-License-Identifier: MIT
#pragma once
#include "media/axis.h"
#include "twang/media.h"

/// @file
/// Levels of a whole sound on the columns of a picture, frequency logarithmic.

#define SPECTRUM_SILENCE -400.0  // [dB]

/// The strongest level in each column between the ends of x, levels (x->end - x->start) [dB re a sine of amplitude 1].
/// @return false without memory
bool spectrum_levels(double* levels, const Axis* x, const twSpectrumCurve* curve);
