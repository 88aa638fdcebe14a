// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// The sound of a body that is accelerated as a whole (internal): as of an ellipsoid of its size.
///
/// A sphere of radius a whose acceleration is u radiates, exactly and for all frequencies,
///
///   p = rho a^3/2 cos(theta) (y/r^2 + y'/(c r)),     y'' + 2 (c/a) y' + 2 (c/a)^2 y = 2 (c/a)^2 u     (a/c earlier than r/c)
///
/// so it is a mode of the body with frequency sqrt(2) c/a and decay c/a. rho a^3/2 is rho/4pi (V + A), V the volume and A what
/// the air that moves along adds to it: half of it for a sphere. Other bodies have other sums in other directions, those
/// of an ellipsoid, and the radius of the sphere that has the same.

typedef struct Click
{
    double volume[3];   ///< V + A for motion along x, y, z of the body [m^3]
    double freq_hz[3];  ///< of the modes
    double decay[3];    ///< [1/s]
} Click;

/// rate_hz: modes above 0.4 of it are taken as there.
Click click_of(const twModeSet* set, double sound_speed, double rate_hz);
/// What an ellipsoid's motion along an axis adds, over its volume: alpha/(2 - alpha), by Lamb's integral.
double click_added(const double half[3], int axis);
