// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/scene.h"

/// @file
/// What is in a file that describes a body.

typedef enum BodyKind
{
    BODY_NONE,  ///< something else
    BODY_SURFACE,
    BODY_TETS,
    BODY_SHAPE,
    BODY_MODES,
} BodyKind;

BodyKind body_kind(const char* path);  ///< by its first bytes or its name
/// Print what is in it; *size is its extent [m], 0 if there is nothing to say about that.
twStatus info_body(BodyKind kind, const char* path, double scale, bool json, double* size, twError* err);
/// "materials": what the body of a mode set is made of.
void json_mode_materials(twJson* json, const twModeSet* set);
