// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/winding.h"

/// @file
/// What a distance field is made of: faces ready for exact distances, a coarse grid of bounds, bricks of fine cells.

enum
{
    TW_BRICK_CELLS = 4,                   ///< fine cells along a brick
    TW_BRICK_NODES = TW_BRICK_CELLS + 1,  ///< their corners
    TW_BRICK_VOLUME = 64,
    TW_BRICK_VALUES = 125,
    TW_FIELD_COARSE_MAX = 1 << 21  ///< coarse cells
};

/// A triangle, ready for nearest points.
typedef struct twFieldFace
{
    twVec3 a, ab, ac, normal;  ///< normal: unit
    double abab, abac, acac;
    int v[3], edge[3];  ///< vertices; edges opposite to nothing: from corner i to i + 1
} twFieldFace;

/// The ball around a face.
typedef struct twFieldBall
{
    twVec3 middle;  ///< mean of the corners: a point of the face
    double radius;
} twFieldBall;

/// A face that may be nearest in a cell, and a lower bound of how far it is from the cell's middle.
typedef struct twFieldNear
{
    int face;
    float away;
} twFieldNear;

typedef struct twFieldCell
{
    int first;            ///< of its list in near
    unsigned count : 31;  ///< 0: no list; the faces in it rise with their distance from the cell's middle
    unsigned linear : 1;  ///< interpolate
} twFieldCell;

typedef struct twFieldBrick
{
    float value[TW_BRICK_VALUES];       ///< distance at the corners of the cells, x fastest
    float slack;                        ///< how far interpolation may be off in it [m]
    twFieldCell cell[TW_BRICK_VOLUME];  ///< x fastest
} twFieldBrick;

struct twField
{
    int face_count, vertex_count;
    twFieldFace* faces;     ///< (faces)
    twFieldBall* balls;     ///< (faces)
    twVec3* vertex_normal;  ///< (vertices) angle-weighted
    twVec3* edge_normal;    ///< (edges)
    twWinding* winding;     ///< its tree finds what is far

    twVec3 low, high;        ///< box of the surface
    twVec3 origin;           ///< of the grid
    int n[3];                ///< coarse cells
    double coarse, cell;     ///< edges of cells [m]
    double per_coarse;       ///< 1 / coarse
    double band, tolerance;  ///< [m]
    float* corner;           ///< distance at the corners of coarse cells, towards 0
    int* brick_of;           ///< (coarse cells) -1: none
    int brick_count, brick_capacity;
    twFieldBrick* bricks;
    size_t near_count, near_capacity;
    twFieldNear* near;
};

/// What of a triangle is nearest.
typedef enum twFeature
{
    TW_FEATURE_FACE = 0,
    TW_FEATURE_VERTEX = 1,  ///< 1 + corner
    TW_FEATURE_EDGE = 4,    ///< 4 + side from corner i to i + 1
} twFeature;

/// The nearest point of a triangle.
typedef struct twNearest
{
    double distance2;  ///< square; HUGE_VAL: none yet
    int face, feature;
    double v, w;  ///< point a + v ab + w ac
} twNearest;

/// The point of face f nearest to p.
twNearest tw_field_nearest_on(const twField* field, int f, twVec3 p);
/// The same, if it is nearer than *best.
static inline void tw_field_try(const twField* field, int f, twVec3 p, twNearest* best)
{
    // not nearer than its plane is; on a flat surface that settles most
    const twFieldFace* t = &field->faces[f];
    double plane = tw_vec3_dot(t->normal, tw_vec3_sub(p, t->a));
    if (plane * plane >= best->distance2) return;
    twNearest other = tw_field_nearest_on(field, f, p);
    if (other.distance2 < best->distance2) *best = other;
}
/// Signed distance by the pseudo-normal of what is nearest; gradient may be NULL.
double tw_field_signed(const twField* field, const twNearest* nearest, twVec3 p, twVec3* gradient);
/// Faces not farther than radius from p, with lower bounds of their distances, in an order that stays. beyond gets a lower bound
/// of the distance of all others. @return how many; room + 1 if they are more than room
int tw_field_within(const twField* field, twVec3 p, double radius, twFieldNear* out, int room, double* beyond);
/// The foot that a nearest point is.
twFieldFoot tw_field_foot_of(const twField* field, const twNearest* nearest, twVec3 p);
/// The nearest of a list, p at most r away from the middle of its cell.
twNearest tw_field_nearest_in(const twField* field, const twFieldNear* near, int count, twVec3 p, double r);

/// Faces, pseudo-normals and what can be wrong with a surface.
twStatus tw_field_faces(twField* field, const twMesh* mesh, twError* err);
