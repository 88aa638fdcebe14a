// SPDX-License-Identifier: MIT
// What holds a rod.
//
// A held point has no equation of its own: its z is given. A point that is moved goes from its place and velocity to the target,
// where it arrives with the mean velocity, along a cubic. A clamp at an end holds a ghost edge beyond it, which bends and twists
// against the first edge like any other (stiffness.c).
#include "rod.h"
#include <math.h>

static void hold_point(twRod* rod, int i)
{
    rod->free_x[i] = 0;
    for (int c = 0; c < 3; c++) rod->v[c][i] = 0;
}

static void hold_turn(twRod* rod, int j)
{
    rod->free_t[j] = 0;
    for (int c = ROD_TURN; c < rod->dofs; c++) rod->v[c][j] = 0;
}

// points a support holds: itself, or for a clamp inside also its neighbours
static int held_points(const twRod* rod, const RodSupport* s, int list[3])
{
    int i = s->def.point, n = rod->n;
    list[0] = i;
    bool end = !rod->closed && (i == 0 || i == n - 1);
    if (s->def.kind != TW_ROD_CLAMPED || end) return 1;
    list[1] = (i + n - 1) % n;
    list[2] = (i + 1) % n;
    return 3;
}

static void set_ghost(twRod* rod, const RodSupport* s, twQuat turn)
{
    int end = s->def.point > 0;
    twVec3 t = tw_quat_rotate(turn, s->tangent), d1 = tw_quat_rotate(turn, s->d1), d2 = tw_vec3_cross(t, d1);
    for (int c = 0; c < 3; c++)
    {
        rod->ghost[end][c] = ((const double*)&t)[c];
        rod->ghost[end][3 + c] = ((const double*)&d1)[c];
        rod->ghost[end][6 + c] = ((const double*)&d2)[c];
    }
}

static void build_clamp(twRod* rod, RodSupport* s)
{
    int list[3], count = held_points(rod, s, list);
    for (int k = 0; k < count; k++) hold_point(rod, list[k]);
    if (count == 3)
    {
        hold_turn(rod, s->def.point);
        hold_turn(rod, list[1]);
        return;
    }
    int end = s->def.point > 0, edge = end ? rod->ne - 1 : 0;
    rod->clamp[end] = true;
    s->tangent = tw_vec3(rod->t0[0][edge], rod->t0[1][edge], rod->t0[2][edge]);
    s->d1 = tw_vec3(rod->d0[0][edge], rod->d0[1][edge], rod->d0[2][edge]);
    set_ghost(rod, s, tw_quat_identity());
}

void tw_rod_build_supports(twRod* rod, const twRodDef* def)
{
    for (int i = 0; i < rod->n; i++) rod->free_x[i] = rod->free_t[i] = 1;
    if (!rod->closed) hold_turn(rod, rod->n - 1);
    for (int k = 0; k < def->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        int i = def->supports[k].point;
        *s = (RodSupport){.def = def->supports[k], .anchor = def->points[i]};
        if (s->def.kind == TW_ROD_PINNED) hold_point(rod, i);
        if (s->def.kind == TW_ROD_CLAMPED) build_clamp(rod, s);
    }
}

void tw_rod_move(twRod* rod, int support, twVec3 position, twQuat turn)
{
    TW_ASSERT(rod && support >= 0 && support < rod->support_count);
    RodSupport* s = &rod->supports[support];
    double size = tw_quat_norm(turn);
    if (!(tw_vec3_max(position) < 1e100) || !(size > 0.5 && size < 2))
    {
        rod->stats.bad_inputs++;
        return;
    }
    bool end = !rod->closed && (s->def.point == 0 || s->def.point == rod->n - 1);
    if (s->def.kind == TW_ROD_CLAMPED && end) set_ghost(rod, s, tw_quat_normalize(turn));
    if (s->def.kind == TW_ROD_SPRING)
        s->anchor = position;
    else
        s->moving = 2, s->target = position;  // this step, and one to come to rest
}

// where a held coordinate is after time t of the remaining ones: cubic from (q, v) to (target, (target - q)/remaining)
static void path(double q, double v, double target, double remaining, double t, double* x, double* speed)
{
    double s = t / remaining, d = target - q, a = v * remaining;
    // q + a s + (2 d - 2 a) s^2 + (a - d) s^3: arrives with d
    *x = q + s * (a + s * (2 * (d - a) + s * (a - d)));
    *speed = (a + s * (4 * (d - a) + s * 3 * (a - d))) / remaining;
}

void tw_rod_hold_stages(twRod* rod, double h, double remaining)
{
    const double c[2] = {0.5 - 0.28867513459481288, 0.5 + 0.28867513459481288};
    int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    for (int k = 0; k < rod->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        int list[3], count = s->def.kind == TW_ROD_SPRING ? 0 : held_points(rod, s, list);
        for (int m = 0; m < count; m++)
            for (int axis = 0; axis < 3; axis++)
            {
                int i = list[m];
                if (s->moving == 0)
                {
                    for (int stage = 0; stage < stages; stage++)
                        rod->z[stage][axis][i] = 0, rod->stage[stage][axis][i] = rod->q[axis][i];
                    continue;
                }
                double q = rod->q[axis][i], v = rod->v[axis][i], x, speed;
                double target = ((const double*)&s->target)[axis] + q - rod->q[axis][s->def.point];
                for (int stage = 0; stage < stages; stage++)
                {
                    double t = (stages == 2 ? c[stage] : 1) * h;
                    path(q, v, target, remaining, t, &x, &speed);
                    rod->z[stage][axis][i] = x - q - t * v;
                    rod->stage[stage][axis][i] = x;
                }
                path(q, v, target, remaining, h, &s->end_x[m][axis], &s->end_v[m][axis]);
            }
    }
}

void tw_rod_hold_end(twRod* rod)
{
    for (int k = 0; k < rod->support_count; k++)
    {
        const RodSupport* s = &rod->supports[k];
        int list[3], count = s->moving ? held_points(rod, s, list) : 0;
        for (int m = 0; m < count; m++)
            for (int axis = 0; axis < 3; axis++)
            {
                rod->q[axis][list[m]] = s->end_x[m][axis];
                rod->v[axis][list[m]] = s->end_v[m][axis];
            }
    }
}
