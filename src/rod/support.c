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
        *s = (RodSupport){.def = def->supports[k], .anchor = def->points[i], .target = def->points[i]};
        for (int j = 0; j < ROD_PAST; j++) s->past[j] = s->target;
        if (s->def.kind == TW_ROD_PINNED) hold_point(rod, i);
        if (s->def.kind == TW_ROD_CLAMPED) build_clamp(rod, s);
    }
}

// at once, which takes the work of bending and twisting the rod so
static void turn_clamp(twRod* rod, const RodSupport* s, twQuat turn)
{
    int end = s->def.point > 0;
    double before[9];
    bool same = true;
    for (int c = 0; c < 9; c++) before[c] = rod->ghost[end][c];
    set_ghost(rod, s, turn);
    for (int c = 0; c < 9; c++) same = same && before[c] == rod->ghost[end][c];
    if (same) return;
    rod->work += tw_rod_elastic(rod, rod->q, rod->mz[0]);
    double after[9];
    for (int c = 0; c < 9; c++) after[c] = rod->ghost[end][c], rod->ghost[end][c] = before[c];
    rod->work -= tw_rod_elastic(rod, rod->q, rod->mz[0]);
    for (int c = 0; c < 9; c++) rod->ghost[end][c] = after[c];
}

static bool is_same(twVec3 a, twVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

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
    if (s->def.kind == TW_ROD_CLAMPED && end) turn_clamp(rod, s, tw_quat_normalize(turn));
    if (s->def.kind == TW_ROD_SPRING)
    {
        rod->work -= tw_rod_spring_energy(rod, s);
        s->anchor = position;
        rod->work += tw_rod_spring_energy(rod, s);
    }
    else if (!is_same(position, s->target))
        s->moving = 1 + ROD_PAST, s->target = position;  // this step, and some to come to rest
}

bool tw_rod_is_moved(const twRod* rod)
{
    bool moved = false;
    for (int k = 0; k < rod->support_count; k++) moved = moved || rod->supports[k].moving > 0;
    return moved;
}

// Velocity where a step ends, of 4th order in the targets so far: what is less smooth would be heard, as jerk.
//     v = (25 x0 - 48 x1 + 36 x2 - 16 x3 + 3 x4)/12 h
void tw_rod_aim_supports(twRod* rod, double h)
{
    static const double weight[1 + ROD_PAST] = {25. / 12, -4, 3, -4. / 3, 0.25};
    for (int k = 0; k < rod->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        if (s->moving == 0) continue;
        s->arrival = tw_vec3_scale(s->target, weight[0] / h);
        for (int j = 0; j < ROD_PAST; j++) s->arrival = tw_vec3_add_scaled(s->arrival, s->past[j], weight[1 + j] / h);
        if (s->moving == 1) s->arrival = tw_vec3(0, 0, 0);  // all are the same, but for round-off
        for (int j = ROD_PAST - 1; j > 0; j--) s->past[j] = s->past[j - 1];
        s->past[0] = s->target;
    }
}

// A held coordinate on its way: q + a s + c2 s^2 + c3 s^3, s = t / remaining; from (q, v) to (target, arrival).
typedef struct Path
{
    double q, a, c2, c3, remaining;
} Path;

static Path path_to(double q, double v, double target, double arrival, double remaining)
{
    const double d = target - q, a = v * remaining, b = arrival * remaining;
    return (Path){q, a, 3 * d - 2 * a - b, a + b - 2 * d, remaining};
}

static double path_place(const Path* p, double t)
{
    const double s = t / p->remaining;
    return p->q + s * (p->a + s * (p->c2 + s * p->c3));
}

static double path_speed(const Path* p, double t)
{
    const double s = t / p->remaining;
    return (p->a + s * (2 * p->c2 + s * 3 * p->c3)) / p->remaining;
}

// Gauss: Z = h^2 A^2 (accelerations), with those by which the scheme itself arrives at x with velocity u,
//     u = v + h/2 (a1 + a2),  x = q + h v + h^2 ((1/4 + s/2) a1 + (1/4 - s/2) a2)
static void hold_gauss(twRod* rod, double x, double u, int axis, int i)
{
    const RodScheme* s = &rod->scheme;
    const double h = s->h, q = rod->q[axis][i], v = rod->v[axis][i], mean = (u - v) / h;
    const double half = (0.5 * mean - (x - q - h * v) / (h * h)) / s->offset, acc[2] = {mean - half, mean + half};
    for (int stage = 0; stage < 2; stage++)
    {
        const double sign = stage == 0 ? -1 : 1;
        rod->z[stage][axis][i] = s->row_force[stage][0] * acc[0] + s->row_force[stage][1] * acc[1];
        rod->stage[stage][axis][i] = q + (0.5 + sign * s->offset) * h * v + rod->z[stage][axis][i];
    }
}

static void hold_one(twRod* rod, RodSupport* s, double h, double remaining, int axis, int m, int i)
{
    const int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    const double q = rod->q[axis][i], v = rod->v[axis][i];
    if (s->moving == 0)
    {
        for (int stage = 0; stage < stages; stage++) rod->z[stage][axis][i] = 0, rod->stage[stage][axis][i] = q;
        return;
    }
    const double target = ((const double*)&s->target)[axis] + q - rod->q[axis][s->def.point];
    const Path p = path_to(q, v, target, ((const double*)&s->arrival)[axis], remaining);
    s->end_x[m][axis] = path_place(&p, h);
    s->end_v[m][axis] = path_speed(&p, h);
    if (stages == 2)
        hold_gauss(rod, s->end_x[m][axis], s->end_v[m][axis], axis, i);
    else
        rod->z[0][axis][i] = s->end_x[m][axis] - q - h * v, rod->stage[0][axis][i] = s->end_x[m][axis];
}

void tw_rod_hold_stages(twRod* rod, double h, double remaining)
{
    for (int k = 0; k < rod->support_count; k++)
    {
        RodSupport* s = &rod->supports[k];
        int list[3], count = s->def.kind == TW_ROD_SPRING ? 0 : held_points(rod, s, list);
        for (int m = 0; m < count; m++)
            for (int axis = 0; axis < 3; axis++) hold_one(rod, s, h, remaining, axis, m, list[m]);
    }
}

static void set_ends(twRod* rod)
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

void tw_rod_hold_end(twRod* rod)
{
    if (!tw_rod_is_moved(rod)) return;
    // the trapezoidal rule does not arrive with the velocity of the path: the support gives it
    const bool jumps = rod->integrator == TW_ROD_TRAPEZOID;
    tw_rod_wrap(rod, rod->v, rod->dofs);
    if (jumps) rod->work -= tw_rod_kinetic(rod);
    set_ends(rod);
    tw_rod_wrap(rod, rod->v, rod->dofs);
    if (jumps) rod->work += tw_rod_kinetic(rod);
}
