// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/world.h"

/// @file
/// A step of bodies that touch (internal).

typedef enum GroupOutcome
{
    GROUP_DONE,
    GROUP_AGAIN,      ///< more modes are awake now: gather again
    GROUP_SHORTER,    ///< it could not be solved; nothing has changed
    GROUP_NO_MEMORY,  ///< nothing has changed
} GroupOutcome;

/// last: as it is, whatever wakes
GroupOutcome group_step(Group* group, bool last);
void group_finish(Group* group);                    ///< make the solved step so
twVec3 group_force(const Group* group, int touch);  ///< of the solved step, on the body that has the point [N]

static inline void group_put_vec(double* out, twVec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline twVec3 group_get_vec(const double* v) { return tw_vec3(v[0], v[1], v[2]); }

// group_build.c
void* group_scratch(Group* group, size_t count, size_t size);  ///< zeroed, until the next look; NULL without memory
bool group_build(Group* group);                                ///< @return false without memory
/// A side of a touch: body, rows and prescribed velocity. @return false without memory
bool group_set_side(Group* group, const Touch* touch, int side, SolveContact* contact);

// budget.c
void budget_joints(Group* group);  ///< joints hold no more than they have stored, or can take from their bodies' motion

// rolling.c
int rolling_count(const Group* group);      ///< contacts that need one more to hold up rolling
bool rolling_add(Group* group, int first);  ///< makes them, from this number on. @return false without memory

// push.c
double push_limit(const twPushDef* push,
                  double t);  ///< longest step from t on that resolves it, or ends where it begins
bool push_is_passed(const twPushDef* push, double t, double h);  ///< it begins within the step
/// Forces from outside in the step: pushes and grabs that push. @return false without memory
bool push_list(Group* group);
bool push_add_one(Group* group, const HandPush* push);
bool push_acts(const Group* group, int body);
/// Add to velocities (3 linear, 3 angular) and modal forces of a body; held ones have no velocities.
void push_add(const Group* group, int body, double* free, double* modal);
double push_work(Group* group);

// world_grab.c
void grab_finish(Group* group, WorldJoint* joint, int k);  ///< after a step; k: its contact, of one that holds
bool grab_push(Group* group, WorldJoint* joint);           ///< forces of one that pushes. @return false without memory
void grab_set_force(Grab* grab, double t, double h);       ///< to push[0], of a force in a step
/// After a step from t on in which its force was set.
void grab_end_step(twWorld* world, Cluster* cluster, WorldJoint* joint, double t, double h);

// account.c
void account_go_back(Group* group);  ///< give back what steps had cost that are being made again
/// Where the energy of the solved step went: work [J] was put in, lost [J] was lost.
void account_step(Group* group, double work, double lost);
/// One thing more, in the step of a body; NULL: for good, whoever goes back in time.
void account_lose(Group* group, Body* body, twLoss loss, double energy);
double account_of(const twWorld* world, const Body* body);  ///< energy of a body now [J]

// adapt.c
/// Wake the modes that the impulses of the solved step excite. @return whether there are any
bool adapt_wake(Group* group);
/// After a step: modes with little energy go to sleep.
void adapt_sleep(Group* group);

// record.c
/// List a force that acts on a contact from a time on, unless it is as it was.
void record_force(Cluster* cluster, Slot* slot, double time, twVec3 force);
bool record_add(Cluster* cluster, const twContactForce* force);  ///< to its list. @return false without memory, counted
/// A force of what holds or strikes bodies from outside; its id is behind those of pushes, see twang/trace.h.
typedef enum RecordKind
{
    RECORD_TIE = 1,
    RECORD_GRAB,
    RECORD_STRIKE,
} RecordKind;
void record_hand(const twWorld* world, Cluster* cluster, RecordKind kind, uint64_t number, double time, int body,
                 const twSurfacePoint* on, twVec3 force, double impact_time);
void record_collect(twWorld* world, Cluster* cluster);  ///< to the world's list
void record_sort(twWorld* world);                       ///< by time; of one time as they came

SolveOptions world_solve_options(const twWorldDef* def);
