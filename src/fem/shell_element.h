// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

// what a piece of shell is made of, without units or with
typedef struct ShellPly
{
    double thickness, young, poisson, density;
} ShellPly;

// One flat triangle. Node 2 a is the displacement of corner a, node 2 a + 1 its rotation.
typedef struct ShellElement
{
    double k[6][6][9];  // blocks by rows, in space
    double m[3][3];     // of displacements; of rotations t^2/12 of it
    double area;
} ShellElement;

// Matrices of the triangle x. free_edge: sides from corner i to i + 1 that belong to no other
// triangle. @return false if it has no area
bool shell_element(ShellElement* element, const twVec3 x[3], const ShellPly* ply, const bool free_edge[3]);
// The mean strain (xx, yy, 2 xy) and the curvature in the middle (likewise), in axes of the
// triangle (x along side 0), from the displacements and rotations of the corners in space: (6 x 18)
bool shell_strain(double strain[6][18], const twVec3 x[3], const ShellPly* ply);
