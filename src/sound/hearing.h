// SPDX-License-Identifier: MIT
#pragma once
#include "highpass.h"
#include "source.h"
#include "twang/sound.h"

/// @file
/// One that listens, batch by batch (internal): an ear, where it is, what it has heard and not yet given away.

enum
{
    HEARING_POINTS = 4  ///< of an ear at most
};

typedef struct Hearing
{
    twSoundEar def;
    twEar* ear;
    int channels, first_row, points;  ///< rows of the sources' signals are its points
    twVec3 now[HEARING_POINTS];       ///< at the end of the batch
    bool filtered;
    Highpass* filters;     ///< (channels)
    float *mixed, *given;  ///< (SOURCE_BATCH x channels): of this batch; what the caller gets
    float* queue;          ///< what waits for other ears
    int queued, skip;      ///< samples; before the beginning, still to come
} Hearing;

/// Its points, counted before anything else is made.
int hearing_points(const twEarDef* def);
/// Make the ear of a hearing whose def and points are there, for a sound's rate and air and so many sources.
twStatus hearing_create(Hearing* hearing, const twSoundDef* sound, int source_count, twError* err);
void hearing_destroy(Hearing* hearing);
/// Room for what waits for the latest of all ears [samples].
bool hearing_reserve(Hearing* hearing, int latest);

void hearing_move(Hearing* hearing, double time);  ///< to where it is at the end of the batch
void hearing_mix(Hearing* hearing);                ///< what all sources gave it, into the queue
float* hearing_take(Hearing* hearing, int count);  ///< samples from the queue; good until the next call
