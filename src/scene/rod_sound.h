// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

/// @file
/// What the listeners of a scene hear of its rods, step by step (internal), whoever steps them: the scene's own (rods.c) or a
/// world.
///
///     rod_sound_before(sound, t);            // supports go to where they are at t + step, pickups take what is at t
///     ... rods step from t to t + step ...
///     rod_sound_after(sound, t, values);
///
/// A listener has one channel. One with an ear (twSceneListener.ear) has those of the ear, and hears at its points: two of
/// a stereo pair and of a head, else one.

typedef struct RodSound RodSound;

/// Rods (rods of the scene) stay the caller's and must outlive it. On failure *out is NULL.
/// @return TW_BAD_INPUT naming rod or listener and what would be right
twStatus rod_sound_create(RodSound** out, const twScene* scene, twRod* const* rods, twError* err);
void rod_sound_destroy(RodSound* sound);                   ///< NULL is fine
int rod_sound_channels(const RodSound* sound);             ///< of all listeners together
int rod_sound_first(const RodSound* sound, int listener);  ///< of its channels
int rod_sound_latency(const RodSound* sound);              ///< [steps]
twListenerStats rod_sound_stats(const RodSound* sound, int listener);

// None of these allocates or fails.

void rod_sound_before(RodSound* sound, double time);
void rod_sound_pick(RodSound* sound, int listener,
                    double value);  ///< what a pickup that is on no rod takes, before a step
/// values (channels): what is heard [Pa], or [m/s] of a pickup, rod_sound_latency() steps late.
void rod_sound_after(RodSound* sound, double time, double* values);

/// Everything that changes, as bytes, and the same back.
size_t rod_sound_state_bytes(const RodSound* sound);
void rod_sound_save(const RodSound* sound, char* out);
bool rod_sound_load(RodSound* sound, const char* bytes,
                    size_t count);  ///< false: they do not fit; some may have changed

/// @return TW_BAD_INPUT, naming the rod, if a place is inside one of the scene's
twStatus rods_check_place(const twScene* scene, twVec3 place, twError* err);
