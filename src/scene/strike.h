// SPDX-License-Identifier: MIT
#pragma once
#include "twang/strike.h"

/// @file
/// Inside strikes (internal).

twVec3 strike_direction(const twModeSet* set, const twStrikeDef* def);  ///< of the push: into the surface, unit
double strike_limit(const twStrikeDef* def);                            ///< modes from here on are left out [Hz]

/// Takes the body's motion out of the network while it sounds.
typedef struct StrikeRecorder StrikeRecorder;

/// body: the modes below strike_limit() in the order of the set, then the recoil if there is one.
twStatus strike_record_start(StrikeRecorder** out, const twModeSet* set, const twModes* body, const twStrikeDef* def,
                             const twStrikeRecord* record, twError* err);
/// Samples until the next frame begins, 0: it is now.
int64_t strike_record_wait(const StrikeRecorder* r, int64_t sample);
/// Take the state of the network (object 1) at a sample where a frame begins.
twStatus strike_record_take(StrikeRecorder* r, const twNet* net, int64_t sample, twError* err);
void strike_record_force(StrikeRecorder* r, const double* force, int count);  ///< that acted since
/// The last frame too; the writer goes to the caller.
twStatus strike_record_end(StrikeRecorder* r, twTraceWriter** out, twError* err);
void strike_record_destroy(StrikeRecorder* r);  ///< NULL is fine; what was not ended is aborted
