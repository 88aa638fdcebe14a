// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/modal.h"
#include "twang/rod.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Dynamics: bodies that collide, rub, hang together and vibrate while they do. docs/dynamics.md has the equations.
///
/// Shape (constant, shared by bodies) -> world (state): created whole from a def, then advanced in time.
///
///     twBodyShapeDef shape_def = tw_body_shape_def();
///     shape_def.modes = set;                              // or .mesh and .density for a rigid one
///     tw_body_shape_create(&shape, &shape_def, &err);
///     twWorldDef def = tw_world_def();
///     def.bodies = bodies; def.body_count = n; ...
///     tw_world_create(&world, &def, &err);
///     while (time < end) tw_world_advance(world, time += 1.0 / 60), tw_world_pose(world, 0, time) ...

#define TW_MAX_BODIES 65536
#define TW_MAX_RODS 65536  ///< of a world
#define TW_MAX_SPARE_MODES 4096
#define TW_MAX_CONTACTS 1048576  ///< for which memory is made at creation
#define TW_MAX_SPIN 1e6          ///< of a body at the start, about each axis [rad/s]
#define TW_MIN_ROD_RATE_HZ 1000.0
#define TW_NOWHERE -1  ///< instead of a body: the world itself

// ---- shapes ----

/// What a body is: surface, mass, modes, distances. Constant after creation, may be shared by bodies, worlds and threads.
typedef struct twBodyShape twBodyShape;

/// Start from tw_body_shape_def().
typedef struct twBodyShapeDef
{
    const twMesh* mesh;       ///< closed and outward; NULL: the surface of modes
    const twModeSet* modes;   ///< NULL: rigid. Must outlive the shape
    double density;           ///< of a mesh without modes [kg/m^3]
    double mass;              ///< [kg]; 0: from density or modes, else they are scaled to it (not with modes)
    int max_modes;            ///< simulated, of the lowest; -1: all below max_freq_hz
    double max_freq_hz;       ///< modes above only sound
    const double* radiation;  ///< part of the modes' decay that is sound (modes) [1/s], copied; NULL: none
    double ball_radius;       ///< above 0: an exact ball about the mass centre, of which mesh is the picture [m]
    double
        contact_radius;  ///< of curvature where it touches, for default stiffness [m]; 0: a tenth of its size, or the ball's
    twFieldDef field;
} twBodyShapeDef;
twBodyShapeDef tw_body_shape_def(void);  ///< steel's density, all modes below 5 kHz

/// @return TW_BAD_INPUT if the surface is open, inside out, flat or without mass, saying where
twStatus tw_body_shape_create(twBodyShape** out, const twBodyShapeDef* def, twError* err);
void tw_body_shape_destroy(twBodyShape* shape);  ///< NULL is fine
twMassProperties tw_body_shape_mass(const twBodyShape* shape);
int tw_body_shape_modes(const twBodyShape* shape);                  ///< simulated at most
int tw_body_shape_nearest(const twBodyShape* shape, twVec3 point);  ///< vertex nearest to a point, in mesh coordinates

// ---- materials of contacts ----

/// What of a material matters where it touches. Start from tw_contact_material().
typedef struct twContactMaterial
{
    double young, poisson;  ///< [Pa]
    double stick, slide;    ///< friction coefficients, static and dynamic
    double restitution;     ///< at 1 m/s, 0 to 1
    double loss_factor;     ///< of the solid, at 1 kHz, 0 to 0.9
} twContactMaterial;
/// Of a solid: elastic constants as they are, friction and rebound by how stiff and how lossy it is.
twContactMaterial tw_contact_material(const twMaterial* material);

/// How two materials touch. Start from tw_contact_pair(), change what is to be otherwise.
typedef struct twContactPair
{
    int material[2];     ///< of the world's
    twImpactLaw impact;  ///< stiffness, exponent, dissipation
    twFrictionLaw
        friction;  ///< without noise; bristles lose what dissipation takes from them as from the normal spring, too
    double loss_factor;  ///< of the solids under a contact at rest, by which it loses beside its dissipation; 0 to 0.9
    double rolling;  ///< of exact balls: a torque of at most this times the force holds up their rolling [m]; 0: none
} twContactPair;
/// Hertz: k = 4/3 E* sqrt(R), exponent 3/2, 1/R = 1/Ra + 1/Rb; dissipation from the restitution at 1 m/s (the less elastic of
/// both counts); friction the geometric mean, falling from static to dynamic within some mm/s; bristles 2(1 - nu)/(2 - nu) as stiff as the
/// normal spring at a typical load; no rolling resistance.
twContactPair tw_contact_pair(const twContactMaterial* a, const twContactMaterial* b, double radius_a, double radius_b);

