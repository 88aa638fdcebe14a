// SPDX-License-Identifier: MIT
// Where the parts of a figure go: ranges, ticks, margins, panels in a grid.

#include "media/plot.h"

#include <math.h>

#define BAR_MARGIN 92.0  // room for a colour bar with numbers and name, at scale 1 [px]

int plot_px(const twPlot* plot, double size) { return (int)lround(size * plot->scale); }

// ---- ranges ----

static void widen(Axis* axis, double value)
{
    if (!isfinite(value) || (axis->log && value <= 0)) return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static bool is_shown(const Axis* axis, double value) { return isfinite(value) && !(axis->log && value <= 0); }

// only points that can be drawn count
static void find_data_range(Panel* panel)
{
    for (const Series* s = panel->series; s; s = s->next)
        for (size_t i = 0; i < s->n; i++)
        {
            if (!is_shown(&panel->x_axis, s->x[i]) || !is_shown(&panel->y_axis, s->y[i])) continue;
            widen(&panel->x_axis, s->x[i]);
            widen(&panel->y_axis, s->y[i]);
            if (s->low) widen(&panel->y_axis, s->low[i]);
        }
    for (const Marks* m = panel->marks; m; m = m->next)
        for (size_t i = 0; i < m->n; i++) widen(m->vertical ? &panel->x_axis : &panel->y_axis, m->at[i]);
    for (int k = 0; k < 2 && panel->heat.rgb; k++)
    {
        widen(&panel->x_axis, panel->heat.x[k]);
        widen(&panel->y_axis, panel->heat.y[k]);
    }
}

static void fit(Axis* axis, const double range[2], double pad)
{
    bool given = isfinite(range[0]) && isfinite(range[1]) && range[0] < range[1] && !(axis->log && range[0] <= 0);
    if (given)
    {
        axis->low = range[0];
        axis->high = range[1];
    }
    axis_fit(axis, given ? 0 : pad);
}

// lines over a rising x and pictures fill the width; dots and loops keep clear of the frame
static bool is_flush(const Panel* panel)
{
    for (const Series* s = panel->series; s; s = s->next)
    {
        if (s->kind == SERIES_DOTS) return false;
        for (size_t i = 1; i < s->n; i++)
            if (s->x[i] < s->x[i - 1]) return false;
    }
    return true;
}

static bool counts_hz(const char* label)
{
    const char* unit = label;
    for (; unit && *unit; unit++)
        if (unit[0] == '[' && unit[1] == 'H' && unit[2] == 'z' && unit[3] == ']') return true;
    return false;
}

static void find_ranges(Panel* panel)
{
    panel->x_axis = (Axis){.low = INFINITY, .high = -INFINITY, .log = panel->log_x, .kilo = counts_hz(panel->x_label)};
    panel->y_axis = (Axis){.low = INFINITY, .high = -INFINITY, .log = panel->log_y, .kilo = counts_hz(panel->y_label)};
    find_data_range(panel);
    fit(&panel->x_axis, panel->x_range, is_flush(panel) ? 0 : 0.04);
    fit(&panel->y_axis, panel->y_range, panel->heat.rgb ? 0 : 0.06);
}

static Panel* panel_at(const twPlot* plot, int index)
{
    Panel* panel = plot->panels;
    while (panel && index-- > 0) panel = panel->next;
    return panel;
}

// panels joined to the one above share the widest x range; only the lowest shows it
static void join_ranges(twPlot* plot)
{
    for (int k = plot->count - 1; k >= plot->columns; k--)
    {
        Panel *below = panel_at(plot, k), *above = panel_at(plot, k - plot->columns);
        if (!below->joined || below->log_x != above->log_x) continue;
        above->bare = true;
        above->x_axis.low = fmin(above->x_axis.low, below->x_axis.low);
        above->x_axis.high = fmax(above->x_axis.high, below->x_axis.high);
    }
    for (int k = plot->columns; k < plot->count; k++)
    {
        Panel *below = panel_at(plot, k), *above = panel_at(plot, k - plot->columns);
        if (!below->joined || below->log_x != above->log_x) continue;
        below->x_axis.low = above->x_axis.low;
        below->x_axis.high = above->x_axis.high;
    }
}

// ---- legends ----

int plot_legend_width(const twPlot* plot, const char* label)
{
    return plot_px(plot, 38) + (int)paint_text_width(PLOT_TEXT * plot->scale, label);
}

static void enter_legend(const twPlot* plot, const char* label, int width, int* rows, int* used)
{
    if (!label) return;
    const int entry = plot_legend_width(plot, label);
    if (*rows == 0 || *used + entry > width) ++*rows, *used = 0;
    *used += entry;
}

static int legend_rows(const twPlot* plot, const Panel* panel, int width)
{
    int rows = 0, used = 0;
    for (const Series* s = panel->series; s; s = s->next) enter_legend(plot, s->label, width, &rows, &used);
    for (const Marks* m = panel->marks; m; m = m->next)
        if (m->in_legend) enter_legend(plot, m->label, width, &rows, &used);
    return rows;
}

// ---- margins ----

static double line_height(double size, const char* text)
{
    (void)text;
    return size;
}

static double widest_tick(const twPlot* plot, const Ticks* ticks)
{
    double widest = 0;
    for (int k = 0; k < ticks->count; k++)
        widest = fmax(widest, paint_text_width(PLOT_TEXT * plot->scale, ticks->tick[k].text));
    return widest;
}

// about as many numbers as there is room for, but a few if round numbers allow it
static void find_y_ticks(const twPlot* plot, const Axis* axis, double height, Ticks* ticks)
{
    const double room = height / plot->scale;
    const int wanted = (int)fmax(2, room / (axis->log ? 24 : 46));
    for (int more = 0; more < 4; more++)
    {
        axis_ticks(axis, wanted + more, ticks);
        if (ticks->count >= (room > 90 ? 4 : 2)) break;
    }
}

// margins that all panels share: room for the longest number, the names and the colour bars
static void find_margins(twPlot* plot, double data_height)
{
    double widest = 0, total = 0;
    bool named = false, bar = false;
    for (Panel* p = plot->panels; p; p = p->next)
    {
        find_y_ticks(plot, &p->y_axis, data_height * p->share, &p->y_ticks);
        widest = fmax(widest, widest_tick(plot, &p->y_ticks));
        named = named || p->y_label || p->y_ticks.exponent;
        bar = bar || p->has_bar;
    }
    total = widest + plot_px(plot, 16) + (named ? plot_px(plot, 22) : 0);
    plot->left = (int)fmax(total, plot_px(plot, 44));
    plot->right = plot_px(plot, bar ? BAR_MARGIN : 24);
}

typedef struct Row
{
    int top, bottom, height;  // of titles and legends, of numbers and names, of the data
} Row;

static Row measure_row(const twPlot* plot, int row, int width)
{
    Row r = {.bottom = plot_px(plot, 10)};
    for (int k = row * plot->columns; k < plot->count && k < (row + 1) * plot->columns; k++)
    {
        Panel* p = panel_at(plot, k);
        p->legend_rows = legend_rows(plot, p, width);
        const int top = plot_px(plot, (p->title ? 30 : p->joined ? 4 : 12) + 18 * p->legend_rows);
        const int bottom = plot_px(plot, p->bare ? 10 : p->x_label ? 54 : 34);
        if (top > r.top) r.top = top;
        if (bottom > r.bottom) r.bottom = bottom;
    }
    return r;
}

static double row_share(const twPlot* plot, int row)
{
    double share = 0;
    for (int k = row * plot->columns; k < plot->count && k < (row + 1) * plot->columns; k++)
        share = fmax(share, panel_at(plot, k)->share);
    return share;
}

// ---- ticks ----

// distance of two ticks of a linear axis [px]
static double tick_step(const Panel* p)
{
    if (p->x_ticks.count < 2) return p->box.width;
    return axis_place(&p->x_axis, p->x_ticks.tick[1].value) - axis_place(&p->x_axis, p->x_ticks.tick[0].value);
}

// numbers along x must not meet: as many as fit, two if possible
static void find_x_ticks(const twPlot* plot, Panel* p)
{
    const double size = PLOT_TEXT * plot->scale, room = p->box.width / plot->scale;
    int wanted = (int)fmax(4, room / (p->log_x ? 30 : 70));
    axis_ticks(&p->x_axis, wanted, &p->x_ticks);
    while (!p->log_x && wanted > 1 && p->x_ticks.count > 2 && widest_tick(plot, &p->x_ticks) + size > tick_step(p))
        axis_ticks(&p->x_axis, --wanted, &p->x_ticks);
    axis_thin(&p->x_axis, &p->x_ticks, size, paint_text_width);
}

static void place_bar(const twPlot* plot, Panel* p)
{
    p->bar = (Box){p->box.x + p->box.width + plot_px(plot, 16), p->box.y, plot_px(plot, 14), p->box.height};
    p->bar_axis =
        (Axis){.low = p->bar_range[0], .high = p->bar_range[1], .start = p->bar.y + p->bar.height, .end = p->bar.y};
    axis_fit(&p->bar_axis, 0);
    find_y_ticks(plot, &p->bar_axis, p->box.height, &p->bar_ticks);
}

static void place_panel(const twPlot* plot, Panel* p, int top, const Row* row, int column, int width)
{
    p->box = (Box){column * (width + plot->left + plot->right) + plot->left, top + row->top, width, row->height};
    p->x_axis.start = p->box.x;
    p->x_axis.end = p->box.x + p->box.width;
    p->y_axis.start = p->box.y + p->box.height;
    p->y_axis.end = p->box.y;
    find_y_ticks(plot, &p->y_axis, p->box.height, &p->y_ticks);
    axis_thin(&p->y_axis, &p->y_ticks, PLOT_TEXT * plot->scale, line_height);
    find_x_ticks(plot, p);
    if (p->has_bar) place_bar(plot, p);
}

// names of the y axes stand in line in each column, left of the longest number
static void place_names(twPlot* plot)
{
    for (int column = 0; column < plot->columns && column < plot->count; column++)
    {
        double widest = 0;
        for (int k = column; k < plot->count; k += plot->columns)
            widest = fmax(widest, widest_tick(plot, &panel_at(plot, k)->y_ticks));
        for (int k = column; k < plot->count; k += plot->columns)
            panel_at(plot, k)->name_x = panel_at(plot, k)->box.x - plot_px(plot, 20) - (int)widest;
    }
}

// ---- the whole ----

static double sum_of_shares(const twPlot* plot, int rows)
{
    double sum = 0;
    for (int row = 0; row < rows; row++) sum += row_share(plot, row);
    return sum;
}

// height of the data of a panel of share 1
static double unit_height(const twPlot* plot, int rows, int width)
{
    if (!plot->given_height) return plot->scale * (plot->columns == 1 ? 306 : plot->columns == 2 ? 266 : 236);
    int rest = plot->given_height - plot->head;
    for (int row = 0; row < rows; row++)
    {
        const Row r = measure_row(plot, row, width);
        rest -= r.top + r.bottom;
    }
    return fmax(20, rest / sum_of_shares(plot, rows));
}

static void place_rows(twPlot* plot, int rows, int width)
{
    const double unit = unit_height(plot, rows, width);
    int top = plot->head;
    for (int row = 0; row < rows; row++)
    {
        Row r = measure_row(plot, row, width);
        r.height = (int)fmax(10, unit * row_share(plot, row));
        for (int k = 0; k < plot->columns && row * plot->columns + k < plot->count; k++)
            place_panel(plot, panel_at(plot, row * plot->columns + k), top, &r, k, width);
        top += r.top + r.height + r.bottom;
    }
    plot->height = plot->given_height ? plot->given_height : top;
}

// text grows with the picture
static double given_scale(const twPlot* plot)
{
    return fmax(0.85, fmin(2.4, fmin(plot->given_width / 900.0, plot->given_height / 680.0)));
}

void plot_lay_out(twPlot* plot, double natural_scale)
{
    const int columns = plot->count < plot->columns ? plot->count : plot->columns;
    const int rows = (plot->count + plot->columns - 1) / plot->columns;
    plot->scale = plot->given_height ? given_scale(plot) : natural_scale;
    plot->head = plot_px(plot, plot->title ? 44 : 8);
    for (Panel* p = plot->panels; p; p = p->next)
    {
        p->bare = false;
        find_ranges(p);
    }
    join_ranges(plot);
    const double guess =
        plot->given_height ? plot->given_height / sum_of_shares(plot, rows) : unit_height(plot, rows, 0);
    find_margins(plot, guess);
    const int natural = plot_px(plot, plot->columns == 1 ? 780 : plot->columns == 2 ? 560 : 460);
    const int each = plot->given_width ? plot->given_width / columns : natural;
    const int width = (int)fmax(each - plot->left - plot->right, plot_px(plot, 60));
    plot->width = plot->given_width ? plot->given_width : columns * (width + plot->left + plot->right);
    place_rows(plot, rows, width);
    place_names(plot);
}
