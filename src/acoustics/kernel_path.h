// SPDX-License-Identifier: MIT
/// @file
/// The part of kernel_body.h that follows one source over time: arrivals, directions, writing, filters.
///
/// Samples whose delays share a row of the table, those of a source at rest or nearly so, need not be written one by one.
/// With b the row, d the difference to the next one, x the values and y the values times what is left of their phases,
///
///   out_j = sum_k b_k x_(j-k) + d_k y_(j-k),
///
/// the same products in another order. If all delays are equal, y is x times a number: one filter, b + rest d.

INLINE Triple splat3(twVec3 v) { return (Triple){vec_set(v.x), vec_set(v.y), vec_set(v.z)}; }

// i, i + 1 ..
INLINE Vec count_from(int i)
{
    const double lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return vec_add(vec_set(i), vec_load(lanes));
}

// a in the lanes of the bits, else b
INLINE Vec vec_either(unsigned bits, Vec a, Vec b)
{
    return vec_add(vec_pick(bits, a), vec_pick(~bits & ((1u << WIDTH) - 1), b));
}

// bits of the lanes of a vector at i that are below count
INLINE unsigned lanes_below(int i, int count)
{
    int left = count - i < WIDTH ? count - i : WIDTH;
    return left > 0 ? (1u << left) - 1 : 0;
}

// ---- arrivals ----

INLINE Heard travel_along(const Leg* leg, double* gain, double* delay, int n, bool moves)
{
    const Triple d = splat3(leg->d), change = splat3(leg->d_change), bend = splat3(leg->bend);
    const Triple w0 = splat3(leg->w), w_change = splat3(leg->w_change);
    const Vec one = vec_set(1), zero = vec_set(0), per_sample = vec_set(1.0 / n);
    const Vec near2 = vec_set(leg->limit * leg->limit), half = vec_set(0.5 * leg->limit);
    const Vec curve = vec_set(0.5 / leg->limit), speed = vec_set(leg->speed);
    const Vec level = vec_set(leg->gain), lead = vec_set(leg->lead), far = vec_set(leg->farthest);
    const Vec per_meter = vec_set(leg->rate / leg->speed);
    Heard heard = {0};
    for (int i = 0; i < n; i += WIDTH)
    {
        Vec s = vec_mul(count_from(i), per_sample);
        Triple e = add3(add3(d, scale3(change, s)), scale3(bend, vec_mul(s, vec_sub(s, one))));
        Vec r2 = dot3(e, e), r, scale = level;
        unsigned valid = lanes_below(i, n), near = vec_less(r2, near2);
        if (near)
        {
            Vec inside = vec_add(half, vec_mul(r2, curve));
            r2 = vec_either(near, vec_mul(inside, inside), r2);
        }
        if (moves)
        {
            Triple w = add3(w0, scale3(w_change, s));
            Vec rest = vec_sub(vec_mul(speed, speed), dot3(w, w)), along = dot3(e, w);
            Vec root = vec_sqrt(vec_add(vec_mul(along, along), vec_mul(rest, r2)));
            // level c r/q over r
            r = vec_div(vec_mul(speed, vec_add(along, root)), rest);
            vec_store(gain + i, vec_div(vec_mul(scale, speed), root));
        }
        else
        {
            r = vec_sqrt(r2);
            vec_store(gain + i, vec_div(scale, r));
        }
        // it may be nearer than lead because the ear moves
        vec_store(delay + i, vec_mul(vec_max(vec_sub(r, lead), zero), per_meter));
        heard.near += bits_set(near & valid);
        heard.far += bits_set(vec_less(far, r) & valid);
    }
    return heard;
}

static Heard travel(const Leg* leg, double* gain, double* delay, int n)
{
    const Leg copy = *leg;
    return leg->moves ? travel_along(&copy, gain, delay, n, true) : travel_along(&copy, gain, delay, n, false);
}

// ---- directions ----

static void aim(const Aim* a, double* const* out, const double* x, int n)
{
    const Triple from = splat3(a->from), change = splat3(a->change);
    const Vec per_sample = vec_set(1.0 / n), near2 = vec_set(a->nearest * a->nearest), one = vec_set(1);
    const Vec curve = vec_set(-0.5 / (a->nearest * a->nearest * a->nearest)), middle = vec_set(1.5 / a->nearest);
    for (int i = 0; i < n; i += WIDTH)
    {
        Triple e = add3(from, scale3(change, vec_mul(count_from(i), per_sample)));
        Vec r2 = dot3(e, e), value = vec_load(x + i);
        unsigned near = vec_less(r2, near2);
        Vec scale = vec_div(one, vec_sqrt(vec_max(r2, near2)));
        if (near) scale = vec_either(near, vec_add(middle, vec_mul(r2, curve)), scale);
        e = scale3(e, scale);
        for (int k = 0; k < a->count; k++)
        {
            Vec pattern = vec_add(vec_set(a->omni[k]), dot3(e, splat3(a->axis[k])));
            vec_store(out[k] + i, vec_mul(value, pattern));
        }
    }
}

