// SPDX-License-Identifier: MIT
#pragma once
#include "media/axis.h"
#include "media/painter.h"

/// @file
/// Series of numbers as paths, thinned to what can be seen.

/// Where a point is drawn; false if it cannot be: not finite, or not positive on a logarithmic axis.
bool curve_spot(const Axis* x_axis, const Axis* y_axis, double x, double y, Spot* spot);

/// A line through n points. Gaps where a point cannot be drawn. Curves that are functions of x are thinned to the first,
/// lowest, highest and last point of each pixel; others skip strokes already drawn. With steps, y holds until the next x.
void curve_line(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* y, size_t n, bool steps);

/// A dot per visible point; points on the same spot appear once.
void curve_dots(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* y, size_t n);

/// What lies between two curves over the same rising x. A point that cannot be drawn in either makes a gap.
void curve_band(Painter* painter, const Pen* pen, const Axis* x_axis, const Axis* y_axis, const double* x,
                const double* low, const double* high, size_t n);
