// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

/// @file
/// A picture in memory and what draws into it. Colours are 0xRRGGBB; x to the right, y down, in pixels. Drawing outside
/// the picture is cut off.

typedef struct Image
{
    int width, height;
    uint8_t* rgb;  ///< (height x width x 3)
} Image;

void image_blend(Image* image, int x, int y, uint32_t colour, double alpha);  ///< alpha 0 to 1
void image_rect(Image* image, int x, int y, int width, int height, uint32_t colour, double alpha);

/// Dark to bright, even to the eye: t from 0 to 1.
uint32_t image_heat(double t);

#define TEXT_CAPITAL 0.7  ///< height of a capital, of a font's size

/// Text in the built-in stroke font; size is the height of a capital. UTF-8: ASCII, Latin letters without their accents,
/// Greek as formulas use it, superscripts and signs; anything else shows as '?'.
typedef struct TextStyle
{
    double size;
    double align;  ///< 0: x is the left end, 0.5: the middle, 1: the right end
    uint32_t colour;
    int upwards;    ///< read from bottom to top
    double weight;  ///< stroke width relative to the regular one
} TextStyle;
void image_text(Image* image, double x, double y, TextStyle style, const char* text);  ///< y is the base line
double image_text_width(double size, const char* text);
