// SPDX-License-Identifier: MIT
// The spectrum picture: level over frequency of whole sounds, one curve each, with marks at chosen frequencies.
//
// Each sound passes one Blackman-Harris window (sidelobes at -92 dB) and is padded to a power of two, at least four times its
// length, so that between bins a sine reads 0.1 dB low at most. A column of pixels shows its strongest bin.

#include "media/spectrum.h"

#include "media/image.h"
#include "twang/math.h"

#include <stdlib.h>

#define BACKGROUND 0x0d0f14
#define AREA 0x14171f
#define INK 0xe6e8ee
#define DIM 0x9aa0ad
#define LINE 0x3a404d
#define MARK 0xc8ccd6
#define MOST_FRAMES (1 << 22)

static const uint32_t colours[] = {0x6fb7ff, 0xffa24d, 0x7ee08a, 0xff7aa8};
#define COLOURS ((int)(sizeof colours / sizeof colours[0]))

typedef struct Picture
{
    Image image;
    const twSpectrumDef* def;
    Axis x, y;       // frequency, level
    double unit;     // pixels of a small text's capital
    double* levels;  // (curves x columns)
} Picture;

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
static double column_hz(const Axis* x, int column)
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

// ---- drawing ----

static void lay_out(Picture* p)
{
    const int width = p->def->width, height = p->def->height;
    p->unit = fmax(7.5, fmin(18, height / 76.0));
    const double u = p->unit;
    p->x = (Axis){p->def->min_hz, p->def->max_hz, true, floor(8.2 * u), floor(width - 3 * u)};
    p->y = (Axis){0, 1, false, floor(height - 5.4 * u), floor(p->def->title ? 4.2 * u : 2 * u)};
}

static void choose_levels(Picture* p, int curve_count)
{
    const int columns = (int)(p->x.end - p->x.start);
    double most = SPECTRUM_SILENCE;
    for (int i = 0; i < curve_count * columns; i++) most = fmax(most, p->levels[i]);
    p->y.high = most > SPECTRUM_SILENCE ? 10 * ceil((most + 1) / 10) : 0;
    p->y.low = p->y.high - p->def->range_db;
}

static void draw_axes(Picture* p)
{
    const int left = (int)p->x.start, right = (int)p->x.end, top = (int)p->y.end, bottom = (int)p->y.start;
    const TextStyle beside = {.size = p->unit, .align = 1, .colour = DIM},
                    below = {.size = p->unit, .align = 0.5, .colour = DIM};
    Ticks ticks;
    axis_ticks(&p->y, 10, &ticks);
    for (int i = 0; i < ticks.count; i++)
    {
        const int y = (int)axis_place(&p->y, ticks.tick[i].value);
        char text[32];
        image_rect(&p->image, left, y, right - left, 1, 0xffffff, 0.06);
        snprintf(text, sizeof text, "%.0f", ticks.tick[i].value + 0.0);
        if (!ticks.tick[i].minor) image_text(&p->image, left - 0.8 * p->unit, y + 0.5 * p->unit, beside, text);
    }
    for (int decade = (int)floor(log10(p->x.low)); decade <= 6; decade++)
        for (int m = 1; m <= 9; m++)
        {
            const double hz = m * pow(10, decade);
            if (hz < p->x.low * 0.9999 || hz > p->x.high * 1.0001) continue;
            const int x = (int)axis_place(&p->x, hz);
            char text[32];
            image_rect(&p->image, x, top, 1, bottom - top, 0xffffff, m == 1 ? 0.13 : 0.06);
            snprintf(text, sizeof text, hz >= 1000 ? "%gk" : "%g", hz >= 1000 ? hz / 1000 : hz);
            if (m == 1 || m == 2 || m == 5) image_text(&p->image, x, bottom + 2 * p->unit, below, text);
        }
    image_frame(&p->image, left, top, right - left, bottom - top, LINE);
    const TextStyle name = {.size = 1.1 * p->unit, .align = 0.5, .colour = INK};
    TextStyle upwards = name;
    upwards.upwards = 1;
    image_text(&p->image, 0.5 * (left + right), bottom + 4.3 * p->unit, name, "frequency [Hz]");
    image_text(&p->image, 2.2 * p->unit, 0.5 * (top + bottom), upwards, "level [dB]");
}

