// SPDX-License-Identifier: MIT
// Drawing a figure whose places are known.

#include "media/curve.h"
#include "media/image.h"
#include "media/plot.h"
#include "media/text.h"

#include <math.h>
#include <string.h>

#define MARK_LABELS 64  // labels beside marks that keep clear of each other
#define PLACES 12       // tried for each

static const uint32_t light_colours[PLOT_COLOURS] = {0x2166c4, 0xd9541e, 0x2a9154, 0x8a4fbf,
                                                     0xc7961a, 0xc2317b, 0x1f9bb0, 0x6b6f78};
static const uint32_t dark_colours[PLOT_COLOURS] = {0x6fb7ff, 0xffa24d, 0x7ee08a, 0xff7aa8,
                                                    0xc9a3ff, 0xf2d95c, 0x5fd6d6, 0xaab0bd};
static const Theme light = {0xffffff, 0xffffff, 0x1f2430, 0x5b6270, 0xdfe2e8, 0xf2f3f6, 0x9aa0ad, light_colours};
static const Theme dark = {0x0d0f14, 0x14171f, 0xe6e8ee, 0x9aa0ad, 0x2b303b, 0x1d212a, 0x3a404d, dark_colours};

const Theme* plot_theme(const twPlot* plot) { return plot->dark ? &dark : &light; }

// ---- lines ----

// the thinnest line that keeps its look at this scale [px]
static int hair(const twPlot* plot) { return (int)fmax(1, floor(plot->scale + 0.25)); }

static void draw_straight(Painter* painter, const Pen* pen, Spot from, Spot to)
{
    paint_begin(painter, pen);
    paint_move(painter, from);
    paint_line(painter, to);
    paint_end(painter);
}

// the middle of the hair that begins at a pixel, in tenths
static int middle(const twPlot* plot, int px) { return 10 * px + 5 * hair(plot); }

static Pen series_pen(const twPlot* plot, const Series* s, int index)
{
    // after the last colour the first comes again, dashed
    static const double dashes[3][2] = {{0, 0}, {7, 4}, {2, 3}};
    Pen pen = {.kind = PEN_LINE,
               .colour = plot_theme(plot)->colours[index % PLOT_COLOURS],
               .width = 1.6 * plot->scale,
               .alpha = 1};
    for (int k = 0; k < 2; k++) pen.dash[k] = plot->scale * dashes[index / PLOT_COLOURS % 3][k];
    if (s->kind == SERIES_DOTS) pen.kind = PEN_DOTS, pen.width = plot->scale * (s->n > 300 ? 2 : 3.5);
    if (s->kind == SERIES_BAND) pen.kind = PEN_FILL, pen.alpha = 0.55;
    return pen;
}

static Pen mark_pen(const twPlot* plot)
{
    return (Pen){.kind = PEN_LINE,
                 .colour = plot_theme(plot)->dim,
                 .width = hair(plot),
                 .dash = {5 * plot->scale, 4 * plot->scale},
                 .alpha = 1};
}

// ---- grid and axes ----

// above a heat map lines are faint and light; upright ones are left out, which would look like clicks in a spectrogram
static void draw_grid_line(const twPlot* plot, Painter* painter, const Panel* p, Box line, bool minor)
{
    const Theme* theme = plot_theme(plot);
    if (p->heat.rgb)
        paint_rect(painter, line, 0xffffff, minor ? 0.05 : 0.13);
    else
        paint_rect(painter, line, minor ? theme->fine : theme->grid, 1);
}

// first pixel of a hair at a place, inside the box
static int hair_at(const Axis* axis, double value, int low, int high, int hair_width)
{
    const int at = (int)floor(axis_place(axis, value) + 1e-6);
    return at < low ? low : at > high - hair_width ? high - hair_width : at;
}

