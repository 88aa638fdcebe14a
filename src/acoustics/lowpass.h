// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Butterworth low-pass of 6th order (internal).

enum
{
    LOWPASS_SECTIONS = 3
};

typedef struct Lowpass
{
    double gain[LOWPASS_SECTIONS], a1[LOWPASS_SECTIONS], a2[LOWPASS_SECTIONS];
    double s1[LOWPASS_SECTIONS], s2[LOWPASS_SECTIONS];  ///< state
} Lowpass;

Lowpass lowpass(double freq_hz, double rate_hz);
double lowpass_step(Lowpass* filter, double input);