// ---- writing ----

enum
{
    RUN_GROUP = 8,              // samples whose phases are looked at together, whatever the width
    RUN_LEAST = 2 * RUN_GROUP,  // shorter runs are written one by one
    RUN_MOST = 256
};

// how many of the first groups have all their delays in [low, high)
INLINE int count_within(const double* delay, int count, double low, double high)
{
    const Vec from = vec_set(low), to = vec_set(high);
    for (int i = 0; i < count; i += RUN_GROUP)
        for (int k = i; k < i + RUN_GROUP; k += WIDTH)
        {
            Vec d = vec_load(delay + k);
            if (lanes_below(k, count) & (vec_less(d, from) | ~vec_less(d, to))) return i;
        }
    return count;
}

// samples with zeros before and after them
typedef double Padded[WRITE_TAPS + RUN_MOST + 2 * WRITE_TAPS];

INLINE double* pad(Padded padded, const double* x, int n)
{
    for (int k = 0; k < WRITE_TAPS; k++) padded[k] = padded[WRITE_TAPS + n + k] = padded[2 * WRITE_TAPS + n + k] = 0;
    for (int i = 0; i < n; i++) padded[WRITE_TAPS + i] = x[i];
    return padded + WRITE_TAPS;
}

// out_j += sum of b_k x_(j-k) and, if there is a y, d_k y_(j-k)
INLINE void add_filtered(double* out, const double* b, const double* x, const double* d, const double* y, int n)
{
    for (int j = 0; j < n + WRITE_TAPS - 1; j += WIDTH)
    {
        Vec sum = vec_set(0);
        for (int k = 0; k < WRITE_TAPS; k++) sum = vec_add(sum, vec_mul(vec_set(b[k]), vec_load(x + j - k)));
        for (int k = 0; k < WRITE_TAPS && y; k++) sum = vec_add(sum, vec_mul(vec_set(d[k]), vec_load(y + j - k)));
        vec_store(out + j, vec_add(vec_load(out + j), sum));
    }
}

// where the samples of a phase go from the first on
typedef struct Slot
{
    const double* row;
    double* out;
    double phase;
    int count;  // until the ring ends or a run is full
} Slot;

INLINE Slot slot_of(const Ring* ring, double delay, int first, int count)
{
    const int64_t phase = (int64_t)(delay * WRITE_PHASES);
    const int64_t at = (ring->now + first - WRITE_BEFORE + (phase >> WRITE_PHASE_BITS)) & ring->mask;
    Slot slot = {.row = ring->table + (phase & (WRITE_PHASES - 1)) * (2 * WRITE_TAPS),
                 .out = ring->samples + at,
                 .phase = (double)phase,
                 .count = count < RUN_MOST ? count : RUN_MOST};
    if (slot.count > ring->mask + 1 - at) slot.count = (int)(ring->mask + 1 - at);
    return slot;
}

// samples whose phases share a row. @return how many of them
static int write_run(const Ring* ring, const double* value, const double* delay, int first, int count)
{
    const Slot slot = slot_of(ring, delay[first], first, count);
    double rest[RUN_MOST];
    Padded x, y;
    for (int i = 0; i < slot.count; i++) rest[i] = value[first + i] * (delay[first + i] * WRITE_PHASES - slot.phase);
    add_filtered(slot.out, slot.row, pad(x, value + first, slot.count), slot.row + WRITE_TAPS, pad(y, rest, slot.count),
                 slot.count);
    return slot.count;
}

static void scatter_even(const Ring* ring, const double* value, double gain, double delay, int count)
{
    Padded x;
    double taps[WRITE_TAPS];
    for (int i = 0; i < count;)
    {
        const Slot slot = slot_of(ring, delay, i, count - i);
        for (int k = 0; k < WRITE_TAPS; k++)
            taps[k] = gain * (slot.row[k] + (delay * WRITE_PHASES - slot.phase) * slot.row[WRITE_TAPS + k]);
        add_filtered(slot.out, taps, pad(x, value + i, slot.count), NULL, NULL, slot.count);
        i += slot.count;
    }
}

