// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand.h"
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// What two edges of rods touch with (internal): fibres that cross, and nodes of the fibres of one on the other.

enum
{
    STRAND_CROSS = 0,  ///< fibres of both
    STRAND_NODE = 1,   ///< a node of a fibre of rod[0] on rod[1]
};

/// corner[0] of a touch: kind, fibre of rod[0], fibre of rod[1] (0 for a node)
static inline int strand_feature(int kind, int fibre0, int fibre1) { return kind | fibre0 << 1 | fibre1 << 3; }
/// item: edge, or node. The lower (rod, edge) comes first if fibres cross.
uint64_t strand_id(int feature, int rod0, int item0, int rod1, int item1);

/// The node an edge ends with.
static inline int strand_next_node(const StrandShape* shape, int e) { return e + 1 < shape->point_count ? e + 1 : 0; }

/// The edge after (step 1) or before (-1); -1: none.
static inline int strand_edge_beside(const StrandShape* shape, int e, int step)
{
    const int i = e + step;
    if (i >= 0 && i < shape->edge_count) return i;
    return shape->closed ? (i + shape->edge_count) % shape->edge_count : -1;
}

enum
{
    STRAND_CACHE = 64  ///< bytes that come from memory together
};

/// Zeros that begin with such a line. @return NULL without memory; else for free()
static inline void* strand_lines(size_t count, size_t size)
{
    const size_t bytes = (count * size / STRAND_CACHE + 1) * STRAND_CACHE;
    void* block = aligned_alloc(STRAND_CACHE, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

/// Half axes of the core of an edge, by d1 and d2.
typedef struct StrandAxes
{
    double first[2], second[2];
    double over;  ///< 1/size^2 of the first
} StrandAxes;

/// Of an edge of a line, when it was last asked for.
typedef struct StrandEdge
{
    alignas(STRAND_CACHE) int64_t when;  ///< update it is of
    twVec3 along;                        ///< from its first node to its second
    double length, over;                 ///< [m], 1/length^2
    double bend;  ///< how far its tangents are off its direction, both: about the angle to its neighbours
    double
        close;  ///< share at its ends, per distance, from which points may be near to the next edge too: twice that, to be sure
    twVec3 tangent[2];  ///< of the centre line at its nodes, unit
    double turn[2];     ///< of edges at its nodes [rad], about
} StrandEdge;

/// Length times tangent at an end of it, less along: how it is bent.
static inline twVec3 strand_bow(const StrandEdge* edge, int end)
{
    return tw_vec3_sub(tw_vec3_scale(edge->tangent[end], edge->length), edge->along);
}

/// Of an edge of a flat one: change of the core's half axis h from its first node to its second, and products.
typedef struct StrandTwist
{
    twVec3 twist;
    double along_h, along_twist, h_twist, twist2;
} StrandTwist;

/// A rod at a time: lines through its fibres that hang together.
typedef struct StrandLine
{
    const StrandShape* shape;
    const StrandPlace* place;
    int64_t when;         ///< updates till now
    twVec3* node;         ///< (fibres x points)
    twVec3* centre;       ///< (points)
    twVec3* box[2];       ///< half axes of the core at the nodes (points); NULL: none
    StrandEdge* edges;    ///< (edges): those of strand_line_edge() since the update
    StrandTwist* twists;  ///< (edges) the same; NULL: none
    double* radius;       ///< at the nodes (points)
    double per_edge;      ///< 1 / length of the longest edge
    double thick;         ///< most that anything of it is away from the centre line
    StrandAxes* axes;     ///< (edges)
    twVec3* block;        ///< memory of vectors
} StrandLine;
bool strand_line_create(StrandLine* line, const StrandShape* shape);  ///< false without memory; destroy it anyway
void strand_line_destroy(StrandLine* line);
void strand_line_update(StrandLine* line, const StrandPlace* place);
void strand_line_set_edge(const StrandLine* line, int e);
/// Most edges touch nothing: they are only looked at when some other is near.
static inline const StrandEdge* strand_line_edge(const StrandLine* line, int e)
{
    if (line->edges[e].when != line->when) strand_line_set_edge(line, e);
    return &line->edges[e];
}

/// Which way deep touches were: sorted by id.
typedef struct StrandSide
{
    uint64_t id;
    twVec3 normal;
} StrandSide;

typedef struct StrandSides
{
    StrandSide* items;
    int count, room;
} StrandSides;
bool strand_sides_reserve(StrandSides* sides, int room);                ///< false without memory
bool strand_sides_add(StrandSides* sides, uint64_t id, twVec3 normal);  ///< unsorted; false without memory
void strand_sides_sort(StrandSides* sides);
const StrandSide* strand_sides_find(const StrandSides* sides, uint64_t id);

/// Where touches go to.
typedef struct StrandSink
{
    StrandTouch* touches;
    int count, room;
    const StrandShape* const* shapes;
    StrandSides before, now;
    bool failed;  ///< no memory
} StrandSink;
bool strand_sink_reserve(StrandSink* sink, int room);  ///< false without memory

enum
{
    STRAND_GROUPS = 8  ///< of features of two edges
};

/// Where the centre lines of two edges are nearest.
typedef struct StrandNear
{
    double distance, share[2];
} StrandNear;

/// Least gap that edges e of a and f of b can have, whatever they touch with, by their centre lines alone: near.
double strand_edge_bound(const StrandLine* a, int e, const StrandLine* b, int f, StrandNear* near);
/// All touches of edge e of a and edge f of b nearer than reach: (a, e) before (b, f). near: from strand_edge_bound(). wake
/// (groups): way they must have gone before a gap can be 0; those beyond until are not looked at, the others renewed: path +
/// gap. @return the least
double strand_edge_pair(StrandSink* sink, const StrandLine* a, int e, const StrandLine* b, int f,
                        const StrandNear* near, double reach, double path, double until, double wake[STRAND_GROUPS]);
