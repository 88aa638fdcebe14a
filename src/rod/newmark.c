// SPDX-License-Identifier: MIT
// One step of the trapezoidal rule (Newmark 1/4, 1/2) with a frozen factor, as in Schweickart et al. 2017.
//
// With q1 = q + h v + Z, v1 = v + 2 Z/h and means over the step of forces and velocities,
//
//     (1 + alpha h/2) M Z + (h^2/4 + beta h/2) g(q1) = -(h^2/4 - beta h/2) g(q) + h^2/2 f - alpha h^2/2 M v,
//
// which is solved as in gauss.c, with one real factor. For branches (branch.c) the stages are the end and the start of the step.
#include "rod.h"
#include <math.h>
#include <string.h>

static void make_scheme(twRod* rod, double h)
{
    RodScheme* s = &rod->scheme;
    *s = (RodScheme){.h = h, .offset = ROD_GAUSS_OFFSET, .left_re = {1, 0}, .right_re = {1, 0}};
    s->mass_re = 1 + 0.5 * rod->alpha * h;
    s->others_re = 1;
    s->row_stiff[0][0] = 0.25 * h * h + 0.5 * rod->beta * h;
    s->stiff_re = s->row_stiff[0][0];
    if (rod->branches.any)
    {
        tw_rod_newmark_branches(rod);
        tw_rod_mix_branches(rod);
        s->still = 1 / (1 + s->mix[1][0][0]);
        s->stiff_re *= 1 + s->mix[0][0][0];
        s->others_re = (1 + s->mix[1][0][0]) / (1 + s->mix[0][0][0]);
    }
    s->force_re = s->hold[0] = s->respond_re = 0.5 * h * h;
    s->damp_re = 0.5 * h;
    s->fall[0] = 0.5 * h * h / s->mass_re;
    s->drag[0] = rod->alpha * s->fall[0];
    s->memory[0] = -(0.25 * h * h - 0.5 * rod->beta * h) / s->row_stiff[0][0];
    s->place[0] = 1;
    s->speed[0] = 2 / h;
    s->stage_speed[0][0] = 1 / h;  // mean velocity
}

static void residual(twRod* rod)
{
    const RodScheme* s = &rod->scheme;
    const RodBand* band = rod->band;
    double* const* axes[3] = {rod->trial[0].d1, rod->trial[0].d2, rod->trial[0].t};
    double* const* start = tw_rod_start_gradient(rod);
    tw_rod_mass_times(rod, 0);
    for (int i = 0; i < rod->n; i++)
    {
        double w[ROD_DOFS], *y = rod->y + (size_t)i * (size_t)band->vec;
        for (int c = 0; c < rod->dofs; c++)
        {
            double g = rod->g[0][c][i] - s->memory[0] * start[c][i];
            double others = rod->piece.pushed && c < 4 ? s->hold[0] * rod->others[c][i] : 0;
            double free = c < ROD_TURN ? rod->free_x[i] : rod->free_t[i];
            w[c] = free * (s->mass_re * rod->mz[0][c][i] + s->row_stiff[0][0] * g - others);
        }
        for (int k = 0; k < 3; k++) y[k] = w[0] * axes[k][0][i] + w[1] * axes[k][1][i] + w[2] * axes[k][2][i];
        for (int c = 3; c < rod->dofs; c++) y[c] = w[c];
    }
}

static double update(twRod* rod)
{
    const RodBand* band = rod->band;
    const RodTrial* a = &rod->trial[0];
    double most = 0;
    for (int i = 0; i < rod->n; i++)
    {
        const double* y = rod->y + (size_t)i * (size_t)band->vec;
        for (int c = 0; c < rod->dofs; c++)
        {
            double u = c < 3 ? y[0] * a->d1[c][i] + y[1] * a->d2[c][i] + y[2] * a->t[c][i] : y[c];
            rod->z[0][c][i] -= u;
            rod->stage[0][c][i] -= u;
            double size = fabs(c < 3 ? u : u * rod->turn_radius);
            most = size <= most ? most : size;
        }
    }
    return most;
}

static double iterate(twRod* rod)
{
    tw_rod_gradients(rod);
    residual(rod);
    tw_rod_apply_loads(rod);
    rod->kernel->solve(rod->band, rod->y);
    double change = update(rod);
    tw_rod_wrap(rod, rod->z[0], rod->dofs);
    tw_rod_wrap(rod, rod->stage[0], rod->dofs);
    return change;
}

// accelerations are means over a piece; at the instant between two pieces their mean and difference count
static void finish(twRod* rod, const double shift[2][3])
{
    (void)shift;
    const bool first = rod->piece.first;
    const double h = rod->scheme.h;
    double before = rod->acc_h > 0 ? rod->acc_h : h, size = 0;
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
        {
            double z = rod->z[0][c][i], v = rod->v[c][i], a = 2 * z / (h * h);
            rod->q[c][i] += h * v + z;
            rod->v[c][i] = v + 2 * z / h;
            if (c >= 3) continue;
            size = fmax(size, fabs(z));
            double old = rod->acc_h > 0 ? rod->acc[0][c][i] : a;
            rod->acc[0][c][i] = a;
            if (!first) continue;
            rod->sound_acc[c][i] = (before * a + h * old) / (before + h);
            rod->sound_jerk[c][i] = 2 * (a - old) / (before + h);
        }
    rod->acc_h = h;
    rod->enough = fmax(rod->finest, rod->tolerance * size / (1 + rod->fastest * h));
}

static void guess(twRod* rod)
{
    const double h = rod->scheme.h;
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
        {
            rod->stage[0][c][i] = rod->q[c][i] + h * rod->v[c][i] + rod->z[0][c][i];
            rod->stage[1][c][i] = rod->q[c][i];
        }
}

static void respond(twRod* rod, double* const* force, double* const* way)
{
    const RodBand* band = rod->band;
    const double hold = rod->scheme.respond_re;
    double* const* axes[3] = {rod->d0, rod->e0, rod->t0};
    memset(rod->y, 0, (size_t)(rod->n + 8) * (size_t)band->vec * sizeof(double));
    for (int i = 0; i < rod->n; i++)
    {
        double* y = rod->y + (size_t)i * (size_t)band->vec;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) y[k] += hold * rod->free_x[i] * axes[k][c][i] * force[c][i];
        y[ROD_TURN] = hold * rod->free_t[i] * force[ROD_TURN][i];
    }
    rod->kernel->solve(band, rod->y);
    for (int i = 0; i < rod->n; i++)
    {
        const double* y = rod->y + (size_t)i * (size_t)band->vec;
        for (int c = 0; c < 3; c++) way[c][i] = y[0] * axes[0][c][i] + y[1] * axes[1][c][i] + y[2] * axes[2][c][i];
        way[ROD_TURN][i] = y[ROD_TURN];
    }
}

static void balance(const twRod* rod, double shift[2][3])
{
    (void)rod;
    memset(shift, 0, 6 * sizeof(double));
}

const RodMethod tw_rod_method_newmark = {make_scheme, guess, iterate, respond, balance, finish};
