// SPDX-License-Identifier: MIT
#pragma once
#include "bake.h"
#include "twang/scene.h"

/// @file
/// Inside bodies of scenes (internal): their surfaces.

/// A set without modes.
twStatus body_rigid_set(twModeSet** out, const twMesh* mesh, const twMassProperties* mass, const twMaterial* material,
                        twError* err);
/// The modes of a set at the vertices of another surface of the same body.
twStatus body_coarse_set(twModeSet** out, const twModeSet* fine, const twMesh* coarse, twError* err);
/// Static friction of two bodies of the world, the ground behind those of the scene; twice the same: of it alone.
double bodies_friction(const twBodies* b, int body, int other);
const twPushDef* bodies_pushes(const twBodies* bodies);  ///< (pushes of the scene)
twVec3 body_sides(const twVec3* points, int count);      ///< of the box around points
