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
#include "head.h"
#include "listener.h"
#include <string.h>

#define LOUDEST 1e30f  // [Pa m], [Pa]

// ---- memory ----

static int input_before(const Course* c) { return c->def.air_absorption ? AIR_TAPS - 1 : 0; }
static int head_before(const Course* c) { return c->head_taps > 0 ? c->head_taps - 1 : 0; }

// as many doubles as hold floats
static int doubles_of(int floats) { return (floats + 1) / 2; }

int path_doubles(const Course* c)
{
    int streams = c->value_count + c->delay_count + 4;
    int head = c->head_taps > 0 ? doubles_of(head_before(c) + c->capacity) + 2 * doubles_of(2 * c->head_taps) : 0;
    return streams * c->capacity + input_before(c) + head;
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
    p->head_input = (float*)take(&from, doubles_of(head_before(c) + c->capacity)) + head_before(c);
    p->head_last = (float*)take(&from, doubles_of(2 * c->head_taps));
    p->head_next = (float*)take(&from, doubles_of(2 * c->head_taps));
}

// ---- geometry ----

#define MOST_ACCELERATION 300.0  // [m/s^2]

typedef struct Arrival
{
    twVec3 way;  // from the source to where the ear will be
    double r;
} Arrival;

// at the start or the end of a block: s is 0 or 1
static Arrival arrive(const Leg* leg, double s)
{
    Arrival a = {.way = tw_vec3_add_scaled(leg->d, leg->d_change, s)};
    double r2 = tw_vec3_dot(a.way, a.way);
    if (r2 < leg->limit * leg->limit)
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
                 .rate = c->def.rate_hz,
                 .limit = fmax(c->def.nearest, lead),
                 .farthest = c->def.farthest,
                 .lead = lead,
                 .gain = spot->gain,
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

// fades what is far, and no delay is longer than rings
static void fade_out(Path* p, const Course* c, const Leg* leg, int n)
{
    double meters = leg->speed / leg->rate;
    for (int i = 0; i < n; i++)
    {
        double r = p->delay[0][i] * meters + leg->lead;
        p->gain[i] *= fade(c, r);
        p->delay[0][i] = fmax(fmin(r, c->reach) - leg->lead, 0) / meters;
    }
}

static bool is_zero(twVec3 v) { return tw_vec3_max(v) == 0; }
static bool rests(const Leg* leg) { return is_zero(leg->d_change) && is_zero(leg->bend) && is_zero(leg->w_change); }

// what rests arrives like its first sample: only that is made
static void fill_arrivals(Path* p, const Course* c, const Leg* leg, int n)
{
    int made = p->still ? 1 : n;
    Heard heard = c->kernel->travel(leg, p->gain, p->delay[0], made);
    if (heard.far > 0) fade_out(p, c, leg, made);
    p->stats.too_near += heard.near * (n / made);
    p->stats.too_far += heard.far * (n / made);
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
static void keep_floats(float* x, int before, int n)
{
    memmove(x - before, x - before + n, (size_t)before * sizeof *x);
}

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

static Aim aim_of(const Course* c, const Spot* spot, const twVec3 place[2])
{
    double omni = c->def.omni;
    Aim a = {.from = place[0], .change = tw_vec3_sub(place[1], place[0]), .nearest = c->def.nearest, .count = 1};
    if (c->def.kind == TW_EAR_STEREO)
    {
        a.omni[0] = omni;
        a.axis[0] = tw_vec3_scale(spot->axis, 1 - omni);
        return a;
    }
    a.count = 4;
    a.omni[0] = 1;
    a.axis[1] = tw_vec3(0, 1, 0);
    a.axis[2] = tw_vec3(0, 0, 1);
    a.axis[3] = tw_vec3(1, 0, 0);
    return a;
}

// ---- heads ----

// nearer than this there is less and less of a direction [m]
#define HEAD_RADIUS 0.0875
#define PIECE_ANGLE 0.004  // that a source passes while responses go straight [rad]

// The response of a place into head_next. @return whether it is that of head_last
static bool find_response(Path* p, const Course* c, twVec3 place, double delays[2])
{
    const double* rows[HEAD_ROWS];
    double weights[HEAD_ROWS];
    const size_t size = 2 * (size_t)c->head_taps * sizeof(float);
    head_find(c->def.head, place, rows, weights, delays, &p->hint);
    c->kernel->blend(p->head_next, rows, weights, 2 * c->head_taps);
    return memcmp(p->head_next, p->head_last, size) == 0 && delays[0] == p->head_delay[0] &&
           delays[1] == p->head_delay[1];
}

// head_next becomes head_last
static void turn_over(Path* p, twVec3 place, const double delays[2])
{
    float* last = p->head_last;
    p->head_last = p->head_next;
    p->head_next = last;
    p->head_place = place;
    p->head_delay[0] = delays[0];
    p->head_delay[1] = delays[1];
}

static void respond(const Path* p, const Course* c, double* const out[2], const float* response, int first, int n)
{
    int rounded = (n + CONVOLVE_BLOCK - 1) / CONVOLVE_BLOCK * CONVOLVE_BLOCK;
    c->kernel->convolve_pair(out, response, c->head_taps, p->head_input + first, rounded);
}

// samples from first on, while the source goes to a place in the head's axes
static void pass_piece(Path* p, const Course* c, twVec3 place, int first, int n)
{
    double delays[2], *const out[2] = {p->value[0] + first, p->value[1] + first};
    bool same = find_response(p, c, place, delays);
    respond(p, c, out, p->head_last, first, n);
    if (!same) respond(p, c, p->work, p->head_next, first, n);
    // the left one last: its delays are the way through the air until then
    for (int side = 1; side >= 0; side--)
    {
        double start = p->head_delay[side] + c->head_shift, change = (delays[side] - p->head_delay[side]) / n;
        const double *next = same ? out[side] : p->work[side], *way = p->delay[0] + first;
        for (int i = 0; i < n; i++) p->delay[side][first + i] = way[i] + start + change * i;
        for (int i = 0; i < n; i++) out[side][i] += (1.0 / n) * i * (next[i] - out[side][i]);
    }
    turn_over(p, place, delays);
}

// a block in pieces, so many that responses follow the direction from one place on
static void pass_pieces(Path* p, const Course* c, twVec3 from, twVec3 change, int n)
{
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
}

// the response of the last block once more. @return false if it was another one
static bool pass_same(Path* p, const Course* c, twVec3 place, int n)
{
    double delays[2];
    if (!is_zero(tw_vec3_sub(place, p->head_place)) && !find_response(p, c, place, delays)) return false;
    respond(p, c, p->value, p->head_last, 0, n);
    for (int side = 1; side >= 0; side--)
    {
        p->delay[side][0] = p->delay[0][0] + p->head_delay[side] + c->head_shift;
        p->from[side] = p->value[side];
        p->weight[side] = 1;
    }
    return true;
}

// In single precision. What is too soft for it is nothing, or processors would slow down.
#define SOFTEST 1e-20  // [Pa]

static void take_head_input(Path* p, const double* x, int n)
{
    for (int i = 0; i < n; i++)
    {
        double value = x[i] * p->gain[i], size = fabs(value);
        value = size > SOFTEST ? value : 0;
        p->head_input[i] = (float)(size < (double)LOUDEST ? value : 0);
    }
}

static void fill(double* x, int n)
{
    for (int i = 1; i < n; i++) x[i] = x[0];
}

static void weigh(double* restrict out, const double* restrict x, const double* restrict gain, int n)
{
    for (int i = 0; i < n; i++) out[i] = x[i] * gain[i];
}

static void pass_head(Path* p, const Course* c, const double* x, const twVec3 place[2], int n)
{
    double near = fmax(c->def.nearest, HEAD_RADIUS);
    twVec3 from = tw_vec3_scale(place[0], 1 / near), change = tw_vec3_scale(tw_vec3_sub(place[1], place[0]), 1 / near);
    if (p->still) fill(p->gain, n);
    take_head_input(p, x, n);
    if (!p->runs)
    {
        double delays[2];
        find_response(p, c, from, delays);
        turn_over(p, from, delays);
    }
    if (p->still && !pass_same(p, c, from, n))
    {
        p->still = false;
        fill(p->delay[0], n);
    }
    if (!p->still) pass_pieces(p, c, from, change, n);
    keep_floats(p->head_input, c->head_taps - 1, n);
}

// ---- channels ----

// what rests: x, times what each channel has of it
static void hold_values(Path* p, const Course* c, const Spot* spot, const double* x, const twVec3 place[2])
{
    double ones[8] = {1}, gains[4][8] = {{1}}, *const to[4] = {gains[0], gains[1], gains[2], gains[3]};
    const Aim aim = aim_of(c, spot, place);
    if (c->def.kind != TW_EAR_MONO) c->kernel->aim(&aim, to, ones, 1);
    for (int k = 0; k < c->value_count; k++)
    {
        p->from[k] = x;
        p->weight[k] = p->gain[0] * gains[k][0];
    }
}

static void spread_values(Path* p, const Course* c, const Spot* spot, const double* x, const twVec3 place[2], int n)
{
    if (c->head_taps > 0)
        pass_head(p, c, x, place, n);
    else if (p->still)
        hold_values(p, c, spot, x, place);
    else if (c->def.kind == TW_EAR_MONO)
        weigh(p->value[0], x, p->gain, n);
    else
    {
        const Aim aim = aim_of(c, spot, place);
        weigh(p->work[1], x, p->gain, n);
        c->kernel->aim(&aim, p->value, p->work[1], n);
    }
}

// ---- a block ----

// copy the signal. @return whether there is any
static bool take_signal(Path* p, const float* signal, int n)
{
    int any = 0, bad = 0;
    if (!signal) memset(p->input, 0, (size_t)n * sizeof *p->input);
    for (int i = 0; signal && i < n; i++)
    {
        any |= signal[i] != 0;
        bad += !(fabsf(signal[i]) < LOUDEST);
    }
    for (int i = 0; signal && i < n; i++) p->input[i] = signal[i];
    for (int i = 0; bad > 0 && i < n; i++)
        if (!(fabs(p->input[i]) < (double)LOUDEST)) p->input[i] = 0;
    p->stats.bad_values += bad;
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

    const Arrival ends[2] = {arrive(&leg, 0), arrive(&leg, 1)};
    twVec3 place[2];
    for (int i = 0; i < 2; i++) place[i] = tw_mat3_mul_vec(spot->axes[i], tw_vec3_scale(ends[i].way, -1));
    p->still = rests(&leg) && is_zero(tw_vec3_sub(place[1], place[0]));
    fill_arrivals(p, c, &leg, n);
    const double* x = pass_air(p, c, ends[0].r, ends[1].r, n);
    spread_values(p, c, spot, x, place, n);
    p->count = n;
    p->runs = true;
}
