// SPDX-License-Identifier: MIT
// The bank's kernel, written once for all instruction sets and both precisions. A file that includes it defines
//
//     real, vf, LANES                      a float or double, and a vector of LANES of them
//     VOICES                               vectors stepped together to hide latency, at most 5
//     vf_set(a)  vf_load(p)  vf_store(p, a)   splat; unaligned memory
//     vf_add  vf_mul  vf_abs
//     vf_fma(a, b, c) = a b + c            vf_fnma(a, b, c) = c - a b
//     vf_keep(a, size, low, high)          a where low <= size <= high, else 0 (also where size is NaN)
//     vf_zip_low(a, b) = a0 b0 a1 b1 ...   vf_zip_high(a, b) = the same of the upper halves
//
// One step of a vector of modes, with rounded pole c + i s, weight b of the input f and weight g of the output y:
//
//     re' = c re - s im + b f        im' = s re + c im        y += g im' (+ h re' for velocity)
//
// that is 6 operations per mode and sample; 5 when b is folded into g. What the pole lost by rounding is made good once
// per inner block: z += len * drift * z, exact to (len * drift)^2 ~ 1e-11 in float.
#include "bank.h"
#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

// states below this are silence (far above denormals), states above are not sound
static const real TINY_STATE = (real)1e-25, HUGE_STATE = (real)1e30;
static const real HUGE_INPUT = (real)1e15, HUGE_OUTPUT = (real)1e37;

// ---- ringing: one input, one output ----

typedef struct Voice
{
    vf re, im, c, s, b, g, h;
} Voice;

INLINE Voice voice_load(const real* record, bool folded, bool velocity)
{
    const real* weight = record + FIELD_WEIGHTS * LANES;
    Voice voice;
    voice.re = vf_load(record + FIELD_RE * LANES);
    voice.im = vf_load(record + FIELD_IM * LANES);
    voice.c = vf_load(record + FIELD_C * LANES);
    voice.s = vf_load(record + FIELD_S * LANES);
    voice.b = folded ? vf_set(1) : vf_load(weight);
    voice.g = vf_load(weight + LANES);
    voice.h = velocity ? vf_load(weight + 2 * LANES) : vf_set(0);
    return voice;
}

INLINE void voice_turn(Voice* voice, vf drive)
{
    vf re = vf_fma(voice->re, voice->c, vf_fnma(voice->im, voice->s, drive));
    voice->im = vf_fma(voice->re, voice->s, vf_mul(voice->im, voice->c));
    voice->re = re;
}

INLINE vf voice_step(Voice* voice, vf f, vf y, bool folded, bool velocity)
{
    voice_turn(voice, folded ? f : vf_mul(voice->b, f));
    y = vf_fma(voice->g, voice->im, y);
    return velocity ? vf_fma(voice->h, voice->re, y) : y;
}

// take out the drift, let faded states rest; returns what is left, to see whether anything sounds
INLINE vf voice_store(const Voice* voice, real* record, int len)
{
    vf dc = vf_mul(vf_load(record + FIELD_DC * LANES), vf_set((real)len));
    vf ds = vf_mul(vf_load(record + FIELD_DS * LANES), vf_set((real)len));
    vf re = vf_fma(voice->re, dc, vf_fnma(voice->im, ds, voice->re));
    vf im = vf_fma(voice->re, ds, vf_fma(voice->im, dc, voice->im));
    vf size = vf_add(vf_abs(re), vf_abs(im)), low = vf_set(TINY_STATE), high = vf_set(HUGE_STATE);
    vf_store(record + FIELD_RE * LANES, vf_keep(re, size, low, high));
    vf_store(record + FIELD_IM * LANES, vf_keep(im, size, low, high));
    return vf_keep(size, size, low, high);
}

