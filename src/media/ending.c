// SPDX-License-Identifier: MIT
// How a sound begins and ends: with 0, and not in a step, which would click.

#include "twang/math.h"
#include "twang/media.h"

#define END_SECONDS 0.005  // of the end that is looked at
#define END_PART 1e-4      // of the peak, -80 dB: what ends below does not click

static double ending_largest(const float* samples, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs((double)samples[i]));
    return most;
}

bool tw_sound_finish(float* samples, int64_t frames, int channels, double rate_hz)
{
    const int64_t last = (int64_t)fmin((double)frames, ceil(END_SECONDS * rate_hz));
    const int64_t length = (int64_t)fmin((double)frames, ceil(TW_FADE_SECONDS * rate_hz));
    for (int c = 0; c < channels && frames > 0; c++) samples[c] = 0;
    const double end = ending_largest(samples + (frames - last) * channels, last * channels);
    if (!(end > END_PART * ending_largest(samples, frames * channels))) return false;
    for (int64_t n = 0; n < length; n++)
    {
        const double gain = 0.5 - 0.5 * cos(TW_PI * (double)n / (double)length);
        for (int c = 0; c < channels; c++) samples[(frames - 1 - n) * channels + c] *= (float)gain;
    }
    return true;
}