static void draw_grid(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Box b = p->box;
    const int w = hair(plot);
    for (int pass = 0; pass < 2; pass++)
    {
        for (int k = 0; k < p->x_ticks.count; k++)
        {
            const Tick* tick = &p->x_ticks.tick[k];
            const int x = hair_at(&p->x_axis, tick->value, b.x, b.x + b.width, w);
            if (tick->minor == (pass == 0) && !p->heat.rgb)
                draw_grid_line(plot, painter, p, (Box){x, b.y, w, b.height}, tick->minor);
        }
        for (int k = 0; k < p->y_ticks.count; k++)
        {
            const Tick* tick = &p->y_ticks.tick[k];
            const int y = hair_at(&p->y_axis, tick->value, b.y, b.y + b.height, w);
            if (tick->minor == (pass == 0)) draw_grid_line(plot, painter, p, (Box){b.x, y, b.width, w}, tick->minor);
        }
    }
}

// short strokes below a heat map instead
static void draw_ticks_below(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Box b = p->box;
    for (int k = 0; k < p->x_ticks.count && p->heat.rgb; k++)
    {
        const int x = hair_at(&p->x_axis, p->x_ticks.tick[k].value, b.x, b.x + b.width, hair(plot));
        paint_rect(painter, (Box){x, b.y + b.height + hair(plot), hair(plot), plot_px(plot, 4)}, plot_theme(plot)->dim,
                   1);
    }
}

static Label small_label(const twPlot* plot, double align)
{
    return (Label){.size = PLOT_TEXT * plot->scale, .align = align, .colour = plot_theme(plot)->dim};
}

static void draw_numbers(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Label below = small_label(plot, 0.5), beside = small_label(plot, 1);
    for (int k = 0; k < p->x_ticks.count && !p->bare; k++)
        paint_text(painter, floor(axis_place(&p->x_axis, p->x_ticks.tick[k].value)) + 0.5 * hair(plot),
                   p->box.y + p->box.height + 18 * plot->scale, &below, p->x_ticks.tick[k].text);
    for (int k = 0; k < p->y_ticks.count; k++)
        paint_text(painter, p->box.x - 8 * plot->scale,
                   floor(axis_place(&p->y_axis, p->y_ticks.tick[k].value) + 4.2 * plot->scale), &beside,
                   p->y_ticks.tick[k].text);
}

// smaller, then shorter, until it fits
static void draw_fitting(Painter* painter, double x, double y, Label label, const char* text, double room)
{
    char cut[512];
    if (!text || !text[0]) return;
    const double width = paint_text_width(label.size, text);
    if (width > room) label.size *= fmax(0.75, room / width);
    text_fit(cut, sizeof cut, text, label.size, room, paint_text_width);
    paint_text(painter, x, y, &label, cut);
}

static void draw_names(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Box b = p->box;
    const double s = plot->scale;
    char text[512];
    Label label = {.size = PLOT_TITLE * s, .colour = plot_theme(plot)->ink, .bold = true};
    draw_fitting(painter, b.x, b.y - (11 + 18 * p->legend_rows) * s, label, p->title, b.width + plot->right - 8 * s);
    label = (Label){.size = PLOT_NAMES * s, .align = 0.5, .colour = plot_theme(plot)->ink};
    axis_label(text, sizeof text, p->x_label, p->x_ticks.exponent);
    if (!p->bare)
        draw_fitting(painter, b.x + 0.5 * b.width, b.y + b.height + 40 * s, label, text, b.width + plot->right);
    label.upwards = true;
    axis_label(text, sizeof text, p->y_label, p->y_ticks.exponent);
    draw_fitting(painter, p->name_x, b.y + 0.5 * b.height, label, text, b.height + 16 * s);
}

// ---- data ----

// an edge of a heat map [px]; far outside is as good as anywhere
static int edge_at(const Axis* axis, double value)
{
    const double at = axis_place(axis, value);
    return isfinite(at) ? (int)lround(fmax(-1e6, fmin(1e6, at))) : 0;
}

