// SPDX-License-Identifier: MIT
#pragma once
#include "twang/shell.h"

// what a def asks of what surface
typedef struct ShellShape
{
    double area;      // [m^2]
    double diagonal;  // of the bounding box [m]
    double volume;    // enclosed, signed [m^3]
    bool closed;
    double close_share;   // of the faces, by number, with another sheet nearer than five times the thickness
    double corner_share;  // of the surface nearer to a sharp edge than the thickness
    double curvature;     // mean of (thickness / radius)^2, both principal radii added
} ShellShape;

// Measure the surface, after a look whether it and the wishes are in order.
twStatus shell_measure(ShellShape* shape, const twShellDef* def, twError* err);
// The same, and whether the thickness is that of a shell.
twStatus shell_check(ShellShape* shape, const twShellDef* def, twError* err);
