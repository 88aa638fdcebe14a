// SPDX-License-Identifier: MIT
#pragma once
#include "solver.h"

/// @file
/// What the methods for rigid contacts share (internal).

/// Scaled rows, the contacts that take part (active), their targets u_N (scratch, by contact) and, if warm, their last impulses.
void hard_start(Solver* s, bool warm);
/// y += J^T p of one contact.
void hard_push(Solver* s, const Touch* t, const double p[3]);
