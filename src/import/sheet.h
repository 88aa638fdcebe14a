// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// A part of a plane as a solid body: modellers' floors and walls have no thickness.

/// If all of a mesh lies in a plane: replace it by one that reaches so far behind it as SHEET_THICKNESS says, closed. normal is
/// that of its front then.
twStatus sheet_thicken(twMesh** mesh, bool* flat, twVec3* normal, twError* err);
#define SHEET_THICKNESS 0.02  ///< over the diagonal of its box
