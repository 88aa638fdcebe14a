// SPDX-License-Identifier: MIT
// Levels: peak, RMS and integrated loudness after Recommendation ITU-R BS.1770-4.
//
// K-weighting is two biquads, tabulated for 48 kHz. For another rate the table is carried to the analogue prototype,
// H(s) = (n2 s^2 + n1 s + n0) / (d2 s^2 + d1 s + d0) with s = (1 - 1/z) / (1 + 1/z), and back, with s scaled so that
// one frequency keeps its place: 997 Hz, where the standard calibrates, for the shelf, and 38 Hz for the high-pass.
// At 48 kHz the table comes back.
//
// Loudness of a block of 400 ms, 75 % overlapped: L = -0.691 + 10 log10(sum over channels of the mean square).
// Blocks below -70 LUFS are dropped, then those 10 LU below the loudness of the rest; the rest's mean is the result.
// A sound shorter than one block is measured as one block, continued by silence.

#include "twang/math.h"
#include "twang/media.h"

#include <stdlib.h>

#define SLICES 4             // a block is four slices of 100 ms; the next block starts one slice later
#define OFFSET -0.691        // makes K-weighting neutral at 997 Hz [dB]
#define GATE -70.0           // absolute gate [LUFS]
#define GATE_RELATIVE -10.0  // relative gate [LU]
#define CEILING_DB -0.1      // loudness gain never pushes the peak above this

typedef struct Biquad
{
    double b0, b1, b2, a1, a2;
} Biquad;

struct twMeter
{
    int channels;
    Biquad shelf, highpass;
    int64_t slice_frames;
    int64_t filled;    // frames in the slice under way
    double slice_sum;  // sum of weighted squares in it
    double peak, square_sum;
    int64_t samples;
    double* slices;  // mean square of each whole slice, summed over the channels
    size_t count, capacity;
    double state[][4];  // (channels): two delays of each biquad
};

// ---- K-weighting ----

// BS.1770-4, tables 1 and 2
static const Biquad shelf_48k = {1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241,
                                 0.73248077421585};
static const Biquad highpass_48k = {1, -2, 1, -1.99004745483398, 0.99007225036621};

static Biquad biquad_at(Biquad q, double fixed_hz, double rate_hz)
{
    const double n[3] = {q.b0 + q.b1 + q.b2, 2 * (q.b0 - q.b2), q.b0 - q.b1 + q.b2};
    const double d[3] = {1 + q.a1 + q.a2, 2 * (1 - q.a2), 1 - q.a1 + q.a2};
    // above what the rate can carry: flat, at the gain of 0 Hz
    if (fixed_hz > 0.49 * rate_hz) return (Biquad){n[0] / d[0], 0, 0, 0, 0};
    const double s = tan(TW_PI * fixed_hz / 48000) / tan(TW_PI * fixed_hz / rate_hz);
    const double n1 = n[1] * s, n2 = n[2] * s * s, d1 = d[1] * s, d2 = d[2] * s * s;
    const double scale = 1 / (d[0] + d1 + d2);
    return (Biquad){(n[0] + n1 + n2) * scale, 2 * (n[0] - n2) * scale, (n[0] - n1 + n2) * scale,
                    2 * (d[0] - d2) * scale, (d[0] - d1 + d2) * scale};
}

// transposed direct form II
static double filter(const Biquad* q, double* z, double x)
{
    double y = q->b0 * x + z[0];
    z[0] = q->b1 * x - q->a1 * y + z[1];
    z[1] = q->b2 * x - q->a2 * y;
    return y;
}

// ---- taking in ----

twMeter* tw_meter_create(int channels, double rate_hz)
{
    TW_ASSERT(channels >= 1 && rate_hz > 0);
    twMeter* meter = calloc(1, sizeof *meter + (size_t)channels * sizeof meter->state[0]);
    if (!meter) return NULL;
    meter->channels = channels;
    meter->shelf = biquad_at(shelf_48k, 997, rate_hz);
    meter->highpass = biquad_at(highpass_48k, 38, rate_hz);
    meter->slice_frames = (int64_t)fmax(1, floor(0.1 * rate_hz + 0.5));
    return meter;
}

void tw_meter_destroy(twMeter* meter)
{
    if (!meter) return;
    free(meter->slices);
    free(meter);
}

