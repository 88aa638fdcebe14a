// SPDX-License-Identifier: MIT
// Figures of panels: what they show, and saving them. Places in plot_layout.c, drawing in plot_draw.c.

#include "media/plot.h"

#include "media/image.h"
#include "media/raster.h"
#include "media/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PNG_SCALE 2.0  // pixels of a PNG for one of an SVG
#define SMALLEST 100   // side of a picture of given size [px]
#define LARGEST 16000
#define PNG_LARGEST 16000  // [px] figures larger than this are not enlarged

twPlot* tw_plot_create(const char* title, int columns)
{
    twPlot* plot = calloc(1, sizeof *plot);
    twArena* arena = tw_arena_create(1 << 16);
    if (!plot || !arena)
    {
        free(plot);
        tw_arena_destroy(arena);
        return NULL;
    }
    plot->arena = arena;
    plot->columns = columns > 0 ? columns : 1;
    plot->panels_end = &plot->panels;
    plot->title = title && title[0] ? tw_arena_copy_text(arena, title) : NULL;
    plot->no_memory = title && title[0] && !plot->title;
    return plot;
}

void tw_plot_destroy(twPlot* plot)
{
    if (!plot) return;
    tw_arena_destroy(plot->arena);
    free(plot);
}

static void* keep(twPlot* plot, size_t count, size_t size)
{
    void* memory = tw_arena_alloc(plot->arena, count, size);
    if (!memory) plot->no_memory = true;
    return memory;
}

static const char* keep_text(twPlot* plot, const char* text)
{
    if (!text || !text[0]) return NULL;
    const char* copy = tw_arena_copy_text(plot->arena, text);
    if (!copy) plot->no_memory = true;
    return copy;
}

// a copy of n numbers; without any, 0, 1, 2 ...
static const double* keep_numbers(twPlot* plot, const double* x, size_t n)
{
    double* copy = keep(plot, n ? n : 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) copy[i] = x ? x[i] : (double)i;
    return copy;
}

// ---- panels ----

void tw_plot_panel(twPlot* plot, const char* title, const char* x_label, const char* y_label)
{
    Panel* panel = plot ? keep(plot, 1, sizeof *panel) : NULL;
    if (!panel) return;
    *panel = (Panel){.title = keep_text(plot, title),
                     .x_label = keep_text(plot, x_label),
                     .y_label = keep_text(plot, y_label),
                     .x_range = {NAN, NAN},
                     .y_range = {NAN, NAN},
                     .share = 1};
    panel->series_end = &panel->series;
    panel->marks_end = &panel->marks;
    *plot->panels_end = panel;
    plot->panels_end = &panel->next;
    plot->now = panel;
    plot->count++;
}

Panel* plot_panel(twPlot* plot)
{
    if (!plot) return NULL;
    if (!plot->now) tw_plot_panel(plot, NULL, NULL, NULL);
    return plot->now;
}

void tw_plot_log(twPlot* plot, bool x, bool y)
{
    Panel* panel = plot_panel(plot);
    if (!panel) return;
    panel->log_x = x;
    panel->log_y = y;
}

void tw_plot_x_range(twPlot* plot, double low, double high)
{
    Panel* panel = plot_panel(plot);
    if (panel) panel->x_range[0] = low, panel->x_range[1] = high;
}

void tw_plot_y_range(twPlot* plot, double low, double high)
{
    Panel* panel = plot_panel(plot);
    if (panel) panel->y_range[0] = low, panel->y_range[1] = high;
}

void tw_plot_join(twPlot* plot)
{
    Panel* panel = plot_panel(plot);
    if (panel) panel->joined = true;
}

void tw_plot_height(twPlot* plot, double share)
{
    Panel* panel = plot_panel(plot);
    if (panel && share > 0) panel->share = fmax(0.05, fmin(20, share));
}

void tw_plot_dark(twPlot* plot)
{
    if (plot) plot->dark = true;
}

void tw_plot_size(twPlot* plot, int width, int height)
{
    if (!plot) return;
    plot->given_width = width < SMALLEST ? SMALLEST : width > LARGEST ? LARGEST : width;
    plot->given_height = height < SMALLEST ? SMALLEST : height > LARGEST ? LARGEST : height;
}

// ---- data ----

static void add_series(twPlot* plot, SeriesKind kind, const double* x, const double* low, const double* y, size_t n,
                       const char* label)
{
    Panel* panel = plot_panel(plot);
    Series* series = panel ? keep(plot, 1, sizeof *series) : NULL;
    if (!series) return;
    *series = (Series){.kind = kind, .n = n, .x = keep_numbers(plot, x, n), .label = keep_text(plot, label)};
    series->y = keep_numbers(plot, y, n);
    series->low = low ? keep_numbers(plot, low, n) : NULL;
    if (plot->no_memory) return;
    *panel->series_end = series;
    panel->series_end = &series->next;
}

void tw_plot_line(twPlot* plot, const double* x, const double* y, size_t n, const char* label)
{
    add_series(plot, SERIES_LINE, x, NULL, y, n, label);
}

void tw_plot_steps(twPlot* plot, const double* x, const double* y, size_t n, const char* label)
{
    add_series(plot, SERIES_STEPS, x, NULL, y, n, label);
}

void tw_plot_dots(twPlot* plot, const double* x, const double* y, size_t n, const char* label)
{
    add_series(plot, SERIES_DOTS, x, NULL, y, n, label);
}

