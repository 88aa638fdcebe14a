// SPDX-License-Identifier: MIT
#pragma once
#include "twang/live.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Stage: soft bodies that are grabbed, dragged, pinned, joined and thrown while they are played, seen and heard live
/// (docs/stage.md; after Hauser, Shen and O'Brien 2003). A body is a rigid frame and analytic oscillators in it; a step of any
/// length is exact but for what constrains it.
///
///     twStageDef def = tw_stage_def();
///     def.bodies = bodies; def.body_count = n; ...
///     tw_stage_create(&stage, &def, &err);
///     tw_stage_grab(stage, 0, &grab);                   // any one thread that commands
///     tw_stage_advance(stage, 1.0 / 60);                // one thread that simulates
///     const twStageView* view = tw_stage_view(stage);   // one thread that draws
///     tw_stage_sound(stage, out, frames);               // one thread that sounds
///
/// These may be four threads or one. After creation nothing allocates, locks, prints or fails.

#define TW_MAX_STAGE_GRABS 256  ///< of a stage
#define TW_MAX_STAGE_PUSHES 8   ///< places where the forces of a grab act, if not where it holds
#define TW_MAX_STAGE_MODES 256  ///< that move a body

// ---- displacements ----

/// Amplitudes (modes) of displacements given at the nodes of a set, (vertices + inner nodes) if it has tets, else (vertices): with tets
/// W^T M d with the mass of its elements, exact for what its modes can do; without, the least squares over the surface. Allocates.
twStatus tw_mode_set_project(double* amplitude, const twModeSet* set, const twVec3* displacement, twError* err);

// ---- bodies ----

/// Start from tw_stage_body_def().
typedef struct twStageBodyDef
{
    const char* name;          ///< for messages
    const twBodyShape* shape;  ///< must outlive the stage; its simulated modes are what can be heard
    const twModeSet* modes;    ///< those of the shape; NULL: rigid, and not heard
    const twCover* cover;      ///< what is drawn; must outlive the stage; NULL: made of the set
    twBodyKind kind;           ///< free or fixed: the frame of a fixed one stands still (modes of a held set)
    twBodyMotion motion;       ///< at the start
    int material;              ///< of the stage's
    bool ghost;                ///< touches nothing
    bool warp;                 ///< bends beyond the linear range look right
    bool mute;                 ///< is not heard
    bool hangs;                ///< a fixed one begins bent by its weight, at rest
    const double* amplitude;   ///< at the start (modes of the set) [kg^1/2 m]; NULL: 0
    const double* rate;        ///< NULL: 0
} twStageBodyDef;
twStageBodyDef tw_stage_body_def(void);  ///< free, at the origin

// ---- grabs ----

typedef enum twStageGrabKind
{
    TW_STAGE_GRAB_POSITION,      ///< the point is at the target at the end of every step, and moves as it does
    TW_STAGE_GRAB_VELOCITY,      ///< has its velocity
    TW_STAGE_GRAB_ACCELERATION,  ///< is accelerated so
    TW_STAGE_GRAB_FORCE,         ///< is pushed so, whatever it does
} twStageGrabKind;

typedef twSurfacePoint twStagePoint;
twStagePoint tw_stage_vertex(int vertex);

/// A hold on a point of a body. Start from tw_stage_grab_def().
typedef struct twStageGrabDef
{
    twStageGrabKind kind;
    int body;
    twStagePoint point;
    int other;  ///< a joint: a point of this body is the target; TW_NOWHERE: target is
    twStagePoint other_point;
    bool along[3];   ///< directions of the world that are held; all
    bool here;       ///< target is where (how fast) the point is now; of a joint: the points keep their distance
    twVec3 target;   ///< [m], [m/s], [m/s^2], [N]
    int push_count;  ///< 0: forces act where it holds
    int push_body[TW_MAX_STAGE_PUSHES];
    twStagePoint push_point[TW_MAX_STAGE_PUSHES];
    double ease;       ///< time in which it comes to the target, without a jump in place or velocity [s]
    double max_force;  ///< [N]; it gives way beyond; 0: none
} twStageGrabDef;
twStageGrabDef tw_stage_grab_def(void);  ///< position, body 0, all directions, 50 ms

// ---- the stage ----

typedef enum twStageContact
{
    TW_STAGE_CONSTRAINT,  ///< contacts push as much as keeps bodies apart, and rub
    TW_STAGE_PENALTY,     ///< contacts are springs with dampers; implicit, stable however stiff
    TW_STAGE_NO_CONTACT,
} twStageContact;

/// Start from tw_stage_def().
typedef struct twStageDef
{
    twVec3 gravity;  ///< [m/s^2]
    double step;     ///< [s]; modes above 0.45/step are heard, not seen
    int body_count, material_count, pair_count;
    const twStageBodyDef* bodies;
    const twContactMaterial* materials;
    const twContactPair* pairs;  ///< where not as by tw_contact_pair()
    twStageContact contact;
    double cluster;    ///< contacts nearer than this share of the smaller body's radius are one
    int max_contacts;  ///< at a time, after clustering
    int max_grabs;     ///< slots
    double
        softness;  ///< of grabs: directions that give less than this share of the softest are left alone (pseudo-inverse)
    double largest_force,
        smallest_motion;  ///< modes that this force [N] moves less than this [m] do not move; 0: all do
    double budget;  ///< of wall time for each call of advance [s]; what does not fit is dropped, and counted; 0: any
    int queue;      ///< commands that wait at most
    double sound_rate_hz;  ///< 0: no sound
    twEarDef ear;          ///< who hears it; its rate, sources and block are set here
    bool doubt;            ///< keep account of what modes that are left out would do, for tw_stage_doubt()
} twStageDef;
twStageDef tw_stage_def(void);  ///< earth's gravity, 1 ms, constraints, 64 grabs, 64 contacts, softness 1e-10, no sound

