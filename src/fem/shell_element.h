// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

// what a piece of shell is made of, without units or with
typedef struct ShellPly
{
    double thickness, young, poisson, density;
    bool orthotropic;         // young and poisson do not count then, but
    double plane[3][3];       // plane stress from (xx, yy, 2 xy), in axes of the triangle (x along side 0)
    double transverse[2][2];  // shear stress from (2 xz, 2 yz)
} ShellPly;

// Of a material whose moduli have no units, with the axes L, R, T (columns) in space; on a triangle without area isotropic.
ShellPly shell_ply(const twMaterial* material, twMat3 fibre, double thickness, double density, const twVec3 x[3]);

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
