// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"
#include "twang/media.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// @file
/// Recordings that others made of things that are struck: their partials, and how these decay. Files are in the folder TWANG_DATA.

/// The path of a file in the folder, or NULL, which is said.
static inline const char* data_file(const char* name)
{
    static char path[1000];
    const char* folder = getenv("TWANG_DATA");
    if (!folder) printf("skipped: TWANG_DATA names no folder with %s\n", name);
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    if (file) fclose(file);
    if (!file) printf("skipped: TWANG_DATA has no %s\n", name);
    return file ? path : NULL;
}

// ---- a recording ----

enum
{
    RECORDING_LOWEST = 1500,    // of a spectrum [Hz]
    RECORDING_HIGHEST = 17000,  // above it [Hz]
};

#define RECORDING_WINDOW 0.03  // of the band-pass around a partial [s]: it hears 67 Hz to both sides

typedef struct Recording
{
    double* x;
    int frames, start;  ///< start: where the blow begins
    double rate_hz;
    double window;  ///< of the band-pass around a partial [s]
} Recording;

static inline void recording_load(Recording* out, const char* path)
{
    twWav* wav;
    if (tw_wav_load(&wav, path, 1 << 24, NULL) != TW_OK) abort();
    *out = (Recording){.frames = (int)wav->frames, .rate_hz = wav->rate_hz, .window = RECORDING_WINDOW};
    out->x = calloc((size_t)out->frames + 1, sizeof *out->x);
    int loudest = 0;
    for (int i = 0; i < out->frames; i++)
    {
        out->x[i] = (double)wav->samples[i * wav->channels];
        if (fabs(out->x[i]) > fabs(out->x[loudest])) loudest = i;
    }
    out->start = loudest > 2000 ? loudest - 2000 : 0;
    while (fabs(out->x[out->start]) < 0.05 * fabs(out->x[loudest])) out->start++;
    tw_wav_destroy(wav);
}

static inline void recording_free(Recording* recording) { free(recording->x); }

// ---- its partials ----

/// Power at each full Hz (RECORDING_HIGHEST) over the largest, under a Hann window over the 0.4 s after the blow, by recurrence
/// (Goertzel).
static inline void recording_spectrum(double* power, const Recording* r)
{
    const int n = (int)fmin(0.4 * r->rate_hz, r->frames - r->start);
    double most = 0, *x = calloc((size_t)n + 1, sizeof *x);
    for (int i = 0; i < n; i++) x[i] = r->x[r->start + i] * (1 - cos(2 * TW_PI * i / n));
    for (int f = RECORDING_LOWEST; f < RECORDING_HIGHEST; f++)
    {
        const double c = 2 * cos(2 * TW_PI * f / r->rate_hz);
        double s1 = 0, s2 = 0;
        for (int i = 0; i < n; i++)
        {
            const double s = x[i] + c * s1 - s2;
            s2 = s1;
            s1 = s;
        }
        power[f] = s1 * s1 + s2 * s2 - c * s1 * s2;
        most = fmax(most, power[f]);
    }
    for (int f = RECORDING_LOWEST; f < RECORDING_HIGHEST; f++) power[f] /= most;
    free(x);
}

/// log of the power over its geometric mean within 5 % to both sides
static inline double recording_prominence(const double* power, int f)
{
    double sum = 0;
    const int low = (int)fmax(RECORDING_LOWEST, 0.95 * f), high = (int)fmin(RECORDING_HIGHEST - 1, 1.05 * f);
    for (int i = low; i <= high; i++) sum += log(power[i]);
    return log(power[f]) - sum / (high - low + 1);
}

/// The most prominent peaks [Hz] of a spectrum that are at least a part `apart` of their pitch from each other and more prominent than
/// `least`, between full Hz by a parabola through the logarithms. @return how many, at most room
static inline int recording_peaks(double* out, int room, const double* power, double apart, double least)
{
    int count = 0;
    double* height = calloc(RECORDING_HIGHEST, sizeof *height);
    for (int f = RECORDING_LOWEST + 1; f < RECORDING_HIGHEST - 1; f++)
        if (power[f] > power[f - 1] && power[f] > power[f + 1]) height[f] = recording_prominence(power, f);
    while (count < room)
    {
        int best = RECORDING_LOWEST;
        for (int f = RECORDING_LOWEST; f < RECORDING_HIGHEST; f++)
            if (height[f] > height[best]) best = f;
        if (height[best] <= least) break;
        const double a = log(power[best - 1]), b = log(power[best]), c = log(power[best + 1]);
        out[count++] = best + 0.5 * (a - c) / (a - 2 * b + c);
        for (int f = RECORDING_LOWEST; f < RECORDING_HIGHEST; f++)
            if (abs(f - best) < apart * best) height[f] = 0;
    }
    free(height);
    return count;
}

