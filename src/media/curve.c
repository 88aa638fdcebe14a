// SPDX-License-Identifier: MIT
// Series of numbers as paths: thinning, gaps, strokes drawn twice.

#include "media/curve.h"

#include <math.h>
#include <stdlib.h>

#define FAR 100000     // tenths of a pixel; places beyond are cut to this, far outside any panel
#define SET_BITS 17    // strokes remembered: at most half of 2^17
#define SET_FROM 4096  // curves shorter than this are drawn as they are

typedef struct Pencil
{
    Painter* painter;
    Spot at;        // where the pencil is
    bool down;      // whether a curve is under way
    bool moved;     // whether the path written ends elsewhere
    bool dot;       // the curve has no stroke yet: needs one of no length to show
    uint64_t* set;  // strokes already drawn, or NULL
    size_t set_count;
} Pencil;

bool curve_spot(const Axis* x_axis, const Axis* y_axis, double x, double y, Spot* spot)
{
    if (!isfinite(x) || !isfinite(y) || (x_axis->log && x <= 0) || (y_axis->log && y <= 0)) return false;
    spot->x = (int)lround(fmax(-FAR, fmin(FAR, 10 * axis_place(x_axis, x))));
    spot->y = (int)lround(fmax(-FAR, fmin(FAR, 10 * axis_place(y_axis, y))));
    return true;
}

// true if the key is new; a full or missing set remembers nothing
static bool remember(Pencil* pencil, uint64_t key)
{
    if (!pencil->set || pencil->set_count >= (size_t)1 << (SET_BITS - 1)) return true;
    uint64_t slot = (key * 0x9e3779b97f4a7c15u) >> (64 - SET_BITS);
    while (pencil->set[slot] && pencil->set[slot] != key) slot = (slot + 1) & (((uint64_t)1 << SET_BITS) - 1);
    if (pencil->set[slot] == key) return false;
    pencil->set[slot] = key;
    pencil->set_count++;
    return true;
}

static uint64_t stroke_key(Spot a, Spot b)
{
    // half-pixel cells, 16 bits each (FAR / 5 = 20000), never 0
    const int shift = FAR / 5 + 1;
    uint64_t parts[4] = {(uint64_t)(a.x / 5 + shift), (uint64_t)(a.y / 5 + shift), (uint64_t)(b.x / 5 + shift),
                         (uint64_t)(b.y / 5 + shift)};
    return parts[0] << 48 | parts[1] << 32 | parts[2] << 16 | parts[3];
}

static void move_if_needed(Pencil* pencil)
{
    if (pencil->moved) paint_move(pencil->painter, pencil->at);
    pencil->moved = false;
}

static void lift(Pencil* pencil)
{
    if (pencil->down && pencil->dot)
    {
        move_if_needed(pencil);
        paint_line(pencil->painter, pencil->at);
    }
    pencil->down = false;
}

static void draw_to(Pencil* pencil, Spot spot)
{
    if (!pencil->down)
        pencil->down = pencil->dot = pencil->moved = true;
    else if (spot.x == pencil->at.x && spot.y == pencil->at.y)
        return;
    else
    {
        pencil->dot = false;
        if (remember(pencil, stroke_key(pencil->at, spot)))
        {
            move_if_needed(pencil);
            paint_line(pencil->painter, spot);
        }
        else
            pencil->moved = true;
    }
    pencil->at = spot;
}

static bool rises(const double* x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] < x[i - 1]) return false;
    return true;
}

// points of one pixel column: enough to draw the same ink
typedef struct Bundle
{
    int column, count;
    Spot first, low, high, last;
    bool low_first;
} Bundle;

static void draw_bundle(Pencil* pencil, Bundle* bundle)
{
    if (bundle->count == 0) return;
    draw_to(pencil, bundle->first);
    if (bundle->count > 2)
    {
        draw_to(pencil, bundle->low_first ? bundle->low : bundle->high);
        draw_to(pencil, bundle->low_first ? bundle->high : bundle->low);
    }
    draw_to(pencil, bundle->last);
    bundle->count = 0;
}

static void bundle_in(Pencil* pencil, Bundle* bundle, Spot spot)
{
    int column = spot.x / 10;
    if (bundle->count && column != bundle->column) draw_bundle(pencil, bundle);
    if (bundle->count++ == 0)
    {
        *bundle = (Bundle){column, 1, spot, spot, spot, spot, true};
        return;
    }
    if (spot.y < bundle->low.y) bundle->low = spot, bundle->low_first = false;
    if (spot.y > bundle->high.y) bundle->high = spot, bundle->low_first = true;
    bundle->last = spot;
}

