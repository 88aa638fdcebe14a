// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Scenes and meshes built into the program (made from scenes/ at build time), so that `twang reproduce` needs no files.

typedef struct SceneText
{
    const char* name;  ///< of the file, without folder, of a scene without ending too; NULL ends the table
    const char* text;
} SceneText;

extern const SceneText scene_texts[];
