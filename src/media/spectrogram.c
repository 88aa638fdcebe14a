// SPDX-License-Identifier: MIT
// The spectrogram picture: waveform above, spectra below, axes, colour bar. Levels come from stft.c.

#include "twang/math.h"
#include "twang/media.h"

#include "media/image.h"
#include "media/stft.h"

#include <stdlib.h>
#include <string.h>

#define BACKGROUND 0x0d0f14
#define AREA 0x14171f
#define INK 0xe6e8ee
#define DIM 0x9aa0ad
#define LINE 0x3a404d
#define WAVE 0x6fb7ff

typedef struct Box
{
    int x, y, width, height;
} Box;

typedef struct Sheet
{
    Image image;
    const twSpectrogramDef* def;
    const float* samples;
    int64_t frames;
    int channels;
    double rate_hz, low_hz, high_hz;
    Box wave, area, bar;
    float* levels;  // (columns x rows) of area
    double top_db;  // level of the brightest colour
    double unit;    // pixels of a small text's capital
} Sheet;

twSpectrogramDef tw_spectrogram_def(void)
{
    return (twSpectrogramDef){.width = 1280, .height = 720, .range_db = 90, .min_hz = 20};
}

// ---- layout ----

static TextStyle small(const Sheet* sheet, double align)
{
    return (TextStyle){.size = sheet->unit, .align = align, .colour = DIM};
}

static void lay_out(Sheet* sheet)
{
    const int width = sheet->def->width, height = sheet->def->height;
    sheet->unit = fmax(7.5, fmin(18, height / 76.0));
    const double u = sheet->unit;
    const int left = (int)(8.2 * u), right = (int)(9.5 * u), top = (int)(sheet->def->title ? 4.2 * u : 2 * u);
    const int bottom = (int)(5.4 * u), strip = (int)(0.125 * height), gap = (int)(1.3 * u);
    const int inner = width - left - right;
    sheet->wave = (Box){left, top, inner, strip};
    sheet->area = (Box){left, top + strip + gap, inner, height - top - strip - gap - bottom};
    sheet->bar = (Box){width - right + (int)(1.8 * u), sheet->area.y, (int)(1.4 * u), sheet->area.height};
}

// ---- waveform ----

// smallest and largest sample in a column
static void extent(const Sheet* sheet, int column, double* low, double* high)
{
    // at least one frame; at most 4096 looked at, so that the cost is bounded
    int64_t first = (int64_t)((double)column * (double)sheet->frames / sheet->wave.width);
    int64_t last = (int64_t)((double)(column + 1) * (double)sheet->frames / sheet->wave.width);
    if (last >= sheet->frames) last = sheet->frames - 1;
    int64_t stride = 1 + (last - first) / 4096;
    *low = INFINITY, *high = -INFINITY;
    for (int64_t i = first; i <= last; i += stride)
        for (int c = 0; c < sheet->channels; c++)
        {
            double x = sheet->samples[i * sheet->channels + c];
            if (!isfinite(x)) continue;
            *low = fmin(*low, x);
            *high = fmax(*high, x);
        }
}

static double peak_of(const Sheet* sheet)
{
    double peak = 0, low, high;
    for (int column = 0; column < sheet->wave.width; column++)
    {
        extent(sheet, column, &low, &high);
        if (low <= high) peak = fmax(peak, fmax(fabs(low), fabs(high)));
    }
    return peak;
}

// a vertical stroke from y0 to y1 with smooth ends
static void stroke(Image* image, int x, double y0, double y1, uint32_t colour)
{
    for (int y = (int)floor(y0); y <= (int)floor(y1); y++)
        image_blend(image, x, y, colour, fmax(0, fmin(1, fmin(y1, y + 1) - fmax(y0, y))));
}

static void draw_wave(Sheet* sheet)
{
    const Box b = sheet->wave;
    const double peak = peak_of(sheet), middle = b.y + 0.5 * b.height, scale = 0.46 * b.height / (peak > 0 ? peak : 1);
    image_rect(&sheet->image, b.x, b.y, b.width, b.height, AREA, 1);
    image_rect(&sheet->image, b.x, (int)middle, b.width, 1, LINE, 1);
    for (int column = 0; column < b.width; column++)
    {
        double low, high;
        extent(sheet, column, &low, &high);
        if (low > high) continue;
        stroke(&sheet->image, b.x + column, middle - high * scale - 0.6, middle - low * scale + 0.6, WAVE);
    }
    image_frame(&sheet->image, b.x, b.y, b.width, b.height, LINE);

    // the peak as a scale
    const double x = b.x - 0.8 * sheet->unit, half = 0.5 * sheet->unit;
    char text[32];
    snprintf(text, sizeof text, "%.3g", peak);
    if (peak > 0)
    {
        image_text(&sheet->image, x, middle - peak * scale + half, small(sheet, 1), text);
        snprintf(text, sizeof text, "-%.3g", peak);
        image_text(&sheet->image, x, middle + peak * scale + half, small(sheet, 1), text);
    }
    image_text(&sheet->image, x, middle + half, small(sheet, 1), "0");
}

