// SPDX-License-Identifier: MIT
// The waveform: a curve of samples, or of the smallest and largest of each stretch.

#include "media/wave.h"

#include <math.h>
#include <stdlib.h>

#define STRETCHES 4096  // finer than any picture's columns at half its width
#define MOST_PANELS 8

double wave_peak(const float* samples, int64_t frames, int channels)
{
    float peak = 0;
    for (int64_t i = 0; i < frames * channels; i++)
    {
        const float size = fabsf(samples[i]);
        if (size > peak && isfinite(size)) peak = size;
    }
    return peak;
}

typedef struct Extent
{
    double low, high;  // NaN without finite samples
} Extent;

static Extent extent_of(const float* samples, int64_t first, int64_t last, int channels, int channel)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = first; i < last; i++)
        for (int c = channel < 0 ? 0 : channel; c < (channel < 0 ? channels : channel + 1); c++)
        {
            const double x = samples[i * channels + c];
            if (!isfinite(x)) continue;
            low = fmin(low, x);
            high = fmax(high, x);
        }
    return low <= high ? (Extent){low, high} : (Extent){NAN, NAN};
}

void wave_plot(twPlot* plot, const float* samples, int64_t frames, int channels, int channel, double rate_hz)
{
    const int64_t n = frames < STRETCHES ? frames : STRETCHES;
    double *t = malloc(2 * ((size_t)n + 1) * sizeof *t), *y = malloc(2 * ((size_t)n + 1) * sizeof *y);
    if (!t || !y) plot->no_memory = true;
    for (int64_t k = 0; k < n && t && y; k++)
    {
        const int64_t first = (int64_t)((double)k / (double)n * (double)frames);
        const int64_t last = k + 1 < n ? (int64_t)((double)(k + 1) / (double)n * (double)frames) : frames;
        const Extent e = extent_of(samples, first, last, channels, channel);
        // up and down in turn, so that neighbours join at the same side
        t[2 * k] = t[2 * k + 1] = (double)first / rate_hz;
        y[2 * k] = k % 2 ? e.high : e.low;
        y[2 * k + 1] = k % 2 ? e.low : e.high;
    }
    const double peak = wave_peak(samples, frames, channels);
    tw_plot_x_range(plot, 0, (double)frames / rate_hz);
    tw_plot_y_range(plot, peak > 0 ? -1.08 * peak : -1, peak > 0 ? 1.08 * peak : 1);
    if (t && y) tw_plot_line(plot, t, y, 2 * (size_t)n, NULL);
    free(t);
    free(y);
}

twStatus tw_waveform_save(const char* path, const char* title, const float* samples, int64_t frames, int channels,
                          double rate_hz, twError* err)
{
    twStatus status = tw_plot_check(path, err);
    if (status != TW_OK) return status;
    if (channels < 1) return tw_fail(err, TW_BAD_INPUT, "%s: %d channels; at least 1 is needed", path, channels);
    if (!(rate_hz > 0 && isfinite(rate_hz)))
        return tw_fail(err, TW_BAD_INPUT, "%s: rate of %g Hz is not above 0", path, rate_hz);
    twPlot* plot = tw_plot_create(title, 1);
    const int panels = channels <= MOST_PANELS ? channels : 1;
    for (int c = 0; c < panels && plot; c++)
    {
        char name[32];
        snprintf(name, sizeof name, "channel %d", c + 1);
        tw_plot_panel(plot, NULL, "time [s]", panels > 1 ? name : "amplitude");
        if (c > 0) tw_plot_join(plot);
        tw_plot_height(plot, panels > 1 ? 0.45 : 0.8);
        wave_plot(plot, samples, frames, channels, panels > 1 ? c : -1, rate_hz);
    }
    status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}
