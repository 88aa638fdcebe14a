// SPDX-License-Identifier: MIT
// Energies of the present state, and what damping takes.
//
// Over a Gauss step damping takes h/2 sum over the stages of v.(alpha M v + beta dg/dt), dg/dt = A^-1 (g - g(q))/h there. A moved
// support does the work h/2 sum of v.(M (q'' - gravity) + g + damping) at its points.
#include "couple.h"
#include "element.h"
#include "rod.h"
#include <math.h>

// of the trial configuration, whose tilts are in q
static void add_elastic(const twRod* rod, double* const* q, twRodEnergy* out)
{
    const RodTrial* trial = &rod->trial[0];
    for (int j = 0; j < rod->ne; j++)
    {
        double e = rod->strain[0][j], de = e - rod->strain[0][j - 1];
        out->stretching += 0.5 * (rod->axial[j] * rod->rest_length[j] * e * e - rod->axial_node[j] * de * de);
        if (!rod->shear) continue;
        double a = q[ROD_TILT][j], b = q[ROD_TILT + 1][j];
        out->shearing += 0.5 * (rod->tilt11[j] * a * a + rod->tilt22[j] * b * b) + rod->tilt12[j] * a * b;
    }
    for (int i = 0; i < rod->n; i++)
    {
        RodFrame e = rod_frame_at(trial->t, trial->d1, trial->d2, i - 1);
        RodFrame f = rod_frame_at(trial->t, trial->d1, trial->d2, i);
        RodElement a = rod_element(&e, &f);
        double k1 = a.k1 - rod->k1_rest[i], k2 = a.k2 - rod->k2_rest[i], m = a.tau - rod->tau_rest[i];
        out->bending += 0.5 * (rod->b11[i] * k1 * k1 + rod->b22[i] * k2 * k2) + rod->b12[i] * k1 * k2;
        out->twisting += 0.5 * rod->twist_b[i] * m * m;
    }
}

void tw_rod_cut(twRod* rod, int i, double moment[3])
{
    const RodTrial* trial = &rod->trial[0];
    rod->kernel->force(rod, rod->q, rod->mz[0], 0);
    const RodFrame e = rod_frame_at(trial->t, trial->d1, trial->d2, i - 1),
                   f = rod_frame_at(trial->t, trial->d1, trial->d2, i);
    const RodElement a = rod_element(&e, &f);
    const double k1 = a.k1 - rod->k1_rest[i], k2 = a.k2 - rod->k2_rest[i];
    moment[0] = rod->b11[i] * k1 + rod->b12[i] * k2;
    moment[1] = rod->b12[i] * k1 + rod->b22[i] * k2;
    moment[2] = rod->twist_b[i] * (a.tau - rod->tau_rest[i]);
    rod->b11[i] = rod->b22[i] = rod->b12[i] = rod->twist_b[i] = 0;
}

