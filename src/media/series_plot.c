// SPDX-License-Identifier: MIT
// What a trace recorded over time, a panel for each unit.

#include "twang/media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOG_FROM 30.0  // largest by smallest value from which an axis is logarithmic

// what is measured in a unit
static const struct
{
    const char *unit, *name;
    bool steps;
} kinds[] = {
    {"J", "energy", false}, {"1", "count", true},  {"", "count", true},           {"s", "time step", true},
    {"N", "force", false},  {"W", "power", false}, {"m", "length", false},        {"m/s", "speed", false},
    {"Hz", "rate", true},   {"K", "heat", false},  {"kg m/s", "momentum", false},
};

static const int kind_count = sizeof kinds / sizeof *kinds;

static int kind_of(const char* unit)
{
    for (int k = 0; k < kind_count; k++)
        if (strcmp(kinds[k].unit, unit) == 0) return k;
    return -1;
}

static bool same_unit(const twTrace* trace, int a, int b)
{
    return strcmp(trace->series[a].unit, trace->series[b].unit) == 0;
}

static bool is_first_of_unit(const twTrace* trace, int index)
{
    for (int k = 0; k < index; k++)
        if (same_unit(trace, k, index)) return false;
    return true;
}

static int count_of_unit(const twTrace* trace, int index)
{
    int n = 0;
    for (int k = 0; k < trace->series_count; k++) n += same_unit(trace, k, index);
    return n;
}

// one series keeps its name, several the name of what they measure
static void name_axis(char* out, size_t bytes, const twTrace* trace, int index)
{
    const twTraceSeries* series = &trace->series[index];
    const int kind = kind_of(series->unit);
    const char* name = count_of_unit(trace, index) == 1 ? series->name : kind >= 0 ? kinds[kind].name : "value";
    if (series->unit[0] && strcmp(series->unit, "1") != 0)
        snprintf(out, bytes, "%s [%s]", name, series->unit);
    else
        snprintf(out, bytes, "%s", name);
}

// all values positive and over decades
static bool spans_decades(const twTrace* trace, int index)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < trace->frame_count; i++)
        for (int k = 0; k < trace->series_count; k++)
        {
            const double value = tw_trace_values(trace, i)[k];
            if (!same_unit(trace, k, index) || !isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    return low > 0 && high >= LOG_FROM * low;
}

static void add_series(twPlot* plot, const twTrace* trace, int index, const char* label, double* t, double* y)
{
    const int kind = kind_of(trace->series[index].unit);
    for (int64_t i = 0; i < trace->frame_count; i++)
    {
        t[i] = (double)i / trace->frame_rate_hz;
        y[i] = tw_trace_values(trace, i)[index];
    }
    (kind >= 0 && kinds[kind].steps ? tw_plot_steps : tw_plot_line)(plot, t, y, (size_t)trace->frame_count, label);
}

static void add_panel(twPlot* plot, const twTrace* trace, int first, double* t, double* y)
{
    char name[2 * TW_TRACE_NAME + 8];
    name_axis(name, sizeof name, trace, first);
    tw_plot_panel(plot, NULL, "time [s]", name);
    if (first > 0) tw_plot_join(plot);
    tw_plot_height(plot, 0.6);
    tw_plot_log(plot, false, spans_decades(trace, first));
    const bool alone = count_of_unit(trace, first) == 1;
    for (int k = first; k < trace->series_count; k++)
        if (same_unit(trace, k, first)) add_series(plot, trace, k, alone ? NULL : trace->series[k].name, t, y);
}

twStatus tw_series_plot_save(const char* path, const twTrace* trace, twError* err)
{
    twStatus status = tw_plot_check(path, err);
    if (status != TW_OK) return status;
    if (trace->series_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "%s: the trace holds no quantities over time to plot", path);
    const size_t n = (size_t)trace->frame_count + 1;
    double *t = malloc(n * sizeof *t), *y = malloc(n * sizeof *y);
    twPlot* plot = t && y ? tw_plot_create(trace->title, 1) : NULL;
    for (int k = 0; k < trace->series_count && plot; k++)
        if (is_first_of_unit(trace, k)) add_panel(plot, trace, k, t, y);
    status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    free(t);
    free(y);
    return status;
}
