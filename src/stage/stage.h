// SPDX-License-Identifier: MIT
#pragma once
#include "stage/doubt.h"
#include "stage/hold.h"
#include "stage/live.h"
#include "stage/touches.h"

/// @file
/// A stage (internal).

struct twStage
{
    twStageDef def;  ///< without what it points to
    int body_count;
    StageBody* bodies;
    twStageModes* modes;     ///< (bodies) how they were chosen
    const twCover** covers;  ///< (bodies)
    twCover** own_covers;    ///< (bodies) those that were made here
    float* scratch;          ///< of covers
    float* picked;           ///< of picking: the largest cover's vertices
    double* restitution;     ///< (bodies)
    Hold* holds;             ///< (max_grabs)
    StageTouches* touches;   ///< NULL: no contact
    StageSystem system;
    StageLive* live;
    StageDoubt* doubt;  ///< NULL: not asked for

    // of a step
    BodyPlace *places, *after;  ///< (bodies) at its beginning, at its end
    double** after_q;           ///< (bodies)
    double* newton;             ///< impulses of a round
    twMat3* turning;            ///< (bodies) how spins now turn bodies at its end
    StageContact* contacts;
    int contact_count;
    double* approach;  ///< (contacts) speed at the beginning, towards each other [m/s]
    int* felt;         ///< (contacts) those that push at the end of the step
    bool* shaken;      ///< (bodies) those whose vibration pays for what contacts make of nothing
    StagePush* pushes;
    int push_count, push_room;

    // recording
    bool recording;
    twContactForce *forces, *before;  ///< of this step and of the one before
    int force_count, before_count, force_room;

    double time, left;  ///< [s]; what is left of the last call
    int64_t step;
    int strike_count;  ///< pushes of the last step that were strikes: the first ones
    double* surplus;   ///< (bodies) what grabs have brought in beyond the work of their targets [J]
    int* group;        ///< (bodies) of those that hang together by grabs
    twStageEnergy energy;
    twStageStats stats;
};

void stage_step(twStage* stage);         ///< one step
void stage_record_step(twStage* stage);  ///< its forces, after it
/// A body is elsewhere all of a sudden: its contacts are forgotten, its grabs come to it anew.
void stage_jumped(twStage* stage, int body);
/// A blow from outside, heard and counted as work.
void stage_strike_now(twStage* stage, int body, const twStagePoint* point, twVec3 impulse);