static void draw_heat(Painter* painter, const Panel* p)
{
    const Heat* heat = &p->heat;
    if (!heat->rgb) return;
    const int x0 = edge_at(&p->x_axis, heat->x[0]), x1 = edge_at(&p->x_axis, heat->x[1]);
    const int y0 = edge_at(&p->y_axis, heat->y[1]), y1 = edge_at(&p->y_axis, heat->y[0]);
    if (x1 > x0 && y1 > y0) paint_image(painter, (Box){x0, y0, x1 - x0, y1 - y0}, heat->rgb, heat->columns, heat->rows);
}

static void draw_series(const twPlot* plot, Painter* painter, const Panel* p)
{
    int index = 0;
    for (const Series* s = p->series; s; s = s->next, index++)
    {
        const Pen pen = series_pen(plot, s, index);
        if (s->kind == SERIES_DOTS)
            curve_dots(painter, &pen, &p->x_axis, &p->y_axis, s->x, s->y, s->n);
        else if (s->kind == SERIES_BAND)
            curve_band(painter, &pen, &p->x_axis, &p->y_axis, s->x, s->low, s->y, s->n);
        else
            curve_line(painter, &pen, &p->x_axis, &p->y_axis, s->x, s->y, s->n, s->kind == SERIES_STEPS);
    }
}

static void draw_bar(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Box b = p->bar;
    const double s = plot->scale;
    uint8_t rgb[256 * 3];
    for (int k = 0; k < 256; k++)
    {
        const uint32_t colour = image_heat(1 - (k + 0.5) / 256);
        rgb[3 * k] = (uint8_t)(colour >> 16), rgb[3 * k + 1] = (uint8_t)(colour >> 8), rgb[3 * k + 2] = (uint8_t)colour;
    }
    paint_image(painter, b, rgb, 1, 256);
    paint_frame(painter, b, plot_theme(plot)->frame, hair(plot));
    const Label beside = small_label(plot, 0);
    double widest = 0;
    for (int k = 0; k < p->bar_ticks.count; k++)
    {
        const char* text = p->bar_ticks.tick[k].text;
        const int y = hair_at(&p->bar_axis, p->bar_ticks.tick[k].value, b.y, b.y + b.height, hair(plot));
        paint_rect(painter, (Box){b.x + b.width + hair(plot), y, plot_px(plot, 4), hair(plot)}, plot_theme(plot)->dim,
                   1);
        paint_text(painter, b.x + b.width + 8 * s, y + 4.2 * s, &beside, text);
        widest = fmax(widest, paint_text_width(beside.size, text));
    }
    char text[512];
    axis_label(text, sizeof text, p->bar_label, p->bar_ticks.exponent);
    const Label label = {.size = PLOT_NAMES * s, .align = 0.5, .colour = plot_theme(plot)->ink, .upwards = true};
    draw_fitting(painter, b.x + b.width + 24 * s + fmin(widest, 28 * s), b.y + 0.5 * b.height, label, text, b.height);
}

// ---- legend ----

typedef struct Legend
{
    const twPlot* plot;
    Painter* painter;
    const Panel* panel;
    int row, used;  // entries so far
} Legend;

// place for the next entry; false if it has no label
static bool next_entry(Legend* l, const char* label, double* x, double* y)
{
    if (!label) return false;
    const int width = plot_legend_width(l->plot, label), room = l->panel->box.width;
    if (l->row < 0 || l->used + width > room) l->row++, l->used = 0;
    *x = l->panel->box.x + l->used;
    *y = l->panel->box.y - l->plot->scale * (9 + 18 * (l->panel->legend_rows - 1 - l->row));
    l->used += width;
    const Label style = {.size = PLOT_TEXT * l->plot->scale, .colour = plot_theme(l->plot)->ink};
    const double indent = 26 * l->plot->scale;
    draw_fitting(l->painter, *x + indent, *y, style, label, room + l->plot->right - indent);
    return true;
}

static Spot spot_at(double x, double y) { return (Spot){(int)lround(10 * x), (int)lround(10 * y)}; }

