// SPDX-License-Identifier: MIT
// A source at x and a point of an ear at y. Within a block d = y - x goes on the parabola through what it is at the start of the
// last block, of this one and of the next: straight lines have corners, which are heard as a modulation of all that falls.
// With the velocity w that the ear is expected to go on with, sound of now arrives after t (see kernel_body.h):
//
//   |d + w t| = c t  ->  t = (d.w + q)/(c^2 - w^2),  q = sqrt((d.w)^2 + (c^2 - w^2) d^2),  r = c t
//
// and is signal/r, times c r/q for what the ear's motion does to the density of written samples. Direction, distance and with
// them the filters of air and head are those of emission; filters go straight from those at the start of a block to those at
// its end.
//
// Nearer than a limit l, which is `nearest` or the radius of the source, distances go over to l/2 + d^2/(2 l), without a
// corner at l or at 0.
#include "path.h"
#include "listener.h"
#include <string.h>

// ---- memory ----

static int input_before(const Course* c) { return c->def.air_absorption ? AIR_TAPS - 1 : 0; }
static int head_before(const Course* c) { return c->head_taps > 0 ? c->head_taps - 1 : 0; }

int path_doubles(const Course* c)
{
    int streams = c->value_count + c->delay_count + 4 + (c->head_taps > 0 ? 1 : 0);
    return streams * c->capacity + input_before(c) + head_before(c) + 4 * c->head_taps;
}

static double* take(double** from, int count)
{
    double* taken = *from;
    *from += count;
    return taken;
}

void path_place(Path* p, const Course* c, double* from)
{
    p->count = -1;
    p->input = take(&from, input_before(c) + c->capacity) + input_before(c);
    p->gain = take(&from, c->capacity);
    for (int i = 0; i < 2; i++) p->work[i] = take(&from, c->capacity);
    for (int i = 0; i < c->value_count; i++) p->value[i] = take(&from, c->capacity);
    for (int i = 0; i < c->delay_count; i++) p->delay[i] = take(&from, c->capacity);
    if (c->head_taps == 0) return;
    p->head_input = take(&from, head_before(c) + c->capacity) + head_before(c);
    p->head_last = take(&from, 2 * c->head_taps);
    p->head_next = take(&from, 2 * c->head_taps);
}

// ---- geometry ----

#define MOST_ACCELERATION 300.0  // [m/s^2]

// ear - source over a block: at its start, and what it changes
typedef struct Leg
{
    twVec3 d, d_change, bend, w, w_change;
    double speed, limit;
    bool moves;
} Leg;

typedef struct Arrival
{
    twVec3 way;  // from the source to where the ear will be
    double r, scale;
    bool near;
} Arrival;

static inline Arrival arrive(const Leg* leg, double s)
{
    twVec3 straight = tw_vec3_add_scaled(leg->d, leg->d_change, s);
    Arrival a = {.way = tw_vec3_add_scaled(straight, leg->bend, s * (s - 1)), .scale = 1};
    double r2 = tw_vec3_dot(a.way, a.way);
    a.near = r2 < leg->limit * leg->limit;
    if (a.near)
    {
        double r = 0.5 * leg->limit + 0.5 * r2 / leg->limit;
        r2 = r * r;
    }
    if (!leg->moves)
    {
        a.r = sqrt(r2);
        return a;
    }
    twVec3 w = tw_vec3_add_scaled(leg->w, leg->w_change, s);
    double rest = leg->speed * leg->speed - tw_vec3_dot(w, w), along = tw_vec3_dot(a.way, w);
    double root = sqrt(along * along + rest * r2), t = (along + root) / rest;
    a.way = tw_vec3_add_scaled(a.way, w, t);
    a.r = leg->speed * t;
    a.scale = leg->speed * a.r / root;
    return a;
}

static Leg leg_of(const Course* c, const Spot* spot, twVec3 from, twVec3 to, double lead)
{
    twVec3 first = tw_vec3_sub(spot->place[0], from), last = tw_vec3_sub(spot->place[1], to);
    return (Leg){.d = first,
                 .d_change = tw_vec3_sub(last, first),
                 .w = spot->velocity[0],
                 .w_change = tw_vec3_sub(spot->velocity[1], spot->velocity[0]),
                 .speed = c->def.sound_speed,
                 .limit = fmax(c->def.nearest, lead),
                 .moves = tw_vec3_max(spot->velocity[0]) > 0 || tw_vec3_max(spot->velocity[1]) > 0};
}