// one input, one output: 1 to 5 vectors in registers through the whole block
INLINE vf ring_plain(real* record, size_t stride, int count, const real* drive, real* sum, int len, bool folded,
                     bool velocity)
{
    Voice v0 = voice_load(record, folded, velocity), v1 = v0, v2 = v0, v3 = v0, v4 = v0;
    if (count > 1) v1 = voice_load(record + stride, folded, velocity);
    if (count > 2) v2 = voice_load(record + 2 * stride, folded, velocity);
    if (count > 3) v3 = voice_load(record + 3 * stride, folded, velocity);
    if (count > 4) v4 = voice_load(record + 4 * stride, folded, velocity);
    for (int i = 0; i < len; i++)
    {
        vf f = vf_load(drive + i * LANES), y = vf_load(sum + i * LANES);
        y = voice_step(&v0, f, y, folded, velocity);
        if (count > 1) y = voice_step(&v1, f, y, folded, velocity);
        if (count > 2) y = voice_step(&v2, f, y, folded, velocity);
        if (count > 3) y = voice_step(&v3, f, y, folded, velocity);
        if (count > 4) y = voice_step(&v4, f, y, folded, velocity);
        vf_store(sum + i * LANES, y);
    }
    vf left = voice_store(&v0, record, len);
    if (count > 1) left = vf_add(left, voice_store(&v1, record + stride, len));
    if (count > 2) left = vf_add(left, voice_store(&v2, record + 2 * stride, len));
    if (count > 3) left = vf_add(left, voice_store(&v3, record + 3 * stride, len));
    if (count > 4) left = vf_add(left, voice_store(&v4, record + 4 * stride, len));
    return left;
}

// how many of the vectors left to take next: as many as the latency needs, but no lone ones at the end
static inline int take(int left)
{
    if (left > 2 * VOICES) return VOICES;
    return left > VOICES ? (left + 1) / 2 : left;
}

INLINE vf ring_all_plain(real* record, const BankGroup* group, const real* drive, real* sum, int len, bool folded,
                         bool velocity)
{
    vf left = vf_set(0);
    size_t stride = group->stride;
    for (int done = 0, n; done < group->vectors; done += n, record += (size_t)n * stride)
    {
        n = take(group->vectors - done);
        vf more;
        if (n == 5)
            more = ring_plain(record, stride, 5, drive, sum, len, folded, velocity);
        else if (n == 4)
            more = ring_plain(record, stride, 4, drive, sum, len, folded, velocity);
        else if (n == 3)
            more = ring_plain(record, stride, 3, drive, sum, len, folded, velocity);
        else if (n == 2)
            more = ring_plain(record, stride, 2, drive, sum, len, folded, velocity);
        else
            more = ring_plain(record, stride, 1, drive, sum, len, folded, velocity);
        left = vf_add(left, more);
    }
    return left;
}

// ---- two inputs or outputs; one of each while its weights ramp ----

typedef struct Pair
{
    Voice voice;
    vf b, g, h;  // the second input and output
} Pair;

// where in a record the weights of the second input and output are; -1: there is none
typedef struct PairFields
{
    int b0, g0, h0, b1, g1, h1;
} PairFields;

static inline PairFields pair_fields(const BankGroup* group)
{
    int old = FIELD_WEIGHTS + group->weights, inputs = group->inputs, outputs = group->outputs;
    PairFields at = {.b0 = FIELD_WEIGHTS, .g0 = FIELD_WEIGHTS + inputs};
    at.b1 = inputs > 1 ? at.b0 + 1 : group->ramping ? old : -1;
    at.g1 = outputs > 1 ? at.g0 + 1 : group->ramping ? old + inputs : -1;
    at.h0 = at.g0 + outputs;
    at.h1 = at.g1 >= 0 ? at.g1 + outputs : -1;
    return at;
}

INLINE vf load_field(const real* record, int field) { return field >= 0 ? vf_load(record + field * LANES) : vf_set(0); }

INLINE Pair pair_load(const real* record, const PairFields* at, bool velocity)
{
    Pair pair = {
        .voice = voice_load(record, true, false), .b = load_field(record, at->b1), .g = load_field(record, at->g1)};
    pair.voice.b = load_field(record, at->b0);
    pair.voice.g = load_field(record, at->g0);
    pair.voice.h = velocity ? load_field(record, at->h0) : vf_set(0);
    pair.h = velocity ? load_field(record, at->h1) : vf_set(0);
    return pair;
}

INLINE void pair_step(Pair* pair, vf f0, vf f1, vf* y0, vf* y1, bool velocity)
{
    Voice* voice = &pair->voice;
    voice_turn(voice, vf_fma(voice->b, f0, vf_mul(pair->b, f1)));
    *y0 = vf_fma(voice->g, voice->im, *y0);
    *y1 = vf_fma(pair->g, voice->im, *y1);
    if (velocity) *y0 = vf_fma(voice->h, voice->re, *y0);
    if (velocity) *y1 = vf_fma(pair->h, voice->re, *y1);
}

