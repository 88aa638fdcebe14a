// SPDX-License-Identifier: MIT
#pragma once
#include "media/plot.h"

/// @file
/// Waveforms as curves.

/// The largest magnitude of the finite samples (frames x channels); 0 if there is none.
double wave_peak(const float* samples, int64_t frames, int channels);
/// Add a channel (all: -1, the smallest and largest of them) to the panel under way, which it fills from 0 to the end. Long
/// sounds are drawn by the smallest and the largest sample of equal stretches.
void wave_plot(twPlot* plot, const float* samples, int64_t frames, int channels, int channel, double rate_hz);
