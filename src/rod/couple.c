// SPDX-License-Identifier: MIT
// A piece of a step, from its start to its end: what the scheme does (gauss.c, newmark.c), how well it converges, what others do.
//
// The iteration ends when what is still to come, judged by the last change and by how much changes shrink, is below the
// tolerance. Forces of others that change between iterations change places too, so that the contraction looks worse than it is:
// then a matrix is not held to be old by the number of iterations alone.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <string.h>

enum
{
    SLOW_ITERATIONS = 5,    // then the factor is renewed for the next step
    SLOW_WITH_OTHERS = 10,  // the same if others' forces act,
    LEAST_PIECES = 64       // but not more often than that
};

static bool is_gauss(const twRod* rod) { return rod->integrator == TW_ROD_GAUSS4; }

// ---- open ----

static void set_length(twRod* rod, double h)
{
    if (rod->scheme.h == h) return;
    tw_rod_method(rod)->scheme(rod, h);
    tw_rod_forget(rod);
    rod->stale = true;
}

static void wrap_stages(twRod* rod)
{
    for (int k = 0; rod->closed && k < 2; k++)
    {
        tw_rod_wrap(rod, rod->z[k], rod->dofs);
        tw_rod_wrap(rod, rod->stage[k], rod->dofs);
    }
}

void tw_rod_open(twRod* rod, double start, double h, double remaining, bool first)
{
    TW_ASSERT(rod && h > 0);
    unsigned mode = tw_rod_flush_tiny();
    if (!rod->begun) tw_rod_begin_step(rod);
    for (int c = 0; rod->coupled && c < ROD_COUPLED; c++) memset(rod->others[c], 0, (size_t)rod->n * sizeof(double));
    rod->piece = (RodPiece){.first = first,
                            .look = rod->since_look[0] >= ROD_LOOK_EVERY,
                            .look_later = rod->since_look[1] >= ROD_LOOK_EVERY,
                            .rate = 1};
    // the elastic gradient at the start, where the scheme needs it
    if (!rod->branches.any && (rod->beta > 0 || !is_gauss(rod))) rod->kernel->start(rod);
    set_length(rod, h);
    tw_rod_gather_loads(rod, start, h);
    if (rod->stale) tw_rod_refactor(rod);
    tw_rod_method(rod)->guess(rod);
    tw_rod_hold_stages(rod, h, remaining);
    wrap_stages(rod);
    tw_rod_unflush_tiny(mode);
}

double* const* tw_rod_forces(twRod* rod)
{
    rod->coupled = true;
    return rod->others;
}

// ---- iterate ----

void tw_rod_before(twRod* rod, const twRod* next) { rod->next = next; }

static bool any_others(const twRod* rod)
{
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int i = 0; i < rod->n; i++)
            if (rod->others[c][i] != 0) return true;
    return false;
}

// whether there are forces of others, and their sums, which only a rod without supports is balanced by
static void sum_others(twRod* rod)
{
    if (rod->support_count > 0)
    {
        rod->piece.pushed = any_others(rod);
        return;
    }
    double any = 0;
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        double sum[4] = {0, 0, 0, 0}, size[4] = {0, 0, 0, 0};
        const double* f = rod->others[c];
        for (int i = 0; i < rod->n; i += 4)  // there is room, with zeros
            for (int k = 0; k < 4; k++) sum[k] += f[i + k], size[k] += fabs(f[i + k]);
        if (c < 3) rod->piece.force[c] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        any += (size[0] + size[1]) + (size[2] + size[3]);
    }
    rod->piece.pushed = any != 0;
}

void tw_rod_forget_rates(twRod* rod)
{
    for (int k = 0; k < 2; k++) rod->rate_seen[k] = 1, rod->since_look[k] = ROD_LOOK_EVERY;
}

// one look may be lucky: forget slowly
static void remember_rate(twRod* rod, int which, double rate, double change)
{
    double* seen = &rod->rate_seen[which];
    *seen = rate < 0.5 * *seen ? 0.5 * *seen + 0.5 * rate : rate;
    rod->change_seen[which] = change;
}

