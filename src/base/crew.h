// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// A few threads for independent jobs (internal). Without threads (WebAssembly) the caller does them all.

typedef struct Crew Crew;
typedef void (*CrewJob)(void* context, int index, int worker);  ///< worker: 0 to workers - 1, one at a time each

Crew* crew_create(
    int workers);  ///< the caller counts as one; NULL without memory. Threads that cannot be had are not there
void crew_destroy(Crew* crew);  ///< NULL is fine
/// Do jobs 0 to count - 1, in any order, and wait for all.
void crew_run(Crew* crew, CrewJob job, void* context, int count);
