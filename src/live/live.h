// SPDX-License-Identifier: MIT
#pragma once
#include "live/emitter.h"
#include "live/queue.h"
#include "live/snapshot.h"
#include "live/sound.h"
#include <stdatomic.h>

/// @file
/// A world that is played (internal). Who owns what: places, slots and room are the commanding thread's, the world, forces and
/// the frame that is written the simulating thread's, the frame that is read the drawing thread's.

#define LIVE_FASTEST                                                                                                   \
    60.0  ///< sources and ears that jump glide to where they are, which bends pitches by a fifth at most [m/s]

/// What is drawn and heard of a body, made by the commanding thread.
struct LiveLook
{
    twBodyDef def;  ///< what it points to is copied here, but for the shape
    double* numbers;
    twCover* own_cover;
    const twCover* cover;  ///< NULL: nothing is drawn
    Emitter* emitter;      ///< NULL: not heard
    float* scratch;        ///< of the cover
    float* picked;         ///< (vertices x 3)
};

/// modes: all that the sound knows of the body's set ring in it.
twStatus live_look_create(LiveLook** out, const twLiveBodyDef* def, const LiveSound* sound, twError* err);
void live_look_destroy(LiveLook* look);     ///< NULL is fine
int live_look_modes(const LiveLook* look);  ///< that move it

/// What of a rod does not change, made by the commanding thread.
typedef struct LiveRod
{
    twNewRod* made;  ///< NULL: it was there from the start
    bool closed;
    int point_count, section_count;
    twSection section[];
} LiveRod;

/// world: to add it to; NULL: it is in it.
twStatus live_rod_create(LiveRod** out, const twWorldRodDef* def, const twWorld* world, twError* err);
void live_rod_destroy(LiveRod* rod);  ///< NULL is fine

typedef enum LiveCommandKind
{
    LIVE_GRAB,
    LIVE_MOVE,
    LIVE_RELEASE,
    LIVE_STRIKE,
    LIVE_THROW,
    LIVE_LISTEN,
    LIVE_ADD,
    LIVE_REMOVE,
    LIVE_ADD_ROD,
    LIVE_REMOVE_ROD,
} LiveCommandKind;

/// A command. What it says is checked: slots, bodies and vertices are there, numbers finite, weights positive with sum 1.
typedef struct LiveCommand
{
    LiveCommandKind kind;
    int index;  ///< slot of grab, move, release; body or rod of the others
    union
    {
        twGrabDef grab;
        struct
        {
            twVec3 target;
            double seconds;
        } move;
        struct
        {
            twSurfacePoint point;
            twVec3 impulse;
        } strike;
        twBodyMotion motion;  ///< its turn has length 1
        LiveEar listen;
        LiveLook* look;   ///< of a body that is added
        LiveRod* rod;     ///< that is added
        int64_t removal;  ///< the number of a removal, from 1 on
    };
} LiveCommand;

/// A place for a body or for a rod, as the commanding thread has it: free if it has neither.
typedef struct LivePlace
{
    LiveLook* look;
    LiveRod* rod;
    int64_t removal;  ///< above 0: it was removed by this one, and is still seen or heard
    int room;         ///< of modes, of points
    bool tied;        ///< to a rod or body, by a joint, or a push of the def acts on it: it cannot be removed
} LivePlace;

/// A force that acts in a step.
typedef struct LiveForce
{
    twContactForce force;  ///< from its time on; then from the end of the last step on
    twVec3 impulse;        ///< of this step before that [N s]
    double impact_time;    ///< of an impact in this step [s]; 0: none
    twVec3 blow;           ///< of an impact that steps do not resolve, so far, in whole steps [N s]
    double blow_time;      ///< how long it lasts by the contact law [s]
    int blow_steps;
} LiveForce;

struct twLive
{
    twLiveDef def;              ///< without what it points to
    int body_count, rod_count;  ///< with spare ones
    twWorld* world;
    LiveSound* sound;  ///< NULL: none
    LiveQueue* commands;
    LiveSnapshot* snapshot;
    _Atomic int64_t refused;

    // of the commanding thread
    LivePlace* places;  ///< (bodies, then rods)
    twGrabDef* grabs;   ///< (max_grabs)
    bool* grabbed;      ///< (max_grabs)
    int64_t removals;

    // of the simulating thread
    LiveLook** looks;   ///< (bodies) NULL: not there
    LiveRod** rods;     ///< (rods) the same
    LiveForce* forces;  ///< by id
    int force_count, force_room;
    LivePush* pushes;
    int push_count, push_room;
    LiveSpot* spots;           ///< (bodies) for the sound
    bool* changed;             ///< (bodies) forces on it are not those of the last step
    twContactForce* recorded;  ///< (def.recorded)
    int recorded_count;
    int64_t removed;  ///< the last removal that is done
    double time;      ///< the end of the last step [s]
    double left;      ///< of the last call [s]
    twLiveStats stats;
};

/// Places whose bodies and rods nobody sees or hears any more become free. The commanding thread.
void live_reclaim(twLive* live);