void tw_plot_band(twPlot* plot, const double* x, const double* low, const double* high, size_t n, const char* label)
{
    add_series(plot, SERIES_BAND, x, low, high, n, label);
}

static void add_marks(twPlot* plot, const double* at, size_t n, bool vertical, bool in_legend, const char* label)
{
    Panel* panel = plot_panel(plot);
    Marks* marks = panel ? keep(plot, 1, sizeof *marks) : NULL;
    const double* copy = marks ? keep_numbers(plot, at, n) : NULL;
    if (!copy) return;
    *marks = (Marks){copy, n, vertical, in_legend, keep_text(plot, label), NULL};
    *panel->marks_end = marks;
    panel->marks_end = &marks->next;
}

void tw_plot_hline(twPlot* plot, double y, const char* label) { add_marks(plot, &y, 1, false, false, label); }

void tw_plot_vline(twPlot* plot, double x, const char* label) { add_marks(plot, &x, 1, true, false, label); }

void tw_plot_vlines(twPlot* plot, const double* x, size_t n, const char* label)
{
    add_marks(plot, x, n, true, true, label);
}

void plot_bar(twPlot* plot, double low, double high, const char* label)
{
    Panel* panel = plot_panel(plot);
    if (!panel) return;
    panel->has_bar = true;
    panel->bar_range[0] = low;
    panel->bar_range[1] = high;
    panel->bar_label = keep_text(plot, label);
}

// values to colours; what is not finite shows the bottom one
static void shade(Heat* heat, const float* values, double low, double high)
{
    enum
    {
        SHADES = 512
    };
    uint32_t shades[SHADES];
    for (int k = 0; k < SHADES; k++) shades[k] = image_heat(k / (SHADES - 1.0));
    uint8_t* out = heat->rgb;
    for (int row = heat->rows - 1; row >= 0; row--)
        for (int column = 0; column < heat->columns; column++, out += 3)
        {
            const double value = values[(size_t)column * (size_t)heat->rows + (size_t)row];
            const double t = isnan(value) ? 0 : fmax(0, fmin(1, (value - low) / (high - low)));
            const uint32_t colour = shades[(int)((SHADES - 1) * t + 0.5)];
            out[0] = (uint8_t)(colour >> 16), out[1] = (uint8_t)(colour >> 8), out[2] = (uint8_t)colour;
        }
}

void tw_plot_heat(twPlot* plot, const twPlotHeat* def)
{
    Panel* panel = plot_panel(plot);
    if (!panel || def->columns < 1 || def->rows < 1 || !(def->low < def->high)) return;
    Heat heat = {NULL, def->columns, def->rows, {def->x[0], def->x[1]}, {def->y[0], def->y[1]}};
    heat.rgb = keep(plot, (size_t)heat.columns * (size_t)heat.rows, 3);
    if (!heat.rgb) return;
    shade(&heat, def->values, def->low, def->high);
    panel->heat = heat;
    plot_bar(plot, def->low, def->high, def->label);
}

// ---- saving ----

static twStatus no_memory(const char* path, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "cannot write %s: no memory for the plot", path);
}

static twStatus save_svg(twPlot* plot, const char* path, twError* err)
{
    twFile* file;
    twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    plot_lay_out(plot, 1);
    Svg svg = svg_painter(tw_file_stream(file));
    svg_open(&svg, plot->width, plot->height, plot->title, plot_theme(plot)->background);
    plot_draw(plot, &svg.painter);
    svg_close(&svg);
    if (!svg.painter.no_memory) return tw_file_commit(&file, err);
    tw_file_abort(&file);
    return no_memory(path, err);
}

static twStatus save_png(twPlot* plot, const char* path, twError* err)
{
    plot_lay_out(plot, PNG_SCALE);
    if (plot->width > PNG_LARGEST || plot->height > PNG_LARGEST) plot_lay_out(plot, 1);
    if (plot->width > 2 * PNG_LARGEST || plot->height > 2 * PNG_LARGEST)
        return tw_fail(err, TW_BAD_INPUT, "%s: %d panels make a picture of %d x %d pixels; save it as .svg", path,
                       plot->count, plot->width, plot->height);
    Raster raster;
    if (!raster_create(&raster, plot->width, plot->height, plot_theme(plot)->background)) return no_memory(path, err);
    plot_draw(plot, &raster.painter);
    twStatus status = raster.painter.no_memory ? no_memory(path, err)
                                               : tw_png_save(path, raster.image.rgb, plot->width, plot->height, err);
    raster_destroy(&raster);
    return status;
}

static bool ends_with(const char* path, const char* ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if ((path[n - m + i] | 32) != ending[i]) return false;
    return true;
}

twStatus tw_plot_check(const char* path, twError* err)
{
    if (ends_with(path, ".svg") || ends_with(path, ".png")) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "'%s' must end with .svg or .png, which is what is written", path);
}

twStatus tw_plot_save(twPlot* plot, const char* path, twError* err)
{
    // a figure without panels is an empty panel
    if (!plot_panel(plot) || plot->no_memory) return no_memory(path, err);
    twStatus status = tw_plot_check(path, err);
    if (status != TW_OK) return status;
    return ends_with(path, ".svg") ? save_svg(plot, path, err) : save_png(plot, path, err);
}
