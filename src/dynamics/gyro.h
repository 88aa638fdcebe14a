// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Coriolis' force on the modes of a body that spins (internal).

/// A share of the mass at each vertex, in any unit: added to out (vertices).
void gyro_areas(double* out, const twModeSet* set);
/// Moments of pairs of modes, integral of U_j x U_k dm, x then y then z: out (3 x modes x modes), and behind it room to work in
/// (vertices).
void gyro_make(double* out, const twModeSet* set, int modes);
/// What it does to the rates of the first so many of a body's modes while its frame turns by a rotation vector, in its own axes [rad]. Their
/// kinetic energy stays. spare (2 x count).
void gyro_turn(const double* moments, int modes, int count, twVec3 turn, double* rate, double* spare);
