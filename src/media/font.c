// SPDX-License-Identifier: MIT
// A small stroke font, drawn with smooth edges at any size.
//
// A glyph is a width and strokes. Points are pairs of base-36 digits x, y; y is 4 on the base line, C (12) at the top
// of an x, G (16) at the top of a capital, 0 at the foot of a p. A stroke is a polyline, or after ~ an open and after
// @ a closed quadratic B-spline whose control points are given; a single point is a dot.

#include "media/image.h"
#include "media/text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define CAPITAL 12.0  // units from base line to the top of a capital
#define GAP 3.6       // units between letters
#define MAX_SEGMENTS 160
#define PIECES 6  // segments per spline piece

typedef struct Glyph
{
    int width;
    const char* strokes;
} Glyph;

typedef struct Path
{
    double segment[MAX_SEGMENTS][4];  // x0, y0, x1, y1 in units
    int count;
} Path;

// from space to tilde
static const Glyph glyphs[95] = {
    {3, ""},                                  // space
    {0, "0G08 04"},                           // !
    {3, "0G0C 3G3C"},                         // "
    {9, "143G 648G 0888 1C9C"},               // #
    {8, "~8D8G4G0G0A4A8A84440407 4I42"},      // $
    {10, "@0B4B4G0G @64A4A969 149G"},         // %
    {9, "~941D1G5G5C0A0464988A"},             // &
    {0, "0G0C"},                              // '
    {3, "~3I0E0632"},                         // (
    {3, "~0I3E3602"},                         // )
    {6, "3G3A 0E6B 0B6E"},                    // *
    {8, "0A8A 4E46"},                         // +
    {1, "1502"},                              // ,
    {5, "0A5A"},                              // -
    {0, "04"},                                // .
    {6, "026H"},                              // /
    {7, "@0A04747A7G0G"},                     // 0
    {7, "1D4G44"},                            // 1
    {7, "~0D0G7G7B04 0474"},                  // 2
    {7, "~0E0G7G7A3A ~3A7A740406"},           // 3
    {7, "5G0878 5G54"},                       // 4
    {7, "6G1G0A ~0A1C7C740406"},              // 5
    {7, "@04747C0C ~6G0G08"},                 // 6
    {7, "0G7G24"},                            // 7
    {7, "@1A6A6G1G @04747A0A"},               // 8
    {7, "@0G7G7808 ~14747C"},                 // 9
    {0, "04 0B"},                             // :
    {1, "1B 1502"},                           // ;
    {7, "7F0A75"},                            // <
    {7, "0C7C 0878"},                         // =
    {7, "0F7A05"},                            // >
    {6, "~0D0G6G6B3B38 34"},                  // ?
    {10, "~9352020A0GAGAAA6767D @37777D3D"},  // @
    {8, "044G84 1878"},                       // A
    {8, "040G ~0G4G7G7A4A0A ~0A4A8A844404"},  // B
    {8, "~8E7G4G0G0A04447486"},               // C
    {8, "040G ~0G3G8G8A843404"},              // D
    {7, "7G0G0474 0A6A"},                     // E
    {7, "7G0G04 0A6A"},                       // F
    {8, "~8E7G4G0G0A0444848A 4A8A"},          // G
    {8, "040G 848G 0A8A"},                    // H
    {0, "040G"},                              // I
    {6, "~6G6A64340408"},                     // J
    {8, "040G 8G08 3B84"},                    // K
    {7, "0G0474"},                            // L
    {10, "040G56AGA4"},                       // M
    {8, "040G848G"},                          // N
    {8, "@0A0444848A8G4G0G"},                 // O
    {8, "040G ~0G4G8G894909"},                // P
    {8, "@0A0444848A8G4G0G 5793"},            // Q
    {8, "040G ~0G4G8G894909 4984"},           // R
    {8, "~8D8G4G0G0A4A8A84440407"},           // S
    {8, "0G8G 4G44"},                         // T
    {8, "~0G0A0444848A8G"},                   // U
    {8, "0G448G"},                            // V
    {12, "0G346D94CG"},                       // W
    {8, "048G 0G84"},                         // X
    {8, "0G4A8G 4A44"},                       // Y
    {8, "0G8G0484"},                          // Z
    {3, "3H0H0232"},                          // [
    {6, "0H62"},                              // backslash
    {3, "0H3H3202"},                          // ]
    {6, "0C3G6C"},                            // ^
    {7, "0272"},                              // _
    {2, "0G2E"},                              // `
    {7, "7C74 @04747C0C"},                    // a
    {7, "0G04 @04747C0C"},                    // b
    {6, "~6A6C3C0C0804346466"},               // c
    {7, "7G74 @04747C0C"},                    // d
    {7, "0878 ~787C0C045476"},                // e
    {5, "~5G2G2C24 0C4C"},                    // f
    {7, "@04747C0C ~7C74703011"},             // g
    {7, "0G04 ~080C7C7874"},                  // h
    {0, "0C04 0F"},                           // i
    {3, "~3C333000 3F"},                      // j
    {6, "0G04 6C07 3964"},                    // k
    {2, "~0G060424"},                         // l
    {10, "0C04 ~080C5C5854 ~585CACA8A4"},     // m
    {7, "0C04 ~080C7C7874"},                  // n
    {7, "@04747C0C"},                         // o
    {7, "0C00 @04747C0C"},                    // p
    {7, "7C70 @04747C0C"},                    // q
    {5, "0C04 ~080C3C5C"},                    // r
    {6, "~6A6C3C0C08386864340406"},           // s
    {5, "~2F262454 0C5C"},                    // t
    {7, "~0C08047478 7C74"},                  // u
    {8, "0C448C"},                            // v
    {10, "0C345B74AC"},                       // w
    {7, "047C 0C74"},                         // x
    {8, "8C20 0C44"},                         // y
    {7, "0C7C0474"},                          // z
    {4, "~4H2H2D2A0A ~0A2A272242"},           // {
    {0, "0H02"},                              // |
    {4, "~0H2H2D2A4A ~4A2A272202"},           // }
    {8, "~092D678B"},                         // ~
};

