// SPDX-License-Identifier: MIT
#pragma once
#include "twang/dynamics.h"
#include "twang/sound.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Live: a world (dynamics.h) that runs in real time, with commands in, and views and sound out, each by a thread of
/// its own (docs/live.md).
///
///     twLiveDef def = tw_live_def();
///     def.bodies = bodies; def.body_count = n; def.world.materials = ...
///     tw_live_create(&live, &def, &err);
///     tw_live_grab(live, 0, &grab);                  // any one thread that commands
///     tw_live_advance(live, 1.0 / 60);               // one thread that simulates
///     const twLiveView* view = tw_live_view(live);   // one thread that draws
///     tw_live_sound(live, out, frames);              // one thread that sounds
///
/// Each function says by which of these four it is to be called; one thread may be several of them. After creation,
/// functions of the simulating, drawing and sounding thread do not allocate, lock, print or fail; of the commanding
/// thread only tw_live_add() and tw_live_add_rod() allocate.

// ---- covers: the drawn surface of a flexible body ----

/// A surface and how the modes of a set displace it. Constant after creation, may be shared by bodies and threads.
typedef struct twCover twCover;

/// Start from tw_cover_def().
typedef struct twCoverDef
{
    const twModeSet* set;  ///< NULL: a rigid surface, which mesh gives
    int mode_count;        ///< the first modes of the set that displace it; -1: all
    const twMesh* mesh;    ///< any surface, open or of loose triangles too, in the tets of the set; NULL: the set's own
    bool warp;             ///< modal warping: parts that bend far rotate instead of growing (Choi and Ko 2005)
} twCoverDef;
twCoverDef tw_cover_def(void);  ///< all modes, its own surface, no warp

/// @return TW_BAD_INPUT if a mesh is to be embedded in a set without tets, or is not usable; TW_NO_MEMORY
twStatus tw_cover_create(twCover** out, const twCoverDef* def, twError* err);
void tw_cover_destroy(twCover* cover);  ///< NULL is fine
int tw_cover_modes(const twCover* cover);
int tw_cover_vertices(const twCover* cover);
const twTriangle* tw_cover_faces(const twCover* cover, int* count);
/// Positions [m] and unit normals (may be NULL) of all vertices (vertices x 3), in the coordinates of the mesh, for
/// modal amplitudes (tw_cover_modes()). scratch: tw_cover_scratch() floats. Real-time safe.
void tw_cover_bend(const twCover* cover, const double* amplitude, float* positions, float* normals, float* scratch);
size_t tw_cover_scratch(const twCover* cover);
/// Largest distance of an embedded vertex from the tets, relative to the size of the set; 0 if all lie inside.
double tw_cover_outside(const twCover* cover);

// ---- creation ----

/// Start from tw_live_body_def().
typedef struct twLiveBodyDef
{
    twBodyDef body;  ///< its shape must outlive the body
    /// Modes that are heard; the first of them are those of the shape, which move it. Must outlive the body. NULL:
    /// not heard, and drawn rigid
    const twModeSet* modes;
    const twCover* cover;  ///< what is drawn; must outlive the body. NULL: the surface of modes, or of the shape
    bool warp;             ///< of a cover that is made here: twCoverDef.warp
    bool mute;             ///< not heard, though there are modes
} twLiveBodyDef;
twLiveBodyDef tw_live_body_def(void);  ///< as tw_body_def()

/// Start from tw_live_def().
typedef struct twLiveDef
{
    /// max_step is the length of all steps, its bodies are set from those below. rod_rate_hz: of whole steps of rods in
    /// one of max_step; 0: as few as there can be, one in 1 ms
    twWorldDef world;
    int body_count;
    const twLiveBodyDef* bodies;
    double budget;  ///< wall time of a call of tw_live_advance() [s]: steps that do not fit are dropped; 0: no limit
    int queue;      ///< room for commands that were sent and have not acted yet
    int recorded;  ///< room for the forces of one call of tw_live_advance(), for tw_live_forces(); 0: they are not kept
    double sound_rate_hz;  ///< sample rate; 0: no sound
    twEarDef ear;          ///< the listener; its rate_hz, source_count and max_block are set from the rest
} twLiveDef;
/// Earth's gravity, steps of 1 ms, 64 grabs, room for 512 contacts, no spare bodies, no sound.
twLiveDef tw_live_def(void);

typedef struct twLive twLive;

/// @return TW_BAD_INPUT naming the body and what would be right, TW_NO_MEMORY. On failure *out is NULL.
twStatus tw_live_create(twLive** out, const twLiveDef* def, twError* err);
void tw_live_destroy(twLive* live);  ///< NULL is fine

// ---- commands ----
// By the commanding thread. They act before the next step, in the order in which they were sent. @return false:
// refused, and counted in twLiveStats.refused: the queue is full, there is no such body, point or slot, or a number
// is not finite or out of range

/// tw_world_grab(). A slot in use refuses another grab until it is released, or a body that it holds is removed.
bool tw_live_grab(twLive* live, int slot, const twGrabDef* grab);
bool tw_live_move(twLive* live, int slot, twVec3 target, double seconds);  ///< tw_world_move_grab()
bool tw_live_release(twLive* live, int slot);                              ///< tw_world_release(), of a slot in use
bool tw_live_strike(twLive* live, int body, const twSurfacePoint* point, twVec3 impulse);  ///< tw_world_strike()
bool tw_live_throw(twLive* live, int body, const twBodyMotion* motion);                    ///< tw_world_throw()
/// The listener goes there on a straight line and turns to that orientation in that time [s]; by 60 m/s at most.
bool tw_live_listen(twLive* live, twVec3 position, twQuat turn, double seconds);