// ---- bodies ----

typedef enum twBodyKind
{
    TW_BODY_FREE,
    TW_BODY_FIXED,  ///< its frame stands still; its modes, if it has any, do not
    TW_BODY_MOVED,  ///< its frame goes where path says
} twBodyKind;

/// Where the frame of a body is and how it moves.
typedef struct twBodyMotion
{
    twVec3 position;        ///< of the origin of the mesh's coordinates [m]
    twQuat turn;            ///< unit
    twVec3 velocity, spin;  ///< of that origin [m/s]; [rad/s]; in the world's axes
} twBodyMotion;

/// Start from tw_body_def().
typedef struct twBodyDef
{
    const char* name;  ///< for messages
    const twBodyShape* shape;
    twBodyKind kind;
    bool rigid;           ///< leave its modes out
    twBodyMotion motion;  ///< at the start
    int material;         ///< of the world's contact materials
    bool ghost;           ///< touches nothing
    bool heard;           ///< forces of rods on it are told, though it neither moves nor rings: a board
    void (*path)(double time, twBodyMotion* out, void* context);  ///< of TW_BODY_MOVED: a function of time alone
    void* path_context;
    const double* amplitude;  ///< of the modes at the start (modes of the set) [kg^1/2 m]; NULL: 0
    const double* rate;       ///< and their rates; NULL: 0
    double roughness;         ///< standard deviation of the surface's normals, as felt in contact [rad]
    double grain;             ///< how far one goes along the surface until they are others [m]
} twBodyDef;
twBodyDef tw_body_def(void);  ///< free, at the origin, smooth

// ---- joints and pushes ----

typedef enum twJointKind
{
    TW_JOINT_BALL,    ///< a point of one stays at a point of the other
    TW_JOINT_HINGE,   ///< and they turn about an axis only
    TW_JOINT_SLIDER,  ///< moves along an axis only, does not turn
    TW_JOINT_FIXED,   ///< neither
    TW_JOINT_SPRING,  ///< pulls two points together
} twJointKind;

/// Start from tw_joint_def().
typedef struct twJointDef
{
    const char* name;
    twJointKind kind;
    int body[2];         ///< TW_NOWHERE: the world
    twVec3 at;           ///< where, in the world at the start [m]; of a spring: its end on body[0]
    twVec3 to;           ///< of a spring: its end on body[1]
    twVec3 axis;         ///< of hinge and slider, in the world at the start, along body[1] later
    double stiffness;    ///< [N/m]; 0: as stiff as steps allow; of a spring above 0
    double damping;      ///< of a spring [N s/m]
    double rest_length;  ///< of a spring [m]; below 0: as it is at the start
    bool motor;          ///< of hinge and slider: drives body[0] against body[1]
    double speed;        ///< of the motor [rad/s], [m/s]
    double max_force;    ///< [N m], [N]
} twJointDef;
twJointDef tw_joint_def(void);

/// A force at a point of a body that changes in time.
typedef struct twPushDef
{
    int body;
    int vertex;  ///< of the shape's surface; -1: the mass centre, no modes
    /// Force in the world [N], a function of time alone.
    twVec3 (*force)(double time, void* context);
    void* context;
    double begin, end;  ///< 0 outside [s]
    double shortest;    ///< steps are not longer while it acts [s]; 0: any
} twPushDef;

/// A function of time that is added to the target of a grab: a displacement [m], velocity, acceleration or force, as
/// its kind says.
typedef struct twPathDef
{
    twVec3 (*at)(double time, void* context);  ///< smooth; a function of time alone
    void* context;
} twPathDef;

// ---- grabs ----

#define TW_MAX_GRABS 4096     ///< of a world
#define TW_MAX_GRAB_PUSHES 8  ///< points at which the forces of a servo act

