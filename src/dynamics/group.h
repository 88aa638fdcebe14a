// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/world.h"

/// @file
/// A step of bodies that touch (internal).

typedef enum GroupOutcome
{
    GROUP_DONE,
    GROUP_AGAIN,      ///< more modes are awake now: gather again
    GROUP_NO_MEMORY,  ///< nothing has changed
} GroupOutcome;

/// last: as it is, whatever wakes
GroupOutcome group_step(Group* group, bool last);
twVec3 group_force(const Group* group, int touch);   ///< of the solved step, on the body that has the point [N]
bool group_is_pushed(const Group* group, int body);  ///< by a force from outside

// adapt.c
/// Wake the modes that the impulses of the solved step excite. @return whether there are any
bool adapt_wake(Group* group);
/// After a step: modes with little energy go to sleep.
void adapt_sleep(Group* group);

// record.c
/// List a force that acts on a contact from a time on, unless it is as it was.
void record_force(Cluster* cluster, Slot* slot, double time, twVec3 force);
void record_collect(twWorld* world, Cluster* cluster);  ///< to the world's list
void record_sort(twWorld* world);                       ///< by time; of one time as they came

SolveOptions world_solve_options(const twWorldDef* def);