// what the last block tells about the bend of this one
static void bend_leg(Path* p, const Course* c, Leg* leg, int n)
{
    twVec3 pace = tw_vec3_scale(leg->d_change, 1.0 / n), gap = tw_vec3_sub(leg->d, p->end);
    twVec3 change = tw_vec3_sub(pace, p->pace);
    // not from block to block if it jumped or bounced: the limits are 1 um and MOST_ACCELERATION
    double rate = c->def.rate_hz, acceleration = tw_vec3_norm(change) * rate * rate / n;
    if (p->is_paced && tw_vec3_max(gap) < 1e-6 && acceleration < MOST_ACCELERATION)
        leg->bend = tw_vec3_scale(change, 0.5 * n);
    p->is_paced = true;
    p->pace = pace;
    p->end = tw_vec3_add(leg->d, leg->d_change);
}

// 1 up to the farthest distance, 0 at reach, smooth between
static double fade(const Course* c, double r)
{
    double t = (c->reach - r) / (c->reach - c->def.farthest);
    if (t >= 1) return 1;
    return t > 0 ? t * t * (3 - 2 * t) : 0;
}

static void fill_arrivals(Path* p, const Course* c, const Leg* leg, double gain, double lead, int n)
{
    double per_meter = c->def.rate_hz / c->def.sound_speed;
    for (int i = 0; i < n; i++)
    {
        Arrival a = arrive(leg, (double)i / n);
        p->gain[i] = gain * a.scale / a.r;
        // within limits it may still be nearer than lead because the ear moves
        p->delay[0][i] = fmax(fmin(a.r, c->reach) - lead, 0) * per_meter;
        p->stats.too_near += a.near;
        if (a.r <= c->def.farthest) continue;
        p->gain[i] *= fade(c, a.r);
        p->stats.too_far++;
    }
}

// ---- filters ----

// out: x through a filter that goes from h0 to h1 (NULL: stays)
static void filter_between(const Course* c, double* out, double* work, const double* h0, const double* h1, int taps,
                           const double* x, int n)
{
    int rounded = (n + CONVOLVE_BLOCK - 1) / CONVOLVE_BLOCK * CONVOLVE_BLOCK;
    c->kernel->convolve(out, h0, taps, x, rounded);
    if (!h1) return;
    c->kernel->convolve(work, h1, taps, x, rounded);
    for (int i = 0; i < n; i++) out[i] += (double)i / n * (work[i] - out[i]);
}

// the end of a block becomes what is before the next one
static void keep_end(double* x, int before, int n) { memmove(x - before, x - before + n, (size_t)before * sizeof *x); }

// what air leaves of the input. @return where it is
static const double* pass_air(Path* p, const Course* c, double r0, double r1, int n)
{
    if (!c->def.air_absorption) return p->input;
    double h0[AIR_TAPS], h1[AIR_TAPS];
    air_filter(&c->air, r0, h0);
    air_filter(&c->air, r1, h1);
    filter_between(c, p->work[0], p->work[1], h0, r0 != r1 ? h1 : NULL, AIR_TAPS, p->input, n);
    keep_end(p->input, AIR_TAPS - 1, n);
    return p->work[0];
}

// ---- directions ----

// Towards the source in the ear's axes: unit, and nearer than there is a direction less and less, (3 u - u^3)/2, without a
// corner.
static twVec3 towards(twVec3 place, double nearest)
{
    double r2 = tw_vec3_dot(place, place), near2 = nearest * nearest;
    return tw_vec3_scale(place, r2 >= near2 ? 1 / sqrt(r2) : 0.5 * (3 - r2 / near2) / nearest);
}

static void direct(Path* p, const Course* c, const Spot* spot, const double* x, const twVec3 place[2], int n)
{
    twVec3 change = tw_vec3_sub(place[1], place[0]);
    double omni = c->def.omni;
    for (int i = 0; i < n; i++)
    {
        double y = x[i] * p->gain[i];
        twVec3 e = towards(tw_vec3_add_scaled(place[0], change, (double)i / n), c->def.nearest);
        if (c->def.kind == TW_EAR_STEREO)
            p->value[0][i] = y * (omni + (1 - omni) * tw_vec3_dot(e, spot->axis));
        else
        {
            p->value[0][i] = y;
            p->value[1][i] = y * e.y;
            p->value[2][i] = y * e.z;
            p->value[3][i] = y * e.x;
        }
    }
}

// ---- heads ----

// nearer than this there is less and less of a direction [m]
#define HEAD_RADIUS 0.0875
#define PIECE_ANGLE 0.004  // that a source passes while responses go straight [rad]

