// SPDX-License-Identifier: MIT
// Pictures, spectrograms, spectra and plots.
#define _XOPEN_SOURCE 700
#include "media_files.h"

#include "media/axis.h"
#include "media/image.h"
#include "media/spectrum.h"
#include "media/stft.h"
#include "media/svg.h"
#include "twang/math.h"

#include <unistd.h>

// ---- pictures ----

static int png_has_the_size_and_the_same_bytes_again(void)
{
    uint8_t rgb[7 * 5 * 3];
    for (int i = 0; i < 105; i++) rgb[i] = (uint8_t)(i * 37);
    ENSURE(tw_png_save(in_folder("a.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(tw_png_save(in_folder("b.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("a.png"), in_folder("b.png")));
    char* bytes;
    size_t n;
    ENSURE(tw_file_read(&bytes, &n, in_folder("a.png"), 4096, &error) == TW_OK);
    // signature, then the header: width, height, 8 bits, RGB
    ENSURE(memcmp(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\7\0\0\0\5\x08\x02", 26) == 0);
    ENSURE(memcmp(bytes + n - 8, "IEND", 4) == 0);
    free(bytes);
    ENSURE(tw_png_save(in_folder("no.png"), rgb, 0, 5, &error) == TW_BAD_INPUT);
    ENSURE(tw_png_save("/there/is/no/folder/a.png", rgb, 7, 5, &error) == TW_IO_ERROR);
    return 0;
}

enum
{
    GLYPH = 24
};

static void draw_glyph(char c, uint8_t* rgb)
{
    memset(rgb, 0, GLYPH * GLYPH * 3);
    Image image = {GLYPH, GLYPH, rgb};
    image_text(&image, 4, 18, (TextStyle){.size = 12, .colour = 0xffffff}, (char[]){c, 0});
}

static int every_character_can_be_told_from_every_other(void)
{
    static uint8_t glyph[95][GLYPH * GLYPH * 3];
    for (int k = 0; k < 95; k++) draw_glyph((char)(32 + k), glyph[k]);
    for (int k = 0; k < 95; k++)
        for (int m = 0; m < k; m++)
        {
            int differ = 0;
            for (int i = 0; i < GLYPH * GLYPH * 3; i += 3) differ += abs(glyph[k][i] - glyph[m][i]) > 100;
            if (differ < 2) printf("'%c' looks like '%c'\n", 32 + k, 32 + m);
            ENSURE(differ >= 2);
        }
    return 0;
}

static int text_outside_the_picture_is_cut_off(void)
{
    uint8_t rgb[10 * 10 * 3] = {0};
    Image image = {10, 10, rgb};
    image_text(&image, -1000, 5, (TextStyle){.size = 8, .colour = 0xffffff}, "far away");
    image_text(&image, 8, 12, (TextStyle){.size = 30, .colour = 0xffffff, .upwards = 1}, "\xff\x01 big");
    image_rect(&image, -5, -5, 100, 100, 0x808080, 1);
    ENSURE(rgb[0] == 0x80 && rgb[299] == 0x80);
    return 0;
}

static double luma(uint32_t c) { return 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255); }

static int colour_map_only_gets_brighter(void)
{
    ENSURE(luma(image_heat(0)) < 10 && luma(image_heat(1)) > 225);
    for (int k = 1; k <= 64; k++) ENSURE(luma(image_heat(k / 64.0)) > luma(image_heat((k - 1) / 64.0)));
    return 0;
}

// ---- spectrogram ----

enum
{
    COLUMNS = 60,
    ROWS = 200
};

static float* levels_of(const float* x, int64_t frames, double rate_hz)
{
    static float levels[COLUMNS * ROWS];
    StftDef def = {.samples = x,
                   .frames = frames,
                   .channels = 1,
                   .rate_hz = rate_hz,
                   .columns = COLUMNS,
                   .rows = ROWS,
                   .low_hz = 20,
                   .high_hz = rate_hz / 2};
    return stft_levels(levels, &def) ? levels : NULL;
}

// theory: a sine of amplitude A shows at 20 log10 A in the row of its frequency, at every pitch
static int sines_show_at_their_level_and_pitch(void)
{
    enum
    {
        N = 48000
    };
    static const double freqs[] = {100, 440, 1000, 3000, 12000};
    float* x = malloc(N * sizeof *x);
    for (int k = 0; k < 5; k++)
    {
        for (int i = 0; i < N; i++) x[i] = (float)(0.1 * sin(2 * TW_PI * freqs[k] * i / 48000));
        const float* middle = levels_of(x, N, 48000) + COLUMNS / 2 * ROWS;
        int best = 0;
        for (int row = 1; row < ROWS; row++) best = middle[row] > middle[best] ? row : best;
        double expected = ROWS * log(freqs[k] / 20) / log(24000 / 20.0) - 0.5;
        ENSURE_NEAR(best, expected, 1.6);
        // a Hann window loses up to 1.4 dB between two bins
        ENSURE_NEAR(middle[best], -20, 1.45);
    }
    free(x);
    return 0;
}

static int clicks_show_in_their_column(void)
{
    enum
    {
        N = 48000
    };
    float* x = calloc(N, sizeof *x);
    x[N * 2 / 3] = 1;
    const float* levels = levels_of(x, N, 48000);
    const int row = ROWS - 20;
    int best = 0;
    for (int column = 1; column < COLUMNS; column++)
        best = levels[column * ROWS + row] > levels[best * ROWS + row] ? column : best;
    ENSURE_NEAR(best, COLUMNS * 2 / 3, 1);
    // half a window away there is nothing
    ENSURE(levels[(best - 4) * ROWS + row] == STFT_SILENCE);
    free(x);
    return 0;
}

static int strange_sounds_are_drawn(void)
{
    const float one[] = {1}, wild[] = {NAN, INFINITY, 0, -1e30f, 1e-30f, 3};
    float* noise = calloc(20000, sizeof *noise);
    twRng rng = tw_rng(3);
    for (int i = 0; i < 20000; i++) noise[i] = (float)(0.1 * tw_rng_normal(&rng));
    twSpectrogramDef def = tw_spectrogram_def();
    def.width = 400, def.height = 300, def.title = "title \xff & more";
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, NULL, 0, 1, 48000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, one, 1, 1, 48000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, wild, 3, 2, 44100, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, noise, 20000, 1, 1, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, noise, 20000, 1, 768000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s2.png"), &def, noise, 20000, 1, 768000, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("s.png"), in_folder("s2.png")));
    free(noise);
    def.range_db = NAN;
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, 48000, &error) == TW_BAD_INPUT);
    def = tw_spectrogram_def(), def.width = 10;
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, 48000, &error) == TW_BAD_INPUT);
    def = tw_spectrogram_def();
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, -1, &error) == TW_BAD_INPUT);
    return 0;
}

