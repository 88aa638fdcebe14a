// SPDX-License-Identifier: MIT
// Forces on points: pulses, pushes, springs.
//
// A pulse P sin(pi (t - s)/D) enters a Gauss step by the two stage forces that have its impulse and its first moment over the
// step, so that no pulse is missed, however short. In the middle of a very long pulse they are its values at the stages.
#include "rod.h"
#include <math.h>
#include <string.h>

static bool finite3(twVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// beyond that, squares overflow
static bool sane3(twVec3 a) { return finite3(a) && tw_vec3_max(a) < 1e100; }

// ---- pulses ----

// shares of the peak at the two stages, 1/2 -+ offset, of a step from start to start + h
static void pulse_shares(const twRodPulse* p, double start, double h, double offset, double share[2])
{
    double w = TW_PI / p->duration, begin = start - p->start, a = fmax(begin, 0), b = fmin(begin + h, p->duration);
    share[0] = share[1] = 0;
    if (!(b > a)) return;
    if (a == begin && b == begin + h && w * h < 0.01)
    {
        share[0] = sin(w * (begin + (0.5 - offset) * h));
        share[1] = sin(w * (begin + (0.5 + offset) * h));
        return;
    }
    // impulse, and moment about the start of the step, both in terms of h
    double impulse = (cos(w * a) - cos(w * b)) / (w * h);
    double moment = ((a - begin) * cos(w * a) - (b - begin) * cos(w * b) + (sin(w * b) - sin(w * a)) / w) / (w * h * h);
    double difference = (2 * moment - impulse) / offset;
    share[0] = impulse - 0.5 * difference;
    share[1] = impulse + 0.5 * difference;
}

static void gather_pulses(twRod* rod, double start, double h)
{
    for (int i = 0; i < rod->pulse_count + ROD_STRIKES; i++)
    {
        const twRodPulse* p = &rod->pulses[i];
        if (!rod->pulse_used[i] || start + h <= p->start) continue;
        if (start >= p->start + p->duration)
        {
            rod->pulse_used[i] = false;
            continue;
        }
        double share[2];
        pulse_shares(p, start, h, rod->scheme.offset, share);
        if (rod->integrator == TW_ROD_TRAPEZOID) share[0] = share[1] = 0.5 * (share[0] + share[1]);
        RodLoad* load = &rod->loads[rod->load_count++];
        *load = (RodLoad){.point = p->point, .does_work = true};
        for (int k = 0; k < 2; k++) load->force[k] = tw_vec3_scale(p->force, share[k]);
    }
}

bool tw_rod_strike(twRod* rod, const twRodPulse* pulse)
{
    TW_ASSERT(rod && pulse && pulse->point >= 0 && pulse->point < rod->n);
    if (!sane3(pulse->force) || !isfinite(pulse->start) || !(pulse->duration > 0 && isfinite(pulse->duration)))
    {
        rod->stats.bad_inputs++;
        return true;
    }
    for (int i = rod->pulse_count; i < rod->pulse_count + ROD_STRIKES; i++)
    {
        if (rod->pulse_used[i]) continue;
        rod->pulses[i] = *pulse;
        rod->pulse_used[i] = true;
        return true;
    }
    return false;
}

// ---- pushes ----

void tw_rod_push(twRod* rod, int point, twVec3 force)
{
    TW_ASSERT(rod && point >= 0 && point < rod->n);
    if (!sane3(force))
    {
        rod->stats.bad_inputs++;
        return;
    }
    if (!rod->is_pushed[point])
    {
        rod->is_pushed[point] = true;
        rod->pushed[rod->push_count++] = point;
        for (int c = 0; c < 3; c++) rod->push[c][point] = 0;
    }
    for (int c = 0; c < 3; c++) rod->push[c][point] += ((const double*)&force)[c];
}

static bool sane_matrix(const twMat3* m)
{
    for (int i = 0; m && i < 9; i++)
        if (!(fabs(m->m[i / 3][i % 3]) < 1e100)) return false;
    return true;
}

void tw_rod_push_spring(twRod* rod, int point, twVec3 force, const twMat3* stiffness, const twMat3* damping)
{
    TW_ASSERT(rod && point >= 0 && point < rod->n);
    bool sane = sane3(force) && sane_matrix(stiffness) && sane_matrix(damping);
    if (!sane || rod->spring_count == ROD_PUSH_SPRINGS)
    {
        rod->stats.bad_inputs++;
        if (sane) tw_rod_push(rod, point, force);
        return;
    }
    RodLoad* load = &rod->springs[rod->spring_count++];
    *load = (RodLoad){.point = point, .elastic = true, .does_work = true};
    load->force[0] = load->force[1] = force;
    load->anchor = tw_vec3(rod->q[0][point], rod->q[1][point], rod->q[2][point]);
    if (stiffness) load->stiffness = *stiffness;
    if (damping) load->damping = *damping;
}

// ---- all of them, in a piece of a step ----

void tw_rod_gather_loads(twRod* rod, double start, double h)
{
    rod->load_count = 0;
    for (int i = 0; i < rod->support_count; i++)
    {
        const RodSupport* s = &rod->supports[i];
        if (s->def.kind != TW_ROD_SPRING) continue;
        RodLoad load = {.point = s->def.point, .elastic = true, .anchor = s->anchor};
        for (int c = 0; c < 3; c++)
        {
            load.stiffness.m[c][c] = ((const double*)&s->def.stiffness)[c];
            load.damping.m[c][c] = s->def.damping;
        }
        rod->loads[rod->load_count++] = load;
    }
    for (int i = 0; i < rod->spring_count; i++) rod->loads[rod->load_count++] = rod->springs[i];
    for (int i = 0; i < rod->push_count; i++)
    {
        int point = rod->pushed[i];
        RodLoad load = {.point = point, .does_work = true};
        load.force[0] = load.force[1] = tw_vec3(rod->push[0][point], rod->push[1][point], rod->push[2][point]);
        rod->loads[rod->load_count++] = load;
    }
    gather_pulses(rod, start, h);
}

static twVec3 stage_velocity(const twRod* rod, int stage, int i)
{
    const double* w = rod->scheme.stage_speed[stage];
    twVec3 v;
    for (int c = 0; c < 3; c++) ((double*)&v)[c] = rod->v[c][i] + w[0] * rod->z[0][c][i] + w[1] * rod->z[1][c][i];
    return v;
}

// the force of a load at a stage
static twVec3 load_force(const twRod* rod, const RodLoad* load, int stage)
{
    if (!load->elastic) return load->force[stage];
    int i = load->point;
    bool mean = rod->integrator == TW_ROD_TRAPEZOID;
    twVec3 x;
    for (int c = 0; c < 3; c++)
        ((double*)&x)[c] = mean ? 0.5 * (rod->q[c][i] + rod->stage[0][c][i]) : rod->stage[stage][c][i];
    twVec3 spring = tw_mat3_mul_vec(load->stiffness, tw_vec3_sub(x, load->anchor));
    twVec3 damper = tw_mat3_mul_vec(load->damping, stage_velocity(rod, stage, i));
    return tw_vec3_sub(load->force[stage], tw_vec3_add(spring, damper));
}

// what a load is in the equation of a stage: h^2 A^2 f of the Gauss scheme, its one factor times f otherwise. The sum comes
// first, since each equation is turned into the frame of its own stage.
static twVec3 load_term(const twRod* rod, const RodLoad* load, int stage)
{
    const RodScheme* s = &rod->scheme;
    if (!rod->band->is_complex) return tw_vec3_scale(load_force(rod, load, 0), s->force_re);
    return tw_vec3_add(tw_vec3_scale(load_force(rod, load, 0), s->row_force[stage][0]),
                       tw_vec3_scale(load_force(rod, load, 1), s->row_force[stage][1]));
}

void tw_rod_apply_loads(twRod* rod)
{
    const RodScheme* s = &rod->scheme;
    const RodBand* band = rod->band;
    for (int k = 0; k < rod->load_count; k++)
    {
        const RodLoad* load = &rod->loads[k];
        int i = load->point;
        if (rod->free_x[i] == 0) continue;
        for (int stage = 0; stage < (band->is_complex ? 2 : 1); stage++)
        {
            twVec3 f = load_term(rod, load, stage);
            const RodTrial* a = &rod->trial[stage];
            double* const* axes[3] = {a->d1, a->d2, a->t};
            double* y = rod->y + (size_t)i * (size_t)band->vec;
            double re = s->left_re[stage], im = s->left_im[stage];
            for (int c = 0; c < 3; c++)
            {
                double along = axes[c][0][i] * f.x + axes[c][1][i] * f.y + axes[c][2][i] * f.z;
                y[c] -= re * along;
                if (band->is_complex) y[band->rows + c] -= im * along;
            }
        }
    }
}

void tw_rod_load_blocks(const twRod* rod, double* springs, double* dampers)
{
    int dofs = rod->dofs;
    size_t size = (size_t)(dofs * dofs);
    memset(springs, 0, (size_t)rod->n * size * sizeof(double));
    memset(dampers, 0, (size_t)rod->n * size * sizeof(double));
    for (int k = 0; k < rod->load_count; k++)
    {
        const RodLoad* load = &rod->loads[k];
        for (int c = 0; load->elastic && c < 3; c++)
            for (int r = 0; r < 3; r++)
            {
                springs[(size_t)load->point * size + (size_t)(c * dofs + r)] += load->stiffness.m[r][c];
                dampers[(size_t)load->point * size + (size_t)(c * dofs + r)] += load->damping.m[r][c];
            }
    }
}

void tw_rod_load_work(twRod* rod)
{
    int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    double share = rod->scheme.h / stages;
    for (int k = 0; k < rod->load_count; k++)
    {
        const RodLoad* load = &rod->loads[k];
        if (rod->free_x[load->point] == 0) continue;
        for (int stage = 0; stage < stages; stage++)
        {
            twVec3 v = stage_velocity(rod, stage, load->point);
            if (load->does_work)
                rod->work += share * tw_vec3_dot(load_force(rod, load, stage), v);
            else
                rod->dissipated += share * tw_vec3_dot(tw_mat3_mul_vec(load->damping, v), v);
        }
    }
    if (tw_rod_is_moved(rod)) tw_rod_support_work(rod);
}
