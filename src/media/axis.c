// SPDX-License-Identifier: MIT
// Axes: ranges, ticks at 1, 2 or 5 times a power of ten, units with SI prefixes.

#include "media/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIGGEST 1e200  // values are cut to this so that spans stay finite

static double limited(double x) { return fmax(-BIGGEST, fmin(BIGGEST, x)); }

static void fit_log(Axis* axis, double pad)
{
    if (!(axis->low > 0) || !(axis->high > 0)) axis->low = 1, axis->high = 10;
    axis->low = fmax(axis->low, 1 / BIGGEST);
    axis->high = fmax(axis->high, axis->low);
    double decades = log10(axis->high) - log10(axis->low);
    // less than a tenth of a decade makes no axis
    double wider = decades < 0.1 ? 0.5 * (1 - decades) : pad * decades;
    axis->low *= pow(10, -wider);
    axis->high *= pow(10, wider);
}

void axis_fit(Axis* axis, double pad)
{
    if (!(axis->low <= axis->high)) axis->low = 0, axis->high = 1;
    axis->low = limited(axis->low);
    axis->high = limited(axis->high);
    if (axis->log)
    {
        fit_log(axis, pad);
        return;
    }
    double span = axis->high - axis->low, size = fmax(fabs(axis->low), fabs(axis->high));
    // a constant up to round-off gets room above and below
    double wider = span <= 1e-12 * size || span == 0 ? (size > 0 ? 0.1 * size : 1) : pad * span;
    axis->low -= wider;
    axis->high += wider;
}

double axis_place(const Axis* axis, double value)
{
    double t = axis->log ? (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low))
                         : (limited(value) - axis->low) / (axis->high - axis->low);
    return axis->start + t * (axis->end - axis->start);
}

// ---- ticks ----

// digits as a typographer writes them: decimal point in every locale, a true minus
static void number_text(char* out, size_t bytes, int decimals, double value)
{
    char raw[64];
    snprintf(raw, sizeof raw, "%.*f", decimals, fabs(value));
    bool zero = strspn(raw, "0.,") == strlen(raw);
    for (char* c = raw; *c; c++)
        if (*c == ',') *c = '.';
    snprintf(out, bytes, "%s%.16s", value < 0 && !zero ? "\xe2\x88\x92" : "", raw);
}

static double nice_step(double x)
{
    double decade = pow(10, floor(log10(x))), m = x / decade;
    return decade * (m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10);
}

static int exponent_for(double size)
{
    if (size == 0 || (size >= 1e-2 && size < 1e4)) return 0;
    return 3 * (int)floor(log10(size) / 3 + 1e-9);
}

static void linear_ticks(const Axis* axis, int wanted, Ticks* ticks)
{
    const double step = nice_step((axis->high - axis->low) / wanted);
    ticks->exponent = exponent_for(fmax(fabs(axis->low), fabs(axis->high)));
    const double unit = pow(10, ticks->exponent);
    const int decimals = (int)fmax(0, fmin(12, -floor(log10(step / unit) + 1e-9)));
    const double first = ceil(axis->low / step - 1e-9);
    for (int k = 0; ticks->count < AXIS_MAX_TICKS; k++)
    {
        double value = (first + k) * step;
        if (!(value <= axis->high + 1e-9 * step)) break;
        Tick* tick = &ticks->tick[ticks->count++];
        *tick = (Tick){.value = value};
        number_text(tick->text, sizeof tick->text, decimals, value / unit);
        // steps below the resolution of the numbers do not advance
        if (value + step <= value) break;
    }
}

static void superscript(char* out, size_t bytes, int number)
{
    static const char* const digits[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char raw[16];
    snprintf(raw, sizeof raw, "%d", number);
    size_t used = 0;
    out[0] = 0;
    for (const char* c = raw; *c && used + 4 < bytes; c++)
        used += (size_t)snprintf(out + used, bytes - used, "%s", *c == '-' ? "\xe2\x81\xbb" : digits[*c - '0']);
}

// 20, 0.05, 2k, 3 times 10 to the -4
static void log_text(char* out, size_t bytes, bool kilo, int decade, int m)
{
    char power[32];
    superscript(power, sizeof power, decade);
    if (kilo && decade >= 3 && decade < 6)
        snprintf(out, bytes, "%d%.*sk", m, decade - 3, "000");
    else if (decade >= -2 && decade <= 3)
        number_text(out, bytes, decade < 0 ? -decade : 0, m * pow(10, decade));
    else if (m == 1)
        snprintf(out, bytes, "10%s", power);
    else
        snprintf(out, bytes,
                 "%d\xc3\x97"
                 "10%s",
                 m, power);
}

static void log_tick(Ticks* ticks, const Axis* axis, int decade, int m, bool label)
{
    double value = m * pow(10, decade);
    if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9)) return;
    if (ticks->count == AXIS_MAX_TICKS) return;
    Tick* tick = &ticks->tick[ticks->count++];
    *tick = (Tick){.value = value, .minor = !label, .rank = m == 1 ? 0 : m == 2 || m == 5 ? 1 : 2};
    if (label) log_text(tick->text, sizeof tick->text, axis->kilo, decade, m);
}

