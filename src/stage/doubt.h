// SPDX-License-Identifier: MIT
#pragma once
#include "stage/voices.h"

/// @file
/// How far off bodies may be because modes were left out (internal).

typedef struct StageDoubt StageDoubt;

/// The sets of the def must stay. *out is NULL if def.doubt is off.
twStatus doubt_create(StageDoubt** out, const twStageDef* def, const StageBody* bodies, twError* err);
void doubt_destroy(StageDoubt* doubt);  ///< NULL is fine
/// The forces of a step: impulses over its length, but hits, which are short. NULL is fine. Real-time safe.
void doubt_step(StageDoubt* doubt, const StagePush* pushes, int count);
/// @return metres; 0 without doubt
double doubt_at(const StageDoubt* doubt, int body, const twStagePoint* point);
