// SPDX-License-Identifier: MIT
// A rod's life: memory, views.
#include "rod.h"
#include <stdlib.h>
#include <string.h>

twRodDef tw_rod_def(void)
{
    return (twRodDef){.stretch = 1,
                      .young = 2.05e11,
                      .poisson = 0.29,
                      .density = 7850,
                      .air_density = 1.204,
                      .air_speed = 343.2,
                      .rate_hz = 44100,
                      .integrator = TW_ROD_GAUSS4,
                      .mass = TW_ROD_CONSISTENT,
                      .tolerance = 3e-2};
}

// ---- memory ----

// hands out parts of one block; with base NULL only counts
typedef struct Layout
{
    char* base;
    size_t at;
} Layout;

static void* take(Layout* layout, size_t count, size_t size)
{
    void* result = layout->base ? layout->base + layout->at : NULL;
    layout->at += (count * size + 63) / 64 * 64;
    return result;
}

// an array over the nodes, with room on both sides; of an odd number of cache lines, so that the many arrays that are walked
// through together do not all fall into the same few sets of the cache
static double* take_array(Layout* layout, const twRod* rod)
{
    size_t lines = ((size_t)rod->n + 2 * ROD_PAD + 7) / 8;
    double* p = take(layout, (lines | 1) * 8, sizeof(double));
    return p ? p + ROD_PAD : NULL;
}

static void take_arrays(Layout* layout, const twRod* rod, double** list, int count)
{
    for (int i = 0; i < count; i++) list[i] = take_array(layout, rod);
}

static void lay_out_state(Layout* layout, twRod* rod)
{
    take_arrays(layout, rod, rod->q, rod->dofs);
    take_arrays(layout, rod, rod->v, rod->dofs);
    take_arrays(layout, rod, rod->others, 4);
    take_arrays(layout, rod, rod->heard, 4);
    double** threes[] = {rod->t0, rod->d0, rod->e0, rod->sound_acc, rod->sound_jerk, rod->push, rod->joint};
    for (size_t i = 0; i < sizeof threes / sizeof *threes; i++) take_arrays(layout, rod, threes[i], 3);
    for (int k = 0; rod->shear && k < 2; k++) take_arrays(layout, rod, rod->axis[k], 3);
    take_arrays(layout, rod, rod->inv_length, 2);
    take_arrays(layout, rod, rod->strain, 2);
    double** one[] = {&rod->rest_length, &rod->inv_rest, &rod->axial,    &rod->b11,       &rod->b22,
                      &rod->b12,         &rod->twist_b,  &rod->k1_rest,  &rod->k2_rest,   &rod->tau_rest,
                      &rod->axial_node,  &rod->mass,     &rod->mass_off, &rod->spin_mass, &rod->spin_off,
                      &rod->free_x,      &rod->free_t,   &rod->row_mass};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) *one[i] = take_array(layout, rod);
    double** tilt[] = {&rod->tilt11, &rod->tilt22, &rod->tilt12, &rod->roll11, &rod->roll22, &rod->roll12};
    for (size_t i = 0; rod->shear && i < sizeof tilt / sizeof *tilt; i++) *tilt[i] = take_array(layout, rod);
}

static void lay_out_branches(Layout* layout, twRod* rod)
{
    RodBranches* b = &rod->branches;
    b->strains = rod->dofs;
    if (b->any) b->strain = take(layout, tw_rod_branch_size(rod), sizeof(double));
    for (int k = 0; b->any && rod->shear && k < 2; k++) take_arrays(layout, rod, b->tilt[k], 2);
}

