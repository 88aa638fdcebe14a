// SPDX-License-Identifier: MIT
#pragma once
#include "sound.h"
#include "stage/live.h"
#include "test.h"

/// @file
/// What a stage gives to other threads, without a stage: the test is what simulates. Bells, steps of 1 ms, an ear in front.

#define STEP 1e-3
#define STAGE_RATE 48000.0
#define EAR_DISTANCE 1.0
#define MOST_BELLS 4

typedef struct LiveStage
{
    StageLive* live;
    Bell bell;
    int body_count;
    ContactShape contact;
    StageBody bodies[MOST_BELLS];
    twStageBodyDef body_defs[MOST_BELLS];
    BodyPlace places[MOST_BELLS];
    twStageDef def;
    double time;
    twError err;
} LiveStage;

/// A twStage of a test.
StageLive* stage_live(const twStage* stage) { return ((const LiveStage*)(const void*)stage)->live; }
static inline twStage* as_stage(LiveStage* s) { return (twStage*)(void*)s; }

static inline void live_prepare(LiveStage* s, int body_count)
{
    memset(s, 0, sizeof *s);
    bell_make(&s->bell, 1);
    s->body_count = body_count;
    s->contact.vertex_count = 6;
    for (int i = 0; i < body_count; i++)
    {
        s->bodies[i] = (StageBody){.contact = &s->contact, .index = i, .mode_count = 1 + i % BELL_MODES};
        s->body_defs[i] = (twStageBodyDef){.name = "bell", .modes = &s->bell.set};
        s->places[i] = (BodyPlace){.shape = &s->contact, .body = i, .turn = tw_quat_identity()};
    }
    s->def = (twStageDef){.step = STEP,
                          .body_count = body_count,
                          .bodies = s->body_defs,
                          .max_grabs = 8,
                          .max_contacts = 8,
                          .queue = 64,
                          .sound_rate_hz = STAGE_RATE,
                          .ear = tw_ear_def()};
    s->def.ear.position = tw_vec3(EAR_DISTANCE, 0, 0);
    s->def.ear.sound_speed = SPEED;
}

static inline bool live_begin(LiveStage* s)
{
    const bool fine = stage_live_create(&s->live, &s->def, s->bodies, &s->err) == TW_OK;
    if (!fine) printf("%s\n", s->err.text);
    return fine;
}

static inline void live_end(LiveStage* s) { stage_live_destroy(s->live); }

/// One step with some pushes.
static inline void live_step(LiveStage* s, const StagePush* pushes, int count)
{
    s->time += STEP;
    live_hear(s->live, s->time, pushes, count, s->places);
}

/// A push at the vertex on the x axis, along it.
static inline StagePush bell_push(double impulse, double contact_time)
{
    return (StagePush){.id = 1,
                       .vertex = {0, -1, -1},
                       .weight = {1, 0, 0},
                       .impulse = {impulse, 0, 0},
                       .hit = contact_time > 0,
                       .contact_time = contact_time};
}