// as seen lately, but worse after a much larger change: the equations are not linear
static double rate_of(const twRod* rod, int which)
{
    return rod->rate_seen[which] * fmax(1, rod->piece.change / (4 * rod->change_seen[which]));
}

// Contraction: measured, or as seen lately. Changes mostly shrink more from the second to the third iteration than from the first to the second,
// which has what the guess left of stretching: both are remembered. While others push, changes are mostly what their forces make of
// places: what they shrink by says only that it is no more, unless that was taken out (clean).
static void measure_rate(twRod* rod, bool clean)
{
    RodPiece* p = &rod->piece;
    const int which = p->iterations - 2;
    p->rate = p->iterations > 1 ? p->change / p->last : 1;
    if (!is_gauss(rod)) return;
    const bool seen = which == 0 || which == 1;
    if (seen && (clean || p->rate < rod->rate_seen[which])) remember_rate(rod, which, p->rate, p->last);
    if (seen && clean) rod->since_look[which] = 0;
    if (p->iterations == 1 || p->pushed) p->rate = fmin(p->rate, rate_of(rod, 0));
    // a bow is to be met closer than the rod's own tolerance
    const bool relies = !p->look_later && !rod->bow.rubs;
    if (relies && (which == 0 || (which > 0 && p->pushed))) p->rate = fmin(p->rate, rate_of(rod, 1));
}

// from here on forces are followed; silence is remembered as such
static void hear_others(twRod* rod)
{
    rod->piece.heard = rod->piece.pushed;
    for (int c = 0; rod->piece.pushed && c < ROD_COUPLED; c++)
        memcpy(rod->heard[c], rod->others[c], (size_t)rod->n * sizeof(double));
}

// by the forces that changed alone. turn: as of the kernel
static double follow(twRod* rod, double* turn)
{
    for (int c = 0; !rod->piece.heard && c < ROD_COUPLED; c++)
        memset(rod->heard[c], 0, (size_t)rod->n * sizeof(double));
    const double change = rod->kernel->follow(rod, turn);
    wrap_stages(rod);
    hear_others(rod);
    return change;
}

// whether the next iteration is to show a contraction, which others' forces would hide
static bool looks_through(const twRod* rod)
{
    const RodPiece* p = &rod->piece;
    const bool due = (p->look && p->iterations == 1) || (p->look_later && p->iterations == 2);
    return due && p->pushed && is_gauss(rod) && !rod->bow.rubs;
}

double tw_rod_iterate(twRod* rod)
{
    RodPiece* p = &rod->piece;
    unsigned mode = tw_rod_flush_tiny();
    double turn;
    if (rod->coupled) sum_others(rod);
    const bool through = looks_through(rod);
    p->last = p->change + (through ? follow(rod, &turn) : 0);
    p->change = tw_rod_method(rod)->iterate(rod);
    p->strayed = 0;
    hear_others(rod);
    rod->stats.iterations++;
    rod->last_iterations = ++p->iterations;
    // once it has left it is lost: what comes after is small against that, and would look converged
    if (p->change < rod->reach && p->last < INFINITY)
        measure_rate(rod, through || !p->pushed);
    else
        p->change = INFINITY;
    tw_rod_unflush_tiny(mode);
    return p->change;
}

bool tw_rod_follow(twRod* rod)
{
    TW_ASSERT(is_gauss(rod) && rod->piece.iterations > 0);
    unsigned mode = tw_rod_flush_tiny();
    double turn;
    sum_others(rod);
    const double change = follow(rod, &turn);
    tw_rod_unflush_tiny(mode);
    // by what an iteration leaves, and because frames are those of the start
    rod->piece.strayed += change * fmax(rod->piece.rate, turn * rod->fastest * rod->scheme.h);
    return rod->piece.strayed < rod->enough;
}

// changes below that are round-off [m]
static double plateau(const twRod* rod) { return is_gauss(rod) ? 1e3 * rod->finest : 0; }

