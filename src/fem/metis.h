// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// An order of elimination of the nodes that leaves little fill: position (nodes) of each, from 0.
twStatus fem_order(int* position, const FemSystem* system, FemMemory* memory, twError* err);
