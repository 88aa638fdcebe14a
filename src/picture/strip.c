// SPDX-License-Identifier: MIT
// The strip below a film. It is drawn twice when it is made, as if all had been played and as if nothing had; a frame
// takes what is left of the moment from the one and what is right of it from the other.

#include "picture/strip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SERIES 3  // rows of series; further ones are left out, and those that are always 0
#define GROUND 0x14181e
#define TEXT 0xdfe5ec
#define DIM 0x8d98a5
#define CURSOR 0xffffff

// of a row when played, and before
static const uint32_t wave_colour[2] = {0x62bdf5, 0x34566e};
static const uint32_t series_colour[MAX_SERIES][2] = {{0xf5c062, 0x6f5a36}, {0x8fdc8a, 0x47683f}, {0xf08c9a, 0x6e444b}};

typedef struct Row
{
    int top, height;
    int series;  // -1: the sound
    int hue;
    double low, high;
    bool log;
} Row;

struct Strip
{
    StripDef def;
    int row_count;
    Row rows[1 + MAX_SERIES];
    int left, right;      // of the curves
    double size;          // of text
    Image shown[2];       // played, not played
    float *least, *most;  // (columns) of the row being drawn
    uint8_t pixels[];
};

// is a series ever anything but 0?
static bool is_worth_it(const twTrace* trace, int series)
{
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        const float value = tw_trace_values(trace, f)[series];
        if (!isnan(value) && value != 0) return true;
    }
    return false;
}

// the series that get rows
static int series_rows(const twTrace* trace, int out[MAX_SERIES])
{
    int count = 0;
    for (int k = 0; k < trace->series_count && count < MAX_SERIES; k++)
        if (is_worth_it(trace, k)) out[count++] = k;
    return count;
}

int strip_height(const twTrace* trace, bool sound, int picture_height)
{
    int series[MAX_SERIES];
    const double parts = (sound ? 0.085 : 0) + 0.05 * series_rows(trace, series);
    return parts > 0 ? (int)(picture_height * (parts + 0.015) / 2 + 0.5) * 2 : 0;
}

// ---- numbers ----

void strip_value_text(char out[48], double value, const char* unit)
{
    static const char* const prefix[] = {"f", "p", "n", "\xc2\xb5", "m", "", "k", "M", "G", "T"};
    if (isnan(value))
    {
        snprintf(out, 48, "-");
        return;
    }
    int step = 5;
    double shown = value;
    // whole numbers and ratios have no prefix; nor have units that are no single name
    const bool plain = unit[0] == 0 || strpbrk(unit, "/^ %") != NULL;
    if (!plain && value != 0)
    {
        step = 5 + (int)floor(log10(fabs(value)) / 3 + 1e-9);
        step = step < 0 ? 0 : step > 9 ? 9 : step;
        shown = value / pow(10, 3 * (step - 5));
    }
    const double size = fabs(shown);
    const int digits = size >= 99.95 || shown == floor(shown) ? 0 : size >= 9.995 ? 1 : 2;
    if (size != 0 && (size >= 1e6 || size < 5e-3))
        snprintf(out, 48, "%.2e %s%.16s", shown, plain ? "" : prefix[step], unit);
    else
        snprintf(out, 48, "%.*f %s%.16s", digits, shown, plain ? "" : prefix[step], unit);
}

// ---- curves ----

static double column_time(const Strip* s, double column)
{
    return s->def.start + (s->def.end - s->def.start) * column / (s->right - s->left);
}

// least and most of the sound under every column; NaN beyond its end
static void sound_range(Strip* s)
{
    const twWav* wav = s->def.sound;
    for (int x = 0; x < s->right - s->left; x++)
    {
        int64_t from = (int64_t)floor(column_time(s, x) * wav->rate_hz);
        int64_t to = (int64_t)floor(column_time(s, x + 1) * wav->rate_hz);
        if (to <= from) to = from + 1;
        if (to > wav->frames) to = wav->frames;
        s->least[x] = s->most[x] = NAN;
        for (int64_t i = (from > 0 ? from : 0) * wav->channels; i < to * wav->channels; i++)
        {
            s->least[x] = fminf(s->least[x], wav->samples[i]);
            s->most[x] = fmaxf(s->most[x], wav->samples[i]);
        }
    }
}

