// SPDX-License-Identifier: MIT
// A chime: one object that rings while what it is made of changes. Modes that differ in tuning and weights alone change in place; others
// get a bank of their own, and what rings in the one before fades out beside it. Another sample rate takes the state over.
#include "twang/modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BLOCK = 64
};

struct twChime
{
    double rate_hz;
    twQuantity quantity;
    twBank *bank, *before;  // before fades out, and is freed by the next change
    double* mass;           // (modes)
    double* freq_hz;        // (modes), behind the masses
    int modes, points, pickups, fade_left, fade_length;
    const float **in, **in_before;  // of a piece (points)
    float** out;                    // (pickups)
    float* block;                   // of the bank before (pickups x BLOCK)
    float* forces;                  // that pass from one to the other (2 points x BLOCK)
};

twChimeDef tw_chime_def(const twModes* modes)
{
    return (twChimeDef){.modes = modes, .rate_hz = 48000, .quantity = TW_VELOCITY};
}

static twStatus make_bank(const twChimeDef* def, twBank** out, twError* err)
{
    twBankObject object = tw_bank_object(def->modes);
    object.input_count = def->modes->point_count;
    object.output_count = def->modes->pickup_count;
    object.quantity = def->quantity;
    twBankDef bank = tw_bank_def();
    bank.rate_hz = def->rate_hz;
    bank.object_count = 1, bank.objects = &object;
    return tw_bank_create(out, &bank, err);
}

twStatus tw_chime_create(twChime** out, const twChimeDef* def, twError* err)
{
    *out = NULL;
    twChime* x = calloc(1, sizeof *x);
    size_t pickups = (size_t)def->modes->pickup_count, points = (size_t)def->modes->point_count;
    if (x) x->in = calloc(2 * points, sizeof *x->in);
    if (x) x->out = calloc(pickups, sizeof *x->out);
    if (x) x->block = malloc(pickups * BLOCK * sizeof *x->block);
    if (x) x->forces = malloc(2 * points * BLOCK * sizeof *x->forces);
    if (!x || !x->in || !x->out || !x->block || !x->forces)
    {
        tw_chime_destroy(x);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a chime");
    }
    x->in_before = x->in + points;
    x->points = def->modes->point_count;
    x->pickups = def->modes->pickup_count;
    twStatus status = tw_chime_change(x, def, err);
    if (status == TW_OK)
        *out = x;
    else
        tw_chime_destroy(x);
    return status;
}

void tw_chime_destroy(twChime* x)
{
    if (!x) return;
    tw_bank_destroy(x->bank);
    tw_bank_destroy(x->before);
    free(x->mass);
    free(x->in);
    free(x->out);
    free(x->block);
    free(x->forces);
    free(x);
}

// ---- change ----

static bool same_but_tuning(const twChime* x, const twChimeDef* def)
{
    return x->bank && x->rate_hz == def->rate_hz && x->quantity == def->quantity &&
           x->modes == def->modes->mode_count &&
           (x->modes == 0 || memcmp(x->mass, def->modes->mass, (size_t)x->modes * sizeof(double)) == 0);
}

static twStatus tune(twChime* x, const twModes* modes, twError* err)
{
    for (int k = 0; k < modes->mode_count; k++)
        if (!(modes->freq_hz[k] < 0.5 * x->rate_hz))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: %g Hz must be below half the sample rate, %g Hz", k,
                           modes->freq_hz[k], 0.5 * x->rate_hz);
    size_t n = (size_t)modes->mode_count;
    if (n > 0) memcpy(x->freq_hz, modes->freq_hz, n * sizeof *x->freq_hz);
    tw_bank_set_modes(x->bank, 0, modes->freq_hz, modes->decay);
    for (int i = 0; i < modes->point_count; i++) tw_bank_set_input_weights(x->bank, 0, i, modes->shape + (size_t)i * n);
    for (int i = 0; i < modes->pickup_count; i++)
        tw_bank_set_output_weights(x->bank, 0, i, modes->pickup + (size_t)i * n);
    return TW_OK;
}

// the mode of the bank now that one of another list is: as many modes are the same ones, else it has its frequency; -1: none
static int same_mode(const twChime* x, const twModes* modes, int mode)
{
    if (x->modes == modes->mode_count) return mode;
    for (int k = 0; k < x->modes; k++)
        if (fabs(x->freq_hz[k] - modes->freq_hz[mode]) <= 1e-9 * x->freq_hz[k]) return k;
    return -1;
}

