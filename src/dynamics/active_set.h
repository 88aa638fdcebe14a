// SPDX-License-Identifier: MIT
#pragma once
#include "solver.h"

/// @file
/// Normal impulses of rigid contacts by an active-set method (internal).

/// Given s->y = velocities without normal impulses, find a >= 0 (contacts; kept in end.p[0], which is also the start) with
/// u_N = n.y + wall - target >= 0 and a u_N = 0, target in s->scratch. Adds the push to s->y. Only contacts in s->active.
/// @return changes of the active set, -1 without memory
int active_set_solve(Solver* s);
