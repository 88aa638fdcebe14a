// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/strand_body.h"

/// @file
/// The parts of a rod and a body: what they keep, and the steps of finding touches.

enum
{
    STRAND_CHUNK = 8,     ///< edges of a piece
    STRAND_HALVINGS = 3,  ///< of an edge, to find out whether it is near
    STRAND_RING = 16,     ///< nodes and links of a line that are known at a time, besides the first so many
    STRAND_SPLIT = 4,     ///< links of an edge, at most
    STRAND_FLATS = 8      ///< faces of a flat place that are known
};

/// What of an edge a touch is on: id.
typedef enum StrandKind
{
    STRAND_POINT,  ///< its first point
    STRAND_LAST,   ///< its second one: the end of an open rod
    STRAND_INSIDE,
} StrandKind;

/// A point of a line and the nearest one of the surface.
typedef struct StrandSample
{
    int node;              ///< number; -1: none
    bool looked;           ///< up; before only its place and near are known
    bool flat;             ///< the corner, or the centre line, is over a flat place
    double near;           ///< lower bound of the distance of what may touch there: a corner, the centre line
    twVec3 centre;         ///< of the section, in the world
    twVec3 at;             ///< what is looked up: the centre of a round rod, else below a corner of the section
    twVec3 corner;         ///< from there to the corner
    twVec3 out[2];         ///< outward along the axes of the section, of a corner
    double radius, size;   ///< of a round rod; what lengths are measured by
    double distance, gap;  ///< of at from the surface; of the rod
    twVec3 normal;         ///< in the world
    int face;              ///< of the surface; -1: nowhere
    double weight[3];
} StrandSample;

/// Slopes of the distance along a link of a line.
typedef struct StrandRise
{
    int link;    ///< number; -1: none
    bool known;  ///< it has a length, and the body is somewhere
    const StrandSample* end[2];
    twVec3 along;           ///< the line itself, unit
    double length, taper;   ///< taper: slope of the radius
    double slope[2], rise;  ///< at the ends, less the taper; their difference
} StrandRise;

/// A flat place of a surface, in the coordinates of its field: within room from the foot it is one plane, but for what is wholly below that;
/// within deep there is nothing else at all. So of any point above it whose height and way from the foot are less than room together the
/// nearest point is below it on the plane; of one under it if they are less than deep.
typedef struct StrandFlat
{
    int count, last;  ///< faces that are known, 0: no flat place; the one that was below the last point
    int face[STRAND_FLATS];
    twVec3 foot, normal;
    double room, deep;
    int64_t again;  ///< step from which on it may be looked for
} StrandFlat;

/// Means of the edges that meet at a point, of a rod that is not round: axes of the section, half sizes times them.
typedef struct StrandFrame
{
    int point;  ///< -1: none
    double size;
    twVec3 axis[2], half[2];
} StrandFrame;

struct StrandBody
{
    const StrandShape* rod;
    const ContactShape* body;
    StrandBodyStats stats;
    int line_count, chunk_count;
    int split;  ///< links of an edge: edges that are long against the section are looked at in parts; ends of links are nodes
    double wide;            ///< no point of the rod is farther from its centre line
    double *cosine, *sine;  ///< (edges) of the section's angle
    double *low,
        *low_path;  ///< (chunks) lower bound of the distance of the centre line as of the last look, and path then
    double* seen;   ///< (chunks x 3 x (STRAND_CHUNK + 1)) points then
    bool valid;
    double path;      ///< how far the body's surface went since the start, at most [m]
    twVec3 position;  ///< of the body in the last step
    twQuat turn;
    int mode_count;
    double* amplitude;             ///< (modes)
    StrandFlat* flats;             ///< (chunks)
    size_t value_room, flat_room;  ///< of the block of numbers, which begins with cosine, and of flats
};

struct StrandWork
{
    StrandSample samples[STRAND_FIBRES][2 * STRAND_RING];
    StrandRise rises[STRAND_FIBRES][2 * STRAND_RING];
    StrandFrame frames[2 * STRAND_RING];
    bool clean;  ///< these are of this call
    StrandTouch* touches;
    int touch_count, touch_room;
    bool failed;  ///< no memory
};

/// A step.
typedef struct StrandView
{
    StrandBody* pair;
    StrandWork* work;
    const StrandPlace* rod;
    const BodyPlace* body;
    twMat3 to_world, to_body;
    double bend, reach;
} StrandView;

static inline int strand_body_next(const StrandShape* rod, int point)
{
    return point + 1 < rod->point_count ? point + 1 : 0;
}
static inline twVec3 strand_body_at(const double* const x[3], int i) { return tw_vec3(x[0][i], x[1][i], x[2][i]); }
/// Half sizes of the section of an edge along its axes.
static inline double strand_body_half(const StrandShape* rod, int axis, int edge)
{
    return rod->core[axis][edge] + rod->radius[edge];
}
/// Axes of the section of an edge.
void strand_body_axes(const StrandView* view, int edge, twVec3 axis[2]);
/// Edges that meet at a point, the first before it; -1: none.
void strand_body_edges(const StrandShape* rod, int point, int edge[2]);
/// The next touch, with rods, body and id set; link of the edge: 0 to split - 1. NULL without memory.
StrandTouch* strand_body_add(const StrandView* view, int edge, int link, int line, StrandKind kind);
/// Lower bound of the distance of a point in the world from the body as it is bent; of this piece. *flat: it is over a flat place, the
/// bound as linear as the distance.
double strand_body_bound(const StrandView* view, int chunk, twVec3 x, bool* flat);
/// The same of all points from a to b, which have bounds of their own; by halves, until it exceeds enough. flat: both are over
/// the flat place of the piece.
double strand_body_edge_bound(const StrandView* view, int chunk, twVec3 a, twVec3 b, const double near[2], bool flat,
                              double enough, int halvings);
/// The nearest point of the surface to y, in its coordinates, of this piece: as tw_field_foot().
twFieldFoot strand_body_foot(const StrandView* view, int chunk, twVec3 y);
/// Touches of an edge with a surface: of its first point, its inside, and of its second point if the rod ends there.
void strand_body_lines(const StrandView* view, int edge);
/// Touches of an edge with a ball.
void strand_body_ball(const StrandView* view, int edge);
