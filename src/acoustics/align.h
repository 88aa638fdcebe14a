// SPDX-License-Identifier: MIT
#pragma once
#include "hull.h"

/// @file
/// Impulse responses with their delays taken out (internal).

/// Room to work on responses of one length.
typedef struct Align
{
    int size;                                                           ///< of the transforms, a power of 2
    double *re, *im, *min_re, *min_im, *power, *common_re, *common_im;  ///< (size)
} Align;

bool align_create(Align* align, int taps);  ///< false without memory
void align_destroy(Align* align);
void align_add_power(Align* align, const double* response,
                     int taps);  ///< of a response that counts for the common part
/// The common part is the mean of all powers that were added, of minimum phase; responses are divided by it from now on.
void align_set_common(Align* align);
/// A response that many samples earlier: out_k is the response at k + shift. out (out_taps)
void align_shift(Align* align, double* out, int out_taps, const double* response, int taps, double shift);

/// How much later the response of one direction is than that of a neighbour, and how sure that is.
typedef struct Offset
{
    int i, j;
    double later, weight;
} Offset;

/// Delays that make responses of neighbouring directions most alike: out (count) [samples]. responses: one per direction,
/// each (taps). Neighbours are corners of a facet; corners from count on do not count. offsets (3 facets), work (2 count).
/// Only differences between delays have a meaning.
void align_delays(double* out, const double* const* responses, int count, int taps, const Facet* facets,
                  int facet_count, Offset* offsets, double* work);
