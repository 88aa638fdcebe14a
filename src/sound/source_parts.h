// SPDX-License-Identifier: MIT
#pragma once
#include "base/ids.h"
#include "click.h"
#include "source.h"

/// @file
/// What a source is made of (internal to source*.c).

/// Where the body was at a frame.
typedef struct Pose
{
    double time;
    twVec3 position;
    twQuat turn;
} Pose;

/// A force of the trace that waits for its block.
typedef struct Force
{
    double time;
    uint64_t id;
    float force[3];  ///< on this body, in the world
    float normal[3];
    int32_t vertex[3];
    float weight[3];
} Force;

/// Something that happens in the block: a contact pushes otherwise from here on.
typedef struct Event
{
    int sample;       ///< that comes next, 1 to VOICE_BLOCK
    double tau;       ///< until then [samples]
    int contact;      ///< slot
    double force[3];  ///< [N], in the body's axes
    double net[3];    ///< of all contacts then
    bool placed;      ///< it begins, or is elsewhere than before
    int32_t vertex[3];
    float weight[3];
} Event;

/// What damps in a block: a contact, by gamma times its mean force.
typedef struct Damper
{
    int contact;  ///< slot
    double strength, normal[3];
} Damper;

/// One block of the batch.
typedef struct Plan
{
    int event_first, event_count, damper_first, damper_count;
    double net[3];  ///< force of all contacts at its beginning [N], in the body's axes
    double end;     ///< time
} Plan;

/// A contact as it is now.
typedef struct SourceContact
{
    uint64_t id;
    bool open, ended;
    int32_t vertex[3];
    float weight[3];
    double force[3], normal[3];  ///< in the body's axes
    double since;                ///< time of the last force
    double impulse;              ///< of the normal force since the block began [N s]
} SourceContact;

typedef struct SourceVoice
{
    Voice* voice;
    int first, count;  ///< modes of the source
    float** rows;      ///< shape by vertex, made when first needed (vertices) of (3 x padded); NULL for the click
    bool rings;
    bool sang;        ///< in this batch
    double* signals;  ///< (rows x SOURCE_BATCH)
    double** signal;  ///< (rows), of the block
    float* extra;     ///< damping (padded)
    double* matrix;   ///< full damping, see damp.h; NULL: none
    bool damped;      ///< fully, in this block
    bool failed;      ///< no memory
} SourceVoice;

struct Source
{
    SourceDef def;
    const twModeSet* set;
    int mode_count;   ///< below max_freq_hz
    int voice_count;  ///< the last one is the click, if any
    SourceVoice* voices;
    Click click;
    bool has_click;
    double net[3];                 ///< force of all contacts [N]
    double held[3];                ///< slow part of it
    double fade[VOICE_BLOCK + 1];  ///< how a force becomes a held one, sample by sample
    float* weights;                ///< of the modes at the ends of the blocks (SOURCE_BLOCKS x rows x modes x 2)
    float* near_now;               ///< of the click's acceleration in the block (rows x 3)
    float* click_weight;           ///< of the click (SOURCE_BLOCKS x rows x 9)
    float* scratch;
    float* work;
    float* weights_now;  ///< those at the end of the batch before (rows x modes x 2)
    float* click_now;    ///< and of the click (rows x 9): of its modes, of its acceleration
    twVec3* heard_at;    ///< in the body's axes, where these are of (rows)
    bool* heard;         ///< (rows)
    twVec3* place;       ///< in the world, at the end of the batch before (rows)
    bool* anew;          ///< other weights in this batch (rows)

    Pose* poses;  ///< those about the batch
    int pose_count, pose_room;
    float* amplitude;  ///< of the first frame (modes)

    Ids* ids;
    SourceContact* contacts;  ///< (contact_room) by slot
    int contact_room;
    Force* forces;  ///< waiting
    int64_t force_count, force_room;
    Event* events;  ///< of the batch
    int event_count, event_room;
    Damper* dampers;
    int damper_count, damper_room;
    Plan plans[SOURCE_BLOCKS];
    Plan before;  ///< the last block of the batch before: its dampers
    double block_start;
};

/// Forces that have always been there, as events.
twStatus source_plan_start(Source* source, twError* err);
bool source_is_click(const Source* source, int voice);
twQuat source_turn(const Source* source, double time);  ///< of the body
