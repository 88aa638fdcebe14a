// SPDX-License-Identifier: MIT
#pragma once
#include "twang/trace.h"

/// @file
/// What a trace says of its contacts (internal): whether their forces are to be redistributed, and the friction that bounds them.

typedef struct RigidContacts RigidContacts;

/// On failure *out is NULL.
twStatus rigid_create(RigidContacts** out, int body_count, twError* err);
void rigid_destroy(RigidContacts* rigid);  ///< NULL is fine
/// Take what a trace's numbers say; others are skipped. Scenes say these before the first frame. @return TW_NO_MEMORY
twStatus rigid_take(RigidContacts* rigid, const twTraceNumber* numbers, int64_t count, twError* err);
bool rigid_wanted(const RigidContacts* rigid);  ///< forces are not unique and were not redistributed yet
/// Coefficient of friction of two bodies, TW_NOWHERE: the ground; 0.5 where nothing was said.
double rigid_friction(const RigidContacts* rigid, int a, int b);
