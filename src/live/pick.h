// SPDX-License-Identifier: MIT
#pragma once
#include "live/cover.h"

/// @file
/// What a ray meets (internal). Real-time safe.

/// A place on a surface: corners of a face with their shares.
typedef struct PickHit
{
    int face;          ///< -1: none
    double weight[3];  ///< of its corners, sum 1
    double distance;   ///< from the eye, in lengths of direction
} PickHit;

/// The face, of count, that a ray from eye meets first, nearer than limit (in lengths of direction), from either side; positions are
/// (vertices x 3).
PickHit pick_ray(const float* positions, int vertices, const twTriangle* faces, int count, twVec3 eye, twVec3 direction,
                 double limit);
/// The face whose nearest point to a place is nearest.
PickHit pick_nearest(const twVec3* vertices, const twTriangle* faces, int count, twVec3 place);

/// What of a body a ray of the world meets first, nearer than limit.
typedef struct PickBody
{
    const twCover* cover;
    twVec3 position;  ///< of the mesh's origin, as in twLivePose
    twQuat turn;
    const double* amplitude;  ///< (modes of the cover)
    int vertex_count, face_count;
    const twVec3*
        vertices;  ///< of the shape's own surface at rest, in the mesh's coordinates less centre: what points are named by
    const twTriangle* faces;
    twVec3 centre;
} PickBody;
/// positions: 3 floats for each vertex of the cover; scratch: as tw_cover_bend(). *point is of the shape's surface: where the cover
/// is another one, the place of it nearest at rest. @return the distance in lengths of direction; INFINITY: nothing
double pick_body(const PickBody* body, twVec3 eye, twVec3 direction, double limit, float* positions, float* scratch,
                 twSurfacePoint* point, twVec3* place);
