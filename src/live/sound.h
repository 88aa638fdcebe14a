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

typedef struct LiveSound LiveSound;

typedef struct LiveSoundDef
{
    int body_count;
    double rate_hz, step;
    twEarDef ear;
    int most_pushes;  ///< of a step
} LiveSoundDef;

twStatus live_sound_create(LiveSound** out, const LiveSoundDef* def, twError* err);
void live_sound_destroy(LiveSound* sound);  ///< NULL is fine
int live_sound_channels(const LiveSound* sound);
/// Of a body of its bells: what it needs of rate, step and ear.
EmitterDef live_sound_emitter(const LiveSound* sound);

typedef struct LiveSoundCounts
{
    int64_t lost_hits;  ///< that came too many at a time, or too long ago
    int64_t late;       ///< blocks of sound for which steps were not there yet
} LiveSoundCounts;
LiveSoundCounts live_sound_counts(const LiveSound* sound);  ///< any thread

// the following are real-time safe

/// A body is heard from now on; NULL: not any more. The simulating thread.
void live_sound_set(LiveSound* sound, int body, Emitter* emitter);
/// All that have the number of this removal or a smaller one are set to NULL. The simulating thread.
void live_sound_remove(LiveSound* sound, int64_t removal);
/// Whether nobody rings, or will, what was removed then. Any thread.
bool live_sound_is_past(const LiveSound* sound, int64_t removal);
/// The listener goes there in that time, from the end of the next step on. The simulating thread.
void live_sound_listen(LiveSound* sound, twVec3 position, twQuat turn, double seconds);
/// A step. Pushes that are not finite, or of bodies that are not heard, are left out. The simulating thread.
void live_sound_step(LiveSound* sound, const LivePush* pushes, int count, const LiveSpot* spots);
/// The next frames, interleaved [Pa]. The sounding thread.
void live_sound_make(LiveSound* sound, float* out, int frames);