// beyond ASCII, by code point
static const struct
{
    uint32_t character;
    Glyph glyph;
} others[] = {
    {0xb0, {4, "@0G4G4C0C"}},                            // degree
    {0xb1, {8, "0B8B 4F47 0484"}},                       // plus or minus
    {0xb7, {0, "0A"}},                                   // middle dot
    {0xd7, {7, "0D76 067D"}},                            // times
    {0x394, {8, "044G8404"}},                            // Delta
    {0x3a6, {8, "@0D8D8707 4G44"}},                      // Phi
    {0x3a9, {9, "0434 ~340A0G9G9A64 6494"}},             // Omega
    {0x3b1, {8, "~8C64040C6C84"}},                       // alpha
    {0x3b2, {8, "~000G7G7A3A ~3A8A840405"}},             // beta
    {0x3b3, {8, "~0C3C42 8C4240"}},                      // gamma
    {0x3b4, {7, "@04747C0C ~7C1F3G7F"}},                 // delta
    {0x3b5, {6, "~6B0C0848 ~4808046465"}},               // epsilon
    {0x3b6, {7, "1G6G ~6G0C0454 ~54744030"}},            // zeta
    {0x3b7, {7, "040C ~0A3D7D70"}},                      // eta
    {0x3b8, {7, "@0A04747A7G0G 0A7A"}},                  // theta
    {0x3ba, {7, "040C 7C0874"}},                         // kappa
    {0x3bb, {8, "~0G2G84 4B04"}},                        // lambda
    {0x3bc, {7, "000C ~0804747A 7C74"}},                 // mu
    {0x3bd, {7, "0C347C"}},                              // nu
    {0x3be, {7, "1G6G ~6G0G0B5B ~5B0B0454 ~54744030"}},  // xi
    {0x3c0, {9, "0C9C 2C24 7C74"}},                      // pi
    {0x3c1, {7, "@04747C0C 0800"}},                      // rho
    {0x3c3, {9, "@04747C0C 4C9C"}},                      // sigma
    {0x3c4, {7, "0C7C ~4C4464"}},                        // tau
    {0x3c6, {8, "@04848C0C 4G40"}},                      // phi
    {0x3c7, {7, "0C70 7C00"}},                           // chi
    {0x3c8, {8, "~0C04848C 4G40"}},                      // psi
    {0x3c9, {9, "~2C0A044449 ~4944949A7C"}},             // omega
    {0x2026, {8, "04 44 84"}},                           // dots
    {0x2192, {9, "0A9A 6D9A67"}},                        // to the right
    {0x2212, {8, "0A8A"}},                               // minus
    {0x221a, {8, "0929448H"}},                           // root
    {0x221e, {12, "@070D4D87C7CD8D47"}},                 // infinite
    {0x2248, {8, "~0B2F698D ~062A6488"}},                // about
    {0x2260, {7, "0C7C 0878 157F"}},                     // not equal
    {0x2264, {7, "7F0B77 0474"}},                        // at most
    {0x2265, {7, "0F7B07 0474"}},                        // at least
};

