// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"

/// @file
/// Pushes as forces of the trace, for sound (internal). A push at a place of a body rings it as a touch does, so it is recorded
/// like one, with an id from TW_TRACE_PUSH on. Pushes at a mass centre ring nothing and are left out.

typedef struct PushRecord PushRecord;

PushRecord* push_record_create(const twScene* scene, twBodies* bodies);  ///< NULL without memory
void push_record_destroy(PushRecord* record);                            ///< NULL is fine
/// Put forces of pushes that begin or change in [from, to) among those of the world, all at such times, in the order of time; they
/// hold until the next call. What is given depends on the times alone. @return false without memory
bool push_record_merge(PushRecord* record, const twContactForce** forces, int* count, double from, double to);
