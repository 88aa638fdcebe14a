// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// Low-pass and keep every n-th sample (internal). Linear phase: the output lags by DECIMATE_DELAY output samples.

#define DECIMATE_DELAY 16

typedef struct Decimator
{
    int factor, taps;
    const double* weight;  ///< (taps), shared
    double* line;          ///< ring of the last taps inputs
    int head;
} Decimator;

int decimator_taps(int factor);
void decimator_design(double* weight, int factor);  ///< weight (decimator_taps(factor))
void decimator_push(Decimator* d, double sample);   ///< factor times per output
double decimator_pull(const Decimator* d);
