// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/touch.h"

/// @file
/// Where two bodies touch (internal), step by step, at next to no cost while they do not.
///
/// A pair keeps the points and edges of both bodies that were near the other one when it last looked at all of them,
/// with lower bounds of their gaps. Since then no distance between the bodies has changed by more than
///     |change of the offset| + |change of the turn| R + sum of |U_j| |change of q_j|   (both bodies' modes)
/// in the axes of either body. It looks again only when that, and the reach of the step, pass the radius it looked within.
/// Of a pair with a ball the candidates are faces near the ball, and touches are 16 at most; two balls need no candidates.
///
///     Pair* pair = tw_pair_init(malloc(tw_pair_bytes(&def)), &def);
///     Touch touches[TW_PAIR_ROOM(def)];                          // or memory of the world, for all pairs in turn
///     ...each step, with the places of both bodies:
///     int count = tw_pair_touches(pair, &a, &b, reach, touches);
///     for (int i = 0; i < count; i++) ...tw_touch_rows(rows, &touches[i], 0, touches[i].which == 0 ? &a : &b, false)...

/// How to watch a pair. Start from tw_pair_def(). Margin and slack are for bodies of 5 mm to 1 m; beyond they grow and shrink with the
/// smaller body's radius. Hold is a quarter of that at least.
typedef struct PairDef
{
    double margin;  ///< how far beyond the reach of a step to look [m]: the more, the more rarely and the more to check
    double slack;   ///< a point this far beside a face still touches it [m]: boxes on boxes, edge on edge
    double hold;    ///< how deep a point may be below a face that it came through [m]: thin walls
    double merge;   ///< touches closer than this are one [m]; 0: 0.002 of the smaller body's radius
    int max_candidates;  ///< points that are near at a time, of both bodies; or faces near a ball (256 at most)
    int max_edges;       ///< edges that are near at a time, of each body
    int max_touches;     ///< touches of a step: of more, those that are deepest and widest apart
    int max_modes;       ///< of a body
    bool soft;           ///< points lead their neighbours as bodies are bent now, not as at rest
} PairDef;
PairDef
tw_pair_def(void);  ///< margin 1 mm, slack 0.01 mm, hold 5 mm; 256 points, 128 edges, 24 touches, 256 modes: 100 kB

/// Touches that tw_pair_touches() needs room for.
#define TW_PAIR_ROOM(def) ((def).max_candidates + (def).max_edges)

typedef struct PairStats
{
    int64_t steps;      ///< calls
    int64_t refreshes;  ///< times that all points were looked at
    int64_t lookups;    ///< of distance fields
    int64_t sides;      ///< lookups of the side of a wall
    int64_t forced;     ///< steps in which a point inside was taken although its surface does not look that way
    int64_t lost;       ///< steps in which a body was nowhere: not finite, or beyond 1e12 m
    int64_t crowded;    ///< looks that had no room for all that is within reach: touches may be missing
} PairStats;

/// One block without pointers: copy its bytes to roll back or to save.
typedef struct Pair Pair;
size_t tw_pair_bytes(const PairDef* def);
Pair* tw_pair_init(void* memory, const PairDef* def);  ///< memory of tw_pair_bytes(), aligned as for double
void tw_pair_forget(Pair* pair);                       ///< as new, but for stats: after a jump, or for other bodies
/// What is remembered of touches, to be saved: so many items of tw_pair_memory_bytes().
const void* tw_pair_remembers(const Pair* pair, int* count);
size_t tw_pair_memory_bytes(void);
/// Remember that again; all else is looked up again. Damaged bytes: nothing.
void tw_pair_restore(Pair* pair, const void* memory, int count, const ContactShape* a, const ContactShape* b);
/// Touches with gaps below reach [m] at the places given. Which body is a and which b must stay. out has room for
/// TW_PAIR_ROOM() and gets max_touches at most, in an order that stays. Give a reach of at least what the bodies can
/// approach in the step, so that a touch is known, with the side it is on, before it closes. Real-time safe. @return count
int tw_pair_touches(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, Touch* out);
/// The same of places that lie ahead of the last known ones by a time [s], with velocities as they are: a point that did
/// not touch there touches no side that it must have been deep below there. Without this a long reach takes the far side
/// of a thin body for the near one.
int tw_pair_touches_ahead(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, double ahead, Touch* out);
/// A lower bound of the gaps of all points that are not candidates, as of the last look, less the motion since [m]. While it
/// exceeds the reach a step costs only this.
double tw_pair_clearance(const Pair* pair, const BodyPlace* a, const BodyPlace* b);
PairStats tw_pair_stats(const Pair* pair);