/// A point of a body's surface by barycentric coordinates: up to three vertices with their weights.
typedef struct twSurfacePoint
{
    int vertex[3];     ///< of the shape's surface; -1: unused. All -1: the mass centre, which modes do not displace
    double weight[3];  ///< not negative, with the sum 1
} twSurfacePoint;
twSurfacePoint tw_surface_vertex(int vertex);  ///< one vertex; -1: the mass centre

/// A point of a body or of a rod: one of the two is TW_NOWHERE.
typedef struct twGrabPoint
{
    int body;
    twSurfacePoint point;  ///< of the body
    int rod;
    int node;  ///< of the rod: number of its point
} twGrabPoint;

typedef enum twGrabKind
{
    TW_GRAB_POSITION,      ///< a spring and a damper hold the point at the target
    TW_GRAB_VELOCITY,      ///< a damper holds the velocity of the point at the target
    TW_GRAB_ACCELERATION,  ///< the same for a velocity that begins as the point's and changes by the target
    TW_GRAB_FORCE,         ///< the target is the force on the point
} twGrabKind;

/// A spring and a damper between a point and a target, which may be moved: a hand, pin, drag or motor
/// (docs/grabs.md). Start from tw_grab_def().
typedef struct twGrabDef
{
    twGrabKind kind;
    twGrabPoint at;  ///< what is held
    twGrabPoint to;  ///< a target point of another body or rod; neither: the target is `target`
    bool along[3];   ///< axes of the world along which it is held; along the others it is free
    bool here;  ///< the target is the present position (velocity) of the point; with `to`, its present offset from that
    twVec3 target;     ///< in the world [m], [m/s], [m/s^2], [N], by kind
    int path;          ///< of twWorldDef.paths, added to the target; TW_NOWHERE: none
    double ease;       ///< the target moves in this time from where the point is to `target`, smoothly [s]
    double max_force;  ///< length of the whole force at most, beyond which the grab gives way [N]; 0: no limit
    bool exact;  ///< integral action: the target leads until a constant load is held without error. Needs max_force
    /// A servo: `at` is moved to its target by forces at these points of its body instead. Positions only, needs
    /// max_force. 0: none
    int push_count;
    twGrabPoint push[TW_MAX_GRAB_PUSHES];
} twGrabDef;
twGrabDef tw_grab_def(void);  ///< a position, along all axes, eased in 50 ms; `at` is still to be set

/// State of a grab.
typedef struct twGrabView
{
    bool active;
    bool limited;          ///< its force was max_force in the last step: it gave way
    bool powerless;        ///< of a servo: forces at its points cannot move `at` that way
    twVec3 point, target;  ///< now [m]
    twVec3 force;          ///< on the point, mean of the last step [N]
    double error;          ///< distance to the target along the axes that are held; positions only [m]
    double stiffness;      ///< of the spring: at rest the error is force/stiffness [N/m]
} twGrabView;

// ---- rods ----

/// A rod of a world: it touches bodies, other rods and itself. Start from tw_world_rod_def().
typedef struct twWorldRodDef
{
    const char* name;   ///< for messages
    twRodDef rod;       ///< its gravity and rate_hz are those of the world, whatever it says
    int material;       ///< of the world's contact materials
    bool ghost;         ///< touches nothing
    bool no_self;       ///< does not touch itself
    double calm_speed;  ///< slower than this, motion that is not rigid is damped (Schweickart 2017) [m/s]; 0: never
} twWorldRodDef;
twWorldRodDef tw_world_rod_def(void);

/// A point of a rod that is held by a body, where both are at the start.
typedef struct twTieDef
{
    int rod, point;
    int body;          ///< of the world
    bool clamped;      ///< the edge there does not turn against the body either
    double stiffness;  ///< [N/m]; 0: as stiff as steps allow
} twTieDef;

// ---- the world ----

typedef enum twContactMethod
{
    TW_CONTACT_COMPLIANT,  ///< by the contact law; energy never rises
    TW_CONTACT_HARD,       ///< rigid, exact Coulomb cones, Gauss-Seidel
    TW_CONTACT_STAGGERED,  ///< rigid, staggered projections with active sets (Zheng and James 2011)
} twContactMethod;

