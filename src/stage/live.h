// SPDX-License-Identifier: MIT
#pragma once
#include "stage/snapshot.h"
#include "stage/voices.h"

/// @file
/// What connects a stage to other threads (internal): commands in, views and sound out.
///
/// A step of the stage:
///
///     StageCommand command;
///     while (live_take(live, &command)) ...act...
///     ...step...
///     StageFrame* frame = live_begin_view(live);
///     ...fill frame->view.time, energy, stats (refused: live_refused()), frame->bodies, frame->amplitude[i], frame->grabs...
///     live_publish(live);
///     live_hear(live, time, pushes, count, places);

typedef enum StageCommandKind
{
    STAGE_GRAB,
    STAGE_MOVE,
    STAGE_RELEASE,
    STAGE_STRIKE,
    STAGE_THROW,
} StageCommandKind;

/// A command. What it says is checked: slots, bodies and vertices are there, numbers finite, weights positive with sum 1.
typedef struct StageCommand
{
    StageCommandKind kind;
    int slot;  ///< of grab, move, release
    int body;  ///< of grab, strike, throw
    union
    {
        twStageGrabDef grab;
        struct
        {
            twVec3 target;
            double seconds;  ///< at least 0
        } move;
        struct
        {
            twStagePoint point;
            twVec3 impulse;  ///< in the world [N s]
        } strike;
        twBodyMotion motion;  ///< of a throw; its turn has length 1
    };
} StageCommand;

typedef struct StageLive StageLive;

/// bodies: with contact, mode_count, mute set (def's bodies; later changes do not matter). Sets of modes and shapes have to outlive it.
twStatus stage_live_create(StageLive** out, const twStageDef* def, const StageBody* bodies, twError* err);
void stage_live_destroy(StageLive* live);         ///< NULL is fine
int live_heard(const StageLive* live, int body);  ///< modes that ring in the sound, seen or not
bool stage_is_point(const StageLive* live, int body, const twStagePoint* point);  ///< of a body there is

// the following are real-time safe and of the simulating thread

bool live_take(StageLive* live, StageCommand* out);  ///< the oldest command. @return false: none waits
int64_t live_refused(const StageLive* live);         ///< commands so far
StageVoicesStats live_sound_stats(const StageLive* live);
/// The view to fill; it holds something old. Poses have their mode_count and amplitude set, the view its arrays and counts.
StageFrame* live_begin_view(StageLive* live);
void live_publish(StageLive* live);
/// Nothing without sound.
void live_hear(StageLive* live, double time, const StagePush* pushes, int count, const BodyPlace* places);

/// The stage's; in stage.c.
StageLive* stage_live(const twStage* stage);
