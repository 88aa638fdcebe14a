// SPDX-License-Identifier: MIT
// twModes: checked copies of mode lists. One block per object: the struct, then frequency, decay, mass (modes each),
// shape (points x modes) and pickup (pickups x modes).
#include "twang/modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

twModesDef tw_modes_def(void) { return (twModesDef){.point_count = 1, .pickup_count = 1}; }

static twStatus check_counts(const twModesDef* def, twError* err)
{
    if (def->mode_count < 0 || def->mode_count > TW_MAX_MODES)
        return tw_fail(err, TW_BAD_INPUT, "%d modes: the count must be between 0 and %d", def->mode_count,
                       TW_MAX_MODES);
    if (def->point_count < 1 || (int64_t)def->point_count * def->mode_count > TW_MAX_WEIGHTS)
        return tw_fail(err, TW_BAD_INPUT, "%d points of %d modes: give at least one point and at most %d shape values",
                       def->point_count, def->mode_count, TW_MAX_WEIGHTS);
    if (def->pickup_count < 1 || (int64_t)def->pickup_count * def->mode_count > TW_MAX_WEIGHTS)
        return tw_fail(err, TW_BAD_INPUT, "%d pickups of %d modes: give at least one pickup and at most %d weights",
                       def->pickup_count, def->mode_count, TW_MAX_WEIGHTS);
    if (def->mode_count > 0 && !def->freq_hz)
        return tw_fail(err, TW_BAD_INPUT, "%d modes have no frequencies: set freq_hz", def->mode_count);
    return TW_OK;
}

static twStatus check_modes(const twModesDef* def, twError* err)
{
    for (int k = 0; k < def->mode_count; k++)
    {
        double freq = def->freq_hz[k], decay = def->decay ? def->decay[k] : 0, mass = def->mass ? def->mass[k] : 1;
        if (!(freq >= 0 && isfinite(freq)))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: frequency %g Hz must be 0 or more and finite", k, freq);
        if (!(decay >= 0 && isfinite(decay)))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: decay %g 1/s must be 0 or more and finite", k, decay);
        if (!(mass > 0 && isfinite(mass)))
            return tw_fail(err, TW_BAD_INPUT, "mode %d: mass %g kg must be positive and finite", k, mass);
    }
    return TW_OK;
}

// weights (rows x modes) of points or pickups
static twStatus check_weights(const double* weight, int rows, int modes, const char* what, twError* err)
{
    if (!weight) return TW_OK;
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < modes; k++)
            if (!isfinite(weight[(size_t)row * (size_t)modes + (size_t)k]))
                return tw_fail(err, TW_BAD_INPUT, "mode %d: the weight at %s %d is not a finite number", k, what, row);
    return TW_OK;
}

static void copy_or_fill(double* to, const double* from, size_t count, double value)
{
    if (from && count > 0) memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; !from && i < count; i++) to[i] = value;
}

// lay the arrays out behind the struct and fill them
static void fill(twModes* modes, double* block, const twModesDef* def)
{
    size_t n = (size_t)def->mode_count, points = (size_t)def->point_count, pickups = (size_t)def->pickup_count;
    double *freq = block, *decay = freq + n, *mass = decay + n, *shape = mass + n, *pickup = shape + points * n;
    copy_or_fill(freq, def->freq_hz, n, 0);
    copy_or_fill(decay, def->decay, n, 0);
    copy_or_fill(mass, def->mass, n, 1);
    copy_or_fill(shape, def->shape, points * n, 1);
    for (size_t row = 0; row < pickups; row++)
        copy_or_fill(pickup + row * n, def->pickup ? def->pickup + row * n : shape, n, 1);
    *modes = (twModes){.mode_count = def->mode_count,
                       .point_count = def->point_count,
                       .pickup_count = def->pickup_count,
                       .freq_hz = freq,
                       .decay = decay,
                       .mass = mass,
                       .shape = shape,
                       .pickup = pickup};
}

twStatus tw_modes_create(twModes** out, const twModesDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    twStatus status = check_counts(def, err);
    if (status == TW_OK) status = check_modes(def, err);
    if (status == TW_OK) status = check_weights(def->shape, def->point_count, def->mode_count, "point", err);
    if (status == TW_OK) status = check_weights(def->pickup, def->pickup_count, def->mode_count, "pickup", err);
    if (status != TW_OK) return status;

    // counts are bounded, so the sum cannot overflow 64 bits; on 32-bit platforms it may
    uint64_t doubles = (uint64_t)def->mode_count * (3 + (uint64_t)def->point_count + (uint64_t)def->pickup_count);
    uint64_t bytes = sizeof(twModes) + doubles * sizeof(double);
    twModes* modes = bytes > PTRDIFF_MAX ? NULL : malloc((size_t)bytes);
    if (!modes)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes (%.3g bytes)", def->mode_count, (double)bytes);
    fill(modes, (double*)(modes + 1), def);
    *out = modes;
    return TW_OK;
}

void tw_modes_destroy(twModes* modes) { free(modes); }

twStatus tw_modes_rigid(twModes** out, double mass, twError* err)
{
    double freq_hz = 0;
    twModesDef def = tw_modes_def();
    def.mode_count = 1;
    def.freq_hz = &freq_hz;
    def.mass = &mass;
    return tw_modes_create(out, &def, err);
}
