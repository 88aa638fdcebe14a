// SPDX-License-Identifier: MIT
/// @file
/// The loops of kernel.h, written against a vector type Vec of WIDTH doubles and wrappers that the including file defines
/// for its instruction set: vec_load, vec_store (any address), vec_set, vec_add, vec_sub, vec_mul, vec_div, vec_sqrt,
/// vec_max, vec_abs, vec_floor, vec_less (bits of the lanes where a < b; never where there is NaN), vec_pick (a in the lanes of the
/// bits, else 0); and a type Floats of FLOATS floats: floats_load, floats_store, floats_set, floats_add, floats_mul. Nothing is fused and no sum runs across lanes, so that all sets give the same bits.
///
/// At distance vector d = ear - source and with the ear's velocity u, sound of now arrives after t:
///
///   |d + u t| = c t  ->  t = (d.u + q)/(c^2 - u^2),  q = sqrt((d.u)^2 + (c^2 - u^2) d^2)
///
/// Samples written at their arrival t_n + t are dense where time is compressed: what is heard is p dt_n/dt_arrival. For a
/// moving source this is what a source of given strength does, p/(1 - M); for a moving ear it is not, and the ear's part
/// is divided out:  p c^2 t/q.

#include "kernel.h"

#define INLINE static inline __attribute__((always_inline))

// WIDTH vectors in space
typedef struct Triple
{
    Vec x, y, z;
} Triple;

INLINE Triple load3(const double* const from[3], int i)
{
    return (Triple){vec_load(from[0] + i), vec_load(from[1] + i), vec_load(from[2] + i)};
}
INLINE Triple set3(const double a[3]) { return (Triple){vec_set(a[0]), vec_set(a[1]), vec_set(a[2])}; }
INLINE Triple sub3(Triple a, Triple b) { return (Triple){vec_sub(a.x, b.x), vec_sub(a.y, b.y), vec_sub(a.z, b.z)}; }
INLINE Triple add3(Triple a, Triple b) { return (Triple){vec_add(a.x, b.x), vec_add(a.y, b.y), vec_add(a.z, b.z)}; }
INLINE Triple scale3(Triple a, Vec s) { return (Triple){vec_mul(a.x, s), vec_mul(a.y, s), vec_mul(a.z, s)}; }
INLINE Vec dot3(Triple a, Triple b)
{
    return vec_add(vec_add(vec_mul(a.x, b.x), vec_mul(a.y, b.y)), vec_mul(a.z, b.z));
}

// ---- writing ----

// WIDTH sources, and what they send
typedef struct Lanes
{
    Triple position, dipole, rate;
    Vec volume;
} Lanes;
typedef struct Sent
{
    double value[WIDTH];               // [Pa]
    double phase[WIDTH], rest[WIDTH];  // whole steps of the table until it arrives; value times what is left
} Sent;

// what all sources share
typedef struct Here
{
    Triple place, velocity;
    Vec speed, rest, near2, far, phases_per_meter, gain, rate_gain, too_large, one;
    bool moves, has_volume;
} Here;

INLINE Here here(const Ear* ear, bool moves, bool has_volume)
{
    const double *u = ear->velocity, c = ear->speed;
    return (Here){.place = set3(ear->place),
                  .velocity = set3(u),
                  .speed = vec_set(c),
                  .rest = vec_set(c * c - (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])),
                  .near2 = vec_set(ear->near2),
                  .far = vec_set(ear->far),
                  .phases_per_meter = vec_set(ear->instant ? 0 : WRITE_PHASES * ear->rate / c),
                  .gain = vec_set(ear->gain),
                  .rate_gain = vec_set(ear->rate_gain),
                  .too_large = vec_set(1e100),
                  .one = vec_set(1),
                  .moves = moves,
                  .has_volume = has_volume};
}

INLINE int bits_set(unsigned bits) { return __builtin_popcount(bits); }