double tw_rod_enough(const twRod* rod)
{
    const RodPiece* p = &rod->piece;
    if (!is_gauss(rod)) return rod->enough / fmin(p->rate, 1);
    if (p->iterations > 2 && p->rate > 0.5 && p->change <= plateau(rod)) return 2 * plateau(rod);
    const bool shrinks = p->rate < 0.5 && !(p->look && p->iterations == 1);
    return shrinks ? rod->enough / p->rate : 1e-3 * rod->enough;
}

bool tw_rod_diverges(const twRod* rod)
{
    const RodPiece* p = &rod->piece;
    if (!(p->change < INFINITY)) return true;
    return p->iterations > 2 && p->rate > 0.9 && p->change > fmax(rod->enough, plateau(rod));
}

// ---- what it makes ----

// of one coordinate; shift: by balance()
static double way_of(const twRod* rod, const double shift[2][3], int c, int i)
{
    const RodScheme* s = &rod->scheme;
    const double a = s->place[0], b = s->place[1], all = c < 3 ? a * shift[0][c] + b * shift[1][c] : 0;
    return s->h * rod->v[c][i] + ((a * rod->z[0][c][i] + b * rod->z[1][c][i]) + all);
}

void tw_rod_way(const twRod* rod, double* const* way)
{
    double shift[2][3];
    tw_rod_method(rod)->balance(rod, shift);
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int i = 0; i < rod->n; i++) way[c][i] = way_of(rod, (const double(*)[3])shift, c, i);
}

void tw_rod_way_at(const twRod* rod, const int* points, int count, double* const* way)
{
    double shift[2][3];
    tw_rod_method(rod)->balance(rod, shift);
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int k = 0; k < count; k++) way[c][points[k]] = way_of(rod, (const double(*)[3])shift, c, points[k]);
}

void tw_rod_respond(twRod* rod, double* const* force, double* const* way)
{
    unsigned mode = tw_rod_flush_tiny();
    tw_rod_method(rod)->respond(rod, force, way);
    tw_rod_unflush_tiny(mode);
}

// ---- close ----

// slow, and slower than when the factor was new
static void judge_factor(twRod* rod)
{
    const int count = rod->piece.iterations;
    rod->since_factor++;
    rod->fresh = false;
    if (rod->piece.pushed)
        rod->stale = count >= SLOW_WITH_OTHERS && rod->since_factor >= LEAST_PIECES;
    else if (is_gauss(rod))
    {
        if (rod->usual == 0) rod->usual = count;
        rod->stale = count >= SLOW_ITERATIONS && count - 1 > rod->usual;
    }
    else
        rod->stale = count >= SLOW_ITERATIONS;
    rod->slow = rod->stale;
    for (int k = 0; k < 2; k++) rod->since_look[k]++;
}

// force times way; where a coordinate is held the force acts on what holds it
static void add_work(twRod* rod, const double shift[2][3])
{
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        const double *free = c < ROD_TURN ? rod->free_x : rod->free_t, *force = rod->others[c];
        double sum = 0;
        for (int i = 0; i < rod->n; i++)
            if (force[i] != 0) sum += free[i] * force[i] * way_of(rod, shift, c, i);
        rod->work += sum;
    }
}

void tw_rod_close(twRod* rod)
{
    unsigned mode = tw_rod_flush_tiny();
    double shift[2][3];
    judge_factor(rod);
    tw_rod_load_work(rod);
    if (rod->account) tw_rod_account(rod);
    const double taken = rod->branches.any ? rod->kernel->follow_strains(rod) : 0;
    if (isfinite(taken)) rod->dissipated += taken;
    tw_rod_method(rod)->balance(rod, shift);
    if (rod->piece.pushed) add_work(rod, (const double(*)[3])shift);
    tw_rod_method(rod)->close(rod, (const double(*)[3])shift);
    tw_rod_hold_end(rod);
    tw_rod_wrap(rod, rod->q, rod->dofs);
    tw_rod_wrap(rod, rod->v, rod->dofs);
    rod->kernel->commit(rod);
    rod->stats.substeps++;
    tw_rod_unflush_tiny(mode);
}

void tw_rod_cancel(twRod* rod)
{
    tw_rod_forget(rod);
    rod->stale = rod->slow = true;
}
