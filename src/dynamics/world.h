// SPDX-License-Identifier: MIT
#pragma once
#include "base/crew.h"
#include "dynamics/body.h"
#include "dynamics/collide.h"
#include "dynamics/grab.h"
#include "dynamics/joint.h"
#include "dynamics/solve.h"
#include <string.h>

/// @file
/// A world of bodies (internal).
///
/// Window: a millisecond in which bodies that are not near each other now cannot meet. Cluster: bodies that are near each other,
/// with a queue of their private clocks; clusters of a window are independent. Group: those of a cluster that touch at a time and
/// are stepped together. Link: two bodies that are near, with what their contacts remember.

#define LINK_SLOTS 24         ///< contacts of a pair of bodies
#define IMPACT_SPEED 0.015    ///< slower impacts are not resolved [m/s]
#define IMPACT_FAST 0.2       ///< slower ones only in small groups [m/s]
#define SMALL_GROUP 32        ///< contacts
#define LARGE_GROUP 64        ///< contacts: searching all ways takes longer than shorter steps
#define GROW_STEP 2.0         ///< from step to step, at most
#define AGAIN 0.7             ///< of a step: if less is wanted it is made again
#define WAKE_HOLD 32          ///< steps that modes stay awake at least
#define SETTLE_STEP 1e-3      ///< before time 0 [s]
#define POOL_NAME 64          ///< bytes of the name of a body that comes
#define GRAB_LARGEST 1e12     ///< of what a command may say, in any unit
#define LEAST_STEP 1e-9       ///< [s]
#define FIXED_SHORTEST 0.125  ///< of fixed steps, which are only cut where bodies would pass through each other
#define FIXED_SLACK 1e-6      ///< of a fixed step: rounding of times
#define LOST_DISTANCE 1e9     ///< [m]
#define LOST_SPIN 1e7         ///< following it would take minutes for milliseconds [rad/s]

/// A contact, as long as it lasts.
typedef struct Slot
{
    uint64_t id;
    SolveMemory memory, before;  ///< at the end and at the start of its last step
    double h;                    ///< of that step [s]
    double impact_time;          ///< how long its impact will last [s]
    double impact_speed;         ///< at which it began [m/s]
    twVec3 force;                ///< of that step, on the body that has the point [N]
    Touch touch;
    float given[3];  ///< the force that was listed last
} Slot;

/// Two bodies that are near.
typedef struct Link
{
    int a, b;
    bool used;  ///< it is one
    bool kept;  ///< still near
    Pair* pair;
    double from, to;  ///< its last step [s]
    int64_t seen;     ///< stamp of the last look
    SolveLaw law;
    double rolling;  ///< resistance of balls [m]
    int count;
    Slot slots[LINK_SLOTS];
} Link;

/// A joint, or a grab in its slot.
typedef struct WorldJoint
{
    Joint joint;
    Grab* grab;           ///< NULL: a joint
    int body[2];          ///< of a grab that is not active: none
    double stiffness[2];  ///< of each block, unless it is given [N/m], [N m/rad]
    double h, to;         ///< its last step, and where that ended [s]
    SolveMemory memory[2];
    double stored[2];  ///< of each block when that step began [J]
    int64_t seen;      ///< stamp of the last look
} WorldJoint;

/// Bodies that are near each other, in a window.
typedef struct Cluster
{
    int first, count;  ///< in the list of bodies
    int64_t stamp;     ///< of the next look, unlike all others
    twWorldStats stats;
    Account account;
    double largest_rise, total_rise;
    int force_count, force_room;
    twContactForce* forces;
} Cluster;

/// What a thread works with.
typedef struct Worker
{
    twArena* arena;
    Touch* touches;  ///< of one pair
    Solver* solver;  ///< of all groups; NULL: each has its own
} Worker;