// theory: as above, but for the whole sound; loud neighbours leave soft partials alone
static int spectra_show_partials_at_their_level_and_pitch(void)
{
    enum
    {
        N = 20000,
        WIDTH = 600
    };
    static const double freqs[] = {100, 997, 1200, 9000}, gains[] = {0.5, 1, 1e-3, 1e-4};
    double *x = calloc(N, sizeof *x), levels[WIDTH];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) x[i] += gains[k] * sin(2 * TW_PI * freqs[k] * i / 44100);
    const Axis axis = {20, 20000, true, 100, 100 + WIDTH};
    const twSpectrumCurve curve = {x, N, 44100, NULL};
    ENSURE(spectrum_levels(levels, &axis, &curve));
    for (int k = 0; k < 4; k++)
    {
        const int column = (int)(axis_place(&axis, freqs[k]) - 100);
        ENSURE_NEAR(levels[column], 20 * log10(gains[k]), 0.12);
    }
    ENSURE(levels[(int)(axis_place(&axis, 4000) - 100)] < -90);
    free(x);
    return 0;
}

static int strange_spectra_are_drawn_or_refused(void)
{
    const double wild[] = {NAN, INFINITY, 0, -1e30, 3}, marks[] = {NAN, -1, 0, 440, 1e9};
    twSpectrumCurve curves[] = {
        {wild, 5, 44100, "title \xff & more"}, {wild + 2, 1, 1, NULL}, {wild + 2, 1, 768000, NULL}};
    twSpectrumDef def = tw_spectrum_def();
    def.width = 400, def.height = 300, def.title = "title \xff & more";
    def.mark_count = 5, def.marks_hz = marks;
    ENSURE(tw_spectrum_save(in_folder("p.png"), &def, curves, 3, &error) == TW_OK);
    ENSURE(tw_spectrum_save(in_folder("p2.png"), &def, curves, 3, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("p.png"), in_folder("p2.png")));
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 0, &error) == TW_BAD_INPUT);
    curves[1].frames = 0;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 3, &error) == TW_BAD_INPUT);
    curves[1].frames = 1, curves[1].rate_hz = NAN;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 3, &error) == TW_BAD_INPUT);
    def.max_hz = def.min_hz;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 1, &error) == TW_BAD_INPUT);
    return 0;
}

