// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand_feature.h"

/// @file
/// Leaves (internal): four edges of a rod each, and how far and how fast they go, as bounds for all that is on them.

enum
{
    STRAND_LEAF = 4  ///< edges
};

/// Which edges.
typedef struct StrandPart
{
    int rod, first, count;
} StrandPart;

/// Motion of a leaf: means over its nodes and the two beside, and the most that anything of it differs from them.
typedef struct StrandLeaf
{
    alignas(STRAND_CACHE) twVec3 way;  ///< sum of the means c since the start [m]
    double turned;                     ///< and of 4 d
    twVec3 speed;                      ///< mean velocity [m/s]
    double differ;                     ///< most that anything differs from it
} StrandLeaf;

/// Of all rods.
typedef struct StrandLeaves
{
    int rod_count, count, room;
    StrandPart* parts;   ///< (leaves), rod by rod
    StrandLeaf* motion;  ///< (leaves)
    double* looked;      ///< (leaves x 4) way and turned at the look
    double* columns;     ///< of the largest rod: scratch
    double* parted[4];   ///< (leaves of the largest rod) means, and what differs: scratch
    double* last;        ///< columns of places, of all rods
    double* block;       ///< memory of these

    twVec3 step, speed;  ///< means of the last call: what this one is measured against
    double fastest;      ///< most |c - step| + 4 d of the last call
    double went;         ///< at most, against each other, since the look: sum of that, or less if it was looked up
} StrandLeaves;

/// room: points that each rod may have (rods), of any section; NULL: rods stay what they are. @return false without
/// memory; destroy it anyway
bool strand_leaves_create(StrandLeaves* leaves, const StrandShape* const* shapes, const int* room, int count);
/// Which edges leaves have, after rods became others; they have gone nowhere yet.
void strand_leaves_cut(StrandLeaves* leaves, const StrandShape* const* shapes);
void strand_leaves_destroy(StrandLeaves* leaves);
/// On to where lines are now; start: however they came there.
void strand_leaves_move(StrandLeaves* leaves, const StrandLine* lines, bool start);
void strand_leaves_look(StrandLeaves* leaves);  ///< ways since the look begin here
/// Whether some leaf has gone farther than that since the look, against the mean of all.
bool strand_leaves_left(StrandLeaves* leaves, double limit);
/// Velocities. @return most that anything has against some mean of all
double strand_leaves_speed(StrandLeaves* leaves, const StrandLine* lines);

/// A node of a rod, or one beyond its ends: the last one, or on round.
static inline int strand_leaf_node(const StrandShape* shape, int i)
{
    const int n = shape->point_count;
    if (shape->closed) return ((i < n + 1 ? i : n + 1) + n) % n;
    return i < 0 ? 0 : i < n ? i : n - 1;
}
