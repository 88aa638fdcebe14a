// SPDX-License-Identifier: MIT
// The painter that sets pixels.
//
// A path first marks how far it covers each pixel, where strokes that meet or cross count once, and is blended as a whole
// at its end. A stroke covers a pixel by half its width + 1/2 less the distance of the pixel's centre; an area by scan
// lines, four to a pixel, exact along each.

#include "media/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCANS 4  // scan lines per pixel

static Raster* raster_of(Painter* painter) { return (Raster*)painter; }

static Box overlap(Box a, Box b)
{
    const int x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
    const int x1 = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    const int y1 = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    return (Box){x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0};
}

static void raster_rect(Painter* painter, Box box, uint32_t colour, double alpha)
{
    Raster* r = raster_of(painter);
    const Box b = overlap(box, r->clip);
    image_rect(&r->image, b.x, b.y, b.width, b.height, colour, alpha);
}

// ---- cover ----

static void cover(Raster* r, int x, int y, double share)
{
    uint8_t* pixel = &r->cover[(size_t)y * (size_t)r->image.width + (size_t)x];
    const int level = (int)(255 * fmin(1, share) + 0.5);
    if (level > *pixel) *pixel = (uint8_t)level;
}

// grow the touched box by what is inside the clip
static void touch(Raster* r, Box box)
{
    const Box b = overlap(box, r->clip), t = r->touched;
    if (b.width == 0 || b.height == 0) return;
    if (t.width == 0)
    {
        r->touched = b;
        return;
    }
    const int x0 = t.x < b.x ? t.x : b.x, y0 = t.y < b.y ? t.y : b.y;
    const int x1 = t.x + t.width > b.x + b.width ? t.x + t.width : b.x + b.width;
    const int y1 = t.y + t.height > b.y + b.height ? t.y + t.height : b.y + b.height;
    r->touched = (Box){x0, y0, x1 - x0, y1 - y0};
}

static void blend_cover(Raster* r)
{
    const Box b = r->touched;
    for (int y = b.y; y < b.y + b.height; y++)
    {
        uint8_t* row = r->cover + (size_t)y * (size_t)r->image.width;
        for (int x = b.x; x < b.x + b.width; x++)
            if (row[x]) image_blend(&r->image, x, y, r->pen.colour, r->pen.alpha * row[x] / 255);
        memset(row + b.x, 0, (size_t)b.width);
    }
    r->touched = (Box){0};
}

// ---- strokes ----

typedef struct Stroke
{
    double x0, y0, x1, y1;  // [px]
} Stroke;

static double distance(const Stroke* s, double x, double y)
{
    const double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / length2 : 0;
    t = fmax(0, fmin(1, t));
    return hypot(x - s->x0 - t * dx, y - s->y0 - t * dy);
}

// where a stroke may reach pixels of the row whose middle is y
static void find_reach(const Stroke* s, double y, double reach, double* low, double* high)
{
    const double dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    double t0 = 0, t1 = 1;
    if (fabs(dy) > 1e-9)
    {
        t0 = fmax(0, fmin(1, (y - reach - s->y0) / dy));
        t1 = fmax(0, fmin(1, (y + reach - s->y0) / dy));
    }
    *low = s->x0 + fmin(t0 * dx, t1 * dx) - reach;
    *high = s->x0 + fmax(t0 * dx, t1 * dx) + reach;
}

static int bounded(double v, int low, int high) { return (int)fmax(low, fmin(high, v)); }

static void cover_stroke(Raster* r, const Stroke* s)
{
    const double reach = 0.5 * r->pen.width + 0.5;
    const Box c = r->clip;
    const int y0 = bounded(floor(fmin(s->y0, s->y1) - reach), c.y, c.y + c.height);
    const int y1 = bounded(ceil(fmax(s->y0, s->y1) + reach), c.y, c.y + c.height);
    for (int y = y0; y < y1; y++)
    {
        double low, high;
        find_reach(s, y + 0.5, reach + 0.5, &low, &high);
        const int x0 = bounded(floor(low), c.x, c.x + c.width), x1 = bounded(ceil(high), c.x, c.x + c.width);
        const uint8_t* row = r->cover + (size_t)y * (size_t)r->image.width;
        for (int x = x0; x < x1; x++)
        {
            if (row[x] == 255) continue;
            const double share = reach - distance(s, x + 0.5, y + 0.5);
            if (share > 0) cover(r, x, y, share);
        }
        touch(r, (Box){x0, y, x1 - x0, 1});
    }
}

// a stroke in dashes, which go on along the path
static void cover_dashes(Raster* r, const Stroke* s)
{
    const double on = r->pen.dash[0], period = on + r->pen.dash[1];
    const double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length = hypot(dx, dy);
    double from = 0;
    while (from < length)
    {
        const double phase = fmod(r->along + from, period);
        const double to = fmin(length, from + fmax(0.05, phase < on ? on - phase : period - phase));
        const double a = from / length, b = to / length;
        if (phase < on) cover_stroke(r, &(Stroke){s->x0 + a * dx, s->y0 + a * dy, s->x0 + b * dx, s->y0 + b * dy});
        from = to;
    }
    r->along = fmod(r->along + length, period);
}

// ---- areas ----

static void add_corner(Raster* r, Spot spot)
{
    if (r->corner_count == r->corner_room)
    {
        const size_t room = 2 * r->corner_room + 64;
        Spot* more = realloc(r->corners, room * sizeof *more);
        if (!more)
        {
            r->painter.no_memory = true;
            return;
        }
        r->corners = more;
        r->corner_room = room;
    }
    r->corners[r->corner_count++] = spot;
}

