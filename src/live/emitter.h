// SPDX-License-Identifier: MIT
#pragma once
#include "sound/voice.h"
#include "twang/live.h"

/// @file
/// A body as a source of sound (internal): all its modes that can be heard, what pushes them, and how they radiate.
///
/// A push by an impulse p at a point drives mode j with U_j . p. Lasting forces of a step are its impulses over its length, joined
/// by the weights of a Pace; the modes that are slower than steps get them as they would get the impulses. A hit of contact time T
/// is pi p/(2T) sin(pi t/T).

enum
{
    EMITTER_PULSES = 16,  ///< hits at a time, of different times or steps
    EMITTER_ROWS = 4      ///< points of an ear at most
};

/// What acted on a body during a step. Both bodies of a contact have one.
typedef struct LivePush
{
    int body;
    int vertex[3];  ///< of the set's surface; -1: none
    float weight[3];
    twVec3 impulse;       ///< of the step, in the body's axes [N s]
    double contact_time;  ///< of a blow, not a lasting force: it has the form of a half sine [s]; 0: it lasts
} LivePush;

typedef struct Emitter Emitter;

/// What all emitters have in common.
typedef struct EmitterDef
{
    double rate_hz, step, sound_speed;
    int rows;  ///< points of the ear
} EmitterDef;

/// Of a body that has modes. *out is NULL if nothing of it can be heard.
twStatus emitter_create(Emitter** out, const twLiveBodyDef* body, const EmitterDef* def, twError* err);
void emitter_destroy(Emitter* emitter);       ///< NULL is fine
double emitter_lead(const Emitter* emitter);  ///< radius of the sphere where its sound begins [m]

// the following are real-time safe

/// A step begins to sound: then come its pushes, then emitter_settle(). steady: it has the lasting forces of the step before.
void emitter_step(Emitter* emitter, bool steady);
/// since: the step was due [samples]. @return false: an older hit was cut off
bool emitter_push(Emitter* emitter, const LivePush* push, double since);
void emitter_settle(Emitter* emitter);
/// Where the centre of mass is.
void emitter_place(Emitter* emitter, twVec3 position, twQuat turn);

/// Where it is heard from at the end of the coming block: points of the ear (rows), u of the pace.
void emitter_face(Emitter* emitter, const twVec3* points, double u);
/// Samples first to last - 1 of a block, with weights of the steps for each.
void emitter_ring(Emitter* emitter, int first, int last, const float (*weight)[3]);
/// After the block: its signals [Pa m] (VOICE_BLOCK) and where it went. fade: it goes to 0. @return false: it is silent
bool emitter_end(Emitter* emitter, bool fade, float* const* signal, twVec3* from, twVec3* to);
