// SPDX-License-Identifier: MIT
// Jacobian rows of a touch. A point of a body at c + r moves at  v + w x r + R sum of U_j q_j'; along a direction d that is
// d . v + (r x d) . w + sum of (R^T d) . U_j q_j'.
#include "dynamics/touch.h"

void tw_touch_row(double* row, const BodyPlace* place, bool held, twVec3 arm, twVec3 d, const int* vertex,
                  const double* share, int count, double sign)
{
    int n = 0;
    if (!held)
    {
        twVec3 moment = tw_vec3_cross(arm, d);
        const double rigid[6] = {d.x, d.y, d.z, moment.x, moment.y, moment.z};
        for (; n < 6; n++) row[n] = sign * rigid[n];
    }
    twVec3 local = tw_quat_rotate(tw_quat_conj(place->turn), d);
    double* out = row + n;
    for (int j = 0; j < place->mode_count; j++) out[j] = 0;
    for (int i = 0; i < count && place->mode_count > 0; i++)
    {
        size_t modes = (size_t)place->shape->mode_count;
        const float *x = place->shape->shape + 3 * modes * (size_t)vertex[i], *y = x + modes, *z = y + modes;
        double sx = sign * share[i] * local.x, sy = sign * share[i] * local.y, sz = sign * share[i] * local.z;
        for (int j = 0; j < place->mode_count; j++) out[j] += sx * (double)x[j] + sy * (double)y[j] + sz * (double)z[j];
    }
}

void tw_touch_rows(double* rows, const Touch* touch, int side, const BodyPlace* place, bool held)
{
    const twVec3 direction[3] = {touch->normal, touch->tangent[0], touch->tangent[1]};
    twVec3 arm = tw_vec3_sub(touch->point, place->position);
    int size = tw_touch_size(place, held), points = touch->edge ? 2 : side == 0 ? 1 : 3;
    for (int d = 0; d < 3; d++)
        tw_touch_row(rows + (size_t)d * (size_t)size, place, held, arm, direction[d],
                     side == 0 ? touch->vertex : touch->corner, side == 0 ? touch->share : touch->weight, points,
                     side == 0 ? 1 : -1);
}

// velocity of the body's point
static twVec3 point_velocity(const Touch* touch, int side, const BodyPlace* place)
{
    BodyPlace moving = *place;
    moving.amplitude = place->rate;
    const int* vertex = side == 0 ? touch->vertex : touch->corner;
    const double* share = side == 0 ? touch->share : touch->weight;
    int points = touch->edge ? 2 : side == 0 ? 1 : 3;
    twVec3 bend = {0, 0, 0};
    for (int i = 0; i < points && place->mode_count > 0; i++)
        bend = tw_vec3_add_scaled(bend, tw_place_bend(&moving, vertex[i]), share[i]);
    twVec3 turning = tw_vec3_cross(place->spin, tw_vec3_sub(touch->point, place->position));
    return tw_vec3_add(tw_vec3_add(place->velocity, turning), tw_quat_rotate(place->turn, bend));
}

void tw_touch_velocity(double out[3], const Touch* touch, const BodyPlace* a, const BodyPlace* b)
{
    twVec3 u = tw_vec3_sub(point_velocity(touch, 0, a), point_velocity(touch, 1, b));
    out[0] = tw_vec3_dot(u, touch->normal);
    out[1] = tw_vec3_dot(u, touch->tangent[0]);
    out[2] = tw_vec3_dot(u, touch->tangent[1]);
}