// 1 to 3 vectors
INLINE vf ring_pairs(twBank* bank, const BankGroup* group, real* record, int count, int len, bool velocity)
{
    PairFields at = pair_fields(group);
    size_t stride = group->stride;
    const real *f0 = bank->drive, *f1 = at.b1 >= 0 ? f0 + BANK_BLOCK * LANES : f0;
    real *y0 = bank->sum, *y1 = y0 + BANK_BLOCK * LANES;
    Pair p0 = pair_load(record, &at, velocity), p1 = p0, p2 = p0;
    if (count > 1) p1 = pair_load(record + stride, &at, velocity);
    if (count > 2) p2 = pair_load(record + 2 * stride, &at, velocity);
    for (int i = 0; i < len * LANES; i += LANES)
    {
        vf a = vf_load(f0 + i), b = vf_load(f1 + i), sum0 = vf_load(y0 + i), sum1 = vf_load(y1 + i);
        pair_step(&p0, a, b, &sum0, &sum1, velocity);
        if (count > 1) pair_step(&p1, a, b, &sum0, &sum1, velocity);
        if (count > 2) pair_step(&p2, a, b, &sum0, &sum1, velocity);
        vf_store(y0 + i, sum0);
        vf_store(y1 + i, sum1);
    }
    vf left = voice_store(&p0.voice, record, len);
    if (count > 1) left = vf_add(left, voice_store(&p1.voice, record + stride, len));
    if (count > 2) left = vf_add(left, voice_store(&p2.voice, record + 2 * stride, len));
    return left;
}

INLINE vf ring_all_pairs(twBank* bank, const BankGroup* group, real* record, int len, bool velocity)
{
    vf left = vf_set(0);
    for (int done = 0, n; done < group->vectors; done += n, record += (size_t)n * group->stride)
    {
        n = group->vectors - done < 3 ? group->vectors - done : 3;
        vf more;
        if (n == 3)
            more = ring_pairs(bank, group, record, 3, len, velocity);
        else if (n == 2)
            more = ring_pairs(bank, group, record, 2, len, velocity);
        else
            more = ring_pairs(bank, group, record, 1, len, velocity);
        left = vf_add(left, more);
    }
    return left;
}

// ---- any number of inputs and outputs ----

// add weight * from to to, len vectors
static inline void add_scaled(real* to, const real* from, const real* weight, int len)
{
    vf w = vf_load(weight);
    for (int i = 0; i < len; i++)
        vf_store(to + i * LANES, vf_fma(w, vf_load(from + i * LANES), vf_load(to + i * LANES)));
}

// the drive and the states of up to 4 vectors pass through memory
static vf ring_general(twBank* bank, const BankGroup* group, real* record, int count, int len)
{
    enum
    {
        STREAM = BANK_BLOCK * LANES
    };
    real *drive = bank->drive, *sum = bank->sum, *im = bank->history, *re = im + BANK_UNROLL * STREAM;
    int ramps = group->ramping ? 2 : 1, inputs = group->inputs, outputs = group->outputs;
    size_t stride = group->stride;

    // force on each vector
    memset(im, 0, (size_t)count * STREAM * sizeof *im);
    for (int v = 0; v < count; v++)
        for (int ramp = 0; ramp < ramps; ramp++)
            for (int j = 0; j < inputs; j++)
                add_scaled(im + v * STREAM, drive + (size_t)(ramp * inputs + j) * STREAM,
                           record + (size_t)v * stride + (size_t)(FIELD_WEIGHTS + ramp * group->weights + j) * LANES,
                           len);

    // its ringing, with Im z in place of the force
    Voice voice[BANK_UNROLL];
    for (int v = 0; v < BANK_UNROLL; v++)
        voice[v] = voice_load(record + (size_t)(v < count ? v : 0) * stride, true, false);
    for (int i = 0; i < len; i++)
        for (int v = 0; v < BANK_UNROLL; v++)
        {
            real* at = im + v * STREAM + i * LANES;
            voice_turn(&voice[v], vf_load(at));
            vf_store(at, voice[v].im);
            if (group->velocity) vf_store(re + v * STREAM + i * LANES, voice[v].re);
        }

    // the outputs
    vf left = vf_set(0);
    for (int v = 0; v < count; v++)
    {
        left = vf_add(left, voice_store(&voice[v], record + (size_t)v * stride, len));
        for (int ramp = 0; ramp < ramps; ramp++)
            for (int j = 0; j < outputs; j++)
            {
                real* to = sum + (size_t)(ramp * outputs + j) * STREAM;
                const real* weight =
                    record + (size_t)v * stride + (size_t)(FIELD_WEIGHTS + ramp * group->weights + inputs + j) * LANES;
                add_scaled(to, im + v * STREAM, weight, len);
                if (group->velocity) add_scaled(to, re + v * STREAM, weight + (size_t)outputs * LANES, len);
            }
    }
    return left;
}

