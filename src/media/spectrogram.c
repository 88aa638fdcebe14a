// SPDX-License-Identifier: MIT
// The spectrogram: waveform above, spectra below, colour bar. Levels come from stft.c, the drawing from the plots.

#include "media/stft.h"
#include "media/wave.h"

#include <math.h>
#include <stdlib.h>

typedef struct Sound
{
    const float* samples;
    int64_t frames;
    int channels;
    double rate_hz;
} Sound;

twSpectrogramDef tw_spectrogram_def(void)
{
    return (twSpectrogramDef){.width = 1280, .height = 720, .range_db = 90, .min_hz = 20};
}

static twStatus check(const twSpectrogramDef* def, int channels, double rate_hz, const char* path, twError* err)
{
    if (def->width < 400 || def->width > 8000 || def->height < 300 || def->height > 8000)
        return tw_fail(err, TW_BAD_INPUT, "%s: picture of %d x %d pixels is outside 400 x 300 to 8000 x 8000", path,
                       def->width, def->height);
    if (!(def->range_db >= 10 && def->range_db <= 200))
        return tw_fail(err, TW_BAD_INPUT, "%s: range of %g dB is outside 10 to 200", path, def->range_db);
    if (!(def->min_hz > 0 && isfinite(def->min_hz)))
        return tw_fail(err, TW_BAD_INPUT, "%s: lowest frequency %g Hz must be positive", path, def->min_hz);
    if (channels < 1) return tw_fail(err, TW_BAD_INPUT, "%s: %d channels; at least 1 is needed", path, channels);
    if (!(rate_hz >= 1 && rate_hz <= TW_WAV_MAX_RATE))
        return tw_fail(err, TW_BAD_INPUT, "%s: rate of %g Hz is outside 1 to %d", path, rate_hz, TW_WAV_MAX_RATE);
    return TW_OK;
}

// level of the brightest colour: a multiple of 10 dB
static double top_level(const float* levels, size_t count)
{
    double best = STFT_SILENCE;
    for (size_t i = 0; i < count; i++) best = fmax(best, levels[i]);
    return best > STFT_SILENCE + 1 ? 10 * ceil(best / 10) : 0;
}

// a cell of the spectra for each pixel
static void draw_spectra(twPlot* plot, const twSpectrogramDef* def, const Sound* sound, double low_hz)
{
    static const char* const name = "level [dBFS]";
    const double seconds = (double)sound->frames / sound->rate_hz, high_hz = sound->rate_hz / 2;
    tw_plot_panel(plot, NULL, "time [s]", "frequency [Hz]");
    tw_plot_join(plot);
    tw_plot_log(plot, false, true);
    tw_plot_x_range(plot, 0, seconds);
    tw_plot_y_range(plot, low_hz, high_hz);
    plot_bar(plot, -def->range_db, 0, name);
    Panel* panel = plot_panel(plot);
    if (plot->no_memory) return;
    plot_lay_out(plot, 1);
    StftDef stft = {.samples = sound->samples,
                    .frames = sound->frames,
                    .channels = sound->channels,
                    .rate_hz = sound->rate_hz,
                    .columns = panel->box.width,
                    .rows = panel->box.height,
                    .low_hz = low_hz,
                    .high_hz = high_hz};
    const size_t cells = (size_t)stft.columns * (size_t)stft.rows;
    float* levels = malloc(cells * sizeof *levels);
    if (levels && stft_levels(levels, &stft))
    {
        const double top = top_level(levels, cells);
        tw_plot_heat(plot, &(twPlotHeat){.values = levels,
                                         .columns = stft.columns,
                                         .rows = stft.rows,
                                         .x = {0, seconds},
                                         .y = {low_hz, high_hz},
                                         .low = top - def->range_db,
                                         .high = top,
                                         .label = name});
    }
    else
        plot->no_memory = true;
    free(levels);
}

twStatus tw_spectrogram_save(const char* path, const twSpectrogramDef* def, const float* samples, int64_t frames,
                             int channels, double rate_hz, twError* err)
{
    twStatus status = check(def, channels, rate_hz, path, err);
    if (status == TW_OK) status = tw_plot_check(path, err);
    if (status != TW_OK) return status;
    // an empty sound is drawn as one silent frame
    static const float silence[1] = {0};
    const Sound sound = frames > 0 ? (Sound){samples, frames, channels, rate_hz} : (Sound){silence, 1, 1, rate_hz};
    twPlot* plot = tw_plot_create(def->title, 1);
    if (plot)
    {
        tw_plot_dark(plot);
        tw_plot_size(plot, def->width, def->height);
        tw_plot_panel(plot, NULL, NULL, "amplitude");
        tw_plot_height(plot, 0.18);
        wave_plot(plot, sound.samples, sound.frames, sound.channels, -1, rate_hz);
        draw_spectra(plot, def, &sound, fmin(def->min_hz, rate_hz / 20));
    }
    status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}