// dashed
static void draw_marks(Picture* p)
{
    for (int k = 0; k < p->def->mark_count; k++)
    {
        const double hz = p->def->marks_hz[k];
        if (!(hz >= p->x.low && hz <= p->x.high)) continue;
        const int x = (int)axis_place(&p->x, hz);
        for (int y = (int)p->y.end; y < p->y.start; y += 8) image_rect(&p->image, x, y, 1, 4, MARK, 0.8);
    }
}

// a stroke per column, from its level to that of the one before
static void draw_curve(Picture* p, const double* levels, uint32_t colour)
{
    const double top = p->y.end, bottom = p->y.start - 1;
    double before = 0;
    for (int c = 0; c < (int)(p->x.end - p->x.start) - 1; c++)
    {
        const double y = fmax(top, fmin(bottom, axis_place(&p->y, levels[c])));
        if (c == 0) before = y;
        const int low = (int)fmin(y, before), high = (int)fmax(y, before);
        if (y < bottom || before < bottom)
            image_rect(&p->image, (int)p->x.start + c, low, 2, high - low + 2, colour, 0.85);
        before = y;
    }
}

static void draw_legend(Picture* p, const twSpectrumCurve* curves, int count)
{
    double y = p->y.end + 2.2 * p->unit;
    const double x = p->x.start + 1.5 * p->unit;
    for (int k = 0; k <= count; k++)
    {
        const char* label = k < count ? curves[k].label : p->def->mark_count > 0 ? p->def->mark_label : NULL;
        if (!label) continue;
        const TextStyle style = {.size = p->unit, .colour = k < count ? colours[k % COLOURS] : MARK};
        image_text(&p->image, x, y, style, label);
        y += 2 * p->unit;
    }
}

static void draw(Picture* p, const twSpectrumCurve* curves, int count)
{
    const int columns = (int)(p->x.end - p->x.start);
    image_rect(&p->image, 0, 0, p->image.width, p->image.height, BACKGROUND, 1);
    image_rect(&p->image, (int)p->x.start, (int)p->y.end, columns, (int)(p->y.start - p->y.end), AREA, 1);
    draw_axes(p);
    draw_marks(p);
    for (int k = count - 1; k >= 0; k--) draw_curve(p, p->levels + k * columns, colours[k % COLOURS]);
    draw_legend(p, curves, count);
    if (!p->def->title) return;
    TextStyle style = {.size = 1.45 * p->unit, .colour = INK, .weight = 1.1};
    const double width = image_text_width(style.size, p->def->title), room = p->x.end - p->x.start;
    if (width > room) style.size *= room / width;
    image_text(&p->image, p->x.start, 2.7 * p->unit, style, p->def->title);
}

// ---- the whole ----

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

twStatus tw_spectrum_save(const char* path, const twSpectrumDef* def, const twSpectrumCurve* curves, int count,
                          twError* err)
{
    twStatus status = check(path, def, curves, count, err);
    if (status != TW_OK) return status;
    Picture p = {.image = {def->width, def->height, NULL}, .def = def};
    lay_out(&p);
    const int columns = (int)(p.x.end - p.x.start);
    p.image.rgb = calloc((size_t)def->width * (size_t)def->height, 3);
    p.levels = malloc((size_t)count * (size_t)columns * sizeof *p.levels);
    bool measured = p.image.rgb && p.levels;
    for (int k = 0; k < count && measured; k++) measured = spectrum_levels(p.levels + k * columns, &p.x, &curves[k]);
    if (!measured)
        status = tw_fail(err, TW_NO_MEMORY, "%s: no memory for the spectrum", path);
    else
    {
        choose_levels(&p, count);
        draw(&p, curves, count);
        status = tw_png_save(path, p.image.rgb, def->width, def->height, err);
    }
    free(p.levels);
    free(p.image.rgb);
    return status;
}
