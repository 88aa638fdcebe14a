// SPDX-License-Identifier: MIT
#pragma once
#include "redistribute.h"
#include "rigid.h"

/// @file
/// Forces of a trace on one body, redistributed as they come (internal; docs/redistribution.md): among the contacts with each other
/// body, so that what two bodies do to each other as a whole stays what it was. All forces of a time are taken together; what
/// comes out are forces like those of the trace, at the same times and touches, of all contacts whose share has changed.

typedef struct Spread Spread;

/// Takes a force as redistributed: like source_force(), on touch->body[0]. The touch holds until the call ends.
typedef twStatus SpreadGive(void* context, const twTraceTouch* touch, double time, const float force[3], twError* err);

/// rigid is read whenever a contact begins and must outlive it. On failure *out is NULL.
twStatus spread_create(Spread** out, int body, const RigidContacts* rigid, twError* err);
void spread_destroy(Spread* spread);  ///< NULL is fine
/// A force of the trace on this body, in the order of time. Those of the time before, if that is another, are given.
twStatus spread_take(Spread* spread, const twTraceTouch* touch, double time, const float force[3], SpreadGive* give,
                     void* context, twError* err);
/// No force before this time is still to come: all of before are given.
twStatus spread_flush(Spread* spread, double until, SpreadGive* give, void* context, twError* err);
int spread_contacts(const Spread* spread);  ///< that are kept
RedistributeStats spread_stats(const Spread* spread);
