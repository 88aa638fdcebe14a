// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include "twang/trace.h"
#include "voice.h"

/// @file
/// A source: one body of a trace that sounds (internal). A batch of a few blocks goes in three steps: source_plan() turns
/// the forces of the batch into what happens at which sample; source_sing() lets one of its voices ring, each apart from the
/// others; source_signal() adds them up.

enum
{
    SOURCE_BLOCKS = 4,
    SOURCE_BATCH = SOURCE_BLOCKS * VOICE_BLOCK,  ///< samples
};

typedef struct Source Source;

typedef struct SourceDef
{
    double rate_hz, frame_rate_hz, sound_speed, air_density;
    double look_ahead;  ///< frames are given until this much after a batch [s]
    twPrecision precision;
    int body;  ///< of the trace
    const twTraceBody* trace_body;
    const twTransfer* transfer;  ///< of its modes; must outlive the source; NULL: it has none to be heard
    const double* decay;         ///< (modes) [1/s]; NULL: the set's
    double max_freq_hz;
    bool click;              ///< the body's motion as a whole is heard
    double contact_damping;  ///< gamma [s/m]; 0: none
    double damping_slide;    ///< mu: of motion along the surface over that towards it
    bool full_damping;
    int rows;  ///< signals: places where it is heard
} SourceDef;

twStatus source_create(Source** out, const SourceDef* def, twError* err);
void source_destroy(Source* source);  ///< NULL is fine
int source_mode_count(const Source* source);
int source_voice_count(const Source* source);
double source_radius(const Source* source);  ///< of the sphere that sound starts from [m]

/// The next frame: pose and amplitudes as tw_trace_item_pose() gives them.
void source_set_pose(Source* source, const float* pose, double time);
twVec3 source_centre(const Source* source, double time);  ///< of its sphere, in the world

/// A force from the trace, in the order of time; kept until its block is planned.
twStatus source_force(Source* source, const twTraceTouch* touch, double time, const float force[3], twError* err);
/// Begin: forces at time 0 have always been there; the modes are where the first frame has them.
twStatus source_start(Source* source, twError* err);
/// The batch that begins at a time. Everything until its end has been given.
twStatus source_plan(Source* source, double start, twError* err);
/// Where a row is heard at the end of the batch, in the world; after source_plan().
void source_hear_at(Source* source, int row, twVec3 place);
void source_sing(Source* source, int voice);
/// The signal of a row in this batch [Pa m]. @return false if it is silent
bool source_signal(const Source* source, int row, float* out);
bool source_failed(const Source* source);  ///< there was no memory for a shape