// what rings goes on ringing, mode by mode
static void take_state(const twChime* x, twBank* bank, const twModes* modes)
{
    const size_t old = (size_t)x->modes, count = (size_t)modes->mode_count;
    double* block = calloc(2 * (old + count) + 1, sizeof *block);
    if (!block) return;
    double *displacement = block + 2 * old, *velocity = displacement + count;
    tw_bank_state(x->bank, 0, block, block + old);
    for (size_t k = 0; k < count; k++)
    {
        const int from = same_mode(x, modes, (int)k);
        if (from >= 0) displacement[k] = block[from], velocity[k] = block[old + (size_t)from];
    }
    tw_bank_set_state(bank, 0, displacement, velocity);
    free(block);
}

bool tw_chime_fading(const twChime* x) { return x->fade_left > 0; }

twStatus tw_chime_change(twChime* x, const twChimeDef* def, twError* err)
{
    const twModes* modes = def->modes;
    if (modes->point_count != x->points || modes->pickup_count != x->pickups)
        return tw_fail(err, TW_BAD_INPUT, "a chime keeps its number of points and pickups");
    if (same_but_tuning(x, def)) return tune(x, modes, err);
    twBank* bank;
    twStatus status = make_bank(def, &bank, err);
    if (status != TW_OK) return status;
    double* mass = malloc(2 * (size_t)modes->mode_count * sizeof *mass + 1);
    if (!mass)
    {
        tw_bank_destroy(bank);
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", modes->mode_count);
    }
    double* freq_hz = mass + modes->mode_count;
    if (modes->mode_count > 0) memcpy(mass, modes->mass, (size_t)modes->mode_count * sizeof *mass);
    if (modes->mode_count > 0) memcpy(freq_hz, modes->freq_hz, (size_t)modes->mode_count * sizeof *mass);
    bool other_rate = x->bank && x->rate_hz != def->rate_hz;
    if (other_rate) take_state(x, bank, modes);
    x->fade_left = x->fade_length = x->bank && !other_rate ? (int)(TW_CHIME_FADE * def->rate_hz) : 0;
    tw_bank_destroy(x->before);
    free(x->mass);
    x->before = x->bank;
    x->bank = bank;
    x->mass = mass;
    x->freq_hz = freq_hz;
    x->modes = modes->mode_count;
    x->rate_hz = def->rate_hz;
    x->quantity = def->quantity;
    return TW_OK;
}

// ---- sound ----

void tw_chime_impulse(twChime* x, int point, double impulse) { tw_bank_impulse(x->bank, 0, point, impulse); }

// what is left of the bank before, from 1 to 0 without a kink
static float share_of_before(const twChime* x, int k)
{
    return k < x->fade_left ? (float)(0.5 - 0.5 * cos(TW_PI * (x->fade_left - k) / x->fade_length)) : 0;
}

// a force that goes on leaves the one bank as it comes to the other, or it would strike the new one
static void pass_forces(twChime* x, int n)
{
    for (int i = 0; i < x->points; i++)
    {
        float *now = x->forces + (size_t)(2 * i) * BLOCK, *before = now + BLOCK;
        x->in_before[i] = x->in[i] ? before : NULL;
        for (int k = 0; k < n && x->in[i]; k++)
        {
            before[k] = share_of_before(x, k) * x->in[i][k];
            now[k] = x->in[i][k] - before[k];
        }
        if (x->in[i]) x->in[i] = now;
    }
}

// add what the bank before still says; at: where the outputs of this piece are
static void fade(twChime* x, float* const* out, int at, int n)
{
    memset(x->block, 0, (size_t)x->pickups * BLOCK * sizeof *x->block);
    for (int i = 0; i < x->pickups; i++) x->out[i] = x->block + (size_t)i * BLOCK;
    tw_bank_process(x->before, x->in_before, x->out, n);
    for (int i = 0; i < x->pickups; i++)
        for (int k = 0; k < n && out[i]; k++) out[i][at + k] += share_of_before(x, k) * x->out[i][k];
    x->fade_left = n < x->fade_left ? x->fade_left - n : 0;
}

void tw_chime_process(twChime* x, const float* const* in, float* const* out, int n)
{
    for (int at = 0; at < n; at += BLOCK)
    {
        int piece = n - at < BLOCK ? n - at : BLOCK;
        for (int i = 0; i < x->points; i++) x->in[i] = in && in[i] ? in[i] + at : NULL;
        for (int i = 0; i < x->pickups; i++) x->out[i] = out[i] ? out[i] + at : NULL;
        if (x->fade_left > 0) pass_forces(x, piece);
        tw_bank_process(x->bank, x->in, x->out, piece);
        if (x->fade_left > 0) fade(x, out, at, piece);
    }
}
