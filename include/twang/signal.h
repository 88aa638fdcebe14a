// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Signal: a value that changes in time.

typedef enum twSignalKind
{
    TW_SIGNAL_CONSTANT,
    TW_SIGNAL_KEYFRAMES,  ///< values at times; a ramp is two of them
    TW_SIGNAL_NOISE,      ///< mean + amount * fractal noise
    TW_SIGNAL_TABLE,      ///< samples at a rate of their own (WAV)
    TW_SIGNAL_SINE,       ///< mean + amount * sin(2 pi freq_hz t + phase)
} twSignalKind;

typedef enum twInterpolation
{
    TW_LINEAR,
    TW_SMOOTH,  ///< level at every keyframe: 3 t^2 - 2 t^3
    TW_STEP,    ///< hold until the next keyframe
} twInterpolation;

/// What a value does in time. Plain data; arrays belong to the scene.
typedef struct twSignal
{
    twSignalKind kind;
    double value;   ///< constant; mean of noise or sine; added to a table
    double amount;  ///< RMS of noise; amplitude of a sine; factor of a table
    double beta;    ///< spectrum of noise
    uint64_t seed;
    twInterpolation interpolation;
    int count;
    const double* times;   ///< keyframes (count) [s], rising
    const double* values;  ///< keyframes or table (count)
    double table_rate_hz;
    double freq_hz, phase;  ///< of a sine [rad]
} twSignal;

twSignal tw_signal_constant(double value);
/// Value at time t; noise is drawn from the caller's generator (made by tw_noise(signal->beta, ...)). Real-time safe.
double tw_signal_value(const twSignal* signal, double t, twNoise* noise);
/// Its slope [1/s], to the right where it has a kink; 0 for noise and steps. Real-time safe.
double tw_signal_rate(const twSignal* signal, double t);

#ifdef __cplusplus
}
#endif