struct twWorld
{
    twWorldDef def;        ///< its arrays are copies; bodies has all places
    twArena* arena;        ///< owns them
    int body_count;        ///< places for bodies
    int given_bodies;      ///< of these, at the start
    twBodyDef* body_defs;  ///< def.bodies, to be changed
    twBodyShape* nothing;  ///< of places without a body; NULL: there are none
    char* names;           ///< of bodies that come (places x POOL_NAME)
    int* mode_room;        ///< (bodies)
    uint64_t strikes;      ///< so far
    Body* bodies;
    size_t number_count;
    double* numbers;
    Solver** solvers;  ///< (bodies) of the group whose first body it is

    int joint_count;  ///< of the def, and one for each slot of grabs behind them
    WorldJoint* joints;
    Grab* grabs;       ///< (max_grabs)
    int* joint_first;  ///< (bodies + 1)
    int* joint_of;     ///< (2 joints) those of each body

    ColliderDef collider_def;
    Collider* collider;
    int max_pairs;
    BodyPlace* places;  ///< (bodies)
    Link* links;        ///< (max_pairs) by the collider's slots

    bool settling;  ///< before time 0

    // the window
    double time, window_end;
    int64_t window;
    int near_count;
    int* near_link;   ///< (near) which link
    int* link_first;  ///< (bodies + 1)
    int* link_of;     ///< (2 max_pairs) links of each body
    int* parent;      ///< (bodies) union of clusters
    int cluster_count, cluster_room;
    Cluster* clusters;
    int* members;  ///< (bodies) by cluster, each a heap by time
    int* heap_at;  ///< (bodies) where in its heap; -1: in none

    struct Weave* weave;  ///< of a world with rods; NULL: there are none

    Crew* crew;
    Worker* workers;
    int worker_count;

    Cluster ends;  ///< forces that end because bodies are no longer near
    int force_count, force_room;
    twContactForce* forces;
    twContactForce* sorted;  ///< to sort them, if there is room
    int sorted_room;
    twWorldStats stats;
    twWorldEnergy energy;
};

// ---- a step that is being made ----

typedef struct GroupLink
{
    Link* link;
    int first, count;  ///< its touches
    int* slot;         ///< (count) the slot that each had; -1: new
} GroupLink;

/// Both sides of a joint in a step.
typedef struct JointSides
{
    BodyPlace at[2];
    BodyState state[2];
    const BodyPlace* place[2];
    int bent[2];  ///< modes that displace them
    bool held[2];
    double* row[2];
} JointSides;

typedef struct Excitation Excitation;

/// A force from outside on a point of a body, all through a step.
typedef struct HandPush
{
    int body;
    twSurfacePoint point;
    twVec3 force;  ///< in the world [N]
} HandPush;

typedef struct Group
{
    twWorld* world;
    Cluster* cluster;
    Worker* worker;
    int64_t stamp;
    double t, h;
    int body_count, link_count, touch_count;
    int* bodies;  ///< (bodies of the cluster)
    int joint_count;
    int* joints;       ///< (joints)
    GroupLink* links;  ///< (links of these)
    Touch* touches;
    int touch_room, body_room, link_room, joint_room;
    int rolling_first;  ///< contacts from here on hold up rolling
    double slow_limit;  ///< the same, by slow impacts
    double limit;       ///< what the step should be at most [s]
    bool too_long;      ///< a push begins within the step, or something would pass through what is thin

    SolveGroup solve;
    SolveBody* solve_bodies;
    SolveContact* contacts;
    SolveMemory *memory, *start;  ///< (contacts) at the end, at the start
    double* velocity;
    double* spare;       ///< (contacts - touches) what springs have beyond what they need [J]
    double budget_work;  ///< of moved bodies, when joints took energy from motion against them [J]
    double rod_work;     ///< of rods on bodies [J]
    int push_count, push_room;
    HandPush* pushes;         ///< forces from outside
    double** shakes;          ///< (bodies) forces of accelerating frames on their modes; NULL: none
    Excitation* excitations;  ///< (bodies) of their sleeping modes
    bool failed;              ///< the step could not be solved
    bool hard;                ///< it was hard to solve: the next one is not longer
    bool no_memory;
} Group;

