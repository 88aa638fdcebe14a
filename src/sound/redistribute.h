// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include "twang/math.h"

/// @file
/// Redistribution of contact forces on a body, of all its contacts or those with another (internal; docs/redistribution.md): rigid contacts share a load in many ways
/// that move the body alike, and a solver that finds any of them jumps between them from step to step. Of all that give the same
/// force and torque, and whatever else is to be kept, the one nearest to the step before is taken:
///
///   min 1/2 sum_k |x_k - y_k|^2   with   A x = A f,   x_k in the friction cone of contact k

/// A contact of the body. One that does not push now but touches still is listed with force 0.
typedef struct RedistributeContact
{
    uint64_t id;      ///< of the contact, as long as it lasts; no two are equal
    twVec3 place;     ///< from its centre of mass, or any point near [m]
    twVec3 normal;    ///< the way it pushes this body, unit
    double friction;  ///< coefficient, at least 0
    twVec3 force;     ///< on this body, as solved for [N]
    double fade;      ///< how much less the step before counts here, 0 to 1: for one that has ended
    double limit;     ///< its push is at most so many times that of the step before, unless its force is more; 0: any
} RedistributeContact;

/// What became of the steps so far.
typedef struct RedistributeStats
{
    int64_t steps;
    int64_t kept;  ///< of these: forces left as they were, since there was no room, no sense in them or no solution
    int64_t held;  ///< contacts left as they were within other steps
    int64_t iterations;  ///< of Newton's method
} RedistributeStats;

/// The forces of the step before, and room to work.
typedef struct Redistribution Redistribution;

/// Room for so many contacts at a time, and so many rows beside force and torque. On failure *out is NULL.
twStatus redistribute_create(Redistribution** out, int most_contacts, int most_rows, twError* err);
void redistribute_destroy(Redistribution* state);  ///< NULL is fine
void redistribute_reset(Redistribution* state);    ///< forget the step before

/// Forces that do to the body as a whole what those of the contacts do, in the same axes; out (count) [N]. A contact that was not
/// there before counts as one that did not push, so that the first step is the most even one; what was before counts in
/// proportion if all forces together have become smaller. rows (count x row_count x 3): what
/// else is to be kept, sum_k rows_k x_k: the shapes at the contacts of modes that were part of the simulation; NULL: nothing.
/// Never fails, never allocates: what cannot be bettered is left as it is.
/// @return whether it was redistributed
bool redistribute_step(Redistribution* state, const RedistributeContact* contacts, int count, const double* rows,
                       int row_count, twVec3* out);
RedistributeStats redistribute_stats(const Redistribution* state);
