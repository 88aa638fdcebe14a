// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stdint.h>
#include <stdio.h>

/// @file
/// What figures are drawn with: one set of calls, two backends (SVG and pixels). x to the right, y down. Boxes are in
/// pixels, points of paths in tenths of a pixel. Colours are 0xRRGGBB.

typedef struct Box
{
    int x, y, width, height;  ///< [px]
} Box;

typedef struct Spot
{
    int x, y;  ///< [px / 10]
} Spot;

typedef enum PenKind
{
    PEN_LINE,  ///< strokes along the path
    PEN_FILL,  ///< what the path encloses
    PEN_DOTS,  ///< a disc at each point moved to
} PenKind;

typedef struct Pen
{
    PenKind kind;
    uint32_t colour;
    double width;    ///< of a line; radius of a dot [px]
    double dash[2];  ///< lengths of stroke and gap [px]; 0: unbroken
    double alpha;    ///< 0 to 1
} Pen;

typedef struct Label
{
    double size;   ///< of the font: a capital has 0.7 of it [px]
    double align;  ///< 0: x is the left end, 0.5: the middle, 1: the right end
    uint32_t colour;
    bool upwards;  ///< read from bottom to top
    bool bold;
    bool rim;  ///< with a rim in rim_colour, to be read above lines
    uint32_t rim_colour;
} Label;

typedef struct Painter Painter;

/// A backend.
typedef struct PainterKind
{
    void (*rect)(Painter* painter, Box box, uint32_t colour, double alpha);
    void (*begin)(Painter* painter, const Pen* pen);
    void (*move)(Painter* painter, Spot spot);
    void (*line)(Painter* painter, Spot spot);
    void (*end)(Painter* painter);
    void (*text)(Painter* painter, double x, double y, const Label* label, const char* text);
    void (*image)(Painter* painter, Box box, const uint8_t* rgb, int columns, int rows);
    void (*clip)(Painter* painter, Box box);
    void (*unclip)(Painter* painter);
} PainterKind;

struct Painter
{
    const PainterKind* kind;
    bool no_memory;  ///< something could not be drawn
};

// ---- calls ----

static inline void paint_rect(Painter* p, Box box, uint32_t colour, double alpha)
{
    p->kind->rect(p, box, colour, alpha);
}
/// A path: begin, then move and line as needed, then end.
static inline void paint_begin(Painter* p, const Pen* pen) { p->kind->begin(p, pen); }
static inline void paint_move(Painter* p, Spot spot) { p->kind->move(p, spot); }
static inline void paint_line(Painter* p, Spot spot) { p->kind->line(p, spot); }
static inline void paint_end(Painter* p) { p->kind->end(p); }
/// Text is UTF-8; y is the base line (x if upwards). NULL draws nothing.
static inline void paint_text(Painter* p, double x, double y, const Label* label, const char* text)
{
    if (text && text[0]) p->kind->text(p, x, y, label, text);
}
/// A picture rgb (rows x columns x 3), top row first, stretched over the box.
static inline void paint_image(Painter* p, Box box, const uint8_t* rgb, int columns, int rows)
{
    p->kind->image(p, box, rgb, columns, rows);
}
/// Nothing outside the box until unclip; does not nest.
static inline void paint_clip(Painter* p, Box box) { p->kind->clip(p, box); }
static inline void paint_unclip(Painter* p) { p->kind->unclip(p); }

void paint_frame(Painter* p, Box box, uint32_t colour, int width);  ///< around the box, outside
double paint_text_width(double size, const char* text);             ///< enough for both backends [px]
