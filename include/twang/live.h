// SPDX-License-Identifier: MIT
#pragma once
#include "twang/dynamics.h"
#include "twang/sound.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Live: a world that is played, seen and heard while it runs (docs/live.md). Commands come from another thread, views and sound go to
/// others.
///
///     twLiveDef def = tw_live_def();
///     def.bodies = bodies; def.body_count = n; def.world.materials = ...
///     tw_live_create(&live, &def, &err);
///     tw_live_grab(live, 0, &grab);                  // any one thread that commands
///     tw_live_advance(live, 1.0 / 60);               // one thread that simulates
///     const twLiveView* view = tw_live_view(live);   // one thread that draws
///     tw_live_sound(live, out, frames);              // one thread that sounds
///
/// These may be four threads or one. After creation nothing allocates, locks, prints or fails on those that simulate, draw and sound;
/// the one that commands allocates when it adds a body.

// ---- covers: what is drawn of a body that bends ----

/// How a drawn surface follows the modes of a set. Constant after creation, may be shared by threads.
typedef struct twCover twCover;

/// Start from tw_cover_def().
typedef struct twCoverDef
{
    const twModeSet* set;  ///< NULL: rigid, and there must be a mesh
    int mode_count;        ///< the first so many; -1: all
    const twMesh*
        mesh;   ///< any surface, also open or of loose triangles, embedded in the tets of the set; NULL: the set's own
    bool warp;  ///< bent parts turn instead of growing (Choi and Ko 2005)
} twCoverDef;
twCoverDef tw_cover_def(void);  ///< all modes, its own surface, no warp

/// @return TW_BAD_INPUT if a mesh is to be embedded in a set without tets, or is not usable; TW_NO_MEMORY
twStatus tw_cover_create(twCover** out, const twCoverDef* def, twError* err);
void tw_cover_destroy(twCover* cover);  ///< NULL is fine
int tw_cover_modes(const twCover* cover);
int tw_cover_vertices(const twCover* cover);
const twTriangle* tw_cover_faces(const twCover* cover, int* count);
/// Places in the body's axes [m] and unit normals (may be NULL) of all vertices (x 3) for amplitudes (modes). scratch:
/// tw_cover_scratch() floats. Real-time safe.
void tw_cover_bend(const twCover* cover, const double* amplitude, float* positions, float* normals, float* scratch);
size_t tw_cover_scratch(const twCover* cover);
/// Largest distance of an embedded vertex from the tets, over the size of the body; 0 if all lie inside.
double tw_cover_outside(const twCover* cover);

// ---- what there is ----

/// Start from tw_live_body_def().
typedef struct twLiveBodyDef
{
    twBodyDef body;  ///< in the world; its shape must outlive it
    const twModeSet*
        modes;  ///< those of the shape, all of which can be heard; must outlive it. NULL: rigid, and not heard
    const twCover* cover;  ///< what is drawn; must outlive it; NULL: made of the set, or of the shape
    bool warp;             ///< bends beyond the linear range look right
    bool mute;             ///< is not heard
} twLiveBodyDef;
twLiveBodyDef tw_live_body_def(void);  ///< as tw_body_def()

/// Start from tw_live_def().
typedef struct twLiveDef
{
    twWorldDef world;  ///< its max_step is the step, by which all bodies move; its bodies are those below
    int body_count;
    const twLiveBodyDef* bodies;
    double budget;  ///< of wall time for each call of advance [s]; what does not fit is dropped, and counted; 0: any
    int queue;      ///< commands that wait at most
    int recorded;   ///< room for the forces of a call of advance, for tw_live_forces(); 0: they are not kept
    double sound_rate_hz;  ///< 0: no sound
    twEarDef ear;          ///< who hears it; its rate, sources and block are set here
} twLiveDef;
/// Earth's gravity, steps of 1 ms, 64 grabs, room for 512 contacts, no spare bodies, no sound.
twLiveDef tw_live_def(void);

typedef struct twLive twLive;

/// @return TW_BAD_INPUT naming the body and what would be right, TW_NO_MEMORY. On failure *out is NULL.
twStatus tw_live_create(twLive** out, const twLiveDef* def, twError* err);
void tw_live_destroy(twLive* live);  ///< NULL is fine

// ---- commands ----
// They act before the next step, in their order. @return false: refused and counted, because the queue is full, or there is no such body,
// point or slot, or a number makes no sense