// Latin letters with accents from U+00C0, without them
static const char plain_latin[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";

static const Glyph* glyph_of(uint32_t c)
{
    if (c >= 32 && c < 127) return &glyphs[c - 32];
    if (c == 0xb5) c = 0x3bc;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].character == c) return &others[k].glyph;
    // blanks, dashes, quotes, accents
    if (c == 0xa0 || (c >= 0x2000 && c <= 0x200a)) return &glyphs[0];
    if (c >= 0x2010 && c <= 0x2015) return &glyphs['-' - 32];
    if (c == 0x2018 || c == 0x2019) return &glyphs['\'' - 32];
    if (c >= 0xc0 && c <= 0xff) return &glyphs[plain_latin[c - 0xc0] - 32];
    return &glyphs['?' - 32];
}

// the next character of a text: its glyph and size; superscripts are small and raised
typedef struct Letter
{
    const Glyph* glyph;
    double scale, rise;  // of the text's size
} Letter;

static bool next_letter(const char** text, Letter* letter)
{
    const uint32_t c = text_next(text);
    if (!c) return false;
    const char small = text_superscript(c);
    *letter = (Letter){glyph_of(small ? (uint32_t)small : c), small ? 0.7 : 1, small ? 0.55 : 0};
    return true;
}

// ---- strokes to segments ----

static int digit(char c) { return c <= '9' ? c - '0' : c - 'A' + 10; }

static void add(Path* pen, double x0, double y0, double x1, double y1)
{
    if (pen->count == MAX_SEGMENTS) return;
    double* s = pen->segment[pen->count++];
    s[0] = x0, s[1] = y0, s[2] = x1, s[3] = y1;
}

// quadratic Bezier a, b, c
static void add_curve(Path* pen, const double a[2], const double b[2], const double c[2])
{
    double last[2] = {a[0], a[1]};
    for (int k = 1; k <= PIECES; k++)
    {
        double t = (double)k / PIECES, u = 1 - t, now[2];
        for (int d = 0; d < 2; d++) now[d] = u * u * a[d] + 2 * u * t * b[d] + t * t * c[d];
        add(pen, last[0], last[1], now[0], now[1]);
        last[0] = now[0], last[1] = now[1];
    }
}

