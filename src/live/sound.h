// SPDX-License-Identifier: MIT
#pragma once
#include "live/emitter.h"

/// @file
/// What is heard of a world that is played (internal): the impulses of its steps ring all modes of its bodies, in another thread,
/// somewhat later.

/// Where a body is at the end of a step.
typedef struct LiveSpot
{
    twVec3 position;  ///< of the mass centre
    twQuat turn;
    bool steady;  ///< the lasting forces on it are those of the step before
} LiveSpot;

/// Where the listener goes, in a straight line, and in what time [s].
typedef struct LiveEar
{
    twVec3 position;
    twQuat turn;
    double seconds;
} LiveEar;

typedef struct LiveSound LiveSound;

/// body_count: with spare ones; most_pushes: of a step.
twStatus live_sound_create(LiveSound** out, const twLiveDef* def, int body_count, int most_pushes, twError* err);
void live_sound_destroy(LiveSound* sound);  ///< NULL is fine
int live_sound_channels(const LiveSound* sound);
const EmitterDef* live_sound_emitter(const LiveSound* sound);       ///< what emitters of its bodies have in common
void live_sound_count(const LiveSound* sound, twLiveStats* stats);  ///< what is late or lost so far; any thread

// the following are real-time safe

/// A body is heard from now on; NULL: not any more. The simulating thread.
void live_sound_set(LiveSound* sound, int body, Emitter* emitter);
/// All that have the number of this removal or a smaller one are set to NULL. The simulating thread.
void live_sound_remove(LiveSound* sound, int64_t removal);
/// Whether nobody rings, or will, what was removed then. Any thread.
bool live_sound_is_past(const LiveSound* sound, int64_t removal);
/// The listener goes there from the end of the next step on. The simulating thread.
void live_sound_listen(LiveSound* sound, const LiveEar* to);
/// A step. Pushes that are not finite, or of bodies that are not heard, are left out. The simulating thread.
void live_sound_step(LiveSound* sound, const LivePush* pushes, int count, const LiveSpot* spots);
/// The next frames, interleaved [Pa]. The sounding thread.
void live_sound_make(LiveSound* sound, float* out, int frames);
