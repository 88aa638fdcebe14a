// SPDX-License-Identifier: MIT
// A rod's life: memory, steps, views.
//
// A step that does not converge is taken back and done in two halves, these if need be in halves again. What does not converge
// even then is stopped: it stays where it is, without velocity and unfolded (fold.c), and that is counted.
#include "rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_HALVINGS = 7,
    MOST_LEVEL = 4,       // steps that converge slowly are done in up to 2^4 pieces from the start
    SLOW_ITERATIONS = 7,  // of a piece: then the next step is cut once more
    EASY_ITERATIONS = 3,  // of EASY_PIECES in a row: then once less
    EASY_PIECES = 128,
    LOOK_EVERY = 64  // steps
};

twRodDef tw_rod_def(void)
{
    return (twRodDef){.stretch = 1,
                      .young = 2.05e11,
                      .poisson = 0.29,
                      .density = 7850,
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
    double** threes[] = {rod->t0, rod->d0, rod->e0, rod->sound_acc, rod->sound_jerk, rod->push, rod->joint};
    for (size_t i = 0; i < sizeof threes / sizeof *threes; i++) take_arrays(layout, rod, threes[i], 3);
    if (rod->shear) take_arrays(layout, rod, rod->axis, 3);
    double** one[] = {&rod->rest_length, &rod->inv_rest, &rod->axial,      &rod->b11,       &rod->b22,
                      &rod->b12,         &rod->twist_b,  &rod->k1_rest,    &rod->k2_rest,   &rod->tau_rest,
                      &rod->axial_node,  &rod->mass,     &rod->mass_off,   &rod->spin_mass, &rod->spin_off,
                      &rod->free_x,      &rod->free_t,   &rod->inv_length, &rod->strain,    &rod->row_mass};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) *one[i] = take_array(layout, rod);
    double** tilt[] = {&rod->tilt11, &rod->tilt22, &rod->tilt12, &rod->roll11, &rod->roll22, &rod->roll12};
    for (size_t i = 0; rod->shear && i < sizeof tilt / sizeof *tilt; i++) *tilt[i] = take_array(layout, rod);
}

static void lay_out(Layout* layout, twRod* rod, int supports, int pulses)
{
    lay_out_state(layout, rod);
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
    rod->h_blocks = take(layout, n * 3 * size, sizeof(double));
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
    rod->alpha = def->alpha, rod->beta = def->beta, rod->density = def->density;
    rod->gravity = def->gravity;
    rod->integrator = def->integrator;
    rod->account = def->account;
    rod->support_count = def->support_count;
    rod->pulse_count = def->pulse_count;
    for (int i = 0; i < def->pulse_count; i++)
    {
        rod->pulses[i] = def->pulses[i];
        rod->pulse_used[i] = true;
    }
    tw_rod_build_shape(rod, def);
    tw_rod_build_supports(rod, def);
    tw_rod_build_stiffness(rod, def);
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
    rod->band = tw_band_create(rod->n, rod->dofs, def->integrator == TW_ROD_GAUSS4, rod->closed);
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
    free(rod->block);
    free(rod);
}

// ---- steps ----

// the elastic gradient at the start of a piece, where the scheme needs it
static void start_gradient(twRod* rod)
{
    if (rod->beta > 0 || rod->integrator == TW_ROD_TRAPEZOID) rod->kernel->start(rod);
}

// whether the rod is where it can go on from; looked at now and then: a step that is not finite does not converge
static bool is_lost(const twRod* rod)
{
    const double far = 1e9 * rod->reach, fast = far * rod->rate_hz;
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
            if (!(fabs(rod->q[c][i] - rod->q[c][0]) < far && fabs(rod->v[c][i]) < fast)) return true;
    return false;
}

static void stop_piece(twRod* rod)
{
    const twRodEnergy before = tw_rod_energy(rod);
    for (int c = 0; c < rod->dofs; c++) memset(rod->v[c] - 1, 0, ((size_t)rod->n + 2) * sizeof(double));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++) memset(rod->acc[k][c], 0, (size_t)rod->n * sizeof(double));
    rod->scheme.h = 0;
    rod->stopped = true;
    rod->stats.stops++;
    tw_rod_unfold(rod);
    const twRodEnergy after = tw_rod_energy(rod);
    const double taken = tw_rod_total(&before) - tw_rod_total(&after);
    tw_rod_lower_kept(rod, tw_rod_total(&after) - after.work);
    if (rod->account && isfinite(taken)) rod->dissipated += taken;
}

