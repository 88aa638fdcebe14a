// SPDX-License-Identifier: MIT
#pragma once
#include "stage/parts.h"

/// @file
/// What of a stage is heard (internal): the impulses of its steps ring all modes of its bodies, in another thread, somewhat later.

/// What acted on a body during a step. Both bodies of a contact have one.
typedef struct StagePush
{
    uint64_t id;  ///< of a contact or grab
    int body;
    int vertex[3];  ///< of the set's surface; -1: none
    float weight[3];
    twVec3 impulse;       ///< of the step, in the body's axes [N s]
    bool hit;             ///< a blow, not a lasting force: it has the form of a half sine
    double contact_time;  ///< of a hit [s]
} StagePush;

typedef struct StageVoices StageVoices;

/// sets: of each body; NULL: it is not heard. They have to outlive the voices. def is copied. *out is NULL without sound.
twStatus stage_voices_create(StageVoices** out, const twStageDef* def, const StageBody* bodies,
                             const twModeSet* const* sets, twError* err);
void stage_voices_destroy(StageVoices* voices);               ///< NULL is fine
int stage_voices_heard(const StageVoices* voices, int body);  ///< modes
int stage_voices_channels(const StageVoices* voices);

typedef struct StageVoicesStats
{
    int64_t lost_hits;  ///< that came too many at a time, or too long ago
    int64_t late;       ///< blocks of sound for which steps were not there yet
} StageVoicesStats;
StageVoicesStats stage_voices_stats(const StageVoices* voices);  ///< any thread

// the following are real-time safe

/// A step that ended at time. Pushes that are not finite, or of bodies that are not heard, are left out. The simulating thread.
void stage_voices_step(StageVoices* voices, double time, const StagePush* pushes, int count, const BodyPlace* places);
/// The next frames, interleaved [Pa]. The sounding thread.
void stage_voices_sound(StageVoices* voices, float* out, int frames);