/// The end of another world, see tw_world_end().
typedef struct twWorldStart
{
    const double* numbers;  ///< (count)
    size_t count;
    const int* from;  ///< (bodies) which body of that world each was; below 0: it was not there
} twWorldStart;

/// Start from tw_world_def().
typedef struct twWorldDef
{
    twVec3 gravity;  ///< [m/s^2]
    int body_count, joint_count, push_count, material_count, pair_count, rod_count, tie_count;
    const twBodyDef* bodies;
    const twJointDef* joints;
    const twPushDef* pushes;
    const twContactMaterial* materials;
    const twContactPair* pairs;  ///< where not as by tw_contact_pair()
    const twWorldRodDef* rods;   ///< with rods, or spare_rods, everything steps together, rod_rate_hz times a second
    const twTieDef* ties;
    double rod_rate_hz;

    twContactMethod method;
    double tolerance;         ///< of the contact solver; 0: its own
    double max_step;          ///< dt_max [s]
    double steps_per_cycle;   ///< of the highest active mode
    double steps_per_impact;  ///< least number an impact is resolved by; 0: any
    bool no_private_clocks;   ///< all bodies step together, all the time
    bool no_mode_adaptation;  ///< all modes are active, all the time
    bool no_friction_culling;
    double wake_force;  ///< delta_u: a mode wakes above this change of modal force in a step too [N kg^-1/2]; 0: never
    double sleep_energy;  ///< delta_d: a mode sleeps below, and wakes when forces would give it more [J]
    double cull_speed;    ///< delta_t: friction is culled if all tangential speeds together are below [m/s]
    double cull_impulse;  ///< delta_f: and the friction of the last step was below [N s]
    bool no_warm_start, only_approaching, no_contact_reduction, no_redistribution;  ///< for comparison (staggered)
    bool fixed_step;  ///< all bodies step by max_step, at the same times, with bounded work: for real time
    int max_grabs;    ///< slots for tw_world_grab()
    int path_count;
    const twPathDef* paths;  ///< which targets of grabs may follow
    int max_contacts;        ///< with fixed_step: memory for so many contacts is made at creation; 0: when it is needed
    int spare_rods, spare_rod_points;  ///< room for rods that are added later, and for the points of each
    int spare_bodies, spare_modes;     ///< room for bodies that are added later, and for the modes of each
    bool settle;  ///< what stands on something begins in balance: sunk into its contacts, carried by what bends
    const twWorldStart* start;  ///< bodies begin as they were at the end of another world, or NULL. Joints hold them as
                                ///< their own motion says, and what is moved follows its path
    uint64_t seed;              ///< of rough normals
    int threads;                ///< results do not depend on it; 0: one
} twWorldDef;
twWorldDef tw_world_def(void);  ///< gravity down z, 1 ms, 6.5 steps per cycle, 4 per impact, everything adaptive

typedef struct twWorld twWorld;

/// A world at time 0; def is copied, shapes must outlive it. On failure *out is NULL.
/// @return TW_BAD_INPUT naming the body or joint: not finite, without mass, a joint to nothing, or farther from a free
/// body than 100 of its radii, two bodies that overlap by more than they can be pushed apart
twStatus tw_world_create(twWorld** out, const twWorldDef* def, twError* err);
void tw_world_destroy(twWorld* world);  ///< NULL is fine
/// Advance until no body is before time [s]; they may be later. Never fails: a body that is lost (beyond 1e9 m, or not finite) stops
/// taking part and is counted.
void tw_world_advance(twWorld* world, double time);
double tw_world_time(const twWorld* world);  ///< all bodies are at least there [s]

/// Motion of a body at a time between the last two that it has been at: from tw_world_time() on. amplitude, rate (modes of the
/// shape; may be NULL).
twBodyMotion tw_world_motion(const twWorld* world, int body, double time, double* amplitude, double* rate);
/// Place, and velocity (may be NULL), of a vertex.
twVec3 tw_world_point(const twWorld* world, int body, int vertex, double time, twVec3* velocity);
int tw_world_active_modes(const twWorld* world, int body);
/// A rod, to look at, and to move its supports and strike it before the next advance; not to be stepped. It is at the first
/// multiple of 1/rod_rate_hz that is not before tw_world_time().
twRod* tw_world_rod(twWorld* world, int rod);