static bool try_piece(twRod* rod, double start, double h, double remaining, bool first)
{
    start_gradient(rod);
    bool (*step)(twRod*, double, double, double, bool) =
        rod->integrator == TW_ROD_GAUSS4 ? tw_rod_gauss : tw_rod_newmark;
    // until it converges, nothing of the state changes
    if (!step(rod, start, h, remaining, first)) return false;
    tw_rod_hold_end(rod);
    tw_rod_wrap(rod, rod->q, rod->dofs);
    tw_rod_wrap(rod, rod->v, rod->dofs);
    rod->kernel->commit(rod);
    rod->stats.substeps++;
    return true;
}

static void advance(twRod* rod, double start, double h, double remaining, bool first, int halvings)
{
    if (rod->stopped) return;  // for the rest of this step
    if (try_piece(rod, start, h, remaining, first)) return;
    rod->scheme.h = 0;
    if (halvings == MOST_HALVINGS)
    {
        stop_piece(rod);
        return;
    }
    rod->stats.halvings++;
    rod->last_iterations = SLOW_ITERATIONS + 1;
    advance(rod, start, 0.5 * h, remaining, first, halvings + 1);
    advance(rod, start + 0.5 * h, 0.5 * h, remaining - 0.5 * h, false, halvings + 1);
}

// how the next step is cut, judged by how the last piece converged
static void set_level(twRod* rod)
{
    rod->easy = rod->last_iterations > EASY_ITERATIONS ? 0 : rod->easy + 1;
    int wanted = rod->wanted_level;
    if (rod->last_iterations > SLOW_ITERATIONS && rod->level < MOST_LEVEL) rod->wanted_level = rod->level + 1;
    if (rod->easy > EASY_PIECES && rod->level > 0) rod->wanted_level = rod->level - 1;
    if (rod->wanted_level != wanted) rod->easy = 0;
}

static bool is_damped(const twRod* rod)
{
    bool damped = rod->alpha > 0 || rod->beta > 0;
    for (int k = 0; k < rod->support_count; k++)
    {
        const twRodSupport* s = &rod->supports[k].def;
        damped = damped || (s->kind == TW_ROD_SPRING && s->damping > 0);
    }
    return damped;
}

static void look_after(twRod* rod, bool settle)
{
    if (is_lost(rod)) stop_piece(rod);
    if (tw_rod_is_moved(rod))
        rod->keeping = rod->lively = false;
    else
        tw_rod_keep_energy(rod, is_damped(rod), settle);
}

// Far from a blow motion fades below the smallest normal numbers, which some processors handle a hundred times slower: during a
// step they count as zero.
static unsigned flush_tiny(void)
{
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

static void unflush_tiny(unsigned before)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(before);
#else
    (void)before;
#endif
}

void tw_rod_step(twRod* rod)
{
    TW_ASSERT(rod);
    unsigned mode = flush_tiny();
    double h = 1 / rod->rate_hz, start = (double)rod->stats.steps / rod->rate_hz;
    rod->sound_time = start;
    rod->stopped = false;
    tw_rod_aim_supports(rod, h);
    if (!rod->keeping && !tw_rod_is_moved(rod)) tw_rod_begin_keeping(rod);
    int pieces = 1 << rod->level;
    double piece = h / pieces;
    const int64_t halvings = rod->stats.halvings;
    const double work = rod->work;
    rod->stats.halvings += pieces - 1;
    for (int k = 0; k < pieces; k++)
    {
        advance(rod, start + k * piece, piece, h - k * piece, k == 0, rod->level);
        set_level(rod);
    }
    if (rod->work != work && !is_damped(rod)) rod->lively = true;
    const bool settle = rod->stats.steps % LOOK_EVERY == LOOK_EVERY - 1;
    const bool hard = rod->last_iterations >= EASY_ITERATIONS || rod->stats.halvings > halvings;
    if (settle || rod->lively || hard) look_after(rod, settle);
    rod->level = rod->wanted_level;
    rod->stats.steps++;
    rod->time = (double)rod->stats.steps / rod->rate_hz;
    // what acted only in this step
    for (int i = 0; i < rod->push_count; i++) rod->is_pushed[rod->pushed[i]] = false;
    rod->push_count = rod->spring_count = 0;
    for (int k = 0; k < rod->support_count; k++)
        if (rod->supports[k].moving > 0) rod->supports[k].moving--;
    unflush_tiny(mode);
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
