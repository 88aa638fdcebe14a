// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/shape.h"
#include "live/cover.h"

/// @file
/// What a ray meets, and what is nearest to a place (internal). Real-time safe. Points are of a shape's surface;
/// distances along rays are in lengths of their direction.

/// The point nearest to a place, at rest, in the mesh's coordinates. @return how far that is [m]; INFINITY: there is
/// no surface
double pick_nearest(const ContactShape* shape, twVec3 place, twSurfacePoint* point);
/// What of a body a ray of the world meets first, from either side, nearer than limit. positions: 3 floats for each
/// vertex of the cover; scratch: as tw_cover_bend(). Where the cover is not the shape's own surface, *point is
/// nearest at rest.
/// @return the distance; INFINITY: nothing
double pick_body(const twCover* cover, const ContactShape* shape, const twLivePose* pose, twVec3 eye, twVec3 direction,
                 double limit, float* positions, float* scratch, twSurfacePoint* point, twVec3* place);
/// What of a rod a ray meets first, nearer than limit: as a chain of balls and round edges. @return the distance;
/// INFINITY: nothing
double pick_rod(const twLiveRod* rod, twVec3 eye, twVec3 direction, double limit, int* node);