static void log_ticks(const Axis* axis, int wanted, Ticks* ticks)
{
    const int first = (int)floor(log10(axis->low) + 1e-9), last = (int)ceil(log10(axis->high) - 1e-9);
    const double decades = log10(axis->high) - log10(axis->low), labels = wanted / decades;
    const int every = (int)fmax(1, ceil(decades / wanted));
    for (int decade = first; decade <= last; decade++)
    {
        if (decade % every != 0) continue;
        log_tick(ticks, axis, decade, 1, true);
        // 2 and 5 where there is room for them, all if there is little else
        for (int m = 2; m <= 9 && every == 1 && decades < 6; m++)
            log_tick(ticks, axis, decade, m, (labels >= 6 && decades < 1.3) || (labels >= 2.7 && (m == 2 || m == 5)));
    }
}

static int label_count(const Ticks* ticks)
{
    int n = 0;
    for (int k = 0; k < ticks->count; k++) n += ticks->tick[k].text[0] != 0;
    return n;
}

void axis_ticks(const Axis* axis, int wanted, Ticks* ticks)
{
    ticks->count = 0;
    ticks->exponent = 0;
    if (axis->log) log_ticks(axis, wanted, ticks);
    // a short piece of a logarithmic axis is nearly linear
    if (axis->log && label_count(ticks) >= 2) return;
    ticks->count = 0;
    linear_ticks(axis, wanted, ticks);
}

// whether the label of tick k would meet that of another of at most its rank
static bool meets(const Axis* axis, const Ticks* ticks, int k, double size, double (*extent)(double, const char*))
{
    const Tick* tick = &ticks->tick[k];
    for (int j = 0; j < ticks->count; j++)
    {
        const Tick* other = &ticks->tick[j];
        if (j == k || !other->text[0] || other->rank > tick->rank || (other->rank == tick->rank && j > k)) continue;
        const double room = fabs(axis_place(axis, tick->value) - axis_place(axis, other->value));
        if (room < 0.5 * (extent(size, tick->text) + extent(size, other->text)) + 0.5 * size) return true;
    }
    return false;
}

void axis_thin(const Axis* axis, Ticks* ticks, double size, double (*extent)(double, const char*))
{
    for (int rank = 0; rank <= 2; rank++)
        for (int k = 0; k < ticks->count; k++)
            if (ticks->tick[k].rank == rank && ticks->tick[k].text[0] && meets(axis, ticks, k, size, extent))
                ticks->tick[k].text[0] = 0;
}

// ---- units ----

static bool takes_prefix(const char* unit, int exponent)
{
    static const char* const plain[] = {"m", "s", "N", "J", "W", "V", "A", "Hz", "Pa"};
    const size_t length = strcspn(unit, "]/ *^");
    if (unit[length] == '^' || (unit[0] == 's' && length == 1 && exponent > 0)) return false;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (strlen(plain[k]) == length && strncmp(plain[k], unit, length) == 0) return true;
    return false;
}

void axis_label(char* out, size_t bytes, const char* label, int exponent)
{
    static const char* const prefix[] = {"p", "n", "\xc2\xb5", "m", "", "k", "M", "G"};
    if (!label) label = "";
    const char* unit = strrchr(label, '[');
    char power[32];
    superscript(power, sizeof power, exponent);
    if (exponent == 0)
        snprintf(out, bytes, "%s", label);
    else if (unit && exponent >= -12 && exponent <= 9 && takes_prefix(unit + 1, exponent))
        snprintf(out, bytes, "%.*s[%s%s", (int)(unit - label), label, prefix[exponent / 3 + 4], unit + 1);
    else
        snprintf(out, bytes,
                 "%s%s\xc3\x97"
                 "10%s",
                 label, label[0] ? " " : "", power);
}