// curves that are no functions of x: steps of less than half a pixel wait for the next, the last before a gap does not
static void draw_freely(Pencil* pencil, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y,
                        size_t n)
{
    Spot spot = {0, 0};
    bool waiting = false;
    for (size_t i = 0; i < n; i++)
    {
        Spot next;
        bool shown = curve_spot(x_axis, y_axis, x[i], y[i], &next);
        if (!shown && waiting) draw_to(pencil, spot);
        if (!shown) lift(pencil);
        waiting = shown && pencil->down && abs(next.x - pencil->at.x) < 5 && abs(next.y - pencil->at.y) < 5;
        if (shown && !waiting) draw_to(pencil, next);
        if (shown) spot = next;
    }
    if (waiting) draw_to(pencil, spot);
    lift(pencil);
}

static void draw_function(Pencil* pencil, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y,
                          size_t n, bool steps)
{
    Bundle bundle = {0};
    Spot before = {0, 0};
    bool held = false;
    for (size_t i = 0; i < n; i++)
    {
        Spot spot = before;
        bool shown = curve_spot(x_axis, y_axis, x[i], y[i], &spot);
        if (shown && held && steps) bundle_in(pencil, &bundle, (Spot){spot.x, before.y});
        if (shown) bundle_in(pencil, &bundle, spot);
        held = shown;
        before = spot;
        if (shown) continue;
        draw_bundle(pencil, &bundle);
        lift(pencil);
    }
    draw_bundle(pencil, &bundle);
    lift(pencil);
}

// ---- public ----

void curve_line(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* y, size_t n, bool steps)
{
    Pencil pencil = {.painter = painter};
    paint_begin(painter, pen);
    if (rises(x, n))
        draw_function(&pencil, x_axis, y_axis, x, y, n, steps);
    else
    {
        if (n > SET_FROM) pencil.set = calloc((size_t)1 << SET_BITS, sizeof *pencil.set);
        draw_freely(&pencil, x_axis, y_axis, x, y, n);
        free(pencil.set);
    }
    paint_end(painter);
}

void curve_dots(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* y, size_t n)
{
    Pencil seen = {.set = n > SET_FROM ? calloc((size_t)1 << SET_BITS, sizeof *seen.set) : NULL};
    paint_begin(painter, pen);
    for (size_t i = 0; i < n; i++)
    {
        Spot spot;
        if (!curve_spot(x_axis, y_axis, x[i], y[i], &spot) || !remember(&seen, stroke_key(spot, spot))) continue;
        paint_move(painter, spot);
    }
    paint_end(painter);
    free(seen.set);
}

// the outline of points first to last - 1: along the top, back along the bottom
static void draw_band(Painter* painter, const Pen* pen, const Spot* low, const Spot* high, size_t n)
{
    if (n == 0) return;
    paint_begin(painter, pen);
    paint_move(painter, high[0]);
    for (size_t i = 1; i < n; i++) paint_line(painter, high[i]);
    for (size_t i = n; i-- > 0;) paint_line(painter, low[i]);
    paint_end(painter);
}

// points of one pixel column become its outermost ones at its two sides
static size_t widen_column(Spot* low, Spot* high, size_t used, Spot a, Spot b)
{
    if (used >= 2 && low[used - 2].x / 10 == a.x / 10)
    {
        low[used - 1].x = high[used - 1].x = a.x;
        for (size_t k = used - 2; k < used; k++)
        {
            if (a.y > low[k].y) low[k].y = a.y;
            if (b.y < high[k].y) high[k].y = b.y;
        }
        return used;
    }
    low[used] = a;
    high[used] = b;
    return used + 1;
}

void curve_band(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* low, const double* high, size_t n)
{
    Spot* block = n && n <= SIZE_MAX / 2 / sizeof *block ? malloc(2 * n * sizeof *block) : NULL;
    if (!block)
    {
        painter->no_memory = painter->no_memory || n > 0;
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
    {
        Spot a, b;
        if (curve_spot(x_axis, y_axis, x[i], low[i], &a) && curve_spot(x_axis, y_axis, x[i], high[i], &b))
            used = widen_column(block, block + n, used, a, b);
        else
        {
            draw_band(painter, pen, block, block + n, used);
            used = 0;
        }
    }
    draw_band(painter, pen, block, block + n, used);
    free(block);
}
