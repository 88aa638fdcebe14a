// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

/// @file
/// What the tracks of a scene's world have heard so far (internal): pickups, and rods at the ears.

typedef struct Heard Heard;

/// For a sound of so many frames. @return NULL without memory
Heard* heard_create(const twScene* scene, int64_t frames);
void heard_destroy(Heard* heard);                                    ///< NULL is fine
int64_t heard_room(const Heard* heard);                              ///< samples of a track
void heard_keep(Heard* heard, int64_t sample, const float* values);  ///< (tracks)
/// Take the first samples from a trace that was left (path.part). @return TW_BAD_INPUT if they are not there
twStatus heard_again(Heard* heard, const char* path, int64_t samples, twError* err);
/// Add all to the outputs of the scene, (frames x channels) each, at the rate of the sound.
twStatus heard_mix(Heard* heard, float* const* sound, twError* err);
