// SPDX-License-Identifier: MIT
#pragma once
#include "stage/parts.h"

/// @file
/// The contacts of a stage, step by step (internal).

typedef struct StageTouches StageTouches;

typedef struct StageTouchStats
{
    int64_t contacts;   ///< given out, after clustering
    int64_t clustered;  ///< touches that others stood for
    int64_t dropped;    ///< contacts, touches and pairs there was no room for
    int most;           ///< contacts of a step
} StageTouchStats;

/// def.materials, pairs, cluster, max_contacts, contact and body_count are used, and copied; bodies (body_count) must stay. @return
/// TW_BAD_INPUT naming the body whose material there is none of, or if max_contacts is beyond CONE_MAX; TW_NO_MEMORY
twStatus stage_touches_create(StageTouches** out, const twStageDef* def, const StageBody* bodies, twError* err);
void stage_touches_destroy(StageTouches* touches);  ///< NULL is fine

/// Contacts with gaps below reach [m], clustered, at most def.max_contacts (the deepest if there are more, counted). places (bodies), body
/// the number in the array; their velocities tell what slides. Friction, stiffness and damping are filled in, and impulse with what
/// the caller left there in the last step if the contact lasts, else 0. Ids last as long as the contact, whichever touches of the
/// cluster come and go. Ghosts and two bodies that are not free do not touch. Until the next call. Real-time safe. @return count
int stage_touches_find(StageTouches* touches, const BodyPlace* places, double reach, StageContact** out);
void stage_touches_forget(StageTouches* touches, int body);  ///< it jumped: nothing of its contacts is known
StageTouchStats stage_touches_stats(const StageTouches* touches);