// ---- spectra ----

static void draw_spectra(Sheet* sheet)
{
    const Box b = sheet->area;
    uint32_t heat[512];
    for (int k = 0; k < 512; k++) heat[k] = image_heat(k / 511.0);
    for (int column = 0; column < b.width; column++)
        for (int row = 0; row < b.height; row++)
        {
            double level = sheet->levels[(size_t)column * (size_t)b.height + (size_t)row];
            double t = 1 + (level - sheet->top_db) / sheet->def->range_db;
            int shade = (int)(511 * fmax(0, fmin(1, t)) + 0.5);
            image_blend(&sheet->image, b.x + column, b.y + b.height - 1 - row, heat[shade], 1);
        }
    image_frame(&sheet->image, b.x, b.y, b.width, b.height, LINE);
}

static double strongest(const Sheet* sheet)
{
    double best = STFT_SILENCE;
    const size_t cells = (size_t)sheet->area.width * (size_t)sheet->area.height;
    for (size_t i = 0; i < cells; i++) best = fmax(best, sheet->levels[i]);
    return best;
}

// ---- axes ----

// 1, 2 or 5 times a power of ten, at least x
static double nice_step(double x)
{
    double decade = pow(10, floor(log10(x)));
    double m = x / decade;
    return decade * (m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10);
}

static void draw_bar(Sheet* sheet)
{
    const Box b = sheet->bar;
    for (int y = 0; y < b.height; y++)
        image_rect(&sheet->image, b.x, b.y + y, b.width, 1, image_heat(1 - (y + 0.5) / b.height), 1);
    image_frame(&sheet->image, b.x, b.y, b.width, b.height, LINE);
    const double step = nice_step(sheet->def->range_db / 10);
    char text[32];
    for (double down = 0; down <= sheet->def->range_db + 1e-9; down += step)
    {
        int y = b.y + (int)(down / sheet->def->range_db * (b.height - 1));
        image_rect(&sheet->image, b.x + b.width + 1, y, (int)(0.5 * sheet->unit), 1, DIM, 1);
        snprintf(text, sizeof text, "%.0f", sheet->top_db - down + 0.0);
        image_text(&sheet->image, b.x + b.width + sheet->unit, y + 0.5 * sheet->unit, small(sheet, 0), text);
    }
    image_text(&sheet->image, b.x, b.y - 1.2 * sheet->unit, small(sheet, 0), "dBFS");
}

static void hz_text(char* text, size_t bytes, double hz)
{
    if (hz >= 1000)
        snprintf(text, bytes, "%gk", hz / 1000);
    else
        snprintf(text, bytes, "%g", hz);
}

static void draw_frequencies(Sheet* sheet)
{
    const Box b = sheet->area;
    const double octaves = log(sheet->high_hz / sheet->low_hz);
    char text[32];
    double last_y = b.y + b.height + 100;
    for (int decade = (int)floor(log10(sheet->low_hz)); decade <= 6; decade++)
        for (int m = 1; m <= 9; m++)
        {
            double hz = m * pow(10, decade);
            if (hz < sheet->low_hz * 0.9999 || hz > sheet->high_hz * 1.0001) continue;
            double y = b.y + b.height * (1 - log(hz / sheet->low_hz) / octaves);
            bool major = (m == 1 || m == 2 || m == 5) && last_y - y > 1.6 * sheet->unit;
            int tick = (int)(major ? 0.6 * sheet->unit : 0.3 * sheet->unit);
            image_rect(&sheet->image, b.x - 1 - tick, (int)y, tick, 1, major ? DIM : LINE, 1);
            if (!major) continue;
            last_y = y;
            image_rect(&sheet->image, b.x, (int)y, b.width, 1, 0xffffff, m == 1 ? 0.13 : 0.06);
            hz_text(text, sizeof text, hz);
            image_text(&sheet->image, b.x - 1.1 * sheet->unit, y + 0.5 * sheet->unit, small(sheet, 1), text);
        }
    TextStyle style = {.size = 1.1 * sheet->unit, .align = 0.5, .colour = INK, .upwards = 1};
    image_text(&sheet->image, 2.2 * sheet->unit, b.y + 0.5 * b.height, style, "frequency [Hz]");
}

