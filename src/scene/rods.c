// SPDX-License-Identifier: MIT
// The rods of a scene that do not touch: each moves by itself and is heard, step by step.

#include "rod_sound.h"
#include "twang/bodies.h"
#include "twang/play.h"
#include <stdlib.h>

// of these one is timed: the clock costs as much as ten points. Prime, since rods do some of their work every so many steps
#define TIMED_STEPS 61

struct twRods
{
    const twScene* scene;
    int64_t steps;
    double step_seconds, motion_seconds, sound_seconds;
    twRod** rods;
    RodSound* sound;
};

twStatus tw_rods_create(twRods** out, const twScene* scene, twError* err)
{
    *out = NULL;
    if (scene->rods_touch) return tw_fail(err, TW_BAD_INPUT, "rods that touch move in a world: see tw_bodies_create()");
    twRods* rods = calloc(1, sizeof *rods);
    if (!rods) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    rods->scene = scene;
    rods->step_seconds = 1 / (scene->rate_hz * scene->oversample);
    rods->rods = calloc((size_t)scene->rod_count + 1, sizeof(twRod*));
    twStatus status = rods->rods ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    twError inner;
    for (int i = 0; status == TW_OK && i < scene->rod_count; i++)
    {
        status = tw_rod_create(&rods->rods[i], &scene->rods[i].def, &inner);
        if (status != TW_OK) tw_fail(err, status, "rod '%s': %s", scene->rods[i].name, inner.text);
    }
    if (status == TW_OK) status = rod_sound_create(&rods->sound, scene, rods->rods, err);
    if (status == TW_OK)
        *out = rods;
    else
        tw_rods_destroy(rods);
    return status;
}

void tw_rods_destroy(twRods* rods)
{
    if (!rods) return;
    rod_sound_destroy(rods->sound);
    for (int i = 0; rods->rods && i < rods->scene->rod_count; i++) tw_rod_destroy(rods->rods[i]);
    free(rods->rods);
    free(rods);
}

void tw_rods_step(twRods* rods, double* sound)
{
    const bool timed = rods->steps % TIMED_STEPS == TIMED_STEPS / 2;
    const double t = (double)rods->steps++ * rods->step_seconds, start = timed ? tw_seconds() : 0;
    rod_sound_before(rods->sound, t);
    for (int i = 0; i < rods->scene->rod_count; i++) tw_rod_step(rods->rods[i]);
    const double moved = timed ? tw_seconds() : 0;
    rod_sound_after(rods->sound, t, sound);
    if (!timed) return;
    rods->motion_seconds += TIMED_STEPS * (moved - start);
    rods->sound_seconds += TIMED_STEPS * (tw_seconds() - moved);
}

int tw_rods_latency(const twRods* rods) { return rod_sound_latency(rods->sound); }

twRod* tw_rods_rod(twRods* rods, int index) { return rods->rods[index]; }

twListenerStats tw_rods_listener_stats(const twRods* rods, int index) { return rod_sound_stats(rods->sound, index); }

void tw_rods_seconds(const twRods* rods, double* motion, double* sound)
{
    *motion = rods->motion_seconds;
    *sound = rods->sound_seconds;
}
