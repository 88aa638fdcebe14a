// SPDX-License-Identifier: MIT
// Cubic splines through keys.
//
// Between two keys, h apart, with values y, z and slopes m, n, and s from 0 to 1:
//     y + s^2 (3 - 2 s) (z - y) + s (1 - s) h ((1 - s) m - s n).
// The second derivative is continuous at key i if, with d_i = (y_{i+1} - y_i) / h_i,
//     m_{i-1} / h_{i-1} + 2 (1 / h_{i-1} + 1 / h_i) m_i + m_{i+1} / h_i = 3 (d_{i-1} / h_{i-1} + d_i / h_i),
// (C. de Boor, A Practical Guide to Splines, Springer 1978, ch. IV). Where the curve meets a rest its slope is 0; where it
// begins in motion its first piece is a parabola, m_0 + m_1 = 2 d_0. Keys that rest split the curve, since one system for all
// would swing to and fro before a motion that begins. Where keys turn so sharply that the curve would overshoot, slopes are held to
//     |m_i| <= 3 min(|d_{i-1}|, |d_i|), of the sign of both if they agree
// (J. M. Hyman, SIAM J. Sci. Stat. Comput. 4 (1983) 645); there only the slope is continuous. Smooth motion is not touched.
#include "import/spline.h"
#include <float.h>
#include <math.h>

#define SAME 1e-6  // keys that differ by less than this part of the whole range are equal

// what keys that are equal may differ by
static double noise_of(const double* values, int count, int width)
{
    double most = 0, range = 0;
    for (int k = 0; k < width; k++)
    {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < count; i++)
        {
            low = fmin(low, values[i * width + k]);
            high = fmax(high, values[i * width + k]);
        }
        range = fmax(range, high - low);
        most = fmax(most, fmax(fabs(low), fabs(high)));
    }
    return fmax(SAME * range, 4 * FLT_EPSILON * most);
}

static bool is_rest(const double* values, int i, int width, double noise)
{
    for (int k = 0; k < width; k++)
        if (fabs(values[(i + 1) * width + k] - values[i * width + k]) > noise) return false;
    return true;
}

bool spline_is_constant(const double* values, int count, int width)
{
    const double noise = noise_of(values, count, width);
    for (int i = 1; i < count; i++)
        for (int k = 0; k < width; k++)
            if (fabs(values[i * width + k] - values[k]) > noise) return false;
    return true;
}

// one number of the keys from first to last: slopes 0 at its end, and at its beginning unless it begins in motion
static void fit_run(double* slopes, const double* times, const double* values, int w, int first, int last,
                    bool begins_in_motion, double* upper)
{
    const double h0 = times[first + 1] - times[first];
    slopes[first * w] = begins_in_motion ? 2 * (values[(first + 1) * w] - values[first * w]) / h0 : 0;
    upper[first] = begins_in_motion ? 1 : 0;
    for (int i = first + 1; i < last; i++)
    {
        const double a = times[i] - times[i - 1], b = times[i + 1] - times[i];
        const double before = (values[i * w] - values[(i - 1) * w]) / a,
                     after = (values[(i + 1) * w] - values[i * w]) / b;
        const double pivot = 2 * (1 / a + 1 / b) - upper[i - 1] / a;
        slopes[i * w] = (3 * (before / a + after / b) - slopes[(i - 1) * w] / a) / pivot;
        upper[i] = 1 / b / pivot;
    }
    slopes[last * w] = 0;
    for (int i = last - 1; i >= first; i--) slopes[i * w] -= upper[i] * slopes[(i + 1) * w];
}

// no farther than what keeps the curve between its keys
static double limited(double slope, double before, double after)
{
    const double most = 3 * fmin(fabs(before), fabs(after));
    if (before * after > 0 && slope * before < 0) return 0;
    return fmin(fmax(slope, -most), most);
}

static void limit_run(double* slopes, const double* times, const double* values, int w, int first, int last)
{
    for (int i = first; i < last; i++)
    {
        const double after = (values[(i + 1) * w] - values[i * w]) / (times[i + 1] - times[i]);
        const double before = i > first ? (values[i * w] - values[(i - 1) * w]) / (times[i] - times[i - 1]) : after;
        slopes[i * w] = limited(slopes[i * w], before, after);
    }
}

void spline_fit(double* slopes, const double* times, const double* values, int count, int width, bool rests,
                double* scratch)
{
    const double noise = noise_of(values, count, width);
    for (int i = 0; i < count * width; i++) slopes[i] = 0;
    for (int first = 0; first + 1 < count;)
    {
        int last = first;
        while (last + 1 < count && !is_rest(values, last, width, noise)) last++;
        for (int k = 0; k < width && last > first; k++)
        {
            fit_run(slopes + k, times, values + k, width, first, last, first == 0 && !rests, scratch);
            limit_run(slopes + k, times, values + k, width, first, last);
        }
        first = last > first ? last : last + 1;
    }
}

// the last key that is not later, 0 if all are
static int find_key(const Spline* spline, double time)
{
    int low = 0, high = spline->count;
    while (high - low > 1)
    {
        const int middle = low + (high - low) / 2;
        if (spline->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void spline_at(const Spline* spline, double time, double* value, double* rate)
{
    const int width = spline->width, i = find_key(spline, time);
    const double* y = spline->values + (size_t)i * (size_t)width;
    const double* m = spline->slopes + (size_t)i * (size_t)width;
    if (time < spline->times[i] || i + 1 == spline->count)
    {
        for (int k = 0; k < width; k++) value[k] = y[k], rate[k] = 0;
        return;
    }
    const double h = spline->times[i + 1] - spline->times[i], s = (time - spline->times[i]) / h, r = 1 - s;
    for (int k = 0; k < width; k++)
    {
        const double z = y[width + k], n = m[width + k], change = (z - y[k]) / h;
        value[k] = y[k] + s * s * (3 - 2 * s) * (z - y[k]) + s * r * h * (r * m[k] - s * n);
        rate[k] = 6 * s * r * change + r * (1 - 3 * s) * m[k] + s * (3 * s - 2) * n;
    }
}
