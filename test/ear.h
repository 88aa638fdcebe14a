// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/acoustics.h"
#include <complex.h>
#include <stdlib.h>

/// @file
/// Ears for tests, and what they hear of a source that goes its way.

static const double SPEED = 343.2;

enum
{
    BLOCK = 240
};

static inline twEar* create_ear(twEarDef def)
{
    twEar* ear;
    twError err;
    if (tw_ear_create(&ear, &def, &err) != TW_OK) printf("%s\n", err.text);
    return ear;
}

/// Where something is at a time.
typedef struct Way
{
    twVec3 place, velocity;
    double radius, turns_hz;  ///< and on a circle about it, in the plane of x and y
} Way;

static inline twVec3 way_at(const Way* way, double t)
{
    double a = 2 * TW_PI * way->turns_hz * t;
    twVec3 circle = tw_vec3(way->radius * cos(a), way->radius * sin(a), 0);
    return tw_vec3_add(tw_vec3_add_scaled(way->place, way->velocity, t), circle);
}

/// What an ear hears of a tone cos(w t) [Pa m], all latency taken out: out (frames x channels).
static inline void hear_tone(twEar* ear, int channels, double rate_hz, double freq_hz, const Way* source,
                             const Way* way, double lead, float* out, int frames)
{
    static float block[BLOCK * 4], signal[BLOCK];
    int latency = tw_ear_latency(ear);
    for (int n = 0; n < frames + latency; n += BLOCK)
    {
        for (int i = 0; i < BLOCK; i++) signal[i] = (float)cos(2 * TW_PI * freq_hz * (n + i) / rate_hz);
        double start = n / rate_hz, end = (n + BLOCK) / rate_hz;
        if (way && n == 0) tw_ear_move(ear, way_at(way, start), tw_quat_identity());
        if (way) tw_ear_move(ear, way_at(way, end), tw_quat_identity());
        for (int point = 0; point < tw_ear_point_count(ear); point++)
            tw_ear_hear(ear, 0, point, signal, BLOCK, way_at(source, start), way_at(source, end), lead);
        tw_ear_mix(ear, block, BLOCK);
        for (int i = 0; i < BLOCK; i++)
            for (int c = 0; c < channels && n + i >= latency && n + i < frames + latency; c++)
                out[(n + i - latency) * channels + c] = block[i * channels + c];
    }
}

static inline void fill_noise(float* out, int n, twRng* rng)
{
    for (int i = 0; i < n; i++) out[i] = (float)tw_rng_normal(rng);
}

/// Noise of a source that rests for some blocks and goes somewhere within a way in others, silent in some; out (blocks x BLOCK x
/// channels).
static inline void hear_trembling(twEarDef def, double way, float* out, int blocks)
{
    twEar* ear = create_ear(def);
    int channels = tw_ear_channels(def.kind);
    float signal[BLOCK];
    twRng noise = tw_rng(5), when = tw_rng(1);
    twVec3 rest = tw_vec3(1, 0.7, 0.3), last = rest;
    for (int block = 0; block < blocks; block++)
    {
        twVec3 next = tw_rng_uniform(&when) < 0.5 ? last : tw_vec3(rest.x + tw_rng_between(&when, -way, way), 0.7, 0.3);
        // some blocks are silent
        fill_noise(signal, BLOCK, &noise);
        for (int point = 0; point < tw_ear_point_count(ear); point++)
            tw_ear_hear(ear, 0, point, block % 7 < 5 ? signal : NULL, BLOCK, last, next, 0.1);
        tw_ear_mix(ear, out + block * BLOCK * channels, BLOCK);
        last = next;
    }
    tw_ear_destroy(ear);
}

/// complex amplitude of exp(i w t) in one channel, frames first .. last - 1, by least squares
static inline double complex ear_tone(const float* p, int channels, int channel, int first, int last, double freq_hz,
                                      double rate_hz)
{
    double cc = 0, ss = 0, cs = 0, pc = 0, ps = 0;
    for (int n = first; n < last; n++)
    {
        double x = p[n * channels + channel];
        double c = cos(2 * TW_PI * freq_hz * n / rate_hz), s = sin(2 * TW_PI * freq_hz * n / rate_hz);
        cc += c * c, ss += s * s, cs += c * s, pc += x * c, ps += x * s;
    }
    double det = cc * ss - cs * cs, a = (pc * ss - ps * cs) / det, b = (ps * cc - pc * cs) / det;
    return a - I * b;
}

static inline double decibels(double ratio) { return 20 * log10(fabs(ratio)); }

/// Energy of a channel farther than `band_hz` from a tone, over all its energy [dB]: clicks. frames is a power of 2.
static inline double clicks_db(const float* p, int channels, int channel, int frames, double freq_hz, double band_hz,
                               double rate_hz)
{
    double *re = calloc(2 * (size_t)frames, sizeof *re), *im = re + frames, inside = 0, outside = 0;
    // Blackman and Harris: side lobes below -92 dB
    for (int n = 0; n < frames; n++)
    {
        double a = 2 * TW_PI * (n + 0.5) / frames;
        re[n] = (0.35875 - 0.48829 * cos(a) + 0.14128 * cos(2 * a) - 0.01168 * cos(3 * a)) * p[n * channels + channel];
    }
    tw_fft(re, im, frames, -1);
    for (int k = 0; k <= frames / 2; k++)
    {
        double power = re[k] * re[k] + im[k] * im[k];
        *(fabs(k * rate_hz / frames - freq_hz) > band_hz ? &outside : &inside) += power;
    }
    free(re);
    return 10 * log10(outside / (inside + outside));
}