// ---- how they decay ----

#define RECORDING_HOP 0.001   // [s]
#define RECORDING_BLOW 0.005  // how long the blow itself may last [s]

/// Power around a frequency under a Hann window from a sample on
static inline double recording_power(const Recording* r, double freq_hz, int from)
{
    const int n = (int)(r->window * r->rate_hz);
    const double c = 2 * cos(2 * TW_PI * freq_hz / r->rate_hz);
    double s1 = 0, s2 = 0;
    for (int i = 0; i < n; i++)
    {
        const double s = r->x[from + i] * (1 - cos(2 * TW_PI * i / n)) + c * s1 - s2;
        s2 = s1;
        s1 = s;
    }
    return s1 * s1 + s2 * s2 - c * s1 * s2;
}

/// mean power around a frequency before the blow
static inline double recording_noise(const Recording* r, double freq_hz)
{
    const int n = (int)(r->window * r->rate_hz);
    double sum = 0;
    int count = 0;
    for (int from = 0; from + n < r->start; from += n / 2, count++) sum += recording_power(r, freq_hz, from);
    return count > 0 ? sum / count : 0;
}

/// slope [1/hop] and root of the mean square residual of the points of a curve between two, by least squares
static inline double recording_line(const double* y, int from, int to, double* residual)
{
    double mean = 0, sxx = 0, sxy = 0, sum = 0;
    const double middle = 0.5 * (from + to - 1);
    for (int i = from; i < to; i++) mean += y[i] / (to - from);
    for (int i = from; i < to; i++) sxx += (i - middle) * (i - middle), sxy += (i - middle) * (y[i] - mean);
    const double slope = sxy / sxx;
    for (int i = from; i < to; i++) sum += pow(y[i] - mean - slope * (i - middle), 2);
    *residual = sqrt(sum / (to - from));
    return slope;
}

/// Decay c [1/s] of a partial exp(-c t): its power in a band, less that of the noise before the blow, is summed from the end
/// backwards (Schroeder 1965), which evens out beats; the end is where it comes within 6 dB of the noise. The slope of the sum is
/// taken from -5 to -25 dB, or to 12 dB above the noise if that comes first. 0: less than 10 dB are left between them, or the line
/// misses by more than 1 dB rms, as with slow beats.
static inline double recording_decay(const Recording* r, double freq_hz)
{
    const int n = (int)(r->window * r->rate_hz), hop = (int)(RECORDING_HOP * r->rate_hz);
    const int first = r->start + (int)(RECORDING_BLOW * r->rate_hz), room = (r->frames - n - first) / hop;
    const double noise = recording_noise(r, freq_hz);
    double* power = calloc((size_t)(room > 0 ? room : 0) + 1, sizeof *power);
    int end = 0;
    while (end < room && (power[end] = recording_power(r, freq_hz, first + end * hop)) > 4 * noise) end++;
    const double span = end > 0 ? 10 * log10(power[0] / noise) : 0;
    for (int i = end - 1; i >= 0; i--) power[i] = fmax(power[i] - noise, 0) + (i + 1 < end ? power[i + 1] : 0);
    const double whole = power[0], bottom = fmin(25, span - 12);
    int top = 0, low;
    for (int i = 0; i < end; i++) power[i] = 10 * log10(power[i] / whole);
    while (top < end && power[top] > -5) top++;
    low = top;
    while (low < end && power[low] > -bottom) low++;
    double residual = HUGE_VAL, slope = low - top > 5 ? recording_line(power, top, low, &residual) : 0;
    free(power);
    return bottom >= 15 && residual < 1 ? -slope / hop * r->rate_hz * log(10) / 20 : 0;
}
