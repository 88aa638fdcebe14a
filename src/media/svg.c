// SPDX-License-Identifier: MIT
// The painter that writes SVG.

#include "media/svg.h"

#include "media/png.h"
#include "media/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static FILE* stream_of(Painter* painter) { return ((Svg*)painter)->stream; }

// ---- numbers and text ----

// an attribute with one decimal, in any locale
static void put_number(FILE* f, const char* name, double value)
{
    const long tenths = lround(10 * value);
    fprintf(f, " %s=\"%s%ld", name, tenths < 0 ? "-" : "", labs(tenths) / 10);
    if (tenths % 10) fprintf(f, ".%ld", labs(tenths) % 10);
    fputc('"', f);
}

static void put_colour(FILE* f, const char* name, uint32_t colour, double alpha)
{
    fprintf(f, " %s=\"#%06x\"", name, (unsigned)colour);
    if (alpha < 1) fprintf(f, " %s-opacity=\".%02d\"", name, (int)fmin(99, fmax(0, 100 * alpha + 0.5)));
}

static void put_character(FILE* f, uint32_t c)
{
    if (c == '&')
        fputs("&amp;", f);
    else if (c == '<')
        fputs("&lt;", f);
    else if (c == '>')
        fputs("&gt;", f);
    else if (c < 0x80)
        fputc((int)c, f);
    else if (c < 0x800)
        fprintf(f, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
    else if (c < 0x10000)
        fprintf(f, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
    else
        fprintf(f, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 63)), (int)(0x80 | (c >> 6 & 63)),
                (int)(0x80 | (c & 63)));
}

void svg_text(FILE* stream, const char* text)
{
    if (!text) return;
    for (uint32_t c = text_next(&text); c; c = text_next(&text)) put_character(stream, c);
}

// superscripts are small raised digits: fonts draw their own ones unevenly or not at all
static void put_raised_text(FILE* f, const char* text, double size)
{
    bool small = false, raised = false;
    for (uint32_t c = text_next(&text); c; c = text_next(&text))
    {
        const char digit = text_superscript(c);
        if (small && !digit) fputs("</tspan>", f);
        // back down with the next letter: blanks at the start of a tspan are lost
        const bool down = raised && !digit && c != ' ', up = digit && !small;
        if (up || down) fputs("<tspan", f);
        if ((up && !raised) || down) put_number(f, "dy", down ? 0.4 * size : -0.4 * size);
        if (up) put_number(f, "font-size", 0.75 * size);
        if (up || down) fputc('>', f);
        put_character(f, digit == '-' ? 0x2212 : digit ? (uint32_t)digit : c);
        if (down) fputs("</tspan>", f);
        small = digit != 0;
        raised = small || (raised && !down);
    }
    if (small) fputs("</tspan>", f);
}

// ---- painting ----

static void svg_rect(Painter* painter, Box b, uint32_t colour, double alpha)
{
    FILE* f = stream_of(painter);
    fprintf(f, "<path d=\"M%d %dh%dv%dh%dz\"", b.x, b.y, b.width, b.height, -b.width);
    put_colour(f, "fill", colour, alpha);
    fputs("/>\n", f);
}

static void svg_begin(Painter* painter, const Pen* pen)
{
    Svg* svg = (Svg*)painter;
    FILE* f = svg->stream;
    svg->pen = *pen;
    if (pen->kind == PEN_DOTS)
    {
        fputs("<g transform=\"scale(.1)\"", f);
        put_colour(f, "fill", pen->colour, pen->alpha);
        fputs(">", f);
        return;
    }
    fputs("<path transform=\"scale(.1)\"", f);
    if (pen->kind == PEN_FILL)
        put_colour(f, "fill", pen->colour, pen->alpha);
    else
    {
        fputs(" fill=\"none\" stroke-linejoin=\"round\"", f);
        if (!(pen->dash[0] > 0)) fputs(" stroke-linecap=\"round\"", f);
        put_colour(f, "stroke", pen->colour, pen->alpha);
        fprintf(f, " stroke-width=\"%ld\"", lround(10 * pen->width));
        if (pen->dash[0] > 0)
            fprintf(f, " stroke-dasharray=\"%ld %ld\"", lround(10 * pen->dash[0]), lround(10 * pen->dash[1]));
    }
    fputs(" d=\"", f);
}