static float value_at(const twTrace* trace, int64_t frame, int series)
{
    if (frame < 0) frame = 0;
    if (frame >= trace->frame_count) frame = trace->frame_count - 1;
    return tw_trace_values(trace, frame)[series];
}

// between two frames
static float value_between(const twTrace* trace, double frame, int series)
{
    const double first = floor(frame);
    const float a = value_at(trace, (int64_t)first, series), b = value_at(trace, (int64_t)first + 1, series);
    return a + (b - a) * (float)(frame - first);
}

static void widen(Strip* s, int x, float value)
{
    s->least[x] = fminf(s->least[x], value);
    s->most[x] = fmaxf(s->most[x], value);
}

// the same for a series, joined to its neighbours
static void series_range(Strip* s, int series)
{
    const twTrace* trace = s->def.trace;
    for (int x = 0; x < s->right - s->left; x++)
    {
        const double from = column_time(s, x) * trace->frame_rate_hz, to = column_time(s, x + 1) * trace->frame_rate_hz;
        s->least[x] = s->most[x] = NAN;
        widen(s, x, value_between(trace, from, series));
        widen(s, x, value_between(trace, to, series));
        for (int64_t f = (int64_t)ceil(from); f <= (int64_t)floor(to); f++) widen(s, x, value_at(trace, f, series));
    }
}

// range of a row; logarithmic for times, such as steps, that span more than two decades
static void set_scale(const Strip* s, Row* row)
{
    double low = INFINITY, high = -INFINITY;
    for (int x = 0; x < s->right - s->left; x++)
    {
        if (s->least[x] < low) low = s->least[x];
        if (s->most[x] > high) high = s->most[x];
    }
    if (row->series < 0)
    {
        high = fmax(fmax(fabs(low), fabs(high)), 1e-9);
        if (!isfinite(high)) high = 1;
        low = -high;
    }
    const bool is_time = row->series >= 0 && strcmp(s->def.trace->series[row->series].unit, "s") == 0;
    row->log = is_time && low > 0 && high > 1e2 * low;
    if (!(high > low))
    {
        low = isfinite(low) ? low - 1 : 0;
        high = low + 2;
    }
    row->low = row->log ? log10(low) : low;
    row->high = row->log ? log10(high) : high;
}

static double place(const Row* row, double value)
{
    const double x = row->log ? log10(fmax(value, 1e-300)) : value;
    return row->top + row->height - 1 - (row->height - 1) * (x - row->low) / (row->high - row->low);
}

// from one height to another, ends by their share of a pixel
static void draw_column(Image* image, int x, double top, double bottom, uint32_t colour)
{
    for (int y = (int)floor(top); y <= (int)floor(bottom); y++)
        image_blend(image, x, y, colour, fmin(1, fmin(y + 1, bottom) - fmax(y, top)));
}

static void draw_row(Strip* s, Row* row)
{
    if (row->series < 0)
        sound_range(s);
    else
        series_range(s, row->series);
    set_scale(s, row);
    const double half = row->series < 0 ? 0.5 : 0.03 * s->size + 0.5;
    for (int k = 0; k < 2; k++)
    {
        const uint32_t colour = row->series < 0 ? wave_colour[k] : series_colour[row->hue][k];
        image_rect(&s->shown[k], s->left, row->top, s->right - s->left, row->height, 0xffffff, 0.035);
        for (int x = 0; x < s->right - s->left; x++)
            if (!isnan(s->least[x]))
                draw_column(&s->shown[k], s->left + x, place(row, s->most[x]) + 0.5 - half,
                            place(row, s->least[x]) + 0.5 + half, colour);
    }
}

// ---- making ----

static void text(Image* image, double x, double y, double size, double align, uint32_t colour, const char* words)
{
    image_text(image, x, y, (TextStyle){.size = size, .align = align, .colour = colour, .weight = 1}, words);
}

static double base_line(const Strip* s, const Row* row) { return row->top + 0.5 * (row->height + s->size); }

