// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"
#include "twang/render.h"

/// @file
/// What hands do in a scene, and when (internal): its grabs and throws as commands to its world.

typedef struct Acts Acts;

/// Places are looked for on the surfaces that touch. bodies must outlive it, and its shapes be there; the world need not be.
/// @return TW_BAD_INPUT naming a place that is not on its body
twStatus acts_create(Acts** out, const twBodies* bodies, twError* err);
void acts_destroy(Acts* acts);                            ///< NULL is fine
void acts_fill_world(const Acts* acts, twWorldDef* def);  ///< slots and paths of grabs
double acts_next(const Acts* acts);                       ///< when something is due next [s]; INFINITY: never
/// All that is due at a time, where the world is.
twStatus acts_do(Acts* acts, twWorld* world, double time, twError* err);
void acts_look(Acts* acts, const twWorld* world);  ///< how grabs go
const twRenderGrab* acts_grabs(const Acts* acts);  ///< (grabs of the scene)

size_t acts_state_bytes(const Acts* acts);
void acts_save(const Acts* acts, char* out);
bool acts_load(Acts* acts, const char* bytes, size_t count);  ///< false if they do not fit
