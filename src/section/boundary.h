// SPDX-License-Identifier: MIT
#pragma once
#include "outline.h"

/// @file
/// What needs the solution of Laplace's equation inside or outside an outline (internal).

typedef struct Flow
{
    double torsion;    ///< St Venant constant
    double shear[2];   ///< shear coefficients along x, y
    double dipole[3];  ///< D11, D22, D12
} Flow;

/// Of an outline with its centroid at the origin and principal axes x and y, of a size about 1.
twStatus boundary_solve(Flow* out, const Outline* outline, twError* err);