static void lay_out(Strip* s)
{
    int series[MAX_SERIES];
    const int rows = series_rows(s->def.trace, series);
    const double unit = s->def.height / ((s->def.sound ? 0.085 : 0) + 0.05 * rows + 0.015);
    s->size = fmax(0.0165 * unit, 6);
    double label = image_text_width(s->size, "sound");
    for (int k = 0; k < rows; k++) label = fmax(label, image_text_width(s->size, s->def.trace->series[series[k]].name));
    s->left = (int)(fmin(label, 0.2 * s->def.width) + 2 * s->size);
    s->right = s->def.width - (int)(9.5 * s->size);
    double y = 0.01 * unit;
    if (s->def.sound)
    {
        s->rows[s->row_count++] = (Row){.top = (int)y, .height = (int)(0.078 * unit), .series = -1};
        y += 0.085 * unit;
    }
    for (int k = 0; k < rows; k++, y += 0.05 * unit)
        s->rows[s->row_count++] = (Row){.top = (int)y, .height = (int)(0.043 * unit), .series = series[k], .hue = k};
}

static void draw_static(Strip* s)
{
    for (int k = 0; k < 2; k++) image_rect(&s->shown[k], 0, 0, s->def.width, s->def.height, GROUND, 1);
    for (int i = 0; i < s->row_count; i++)
    {
        Row* row = &s->rows[i];
        draw_row(s, row);
        const char* name = row->series < 0 ? "sound" : s->def.trace->series[row->series].name;
        double size = s->size;
        const double room = s->left - 2 * s->size, width = image_text_width(size, name);
        if (width > room) size *= room / width;
        for (int k = 0; k < 2; k++) text(&s->shown[k], s->left - 0.8 * s->size, base_line(s, row), size, 1, DIM, name);
    }
}

Strip* strip_create(const StripDef* def)
{
    const size_t bytes = (size_t)def->width * (size_t)def->height * 3;
    Strip* s = calloc(1, sizeof *s + 2 * bytes);
    float* range = calloc(2 * (size_t)def->width, sizeof *range);
    if (!s || !range)
    {
        free(s);
        free(range);
        return NULL;
    }
    s->def = *def;
    s->least = range;
    s->most = range + def->width;
    for (int k = 0; k < 2; k++)
        s->shown[k] = (Image){.width = def->width, .height = def->height, .rgb = s->pixels + (size_t)k * bytes};
    lay_out(s);
    draw_static(s);
    return s;
}

void strip_destroy(Strip* strip)
{
    if (!strip) return;
    free(strip->least);
    free(strip);
}

// ---- a frame ----

// what is no more than rounding beside the row's largest is 0
static double value_shown(const Strip* s, const Row* row, int64_t frame)
{
    const double value = (double)value_at(s->def.trace, frame, row->series);
    const bool nothing = !row->log && fabs(value) < 1e-9 * fmax(fabs(row->low), fabs(row->high));
    return nothing ? 0 : value;
}

static void draw_values(const Strip* s, Image* part, double time, int64_t frame)
{
    for (int i = 0; i < s->row_count; i++)
    {
        const Row* row = &s->rows[i];
        char words[48];
        if (row->series < 0)
            snprintf(words, sizeof words, "%.3f s", time);
        else
            strip_value_text(words, value_shown(s, row, frame), s->def.trace->series[row->series].unit);
        text(part, s->right + 0.8 * s->size, base_line(s, row), s->size, 0, TEXT, words);
    }
}

void strip_draw(const Strip* s, Image* image, int top, double time, int64_t frame)
{
    const size_t row = (size_t)s->def.width * 3;
    const double share = (time - s->def.start) / (s->def.end - s->def.start);
    int at = s->left + (int)floor(share * (s->right - s->left));
    at = at < s->left ? s->left : at > s->right ? s->right : at;
    for (int y = 0; y < s->def.height; y++)
    {
        uint8_t* to = image->rgb + (size_t)(top + y) * row;
        memcpy(to, s->shown[0].rgb + (size_t)y * row, (size_t)at * 3);
        memcpy(to + (size_t)at * 3, s->shown[1].rgb + (size_t)y * row + (size_t)at * 3, row - (size_t)at * 3);
    }
    Image part = {.width = image->width, .height = s->def.height, .rgb = image->rgb + (size_t)top * row};
    const int first = s->rows[0].top, last = s->rows[s->row_count - 1].top + s->rows[s->row_count - 1].height;
    image_rect(&part, at, first, 2, last - first, CURSOR, 0.9);
    draw_values(s, &part, time, frame);
}
