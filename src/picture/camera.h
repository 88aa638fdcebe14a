// SPDX-License-Identifier: MIT
#pragma once
#include "picture/arrow.h"

/// @file
/// The camera of a picture.

/// The eye looks along -back; right, up and back are unit and right-handed. The picture spans view_angle from top to bottom
/// [rad] and aspect times as much, by tangents, from left to right.
typedef struct Camera
{
    twVec3 eye, right, up, back;
    double view_angle, aspect;
    double near_plane, far_plane;  ///< distances along -back between which everything in the skin lies at all times
} Camera;

/// The trace's camera if it has one, else one that looks from a little above and aside, as near as it can come without
/// anything ever leaving a margin of a few percent. aspect: width over height.
Camera camera_of(const twSkin* skin, double aspect);
/// The same with room for arrows; NULL: none are drawn.
Camera camera_with_arrows(const twSkin* skin, double aspect, const Arrows* arrows);

twVec3 camera_axes(const Camera* camera, twVec3 point);         ///< right, up and distance along -back [m]
void camera_view_matrix(const Camera* camera, float out[16]);   ///< world to eye, column-major
void camera_depth_matrix(const Camera* camera, float out[16]);  ///< eye to clip space of OpenGL, column-major
