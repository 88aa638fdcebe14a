// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Force on the modes of a body whose frame is led along a path (internal).

enum
{
    SHAKE_MOMENTS = 12  ///< numbers of a mode
};

/// Integrals of U_j dm and x U_j^T dm, x from the mass centre, of each mode: out (SHAKE_MOMENTS x modes), and behind it room to work in
/// (vertices).
void shake_make(double* out, const twModeSet* set, int modes);
/// Forces of all modes [kg^1/2 m/s^2] in a frame whose mass centre accelerates, and that turns ever faster, in its own axes.
void shake_force(double* out, const double* moments, int modes, twVec3 acceleration, twVec3 spin_up, twVec3 spin);