// ---- sums and transposes ----

// LANES vectors become their transpose, in place: log2(LANES) perfect shuffles
INLINE void transpose(vf* t)
{
    for (int step = 1; step < LANES; step *= 2)
    {
        vf u[LANES];
        for (int i = 0; i < LANES / 2; i++)
        {
            u[2 * i] = vf_zip_low(t[i], t[i + LANES / 2]);
            u[2 * i + 1] = vf_zip_high(t[i], t[i + LANES / 2]);
        }
        for (int i = 0; i < LANES; i++) t[i] = u[i];
    }
}

// lane i of the result is the sum of the lanes of t[i]
INLINE vf sum_each(vf* t)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) t[i] = vf_add(vf_zip_low(t[i], t[i + half]), vf_zip_high(t[i], t[i + half]));
    return t[0];
}

INLINE real sum_lanes(vf a)
{
    real lane[LANES];
    for (int half = LANES / 2; half > 0; half /= 2) a = vf_add(vf_zip_low(a, a), vf_zip_high(a, a));
    vf_store(lane, a);
    return lane[0];
}

// ---- inputs ----

// Rows are checked by the sum of their magnitudes: 0 is silence, a sum that is not below the limit (NaN too) makes it
// worth looking closer.

// replace by 0 what is not finite or beyond limit; returns how many
static long clean_row(real* row, int len, real limit)
{
    long bad = 0;
    for (int i = 0; i < len; i++)
    {
        bool good = fabs((double)row[i]) <= (double)limit;
        bad += !good;
        row[i] = good ? row[i] : 0;
    }
    return bad;
}

static inline bool has_input(const BankIo* io, int stream)
{
    return io->is_double ? io->in_double && io->in_double[stream] : io->in_float && io->in_float[stream];
}

static inline bool same_type(const BankIo* io)
{
    return sizeof(real) == (io->is_double ? sizeof(double) : sizeof(float));
}

static void convert_in(real* row, const BankIo* io, int stream, int start, int len)
{
    for (int i = 0; io->is_double && i < len; i++) row[i] = (real)io->in_double[stream][start + i];
    for (int i = 0; !io->is_double && i < len; i++) row[i] = (real)io->in_float[stream][start + i];
}

// one input as a row with zeros to its end; adds its magnitudes to size
INLINE void fetch_row(const twBank* bank, real* row, const BankIo* io, int stream, int start, int len, vf* size)
{
    if (has_input(io, stream) && same_type(io) && len == BANK_BLOCK)
    {
        const real* in =
            (io->is_double ? (const real*)io->in_double[stream] : (const real*)io->in_float[stream]) + start;
        for (int i = 0; i < BANK_BLOCK; i += LANES) vf_store(row + i, vf_load(in + i));
    }
    else
    {
        memset(row, 0, BANK_BLOCK * sizeof *row);
        if (has_input(io, stream)) convert_in(row, io, stream, start, len);
    }
    if (start == 0 && bank->impulse[stream] != 0) row[0] += (real)(bank->impulse[stream] * bank->rate_hz);
    for (int i = 0; i < BANK_BLOCK; i += LANES) *size = vf_add(*size, vf_abs(vf_load(row + i)));
}

// the inputs of a group as clean rows, those of unused lanes zero; false if all are silent
static bool fetch_rows(twBank* bank, const BankGroup* group, const BankIo* io, int start, int len)
{
    vf size = vf_set(0);
    for (int j = 0; j < group->inputs; j++)
    {
        real* row = (real*)bank->rows + (size_t)j * LANES * BANK_BLOCK;
        for (int l = 0; l < group->count; l++, row += BANK_BLOCK)
            fetch_row(bank, row, io, bank->items[bank->order[group->first + l]].first_input + j, start, len, &size);
        if (group->count > 1 && group->count < LANES)
            memset(row, 0, (size_t)(LANES - group->count) * BANK_BLOCK * sizeof *row);
    }
    real total = sum_lanes(size);
    for (int i = 0; i < group->inputs * LANES && !(total <= HUGE_INPUT); i++)
        if (i % LANES < group->count)
            bank->stats.nan_inputs += clean_row((real*)bank->rows + (size_t)i * BANK_BLOCK, len, HUGE_INPUT);
    return total != 0;
}

