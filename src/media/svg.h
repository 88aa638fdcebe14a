// SPDX-License-Identifier: MIT
#pragma once
#include "media/axis.h"

#include <stdio.h>

/// @file
/// Pieces of SVG. All numbers are written as integers, so that no locale can spoil them.

/// Text escaped for XML; bytes that are not UTF-8 or not allowed in XML become U+FFFD.
void svg_text(FILE* stream, const char* text);

/// The d attribute of a path through n points, in tenths of a pixel. Gaps where a point cannot be drawn. Curves that
/// are functions of x are thinned to the first, lowest, highest and last point of each pixel; others skip strokes
/// already drawn.
void svg_path(FILE* stream, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y, size_t n);

/// One <use> of a mark per visible point, in tenths of a pixel; points on the same spot appear once.
void svg_dots(FILE* stream, const Axis* x_axis, const Axis* y_axis, const double* x, const double* y, size_t n,
              int radius);
