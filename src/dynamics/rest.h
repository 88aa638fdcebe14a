// SPDX-License-Identifier: MIT
#pragma once
#include "solve.h"

/// @file
/// Which contacts are at rest, and what they do then (internal).

/// Look at a contact's speed: its memory says whether it is in an impact. own: how easily it moves along its normal [1/kg].
/// @return whether it is above the wake speed and about to close
bool rest_choose(const SolveOptions* options, const LawStep* step, double own, SolveMemory* memory);
/// Set what rest makes of a step. plain: bristles do not calm down.
void rest_apply(const SolveOptions* options, LawStep* step, const SolveMemory* memory, double gap, double own,
                bool plain);