// rows of one input to vectors of samples: splat for one object, transposed for several
static inline void spread_rows(real* drive, const real* rows, bool several, int len)
{
    if (!several)
        for (int i = 0; i < len; i++) vf_store(drive + i * LANES, vf_set(rows[i]));
    for (int i = 0; several && i < len; i += LANES)
    {
        vf t[LANES];
        for (int l = 0; l < LANES; l++) t[l] = vf_load(rows + l * BANK_BLOCK + i);
        transpose(t);
        for (int l = 0; l < LANES; l++) vf_store(drive + (i + l) * LANES, t[l]);
    }
}

// split a stream into what the new weights and what the old weights act on
static void split_drive(const BankGroup* group, real* now, real* old, int len)
{
    for (int i = 0; i < len; i++)
    {
        double share = bank_ramp(group, i);
        vf f = vf_load(now + i * LANES);
        vf_store(now + i * LANES, vf_mul(f, vf_set((real)share)));
        vf_store(old + i * LANES, vf_mul(f, vf_set((real)(1 - share))));
    }
}

static void prepare_drive(twBank* bank, const BankGroup* group, bool excited, int len)
{
    enum
    {
        STREAM = BANK_BLOCK * LANES
    };
    real *drive = bank->drive, *old = drive + (size_t)group->inputs * STREAM;
    if (!excited)
    {
        memset(drive, 0, (size_t)group->inputs * (group->ramping ? 2 : 1) * STREAM * sizeof *drive);
        return;
    }
    for (int j = 0; j < group->inputs; j++)
    {
        spread_rows(drive + (size_t)j * STREAM, (const real*)bank->rows + (size_t)j * LANES * BANK_BLOCK,
                    group->count > 1, len);
        if (group->ramping) split_drive(group, drive + (size_t)j * STREAM, old + (size_t)j * STREAM, len);
    }
}

// ---- outputs ----

static inline void* output(const BankIo* io, int stream)
{
    if (io->is_double) return io->out_double ? io->out_double[stream] : NULL;
    return io->out_float ? io->out_float[stream] : NULL;
}

INLINE void add_row(const BankIo* io, int stream, int start, int len, const real* row)
{
    void* out = output(io, stream);
    if (!out) return;
    int i = 0;
    if (same_type(io))
    {
        real* to = (real*)out + start;
        for (; i + LANES <= len; i += LANES) vf_store(to + i, vf_add(vf_load(to + i), vf_load(row + i)));
    }
    for (; io->is_double && i < len; i++) ((double*)out)[start + i] += (double)row[i];
    for (; i < len; i++) ((float*)out)[start + i] += (float)row[i];
}

// make rows fit to deliver, given the sum of their magnitudes
static inline void check_rows(twBank* bank, real* rows, int count, int len, vf size)
{
    if (sum_lanes(size) <= HUGE_OUTPUT) return;
    for (int l = 0; l < count; l++) bank->stats.nan_outputs += clean_row(rows + l * BANK_BLOCK, len, HUGE_OUTPUT);
}

// all lanes of a stream into one output
static void deliver_sum(twBank* bank, const BankIo* io, int stream, int start, int len, const real* sum)
{
    real row[BANK_BLOCK];
    vf size = vf_set(0);
    for (int i = 0; i < len; i += LANES)
    {
        vf t[LANES];
        for (int l = 0; l < LANES; l++) t[l] = vf_load(sum + (i + l) * LANES);
        vf total = sum_each(t);
        size = vf_add(size, vf_abs(total));
        vf_store(row + i, total);
    }
    check_rows(bank, row, 1, len, size);
    add_row(io, stream, start, len, row);
}

// each lane of a stream into its own output
static void deliver_each(twBank* bank, const BankGroup* group, const BankIo* io, int j, int start, int len,
                         const real* sum)
{
    real rows[LANES * BANK_BLOCK];
    vf size = vf_set(0);
    for (int i = 0; i < len; i += LANES)
    {
        vf t[LANES];
        for (int l = 0; l < LANES; l++) t[l] = vf_load(sum + (i + l) * LANES);
        transpose(t);
        for (int l = 0; l < LANES; l++)
        {
            size = vf_add(size, vf_abs(t[l]));
            vf_store(rows + l * BANK_BLOCK + i, t[l]);
        }
    }
    check_rows(bank, rows, group->count, len, size);
    for (int l = 0; l < group->count; l++)
        add_row(io, bank->items[bank->order[group->first + l]].first_output + j, start, len, rows + l * BANK_BLOCK);
}

