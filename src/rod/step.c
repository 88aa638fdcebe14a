// SPDX-License-Identifier: MIT
// Steps of a rod.
//
// A step that does not converge is taken back and done in two halves, these if need be in halves again. What does not converge
// even then is stopped: it stays where it is, without velocity and unfolded (fold.c), and that is counted.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <string.h>

enum
{
    MOST_HALVINGS = 7,
    MOST_ITERATIONS = 12,
    SLOW_ITERATIONS = 7,  // of a piece: then the next step is cut once more
    SHORT_LIFE = 4,       // of a factor, in pieces
    EASY_ITERATIONS = 3,  // of EASY_PIECES in a row: then once less
    EASY_PIECES = 128,
    LOOK_EVERY = 64  // steps
};

// whether the rod is where it can go on from; looked at now and then: a step that is not finite does not converge
static bool is_lost(const twRod* rod)
{
    const double far = 1e9 * rod->reach, fast = far * rod->rate_hz;
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
            if (!(fabs(rod->q[c][i] - rod->q[c][0]) < far && fabs(rod->v[c][i]) < fast)) return true;
    return false;
}

void tw_rod_stop(twRod* rod)
{
    const twRodEnergy before = tw_rod_energy(rod);
    for (int c = 0; c < rod->dofs; c++) memset(rod->v[c] - 1, 0, ((size_t)rod->n + 2) * sizeof(double));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++) memset(rod->acc[k][c], 0, (size_t)rod->n * sizeof(double));
    rod->scheme.h = 0;
    rod->stopped = true;
    rod->stats.stops++;
    tw_rod_unfold(rod);
    if (rod->branches.any) tw_rod_relax(rod);
    const twRodEnergy after = tw_rod_energy(rod);
    const double taken = tw_rod_total(&before) - tw_rod_total(&after);
    tw_rod_lower_kept(rod, tw_rod_total(&after) - after.work);
    if (rod->account && isfinite(taken)) rod->dissipated += taken;
}

// whether the open piece converged
static bool converge(twRod* rod)
{
    for (int k = 0; k < MOST_ITERATIONS; k++)
    {
        const double change = tw_rod_iterate(rod);
        const bool settled = !rod->bow.rubs || tw_rod_bow_follow(rod);
        if (change < tw_rod_enough(rod) && settled) return true;
        if (tw_rod_diverges(rod)) return false;
    }
    return false;
}

static bool try_piece(twRod* rod, double start, double h, double remaining, bool first)
{
    for (;;)
    {
        tw_rod_open(rod, start, h, remaining, first);
        if (rod->bow.rubs) tw_rod_bow_open(rod);
        if (converge(rod))
        {
            if (rod->bow.rubs) tw_rod_bow_close(rod);
            tw_rod_close(rod);
            return true;
        }
        const bool fresh = rod->fresh;
        tw_rod_cancel(rod);
        if (fresh) return false;
    }
}

static void advance(twRod* rod, double start, double h, double remaining, bool first, int halvings)
{
    if (rod->stopped) return;  // for the rest of this step
    if (try_piece(rod, start, h, remaining, first)) return;
    if (halvings == MOST_HALVINGS)
    {
        tw_rod_stop(rod);
        return;
    }
    rod->stats.halvings++;
    rod->last_iterations = SLOW_ITERATIONS + 1;
    advance(rod, start, 0.5 * h, remaining, first, halvings + 1);
    advance(rod, start + 0.5 * h, 0.5 * h, remaining - 0.5 * h, false, halvings + 1);
}

// How the next step is cut, judged by how the last piece converged. Where a new factor is due it was the old one that was slow, not
// the length of the piece; unless it got old at once, as the next would.
static void set_level(twRod* rod)
{
    const bool outdated = rod->stale && rod->since_factor > SHORT_LIFE;
    const bool slow = rod->last_iterations > SLOW_ITERATIONS && !outdated;
    rod->easy = rod->last_iterations > EASY_ITERATIONS ? 0 : rod->easy + 1;
    int wanted = rod->wanted_level;
    if (slow && rod->level < ROD_MOST_LEVEL) rod->wanted_level = rod->level + 1;
    if (rod->easy > EASY_PIECES && rod->level > 0) rod->wanted_level = rod->level - 1;
    if (rod->wanted_level != wanted) rod->easy = 0;
}