typedef struct twStage twStage;

/// @return TW_BAD_INPUT naming the body and what would be right, TW_NO_MEMORY. On failure *out is NULL.
twStatus tw_stage_create(twStage** out, const twStageDef* def, twError* err);
void tw_stage_destroy(twStage* stage);  ///< NULL is fine

// commands; they act before the next step. @return false: refused, because the queue is full or there is no such body or slot

bool tw_stage_grab(twStage* stage, int slot, const twStageGrabDef* grab);     ///< a slot in use is released first
bool tw_stage_move(twStage* stage, int slot, twVec3 target, double seconds);  ///< reaches it in that time, smoothly
bool tw_stage_release(twStage* stage, int slot);
bool tw_stage_strike(twStage* stage, int body, twStagePoint point, twVec3 impulse);  ///< [N s]
bool tw_stage_throw(twStage* stage, int body, const twBodyMotion* motion);  ///< put there, moving so; its bend stays

/// Simulate so much time; what is left of a step is kept for the next call. The simulating thread.
void tw_stage_advance(twStage* stage, double seconds);
double tw_stage_time(const twStage* stage);  ///< [s]

/// Where a body is.
typedef struct twStagePose
{
    twVec3 position;  ///< of the origin of the mesh's coordinates [m]
    twQuat turn;
    twVec3 velocity, spin;    ///< of that origin; in the world's axes
    int mode_count;           ///< that move
    const double* amplitude;  ///< (modes)
} twStagePose;

/// What a grab does.
typedef struct twStageGrip
{
    bool active;
    int body;
    twVec3 point, target;  ///< now [m]
    twVec3 force;          ///< mean of the last step [N]
    double error;          ///< distance from where it was told to be by now, of positions [m]
} twStageGrip;

typedef struct twStageEnergy
{
    double kinetic, elastic, weight;
    double springs;     ///< of penalty contacts
    double work;        ///< done by grabs, strikes and throws since the start
    double dissipated;  ///< by modes and contacts
} twStageEnergy;

typedef struct twStageStats
{
    int64_t steps, contacts, clustered, dropped_contacts;
    int64_t refused;      ///< commands
    int64_t repeated;     ///< rounds of the solver beyond the first
    int64_t limited;      ///< steps in which a grab gave way (max_force)
    int64_t missed;       ///< steps, or parts of them, in which grabs did not reach their targets as near as they could
    int64_t let_go;       ///< in which some let go, because there was no sense in it
    int64_t parts;        ///< of steps that were divided
    int64_t lost_hits;    ///< blows that are not heard: too many at a time
    int64_t late;         ///< blocks of sound for which steps were not there yet
    int64_t resets;       ///< bodies that were lost (not finite) and put back to the start
    double dropped_time;  ///< by the budget [s]
    int contacts_max, rows_max;
} twStageStats;

/// A picture of the whole at one time.
typedef struct twStageView
{
    double time;
    int body_count, grab_count;
    const twStagePose* bodies;  ///< (bodies)
    const twStageGrip* grabs;   ///< (max_grabs)
    twStageEnergy energy;
    twStageStats stats;
} twStageView;
/// The latest; stays as it is until the next call. The drawing thread; never waits.
const twStageView* tw_stage_view(twStage* stage);
/// Places in the world and unit normals (may be NULL) of what is drawn of a body in a view, (vertices x 3). The drawing thread.
void tw_stage_vertices(twStage* stage, const twStageView* view, int body, float* positions, float* normals);
const twCover* tw_stage_cover(const twStage* stage, int body);
/// The point of a body in a view that a ray from eye meets first. @return false: none
bool tw_stage_pick(twStage* stage, const twStageView* view, twVec3 eye, twVec3 direction, int* body,
                   twStagePoint* point, twVec3* place);

/// The place of a body's surface at rest that is nearest to one in its mesh's coordinates. @return how far that is [m]; INFINITY: it
/// has no surface
double tw_stage_nearest(const twStage* stage, int body, twVec3 at, twStagePoint* point);
/// Where a point of a body is now, and how it moves (may be NULL). The simulating thread.
twVec3 tw_stage_place(const twStage* stage, int body, const twStagePoint* point, twVec3* velocity);

/// The next frames of sound, interleaved channels of the ear [Pa]. The sounding thread; what is simulated later than it is
/// asked for is heard later.
void tw_stage_sound(twStage* stage, float* out, int frames);
int tw_stage_channels(const twStage* stage);

/// The forces of the last step on bodies, of contacts, grabs and strikes, as a world gives them, for recordings; ids of grabs begin with
/// TW_TRACE_PUSH. The simulating thread, until the next call of advance. Recording has to be switched on before.
void tw_stage_record(twStage* stage, bool on);
const twContactForce* tw_stage_forces(const twStage* stage, int* count);

/// How modes were chosen.
typedef struct twStageModes
{
    int seen, heard;                    ///< that move the body; that ring beyond
    int too_fast, too_stiff, too_many;  ///< not seen: above 0.45/step, below smallest_motion, beyond TW_MAX_STAGE_MODES
} twStageModes;
twStageModes tw_stage_modes(const twStage* stage, int body);

/// How far a point of a body may be from where all modes of its set would have it by now [m]: a bound for bodies that are fixed, and of
/// the bending of free ones, under forces, blows and grabs, however they are damped; contacts count as the forces they were. Steps
/// have errors of their own. def.doubt has to be on; 0 if it is not, or no mode is left out. The simulating thread.
double tw_stage_doubt(const twStage* stage, int body, const twStagePoint* point);

#ifdef __cplusplus
}
#endif
