// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A round cylinder that oscillates across its axis, exactly (internal).

/// Pressure over that of the compact dipole, real and imaginary part for time as exp(+i w t); ka = w radius/c.
void cylinder_factor(double ka, double out[2]);
