// SPDX-License-Identifier: MIT
#pragma once
#include "modal/bank.h"
#include "test.h"
#include "twang/modal.h"
#include <float.h>
#include <stdlib.h>

/// @file
/// Banks to test: made of a few or of random modes, driven by noise, and measures of what comes out.

static const double RATE = 44100, PI = 3.14159265358979323846;
enum
{
    SECOND = 44100
};

static inline twModes* make_modes(int count, const double* freq_hz, const double* decay, const double* mass)
{
    twModesDef def = tw_modes_def();
    def.mode_count = count;
    def.freq_hz = freq_hz;
    def.decay = decay;
    def.mass = mass;
    twModes* modes = NULL;
    tw_modes_create(&modes, &def, NULL);
    return modes;
}

// random modes with several points and pickups
static inline twModes* random_modes(twRng* rng, int count, int points, int pickups)
{
    enum
    {
        MOST = 512
    };
    static double freq[MOST], decay[MOST], mass[MOST], shape[4 * MOST], pickup[4 * MOST];
    for (int k = 0; k < count; k++)
    {
        freq[k] = tw_rng_between(rng, 40, 18000);
        decay[k] = tw_rng_between(rng, 1, 200);
        mass[k] = tw_rng_between(rng, 1e-3, 1e-1);
    }
    for (int i = 0; i < 4 * MOST; i++)
    {
        shape[i] = tw_rng_between(rng, -1, 1);
        pickup[i] = tw_rng_between(rng, -1, 1);
    }
    twModesDef def = {count, freq, decay, mass, points, shape, pickups, pickup};
    twModes* modes = NULL;
    tw_modes_create(&modes, &def, NULL);
    return modes;
}

static inline twBank* make_bank(const twBankObject* objects, int count, twPrecision precision, const char* variant)
{
    twBankDef def = {RATE, precision, count, objects};
    twBank* bank = NULL;
    tw_bank_create_variant(&bank, &def, variant, NULL);
    return bank;
}

// a bank of one object with one input and output
static inline twBank* single(const twModes* modes, twPrecision precision, twQuantity quantity, const char* variant)
{
    twBankObject object = tw_bank_object(modes);
    object.quantity = quantity;
    return make_bank(&object, 1, precision, variant);
}

static inline double* zeros(int n) { return calloc((size_t)n, sizeof(double)); }

// one input, one output, in calls of a given length
static inline void run(twBank* bank, const double* in, double* out, int n, int block)
{
    for (int i = 0; i < n; i += block)
        tw_bank_process_double(bank, (const double*[]){in ? in + i : NULL}, (double*[]){out + i},
                               block < n - i ? block : n - i);
}

// displacement of one mode n samples after a unit force sample, in whatever precision long double has
static inline double exact(double freq_hz, double decay, double mass, int n)
{
    long double w0 = 2 * 3.14159265358979323846264338327950288L * freq_hz, c = decay, t = n / (long double)RATE;
    long double w = sqrtl((w0 - c) * (w0 + c));
    return (double)(expl(-c * t) * sinl(w * t) / (mass * w * RATE));
}

static inline double energy(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static inline double error_energy(const double* x, const double* y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

static inline double snr_db(const double* reference, const double* x, int n)
{
    return 10 * log10(energy(reference, n) / (error_energy(reference, x, n) + DBL_MIN));
}

static inline double peak(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// greatest second difference: a click shows here
static inline double sharpness(const double* x, int n)
{
    double most = 0;
    for (int i = 2; i < n; i++) most = fmax(most, fabs(x[i] - 2 * x[i - 1] + x[i - 2]));
    return most;
}

static inline void noise(twRng* rng, double* x, int n)
{
    for (int i = 0; i < n; i++) x[i] = tw_rng_between(rng, -1, 1);
}
