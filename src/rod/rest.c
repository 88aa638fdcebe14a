// SPDX-License-Identifier: MIT
// The rest shape and the frames at the start.
//
// Frames follow given directions, or are carried from edge to edge without twist. The rest shape's bending and twist are
// measured by the same element as those of the moving rod, so that any shape can be without stress.
#include "element.h"
#include "rod.h"
#include <math.h>

static twVec3 edge_tangent(const twVec3* points, int n, int j)
{
    return tw_vec3_normalize(tw_vec3_sub(points[(j + 1) % n], points[j]));
}

// some direction across t: the axis farthest from it
static twVec3 across(twVec3 t)
{
    double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z);
    twVec3 axis = x <= y && x <= z ? tw_vec3(1, 0, 0) : y <= z ? tw_vec3(0, 1, 0) : tw_vec3(0, 0, 1);
    return rod_frame(t, axis).d1;
}

void tw_rod_set_frame(twRod* rod, int j, const RodFrame* f)
{
    for (int c = 0; c < 3; c++)
    {
        rod->t0[c][j] = ((const double*)&f->t)[c];
        rod->d0[c][j] = ((const double*)&f->d1)[c];
        rod->e0[c][j] = ((const double*)&f->d2)[c];
    }
}

static RodFrame get_frame(const twRod* rod, int j) { return rod_frame_at(rod->t0, rod->d0, rod->e0, j); }

// frames of the rest shape into t0, d0, e0
static void rest_frames(twRod* rod, const twRodDef* def)
{
    const twVec3* points = def->rest_points ? def->rest_points : def->points;
    const twVec3* directions = def->rest_directions ? def->rest_directions : def->rest_points ? NULL : def->directions;
    RodFrame last = {.t = {0, 0, 0}};
    for (int j = 0; j < rod->ne; j++)
    {
        twVec3 t = edge_tangent(points, rod->n, j);
        twVec3 d = directions ? directions[j] : j > 0 ? rod_carry(last.d1, last.t, t) : across(t);
        last = rod_frame(t, d);
        tw_rod_set_frame(rod, j, &last);
    }
}

// bending and twist of nodes at rest; at ends of an open rod none
static void rest_elements(twRod* rod)
{
    for (int i = rod->closed ? 0 : 1; i < (rod->closed ? rod->n : rod->n - 1); i++)
    {
        RodFrame e = get_frame(rod, i > 0 ? i - 1 : rod->ne - 1), f = get_frame(rod, i);
        RodElement a = rod_element(&e, &f);
        rod->k1_rest[i] = a.k1;
        rod->k2_rest[i] = a.k2;
        rod->tau_rest[i] = a.tau;
    }
}

// frames at the start: given directions, or such that the twist is that at rest
static void start_frames(twRod* rod, const twRodDef* def)
{
    RodFrame last_rest = get_frame(rod, 0), last = last_rest;
    bool same = !def->rest_points && !def->rest_directions;
    for (int j = 0; j < rod->ne; j++)
    {
        RodFrame rest = get_frame(rod, j), now;
        twVec3 t = edge_tangent(def->points, rod->n, j);
        if (def->directions)
            now = rod_frame(t, def->directions[j]);
        else if (same)
            now = rest;
        else if (j == 0)
            now = rod_frame(t, rod_carry(rest.d1, rest.t, t));
        else
        {
            RodElement a = rod_element(&last_rest, &rest);
            now = rod_turned(rod_frame(t, rod_carry(last.d1, last.t, t)), 2 * atan(a.x));
        }
        last_rest = rest;
        last = now;
        if (def->twists) now = rod_turned(now, def->twists[j]);
        tw_rod_set_frame(rod, j, &now);
    }
}

static void start_motion(twRod* rod, const twRodDef* def)
{
    for (int i = 0; i < rod->n; i++)
        for (int c = 0; c < 3; c++)
        {
            rod->q[c][i] = ((const double*)&def->points[i])[c];
            rod->v[c][i] = def->velocities ? ((const double*)&def->velocities[i])[c] : 0;
        }
    for (int j = 0; j < rod->ne; j++) rod->v[ROD_TURN][j] = def->spins ? def->spins[j] : 0;
    tw_rod_wrap(rod, rod->q, rod->dofs);
    tw_rod_wrap(rod, rod->v, rod->dofs);
}

void tw_rod_build_shape(twRod* rod, const twRodDef* def)
{
    const twVec3* points = def->rest_points ? def->rest_points : def->points;
    double total = 0;
    for (int j = 0; j < rod->ne; j++)
    {
        rod->rest_length[j] = tw_vec3_norm(tw_vec3_sub(points[(j + 1) % rod->n], points[j])) / def->stretch;
        rod->inv_rest[j] = 1 / rod->rest_length[j];
        total += rod->rest_length[j];
    }
    rod->reach = total;
    rest_frames(rod, def);
    if (!def->rest_straight) rest_elements(rod);
    start_frames(rod, def);
    tw_rod_frame_edges(rod, rod->t0, rod->d0, rod->e0);
    start_motion(rod, def);
}
