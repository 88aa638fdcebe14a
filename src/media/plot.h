// SPDX-License-Identifier: MIT
#pragma once
#include "media/axis.h"
#include "media/painter.h"
#include "twang/media.h"

/// @file
/// Inside a figure: what it shows, where that goes, and drawing it. Data in plot.c, places in plot_layout.c, drawing in
/// plot_draw.c.

typedef enum SeriesKind
{
    SERIES_LINE,
    SERIES_STEPS,
    SERIES_DOTS,
    SERIES_BAND,
} SeriesKind;

typedef struct Series
{
    SeriesKind kind;
    const double *x, *y, *low;  ///< low: of a band
    size_t n;
    const char* label;
    struct Series* next;
} Series;

/// Dashed lines at places on one axis; each place has its own label beside it, or all share one in the legend.
typedef struct Marks
{
    const double* at;
    size_t n;
    bool vertical, in_legend;
    const char* label;
    struct Marks* next;
} Marks;

typedef struct Heat
{
    uint8_t* rgb;  ///< (rows x columns x 3), top row first; NULL: none
    int columns, rows;
    double x[2], y[2];  ///< what it covers
} Heat;

typedef struct Panel
{
    const char *title, *x_label, *y_label;
    Series *series, **series_end;
    Marks *marks, **marks_end;
    bool log_x, log_y, joined;
    double x_range[2], y_range[2];  ///< NaN: from the data
    double share;                   ///< of the height
    Heat heat;
    bool has_bar;
    double bar_range[2];
    const char* bar_label;
    struct Panel* next;

    // filled by plot_lay_out()
    Axis x_axis, y_axis, bar_axis;
    Ticks x_ticks, y_ticks, bar_ticks;
    Box box, bar;  ///< of the data, of the colour bar
    int name_x;    ///< where the name of the y axis stands [px]
    int legend_rows;
    bool bare;  ///< a panel that is joined to it shows the x axis
} Panel;

typedef struct Theme
{
    uint32_t background, area, ink, dim, grid, fine, frame;
    const uint32_t* colours;  ///< (PLOT_COLOURS) of the series
} Theme;

#define PLOT_COLOURS 8

struct twPlot
{
    twArena* arena;
    const char* title;
    int columns, count;
    bool no_memory, dark;
    int given_width, given_height;  ///< 0: as large as needed
    Panel *panels, **panels_end, *now;

    // filled by plot_lay_out()
    double scale;       ///< of all sizes: 1 for figures on a page
    int left, right;    ///< margins of each panel [px]
    int head;           ///< height of the title [px]
    int width, height;  ///< of the whole [px]
};

#define PLOT_TEXT 12.0   ///< size of numbers and legends at scale 1 [px]
#define PLOT_NAMES 13.0  ///< of the axes' names
#define PLOT_TITLE 14.0  ///< of the panels' titles

Panel* plot_panel(twPlot* plot);  ///< the panel to act on; a first one comes by itself; NULL without memory
/// Room for a colour bar from now on.
void plot_bar(twPlot* plot, double low, double high, const char* label);
/// Find all places. Natural scale: what a figure without given size is enlarged by.
void plot_lay_out(twPlot* plot, double natural_scale);
int plot_legend_width(const twPlot* plot, const char* label);  ///< of one entry [px]
int plot_px(const twPlot* plot, double size);                  ///< a size at scale 1 in pixels
void plot_draw(const twPlot* plot, Painter* painter);
const Theme* plot_theme(const twPlot* plot);
