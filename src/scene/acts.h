// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"
#include "twang/render.h"

/// @file
/// What happens on the stage of a scene, and when (internal): its grabs, joints, pushes and throws as commands, step by step.

typedef struct Acts Acts;

/// bodies must outlive it. @return TW_BAD_INPUT naming a place that is not on its body
twStatus acts_create(Acts** out, const twScene* scene, twBodies* bodies, twError* err);
void acts_destroy(Acts* acts);  ///< NULL is fine
/// All that is due before the step that begins at a time.
void acts_before(Acts* acts, double time);
/// What became of it, after that step.
void acts_after(Acts* acts);
const twRenderGrab* acts_grabs(const Acts* acts);  ///< (grabs of the scene)
