// SPDX-License-Identifier: MIT
// Points of bodies, for those who command: which one is near a place, where it is, how it moves.
#include "live/pick.h"
#include "stage/hold.h"
#include "stage/stage.h"
#include <math.h>

double tw_stage_nearest(const twStage* s, int body, twVec3 at, twStagePoint* point)
{
    TW_ASSERT(body >= 0 && body < s->body_count);
    const ContactShape* shape = s->bodies[body].contact;
    const PickHit hit = pick_nearest(shape->vertices, shape->faces, shape->face_count, tw_vec3_sub(at, shape->centre));
    *point = tw_stage_vertex(0);
    if (hit.face < 0) return INFINITY;
    for (int i = 0; i < 3; i++)
    {
        point->vertex[i] = shape->faces[hit.face].v[i];
        point->weight[i] = hit.weight[i];
    }
    return hit.distance;
}

twVec3 tw_stage_place(const twStage* s, int body, const twStagePoint* point, twVec3* velocity)
{
    TW_ASSERT(stage_is_point(s->live, body, point));
    twVec3 moves;
    const twVec3 place = hold_point_now(&s->bodies[body], point, &moves);
    if (velocity) *velocity = moves;
    return place;
}
