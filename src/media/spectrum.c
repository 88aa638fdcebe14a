// SPDX-License-Identifier: MIT
// The spectrum: level over frequency of whole sounds, one curve each, with marks at chosen frequencies.
//
// Each sound passes one Blackman-Harris window (sidelobes at -92 dB) and is padded to a power of two, at least four times its
// length, so that between bins a sine reads 0.1 dB low at most. A column of pixels shows its strongest bin.

#include "media/spectrum.h"

#include "media/plot.h"
#include "twang/math.h"

#include <stdlib.h>

#define MOST_FRAMES (1 << 22)

twSpectrumDef tw_spectrum_def(void)
{
    return (twSpectrumDef){.width = 1280, .height = 720, .range_db = 90, .min_hz = 20, .max_hz = 20000};
}

// ---- levels ----

// bins (size/2) of the amplitude spectrum's square; a sine of amplitude 1 has 1
static double* power_of(const twSpectrumCurve* curve, int* size)
{
    const int n = (int)curve->frames;
    for (*size = 4096; *size < 4 * n;) *size *= 2;
    double* re = calloc(2 * (size_t)*size, sizeof *re);
    if (!re) return NULL;
    double* im = re + *size;
    for (int i = 0; i < n; i++)
    {
        const double a = 2 * TW_PI * (i + 0.5) / n,
                     w = 0.35875 - 0.48829 * cos(a) + 0.14128 * cos(2 * a) - 0.01168 * cos(3 * a);
        re[i] = isfinite(curve->samples[i]) ? w * curve->samples[i] * 2 / (0.35875 * n) : 0;
    }
    tw_fft(re, im, *size, -1);
    for (int i = 0; i < *size / 2; i++) re[i] = re[i] * re[i] + im[i] * im[i];
    return re;
}

// frequency at the left edge of a column
static double column_hz(const Axis* x, double column)
{
    return x->low * pow(x->high / x->low, column / (x->end - x->start));
}

// the strongest bin of each column, or the nearest if there is none in it
bool spectrum_levels(double* levels, const Axis* x, const twSpectrumCurve* curve)
{
    int size;
    double* power = power_of(curve, &size);
    if (!power) return false;
    const double bin = curve->rate_hz / size;
    for (int c = 0; c < (int)(x->end - x->start); c++)
    {
        int first = (int)ceil(column_hz(x, c) / bin), last = (int)floor(column_hz(x, c + 1) / bin);
        if (last < first) first = last = (int)lround(column_hz(x, c) / bin);
        double most = 0;
        for (int i = first; i <= last && i < size / 2; i++) most = fmax(most, power[i]);
        levels[c] = most > 0 ? fmax(SPECTRUM_SILENCE, 10 * log10(most)) : SPECTRUM_SILENCE;
    }
    free(power);
    return true;
}

// ---- the figure ----

static twStatus check(const char* path, const twSpectrumDef* def, const twSpectrumCurve* curves, int count,
                      twError* err)
{
    if (def->width < 400 || def->width > 8000 || def->height < 300 || def->height > 8000)
        return tw_fail(err, TW_BAD_INPUT, "%s: picture of %d x %d pixels is outside 400 x 300 to 8000 x 8000", path,
                       def->width, def->height);
    if (!(def->range_db >= 10 && def->range_db <= 200))
        return tw_fail(err, TW_BAD_INPUT, "%s: range of %g dB is outside 10 to 200", path, def->range_db);
    if (!(def->min_hz > 0 && def->max_hz > 1.1 * def->min_hz && def->max_hz <= TW_WAV_MAX_RATE))
        return tw_fail(err, TW_BAD_INPUT, "%s: %g to %g Hz is no range of frequencies", path, def->min_hz, def->max_hz);
    if (count < 1 || count > 16) return tw_fail(err, TW_BAD_INPUT, "%s: %d curves; 1 to 16 can be drawn", path, count);
    for (int k = 0; k < count; k++)
    {
        if (curves[k].frames < 1 || curves[k].frames > MOST_FRAMES)
            return tw_fail(err, TW_BAD_INPUT, "%s: curve %d has %lld samples; 1 to %d can be transformed", path, k,
                           (long long)curves[k].frames, MOST_FRAMES);
        if (!(curves[k].rate_hz >= 1 && curves[k].rate_hz <= TW_WAV_MAX_RATE))
            return tw_fail(err, TW_BAD_INPUT, "%s: rate of %g Hz is outside 1 to %d", path, curves[k].rate_hz,
                           TW_WAV_MAX_RATE);
    }
    return TW_OK;
}

// from a multiple of 10 dB down
static void choose_levels(twPlot* plot, const double* levels, size_t n, double range_db)
{
    double most = SPECTRUM_SILENCE;
    for (size_t i = 0; i < n; i++) most = fmax(most, levels[i]);
    const double top = most > SPECTRUM_SILENCE ? 10 * ceil((most + 1) / 10) : 0;
    tw_plot_y_range(plot, top - range_db, top);
}

// one point of each curve per column of pixels
static void add_curves(twPlot* plot, const twSpectrumCurve* curves, int count, double range_db)
{
    tw_plot_y_range(plot, -range_db, 0);
    plot_lay_out(plot, 1);
    const Axis* x = &plot_panel(plot)->x_axis;
    const size_t columns = (size_t)(x->end - x->start);
    double *hz = malloc(columns * sizeof *hz), *levels = malloc((size_t)count * columns * sizeof *levels);
    if (!hz || !levels) plot->no_memory = true;
    for (size_t c = 0; c < columns && hz; c++) hz[c] = column_hz(x, (double)c + 0.5);
    for (int k = 0; k < count && !plot->no_memory; k++)
    {
        double* own = levels + (size_t)k * columns;
        if (!spectrum_levels(own, x, &curves[k])) plot->no_memory = true;
        tw_plot_line(plot, hz, own, columns, curves[k].label);
    }
    if (!plot->no_memory) choose_levels(plot, levels, (size_t)count * columns, range_db);
    free(hz);
    free(levels);
}

twStatus tw_spectrum_save(const char* path, const twSpectrumDef* def, const twSpectrumCurve* curves, int count,
                          twError* err)
{
    twStatus status = check(path, def, curves, count, err);
    if (status == TW_OK) status = tw_plot_check(path, err);
    if (status != TW_OK) return status;
    twPlot* plot = tw_plot_create(def->title, 1);
    tw_plot_dark(plot);
    tw_plot_size(plot, def->width, def->height);
    tw_plot_panel(plot, NULL, "frequency [Hz]", "level [dB]");
    tw_plot_log(plot, true, false);
    tw_plot_x_range(plot, def->min_hz, def->max_hz);
    if (def->mark_count > 0) tw_plot_vlines(plot, def->marks_hz, (size_t)def->mark_count, def->mark_label);
    if (plot && !plot->no_memory) add_curves(plot, curves, count, def->range_db);
    status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}
