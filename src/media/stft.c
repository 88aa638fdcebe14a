// SPDX-License-Identifier: MIT
// Short-time spectra with a window length for each pitch.
//
// A single window blurs either bass notes or clicks. Here the window spans about CYCLES periods of a row's frequency,
// as far as the limits allow; the power-of-two lengths on both sides are computed and their levels mixed. Hann window
// w, so that a sine of amplitude A gives the level 20 log10(A) with |X| 2 / sum(w). Where rows are finer than bins,
// levels are interpolated; where coarser, the strongest bin counts. Two columns share one complex FFT: x + i y has X
// = (Z[k] + Z*[n-k]) / 2 and Y = (Z[k] - Z*[n-k]) / 2i.

#include "media/stft.h"

#include "twang/math.h"

#include <stdlib.h>

#define CYCLES 24.0
#define SHORT_S 0.011  // shortest and longest window where nothing else limits them [s]
#define LONG_S 0.19
#define MIN_WINDOW 64
#define MAX_WINDOW 32768
#define MAX_SLOTS 4       // windows per column at most: bounds the cost for long sounds
#define SLOT_WINDOW 8192  // long sounds lengthen the shortest window up to this

typedef struct Work
{
    const StftDef* def;
    double hop;             // frames per column
    int shortest, longest;  // window lengths
    int n, slots;           // of the pass under way
    double *window, *re, *im, *power[2], *gain;
    float* bin_db;
} Work;

static int power_of_two_near(double x)
{
    int n = MIN_WINDOW;
    while (n < MAX_WINDOW && n * 1.4142 < x) n *= 2;
    return n;
}

static void choose_windows(Work* work)
{
    const StftDef* def = work->def;
    work->hop = (double)def->frames / def->columns;
    // no window longer than a third of the sound, none so short that a column is mostly skipped
    double third = fmax(MIN_WINDOW, (double)def->frames / 3);
    work->longest = power_of_two_near(fmin(LONG_S * def->rate_hz, third));
    work->shortest = power_of_two_near(fmin(fmax(SHORT_S * def->rate_hz, work->hop / MAX_SLOTS), SLOT_WINDOW));
    if (work->longest < work->shortest && work->hop > MIN_WINDOW) work->longest = work->shortest;
    if (work->shortest > work->longest) work->shortest = work->longest;
}

// frequency at a height above the lower edge, in rows
static double row_hz(const StftDef* def, double row)
{
    return def->low_hz * pow(def->high_hz / def->low_hz, row / def->rows);
}

// share of window length n in a row: hat function over log2 of the length
static double share(const Work* work, int row, int n)
{
    double ideal = CYCLES * work->def->rate_hz / row_hz(work->def, row + 0.5);
    ideal = fmax(work->shortest, fmin(work->longest, ideal));
    return fmax(0, 1 - fabs(log2(ideal / n)));
}

// windowed samples of one channel around a centre. Silence before the sound; mirrored at its end, because a cut in the
// middle of a note is not a click to be shown
static void cut(const Work* work, double* out, int channel, double centre)
{
    const StftDef* def = work->def;
    const int64_t first = (int64_t)floor(centre) - work->n / 2;
    for (int i = 0; i < work->n; i++)
    {
        int64_t at = first + i;
        if (at >= def->frames) at = 2 * def->frames - 1 - at;
        double x = at >= 0 ? (double)def->samples[at * def->channels + channel] : 0;
        out[i] = isfinite(x) ? x * work->window[i] : 0;
    }
}

// spectra of two columns for one channel and slot; strongest slot wins, channels add up
static void transform_pair(Work* work, int column, int channel, double shift, double* channel_power[2])
{
    const int n = work->n;
    cut(work, work->re, channel, (column + shift) * work->hop);
    cut(work, work->im, channel, (column + 1 + shift) * work->hop);
    tw_fft(work->re, work->im, n, -1);
    for (int k = 0; k <= n / 2; k++)
    {
        int m = (n - k) & (n - 1);
        double a = work->re[k], b = work->im[k], c = work->re[m], d = work->im[m];
        double x = ((a + c) * (a + c) + (b - d) * (b - d)) / 4, y = ((b + d) * (b + d) + (a - c) * (a - c)) / 4;
        channel_power[0][k] = fmax(channel_power[0][k], x);
        channel_power[1][k] = fmax(channel_power[1][k], y);
    }
}

