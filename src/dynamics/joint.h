// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/law.h"
#include "dynamics/touch.h"
#include "twang/dynamics.h"

/// @file
/// Joints between two bodies, or a body and the world (internal), as bonds for the contact solvers. docs/dynamics.md has the
/// equations.

/// Constant once made.
typedef struct Joint
{
    twJointKind kind;
    twVec3 anchor[2];  ///< in each body's axes at rest, from its mass centre; of the world: where it is [m]
    int vertex[2];     ///< whose modes move the anchor; -1: none
    twQuat frame[2];   ///< the joint's axes in each body's, z along the axis; equal in the world at the start
    double stiffness, damping, length;
    bool motor;
    double speed, max_force;
} Joint;

/// @return TW_BAD_INPUT naming the joint: bodies that are not there, a body joined to itself, nothing to anything, no axis, a
/// stiffness that is negative or not finite, a spring without, a motor without force
twStatus tw_joint_check(const twJointDef* def, int body_count, twError* err);

/// A joint that has been checked, with both bodies where they are at the start (NULL: the world).
void tw_joint_make(Joint* joint, const twJointDef* def, const BodyPlace* const place[2]);

/// Blocks of three rows: a ball and a spring have 1; hinge, slider and fixed joints 2, of which the second is turning.
int tw_joint_blocks(const Joint* joint);

/// One block as a bond.
/// @param step h; places are in the middle of the step, with the velocities from its start. 0: at the start
/// @param held bodies without linear and angular velocity; these go into wall instead, as a motor's speed does
/// @param row (3 x tw_touch_size()) of each body, as of tw_touch_rows(); not touched where there is no body
/// @param offset errors at the start of the step: those of the places, carried back half a step at their rate
void tw_joint_block(const Joint* joint, int block, double step, const BodyPlace* const place[2], const bool held[2],
                    double* const row[2], double offset[3], double wall[3], SolveBond* bond);

/// Energy of a spring with its bodies there; 0 for others, of which SolveMemory.stored tells [J].
double tw_joint_energy(const Joint* joint, const BodyPlace* const place[2]);
