// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/broad.h"
#include "dynamics/pair.h"

/// @file
/// All touches of all bodies in one call (internal): the broad phase, and a pair for every two bodies that are near.
///
///     ColliderDef def = tw_collider_def();
///     def.body_count = n;
///     tw_collider_create(&collider, &def, &err);
///     ...each step: const Touch* touches = tw_collider_step(collider, places, reach, &count);
///
/// A world of private clocks asks for the near pairs and steps each one when it wants: tw_collider_near() and
/// tw_collider_pair() with tw_pair_touches().

typedef struct Collider Collider;

/// Start from tw_collider_def().
typedef struct ColliderDef
{
    int body_count;
    int max_pairs;    ///< near at a time
    int max_touches;  ///< of all
    double margin;    ///< room around the boxes of bodies [m]
    PairDef pair;
} ColliderDef;
ColliderDef tw_collider_def(void);  ///< no bodies, 256 pairs, 4096 touches, 5 mm, tw_pair_def()

typedef struct ColliderStats
{
    BroadStats broad;
    PairStats pairs;  ///< sums, of pairs that are no longer near too
    int64_t dropped;  ///< touches there was no room for
} ColliderStats;

twStatus tw_collider_create(Collider** out, const ColliderDef* def, twError* err);
void tw_collider_destroy(Collider* collider);  ///< NULL is fine
/// Touches with gaps below reach [m], pair by pair; until the next call. places (bodies): body must be the number in the
/// array. Real-time safe.
const Touch* tw_collider_step(Collider* collider, const BodyPlace* places, double reach, int* count);
/// Only the broad phase: which pairs are near, and their state. Pairs that are near no more are forgotten.
const BroadPair* tw_collider_near(Collider* collider, const BodyPlace* places, double reach, int* count);
Pair* tw_collider_pair(Collider* collider, int index);      ///< of the list of tw_collider_near()
int tw_collider_slot(const Collider* collider, int index);  ///< below max_pairs; stays while the pair is near
ColliderStats tw_collider_stats(const Collider* collider);