static void svg_move(Painter* painter, Spot spot)
{
    Svg* svg = (Svg*)painter;
    if (svg->pen.kind == PEN_DOTS)
        fprintf(svg->stream, "<circle cx=\"%d\" cy=\"%d\" r=\"%ld\"/>", spot.x, spot.y, lround(10 * svg->pen.width));
    else
        fprintf(svg->stream, "M%d %d", spot.x, spot.y);
    svg->at = spot;
}

static void svg_line(Painter* painter, Spot spot)
{
    Svg* svg = (Svg*)painter;
    if (spot.x == svg->at.x && spot.y == svg->at.y)
        fputs("h0", svg->stream);
    else
        fprintf(svg->stream, "l%d %d", spot.x - svg->at.x, spot.y - svg->at.y);
    svg->at = spot;
}

static void svg_end(Painter* painter)
{
    Svg* svg = (Svg*)painter;
    fputs(svg->pen.kind == PEN_DOTS ? "</g>\n" : svg->pen.kind == PEN_FILL ? "z\"/>\n" : "\"/>\n", svg->stream);
}

static void svg_label(Painter* painter, double x, double y, const Label* label, const char* text)
{
    FILE* f = stream_of(painter);
    fputs("<text", f);
    put_number(f, "x", x);
    put_number(f, "y", y);
    put_number(f, "font-size", label->size);
    put_colour(f, "fill", label->colour, 1);
    if (label->align > 0) fprintf(f, " text-anchor=\"%s\"", label->align < 0.75 ? "middle" : "end");
    if (label->bold) fputs(" font-weight=\"600\"", f);
    if (label->rim)
    {
        put_colour(f, "stroke", label->rim_colour, 1);
        put_number(f, "stroke-width", 0.28 * label->size);
        fputs(" stroke-linejoin=\"round\" paint-order=\"stroke\"", f);
    }
    if (label->upwards) fprintf(f, " transform=\"rotate(-90 %ld %ld)\"", lround(x), lround(y));
    fputc('>', f);
    put_raised_text(f, text, label->size);
    fputs("</text>\n", f);
}

static void put_base64(FILE* f, const uint8_t* bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3)
    {
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (i + 1 < n) three |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < n) three |= bytes[i + 2];
        fputc(digits[three >> 18], f);
        fputc(digits[three >> 12 & 63], f);
        fputc(i + 1 < n ? digits[three >> 6 & 63] : '=', f);
        fputc(i + 2 < n ? digits[three & 63] : '=', f);
    }
}

// a PNG inside the file
static void svg_image(Painter* painter, Box b, const uint8_t* rgb, int columns, int rows)
{
    FILE* f = stream_of(painter);
    uint8_t* bytes = NULL;
    size_t n = 0;
    if (png_encode(&bytes, &n, rgb, columns, rows, NULL) != TW_OK)
    {
        painter->no_memory = true;
        return;
    }
    fprintf(f,
            "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" xlink:href=\"data:image/png;base64,",
            b.x, b.y, b.width, b.height);
    put_base64(f, bytes, n);
    fputs("\"/>\n", f);
    free(bytes);
}

static void svg_clip(Painter* painter, Box b)
{
    Svg* svg = (Svg*)painter;
    const int index = svg->clips++;
    fprintf(svg->stream, "<clipPath id=\"p%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
            index, b.x, b.y, b.width, b.height);
    fprintf(svg->stream, "<g clip-path=\"url(#p%d)\">\n", index);
}

static void svg_unclip(Painter* painter) { fputs("</g>\n", stream_of(painter)); }

// ---- the whole ----

Svg svg_painter(FILE* stream)
{
    static const PainterKind kind = {svg_rect,  svg_begin, svg_move, svg_line,  svg_end,
                                     svg_label, svg_image, svg_clip, svg_unclip};
    return (Svg){.painter = {.kind = &kind}, .stream = stream};
}

void svg_open(Svg* svg, int width, int height, const char* title, uint32_t background)
{
    fprintf(svg->stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
            "sans-serif\">\n",
            width, height, width, height);
    if (title)
    {
        fputs("<title>", svg->stream);
        svg_text(svg->stream, title);
        fputs("</title>\n", svg->stream);
    }
    svg_rect(&svg->painter, (Box){0, 0, width, height}, background, 1);
}

void svg_close(Svg* svg) { fputs("</svg>\n", svg->stream); }
