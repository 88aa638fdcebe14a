// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/scene.h"

/// @file
/// What is in a file that describes a body or its motion.

typedef enum BodyKind
{
    BODY_NONE,  ///< something else
    BODY_SURFACE,
    BODY_TETS,
    BODY_SHAPE,
    BODY_MODES,
    BODY_TRACE,
    BODY_STATE,  ///< a checkpoint of a trace
} BodyKind;

bool body_begins(const char* path, const char* magic);  ///< whether a regular file begins with these (8 at most)
BodyKind body_kind(const char* path);                   ///< by its content, or by its name if that tells nothing

typedef struct BodyBox
{
    twVec3 low, high;
} BodyBox;

BodyBox body_box(const twVec3* points, int count);  ///< around those that are finite
/// The box around a body that is no mode file.
twStatus body_find_box(BodyKind kind, const char* path, double scale, BodyBox* box, twError* err);

/// Print what is in it; *size is its longest side [m], 0 if there is nothing to say about that.
twStatus info_body(BodyKind kind, const char* path, double scale, bool json, double* size, twError* err);
twStatus info_trace(const char* path, bool json, twError* err);
twStatus info_state(const char* path, bool json, twError* err);
void print_rods(const twScene* scene);               ///< and listeners; nothing if there are none
void json_rods(twJson* json, const twScene* scene);  ///< "rods" and "listeners"
void print_bodies(const twScene* scene);             ///< of a scene, with their joints
void json_bodies(twJson* json, const twScene* scene);
/// What a scene would get that imports it.
void print_import(const twImport* import);
void json_import(twJson* json, const twImport* import);  ///< "import"
/// "materials": what the body of a mode set is made of.
void json_mode_materials(twJson* json, const twModeSet* set);
