// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"

/// @file
/// One mode under the trapezoidal rule (internal).
///
///   M (v1 - v0) = -h K (x0 + x1)/2 - h R (v0 + v1)/2 + h F,   x1 - x0 = h (v0 + v1)/2
///
/// exchanges energy exactly: d(M v^2 + K x^2)/2 = h F w - h R w^2 with w = (v0 + v1)/2 = (x1 - x0)/h. Solved for v1,
///   v1 = keep v0 + pull x0 + push F,   D = 1 + h R/2M + h^2 K/4M,  keep = (2 - D)/D,  pull = -h K/(M D),  push = h/(M D).
///
/// Bilinear scheme: M, K, R are the mode's own; its poles are warped (a 5 kHz mode sounds 70 cents flat at 44.1 kHz).
/// Exact scheme: K/M and R/M place the poles at exp(s h) for the mode's own s, and M makes the ringing after an
/// impulse as loud as the continuous mode's. R > 0 follows from |exp(s h)| < 1, so the step stays passive.
typedef struct Trapezoid
{
    double mass, stiffness, damping;  ///< M, K, R
    double keep, pull, push;
    double speed, tilt;  ///< v = speed * (true velocity) + tilt * x; 1 and 0 in the bilinear scheme
} Trapezoid;

/// freq_hz must be below 1/(2h) in the exact scheme.
Trapezoid trapezoid(twScheme scheme, double freq_hz, double decay, double mass, double h);