static void draw_sample(const Legend* l, Pen pen, double x, double y)
{
    const double s = l->plot->scale;
    const Box block = {(int)x, (int)(y - 9 * s), plot_px(l->plot, 20), plot_px(l->plot, 9)};
    if (pen.kind == PEN_FILL)
        paint_rect(l->painter, block, pen.colour, pen.alpha);
    else if (pen.kind == PEN_DOTS)
    {
        pen.width = 3.5 * s;
        paint_begin(l->painter, &pen);
        paint_move(l->painter, spot_at(x + 10 * s, y - 4 * s));
        paint_end(l->painter);
    }
    else
        draw_straight(l->painter, &pen, spot_at(x, y - 4 * s), spot_at(x + 20 * s, y - 4 * s));
}

static void draw_legend(const twPlot* plot, Painter* painter, const Panel* p)
{
    Legend l = {plot, painter, p, -1, 0};
    double x, y;
    int index = 0;
    for (const Series* s = p->series; s; s = s->next, index++)
    {
        Pen pen = series_pen(plot, s, index);
        if (pen.kind == PEN_LINE) pen.width = 2 * plot->scale;
        if (next_entry(&l, s->label, &x, &y)) draw_sample(&l, pen, x, y);
    }
    for (const Marks* m = p->marks; m; m = m->next)
        if (m->in_legend && next_entry(&l, m->label, &x, &y)) draw_sample(&l, mark_pen(plot), x, y);
}

// ---- marks ----

typedef struct Taken
{
    double box[MARK_LABELS][4];  // left, top, right, bottom
    int count;
} Taken;

static bool is_free(const Taken* taken, const double box[4])
{
    for (int k = 0; k < taken->count; k++)
    {
        const double* b = taken->box[k];
        if (box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]) return false;
    }
    return true;
}

static bool is_in(const double box[4], double x, double y)
{
    return x > box[0] && x < box[2] && y > box[1] && y < box[3];
}

// whether a curve passes a box; of long ones only some points are looked at
static bool series_meets(const Panel* p, const Series* s, const double box[4])
{
    enum
    {
        LOOKS = 2000,
        BETWEEN = 8
    };
    const size_t stride = 1 + s->n / LOOKS;
    double x = NAN, y = NAN;
    for (size_t i = 0; i < s->n; i += stride)
    {
        const double x1 = axis_place(&p->x_axis, s->x[i]), y1 = axis_place(&p->y_axis, s->y[i]);
        const int pieces = s->kind == SERIES_DOTS || isnan(x) || isnan(y) ? 1 : BETWEEN;
        for (int k = 1; k <= pieces; k++)
        {
            const double t = (double)k / pieces;
            if (pieces == 1 ? is_in(box, x1, y1) : is_in(box, x + t * (x1 - x), y + t * (y1 - y))) return true;
        }
        x = x1, y = y1;
    }
    return false;
}

static bool mark_meets(const Panel* p, const Marks* m, const double box[4])
{
    for (size_t i = 0; i < m->n; i++)
    {
        const double at = axis_place(m->vertical ? &p->x_axis : &p->y_axis, m->at[i]);
        if (at > box[!m->vertical] && at < box[2 + !m->vertical]) return true;
    }
    return false;
}

static bool is_clear(const Panel* p, const double box[4])
{
    for (const Series* s = p->series; s; s = s->next)
        if (series_meets(p, s, box)) return false;
    for (const Marks* m = p->marks; m; m = m->next)
        if (mark_meets(p, m, box)) return false;
    return true;
}

// the k-th place for a label beside a mark: its right or left end, above or below; along the mark from its end
static void try_place(const twPlot* plot, const Panel* p, bool vertical, int at, double width, int k, double box[4])
{
    const double s = plot->scale, height = 13 * s;
    const Box b = p->box;
    double x, y;
    if (vertical)
    {
        const bool left = (at > b.x + b.width * 2 / 3) != (k % 2 == 1);
        x = left ? at - 5 * s - width : at + 5 * s;
        y = b.y + 3 * s + k / 2 * height;
    }
    else
    {
        const bool below = (at < b.y + 20 * s) != (k % 2 == 1);
        x = b.x + b.width - 6 * s - width - k / 2 * (width + 12 * s);
        y = below ? at + 3 * s : at - 2 * s - height;
    }
    box[0] = x, box[1] = y, box[2] = x + width, box[3] = y + height;
}

