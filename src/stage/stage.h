// SPDX-License-Identifier: MIT
#pragma once
#include "stage/doubt.h"
#include "stage/hold.h"
#include "stage/live.h"
#include "stage/touches.h"

/// @file
/// A stage (internal).

/// What grabs and contacts have done to a body, or to the group named after it (ledger.c).
typedef struct StageAccount
{
    double owed;                ///< brought in beyond what may be, and not paid yet; less than 0: taken too much [J]
    double old;                 ///< owed before a part of a step
    double had;                 ///< energy of motion and bending before a part of a step
    double bent;                ///< of it that of bending
    double own;                 ///< that it had more or less in it by itself, and by forces that are given
    double lost;                ///< by damping
    double may;                 ///< work of targets
    double sprung, was_sprung;  ///< its share of what was put into springs of its contacts, now and before
    double unpaid;              ///< that they would hold besides, were it not that nothing has put it in
    double saved;               ///< that contacts have taken, for lifting it out of what it has sunk into
    double lacking;             ///< that is owed, and that there is no motion to pay with
    double ahead, advance;      ///< for this reason to be paid before a part of a step, and what was
    int discord;                ///< parts of steps until it is asked again whether its grabs agree after all
    bool more;                  ///< that is clearly more than before
    bool refused;               ///< it is too much
} StageAccount;

/// The motion of a body as it was.
typedef struct StageKept
{
    twVec3 position, velocity, spin;
    twQuat turn;
    double *q, *rate, owed, sprung, unpaid, saved;
} StageKept;

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

    // of a step, or of one of its parts
    double h;                   ///< its length [s]
    int parts;                  ///< 1, or 4 or 16 where whole steps do not lead anywhere
    double softness;            ///< of grabs, at least
    bool missed;                ///< places were not found
    BodyPlace *places, *after;  ///< (bodies) at its beginning, at its end
    double** after_q;           ///< (bodies)
    double* newton;             ///< impulses of a round
    double* mending;            ///< of step_mend()
    twMat3* turning;            ///< (bodies) how spins now turn bodies at its end
    StageContact* contacts;
    int contact_count;
    double* approach;  ///< (contacts) speed at the beginning, towards each other [m/s]
    int* felt;         ///< (contacts) those that push at the end of the step
    int* lined;        ///< (contacts) whose lines these are
    StagePush* pushes;
    int push_count, push_room;

    // recording
    bool recording;
    twContactForce *forces, *before;  ///< of this step and of the one before
    int force_count, before_count, force_room;

    double time, left;  ///< [s]; what is left of the last call
    double began;       ///< when this step did [s]
    int well;           ///< steps that went well since they were divided
    int hopeless;       ///< steps that are not divided, because it did not help
    int64_t step;
    int strike_count;        ///< pushes of the last step that were strikes: the first ones
    StageAccount* accounts;  ///< (bodies)
    int* group;              ///< (bodies) of those that hang together
    StageKept*
        kept[4];  ///< (bodies) before a step, before a part of it, before it is mended, and before a round of that
    double* kept_block;
    twStageEnergy energy;
    twStageStats stats;
};

void stage_step(twStage* stage);             ///< one step
void stage_record_begin(twStage* stage);     ///< before a step
void stage_record_contacts(twStage* stage);  ///< after each of its parts
void stage_record_step(twStage* stage);      ///< the other forces, after it
/// A body is elsewhere all of a sudden: its contacts are forgotten, its grabs come to it anew.
void stage_jumped(twStage* stage, int body);
/// A blow from outside, heard and counted as work.
void stage_strike_now(twStage* stage, int body, const twStagePoint* point, twVec3 impulse);
