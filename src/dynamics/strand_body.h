// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand.h"

/// @file
/// Where one rod touches one body (internal), step by step, at next to no cost where they are apart.
///
/// A round rod is its centre line with its radius; of any other the four long edges of its section are lines, without one.
/// Lines touch a surface at their points, and in between where they cross an edge or pass a corner of it. An exact ball is
/// touched wherever the rod's distance from its centre is least among neighbours.
///
/// What is kept from step to step only saves time: the touches depend on the places alone.
///
///     strand_body_begin(pair, shape, body);
///     ...each step:
///     int count = strand_body_touches(pair, work, &rod, &body, reach, &touches);

typedef struct StrandBody StrandBody;
typedef struct StrandWork StrandWork;  ///< what one call needs, for any of them, and the touches that it finds

typedef struct StrandBodyStats
{
    int64_t steps;    ///< calls
    int64_t looks;    ///< pieces of the rod that were looked at
    int64_t bounds;   ///< lookups of lower bounds
    int64_t lookups;  ///< of nearest points
    int64_t touches;  ///< given out
} StrandBodyStats;

StrandBody* strand_body_create(void);        ///< NULL without memory
void strand_body_destroy(StrandBody* pair);  ///< NULL is fine
/// Make memory for rods of so many edges and bodies of so many modes. @return false without memory
bool strand_body_reserve(StrandBody* pair, int edges, int modes);
/// These two from now on; both must live as long. Allocates only what is not reserved. @return false without memory
bool strand_body_begin(StrandBody* pair, const StrandShape* rod, const ContactShape* body);
void strand_body_forget(StrandBody* pair);  ///< the next call looks at everything
/// Touches with gaps below reach [m] at the places, by edges and their lines. *out is valid until the next call with this work; it
/// grows only when there are more than ever before. @return count; -1 without memory
int strand_body_touches(StrandBody* pair, StrandWork* work, const StrandPlace* rod, const BodyPlace* body, double reach,
                        const StrandTouch** out);
/// Ids that a touch may have had in the last step if it is new, most likely first: it slides along the rod. Across the point where a
/// closed rod begins there are none. @return count (<= 8)
int strand_body_neighbours(const StrandTouch* touch, uint64_t ids[8]);
StrandBodyStats strand_body_stats(const StrandBody* pair);

StrandWork* strand_work_create(void);                     ///< NULL without memory
bool strand_work_reserve(StrandWork* work, int touches);  ///< false without memory
void strand_work_destroy(StrandWork* work);               ///< NULL is fine