/// Begin a grab at tw_world_time(); a grab that is in the slot is released. Nothing allocates.
/// @return TW_BAD_INPUT naming what is wrong: no such slot, body, vertex, rod or node, both ends on one body, nothing that moves, a
/// negative force or time, a target that is not finite, a servo without max_force
twStatus tw_world_grab(twWorld* world, int slot, const twGrabDef* grab, twError* err);
/// Move the target of a grab (of any kind) to another value in that time [s]: positions smoothly, the others
/// linearly.
/// @return TW_BAD_INPUT
twStatus tw_world_move_grab(twWorld* world, int slot, twVec3 target, double seconds, twError* err);
void tw_world_release(twWorld* world, int slot);  ///< end a grab; its body keeps its velocity. An empty slot is fine
twGrabView tw_world_grab_view(const twWorld* world, int slot);

/// An impulse [N s], in the world, at a point of a body, now. @return TW_BAD_INPUT
twStatus tw_world_strike(twWorld* world, int body, const twSurfacePoint* point, twVec3 impulse, twError* err);
/// Set the position and velocity of a free body now; its modes keep their displacement. @return TW_BAD_INPUT
twStatus tw_world_throw(twWorld* world, int body, const twBodyMotion* motion, twError* err);

/// Add a body now, in one of the spare places (spare_bodies). Nothing allocates. @param body its number
/// @return TW_BAD_INPUT naming what is wrong: no free place, more modes than spare_modes, what tw_world_create()
/// refuses
twStatus tw_world_add_body(twWorld* world, const twBodyDef* def, int* body, twError* err);
/// The same with a given number. @return TW_BAD_INPUT also if there is a body of this number
twStatus tw_world_add_body_at(twWorld* world, int body, const twBodyDef* def, twError* err);
/// Remove a body; its grabs are released. Its number may be given to another one. @return TW_BAD_INPUT if there is
/// none, or a joint or tie holds it, or a push of the def acts on it
twStatus tw_world_remove_body(twWorld* world, int body, twError* err);
bool tw_world_has_body(const twWorld* world, int body);

/// A rod that is made for a world with spare_rods, by any thread, at any time.
typedef struct twNewRod twNewRod;
/// @return TW_BAD_INPUT naming what tw_world_create() refuses
twStatus tw_new_rod_create(twNewRod** out, const twWorld* world, const twWorldRodDef* def, twError* err);
/// Add it now. Nothing allocates: `made` takes the memory that the world no longer needs, and is to be destroyed
/// afterwards, by any thread. Overlaps with others are not checked. @param rod its number
/// @return TW_BAD_INPUT: no place is free that has room for its points, or it was added already
twStatus tw_world_add_rod(twWorld* world, twNewRod* made, int* rod, twError* err);
twStatus tw_world_add_rod_at(twWorld* world, int rod, twNewRod* made, twError* err);  ///< with a given number
void tw_new_rod_destroy(twNewRod* made);                                              ///< added or not; NULL is fine
/// Remove a rod; its grabs are released. Its number may be given to another one. @return TW_BAD_INPUT if there is
/// none, or a tie holds it
twStatus tw_world_remove_rod(twWorld* world, int rod, twError* err);
bool tw_world_has_rod(const twWorld* world, int rod);

/// A force that begins to act at a contact and goes on until the next one of the same contact; 0 when it ends.
typedef struct twContactForce
{
    uint64_t id;       ///< of the contact, as long as it lasts
    double time;       ///< [s]
    int body[2];       ///< the one that has the point, and the one that has the surface
    int vertex[2][3];  ///< where, of each body: vertices, -1 none
    float weight[2][3];
    twVec3 point;        ///< [m]
    twVec3 normal;       ///< from body[1] to body[0]
    twVec3 force;        ///< on body[0] [N], in the world
    double impact_time;  ///< of a force of an impact: how long that lasts, by the contact law [s]; 0: no impact
} twContactForce;
/// All that is certain and was not given before, in the order of time; until the next call of advance. Contacts that push as
/// before, to the last bit of a float, are not listed again.
const twContactForce* tw_world_forces(twWorld* world, int* count);