bool tw_rod_is_damped(const twRod* rod)
{
    bool damped = rod->alpha > 0 || rod->beta > 0 || rod->branches.any;
    for (int k = 0; k < rod->support_count; k++)
    {
        const twRodSupport* s = &rod->supports[k].def;
        damped = damped || (s->kind == TW_ROD_SPRING && s->damping > 0);
    }
    return damped;
}

static void look_after(twRod* rod, bool settle)
{
    if (is_lost(rod)) tw_rod_stop(rod);
    if (tw_rod_is_moved(rod))
        rod->keeping = rod->lively = false;
    else
        tw_rod_keep_energy(rod, tw_rod_is_damped(rod), settle);
}

// Far from a blow motion fades below the smallest normal numbers, which some processors handle a hundred times slower: during a
// step they count as zero.
unsigned tw_rod_flush_tiny(void)
{
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

void tw_rod_unflush_tiny(unsigned before)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(before);
#else
    (void)before;
#endif
}

void tw_rod_begin_step(twRod* rod)
{
    rod->begun = true;
    rod->sound_time = (double)rod->stats.steps / rod->rate_hz;
    rod->stopped = false;
    tw_rod_aim_supports(rod, 1 / rod->rate_hz);
    if (!rod->keeping && !tw_rod_is_moved(rod)) tw_rod_begin_keeping(rod);
    rod->halvings_before = rod->stats.halvings;
    rod->work_before = rod->work;
}

static void end_step(twRod* rod, double given)
{
    if (given < 0) tw_rod_pay(rod, -given);
    if (rod->work != rod->work_before && !tw_rod_is_damped(rod)) rod->lively = true;
    const bool settle = rod->stats.steps % LOOK_EVERY == LOOK_EVERY - 1;
    // others' forces take iterations that say nothing of the rod
    const int usual = rod->piece.pushed ? MOST_ITERATIONS : EASY_ITERATIONS;
    const bool hard = rod->last_iterations >= usual || rod->stats.halvings > rod->halvings_before;
    if (settle || rod->lively || hard) look_after(rod, settle);
    rod->level = rod->wanted_level;
    rod->stats.steps++;
    rod->time = (double)rod->stats.steps / rod->rate_hz;
    // what acted only in this step
    for (int i = 0; i < rod->push_count; i++) rod->is_pushed[rod->pushed[i]] = false;
    rod->push_count = rod->spring_count = 0;
    for (int k = 0; k < rod->support_count; k++)
        if (rod->supports[k].moving > 0) rod->supports[k].moving--;
    rod->begun = false;
}

void tw_rod_end_step(twRod* rod, double given)
{
    TW_ASSERT(rod && rod->begun);
    unsigned mode = tw_rod_flush_tiny();
    end_step(rod, given);
    tw_rod_unflush_tiny(mode);
}

void tw_rod_step(twRod* rod)
{
    TW_ASSERT(rod && !rod->begun);
    unsigned mode = tw_rod_flush_tiny();
    double h = 1 / rod->rate_hz, start = (double)rod->stats.steps / rod->rate_hz;
    tw_rod_begin_step(rod);
    tw_rod_bow_begin(rod);
    int pieces = 1 << rod->level;
    double piece = h / pieces;
    rod->stats.halvings += pieces - 1;
    for (int k = 0; k < pieces; k++)
    {
        advance(rod, start + k * piece, piece, h - k * piece, k == 0, rod->level);
        set_level(rod);
    }
    end_step(rod, 0);
    tw_rod_unflush_tiny(mode);
}
