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
    rod->piece = (RodPiece){.first = first, .look = rod->since_look >= ROD_LOOK_EVERY, .rate = 1};
    // the elastic gradient at the start, where the scheme needs it
    if (rod->beta > 0 || !is_gauss(rod)) rod->kernel->start(rod);
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

// one look may be lucky: forget slowly
static double remembered(double seen, double rate) { return rate < 0.5 * seen ? 0.5 * seen + 0.5 * rate : rate; }

// as seen lately, but worse after a much larger change: the equations are not linear
static double expected(double seen, double change, double change_seen)
{
    return seen * fmax(1, change / (4 * change_seen));
}

// Changes mostly shrink more from the second to the third iteration than from the first to the second, which has what the guess left of
// stretching: so what thirds did lately is remembered too, and looked at as often. Forces of others make it anything.
static double rate_after_second(twRod* rod)
{
    const RodPiece* p = &rod->piece;
    const bool known = !p->pushed && rod->since_later < ROD_LOOK_EVERY;
    return known ? fmin(p->rate, expected(rod->later_rate, p->change, rod->later_change)) : p->rate;
}

// contraction: measured, or as seen lately
static void measure_rate(twRod* rod)
{
    RodPiece* p = &rod->piece;
    const double usual = expected(rod->rate_seen, p->change, rod->change_seen);
    p->rate = p->iterations > 1 ? p->change / p->last : is_gauss(rod) ? usual : 1;
    if (!is_gauss(rod) || p->iterations == 1) return;
    // with changing forces it may be anything above what it is
    if (p->iterations == 2 && (!p->pushed || p->rate < rod->rate_seen))
        rod->rate_seen = remembered(rod->rate_seen, p->rate), rod->change_seen = p->last;
    if (p->iterations == 3 && !p->pushed)
        rod->later_rate = remembered(rod->later_rate, p->rate), rod->later_change = p->last, rod->since_later = 0;
    if (p->iterations == 2) p->rate = rate_after_second(rod);
    if (p->pushed) p->rate = fmin(p->rate, expected(rod->rate_seen, p->change, rod->change_seen));
    rod->since_look = 0;
}

double tw_rod_iterate(twRod* rod)
{
    RodPiece* p = &rod->piece;
    unsigned mode = tw_rod_flush_tiny();
    if (rod->coupled) sum_others(rod);
    p->last = p->change;
    p->change = tw_rod_method(rod)->iterate(rod);
    rod->stats.iterations++;
    rod->last_iterations = ++p->iterations;
    if (p->change < rod->reach)
        measure_rate(rod);
    else
        p->change = INFINITY;
    tw_rod_unflush_tiny(mode);
    return p->change;
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

void tw_rod_way(const twRod* rod, double* const* way)
{
    const RodScheme* s = &rod->scheme;
    double shift[2][3];
    tw_rod_method(rod)->balance(rod, shift);
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        const double *v = rod->v[c], *z1 = rod->z[0][c], *z2 = rod->z[1][c], h = s->h, a = s->place[0], b = s->place[1];
        const double all = c < 3 ? a * shift[0][c] + b * shift[1][c] : 0;
        double* out = way[c];
        for (int i = 0; i < rod->n; i++) out[i] = h * v[i] + ((a * z1[i] + b * z2[i]) + all);
    }
}

void tw_rod_way_at(const twRod* rod, const int* points, int count, double* const* way)
{
    const RodScheme* s = &rod->scheme;
    const double h = s->h, a = s->place[0], b = s->place[1];
    double shift[2][3];
    tw_rod_method(rod)->balance(rod, shift);
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        const double *v = rod->v[c], *z1 = rod->z[0][c], *z2 = rod->z[1][c];
        const double all = c < 3 ? a * shift[0][c] + b * shift[1][c] : 0;
        for (int k = 0; k < count; k++)
        {
            const int i = points[k];
            way[c][i] = h * v[i] + ((a * z1[i] + b * z2[i]) + all);
        }
    }
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
    rod->since_look++;
    if (rod->since_later < ROD_LOOK_EVERY) rod->since_later++;
}

// force times way; where a coordinate is held the force acts on what holds it
static void add_work(twRod* rod)
{
    double* const* way = rod->scratch;
    tw_rod_way(rod, way);
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        const double* free = c < ROD_TURN ? rod->free_x : rod->free_t;
        double sum = 0;
        for (int i = 0; i < rod->n; i++) sum += free[i] * rod->others[c][i] * way[c][i];
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
    tw_rod_method(rod)->balance(rod, shift);
    if (rod->piece.pushed) add_work(rod);
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