double tw_rod_dot(const twRod* rod, double* const* a, double* const* b)
{
    // four sums at a time: one would wait for itself
    double sum[4] = {0, 0, 0, 0};
    for (int c = 0; c < rod->dofs; c++)
    {
        int i = 0;
        for (; i + 4 <= rod->n; i += 4)
            for (int k = 0; k < 4; k++) sum[k] += a[c][i + k] * b[c][i + k];
        for (; i < rod->n; i++) sum[0] += a[c][i] * b[c][i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double tw_rod_total(const twRodEnergy* e)
{
    return e->kinetic + e->bending + e->twisting + e->stretching + e->shearing + e->springs + e->gravity;
}

double tw_rod_elastic(twRod* rod, double* const* q, double* const* g)
{
    twRodEnergy out = {0};
    rod->kernel->force(rod, q, g, 0);
    add_elastic(rod, q, &out);
    if (rod->branches.any) tw_rod_add_branches(rod, q, &out);
    return out.bending + out.twisting + out.stretching + out.shearing;
}

double tw_rod_spring_energy(const twRod* rod, const RodSupport* s)
{
    double sum = 0;
    for (int c = 0; s->def.kind == TW_ROD_SPRING && c < 3; c++)
    {
        double d = rod->q[c][s->def.point] - ((const double*)&s->anchor)[c];
        sum += 0.5 * ((const double*)&s->def.stiffness)[c] * d * d;
    }
    return sum;
}

double tw_rod_kinetic(twRod* rod)
{
    tw_rod_mass_of(rod, rod->v, rod->mz[0]);
    return 0.5 * tw_rod_dot(rod, rod->v, rod->mz[0]);
}

twRodEnergy tw_rod_energy(twRod* rod)
{
    twRodEnergy out = {.work = rod->work, .dissipated = rod->dissipated};
    rod->kernel->force(rod, rod->q, rod->mz[0], 0);
    add_elastic(rod, rod->q, &out);
    if (rod->branches.any) tw_rod_add_branches(rod, rod->q, &out);
    out.kinetic = tw_rod_kinetic(rod);
    for (int k = 0; k < rod->support_count; k++) out.springs += tw_rod_spring_energy(rod, &rod->supports[k]);
    for (int i = 0; i < rod->n; i++)
        for (int c = 0; c < 3; c++)
        {
            double mass = rod->mass[i] + rod->mass_off[i] + rod->mass_off[i - 1];
            out.gravity -= mass * ((const double*)&rod->gravity)[c] * rod->q[c][i];
        }
    return out;
}

// velocities at a stage
static void stage_velocities(const twRod* rod, int stage, double* const* v)
{
    const double *w = rod->scheme.stage_speed[stage], a = w[0], b = w[1];
    for (int c = 0; c < rod->dofs; c++)
    {
        const double* restrict v0 = rod->v[c], * restrict z0 = rod->z[0][c], * restrict z1 = rod->z[1][c];
        double* restrict out = v[c];
        for (int i = 0; i < rod->n; i++) out[i] = v0[i] + a * z0[i] + b * z1[i];
    }
    tw_rod_wrap(rod, v, rod->dofs);
}

// beta dg/dt at a stage of either scheme, g at the stages being in rod->g
static void add_stiffness_damping(const twRod* rod, int stage, double* const* out)
{
    const RodScheme* s = &rod->scheme;
    const double a = rod->beta * s->stage_speed[stage][0], b = rod->beta * s->stage_speed[stage][1];
    for (int c = 0; c < rod->dofs; c++)
    {
        const double* restrict g0 = rod->g0[c], * restrict g1 = rod->g[0][c], * restrict g2 = rod->g[1][c];
        double* restrict to = out[c];
        for (int i = 0; i < rod->n; i++) to[i] += a * (g1[i] - g0[i]) + b * (g2[i] - g0[i]);
    }
}

// where an edge turned round forces are not finite: what is lost by that is lost
static void add_finite(double* sum, double part)
{
    if (isfinite(part)) *sum += part;
}

void tw_rod_account(twRod* rod)
{
    if (!(rod->alpha > 0 || rod->beta > 0)) return;
    int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    // those at hand after a step are from before its last iteration
    if (rod->beta > 0) tw_rod_gradients(rod);
    for (int k = 0; k < stages; k++)
    {
        double **v = rod->scratch, **force = rod->mz[0];
        stage_velocities(rod, k, v);
        tw_rod_mass_of(rod, v, force);
        for (int c = 0; c < rod->dofs; c++)
            for (int i = 0; i < rod->n; i++) force[c][i] *= rod->alpha;
        if (rod->beta > 0) add_stiffness_damping(rod, k, force);
        add_finite(&rod->dissipated, rod->scheme.h / stages * tw_rod_dot(rod, v, force));
    }
}

// forces that all points need at a stage, but for loads: where one is held its support gives it
static void needed_forces(twRod* rod, int stage, double* const* v, double* const* out)
{
    const RodScheme* s = &rod->scheme;
    const bool gauss = rod->integrator == TW_ROD_GAUSS4;
    double *const *w = rod->mz[1], *const *start = tw_rod_start_gradient(rod);
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
        {
            double fall = c < ROD_TURN ? ((const double*)&rod->gravity)[c] : 0, z = rod->z[0][c][i];
            double a =
                gauss ? s->stage_acc[stage][0] * z + s->stage_acc[stage][1] * rod->z[1][c][i] : 2 * z / (s->h * s->h);
            w[c][i] = a + rod->alpha * v[c][i] - fall;
        }
    tw_rod_wrap(rod, w, rod->dofs);
    tw_rod_mass_of(rod, w, out);
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
            out[c][i] += gauss ? rod->g[stage][c][i] : 0.5 * (start[c][i] + rod->g[0][c][i]);
    if (rod->beta > 0) add_stiffness_damping(rod, stage, out);
}

void tw_rod_support_work(twRod* rod)
{
    int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    double **v = rod->scratch, **force = rod->mz[0];
    tw_rod_gradients(rod);
    for (int stage = 0; stage < stages; stage++)
    {
        stage_velocities(rod, stage, v);
        needed_forces(rod, stage, v, force);
        // held points that do not move do no work
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < rod->n; i++)
                if (rod->free_x[i] == 0) add_finite(&rod->work, rod->scheme.h / stages * v[c][i] * force[c][i]);
    }
}