static void draw_times(Sheet* sheet)
{
    const Box b = sheet->area;
    const double seconds = (double)sheet->frames / sheet->rate_hz;
    const double unit = seconds < 1e-3 ? 1e-6 : seconds < 1 ? 1e-3 : 1;
    const char* label = seconds < 1e-3 ? "time [us]" : seconds < 1 ? "time [ms]" : "time [s]";
    const double span = seconds / unit, step = nice_step(span * 9 * sheet->unit / b.width);
    char text[32];
    for (int k = 0; k * step <= span * (1 + 1e-9); k++)
    {
        int x = b.x + (int)(k * step / span * (b.width - 1));
        image_rect(&sheet->image, x, b.y + b.height + 1, 1, (int)(0.6 * sheet->unit), DIM, 1);
        snprintf(text, sizeof text, "%.6g", k * step);
        image_text(&sheet->image, x, b.y + b.height + 2.3 * sheet->unit, small(sheet, 0.5), text);
    }
    TextStyle style = {.size = 1.1 * sheet->unit, .align = 0.5, .colour = INK};
    image_text(&sheet->image, b.x + 0.5 * b.width, b.y + b.height + 4.5 * sheet->unit, style, label);
}

// a title wider than the picture shrinks
static void draw_title(Sheet* sheet)
{
    if (!sheet->def->title) return;
    TextStyle style = {.size = 1.45 * sheet->unit, .colour = INK, .weight = 1.1};
    double width = image_text_width(style.size, sheet->def->title), room = sheet->def->width - sheet->wave.x - 10;
    if (width > room) style.size *= room / width;
    image_text(&sheet->image, sheet->wave.x, 2.7 * sheet->unit, style, sheet->def->title);
}

// ---- the whole ----

static twStatus check(const twSpectrogramDef* def, int channels, double rate_hz, const char* path, twError* err)
{
    if (def->width < 400 || def->width > 8000 || def->height < 300 || def->height > 8000)
        return tw_fail(err, TW_BAD_INPUT, "%s: picture of %d x %d pixels is outside 400 x 300 to 8000 x 8000", path,
                       def->width, def->height);
    if (!(def->range_db >= 10 && def->range_db <= 200))
        return tw_fail(err, TW_BAD_INPUT, "%s: range of %g dB is outside 10 to 200", path, def->range_db);
    if (!(def->min_hz > 0 && isfinite(def->min_hz)))
        return tw_fail(err, TW_BAD_INPUT, "%s: lowest frequency %g Hz must be positive", path, def->min_hz);
    if (channels < 1) return tw_fail(err, TW_BAD_INPUT, "%s: %d channels; at least 1 is needed", path, channels);
    if (!(rate_hz >= 1 && rate_hz <= TW_WAV_MAX_RATE))
        return tw_fail(err, TW_BAD_INPUT, "%s: rate of %g Hz is outside 1 to %d", path, rate_hz, TW_WAV_MAX_RATE);
    return TW_OK;
}

static bool analyse(Sheet* sheet)
{
    StftDef stft = {.samples = sheet->samples,
                    .frames = sheet->frames,
                    .channels = sheet->channels,
                    .rate_hz = sheet->rate_hz,
                    .columns = sheet->area.width,
                    .rows = sheet->area.height,
                    .low_hz = sheet->low_hz,
                    .high_hz = sheet->high_hz};
    if (!stft_levels(sheet->levels, &stft)) return false;
    double best = strongest(sheet);
    sheet->top_db = best > STFT_SILENCE + 1 ? 10 * ceil(best / 10) : 0;
    return true;
}

static void draw(Sheet* sheet)
{
    image_rect(&sheet->image, 0, 0, sheet->image.width, sheet->image.height, BACKGROUND, 1);
    draw_title(sheet);
    draw_wave(sheet);
    draw_spectra(sheet);
    draw_frequencies(sheet);
    draw_times(sheet);
    draw_bar(sheet);
}

twStatus tw_spectrogram_save(const char* path, const twSpectrogramDef* def, const float* samples, int64_t frames,
                             int channels, double rate_hz, twError* err)
{
    twStatus status = check(def, channels, rate_hz, path, err);
    if (status != TW_OK) return status;
    // an empty sound is drawn as one silent frame
    static const float silence[1] = {0};
    Sheet sheet = {.image = {def->width, def->height, NULL}, .def = def, .samples = frames > 0 ? samples : silence};
    sheet.frames = frames > 0 ? frames : 1;
    sheet.channels = frames > 0 ? channels : 1;
    sheet.rate_hz = rate_hz;
    sheet.high_hz = rate_hz / 2;
    sheet.low_hz = fmin(def->min_hz, sheet.high_hz / 10);
    lay_out(&sheet);
    sheet.image.rgb = calloc((size_t)def->width * (size_t)def->height, 3);
    sheet.levels = malloc((size_t)sheet.area.width * (size_t)sheet.area.height * sizeof *sheet.levels);
    if (!sheet.image.rgb || !sheet.levels || !analyse(&sheet))
        status = tw_fail(err, TW_NO_MEMORY, "%s: no memory for the spectrogram", path);
    if (status == TW_OK)
    {
        draw(&sheet);
        status = tw_png_save(path, sheet.image.rgb, def->width, def->height, err);
    }
    free(sheet.levels);
    free(sheet.image.rgb);
    return status;
}