// do all objects of a group send output j to one buffer?
static bool is_mix(const twBank* bank, const BankGroup* group, const BankIo* io, int j)
{
    const void* first = output(io, bank->items[bank->order[group->first]].first_output + j);
    for (int i = 1; i < group->count; i++)
        if (output(io, bank->items[bank->order[group->first + i]].first_output + j) != first) return false;
    return true;
}

static void deliver(twBank* bank, const BankGroup* group, const BankIo* io, int start, int len)
{
    enum
    {
        STREAM = BANK_BLOCK * LANES
    };
    for (int j = 0; j < group->outputs; j++)
    {
        real* sum = (real*)bank->sum + (size_t)j * STREAM;
        const real* old = sum + (size_t)group->outputs * STREAM;
        for (int i = 0; group->ramping && i < len; i++)
        {
            double share = bank_ramp(group, i);
            vf mixed = vf_mul(vf_load(sum + i * LANES), vf_set((real)share));
            vf_store(sum + i * LANES, vf_fma(vf_load(old + i * LANES), vf_set((real)(1 - share)), mixed));
        }
        if (is_mix(bank, group, io, j))
            deliver_sum(bank, io, bank->items[bank->order[group->first]].first_output + j, start, len, sum);
        else
            deliver_each(bank, group, io, j, start, len, sum);
    }
}

// ---- a group ----

// the modes with real poles, object by object
static void run_real(twBank* bank, const BankGroup* group, const BankIo* io, int start, int len)
{
    for (int l = 0; l < group->count; l++)
    {
        BankItem* item = &bank->items[bank->order[group->first + l]];
        if (item->real_count == 0) continue;
        for (int j = 0; j < group->inputs; j++)
            for (int i = 0; i < len; i++)
                bank->real_in[j * BANK_BLOCK + i] = (double)((real*)bank->rows)[(j * LANES + l) * BANK_BLOCK + i];
        tw_bank_real_run(bank, item, group, len);
        for (int j = 0; j < group->outputs; j++)
        {
            real row[BANK_BLOCK] = {0};
            for (int i = 0; i < len; i++) row[i] = (real)bank->real_out[j * BANK_BLOCK + i];
            bank->stats.nan_outputs += clean_row(row, len, HUGE_OUTPUT);
            add_row(io, item->first_output + j, start, len, row);
        }
    }
}

static vf ring_group(twBank* bank, BankGroup* group, int len)
{
    real *record = (real*)bank->data + group->offset, *drive = bank->drive, *sum = bank->sum;
    if (group->inputs == 1 && group->outputs == 1 && !group->ramping)
    {
        if (group->folded && group->velocity) return ring_all_plain(record, group, drive, sum, len, true, true);
        if (group->folded) return ring_all_plain(record, group, drive, sum, len, true, false);
        if (group->velocity) return ring_all_plain(record, group, drive, sum, len, false, true);
        return ring_all_plain(record, group, drive, sum, len, false, false);
    }
    int ramps = group->ramping ? 2 : 1;
    if (group->inputs > 0 && group->outputs > 0 && group->inputs * ramps <= 2 && group->outputs * ramps <= 2)
        return group->velocity ? ring_all_pairs(bank, group, record, len, true)
                               : ring_all_pairs(bank, group, record, len, false);
    vf left = vf_set(0);
    for (int done = 0, n; done < group->vectors; done += n, record += (size_t)n * group->stride)
    {
        n = group->vectors - done < BANK_UNROLL ? group->vectors - done : BANK_UNROLL;
        left = vf_add(left, ring_general(bank, group, record, n, len));
    }
    return left;
}

static void run_group(twBank* bank, BankGroup* group, const BankIo* io, int start, int len)
{
    bool excited = fetch_rows(bank, group, io, start, len);
    if (group->real > 0) run_real(bank, group, io, start, len);
    if (group->ringing == 0 || (!excited && !group->awake)) return;

    prepare_drive(bank, group, excited, len);
    int sums = group->outputs * (group->ramping ? 2 : 1);
    memset(bank->sum, 0, (size_t)sums * BANK_BLOCK * LANES * sizeof(real));
    vf left = ring_group(bank, group, len);
    group->awake = !(sum_lanes(left) == 0);
    deliver(bank, group, io, start, len);
}