static void add_spline(Path* pen, double p[][2], int n, int closed)
{
    for (int i = closed ? 0 : 1; i < (closed ? n : n - 1); i++)
    {
        const double *before = p[(i + n - 1) % n], *here = p[i], *after = p[(i + 1) % n];
        double start[2], end[2];
        for (int d = 0; d < 2; d++)
        {
            start[d] = !closed && i == 1 ? before[d] : 0.5 * (before[d] + here[d]);
            end[d] = !closed && i == n - 2 ? after[d] : 0.5 * (here[d] + after[d]);
        }
        add_curve(pen, start, here, end);
    }
}

// one stroke; returns where the next begins
static const char* add_stroke(Path* pen, const char* text)
{
    double p[16][2];
    int n = 0;
    char kind = *text == '~' || *text == '@' ? *text++ : 0;
    for (; *text && *text != ' ' && n < 16; text += 2, n++)
    {
        p[n][0] = digit(text[0]);
        p[n][1] = digit(text[1]) - 4;
    }
    if (kind)
        add_spline(pen, p, n, kind == '@');
    else if (n == 1)
        add(pen, p[0][0], p[0][1], p[0][0], p[0][1]);
    else
        for (int i = 1; i < n; i++) add(pen, p[i - 1][0], p[i - 1][1], p[i][0], p[i][1]);
    return *text == ' ' ? text + 1 : text;
}

// ---- segments to pixels ----

static double distance(const double s[4], double x, double y)
{
    double dx = s[2] - s[0], dy = s[3] - s[1], length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((x - s[0]) * dx + (y - s[1]) * dy) / length2 : 0;
    t = fmax(0, fmin(1, t));
    return hypot(x - s[0] - t * dx, y - s[1] - t * dy);
}

static double nearest(const Path* pen, double x, double y)
{
    double best = 1e9;
    for (int k = 0; k < pen->count; k++) best = fmin(best, distance(pen->segment[k], x, y));
    return best;
}

// cover the pixels near the strokes of a glyph whose origin is at (x, y)
static void draw_glyph(Image* image, const Path* pen, int width, double x, double y, TextStyle style)
{
    const double scale = style.size / CAPITAL, thick = fmax(0.55, 0.075 * style.size * style.weight);
    const double left = -2, right = width + 2, low = -6, high = 16;
    const int x0 = (int)floor(style.upwards ? x - high * scale : x + left * scale);
    const int x1 = (int)ceil(style.upwards ? x - low * scale : x + right * scale);
    const int y0 = (int)floor(style.upwards ? y - right * scale : y - high * scale);
    const int y1 = (int)ceil(style.upwards ? y - left * scale : y - low * scale);
    for (int j = y0; j <= y1; j++)
        for (int i = x0; i <= x1; i++)
        {
            double dx = i + 0.5 - x, dy = y - j - 0.5;
            double u = (style.upwards ? dy : dx) / scale, v = (style.upwards ? -dx : dy) / scale;
            double cover = thick + 0.5 - nearest(pen, u, v) * scale;
            if (cover > 0) image_blend(image, i, j, style.colour, fmin(1, cover));
        }
}

double image_text_width(double size, const char* text)
{
    double units = 0, gap = 0;
    for (Letter letter; next_letter(&text, &letter);)
    {
        gap = GAP * letter.scale;
        units += letter.glyph->width * letter.scale + gap;
    }
    return fmax(0, units - gap) * size / CAPITAL;
}

void image_text(Image* image, double x, double y, TextStyle style, const char* text)
{
    double along = -style.align * image_text_width(style.size, text);
    if (style.weight <= 0) style.weight = 1;
    for (Letter letter; next_letter(&text, &letter);)
    {
        Path pen = {.count = 0};
        for (const char* s = letter.glyph->strokes; *s;) s = add_stroke(&pen, s);
        const double rise = letter.rise * style.size;
        TextStyle own = style;
        own.size *= letter.scale;
        own.weight /= letter.scale;
        draw_glyph(image, &pen, letter.glyph->width, style.upwards ? x - rise : x + along,
                   style.upwards ? y - along : y - rise, own);
        along += (letter.glyph->width + GAP) * own.size / CAPITAL;
    }
}
