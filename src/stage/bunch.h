// SPDX-License-Identifier: MIT
#pragma once
#include "stage/system.h"

/// @file
/// Grabs of bodies that hang together (internal). Those that share no body that moves know nothing of each other: which directions hardly
/// give is judged among their own, and what contradicts itself is no reason for others to give up any.

void bunches_find(StageSystem* system);  ///< of the rows and columns there are
/// Matrix and pseudo-inverse of a bunch, of no more than its rank.
void bunch_factor(StageSystem* system, StageBunch* bunch);
void bunch_aim(StageSystem* system, StageBunch* bunch);  ///< once more: rows have changed, columns have not
/// Impulses p that its grabs need for b, both of the whole system. roughly: as a round of Newton's method may do
void bunch_solve(StageSystem* system, StageBunch* bunch, const double* b, double* p, bool roughly);
double bunch_reach(StageSystem* system, StageBunch* bunch, const double* p);  ///< see system_reach()

/// Whether grabs act where they hold, and all are judged alike: then their matrix is symmetric. (count) each, of the system's
bool lines_mirror(const StageSystem* system, const int* rows, const int* columns, int count);
/// U^T U in the upper triangle, by rows, in place. @return false if it is not clearly positive definite
bool factor_definite(double* u, int n);
