// SPDX-License-Identifier: MIT
// Figures of panels as SVG: data, layout, drawing. Axes live in axis.c, curves in svg.c.

#include "media/svg.h"
#include "twang/media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INK "#1f2430"
#define DIM "#5b6270"
#define CHARACTER 6.3  // mean width of a character of small text [px]

typedef struct Series
{
    const double *x, *y;
    size_t n;
    const char* label;
    bool dots;
    struct Series* next;
} Series;

typedef struct Mark
{
    double at;
    bool vertical;
    const char* label;
    struct Mark* next;
} Mark;

typedef struct Panel
{
    const char *title, *x_label, *y_label;
    Series *series, **series_end;
    Mark *marks, **marks_end;
    bool log_x, log_y;
    double x_range[2], y_range[2];  // NaN: from the data
    struct Panel* next;

    // layout, filled by save
    Axis x_axis, y_axis;
    Ticks x_ticks, y_ticks;
    int x, y, width, height;  // of the data area [px]
    int legend_rows;
} Panel;

struct twPlot
{
    twArena* arena;
    const char* title;
    int columns;
    bool no_memory;
    Panel *panels, **panels_end, *now;
    int count;
};

static const char* const palette[] = {"#2166c4", "#d9541e", "#2a9154", "#8a4fbf",
                                      "#c7961a", "#c2317b", "#1f9bb0", "#6b6f78"};
#define COLOURS (sizeof palette / sizeof *palette)

// ---- data ----

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
    plot->title = title ? tw_arena_copy_text(arena, title) : NULL;
    plot->no_memory = title && !plot->title;
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

void tw_plot_panel(twPlot* plot, const char* title, const char* x_label, const char* y_label)
{
    Panel* panel = plot ? keep(plot, 1, sizeof *panel) : NULL;
    if (!panel) return;
    *panel = (Panel){.title = keep_text(plot, title),
                     .x_label = keep_text(plot, x_label),
                     .y_label = keep_text(plot, y_label),
                     .x_range = {NAN, NAN},
                     .y_range = {NAN, NAN}};
    panel->series_end = &panel->series;
    panel->marks_end = &panel->marks;
    *plot->panels_end = panel;
    plot->panels_end = &panel->next;
    plot->now = panel;
    plot->count++;
}

// the panel to act on; a first one comes by itself
static Panel* current(twPlot* plot)
{
    if (!plot) return NULL;
    if (!plot->now) tw_plot_panel(plot, NULL, NULL, NULL);
    return plot->now;
}

static void add_series(twPlot* plot, const double* x, const double* y, size_t n, const char* label, bool dots)
{
    Panel* panel = current(plot);
    Series* series = panel ? keep(plot, 1, sizeof *series) : NULL;
    double* copy = series && n <= SIZE_MAX / 2 ? keep(plot, n ? 2 * n : 1, sizeof *copy) : NULL;
    if (!copy) return;
    for (size_t i = 0; i < n; i++)
    {
        copy[i] = x ? x[i] : (double)i;
        copy[n + i] = y[i];
    }
    *series = (Series){copy, copy + n, n, keep_text(plot, label), dots, NULL};
    *panel->series_end = series;
    panel->series_end = &series->next;
}

void tw_plot_line(twPlot* plot, const double* x, const double* y, size_t n, const char* label)
{
    add_series(plot, x, y, n, label, false);
}

void tw_plot_dots(twPlot* plot, const double* x, const double* y, size_t n, const char* label)
{
    add_series(plot, x, y, n, label, true);
}

static void add_mark(twPlot* plot, double at, bool vertical, const char* label)
{
    Panel* panel = current(plot);
    Mark* mark = panel ? keep(plot, 1, sizeof *mark) : NULL;
    if (!mark) return;
    *mark = (Mark){at, vertical, keep_text(plot, label), NULL};
    *panel->marks_end = mark;
    panel->marks_end = &mark->next;
}

void tw_plot_hline(twPlot* plot, double y, const char* label) { add_mark(plot, y, false, label); }

void tw_plot_vline(twPlot* plot, double x, const char* label) { add_mark(plot, x, true, label); }

void tw_plot_log(twPlot* plot, bool x, bool y)
{
    Panel* panel = current(plot);
    if (!panel) return;
    panel->log_x = x;
    panel->log_y = y;
}

