// SPDX-License-Identifier: MIT
// What both backends share.

#include "media/painter.h"

#include "media/image.h"

void paint_frame(Painter* p, Box b, uint32_t colour, int width)
{
    paint_rect(p, (Box){b.x - width, b.y - width, b.width + 2 * width, width}, colour, 1);
    paint_rect(p, (Box){b.x - width, b.y + b.height, b.width + 2 * width, width}, colour, 1);
    paint_rect(p, (Box){b.x - width, b.y, width, b.height}, colour, 1);
    paint_rect(p, (Box){b.x + b.width, b.y, width, b.height}, colour, 1);
}

// the stroke font is wider than the fonts of browsers
double paint_text_width(double size, const char* text) { return image_text_width(TEXT_CAPITAL * size, text); }