static void lay_out(Layout* layout, twRod* rod, int supports, int pulses)
{
    lay_out_state(layout, rod);
    lay_out_branches(layout, rod);
    for (int k = 0; k < 2; k++)
    {
        double** sixes[] = {rod->z[k], rod->stage[k], rod->g[k], rod->mz[k]};
        for (size_t i = 0; i < sizeof sixes / sizeof *sixes; i++) take_arrays(layout, rod, sixes[i], rod->dofs);
        take_arrays(layout, rod, rod->acc[k], 3);
        take_arrays(layout, rod, rod->trial[k].t, 3);
        take_arrays(layout, rod, rod->trial[k].d1, 3);
        take_arrays(layout, rod, rod->trial[k].d2, 3);
    }
    double** sixes[] = {rod->g0, rod->scratch};
    for (size_t i = 0; i < sizeof sixes / sizeof *sixes; i++) take_arrays(layout, rod, sixes[i], rod->dofs);
    size_t n = (size_t)rod->n, size = (size_t)(rod->dofs * rod->dofs);
    rod->y = take(layout, (n + 16) * 16, sizeof(double));
    rod->h_blocks = take(layout, n * (rod->branches.any ? 6 : 3) * size, sizeof(double));
    rod->m_blocks = take(layout, n * 3 * size, sizeof(double));
    rod->load_blocks = take(layout, n * 2 * size, sizeof(double));
    rod->supports = take(layout, (size_t)supports, sizeof *rod->supports);
    rod->pulses = take(layout, (size_t)pulses + ROD_STRIKES, sizeof *rod->pulses);
    rod->pulse_used = take(layout, (size_t)pulses + ROD_STRIKES, sizeof *rod->pulse_used);
    rod->pushed = take(layout, n, sizeof *rod->pushed);
    rod->is_pushed = take(layout, n, sizeof *rod->is_pushed);
    rod->loads =
        take(layout, (size_t)supports + (size_t)pulses + ROD_STRIKES + ROD_PUSH_SPRINGS + n, sizeof *rod->loads);
}

static void fill_in(twRod* rod, const twRodDef* def)
{
    rod->kernel = tw_rod_kernel(NULL);
    rod->rate_hz = def->rate_hz;
    rod->alpha = def->alpha, rod->density = def->density;
    rod->gravity = def->gravity;
    rod->integrator = def->integrator;
    rod->account = def->account;
    rod->by_line = true;
    rod->support_count = def->support_count;
    rod->pulse_count = def->pulse_count;
    for (int i = 0; i < def->pulse_count; i++)
    {
        rod->pulses[i] = def->pulses[i];
        rod->pulse_used[i] = true;
    }
    const twRodDef still = tw_rod_build_branches(rod, def);
    rod->beta = still.beta;
    tw_rod_build_shape(rod, &still);
    tw_rod_build_supports(rod, &still);
    tw_rod_build_stiffness(rod, &still);
    if (!rod->branches.any) return;
    tw_rod_soften_bends(rod);
    tw_rod_relax(rod);
}

twStatus tw_rod_create(twRod** out, const twRodDef* def, twError* err)
{
    *out = NULL;
    twStatus status = tw_rod_check(def, err);
    if (status != TW_OK) return status;
    twRod* rod = calloc(1, sizeof *rod);
    if (!rod) return tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    rod->n = def->point_count;
    rod->closed = def->closed;
    rod->ne = def->closed ? rod->n : rod->n - 1;
    rod->shear = def->shear;
    rod->dofs = def->shear ? 6 : 4;
    rod->branches.any = def->loss_factor > 0;
    rod->band = tw_band_create(rod->n, rod->dofs, def->integrator == TW_ROD_GAUSS4, rod->closed,
                               rod->n > BAND_SHORT_NODES || def->company > BAND_SHORT_NODES - rod->n);
    Layout layout = {NULL, 0};
    lay_out(&layout, rod, def->support_count, def->pulse_count);
    rod->block = aligned_alloc(64, layout.at);
    if (!rod->band || !rod->block)
    {
        tw_rod_destroy(rod);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a rod of %d points", def->point_count);
    }
    memset(rod->block, 0, layout.at);
    layout = (Layout){rod->block, 0};
    lay_out(&layout, rod, def->support_count, def->pulse_count);
    fill_in(rod, def);
    *out = rod;
    return TW_OK;
}

void tw_rod_destroy(twRod* rod)
{
    if (!rod) return;
    tw_band_destroy(rod->band);
    tw_rod_local_free(&rod->local);
    free(rod->block);
    free(rod);
}

// ---- views ----

twRodView tw_rod_view(const twRod* rod)
{
    twRodView view = {.point_count = rod->n,
                      .edge_count = rod->ne,
                      .time = rod->time,
                      .spin = rod->v[ROD_TURN],
                      .sound_time = rod->sound_time,
                      .rest_length = rod->rest_length};
    for (int c = 0; c < 3; c++)
    {
        view.position[c] = rod->q[c];
        view.velocity[c] = rod->v[c];
        view.frame_d1[c] = rod->d0[c];
        view.frame_d2[c] = rod->e0[c];
        view.tangent[c] = rod->t0[c];
        view.acceleration[c] = rod->sound_acc[c];
        view.jerk[c] = rod->sound_jerk[c];
    }
    return view;
}

twRodStats tw_rod_stats(const twRod* rod) { return rod->stats; }