INLINE void compute(Sent* out, const Here* h, const Lanes* s, unsigned valid, twListenerStats* stats)
{
    Triple e = sub3(h->place, s->position);
    Vec r2 = dot3(e, e), r, scale = h->one;
    unsigned near = vec_less(r2, h->near2) & valid;
    r2 = vec_max(r2, h->near2);
    if (h->moves)
    {
        Vec along = dot3(e, h->velocity), root = vec_sqrt(vec_add(vec_mul(along, along), vec_mul(r2, h->rest)));
        Vec t = vec_div(vec_add(along, root), h->rest);
        e = add3(e, scale3(h->velocity, t));
        r = vec_mul(h->speed, t);
        scale = vec_div(vec_mul(h->speed, r), root);
    }
    else
        r = vec_sqrt(r2);

    Vec inverse = vec_div(h->one, r), inverse2 = vec_mul(inverse, inverse);
    Vec far_part = vec_mul(vec_mul(h->rate_gain, dot3(e, s->rate)), inverse2);
    Vec near_part = vec_mul(vec_mul(h->gain, dot3(e, s->dipole)), vec_mul(inverse2, inverse));
    Vec value = vec_add(far_part, near_part);
    if (h->has_volume) value = vec_add(value, vec_mul(vec_mul(h->gain, s->volume), inverse));
    if (h->moves) value = vec_mul(value, scale);

    unsigned fine = vec_less(vec_abs(value), h->too_large) & valid, heard = fine & ~vec_less(h->far, r);
    Vec delay = vec_pick(heard, vec_mul(r, h->phases_per_meter)), phase = vec_floor(delay);
    value = vec_pick(heard, value);
    vec_store(out->value, value);
    vec_store(out->phase, phase);
    vec_store(out->rest, vec_mul(value, vec_sub(delay, phase)));
    if (heard == valid && !near) return;
    stats->too_near += bits_set(near);
    stats->too_far += bits_set(fine & ~heard);
    stats->bad_values += bits_set(valid & ~fine);
}

// sample k of the bump gets value (row + rest (next row - row)); first: number of the first source
INLINE void write_bumps(const Ring* ring, const Sent* sent, int first, int count)
{
    for (int i = 0; i < count; i++)
    {
        int64_t phase = (int64_t)sent->phase[i];
        Vec value = vec_set(sent->value[i]), rest = vec_set(sent->rest[i]);
        const double* row = ring->table + (phase & (WRITE_PHASES - 1)) * (2 * WRITE_TAPS);
        int64_t at = (ring->now - WRITE_BEFORE + (phase >> WRITE_PHASE_BITS)) & ring->mask;
        double* out = ring->samples + ((first + i) & (WRITE_COPIES - 1)) * ring->stride + at;
        for (int k = 0; k < WRITE_TAPS; k += WIDTH)
        {
            Vec bump = vec_add(vec_mul(value, vec_load(row + k)), vec_mul(rest, vec_load(row + WRITE_TAPS + k)));
            vec_store(out + k, vec_add(vec_load(out + k), bump));
        }
    }
}

INLINE Lanes load_lanes(const twSources* s, int i, bool has_volume)
{
    return (Lanes){load3(s->position, i), load3(s->dipole, i), load3(s->dipole_rate, i),
                   has_volume ? vec_load(s->volume + i) : vec_set(0)};
}

// the last few, with zeros in the lanes that are left
INLINE Lanes load_tail(const twSources* s, int i, int count, bool has_volume)
{
    double pad[10][WIDTH] = {{0}};
    for (int lane = 0; lane < count; lane++)
    {
        for (int k = 0; k < 3; k++)
        {
            pad[k][lane] = s->position[k][i + lane];
            pad[3 + k][lane] = s->dipole[k][i + lane];
            pad[6 + k][lane] = s->dipole_rate[k][i + lane];
        }
        if (has_volume) pad[9][lane] = s->volume[i + lane];
    }
    const twSources padded = {
        WIDTH, {pad[0], pad[1], pad[2]}, {pad[3], pad[4], pad[5]}, {pad[6], pad[7], pad[8]}, pad[9]};
    return load_lanes(&padded, 0, true);
}

