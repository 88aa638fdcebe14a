// SPDX-License-Identifier: MIT
#pragma once
#include "media/painter.h"

/// @file
/// Figures as SVG. All numbers are written as integers, so that no locale can spoil them.

typedef struct Svg
{
    Painter painter;
    FILE* stream;
    int clips;  ///< so far
    Pen pen;    ///< of the path under way
    Spot at;    ///< where it has come to
} Svg;

Svg svg_painter(FILE* stream);                                                           ///< nothing is written yet
void svg_open(Svg* svg, int width, int height, const char* title, uint32_t background);  ///< title may be NULL
void svg_close(Svg* svg);

/// Text escaped for XML; bytes that are not UTF-8 or not allowed in XML become U+FFFD.
void svg_text(FILE* stream, const char* text);
