// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/shape.h"

/// @file
/// Which bodies are near each other (internal). Each has a box with room around it, longer the way it flies; while bodies stay
/// in theirs nothing is done but to see that they do.
///
///     tw_broad_create(&broad, body_count, max_pairs, 0.005, &err);
///     ...each step: tw_broad_update(broad, places, reach);   // @return whether the pairs have changed
///     const BroadPair* pairs = tw_broad_pairs(broad, &count);

typedef struct BroadPair
{
    int a, b;  ///< numbers in the array of places, a < b
} BroadPair;

typedef struct Broad Broad;

typedef struct BroadStats
{
    int64_t steps, sweeps;  ///< updates, and those in which a body had left its box
    int64_t dropped;        ///< pairs there was no room for
} BroadStats;

/// Room for so many bodies and pairs; margin: room around a box [m].
twStatus tw_broad_create(Broad** out, int body_count, int max_pairs, double margin, twError* err);
void tw_broad_destroy(Broad* broad);  ///< NULL is fine
/// All pairs that can be nearer than reach are listed after it, and not two still bodies. places (bodies) as at creation.
/// Real-time safe. @return whether the list is another one
bool tw_broad_update(Broad* broad, const BodyPlace* places, double reach);
const BroadPair* tw_broad_pairs(const Broad* broad, int* count);  ///< rising by a, then b; until the next update
BroadStats tw_broad_stats(const Broad* broad);
