// SPDX-License-Identifier: MIT
// Values that change in time.

#include "twang/signal.h"
#include "twang/math.h"
#include <math.h>

twSignal tw_signal_constant(double value) { return (twSignal){.kind = TW_SIGNAL_CONSTANT, .value = value}; }

// index of the last keyframe at or before t; the caller has checked that t is inside
static int keyframe_before(const twSignal* s, double t)
{
    int low = 0, high = s->count - 1;
    while (high - low > 1)
    {
        int middle = (low + high) / 2;
        if (s->times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double keyframes_value(const twSignal* s, double t)
{
    if (t <= s->times[0]) return s->values[0];
    if (t >= s->times[s->count - 1]) return s->values[s->count - 1];
    int i = keyframe_before(s, t);
    double part = (t - s->times[i]) / (s->times[i + 1] - s->times[i]);
    if (s->interpolation == TW_STEP) part = 0;
    if (s->interpolation == TW_SMOOTH) part = part * part * (3 - 2 * part);
    return s->values[i] + part * (s->values[i + 1] - s->values[i]);
}

// linear between samples, 0 before and after
static double table_value(const twSignal* s, double t)
{
    double at = t * s->table_rate_hz;
    if (!(at >= 0 && at <= s->count - 1)) return 0;
    int i = (int)at;
    double next = i + 1 < s->count ? s->values[i + 1] : 0;
    return s->values[i] + (at - i) * (next - s->values[i]);
}

static double sine_angle(const twSignal* s, double t) { return 2 * TW_PI * s->freq_hz * t + s->phase; }

double tw_signal_value(const twSignal* s, double t, twNoise* noise)
{
    switch (s->kind)
    {
    case TW_SIGNAL_CONSTANT:
        return s->value;
    case TW_SIGNAL_KEYFRAMES:
        return keyframes_value(s, t);
    case TW_SIGNAL_NOISE:
        return s->value + s->amount * (noise ? tw_noise_next(noise) : 0);
    case TW_SIGNAL_TABLE:
        return s->value + s->amount * table_value(s, t);
    case TW_SIGNAL_SINE:
        return s->value + s->amount * sin(sine_angle(s, t));
    }
    return 0;
}

static double keyframes_rate(const twSignal* s, double t)
{
    if (t < s->times[0] || t >= s->times[s->count - 1] || s->interpolation == TW_STEP) return 0;
    const int i = keyframe_before(s, t);
    const double length = s->times[i + 1] - s->times[i], part = (t - s->times[i]) / length;
    const double slope = (s->values[i + 1] - s->values[i]) / length;
    return s->interpolation == TW_SMOOTH ? 6 * part * (1 - part) * slope : slope;
}

static double table_rate(const twSignal* s, double t)
{
    const double at = t * s->table_rate_hz;
    if (!(at >= 0 && at < s->count - 1)) return 0;
    const int i = (int)at;
    return (s->values[i + 1] - s->values[i]) * s->table_rate_hz;
}

double tw_signal_rate(const twSignal* s, double t)
{
    switch (s->kind)
    {
    case TW_SIGNAL_KEYFRAMES:
        return keyframes_rate(s, t);
    case TW_SIGNAL_TABLE:
        return s->amount * table_rate(s, t);
    case TW_SIGNAL_SINE:
        return 2 * TW_PI * s->freq_hz * s->amount * cos(sine_angle(s, t));
    default:
        return 0;
    }
}
