// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Writing a sample between samples: a short bump, made up for by one filter afterwards (internal).

enum
{
    FILTER_HALF = 51,                   ///< samples on either side
    FILTER_TAPS = 2 * FILTER_HALF + 1,  ///< of the filter
    FILTER_PADDED = FILTER_TAPS + 1     ///< with a zero, a multiple of 8
};

/// Rows of the bump, see Ring.table.
void spread_table(double* out);
/// Spectrum of the bump at a frequency, in terms of the rate; 1 at 0.
double spread_spectrum(double frequency);

/// Design the filter (FILTER_TAPS) that undoes the bump and applies the factor of an exact cylinder of a radius in
/// samples of sound travel (radius * rate / c); 0: none. @return largest error up to SPREAD_BAND, in terms of 1
double spread_filter(double* out, double radius);

#define SPREAD_BAND 0.45  ///< what is written faithfully, in terms of the rate