// samples from first on, while the source goes to a place in the head's axes
static void pass_piece(Path* p, const Course* c, twVec3 place, int first, int n)
{
    int taps = c->head_taps;
    double delays[2], *next = p->head_next;
    tw_head_at(c->def.head, place, next, delays, &p->hint);
    bool same = memcmp(next, p->head_last, 2 * (size_t)taps * sizeof *next) == 0;
    // the left one last: its delays are the way through the air until then
    for (int side = 1; side >= 0; side--)
    {
        filter_between(c, p->value[side] + first, p->work[1], p->head_last + side * taps,
                       same ? NULL : next + side * taps, taps, p->head_input + first, n);
        double start = p->head_delay[side] + c->head_shift, change = delays[side] - p->head_delay[side];
        for (int i = 0; i < n; i++) p->delay[side][first + i] = p->delay[0][first + i] + start + change * i / n;
        p->head_delay[side] = delays[side];
    }
    memcpy(p->head_last, next, 2 * (size_t)taps * sizeof *next);
}

// a block in pieces, so many that responses follow the direction
static void pass_head(Path* p, const Course* c, const double* x, const twVec3 place[2], int n)
{
    double near = fmax(c->def.nearest, HEAD_RADIUS);
    twVec3 from = tw_vec3_scale(place[0], 1 / near), change = tw_vec3_scale(tw_vec3_sub(place[1], place[0]), 1 / near);
    for (int i = 0; i < n; i++) p->head_input[i] = x[i] * p->gain[i];
    if (!p->runs) tw_head_at(c->def.head, from, p->head_last, p->head_delay, &p->hint);
    double angle = tw_vec3_norm(change) / fmax(tw_vec3_norm(from), 1);
    int pieces = (int)fmin(ceil(angle / PIECE_ANGLE), (n + CONVOLVE_BLOCK - 1.0) / CONVOLVE_BLOCK);
    int length = n / (pieces > 1 ? pieces : 1) / CONVOLVE_BLOCK * CONVOLVE_BLOCK;
    if (length < CONVOLVE_BLOCK) length = CONVOLVE_BLOCK;
    for (int first = 0, end; first < n; first = end)
    {
        // what would be left as a short piece goes with the last one
        end = n - first < 2 * length ? n : first + length;
        pass_piece(p, c, tw_vec3_add_scaled(from, change, (double)end / n), first, end - first);
    }
    keep_end(p->head_input, c->head_taps - 1, n);
}

static void spread_values(Path* p, const Course* c, const Spot* spot, const double* x, const twVec3 place[2], int n)
{
    if (c->head_taps > 0)
        pass_head(p, c, x, place, n);
    else if (c->def.kind != TW_EAR_MONO)
        direct(p, c, spot, x, place, n);
    else
        for (int i = 0; i < n; i++) p->value[0][i] = x[i] * p->gain[i];
}

// ---- a block ----

// copy the signal. @return whether there is any
static bool take_signal(Path* p, const float* signal, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
    {
        double x = signal ? signal[i] : 0;
        if (!(fabs(x) < 1e30))
        {
            p->stats.bad_values++;
            x = 0;
        }
        any |= x != 0;
        p->input[i] = x;
    }
    return any;
}

void path_hear(Path* p, const Course* c, const Spot* spot, const float* signal, int n, twVec3 from, twVec3 to,
               double lead)
{
    p->count = 0;
    if (!is_place(from) || !is_place(to) || !(lead >= 0 && lead <= 1e6))
    {
        p->stats.bad_values++;
        from = to = p->last;
        lead = p->lead;
        signal = NULL;
    }
    p->last = to;
    p->lead = lead;
    Leg leg = leg_of(c, spot, from, to, lead);
    bend_leg(p, c, &leg, n);
    if (take_signal(p, signal, n))
        p->tail = input_before(c) + head_before(c) + n;
    else if (p->tail <= 0)
    {
        p->runs = false;
        return;
    }
    p->tail -= n;

    fill_arrivals(p, c, &leg, spot->gain, lead, n);
    const Arrival ends[2] = {arrive(&leg, 0), arrive(&leg, 1)};
    twVec3 place[2];
    for (int i = 0; i < 2; i++) place[i] = tw_mat3_mul_vec(spot->axes[i], tw_vec3_scale(ends[i].way, -1));
    const double* x = pass_air(p, c, ends[0].r, ends[1].r, n);
    spread_values(p, c, spot, x, place, n);
    p->count = n;
    p->runs = true;
}