INLINE void write_group(const Ring* ring, const double* value, const double* delay, int first, int count)
{
    const Vec phases = vec_set(WRITE_PHASES);
    Sent sent;
    for (int i = first; i < first + count; i += WIDTH)
    {
        Vec v = vec_load(value + i), d = vec_mul(vec_load(delay + i), phases), phase = vec_floor(d);
        vec_store(sent.value, v);
        vec_store(sent.rest, vec_mul(v, vec_sub(d, phase)));
        // each sample starts one later than the one before
        vec_store(sent.phase, vec_add(phase, vec_mul(phases, count_from(i))));
        write_bumps(ring, &sent, i, first + count - i < WIDTH ? first + count - i : WIDTH);
    }
}

static void scatter(const Ring* ring, const double* value, const double* delay, int count)
{
    const Ring copy = *ring;
    for (int i = 0, n; i < count; i += n)
    {
        const double low = floor(delay[i] * WRITE_PHASES) / WRITE_PHASES;
        const int run = count_within(delay + i, count - i, low, low + 1.0 / WRITE_PHASES);
        if (run >= RUN_LEAST)
            for (n = 0; n < run;) n += write_run(&copy, value, delay, i + n, run - n);
        else
        {
            n = count - i < RUN_GROUP ? count - i : RUN_GROUP;
            write_group(&copy, value, delay, i, n);
        }
    }
}

// ---- filters ----

static void convolve(double* out, const double* h, int taps, const double* x, int count)
{
    for (int i = 0; i < count; i += CONVOLVE_BLOCK)
    {
        Vec sum[CONVOLVE_BLOCK / WIDTH];
        for (int j = 0; j < CONVOLVE_BLOCK / WIDTH; j++) sum[j] = vec_set(0);
        for (int k = 0; k < taps; k++)
        {
            Vec tap = vec_set(h[k]);
            for (int j = 0; j < CONVOLVE_BLOCK / WIDTH; j++)
                sum[j] = vec_add(sum[j], vec_mul(tap, vec_load(x + i - k + j * WIDTH)));
        }
        for (int j = 0; j < CONVOLVE_BLOCK / WIDTH; j++) vec_store(out + i + j * WIDTH, sum[j]);
    }
}

enum
{
    PAIR_MOST = 4 * FLOATS > CONVOLVE_BLOCK ? 4 * FLOATS : CONVOLVE_BLOCK  // samples that are made at a time
};

// samples of both filters; each load of x serves two products
INLINE void pair_block(double* left, double* right, const float* h, int taps, const float* x, int samples)
{
    Floats sum[2][PAIR_MOST / FLOATS];
    for (int j = 0; j < samples / FLOATS; j++) sum[0][j] = sum[1][j] = floats_set(0);
    for (int k = 0; k < taps; k++)
    {
        Floats tap[2] = {floats_set(h[k]), floats_set(h[taps + k])};
        for (int j = 0; j < samples / FLOATS; j++)
        {
            Floats value = floats_load(x - k + j * FLOATS);
            sum[0][j] = floats_add(sum[0][j], floats_mul(tap[0], value));
            sum[1][j] = floats_add(sum[1][j], floats_mul(tap[1], value));
        }
    }
    float made[2][PAIR_MOST];
    for (int j = 0; j < samples / FLOATS; j++)
        for (int side = 0; side < 2; side++) floats_store(made[side] + j * FLOATS, sum[side][j]);
    for (int i = 0; i < samples; i++)
    {
        left[i] = made[0][i];
        right[i] = made[1][i];
    }
}

static void convolve_pair(double* const out[2], const float* h, int taps, const float* x, int count)
{
    int i = 0;
    for (; i + PAIR_MOST <= count; i += PAIR_MOST) pair_block(out[0] + i, out[1] + i, h, taps, x + i, PAIR_MOST);
    for (; i < count; i += CONVOLVE_BLOCK) pair_block(out[0] + i, out[1] + i, h, taps, x + i, CONVOLVE_BLOCK);
}

static void blend(float* restrict out, const double* const rows[4], const double weights[4], int n)
{
    const double *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    const double u = weights[0], v = weights[1], w = weights[2], rest = weights[3];
    // most often there is nothing of the last
    if (rest == 0)
        for (int i = 0; i < n; i++) out[i] = (float)(u * a[i] + v * b[i] + w * c[i]);
    else
        for (int i = 0; i < n; i++) out[i] = (float)(u * a[i] + v * b[i] + w * c[i] + rest * d[i]);
}