INLINE void write_all(const Ear* ear, const Ring* ring, const twSources* s, twListenerStats* stats, bool moves,
                      bool has_volume)
{
    const Here h = here(ear, moves, has_volume);
    const Ring copy = *ring;
    const unsigned all = (1u << WIDTH) - 1;
    Sent sent;
    int i = 0;
    for (; i + WIDTH <= s->count; i += WIDTH)
    {
        Lanes lanes = load_lanes(s, i, has_volume);
        compute(&sent, &h, &lanes, all, stats);
        write_bumps(&copy, &sent, i, WIDTH);
    }
    if (i >= s->count) return;
    Lanes lanes = load_tail(s, i, s->count - i, has_volume);
    compute(&sent, &h, &lanes, (1u << (s->count - i)) - 1, stats);
    write_bumps(&copy, &sent, i, s->count - i);
}

static void write_sources(const Ear* ear, const Ring* ring, const twSources* s, twListenerStats* stats)
{
    if (ear->moves && s->volume)
        write_all(ear, ring, s, stats, true, true);
    else if (ear->moves)
        write_all(ear, ring, s, stats, true, false);
    else if (s->volume)
        write_all(ear, ring, s, stats, false, true);
    else
        write_all(ear, ring, s, stats, false, false);
}

// ---- dipoles of edges ----

INLINE void store_or_add(double* to, Vec a, bool add) { vec_store(to, add ? vec_add(vec_load(to), a) : a); }

INLINE void turn_vector(const Turn* t, int i, bool add)
{
    Triple d1 = load3(t->d1, i), d2 = load3(t->d2, i), v = load3(t->v, i);
    Vec p = dot3(d1, v), q = dot3(d2, v), d12 = vec_load(t->d12 + i);
    Vec s = vec_add(vec_mul(vec_load(t->d11 + i), p), vec_mul(d12, q));
    Vec u = vec_add(vec_mul(d12, p), vec_mul(vec_load(t->d22 + i), q));
    Triple w = add3(scale3(d1, s), scale3(d2, u));
    store_or_add(t->out[0] + i, w.x, add);
    store_or_add(t->out[1] + i, w.y, add);
    store_or_add(t->out[2] + i, w.z, add);
}

// the last few one by one
INLINE void turn_one(const Turn* t, int i, bool add)
{
    double p = t->d1[0][i] * t->v[0][i] + t->d1[1][i] * t->v[1][i] + t->d1[2][i] * t->v[2][i];
    double q = t->d2[0][i] * t->v[0][i] + t->d2[1][i] * t->v[1][i] + t->d2[2][i] * t->v[2][i];
    double s = t->d11[i] * p + t->d12[i] * q, u = t->d12[i] * p + t->d22[i] * q;
    for (int k = 0; k < 3; k++)
    {
        double w = t->d1[k][i] * s + t->d2[k][i] * u;
        t->out[k][i] = add ? t->out[k][i] + w : w;
    }
}

static void turn_edges(const Turn* turn, bool add)
{
    const Turn copy = *turn;
    int i = 0;
    for (; i + WIDTH <= copy.count; i += WIDTH) turn_vector(&copy, i, add);
    for (; i < copy.count; i++) turn_one(&copy, i, add);
}

// ---- the filter ----

// four sums in the same order whatever the width: lane k of eight adds up every eighth product
static double filter_history(const double* h, const double* x, int count)
{
    Vec sum[8 / WIDTH];
    for (int k = 0; k < 8; k += WIDTH) sum[k / WIDTH] = vec_set(0);
    for (int i = 0; i < count; i += 8)
        for (int k = 0; k < 8; k += WIDTH)
            sum[k / WIDTH] = vec_add(sum[k / WIDTH], vec_mul(vec_load(h + i + k), vec_load(x + i + k)));
    double lane[8];
    for (int k = 0; k < 8; k += WIDTH) vec_store(lane + k, sum[k / WIDTH]);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

#include "kernel_path.h"

const Kernel KERNEL = {KERNEL_NAME, write_sources, turn_edges, filter_history, travel, aim,
                       scatter,     scatter_even,  convolve,   convolve_pair,  blend};