static void draw_mark_label(const twPlot* plot, Painter* painter, const Panel* p, const Marks* m, int at, Taken* taken)
{
    char text[512];
    const double s = plot->scale;
    const Label label = {
        .size = 11 * s, .colour = plot_theme(plot)->dim, .rim = true, .rim_colour = plot_theme(plot)->area};
    text_fit(text, sizeof text, m->label, label.size, 0.9 * p->box.width, paint_text_width);
    const double width = paint_text_width(label.size, text);
    const Box b = p->box;
    double box[4];
    // first clear of everything, else of the other labels; else there is none
    for (int k = 0; k < 2 * PLACES; k++)
    {
        try_place(plot, p, m->vertical, at, width, k % PLACES, box);
        const bool inside = box[0] >= b.x && box[2] <= b.x + b.width && box[1] >= b.y && box[3] <= b.y + b.height;
        if (!inside || !is_free(taken, box) || (k < PLACES && !is_clear(p, box))) continue;
        paint_text(painter, box[0], box[3] - 2.5 * s, &label, text);
        if (taken->count < MARK_LABELS) memcpy(taken->box[taken->count++], box, sizeof box);
        return;
    }
}

static void draw_marks(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Box b = p->box;
    const Pen pen = mark_pen(plot);
    Taken taken = {.count = 0};
    for (int pass = 0; pass < 2; pass++)
        for (const Marks* m = p->marks; m; m = m->next)
            for (size_t i = 0; i < m->n; i++)
            {
                const Axis* axis = m->vertical ? &p->x_axis : &p->y_axis;
                if (!isfinite(m->at[i]) || m->at[i] < axis->low || m->at[i] > axis->high) continue;
                const int at = m->vertical ? hair_at(axis, m->at[i], b.x, b.x + b.width, hair(plot))
                                           : hair_at(axis, m->at[i], b.y, b.y + b.height, hair(plot));
                const int mid = middle(plot, at);
                if (pass == 1 && m->label && !m->in_legend)
                    draw_mark_label(plot, painter, p, m, at, &taken);
                else if (pass == 0 && m->vertical)
                    draw_straight(painter, &pen, (Spot){mid, 10 * b.y}, (Spot){mid, 10 * (b.y + b.height)});
                else if (pass == 0)
                    draw_straight(painter, &pen, (Spot){10 * b.x, mid}, (Spot){10 * (b.x + b.width), mid});
            }
}

// ---- the whole ----

static void draw_panel(const twPlot* plot, Painter* painter, const Panel* p)
{
    const Theme* theme = plot_theme(plot);
    if (theme->area != theme->background) paint_rect(painter, p->box, theme->area, 1);
    paint_clip(painter, p->box);
    draw_heat(painter, p);
    draw_grid(plot, painter, p);
    draw_series(plot, painter, p);
    paint_unclip(painter);
    paint_frame(painter, p->box, theme->frame, hair(plot));
    draw_ticks_below(plot, painter, p);
    draw_marks(plot, painter, p);
    draw_numbers(plot, painter, p);
    draw_names(plot, painter, p);
    draw_legend(plot, painter, p);
    if (p->has_bar) draw_bar(plot, painter, p);
}

void plot_draw(const twPlot* plot, Painter* painter)
{
    const Label label = {.size = 18 * plot->scale, .align = 0.5, .colour = plot_theme(plot)->ink, .bold = true};
    draw_fitting(painter, 0.5 * plot->width, 30 * plot->scale, label, plot->title, plot->width - 24 * plot->scale);
    for (const Panel* p = plot->panels; p; p = p->next) draw_panel(plot, painter, p);
}