/// Where energy goes.
typedef enum twLoss
{
    TW_LOSS_MATERIAL,    ///< damping of the modes, but for sound
    TW_LOSS_RADIATION,   ///< damping of the modes by the sound they make
    TW_LOSS_NORMAL,      ///< dissipation of the contact law, along normals
    TW_LOSS_BRISTLE,     ///< damping of bristles that stick or slide
    TW_LOSS_SLIP,        ///< sliding
    TW_LOSS_ROLLING,     ///< rolling resistance
    TW_LOSS_JOINTS,      ///< damping of joints, and what they give up rather than gain
    TW_LOSS_UNRESOLVED,  ///< contacts at rest that swing faster than steps resolve
    TW_LOSS_SLEEP,       ///< modes put to sleep
    TW_LOSS_ENDED,       ///< what contacts still stored when they ended, and bristles when friction was left out
    TW_LOSS_ROLLBACK,    ///< states between two times, when bodies go back in time
    TW_LOSS_SOLVER,      ///< rounding, solves that failed, lost bodies
    TW_LOSS_RODS,        ///< all of a world with rods
    TW_LOSS_COUNT
} twLoss;
const char* tw_loss_name(twLoss loss);  ///< as in reports: "material", "contact_normal"

/// Energy of everything at its own time [J]. start + work - kinetic - elastic - weight - contacts is the sum of the losses.
typedef struct twWorldEnergy
{
    double kinetic, elastic, weight;
    double contacts;      ///< and joints
    double start;         ///< of all, at time 0
    double work;          ///< done by pushes, motors and moved bodies since
    double largest_rise;  ///< of all energy less work in a step of a group
    double total_rise;    ///< sum of these
    double loss[TW_LOSS_COUNT];
} twWorldEnergy;
twWorldEnergy tw_world_energy(const twWorld* world);

#define TW_STEP_BINS 32
#define TW_ITERATION_BINS 32

typedef struct twWorldStats
{
    int64_t steps;       ///< of groups of bodies that touch or are joined
    int64_t free_steps;  ///< of bodies alone
    int64_t body_steps;  ///< of all bodies
    int64_t rollbacks;
    int64_t tried_again;          ///< steps repeated with more modes or a shorter step
    int64_t woken, put_to_sleep;  ///< modes
    int64_t culled;               ///< steps solved without friction
    int64_t failures;             ///< solves that did not converge
    int64_t lost;                 ///< bodies
    int64_t escaped;              ///< bodies that left their boxes in a window: touches may be late
    int64_t dropped;              ///< touches or pairs there was no room for
    int64_t contacts;             ///< sum over steps; joints are none
    int64_t iterations;
    int64_t iteration_bins[TW_ITERATION_BINS];  ///< solves that took so many; the last bin: as many or more
    int64_t unknowns;                           ///< velocities, sum over steps
    int contacts_max, unknowns_max;
    int64_t step_bins[TW_STEP_BINS];  ///< steps between 2^(-k-1) and 2^-k seconds
    double collide_seconds, solve_seconds, other_seconds;

    // of rods
    int64_t rod_steps;     ///< of all rods together, 1/rod_rate_hz each
    int64_t rod_contacts;  ///< of rods with anything, sum over these steps
    int rod_contacts_max;
    int64_t refined;     ///< steps that had to be cut in halves
    int64_t softened;    ///< the shortest pieces of them, in which contacts had to be softer than they are
    double rod_seconds;  ///< spent on their motion
} twWorldStats;
twWorldStats tw_world_stats(const twWorld* world);

/// Everything that changes, as bytes; free() them. Loaded into a world of the same def it goes on to the bit like one that was
/// saved here too: saving forgets what only saves time.
twStatus tw_world_save(twWorld* world, void** bytes, size_t* count, twError* err);
/// @return TW_BAD_INPUT if the bytes are of another world or damaged; the world is then as before
twStatus tw_world_load(twWorld* world, const void* bytes, size_t count, twError* err);

/// How all bodies, contacts and joints are now, for the start of another world, whose time 0 is now; free() the numbers, which
/// are finite. Saved before (tw_world_save), both go on alike to round-off. @return TW_BAD_INPUT if there are rods
twStatus tw_world_end(double** numbers, size_t* count, const twWorld* world, twError* err);
int tw_world_end_bodies(const double* numbers, size_t count);  ///< bodies of that world; -1: it is no such list

#ifdef __cplusplus
}
#endif