static int by_place(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// places where the outline crosses a scan line, sorted
static size_t find_crossings(const Raster* r, double y, double* at)
{
    size_t n = 0;
    for (size_t i = 0; i < r->corner_count; i++)
    {
        const Spot a = r->corners[i], b = r->corners[(i + 1) % r->corner_count];
        if ((a.y <= 10 * y) == (b.y <= 10 * y)) continue;
        at[n++] = (a.x + (10 * y - a.y) / (b.y - a.y) * (b.x - a.x)) / 10;
    }
    qsort(at, n, sizeof *at, by_place);
    return n;
}

// add the share of a scan line from x0 to x1
static void add_span(const Raster* r, double* row, double x0, double x1)
{
    const int left = r->clip.x, right = r->clip.x + r->clip.width;
    x0 = fmax(left, x0), x1 = fmin(right, x1);
    for (int x = (int)floor(x0); x < right && x < x1; x++) row[x] += (fmin(x1, x + 1) - fmax(x0, x)) / SCANS;
}

static void cover_area(Raster* r)
{
    double *at = malloc((r->corner_count + 1) * sizeof *at), *row = calloc((size_t)r->image.width + 1, sizeof *row);
    if (!at || !row) r->painter.no_memory = true;
    for (int y = r->clip.y; y < r->clip.y + r->clip.height && at && row; y++)
    {
        for (int k = 0; k < SCANS; k++)
        {
            const size_t n = find_crossings(r, y + (k + 0.5) / SCANS, at);
            for (size_t i = 0; i + 1 < n; i += 2) add_span(r, row, at[i], at[i + 1]);
        }
        for (int x = r->clip.x; x < r->clip.x + r->clip.width; x++)
        {
            if (row[x] > 0) cover(r, x, y, row[x]);
            row[x] = 0;
        }
    }
    touch(r, r->clip);
    free(at);
    free(row);
}

// ---- paths ----

static void raster_begin(Painter* painter, const Pen* pen)
{
    Raster* r = raster_of(painter);
    r->pen = *pen;
    r->corner_count = 0;
    r->along = 0;
}

static void raster_move(Painter* painter, Spot spot)
{
    Raster* r = raster_of(painter);
    r->at = spot;
    r->along = 0;
    if (r->pen.kind == PEN_FILL) add_corner(r, spot);
    if (r->pen.kind != PEN_DOTS) return;
    // a disc is a stroke of no length
    r->pen.width *= 2;
    cover_stroke(r, &(Stroke){0.1 * spot.x, 0.1 * spot.y, 0.1 * spot.x, 0.1 * spot.y});
    r->pen.width /= 2;
}

static void raster_line(Painter* painter, Spot spot)
{
    Raster* r = raster_of(painter);
    const Stroke stroke = {0.1 * r->at.x, 0.1 * r->at.y, 0.1 * spot.x, 0.1 * spot.y};
    r->at = spot;
    if (r->pen.kind == PEN_FILL)
        add_corner(r, spot);
    else if (r->pen.dash[0] > 0)
        cover_dashes(r, &stroke);
    else
        cover_stroke(r, &stroke);
}

static void raster_end(Painter* painter)
{
    Raster* r = raster_of(painter);
    if (r->pen.kind == PEN_FILL && r->corner_count > 2) cover_area(r);
    blend_cover(r);
}

// ---- text and pictures ----

static void raster_text(Painter* painter, double x, double y, const Label* label, const char* text)
{
    Raster* r = raster_of(painter);
    TextStyle style = {.size = TEXT_CAPITAL * label->size,
                       .align = label->align,
                       .colour = label->rim_colour,
                       .upwards = label->upwards,
                       .weight = 3.6};
    if (label->rim) image_text(&r->image, x, y, style, text);
    style.colour = label->colour;
    style.weight = label->bold ? 1.35 : 0.95;
    image_text(&r->image, x, y, style, text);
}

static void raster_image(Painter* painter, Box box, const uint8_t* rgb, int columns, int rows)
{
    Raster* r = raster_of(painter);
    const Box b = overlap(box, r->clip);
    for (int y = b.y; y < b.y + b.height; y++)
    {
        const size_t row = (size_t)((int64_t)(y - box.y) * rows / box.height);
        for (int x = b.x; x < b.x + b.width; x++)
        {
            const size_t column = (size_t)((int64_t)(x - box.x) * columns / box.width);
            memcpy(r->image.rgb + ((size_t)y * (size_t)r->image.width + (size_t)x) * 3,
                   rgb + (row * (size_t)columns + column) * 3, 3);
        }
    }
}

static void raster_clip(Painter* painter, Box box)
{
    Raster* r = raster_of(painter);
    r->clip = overlap(box, (Box){0, 0, r->image.width, r->image.height});
}

static void raster_unclip(Painter* painter)
{
    Raster* r = raster_of(painter);
    r->clip = (Box){0, 0, r->image.width, r->image.height};
}

// ---- the whole ----

bool raster_create(Raster* r, int width, int height, uint32_t background)
{
    static const PainterKind kind = {raster_rect, raster_begin, raster_move, raster_line,  raster_end,
                                     raster_text, raster_image, raster_clip, raster_unclip};
    const size_t pixels = (size_t)width * (size_t)height;
    *r = (Raster){.painter = {.kind = &kind}, .image = {width, height, malloc(3 * pixels)}, .cover = calloc(pixels, 1)};
    raster_unclip(&r->painter);
    if (!r->image.rgb || !r->cover)
    {
        raster_destroy(r);
        return false;
    }
    memset(r->image.rgb, 0, 3 * pixels);
    raster_rect(&r->painter, r->clip, background, 1);
    return true;
}

void raster_destroy(Raster* r)
{
    free(r->image.rgb);
    free(r->cover);
    free(r->corners);
    *r = (Raster){0};
}
