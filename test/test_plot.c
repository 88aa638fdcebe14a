// SPDX-License-Identifier: MIT
// Plots and figures: panels, axes, curves, files.
#define _XOPEN_SOURCE 700
#include "media_files.h"

#include "media/axis.h"
#include "media/curve.h"
#include "media/image.h"
#include "media/plot.h"
#include "media/raster.h"
#include "media/svg.h"
#include "media/wave.h"
#include "twang/math.h"

#include <unistd.h>

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
    ENSURE(tw_plot_save(plot, in_folder("q.png"), &error) == TW_OK);
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

// width and height in the header of a PNG
static void png_size(const char* path, int* width, int* height)
{
    char* bytes = NULL;
    size_t n = 0;
    *width = *height = 0;
    if (tw_file_read(&bytes, &n, path, 1 << 24, NULL) != TW_OK || n < 24) return;
    const unsigned char* b = (const unsigned char*)bytes + 16;
    *width = b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    *height = b[4] << 24 | b[5] << 16 | b[6] << 8 | b[7];
    free(bytes);
}

static int the_ending_of_the_path_chooses_the_format(void)
{
    const double x[] = {1, 2, 3};
    twPlot* plot = tw_plot_create("title", 1);
    tw_plot_line(plot, NULL, x, 3, "line");
    ENSURE(tw_plot_save(plot, in_folder("f.svg"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, in_folder("f.PNG"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, in_folder("f2.png"), &error) == TW_OK);
    ENSURE(same_bytes(in_folder("f.PNG"), in_folder("f2.png")));
    ENSURE(tw_plot_save(plot, in_folder("f.gif"), &error) == TW_BAD_INPUT && strstr(error.text, ".svg or .png"));
    ENSURE(tw_plot_save(plot, ".svg", &error) == TW_BAD_INPUT);
    ENSURE(tw_plot_save(plot, "/there/is/no/folder/a.png", &error) == TW_IO_ERROR);
    int width, height, svg_width, svg_height;
    char* text = slurp(in_folder("f.svg"));
    ENSURE(text && sscanf(strstr(text, "width="), "width=\"%d\" height=\"%d\"", &svg_width, &svg_height) == 2);
    free(text);
    png_size(in_folder("f2.png"), &width, &height);
    ENSURE(abs(width - 2 * svg_width) <= 2 && abs(height - 2 * svg_height) <= 2);
    tw_plot_size(plot, 500, 301);
    ENSURE(tw_plot_save(plot, in_folder("f2.png"), &error) == TW_OK);
    tw_plot_destroy(plot);
    png_size(in_folder("f2.png"), &width, &height);
    ENSURE(width == 500 && height == 301);
    return 0;
}

// all of a panel lies in the picture and no two panels overlap, whatever the labels
static int panels_keep_apart_and_inside(void)
{
    const double x[] = {1, 2, 3}, far[] = {-1e12, 3, 1e-7}, near[] = {1, 1 + 1e-11, 1 + 2e-11};
    char text[300];
    memset(text, 'm', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int columns = 1; columns <= 4; columns++)
    {
        twPlot* plot = tw_plot_create(text, columns);
        for (int k = 0; k < 7; k++)
        {
            tw_plot_panel(plot, text, text, text);
            tw_plot_line(plot, x, k % 2 ? far : near, 3, k % 3 ? text : NULL);
            for (int m = 0; m < 3 * k; m++) tw_plot_line(plot, x, x, 3, "entry");
            if (k == 4) plot_bar(plot, 0, 1, "bar");
            if (k > 4) tw_plot_join(plot);
        }
        for (int size = 0; size < 2; size++)
        {
            if (size) tw_plot_size(plot, 3000, 4000);
            plot_lay_out(plot, 1 + size);
            for (const Panel* p = plot->panels; p; p = p->next)
            {
                ENSURE(p->box.width >= 40 && p->box.height >= 10 && p->name_x >= 0);
                ENSURE(p->box.x >= 0 && p->box.x + p->box.width + plot->right <= plot->width);
                ENSURE(p->box.y >= plot->head && p->box.y + p->box.height <= plot->height);
                for (const Panel* q = p->next; q; q = q->next)
                    ENSURE(p->box.x + p->box.width < q->box.x || q->box.x + q->box.width < p->box.x ||
                           p->box.y + p->box.height < q->box.y || q->box.y + q->box.height < p->box.y);
            }
        }
        ENSURE(tw_plot_save(plot, in_folder("l.svg"), &error) == TW_OK);
        tw_plot_destroy(plot);
    }
    return 0;
}

static int numbers_on_axes_do_not_meet(void)
{
    static const double ranges[][2] = {{0, 1},    {-1e-9, 1e-9}, {0.99999999, 1}, {20, 20000},
                                       {1, 1e12}, {300, 400},    {1e-30, 1e30},   {123456789, 123456999}};
    for (int k = 0; k < 16; k++)
    {
        const double* range = ranges[k / 2];
        if (k % 2 && !(range[0] > 0)) continue;
        twPlot* plot = tw_plot_create(NULL, 3);
        tw_plot_panel(plot, NULL, "x [Hz]", "y [m]");
        tw_plot_log(plot, k % 2, k % 2);
        tw_plot_x_range(plot, range[0], range[1]);
        tw_plot_y_range(plot, range[0], range[1]);
        plot_lay_out(plot, 1);
        const Panel* p = plot_panel(plot);
        double end = -INFINITY, low = INFINITY;
        int labels = 0;
        for (int m = 0; m < p->x_ticks.count; m++)
        {
            const Tick* tick = &p->x_ticks.tick[m];
            if (!tick->text[0]) continue;
            const double half = 0.5 * paint_text_width(PLOT_TEXT, tick->text), at = axis_place(&p->x_axis, tick->value);
            ENSURE(at - half > end);
            end = at + half;
            labels++;
        }
        ENSURE(labels >= 2);
        for (int m = 0; m < p->y_ticks.count; m++)
        {
            if (!p->y_ticks.tick[m].text[0]) continue;
            const double at = axis_place(&p->y_axis, p->y_ticks.tick[m].value);
            ENSURE(at + PLOT_TEXT < low);
            low = at;
        }
        tw_plot_destroy(plot);
    }
    return 0;
}

static int strange_heat_maps_do_no_harm(void)
{
    const float values[] = {NAN, INFINITY, -INFINITY, 1e30f, 0, 1};
    static const double edges[][2] = {{0, 1}, {-1, 1}, {1, 0}, {NAN, 1}, {-1e300, 1e300}, {1e-300, 1e300}};
    twPlot* plot = tw_plot_create("heat", 3);
    for (int k = 0; k < 12; k++)
    {
        const double* e = edges[k / 2];
        tw_plot_panel(plot, NULL, "x", "y");
        tw_plot_log(plot, k % 2, k % 2);
        if (k % 3 == 0) tw_plot_x_range(plot, 1, 1 + 1e-6), tw_plot_y_range(plot, 1, 1 + 1e-6);
        tw_plot_heat(plot, &(twPlotHeat){values, 2, 3, {e[0], e[1]}, {e[0], e[1]}, 0, k == 3 ? NAN : 1, NULL});
    }
    tw_plot_heat(plot, &(twPlotHeat){values, 0, 3, {0, 1}, {0, 1}, 0, 1, "nothing"});
    ENSURE(tw_plot_save(plot, in_folder("g.svg"), &error) == TW_OK);
    tw_plot_size(plot, -5, 1 << 30);
    tw_plot_size(plot, 300, -3);
    ENSURE(tw_plot_save(plot, in_folder("g.png"), &error) == TW_OK);
    tw_plot_destroy(plot);
    return 0;
}

static int heat_maps_show_their_cells(void)
{
    // a chessboard of two by two, saved and looked at where its cells must be
    const float values[] = {0, 1, 1, 0};
    twPlot* plot = tw_plot_create(NULL, 1);
    tw_plot_panel(plot, NULL, "x", "y");
    tw_plot_heat(plot, &(twPlotHeat){.values = values, .columns = 2, .rows = 2, .x = {0, 2}, .y = {0, 2}, .high = 1});
    plot_lay_out(plot, 1);
    const Panel* p = plot_panel(plot);
    Raster raster;
    ENSURE(raster_create(&raster, plot->width, plot->height, 0x808080));
    plot_draw(plot, &raster.painter);
    for (int column = 0; column < 2; column++)
        for (int row = 0; row < 2; row++)
        {
            const int x = (int)axis_place(&p->x_axis, column + 0.4), y = (int)axis_place(&p->y_axis, row + 0.4);
            const uint32_t expected = image_heat(values[2 * column + row]);
            const uint8_t* pixel = raster.image.rgb + 3 * (y * plot->width + x);
            for (int c = 0; c < 3; c++) ENSURE(pixel[c] == (expected >> (16 - 8 * c) & 255));
        }
    raster_destroy(&raster);
    ENSURE(tw_plot_save(plot, in_folder("h.svg"), &error) == TW_OK);
    tw_plot_destroy(plot);
    char* text = slurp(in_folder("h.svg"));
    ENSURE(text && is_well_formed(text) && count_of(text, "data:image/png;base64,iVBORw0KGgo") == 2);
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
static const char* trail_of(const double* x, const double* y, size_t n, double high, bool steps)
{
    const Axis x_axis = {.low = 0, .high = high, .start = 0, .end = 100},
               y_axis = {.low = 0, .high = 1, .start = 100, .end = 0};
    path_text[0] = 0;
    FILE* stream = fmemopen(path_text, sizeof path_text, "w");
    Svg svg = svg_painter(stream);
    curve_line(&svg.painter, &(Pen){.kind = PEN_LINE, .width = 1, .alpha = 1}, &x_axis, &y_axis, x, y, n, steps);
    fclose(stream);
    // what is between d=" and the next quote
    char* path = strstr(path_text, " d=\"");
    if (!path) return "";
    path[4 + strcspn(path + 4, "\"")] = 0;
    return path + 4;
}

static const char* path_of(const double* x, const double* y, size_t n, double high)
{
    return trail_of(x, y, n, high, false);
}

static int paths_break_at_gaps_and_show_single_points(void)
{
    const double x[] = {0, 10, 20, 30, 40, 50, 100}, y[] = {0, 1, NAN, 0.5, NAN, 1, 0};
    ENSURE_TEXT(path_of(x, y, 7, 100), "M0 1000l100 -1000M300 500h0M500 0l500 1000");
    ENSURE_TEXT(path_of(x, y, 0, 100), "");
    return 0;
}

static int steps_hold_until_the_next_point(void)
{
    const double x[] = {0, 50, 100}, y[] = {0, 1, 0.5};
    ENSURE_TEXT(trail_of(x, y, 3, 100, true), "M0 1000l500 0l0 -1000l500 0l0 500");
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

// ---- figures ----

static int waveforms_of_any_length_keep_their_peaks(void)
{
    enum
    {
        N = 100000
    };
    float* x = calloc(2 * N, sizeof *x);
    x[2 * 77777] = 0.75f, x[2 * 50000 + 1] = -0.5f, x[100] = NAN;
    ENSURE(wave_peak(x, N, 2) == 0.75);
    twPlot* plot = tw_plot_create(NULL, 1);
    wave_plot(plot, x, N, 2, -1, 1000);
    const Series* s = plot_panel(plot)->series;
    ENSURE(s && s->n <= 8192 && !s->next);
    double low = 0, high = 0;
    for (size_t i = 0; i < s->n; i++)
    {
        low = fmin(low, s->y[i]), high = fmax(high, s->y[i]);
        if (s->y[i] == 0.75) ENSURE_NEAR(s->x[i], 77.777, 100.0 / 4096);
    }
    ENSURE(low == -0.5 && high == 0.75);
    tw_plot_destroy(plot);
    ENSURE(tw_waveform_save(in_folder("w.png"), "title", x, N, 2, 48000, &error) == TW_OK);
    ENSURE(tw_waveform_save(in_folder("w.svg"), NULL, x, 0, 1, 48000, &error) == TW_OK);
    ENSURE(tw_waveform_save(in_folder("w.svg"), NULL, x, N / 50, 100, 48000, &error) == TW_OK);
    ENSURE(tw_waveform_save(in_folder("w.svg"), NULL, x, 1, 1, NAN, &error) == TW_BAD_INPUT);
    ENSURE(tw_waveform_save(in_folder("w.txt"), NULL, x, 1, 1, 48000, &error) == TW_BAD_INPUT);
    free(x);
    return 0;
}

// a trace of series alone
static twTrace* trace_of(int frames)
{
    static const twTraceSeries series[] = {
        {"kinetic", "J"}, {"degrees of freedom", "1"}, {"lost", "J"}, {"step", "s"}, {"odd & \xff", "kg/m^3"}};
    twTraceDef def = tw_trace_def();
    def.series = series, def.series_count = 5, def.title = "run";
    twTraceWriter* writer = NULL;
    if (tw_trace_create(&writer, in_folder("s.twtrace"), &def, &error) != TW_OK) return NULL;
    for (int i = 0; i < frames; i++)
    {
        const double values[] = {i, 30 + i, -i, pow(10, -i % 5), NAN};
        if (tw_trace_append(writer, &(twTraceFrame){.series = values}, &error) != TW_OK) break;
    }
    twTrace* trace = NULL;
    if (tw_trace_commit(&writer, &error) == TW_OK) tw_trace_load(&trace, in_folder("s.twtrace"), &error);
    return trace;
}

static int series_of_one_unit_share_a_panel(void)
{
    for (int frames = 0; frames < 30; frames += 1 + frames)
    {
        twTrace* trace = trace_of(frames);
        ENSURE(trace);
        ENSURE(tw_series_plot_save(in_folder("t.svg"), trace, &error) == TW_OK);
        ENSURE(tw_series_plot_save(in_folder("t.png"), trace, &error) == TW_OK);
        ENSURE(tw_series_plot_save(in_folder("t.pdf"), trace, &error) == TW_BAD_INPUT);
        trace->series_count = 0;
        ENSURE(tw_series_plot_save(in_folder("t.svg"), trace, &error) == TW_BAD_INPUT);
        tw_trace_destroy(trace);
        char* text = slurp(in_folder("t.svg"));
        ENSURE(text && is_well_formed(text));
        // four units, one time axis; energies in a legend, the others name their axis
        ENSURE(count_of(text, "<clipPath") == 4 && count_of(text, ">time [s]<") == 1);
        ENSURE(count_of(text, ">energy [J]<") == 1 && count_of(text, ">kinetic<") == 1 &&
               count_of(text, ">lost<") == 1);
        ENSURE(count_of(text, ">degrees of freedom<") == 1 && count_of(text, ">step [s]<") == 1);
        free(text);
    }
    return 0;
}

static int spectrograms_and_spectra_are_svg_too(void)
{
    float x[4000];
    double y[4000];
    for (int i = 0; i < 4000; i++) x[i] = (float)(y[i] = sin(0.1 * i));
    twSpectrogramDef def = tw_spectrogram_def();
    def.width = 500, def.height = 400;
    ENSURE(tw_spectrogram_save(in_folder("s.svg"), &def, x, 4000, 1, 8000, &error) == TW_OK);
    twSpectrumDef sum = tw_spectrum_def();
    const double marks[] = {100, 200};
    sum.mark_count = 2, sum.marks_hz = marks, sum.mark_label = "theory";
    ENSURE(tw_spectrum_save(in_folder("p.svg"), &sum, &(twSpectrumCurve){y, 4000, 8000, "a"}, 1, &error) == TW_OK);
    char *s = slurp(in_folder("s.svg")), *p = slurp(in_folder("p.svg"));
    ENSURE(s && p && is_well_formed(s) && is_well_formed(p));
    // picture and colour bar; two marks and one in the legend
    ENSURE(count_of(s, "<image") == 2 && count_of(p, "stroke-dasharray") == 3);
    free(s);
    free(p);
    ENSURE(tw_spectrogram_save(in_folder("s.jpg"), &def, x, 4000, 1, 8000, &error) == TW_BAD_INPUT);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(figures_are_well_formed_whatever_is_drawn)
    RUN(the_ending_of_the_path_chooses_the_format)
    RUN(panels_keep_apart_and_inside)
    RUN(numbers_on_axes_do_not_meet)
    RUN(heat_maps_show_their_cells)
    RUN(strange_heat_maps_do_no_harm)
    RUN(plots_without_memory_or_panels_do_no_harm)
    RUN(paths_break_at_gaps_and_show_single_points)
    RUN(steps_hold_until_the_next_point)
    RUN(long_series_shrink_to_pixels_but_keep_their_spikes)
    RUN(repeated_loops_are_drawn_once)
    RUN(ticks_are_at_round_numbers)
    RUN(zero_ticks_have_no_sign)
    RUN(logarithmic_ticks_are_decades)
    RUN(units_take_the_prefix_of_the_exponent)
    RUN(waveforms_of_any_length_keep_their_peaks)
    RUN(series_of_one_unit_share_a_panel)
    RUN(spectrograms_and_spectra_are_svg_too)
)
