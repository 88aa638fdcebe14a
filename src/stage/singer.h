// SPDX-License-Identifier: MIT
#pragma once
#include "sound/voice.h"
#include "stage/voices.h"

/// @file
/// A body of a stage as it sounds (internal): all its modes that can be heard, what pushes them, and how they radiate.
///
/// A push by an impulse p at a point drives mode j with U_j . p. Lasting forces of a step are its impulses over its length, joined
/// by the weights of a Pace; the modes that are slower than steps get them as they would get the impulses. A hit of contact time T
/// is pi p/(2T) sin(pi t/T).

enum
{
    SINGER_PULSES = 16,  ///< hits at a time, of different times or steps
    SINGER_ROWS = 4      ///< points of an ear at most
};

typedef struct Singer Singer;

typedef struct SingerDef
{
    const char* name;
    const twModeSet* set;
    const ContactShape* contact;  ///< shapes by vertex, if it has all modes; may be NULL
    double rate_hz, step, sound_speed;
    int rows;                        ///< points of the ear
    const double *amplitude, *rate;  ///< at the start (modes of the set); NULL: 0
} SingerDef;

/// *out is NULL if nothing of it can be heard.
twStatus singer_create(Singer** out, const SingerDef* def, twError* err);
void singer_destroy(Singer* singer);  ///< NULL is fine
int singer_modes(const Singer* singer);
double singer_lead(const Singer* singer);  ///< radius of the sphere where its sound begins [m]

// the following are real-time safe

/// A step begins to sound: then come its pushes, then singer_settle().
void singer_step(Singer* singer);
/// since: the step was due [samples]. @return false: an older hit was cut off
bool singer_push(Singer* singer, const StagePush* push, double since);
void singer_settle(Singer* singer);
/// Where the centre of mass is.
void singer_place(Singer* singer, twVec3 position, twQuat turn);

/// Where it is heard from at the end of the coming block: points of the ear (rows), u of the pace.
void singer_face(Singer* singer, const twVec3* points, double u);
/// Samples first to last - 1 of a block, with weights of the steps for each.
void singer_ring(Singer* singer, int first, int last, const float (*weight)[3]);
/// After the block: its signals [Pa m] (VOICE_BLOCK) and where it went. @return false: it is silent
bool singer_end(Singer* singer, float* const* signal, twVec3* from, twVec3* to);