// ---- plots ----

// text of a file; free it
static char* slurp(const char* path)
{
    char* bytes = NULL;
    size_t n = 0;
    return tw_file_read(&bytes, &n, path, 1 << 24, NULL) == TW_OK ? bytes : NULL;
}

// elements nest, attributes are quoted, no bare & or <
static bool is_well_formed(const char* s)
{
    char stack[32][16];
    int depth = 0, elements = 0;
    for (; *s; s++)
    {
        if (*s == '&' && strncmp(s, "&amp;", 5) != 0 && strncmp(s, "&lt;", 4) != 0 && strncmp(s, "&gt;", 4) != 0)
            return false;
        if (*s != '<') continue;
        bool closing = s[1] == '/', quoted = false;
        size_t length = strcspn(s + 1 + closing, " >/?");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)length, s + 1 + closing);
        const char* end = s + 1;
        for (; *end && (quoted || *end != '>'); end++)
        {
            if (*end == '"') quoted = !quoted;
            if (*end == '<') return false;
        }
        if (!*end) return false;
        elements++;
        if (closing && (depth == 0 || strcmp(stack[--depth], name) != 0)) return false;
        if (!closing && end[-1] != '/' && s[1] != '?')
        {
            if (depth == 32) return false;
            strcpy(stack[depth++], name);
        }
        s = end;
    }
    return depth == 0 && elements > 3;
}

static int count_of(const char* text, const char* part)
{
    int n = 0;
    for (const char* s = strstr(text, part); s; s = strstr(s + 1, part)) n++;
    return n;
}

