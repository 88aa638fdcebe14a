// SPDX-License-Identifier: MIT
// Ears differ in how late their sound comes: each drops what is before the beginning, and what is early waits for the others.

#include "hearing.h"
#include <stdlib.h>
#include <string.h>

int hearing_points(const twEarDef* def) { return (def->kind == TW_EAR_STEREO ? 2 : 1) * (def->ground ? 2 : 1); }

twStatus hearing_create(Hearing* h, const twSoundDef* sound, int source_count, twError* err)
{
    twEarDef def = h->def.def;
    def.rate_hz = sound->rate_hz;
    def.sound_speed = sound->sound_speed;
    def.source_count = source_count > 0 ? source_count : 1;
    def.max_block = SOURCE_BATCH;
    const twStatus status = tw_ear_create(&h->ear, &def, err);
    if (status != TW_OK) return status;
    h->channels = tw_ear_channels(def.kind);
    h->skip = tw_ear_latency(h->ear);
    for (int p = 0; p < h->points; p++) h->now[p] = tw_ear_point(h->ear, p);
    h->filters = calloc((size_t)h->channels, sizeof *h->filters);
    h->mixed = calloc((size_t)h->channels * SOURCE_BATCH, sizeof *h->mixed);
    h->given = calloc((size_t)h->channels * SOURCE_BATCH, sizeof *h->given);
    if (!h->filters || !h->mixed || !h->given) return tw_fail(err, TW_NO_MEMORY, "no memory for an ear");
    h->filtered = sound->highpass_hz > 0;
    for (int c = 0; c < h->channels; c++) h->filters[c] = highpass(sound->highpass_hz, sound->rate_hz);
    return TW_OK;
}

void hearing_destroy(Hearing* h)
{
    tw_ear_destroy(h->ear);
    free(h->filters);
    free(h->mixed);
    free(h->given);
    free(h->queue);
}

bool hearing_reserve(Hearing* h, int latest)
{
    h->queue = calloc((size_t)h->channels * (size_t)(latest + 2 * SOURCE_BATCH), sizeof *h->queue);
    return h->queue != NULL;
}

void hearing_move(Hearing* h, double time)
{
    if (!h->def.place) return;
    twVec3 position = h->def.def.position;
    twQuat turn = h->def.def.turn;
    h->def.place(h->def.context, time, &position, &turn);
    tw_ear_move(h->ear, position, turn);
    for (int p = 0; p < h->points; p++) h->now[p] = tw_ear_point(h->ear, p);
}

static void filter(Hearing* h)
{
    for (int n = 0; n < SOURCE_BATCH; n++)
        for (int c = 0; c < h->channels; c++)
        {
            float* value = &h->mixed[n * h->channels + c];
            *value = (float)highpass_step(&h->filters[c], (double)*value);
        }
}

void hearing_mix(Hearing* h)
{
    tw_ear_mix(h->ear, h->mixed, SOURCE_BATCH);
    if (h->filtered) filter(h);
    const int skipped = h->skip < SOURCE_BATCH ? h->skip : SOURCE_BATCH, frames = SOURCE_BATCH - skipped;
    h->skip -= skipped;
    memcpy(h->queue + (size_t)h->queued * (size_t)h->channels, h->mixed + (size_t)skipped * (size_t)h->channels,
           (size_t)frames * (size_t)h->channels * sizeof *h->queue);
    h->queued += frames;
}

float* hearing_take(Hearing* h, int count)
{
    const size_t channels = (size_t)h->channels, bytes = channels * sizeof *h->queue;
    memcpy(h->given, h->queue, (size_t)count * bytes);
    h->queued -= count;
    memmove(h->queue, h->queue + (size_t)count * channels, (size_t)h->queued * bytes);
    return h->given;
}
