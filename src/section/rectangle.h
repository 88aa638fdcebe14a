// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Closed forms for the rectangle (internal).

double rectangle_torsion(double width, double height);
/// D along the width and along the height.
void rectangle_dipole(double width, double height, double out[2]);
