// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/pair.h"

/// @file
/// The parts of a pair: its block of memory, the two views of it, and the steps of finding touches.

/// A point of body `which` near the other's surface.
typedef struct PairPoint
{
    int which, vertex;  ///< of a ball a face of the other body instead
    double low;         ///< lower bound of its gap when the pair last looked
} PairPoint;

/// Two sharp edges that are near each other.
typedef struct PairEdge
{
    int edge[2];
} PairEdge;

/// What a touch leaves to the next step; directions and place in the axes of b at rest.
typedef struct PairMemory
{
    uint64_t id;
    int which, item;  ///< body and vertex, or 0 and the edge of the first body
    bool edge, kept;  ///< kept: among those given out
    bool used;        ///< found again in this step
    double away2;     ///< square of the distance to those given out, while they are chosen
    double gap;
    twVec3 normal, tangent, point;
} PairMemory;

/// The relative place of two bodies.
typedef struct PairPose
{
    twQuat turn;       ///< of the first body, in the axes of the second
    twVec3 offset[2];  ///< from body 1 to 0 in the axes of 1, and the other way round
} PairPose;

struct Pair
{
    PairDef def;
    PairStats stats;
    double margin, slack, hold;  ///< those of def, for bodies of this size
    double ahead;                ///< of what is known, are the places of this call [s]
    bool valid;
    double radius;      ///< nothing that is no candidate is nearer, as of the pose
    PairPose pose;      ///< when it last looked
    int mode_count[2];  ///< then
    int point_count, edge_count;
    int memory_count;
    int now;  ///< which half of the memory is that of the last step
};

// the arrays that follow it
static inline double* tw_pair_amplitude(Pair* pair, int which)
{
    return (double*)(pair + 1) + (size_t)which * (size_t)pair->def.max_modes;
}
static inline PairPoint* tw_pair_points(Pair* pair) { return (PairPoint*)tw_pair_amplitude(pair, 2); }
static inline PairMemory* tw_pair_memory(Pair* pair, int half)
{
    return (PairMemory*)(tw_pair_points(pair) + pair->def.max_candidates) +
           (size_t)half * (size_t)TW_PAIR_ROOM(pair->def);
}
static inline PairEdge* tw_pair_edges(Pair* pair) { return (PairEdge*)tw_pair_memory(pair, 2); }
enum
{
    TW_PAIR_CROSSINGS = 4  ///< pairs of edges for each edge
};
static inline int* tw_pair_near(Pair* pair, int which)
{
    return (int*)(tw_pair_edges(pair) + TW_PAIR_CROSSINGS * pair->def.max_edges) +
           (size_t)which * (size_t)pair->def.max_edges;
}

/// Numbers of the touches given out (max_touches)
static inline int* tw_pair_chosen(Pair* pair) { return tw_pair_near(pair, 2); }

/// One body's points seen by the other's field.
typedef struct PairView
{
    int which;
    const BodyPlace *a, *b;
    twMat3 to_b;    ///< from a's axes to b's
    twVec3 shift;   ///< x of a (less the centre) is at to_b x + shift in b's field
    twMat3 ra, rb;  ///< from the axes of a and b to the world
    double bend_a, bend_b;
} PairView;

/// Bending of b at a foot, in its axes.
static inline twVec3 tw_pair_bend(const PairView* view, const twFieldFoot* foot)
{
    twVec3 bend = {0, 0, 0};
    const int* v = view->b->shape->faces[foot->face].v;
    for (int i = 0; i < 3; i++) bend = tw_vec3_add_scaled(bend, tw_place_bend(view->b, v[i]), foot->weight[i]);
    return bend;
}
/// A vertex of a, bent, in b's field.
static inline twVec3 tw_pair_seen(const PairView* view, int vertex)
{
    twVec3 x = view->a->shape->vertices[vertex];
    if (view->a->mode_count > 0) x = tw_vec3_add(x, tw_place_bend(view->a, vertex));
    return tw_vec3_add(tw_mat3_mul_vec(view->to_b, x), view->shift);
}
/// A point of b's field in the world, b's bending left aside.
static inline twVec3 tw_pair_world(const PairView* view, twVec3 y)
{
    twVec3 x = tw_vec3_sub(y, view->b->shape->centre);
    return tw_vec3_add(view->b->position, tw_mat3_mul_vec(view->rb, x));
}

/// A point inside the other body that was not taken for a touch, the deepest one.
typedef struct PairReject
{
    int which, vertex;
    double gap;  ///< 0: there is none
} PairReject;

PairView tw_pair_view(const BodyPlace* a, const BodyPlace* b, int which);
PairPose tw_pair_pose(const BodyPlace* a, const BodyPlace* b);
/// No distance between the bodies has changed by more since the pair last looked.
double tw_pair_motion(Pair* pair, const BodyPlace* a, const BodyPlace* b);
/// Take note of the pose that the pair has looked at.
void tw_pair_look_at(Pair* pair, const BodyPlace* a, const BodyPlace* b);
/// Look at all points and edges.
void tw_pair_refresh(Pair* pair, const PairView view[2], double reach);
/// Touches of points and of edges, added at out[count]; memory for each of them at the same number. forced: a point to take
/// anyway; reject gets the deepest of those left out. @return count
int tw_pair_point_touches(Pair* pair, const PairView view[2], double reach, double moved, Touch* out,
                          const PairReject* forced, PairReject* reject);
int tw_pair_edge_touches(Pair* pair, const PairView view[2], double reach, Touch* out, int count);
/// tw_pair_touches() if one of the bodies is a ball.
int tw_pair_ball_touches(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, Touch* out);
/// The bits of an id; serial 0 to 3.
uint64_t tw_pair_id(const Touch* touch, int serial);
/// Any direction that is not along n: the axis that is least.
twVec3 tw_pair_axis(twVec3 n);
/// Fill in id, tangents and memory of a touch whose normal is set; old is what is left of it from the last step, or NULL.
void tw_pair_remember(Pair* pair, const PairView* view, Touch* touch, int slot, PairMemory* old);
/// Keep the deepest and widest apart; changed: others than in the last step. @return how many are left
int tw_pair_reduce(Pair* pair, const PairView view[2], Touch* touches, int count, bool changed);