static void take_frame(twMeter* meter, const float* frame)
{
    for (int c = 0; c < meter->channels; c++)
    {
        double x = isfinite(frame[c]) ? (double)frame[c] : 0;
        meter->peak = fmax(meter->peak, fabs(x));
        meter->square_sum += x * x;
        double y = filter(&meter->highpass, meter->state[c] + 2, filter(&meter->shelf, meter->state[c], x));
        meter->slice_sum += y * y;
    }
    meter->samples += meter->channels;
}

// the filters ring on after the sound stops, at last in denormal numbers: cut them
static void flush_denormals(twMeter* meter)
{
    for (int c = 0; c < meter->channels; c++)
        for (int k = 0; k < 4; k++)
            if (fabs(meter->state[c][k]) < 1e-200) meter->state[c][k] = 0;
}

static bool end_slice(twMeter* meter)
{
    if (meter->count == meter->capacity)
    {
        size_t bigger = meter->capacity ? 2 * meter->capacity : 64;
        double* slices = realloc(meter->slices, bigger * sizeof *slices);
        if (!slices) return false;
        meter->slices = slices;
        meter->capacity = bigger;
    }
    meter->slices[meter->count++] = meter->slice_sum / (double)meter->slice_frames;
    meter->slice_sum = 0;
    meter->filled = 0;
    flush_denormals(meter);
    return true;
}

twStatus tw_meter_process(twMeter* meter, const float* samples, int64_t frames, twError* err)
{
    for (int64_t i = 0; i < frames; i++)
    {
        take_frame(meter, samples + i * meter->channels);
        if (++meter->filled == meter->slice_frames && !end_slice(meter))
            return tw_fail(err, TW_NO_MEMORY, "level meter: no memory after %zu slices", meter->count);
    }
    return TW_OK;
}

// ---- results ----

static double to_lufs(double power) { return OFFSET + 10 * log10(power); }

static double to_power(double lufs) { return pow(10, (lufs - OFFSET) / 10); }

// mean power of block k
static double block(const twMeter* meter, size_t k)
{
    double sum = 0;
    for (size_t i = k; i < k + SLICES; i++) sum += meter->slices[i];
    return sum / SLICES;
}

// mean power of the blocks above a gate; 0 if there are none
static double gated(const twMeter* meter, double gate)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k + SLICES <= meter->count; k++)
    {
        double power = block(meter, k);
        if (power <= gate) continue;
        sum += power;
        n++;
    }
    return n ? sum / (double)n : 0;
}

// integrated loudness with the absolute gate at gate_lufs
static double loudness(const twMeter* meter, double gate_lufs)
{
    double gate = to_power(gate_lufs);
    if (meter->count < SLICES)
    {
        double sum = meter->slice_sum / (double)meter->slice_frames;
        for (size_t i = 0; i < meter->count; i++) sum += meter->slices[i];
        return sum / SLICES > gate ? to_lufs(sum / SLICES) : -INFINITY;
    }
    double relative = gated(meter, gate) * pow(10, GATE_RELATIVE / 10);
    return to_lufs(gated(meter, fmax(gate, relative)));
}

twLevel tw_meter_level(const twMeter* meter)
{
    double rms = meter->samples ? sqrt(meter->square_sum / (double)meter->samples) : 0;
    return (twLevel){.peak = meter->peak, .rms = rms, .loudness_lufs = loudness(meter, GATE)};
}

double tw_meter_gain_peak(const twMeter* meter, double peak_dbfs)
{
    double gain = meter->peak > 0 ? pow(10, peak_dbfs / 20) / meter->peak : 1;
    return isfinite(gain) ? gain : 1;
}

double tw_meter_gain_loudness(const twMeter* meter, double lufs)
{
    if (!(meter->peak > 0)) return 1;
    const double limit = tw_meter_gain_peak(meter, CEILING_DB);
    // the gate acts on what leaves the gain, so gain and gate are found together, from the loudest possible down
    double gain_db = 20 * log10(limit);
    for (int k = 0; k < 20; k++)
    {
        double measured = loudness(meter, GATE - gain_db);
        if (!isfinite(measured)) return limit;
        double next = lufs - measured;
        bool settled = fabs(next - gain_db) < 1e-9;
        gain_db = next;
        if (settled) break;
    }
    return fmin(limit, pow(10, gain_db / 20));
}