static int figures_are_well_formed_whatever_is_drawn(void)
{
    const double x[] = {1, 2, NAN, 4, 5, INFINITY}, y[] = {1e-9, -1e300, 3, NAN, 1e300, 2}, constant[] = {5, 5, 5};
    twPlot* plot = tw_plot_create("a < b & \"c\" \xff \x01 \xc3\xa9", 3);
    for (int k = 0; k < 8; k++)
    {
        tw_plot_panel(plot, k ? "p < q" : NULL, "time [s]", "force & more [N]");
        tw_plot_log(plot, k & 1, k & 2);
        if (k & 4) tw_plot_line(plot, x, y, 6, "line");
        if (k & 4) tw_plot_dots(plot, x, y, 6, "dots > lines");
        if (k & 1) tw_plot_line(plot, NULL, constant, 3, NULL);
        tw_plot_line(plot, x, y, 0, "nothing");
        tw_plot_hline(plot, k - 3, "zero & below");
        tw_plot_vline(plot, NAN, "nowhere");
        tw_plot_x_range(plot, k, -k);
    }
    ENSURE(tw_plot_save(plot, in_folder("p.svg"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, in_folder("q.svg"), &error) == TW_OK);
    tw_plot_destroy(plot);
    ENSURE(same_bytes(in_folder("p.svg"), in_folder("q.svg")));
    char* text = slurp(in_folder("p.svg"));
    ENSURE(text && is_well_formed(text));
    ENSURE(!strstr(text, "nan") && !strstr(text, "inf"));
    ENSURE(count_of(text, "<clipPath") == 8);
    ENSURE(strstr(text, "a &lt; b &amp; \"c\" \xef\xbf\xbd"));
    free(text);
    return 0;
}

static int plots_without_memory_or_panels_do_no_harm(void)
{
    tw_plot_panel(NULL, "a", "b", "c");
    tw_plot_line(NULL, NULL, NULL, 3, "x");
    tw_plot_hline(NULL, 1, NULL);
    tw_plot_log(NULL, true, true);
    tw_plot_destroy(NULL);
    ENSURE(tw_plot_save(NULL, in_folder("no.svg"), &error) == TW_NO_MEMORY);
    twPlot* plot = tw_plot_create(NULL, 0);
    ENSURE(tw_plot_save(plot, in_folder("e.svg"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, "/there/is/no/folder/a.svg", &error) == TW_IO_ERROR);
    tw_plot_destroy(plot);
    return 0;
}

static char path_text[1 << 20];

// the path through n points on a square of 100 px
static const char* path_of(const double* x, const double* y, size_t n, double high)
{
    const Axis x_axis = {.low = 0, .high = high, .start = 0, .end = 100},
               y_axis = {.low = 0, .high = 1, .start = 100, .end = 0};
    path_text[0] = 0;
    FILE* stream = fmemopen(path_text, sizeof path_text, "w");
    svg_path(stream, &x_axis, &y_axis, x, y, n);
    fclose(stream);
    return path_text;
}

static int paths_break_at_gaps_and_show_single_points(void)
{
    const double x[] = {0, 10, 20, 30, 40, 50, 100}, y[] = {0, 1, NAN, 0.5, NAN, 1, 0};
    ENSURE_TEXT(path_of(x, y, 7, 100), "M0 1000l100 -1000M300 500h0M500 0l500 1000");
    ENSURE_TEXT(path_of(x, y, 0, 100), "");
    return 0;
}

static int long_series_shrink_to_pixels_but_keep_their_spikes(void)
{
    enum
    {
        N = 1000000
    };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = i, y[i] = 0.4 + 0.1 * sin(0.01 * i);
    y[777777] = 1;
    const char* path = path_of(x, y, N, N);
    // at most four points for each of 101 pixels
    ENSURE(count_of(path, "l") <= 404 && count_of(path, "M") == 1);
    long at = 0, top = 1000, move_x, move_y;
    int used;
    ENSURE(sscanf(path, "M%ld %ld%n", &move_x, &at, &used) == 2);
    for (path += used; sscanf(path, "l%ld %ld%n", &move_x, &move_y, &used) == 2; path += used)
        at += move_y, top = at < top ? at : top;
    ENSURE(*path == 0 && top == 0);
    free(x);
    free(y);
    return 0;
}

static int repeated_loops_are_drawn_once(void)
{
    enum
    {
        N = 100000
    };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++)
        x[i] = 0.5 + 0.4 * cos(2 * TW_PI * i / 500), y[i] = 0.5 + 0.4 * sin(2 * TW_PI * i / 500);
    ENSURE(strlen(path_of(x, y, N, 1)) < 10000);
    free(x);
    free(y);
    return 0;
}

static int ticks_are_at_round_numbers(void)
{
    static const double spans[][2] = {{0, 1},          {-3.7, 12.2},    {1e-9, 7e-9},
                                      {99999, 100001}, {-1e200, 1e200}, {5, 5.0000001}};
    for (int k = 0; k < 6; k++)
    {
        Axis axis = {.low = spans[k][0], .high = spans[k][1]};
        axis_fit(&axis, 0);
        Ticks ticks;
        axis_ticks(&axis, 6, &ticks);
        ENSURE(ticks.count >= 3 && ticks.count <= 13);
        double step = ticks.tick[1].value - ticks.tick[0].value, decade = pow(10, floor(log10(step) + 1e-6));
        double m = step / decade;
        ENSURE(fabs(m - 1) < 1e-3 || fabs(m - 2) < 1e-3 || fabs(m - 5) < 1e-3);
        for (int t = 0; t < ticks.count; t++)
        {
            ENSURE(ticks.tick[t].value >= axis.low - 1e-6 * step && ticks.tick[t].value <= axis.high + 1e-6 * step);
            ENSURE(t == 0 || strcmp(ticks.tick[t].text, ticks.tick[t - 1].text) != 0);
        }
    }
    Axis unit = {.low = -0.5, .high = 0.5};
    Ticks ticks;
    axis_ticks(&unit, 5, &ticks);
    ENSURE(ticks.count == 5);
    ENSURE_TEXT(ticks.tick[0].text, "\xe2\x88\x92"
                                    "0.4");
    return 0;
}

static int zero_ticks_have_no_sign(void)
{
    Axis axis = {.low = -1, .high = 1};
    Ticks ticks;
    axis_ticks(&axis, 10, &ticks);
    ENSURE(ticks.count == 11);
    ENSURE_TEXT(ticks.tick[5].text, "0.0");
    return 0;
}

static int logarithmic_ticks_are_decades(void)
{
    Axis axis = {.low = 20, .high = 20000, .log = true};
    Ticks ticks;
    axis_ticks(&axis, 8, &ticks);
    int labels = 0;
    for (int k = 0; k < ticks.count; k++)
    {
        if (ticks.tick[k].minor) continue;
        double power = log10(ticks.tick[k].value);
        ENSURE_NEAR(power, floor(power + 0.5), 1e-12);
        labels++;
    }
    ENSURE(labels == 3);
    return 0;
}

static int units_take_the_prefix_of_the_exponent(void)
{
    static const struct
    {
        const char* label;
        int exponent;
        const char* expected;
    } cases[] = {
        {"force [N]", 3, "force [kN]"},
        {"x [m]", -6, "x [\xc2\xb5m]"},
        {"v [m/s]", -3, "v [mm/s]"},
        {"time [s]", -3, "time [ms]"},
        {"time [s]", 3,
         "time [s] \xc3\x97"
         "10\xc2\xb3"},
        {"area [m^2]", -6,
         "area [m^2] \xc3\x97"
         "10\xe2\x81\xbb\xe2\x81\xb6"},
        {"mass [kg]", -3,
         "mass [kg] \xc3\x97"
         "10\xe2\x81\xbb\xc2\xb3"},
        {"k [N/m]", 0, "k [N/m]"},
        {NULL, 0, ""},
    };
    char out[100];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    {
        axis_label(out, sizeof out, cases[k].label, cases[k].exponent);
        ENSURE_TEXT(out, cases[k].expected);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(png_has_the_size_and_the_same_bytes_again)
    RUN(every_character_can_be_told_from_every_other)
    RUN(text_outside_the_picture_is_cut_off)
    RUN(colour_map_only_gets_brighter)
    RUN(sines_show_at_their_level_and_pitch)
    RUN(clicks_show_in_their_column)
    RUN(strange_sounds_are_drawn)
    RUN(spectra_show_partials_at_their_level_and_pitch)
    RUN(strange_spectra_are_drawn_or_refused)
    RUN(figures_are_well_formed_whatever_is_drawn)
    RUN(plots_without_memory_or_panels_do_no_harm)
    RUN(paths_break_at_gaps_and_show_single_points)
    RUN(long_series_shrink_to_pixels_but_keep_their_spikes)
    RUN(repeated_loops_are_drawn_once)
    RUN(ticks_are_at_round_numbers)
    RUN(zero_ticks_have_no_sign)
    RUN(logarithmic_ticks_are_decades)
    RUN(units_take_the_prefix_of_the_exponent)
)
