// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand_feature.h"

/// @file
/// Where rods touch each other and themselves (internal), looked for where they can: equations in docs/dynamics.md.
///
/// In a touch of rods corner[0] tells what touches what: see strand_feature.h; corner[1] is the node of rod[0], or -1.

typedef struct StrandPairs StrandPairs;

typedef struct StrandPairsStats
{
    int64_t steps, refreshes;  ///< calls, and those that went through the hierarchy
    int64_t candidates;        ///< pairs of leaves looked at, sum over calls
    int64_t tests;             ///< pairs of edges whose distance was computed, sum over calls
} StrandPairsStats;

/// room: points that each rod may have when another takes its place (rods); NULL: none does. @return NULL without memory
StrandPairs* strand_pairs_create(const StrandShape* const* shapes, const int* room, int count);
void strand_pairs_destroy(StrandPairs* pairs);  ///< NULL is fine
/// Make memory for so many touches now. @return false without memory
bool strand_pairs_reserve(StrandPairs* pairs, int touches);
/// Another rod in the place of one: its line, for that of the one before. Nothing allocates.
void strand_pairs_exchange(StrandPairs* pairs, int rod, StrandLine* line);
/// Touches with gaps below reach [m] at the places (rods), in an order that depends on what touches alone. *out stays valid
/// until the next call. @return count; -1 without memory
int strand_pairs_touches(StrandPairs* pairs, const StrandPlace* places, double reach, const StrandTouch** out);
/// From now on touches count as well whose gaps close within a time [s], as fast as the places' velocities may make them.
void strand_pairs_look_ahead(StrandPairs* pairs, double time);
/// The last call did not count, its step is made again in pieces: sides are as before it. Once after a call.
void strand_pairs_back(StrandPairs* pairs);
void strand_pairs_forget(StrandPairs* pairs);  ///< all that only saves time: the next call looks at everything
StrandPairsStats strand_pairs_stats(const StrandPairs* pairs);

/// What the next call needs to know of the last: the sides of those that overlap deeply, as bytes.
const void* strand_pairs_state(const StrandPairs* pairs, size_t* bytes);
/// Whether it is such a state.
bool strand_pairs_fits(const void* state, size_t bytes);
/// The same back. @return false if it is no such state, or without memory; then nothing changed
bool strand_pairs_load(StrandPairs* pairs, const void* state, size_t bytes);

/// ids of the same contact after it moved on to neighbouring edges, most likely first (for handing over what a contact
/// remembers); shapes (rods). @return count (<= 8)
int strand_neighbours(const StrandTouch* touch, const StrandShape* const* shapes, uint64_t ids[8]);
