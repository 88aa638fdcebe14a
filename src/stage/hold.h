// SPDX-License-Identifier: MIT
#pragma once
#include "stage/body.h"
#include "stage/system.h"

/// @file
/// A grab while it holds (internal): the path of its target, its rows and columns in a step.

/// Where a target goes: by a cubic from a place and velocity to another in a time, then to rest in the same time again if it is moving
/// still. Nothing jumps but what is told to in no time.
typedef struct HoldPath
{
    double begin, span;
    twVec3 from, from_rate, to, to_rate;
    twVec3 shake;  ///< velocity by vibration at its beginning, which ends in a time of its own
    double shake_span;
} HoldPath;

twVec3 hold_path_at(const HoldPath* path, double time, twVec3* rate);

typedef struct Hold
{
    bool active;
    twStageGrabDef def;
    HoldPath path;  ///< of the target; of a joint: of what is added to it
    HoldPath told;  ///< the same as it was told: what gives way goes another one, and comes back
    double moved;   ///< when it was last told where to go
    bool back;  ///< its path is that of coming back to where it was told to be: it gave way, let go, or has just begun
    double purse;   ///< what it may bring by coming back or by its largest force: what it took, and what was told [J]
    double kept;    ///< the same before a step
    twVec3 offset;  ///< of a joint: from the other's point, in the other's axes [m]

    // of a step
    bool limited;      ///< it pushes with its largest force instead
    bool fresh;        ///< it has just begun
    bool slack;        ///< it lets go: there is no sense in it
    twVec3 push;       ///< that force
    twVec3 carried;    ///< of its impulse, what carries bodies (limit.c) [N s]
    twVec3 allowed;    ///< of it, what its largest force allows [N s]
    double brought;    ///< work of this part of it, by coming back or by its largest force [J]
    double next;       ///< its purse after it
    twVec3 start;      ///< where the point was when it began, as the path has it
    double far;        ///< from there its target was told to go, at most [m]
    double leg;        ///< the last way that it was told to go [m]
    bool strays;       ///< of an acceleration: it was not to be had in the last part
    double asked;      ///< fastest that its target was told to go since it holds [m/s]
    bool concedes;     ///< its target is not to be had in this part: it makes do with less (concede.c)
    twVec3 short_of;   ///< it by this at the end of it [m]
    twVec3 was_short;  ///< by this at its beginning
    twVec3 conceded;   ///< how fast it goes then [m/s]
    double set_out;    ///< when this part of it began
    twVec3 was;        ///< where its point was then, if not led by places; of a joint: against the other's
    twVec3 was_rate;   ///< how it moved
    int row, row_count, column, column_count;
    twVec3 whole;                        ///< impulse of the whole step, all its columns together, in the world [N s]
    twVec3 impulse;                      ///< of this part of it
    twVec3 half;                         ///< of its columns in this half of the step
    twVec3 pushed[TW_MAX_STAGE_PUSHES];  ///< where it pushes elsewhere
    twVec3 first[TW_MAX_STAGE_PUSHES];   ///< of it at the beginning of this part of the step
    twVec3 whole_pushed[TW_MAX_STAGE_PUSHES];
    double error;  ///< [m]
} Hold;

/// A point's place and velocity now.
twVec3 hold_point_now(const StageBody* body, const twStagePoint* point, twVec3* velocity);

/// step: no target is reached sooner
void hold_begin(Hold* hold, const twStageGrabDef* def, const StageBody* bodies, double time, double step);
/// A body it holds was put elsewhere: it comes to its target anew, as it did when it began.
void hold_again(Hold* hold, const StageBody* bodies, double time, double step);
/// It gave way: it comes anew, no faster than its largest force allows; if it let go, than it was told to, or than own_speed.
void hold_yield(Hold* hold, const StageBody* bodies, double time, double own_speed);
void hold_move(Hold* hold, twVec3 target, double seconds, double time, double step);

/// How far the point is from where it should be at a time, in the directions that are held; places (bodies) being where everything is then.
twVec3 hold_error(const Hold* hold, const StageBody* bodies, const BodyPlace* places, double time);
/// The same from where it was told to be, of places.
twVec3 hold_off(const Hold* hold, const StageBody* bodies, const BodyPlace* places, double time);
/// Rows and columns for a step, bodies being at places now. way: positions count; else velocities.
void hold_lines(Hold* hold, StageSystem* system, const StageBody* bodies, const BodyPlace* places, bool way);
/// Its rows become the derivative of its way over h, bodies being at after then and turning (bodies) what stage_body_turning() says.
void hold_aim(const Hold* hold, StageSystem* system, const StageBody* bodies, const BodyPlace* after,
              const twMat3* turning);
/// A part of a step begins: velocities and accelerations lead on from where the point is now.
void hold_set_out(Hold* hold, const StageBody* bodies, double time);
/// Right sides of its rows at a time. At the beginning of a step of h that ends then (way): what is missing to its place over h, bodies
/// being at places then; at its end: what velocities lack.
void hold_wants(const Hold* hold, const StageSystem* system, const StageBody* bodies, const BodyPlace* places, bool way,
                double time, double h, double* b);
/// Mean velocity of its target in a step from time on [m/s]: what its force times is its work.
twVec3 hold_lead(const Hold* hold, double time, double h);
twVec3 hold_force(const Hold* hold, double time);  ///< that a grab by force wants, or a limited one has [N]
