// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/shape.h"
#include "twang/dynamics.h"

/// @file
/// What a body is made of (internal).

struct twBodyShape
{
    ContactShape* contact;
    twMassProperties mass;   ///< inertia about the centre, in the axes of the mesh
    twMat3 inverse_inertia;  ///< [1/(kg m^2)]
    bool round;              ///< the same inertia about all axes
    double contact_radius;   ///< [m]
    int mode_count;          ///< simulated at most
    int rigid_modes;         ///< of the mode set; 0: it is held somewhere
    const double* freq_hz;   ///< of the mode set (modes)
    const double* decay;     ///< (modes) [1/s]
    double* radiation;       ///< share of the decay that is sound (modes); NULL: none
    double* gyro;            ///< moments of pairs of modes (3 x modes x modes); NULL: fewer than two modes
    double* shake;           ///< what an accelerating frame does to modes (SHAKE_MOMENTS x modes); NULL: nothing
};
