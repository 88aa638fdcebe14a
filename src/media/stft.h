// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

/// @file
/// Short-time spectra on the raster of a picture: time linear along columns, frequency logarithmic along rows.

typedef struct StftDef
{
    const float* samples;  ///< (frames x channels), interleaved
    int64_t frames;        ///< at least 1
    int channels;
    double rate_hz;
    int columns, rows;
    double low_hz, high_hz;  ///< frequencies at the outer edges of the first and the last row
} StftDef;

/// Level of each cell, levels (columns x rows), row 0 lowest [dB re a sine of amplitude 1]; silence is -200.
/// @return 0 without memory
int stft_levels(float* levels, const StftDef* def);

#define STFT_SILENCE -200.0f