void tw_plot_x_range(twPlot* plot, double low, double high)
{
    Panel* panel = current(plot);
    if (panel) panel->x_range[0] = low, panel->x_range[1] = high;
}

void tw_plot_y_range(twPlot* plot, double low, double high)
{
    Panel* panel = current(plot);
    if (panel) panel->y_range[0] = low, panel->y_range[1] = high;
}

// ---- ranges ----

static void widen(Axis* axis, double value)
{
    if (!isfinite(value) || (axis->log && value <= 0)) return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

// only points that can be drawn count
static void find_data_range(Panel* panel)
{
    for (const Series* s = panel->series; s; s = s->next)
        for (size_t i = 0; i < s->n; i++)
        {
            bool shown = isfinite(s->x[i]) && isfinite(s->y[i]) && !(panel->log_x && s->x[i] <= 0) &&
                         !(panel->log_y && s->y[i] <= 0);
            if (!shown) continue;
            widen(&panel->x_axis, s->x[i]);
            widen(&panel->y_axis, s->y[i]);
        }
    for (const Mark* m = panel->marks; m; m = m->next) widen(m->vertical ? &panel->x_axis : &panel->y_axis, m->at);
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

// lines over a rising x fill the width; dots and loops keep clear of the frame
static bool is_flush(const Panel* panel)
{
    for (const Series* s = panel->series; s; s = s->next)
    {
        if (s->dots) return false;
        for (size_t i = 1; i < s->n; i++)
            if (s->x[i] < s->x[i - 1]) return false;
    }
    return true;
}

static void find_ranges(Panel* panel)
{
    panel->x_axis = (Axis){.low = INFINITY, .high = -INFINITY, .log = panel->log_x};
    panel->y_axis = (Axis){.low = INFINITY, .high = -INFINITY, .log = panel->log_y};
    find_data_range(panel);
    fit(&panel->x_axis, panel->x_range, is_flush(panel) ? 0 : 0.04);
    fit(&panel->y_axis, panel->y_range, 0.06);
}

// ---- layout ----

typedef struct Layout
{
    int panel_width, panel_height, head, left, right, top, bottom;
} Layout;

// characters, not bytes
static int text_length(const char* text)
{
    int n = 0;
    for (; text && *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static int entry_width(const Series* series) { return 34 + (int)(CHARACTER * text_length(series->label)); }

static int legend_rows(const Panel* panel, int width)
{
    int rows = 0, used = width + 1;
    for (const Series* s = panel->series; s; s = s->next)
    {
        if (!s->label) continue;
        if (used + entry_width(s) > width) rows++, used = 0;
        used += entry_width(s);
    }
    return rows;
}

static int widest_tick(const Panel* panel)
{
    int widest = 0;
    for (int k = 0; k < panel->y_ticks.count; k++)
    {
        const Tick* tick = &panel->y_ticks.tick[k];
        int length = text_length(tick->text) + (tick->raised ? 2 : 0);
        if (length > widest) widest = length;
    }
    return widest;
}

// equal panels, wide enough for the longest number and the tallest legend
static Layout lay_out(twPlot* plot)
{
    Layout l = {.panel_width = plot->columns == 1 ? 780 : plot->columns == 2 ? 560 : 460, .right = 22, .bottom = 58};
    l.panel_height = plot->columns == 1 ? 400 : plot->columns == 2 ? 360 : 330;
    l.head = plot->title ? 48 : 10;
    int widest = 0, rows = 0;
    for (Panel* p = plot->panels; p; p = p->next)
    {
        find_ranges(p);
        axis_ticks(&p->y_axis, 6, &p->y_ticks);
        if (widest_tick(p) > widest) widest = widest_tick(p);
    }
    l.left = 44 + (int)(CHARACTER * widest);
    for (Panel* p = plot->panels; p; p = p->next)
    {
        p->legend_rows = legend_rows(p, l.panel_width - l.left - l.right);
        if (p->legend_rows > rows) rows = p->legend_rows;
    }
    l.top = 36 + 18 * rows;
    l.panel_height += 18 * rows;
    return l;
}

static void place_panel(Panel* panel, const Layout* l, int column, int row)
{
    panel->x = column * l->panel_width + l->left;
    panel->y = l->head + row * l->panel_height + l->top;
    panel->width = l->panel_width - l->left - l->right;
    panel->height = l->panel_height - l->top - l->bottom;
    panel->x_axis.start = panel->x;
    panel->x_axis.end = panel->x + panel->width;
    panel->y_axis.start = panel->y + panel->height;
    panel->y_axis.end = panel->y;
    axis_ticks(&panel->x_axis, panel->width / (panel->log_x ? 50 : 75), &panel->x_ticks);
}

// ---- drawing ----

static void draw_text(FILE* f, int x, int y, const char* style, const char* text)
{
    if (!text || !text[0]) return;
    fprintf(f, "<text x=\"%d\" y=\"%d\" %s>", x, y, style);
    svg_text(f, text);
    fputs("</text>\n", f);
}

static void draw_tick_label(FILE* f, int x, int y, const char* anchor, const Tick* tick)
{
    if (!tick->text[0]) return;
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s", x, y, anchor, tick->text);
    if (tick->raised)
        fprintf(f, "<tspan dy=\"-5\" font-size=\"9\">%s%d</tspan>", tick->power < 0 ? "\xe2\x88\x92" : "",
                abs(tick->power));
    fputs("</text>\n", f);
}

static void draw_grid_line(FILE* f, int x0, int y0, int x1, int y1, bool minor)
{
    fprintf(f, "<path d=\"M%d %dL%d %d\" stroke=\"%s\"/>\n", x0, y0, x1, y1, minor ? "#f2f3f6" : "#dfe2e8");
}

static void draw_grid(FILE* f, const Panel* p)
{
    fputs("<g fill=\"none\" shape-rendering=\"crispEdges\">\n", f);
    for (int k = 0; k < p->x_ticks.count; k++)
    {
        int x = (int)lround(axis_place(&p->x_axis, p->x_ticks.tick[k].value));
        draw_grid_line(f, x, p->y, x, p->y + p->height, p->x_ticks.tick[k].minor);
    }
    for (int k = 0; k < p->y_ticks.count; k++)
    {
        int y = (int)lround(axis_place(&p->y_axis, p->y_ticks.tick[k].value));
        draw_grid_line(f, p->x, y, p->x + p->width, y, p->y_ticks.tick[k].minor);
    }
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" stroke=\"#9aa0ad\"/>\n</g>\n", p->x, p->y, p->width,
            p->height);
}

static void draw_labels(FILE* f, const Panel* p)
{
    fputs("<g font-size=\"12\" fill=\"" DIM "\">\n", f);
    for (int k = 0; k < p->x_ticks.count; k++)
    {
        int x = (int)lround(axis_place(&p->x_axis, p->x_ticks.tick[k].value));
        draw_tick_label(f, x, p->y + p->height + 18, "middle", &p->x_ticks.tick[k]);
    }
    for (int k = 0; k < p->y_ticks.count; k++)
    {
        int y = (int)lround(axis_place(&p->y_axis, p->y_ticks.tick[k].value));
        draw_tick_label(f, p->x - 8, y + 4, "end", &p->y_ticks.tick[k]);
    }
    fputs("</g>\n", f);
}

static void draw_names(FILE* f, const Panel* p, const Layout* l)
{
    char label[512], style[160];
    draw_text(f, p->x, p->y - l->top + 18, "font-size=\"14\" font-weight=\"600\" fill=\"" INK "\"", p->title);
    axis_label(label, sizeof label, p->x_label, p->x_ticks.exponent);
    draw_text(f, p->x + p->width / 2, p->y + p->height + 40, "font-size=\"13\" text-anchor=\"middle\" fill=\"" INK "\"",
              label);
    axis_label(label, sizeof label, p->y_label, p->y_ticks.exponent);
    int x = p->x - l->left + 16, y = p->y + p->height / 2;
    snprintf(style, sizeof style,
             "font-size=\"13\" text-anchor=\"middle\" fill=\"" INK "\" transform=\"rotate(-90 %d %d)\"", x, y);
    draw_text(f, x, y, style, label);
}

static void draw_legend(FILE* f, const Panel* p)
{
    const int width = p->width;
    int used = width + 1, row = -1;
    size_t colour = 0;
    for (const Series* s = p->series; s; s = s->next, colour++)
    {
        if (!s->label) continue;
        if (used + entry_width(s) > width) row++, used = 0;
        int x = p->x + used, y = p->y - 10 - 18 * (p->legend_rows - 1 - row);
        const char* paint = palette[colour % COLOURS];
        if (s->dots)
            fprintf(f, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", x + 10, y - 4, paint);
        else
            fprintf(f, "<path d=\"M%d %dh20\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y - 4, paint);
        draw_text(f, x + 25, y, "font-size=\"12\" fill=\"" INK "\"", s->label);
        used += entry_width(s);
    }
}

// data are drawn in tenths of a pixel
static void draw_series(FILE* f, const Panel* p, int index)
{
    fprintf(f, "<g clip-path=\"url(#p%d)\"><g transform=\"scale(.1)\">\n", index);
    size_t colour = 0;
    for (const Series* s = p->series; s; s = s->next, colour++)
    {
        const char* paint = palette[colour % COLOURS];
        if (s->dots)
        {
            fprintf(f, "<g fill=\"%s\">", paint);
            svg_dots(f, &p->x_axis, &p->y_axis, s->x, s->y, s->n, s->n > 300 ? 20 : 35);
            fputs("</g>\n", f);
            continue;
        }
        fprintf(
            f,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"16\" stroke-linejoin=\"round\" stroke-linecap=\"round\" "
            "d=\"",
            paint);
        svg_path(f, &p->x_axis, &p->y_axis, s->x, s->y, s->n);
        fputs("\"/>\n", f);
    }
    fputs("</g></g>\n", f);
}

static void draw_mark(FILE* f, const Panel* p, const Mark* m)
{
    const Axis* axis = m->vertical ? &p->x_axis : &p->y_axis;
    if (!isfinite(m->at) || m->at < axis->low || m->at > axis->high) return;
    const int at = (int)lround(axis_place(axis, m->at));
    const char* dashes = "stroke=\"" DIM "\" stroke-dasharray=\"5 4\"";
    if (m->vertical)
        fprintf(f, "<path d=\"M%d %dv%d\" %s/>\n", at, p->y, p->height, dashes);
    else
        fprintf(f, "<path d=\"M%d %dh%d\" %s/>\n", p->x, at, p->width, dashes);
    // on the side with more room, with a white rim
    char style[256];
    bool turn = m->vertical && at > p->x + p->width * 2 / 3;
    snprintf(style, sizeof style,
             "font-size=\"11\" fill=\"" DIM "\" stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
             "paint-order=\"stroke\" text-anchor=\"%s\"",
             m->vertical && !turn ? "start" : "end");
    if (m->vertical)
        draw_text(f, turn ? at - 5 : at + 5, p->y + 14, style, m->label);
    else
        draw_text(f, p->x + p->width - 6, at < p->y + 20 ? at + 14 : at - 5, style, m->label);
}

static void draw_panel(FILE* f, const Panel* p, const Layout* l, int index)
{
    fprintf(f, "<clipPath id=\"p%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n", index, p->x,
            p->y, p->width, p->height);
    draw_grid(f, p);
    draw_series(f, p, index);
    for (const Mark* m = p->marks; m; m = m->next) draw_mark(f, p, m);
    draw_labels(f, p);
    draw_names(f, p, l);
    draw_legend(f, p);
}

static void draw_figure(FILE* f, twPlot* plot)
{
    const Layout l = lay_out(plot);
    const int rows = (plot->count + plot->columns - 1) / plot->columns;
    const int columns = plot->count < plot->columns ? plot->count : plot->columns;
    const int width = columns * l.panel_width, height = l.head + rows * l.panel_height;
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
            "sans-serif\">\n",
            width, height, width, height);
    if (plot->title)
    {
        fputs("<title>", f);
        svg_text(f, plot->title);
        fputs("</title>\n", f);
    }
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", f);
    draw_text(f, width / 2, 32, "font-size=\"18\" font-weight=\"600\" text-anchor=\"middle\" fill=\"" INK "\"",
              plot->title);
    int index = 0;
    for (Panel* p = plot->panels; p; p = p->next, index++)
    {
        place_panel(p, &l, index % plot->columns, index / plot->columns);
        draw_panel(f, p, &l, index);
    }
    fputs("</svg>\n", f);
}

twStatus tw_plot_save(twPlot* plot, const char* path, twError* err)
{
    // a figure without panels is an empty panel
    if (!current(plot) || plot->no_memory)
        return tw_fail(err, TW_NO_MEMORY, "cannot write %s: no memory for the plot", path);
    twFile* file;
    twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    draw_figure(tw_file_stream(file), plot);
    return tw_file_commit(&file, err);
}
