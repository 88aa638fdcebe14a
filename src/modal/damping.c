// SPDX-License-Identifier: MIT
// How modes decay: Rayleigh, one loss factor, or a curve; damping by materials is with the mode sets, which know them.

#include "twang/modal.h"
#include <math.h>

twDamping tw_damping_rayleigh(double alpha, double beta)
{
    return (twDamping){.kind = TW_DAMPING_RAYLEIGH, .alpha = alpha, .beta = beta};
}

twDamping tw_damping_loss_factor(double eta) { return (twDamping){.kind = TW_DAMPING_LOSS_FACTOR, .loss_factor = eta}; }

twDamping tw_damping_materials(void) { return (twDamping){.kind = TW_DAMPING_MATERIALS}; }

static bool usable(double value) { return value >= 0 && isfinite(value); }

static twStatus check_curve(const twDamping* d, twError* err)
{
    if (d->count < 1 || d->count > TW_MAX_DAMPING_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "a damping curve has 1 to %d points, not %d", TW_MAX_DAMPING_POINTS,
                       d->count);
    for (int i = 0; i < d->count; i++)
    {
        if (!(d->freq_hz[i] > 0 && isfinite(d->freq_hz[i]) && d->decay[i] > 0 && isfinite(d->decay[i])))
            return tw_fail(err, TW_BAD_INPUT,
                           "damping curve, point %d: frequency %g Hz and decay %g 1/s must be positive", i + 1,
                           d->freq_hz[i], d->decay[i]);
        if (i > 0 && !(d->freq_hz[i] > d->freq_hz[i - 1]))
            return tw_fail(err, TW_BAD_INPUT, "damping curve: frequencies must rise; %g Hz comes after %g Hz",
                           d->freq_hz[i], d->freq_hz[i - 1]);
    }
    return TW_OK;
}

twStatus tw_damping_check(const twDamping* d, twError* err)
{
    switch (d->kind)
    {
    case TW_DAMPING_RAYLEIGH:
        if (usable(d->alpha) && usable(d->beta)) return TW_OK;
        return tw_fail(err, TW_BAD_INPUT, "Rayleigh damping alpha %g and beta %g must not be negative", d->alpha,
                       d->beta);
    case TW_DAMPING_LOSS_FACTOR:
        if (usable(d->loss_factor) && d->loss_factor < 2) return TW_OK;
        return tw_fail(err, TW_BAD_INPUT, "loss factor %g must be in [0, 2)", d->loss_factor);
    case TW_DAMPING_CURVE:
        return check_curve(d, err);
    case TW_DAMPING_MODES:
    case TW_DAMPING_MATERIALS:
        return TW_OK;
    }
    return tw_fail(err, TW_BAD_INPUT, "unknown kind of damping %d", (int)d->kind);
}

// straight lines in log frequency and log decay, level beyond the ends
static double curve_decay(const twDamping* d, double freq_hz)
{
    if (!(freq_hz > d->freq_hz[0])) return d->decay[0];
    for (int i = 1; i < d->count; i++)
    {
        if (freq_hz > d->freq_hz[i]) continue;
        double part = log(freq_hz / d->freq_hz[i - 1]) / log(d->freq_hz[i] / d->freq_hz[i - 1]);
        return d->decay[i - 1] * pow(d->decay[i] / d->decay[i - 1], part);
    }
    return d->decay[d->count - 1];
}

double tw_damping_decay(const twDamping* d, double freq_hz)
{
    double w = 2 * TW_PI * freq_hz;
    switch (d->kind)
    {
    case TW_DAMPING_RAYLEIGH:
        return 0.5 * (d->alpha + d->beta * w * w);
    case TW_DAMPING_LOSS_FACTOR:
        return TW_PI * d->loss_factor * freq_hz;
    case TW_DAMPING_CURVE:
        return curve_decay(d, freq_hz);
    case TW_DAMPING_MODES:
    case TW_DAMPING_MATERIALS:
        break;
    }
    return 0;
}