/// No coordinate is larger, and all are numbers.
static inline bool world_is_within(twVec3 v, double most)
{
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

/// Blocks of rows of a joint or a grab: one that pushes has none.
static inline int world_joint_blocks(const WorldJoint* joint)
{
    return joint->grab && !grab_holds(joint->grab) ? 0 : tw_joint_blocks(&joint->joint);
}

// world_pool.c
twStatus pool_create(twWorld* world, twError* err);      ///< what places without a body need
twBodyDef pool_nobody(const twWorld* world, int index);  ///< what is in such a place
bool pool_is_motion(const twBodyMotion* motion);         ///< finite, and turned
// world_grab.c
twStatus grab_check_surface(const twBodyDef* body, const twSurfacePoint* point, twError* err);
twStatus grab_check_numbers(const twGrabDef* def, twError* err);
twStatus grab_check_point(const twWorld* world, int body, const twSurfacePoint* point, twError* err);
void grab_wake(Body* body);                 ///< all modes
void grab_again(twWorld* world, int body);  ///< it was put elsewhere: what holds it comes anew
bool grab_is_good(const twWorld* world, int slot, const Grab* grab);  ///< as it was read
// world.c
twStatus world_check_counts(const twWorldDef* def, twError* err);  ///< before memory is made by them
twStatus world_check_body(const twWorldDef* def, const twBodyDef* body, int index, twError* err);
void world_list_joints(twWorld* world);      ///< joints and grabs of each body, when one of them has changed
double world_greatest_eigenvalue(twMat3 a);  ///< of a symmetric, positive matrix
// world_view.c
double contact_energy(const Link* link, const SolveMemory* memory);  ///< stored in one of its contacts [J]
double link_energy(const Link* link);                                ///< stored in its contacts [J]
// world_save.c
bool world_good_memory(const SolveMemory* memory);    ///< as it was read
Link* world_find_link(twWorld* world, int a, int b);  ///< of two that are near, a < b; NULL: they are not
// world_end.c
/// Put bodies where another world ended; contacts: and let these and joints remember what they did, in a new window.
twStatus world_begin(twWorld* world, const twWorldStart* start, bool contacts, twError* err);
// reserve.c
/// All memory that steps may need, if the def says how many contacts there can be. @return false without memory
bool world_is_reserved(const twWorldDef* def);  ///< whether all memory of steps is made at creation
bool world_reserve(twWorld* world, const twWorldDef* def);
// overlap.c
/// @return TW_BAD_INPUT naming bodies that are in each other, unless both were at the end of another world
twStatus overlap_check(twWorld* world, const twWorldStart* start, twError* err);
// settle.c
bool world_settle(twWorld* world);  ///< what stands sinks into balance. @return false without memory
// window.c: which bodies are near, for the next while
/// How two materials touch with such radii of curvature. given: as the world was told, not by the materials alone
twContactPair world_pair(const twWorld* world, const int material[2], const double radius[2], bool* given);
void window_begin(twWorld* world);
// cluster.c
void cluster_begin(twWorld* world, Cluster* cluster);  ///< makes the queue of its members
/// All bodies of a cluster to a time.
void cluster_run(twWorld* world, Cluster* cluster, Worker* worker, double until);
// gather.c
/// Which bodies must be stepped together with one from t, and where they touch. may_stop: not all of them, once the step is
/// seen to be too long.
void gather(Group* group, int body, double t, double h, bool may_stop);
/// All bodies that move by themselves, and where they touch.
void gather_all(Group* group, double t, double h);
bool gather_is_short(const Group* group);  ///< what is gathered wants a step that is shorter
/// How long an impact of this speed lasts, roughly [s].
double gather_impact_time(const Group* group, const Link* link, double speed);
/// Where a body is in the middle of the step; of one that does not move by itself: at a time.
BodyPlace world_place(const twWorld* world, int body, double time, BodyState* scratch);

static inline int64_t step_bin(double h)
{
    int exponent;
    frexp(h, &exponent);
    int bin = -exponent;
    return bin < 0 ? 0 : bin >= TW_STEP_BINS ? TW_STEP_BINS - 1 : bin;
}