static void pair_power(Work* work, int column, double* scratch[2])
{
    const int bins = work->n / 2 + 1;
    for (int k = 0; k < bins; k++) work->power[0][k] = work->power[1][k] = 0;
    for (int channel = 0; channel < work->def->channels; channel++)
    {
        for (int k = 0; k < bins; k++) scratch[0][k] = scratch[1][k] = 0;
        for (int slot = 0; slot < work->slots; slot++)
            transform_pair(work, column, channel, (slot + 0.5) / work->slots, scratch);
        for (int k = 0; k < bins; k++)
        {
            work->power[0][k] += scratch[0][k];
            work->power[1][k] += scratch[1][k];
        }
    }
}

static float level_at(const Work* work, double bin)
{
    int k = (int)bin;
    float t = (float)(bin - k);
    return work->bin_db[k] * (1 - t) + work->bin_db[k + 1] * t;
}

// add this window's share of a column
static void add_column(const Work* work, const double* power, float* column)
{
    const StftDef* def = work->def;
    const double per_hz = work->n / def->rate_hz, top = work->n / 2 - 1e-6;
    const double scale = 16.0 / ((double)work->n * work->n * def->channels);
    int done = -1;
    for (int row = 0; row < def->rows; row++)
    {
        if (work->gain[row] <= 0) continue;
        double low = fmin(top, row_hz(def, row) * per_hz), high = fmin(top, row_hz(def, row + 1) * per_hz);
        // decibels only where they are looked at
        if (done < (int)low - 1) done = (int)low - 1;
        for (; done < (int)high + 1; done++)
            work->bin_db[done + 1] = 10 * log10f((float)(power[done + 1] * scale) + 1e-20f);
        float level = level_at(work, 0.5 * (low + high));
        for (int k = (int)low + 1; k <= (int)high; k++)
            if (work->bin_db[k] > level) level = work->bin_db[k];
        column[row] += (float)work->gain[row] * level;
    }
}

// all columns with one window length
static void pass(Work* work, float* levels, double* scratch[2])
{
    const StftDef* def = work->def;
    bool used = false;
    for (int row = 0; row < def->rows; row++)
    {
        work->gain[row] = share(work, row, work->n);
        used = used || work->gain[row] > 0;
    }
    if (!used) return;
    for (int i = 0; i < work->n; i++) work->window[i] = 0.5 - 0.5 * cos(2 * TW_PI * (i + 0.5) / work->n);
    work->slots = (int)fmax(1, fmin(MAX_SLOTS, ceil(work->hop / (0.5 * work->n))));
    for (int column = 0; column < def->columns; column += 2)
    {
        pair_power(work, column, scratch);
        add_column(work, work->power[0], levels + (size_t)column * (size_t)def->rows);
        if (column + 1 < def->columns)
            add_column(work, work->power[1], levels + (size_t)(column + 1) * (size_t)def->rows);
    }
}

int stft_levels(float* levels, const StftDef* def)
{
    Work work = {.def = def};
    choose_windows(&work);
    const size_t n = (size_t)work.longest, bins = n / 2 + 2;
    double* block = malloc((3 * n + 4 * bins + (size_t)def->rows) * sizeof *block + bins * sizeof(float));
    if (!block) return 0;
    work.window = block;
    work.re = work.window + n;
    work.im = work.re + n;
    work.power[0] = work.im + n;
    work.power[1] = work.power[0] + bins;
    double* scratch[2] = {work.power[1] + bins, work.power[1] + 2 * bins};
    work.gain = scratch[1] + bins;
    work.bin_db = (float*)(work.gain + def->rows);

    for (size_t i = 0; i < (size_t)def->columns * (size_t)def->rows; i++) levels[i] = 0;
    for (work.n = work.shortest; work.n <= work.longest; work.n *= 2) pass(&work, levels, scratch);
    free(block);
    return 1;
}
