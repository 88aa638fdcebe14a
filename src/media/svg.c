// SPDX-License-Identifier: MIT
// Curves and text as SVG.

#include "media/svg.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAR 100000     // tenths of a pixel; places beyond are cut to this, far outside any panel
#define SET_BITS 17    // strokes remembered: at most half of 2^17
#define SET_FROM 4096  // curves shorter than this are drawn as they are

// ---- text ----

// bytes of the UTF-8 sequence at s, 0 if it is none that XML allows
static int utf8_length(const unsigned char* s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' ? 1 : 0;
    int n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (int k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    // overlong forms, surrogates, beyond U+10FFFF, U+FFFE and U+FFFF
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90)) return 0;
    if ((s[0] == 0xf4 && s[1] > 0x8f) || (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe)) return 0;
    return n;
}

void svg_text(FILE* stream, const char* text)
{
    const unsigned char* s = (const unsigned char*)(text ? text : "");
    while (*s)
    {
        int n = utf8_length(s);
        if (*s == '&')
            fputs("&amp;", stream);
        else if (*s == '<')
            fputs("&lt;", stream);
        else if (*s == '>')
            fputs("&gt;", stream);
        else if (n)
            fwrite(s, 1, (size_t)n, stream);
        else
            fputs("\xef\xbf\xbd", stream);
        s += n ? n : 1;
    }
}

// ---- curves ----

typedef struct Spot
{
    int x, y;
} Spot;

typedef struct Pencil
{
    FILE* stream;
    Spot at;        // where the pencil is
    bool down;      // whether a curve is under way
    bool moved;     // whether the path written ends elsewhere
    bool dot;       // the curve has no stroke yet: needs one of no length to show
    uint64_t* set;  // strokes already drawn, or NULL
    size_t set_count;
} Pencil;

static bool find_spot(const Axis* x_axis, const Axis* y_axis, double x, double y, Spot* spot)
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
    if (pencil->moved) fprintf(pencil->stream, "M%d %d", pencil->at.x, pencil->at.y);
    pencil->moved = false;
}

static void lift(Pencil* pencil)
{
    if (pencil->down && pencil->dot)
    {
        move_if_needed(pencil);
        fputs("h0", pencil->stream);
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
            fprintf(pencil->stream, "l%d %d", spot.x - pencil->at.x, spot.y - pencil->at.y);
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
        bool shown = find_spot(x_axis, y_axis, x[i], y[i], &next);
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
                          size_t n)
{
    Bundle bundle = {0};
    for (size_t i = 0; i < n; i++)
    {
        Spot spot;
        bool shown = find_spot(x_axis, y_axis, x[i], y[i], &spot);
        if (shown) bundle_in(pencil, &bundle, spot);
        if (shown) continue;
        draw_bundle(pencil, &bundle);
        lift(pencil);
    }
    draw_bundle(pencil, &bundle);
    lift(pencil);
}

void svg_path(FILE* stream, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y, size_t n)
{
    Pencil pencil = {.stream = stream};
    if (rises(x, n))
    {
        draw_function(&pencil, x_axis, y_axis, x, y, n);
        return;
    }
    if (n > SET_FROM) pencil.set = calloc((size_t)1 << SET_BITS, sizeof *pencil.set);
    draw_freely(&pencil, x_axis, y_axis, x, y, n);
    free(pencil.set);
}

void svg_dots(FILE* stream, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y, size_t n,
              int radius)
{
    Pencil seen = {.set = n > SET_FROM ? calloc((size_t)1 << SET_BITS, sizeof *seen.set) : NULL};
    for (size_t i = 0; i < n; i++)
    {
        Spot spot;
        if (!find_spot(x_axis, y_axis, x[i], y[i], &spot) || !remember(&seen, stroke_key(spot, spot))) continue;
        fprintf(stream, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\"/>", spot.x, spot.y, radius);
    }
    free(seen.set);
}
