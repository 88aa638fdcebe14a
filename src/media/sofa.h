// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// What a SOFA file holds about a head, in plain arrays (internal).

/// All sizes are checked, all samples finite.
typedef struct SofaData
{
    uint32_t direction_count, taps;
    uint32_t delay_count;  ///< 0, 2 or 2 per direction
    uint32_t left;         ///< which of two receivers is the left one
    double rate_hz;
    float* places;     ///< of sources: x forward, y left, z up (directions x 3) [m]
    float* responses;  ///< (directions x 2 x taps)
    float* delays;     ///< (delay_count) [samples]
} SofaData;

/// Read a file. On failure *out is all 0. @return TW_BAD_INPUT if it is damaged or of another kind; TW_IO_ERROR, TW_NO_MEMORY
twStatus sofa_read(SofaData* out, const char* path, twError* err);
void sofa_free(SofaData* data);