/// Add a body in one of the spare places (twWorldDef.spare_bodies). Its cover and its sound are made here, which
/// allocates.
/// @param body its number, which other commands may use at once
/// @return TW_BAD_INPUT naming what is wrong: the def, no free place, a full queue; counted as refused too.
/// TW_NO_MEMORY
twStatus tw_live_add(twLive* live, const twLiveBodyDef* def, int* body, twError* err);
/// Remove a body. Later commands may not name it; its grabs are released, its sound fades out. Refused for bodies of
/// joints and ties.
bool tw_live_remove(twLive* live, int body);
/// Whether a removed body is in use by no thread any more: its shape, modes and cover may be destroyed, and its
/// number may be given to another body. A thread that has ever drawn or sounded must have taken a view or made a
/// block of sound since then.
bool tw_live_is_free(twLive* live, int body);

/// Add a rod in one of the spare places (twWorldDef.spare_rods). It is made here, which allocates; what the def points
/// to is copied. Whether it overlaps something is not checked.
/// @param rod its number, which other commands may use at once
/// @return as tw_live_add()
twStatus tw_live_add_rod(twLive* live, const twWorldRodDef* def, int* rod, twError* err);
bool tw_live_remove_rod(twLive* live, int rod);   ///< as tw_live_remove(); refused for a rod that is tied
bool tw_live_rod_is_free(twLive* live, int rod);  ///< as tw_live_is_free()

/// The point of a body's surface at rest that is nearest to a place, in the coordinates of its mesh. @return their
/// distance [m]; INFINITY: there is no such body, or it has no surface
double tw_live_nearest(const twLive* live, int body, twVec3 at, twSurfacePoint* point);

// ---- time ----

/// Simulate so much time [s], in whole steps; the rest is kept for the next call. The simulating thread, as all of
/// this section.
void tw_live_advance(twLive* live, double seconds);
double tw_live_time(const twLive* live);  ///< the end of the last step [s]
/// The forces of all steps of the last call of tw_live_advance(), as tw_world_forces() lists them, in the order of
/// time.
const twContactForce* tw_live_forces(const twLive* live, int* count);
/// The world that is simulated, for functions that only read it: tw_world_point(), tw_world_motion() ...
const twWorld* tw_live_world(const twLive* live);

// ---- views ----

/// A body in a view.
typedef struct twLivePose
{
    bool present;     ///< false: this place has no body, and the rest means nothing
    twVec3 position;  ///< of the origin of the mesh's coordinates [m]
    twQuat turn;
    twVec3 velocity, spin;    ///< of that origin, in the world's axes [m/s], [rad/s]
    int mode_count;           ///< modes that displace it
    const double* amplitude;  ///< (modes) [m kg^1/2]
} twLivePose;

/// A rod in a view.
typedef struct twLiveRod
{
    bool present;  ///< false: this place has no rod, and the rest means nothing
    bool closed;
    int point_count;
    const double* position;    ///< (points x 3) [m]
    const double* velocity;    ///< (points x 3) [m/s]
    const double* across;      ///< where d1 points, from which sections' angles count (edges x 3), unit
    int section_count;         ///< 1, or one per point
    const twSection* section;  ///< (section_count)
} twLiveRod;

typedef struct twLiveStats
{
    int64_t steps;
    int64_t refused;         ///< commands: when they were sent, or by the world
    int64_t lost_hits;       ///< impacts that are not heard: too many at a time, or too late
    int64_t late;            ///< blocks of sound that had to wait for steps
    int64_t dropped_forces;  ///< forces that are not heard or not recorded: more than there is room for
    double dropped_time;     ///< not simulated, to keep within the budget [s]
    twWorldStats world;
} twLiveStats;

/// All that is drawn, at the end of one call of tw_live_advance().
typedef struct twLiveView
{
    double time;
    int body_count, rod_count, grab_count;
    const twLivePose* bodies;  ///< (body_count: with spare places)
    const twLiveRod* rods;     ///< (rod_count: with spare places)
    const twGrabView* grabs;   ///< (world.max_grabs)
    twWorldEnergy energy;
    twLiveStats stats;
} twLiveView;
/// The latest view; constant until the next call, never waits. The drawing thread, as all of this section.
const twLiveView* tw_live_view(twLive* live);
/// The cover of a body in a view; NULL: nothing is drawn of it.
const twCover* tw_live_cover(const twLiveView* view, int body);
/// Positions [m] and unit normals (may be NULL) of the cover of a body that has one, in the world (vertices x 3).
void tw_live_vertices(const twLiveView* view, int body, float* positions, float* normals);
/// What a ray from eye meets first, to be held there, and the place in the world where the ray meets it: a point of a
/// body's surface, or the nearest point of a rod, which is as thick all around as it is wide.
/// @return false: nothing
bool tw_live_pick(const twLiveView* view, twVec3 eye, twVec3 direction, twGrabPoint* at, twVec3* place);

// ---- sound ----

/// The next frames of sound, interleaved channels of the ear [Pa]; none if tw_live_channels() is 0. The sounding
/// thread. Steps that come later than their sound is asked for are heard later.
void tw_live_sound(twLive* live, float* out, int frames);
int tw_live_channels(const twLive* live);

#ifdef __cplusplus
}
#endif
