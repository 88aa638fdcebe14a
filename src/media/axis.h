// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// @file
/// Axes of a plot: range, place of a value, ticks at round numbers, units with prefixes.

#define AXIS_MAX_TICKS 64

typedef struct Axis
{
    double low, high;  ///< range; both positive if logarithmic
    bool log;
    double start, end;  ///< places of low and high [px]
    bool kilo;          ///< thousands on a logarithmic axis are written 1k, 10k
} Axis;

typedef struct Tick
{
    double value;
    bool minor;     ///< a fine line without label
    char text[40];  ///< UTF-8; "" for none
    int rank;       ///< 0 for labels that go last when there is no room for all, then 1, 2
} Tick;

typedef struct Ticks
{
    int count;
    int exponent;  ///< labels are value / 10^exponent; a multiple of 3
    Tick tick[AXIS_MAX_TICKS];
} Ticks;

/// Widen a range so that it can be drawn: never empty, never infinite; pad is a share of the span.
void axis_fit(Axis* axis, double pad);
double axis_place(const Axis* axis, double value);            ///< [px]
void axis_ticks(const Axis* axis, int wanted, Ticks* ticks);  ///< about this many labels
/// Fewer labels, where they would meet: those of higher rank go. extent(size, text) is a label's length along the axis.
void axis_thin(const Axis* axis, Ticks* ticks, double size, double (*extent)(double, const char*));
/// The label with the exponent worked in: "force [N]" with 3 becomes "force [kN]", "rate [1/s]" "rate [1/s] ×10³".
void axis_label(char* out, size_t bytes, const char* label, int exponent);