/// A slot holds one grab until it is released, or a body of it is removed: another one is refused.
bool tw_live_grab(twLive* live, int slot, const twGrabDef* grab);
bool tw_live_move(twLive* live, int slot, twVec3 target, double seconds);  ///< reaches it in that time, smoothly
bool tw_live_release(twLive* live, int slot);                              ///< of a slot in use
bool tw_live_strike(twLive* live, int body, const twSurfacePoint* point, twVec3 impulse);  ///< [N s]
bool tw_live_throw(twLive* live, int body, const twBodyMotion* motion);  ///< put there, moving so; its bend stays
/// The listener goes there in a straight line, and turns so, in that time.
bool tw_live_listen(twLive* live, twVec3 position, twQuat turn, double seconds);

/// One more body, in one of the spare places; what is drawn and heard of it is made here, which allocates. The number is good for other
/// commands at once. @param body its number
/// @return TW_BAD_INPUT naming what is wrong, no place is free, or the queue is full; counted as refused too
twStatus tw_live_add(twLive* live, const twLiveBodyDef* def, int* body, twError* err);
/// It is no more: no command may name it; its grabs are released, its sound ends without a click. Bodies of joints and ties stay.
bool tw_live_remove(twLive* live, int body);
/// The place is free: it was removed, and since then a view was taken and a block of sound made by whoever does so at all. From now
/// on its shape, modes and cover may be destroyed, and its number may be given to another body. The commanding thread.
bool tw_live_is_free(twLive* live, int body);

/// The place of a body's surface at rest that is nearest to one in its mesh's coordinates. @return how far that is [m]; INFINITY: there is
/// no such body, or it has no surface. The commanding thread.
double tw_live_nearest(const twLive* live, int body, twVec3 at, twSurfacePoint* point);

// ---- time ----

/// Simulate so much time; what is left of a step is kept for the next call. The simulating thread, as all that follows here.
void tw_live_advance(twLive* live, double seconds);
double tw_live_time(const twLive* live);  ///< [s]
/// The forces of all steps of the last call of advance, as tw_world_forces() has them, in the order of time, if there is room.
const twContactForce* tw_live_forces(const twLive* live, int* count);
/// The world that is simulated, to look at.
const twWorld* tw_live_world(const twLive* live);

// ---- what is seen ----

/// Where a body is.
typedef struct twLivePose
{
    bool present;     ///< there is one in this place
    twVec3 position;  ///< of the origin of the mesh's coordinates [m]
    twQuat turn;
    twVec3 velocity, spin;    ///< of that origin; in the world's axes
    int mode_count;           ///< that move
    const double* amplitude;  ///< (modes)
} twLivePose;

typedef struct twLiveStats
{
    int64_t steps;
    int64_t refused;         ///< commands
    int64_t lost_hits;       ///< blows that are not heard: too many at a time, or too late
    int64_t late;            ///< blocks of sound for which steps were not there yet
    int64_t dropped_forces;  ///< that there was no room for: not heard, not recorded
    double dropped_time;     ///< by the budget [s]
    twWorldStats world;
} twLiveStats;

/// A picture of the whole at one time.
typedef struct twLiveView
{
    double time;
    int body_count, grab_count;
    const twLivePose* bodies;  ///< (bodies and spare places)
    const twGrabView* grabs;   ///< (world.max_grabs)
    twWorldEnergy energy;
    twLiveStats stats;
} twLiveView;
/// The latest; stays as it is until the next call. The drawing thread, as all that follows here; never waits.
const twLiveView* tw_live_view(twLive* live);
/// What is drawn of a body in a view; NULL: nothing.
const twCover* tw_live_cover(const twLiveView* view, int body);
/// Places in the world and unit normals (may be NULL) of its cover, (vertices x 3).
void tw_live_vertices(const twLiveView* view, int body, float* positions, float* normals);
/// The point of a body in a view that a ray from eye meets first. @return false: none
bool tw_live_pick(const twLiveView* view, twVec3 eye, twVec3 direction, int* body, twSurfacePoint* point,
                  twVec3* place);

// ---- what is heard ----

/// The next frames of sound, interleaved channels of the ear [Pa]. The sounding thread; what is simulated later than it is
/// asked for is heard later.
void tw_live_sound(twLive* live, float* out, int frames);
int tw_live_channels(const twLive* live);

#ifdef __cplusplus
}
#endif
