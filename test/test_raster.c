// SPDX-License-Identifier: MIT
// Pictures, text and lines in pixels.
#define _XOPEN_SOURCE 700
#include "media_files.h"

#include "media/axis.h"
#include "media/curve.h"
#include "media/image.h"
#include "media/raster.h"
#include "media/text.h"
#include "twang/math.h"

#include <unistd.h>

// ---- pictures ----

static int png_has_the_size_and_the_same_bytes_again(void)
{
    uint8_t rgb[7 * 5 * 3];
    for (int i = 0; i < 105; i++) rgb[i] = (uint8_t)(i * 37);
    ENSURE(tw_png_save(in_folder("a.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(tw_png_save(in_folder("b.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("a.png"), in_folder("b.png")));
    char* bytes;
    size_t n;
    ENSURE(tw_file_read(&bytes, &n, in_folder("a.png"), 4096, &error) == TW_OK);
    // signature, then the header: width, height, 8 bits, RGB
    ENSURE(memcmp(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\7\0\0\0\5\x08\x02", 26) == 0);
    ENSURE(memcmp(bytes + n - 8, "IEND", 4) == 0);
    free(bytes);
    ENSURE(tw_png_save(in_folder("no.png"), rgb, 0, 5, &error) == TW_BAD_INPUT);
    ENSURE(tw_png_save("/there/is/no/folder/a.png", rgb, 7, 5, &error) == TW_IO_ERROR);
    return 0;
}

enum
{
    GLYPH = 24
};

static void draw_label(const char* text, uint8_t* rgb)
{
    memset(rgb, 0, GLYPH * GLYPH * 3);
    Image image = {GLYPH, GLYPH, rgb};
    image_text(&image, 4, 18, (TextStyle){.size = 12, .colour = 0xffffff}, text);
}

static void draw_glyph(char c, uint8_t* rgb) { draw_label((char[]){c, 0}, rgb); }

static int every_character_can_be_told_from_every_other(void)
{
    static uint8_t glyph[95][GLYPH * GLYPH * 3];
    for (int k = 0; k < 95; k++) draw_glyph((char)(32 + k), glyph[k]);
    for (int k = 0; k < 95; k++)
        for (int m = 0; m < k; m++)
        {
            int differ = 0;
            for (int i = 0; i < GLYPH * GLYPH * 3; i += 3) differ += abs(glyph[k][i] - glyph[m][i]) > 100;
            if (differ < 2) printf("'%c' looks like '%c'\n", 32 + k, 32 + m);
            ENSURE(differ >= 2);
        }
    return 0;
}

static int text_outside_the_picture_is_cut_off(void)
{
    uint8_t rgb[10 * 10 * 3] = {0};
    Image image = {10, 10, rgb};
    image_text(&image, -1000, 5, (TextStyle){.size = 8, .colour = 0xffffff}, "far away");
    image_text(&image, 8, 12, (TextStyle){.size = 30, .colour = 0xffffff, .upwards = 1}, "\xff\x01 big");
    image_rect(&image, -5, -5, 100, 100, 0x808080, 1);
    ENSURE(rgb[0] == 0x80 && rgb[299] == 0x80);
    return 0;
}

// superscripts and the signs of labels have glyphs of their own; letters keep their shape without accents
static int labels_beyond_ascii_can_be_read(void)
{
    static const char* const texts[] = {"\xc2\xb5", "\xe2\x88\x92", "\xc3\x97", "\xc2\xb2",     "\xe2\x81\xb4",
                                        "\xcf\x89", "\xce\xb1",     "\xc2\xb0", "\xe2\x89\xa4", "?"};
    enum
    {
        TEXTS = sizeof texts / sizeof *texts
    };
    static uint8_t rgb[TEXTS][GLYPH * GLYPH * 3], e[2][GLYPH * GLYPH * 3];
    for (int k = 0; k < TEXTS; k++) draw_label(texts[k], rgb[k]);
    for (int k = 0; k < TEXTS; k++)
        for (int m = 0; m < k; m++) ENSURE(memcmp(rgb[k], rgb[m], sizeof rgb[k]) != 0);
    draw_label("\xc3\xa9", e[0]);
    draw_label("e", e[1]);
    ENSURE(memcmp(e[0], e[1], sizeof e[0]) == 0);
    // a superscript is narrower, broken bytes are one '?' each
    ENSURE(image_text_width(12, "\xc2\xb2") < 0.8 * image_text_width(12, "2"));
    ENSURE_NEAR(image_text_width(12, "\xc3\xff"), image_text_width(12, "??"), 1e-12);
    return 0;
}

static int long_text_is_cut_at_a_character(void)
{
    char out[64];
    text_fit(out, sizeof out, "short", 10, 1000, image_text_width);
    ENSURE_TEXT(out, "short");
    const char* umlauts = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    for (double room = 200; room > 30; room -= 1)
    {
        text_fit(out, sizeof out, umlauts, 10, room, image_text_width);
        ENSURE(image_text_width(10, out) <= room);
        size_t whole = strspn(out, "\xc3\xa4");
        ENSURE(whole % 2 == 0 && (out[whole] == 0 || strcmp(out + whole, "...") == 0));
    }
    return 0;
}

static double luma(uint32_t c) { return 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255); }

static int colour_map_only_gets_brighter(void)
{
    ENSURE(luma(image_heat(0)) < 10 && luma(image_heat(1)) > 225);
    for (int k = 1; k <= 64; k++) ENSURE(luma(image_heat(k / 64.0)) > luma(image_heat((k - 1) / 64.0)));
    return 0;
}

// ---- raster ----

// what a path covers of a white picture: the sum over pixels of the black in it
static double ink_of(const Pen* pen, const Spot* spots, int count)
{
    Raster raster;
    if (!raster_create(&raster, 100, 80, 0xffffff)) return NAN;
    paint_begin(&raster.painter, pen);
    paint_move(&raster.painter, spots[0]);
    for (int k = 1; k < count; k++) paint_line(&raster.painter, spots[k]);
    paint_end(&raster.painter);
    double sum = 0;
    for (int i = 0; i < 100 * 80 * 3; i += 3) sum += (255 - raster.image.rgb[i]) / 255.0;
    raster_destroy(&raster);
    return sum;
}

// theory: length times width, and half a disc at each round end
static int strokes_cover_their_area_at_any_slope(void)
{
    for (int k = 0; k < 12; k++)
    {
        const double a = k * TW_PI / 12, w = 3;
        const Spot ends[2] = {{500 - (int)(300 * cos(a)), 400 - (int)(300 * sin(a))},
                              {500 + (int)(300 * cos(a)), 400 + (int)(300 * sin(a))}};
        const double length = 0.1 * hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
        const Pen pen = {.kind = PEN_LINE, .width = w, .alpha = 1};
        ENSURE_NEAR(ink_of(&pen, ends, 2), length * w + TW_PI * w * w / 4, 0.02 * length * w);
        // going back along the same line adds nothing
        const Spot again[3] = {ends[0], ends[1], ends[0]};
        ENSURE_NEAR(ink_of(&pen, again, 3), ink_of(&pen, ends, 2), 1e-9);
    }
    return 0;
}

static int dashes_cover_their_share(void)
{
    const Pen pen = {.kind = PEN_LINE, .width = 1, .dash = {5, 5}, .alpha = 1};
    const Spot ends[2] = {{100, 405}, {900, 405}}, bent[3] = {{100, 405}, {500, 405}, {900, 405}};
    // eight dashes of 5 px, each with half a pixel's round ends
    ENSURE_NEAR(ink_of(&pen, ends, 2), 8 * (5 + TW_PI / 4), 3);
    ENSURE_NEAR(ink_of(&pen, bent, 3), ink_of(&pen, ends, 2), 0.1);
    return 0;
}

static int discs_and_areas_cover_their_area(void)
{
    const Pen dots = {.kind = PEN_DOTS, .width = 9, .alpha = 1}, fill = {.kind = PEN_FILL, .alpha = 1};
    const Spot middle = {503, 397}, triangle[3] = {{103, 107}, {911, 333}, {420, 745}};
    ENSURE_NEAR(ink_of(&dots, &middle, 1), TW_PI * 81, 1.5);
    // half the cross product of two sides
    const double area = 0.5 * fabs((91.1 - 10.3) * (74.5 - 10.7) - (33.3 - 10.7) * (42.0 - 10.3));
    ENSURE_NEAR(ink_of(&fill, triangle, 3), area, 2e-3 * area);
    const Pen half = {.kind = PEN_FILL, .alpha = 0.5};
    ENSURE_NEAR(ink_of(&half, triangle, 3), 0.5 * area, 1e-2 * area);
    return 0;
}

// theory: the integral of high - low, without the gap
static int bands_fill_what_lies_between_two_curves(void)
{
    enum
    {
        N = 5001
    };
    static double x[N], low[N], high[N];
    for (int i = 0; i < N; i++) x[i] = i, low[i] = 20 + 1e-3 * i, high[i] = 60 - 1e-3 * i;
    const Axis x_axis = {.low = 0, .high = N - 1, .start = 0, .end = 100}, y_axis = {.high = 80, .start = 80};
    for (int gap = 0; gap < 2; gap++)
    {
        // from 40 to 60 px, where the band is 35 px high
        for (int i = 2000; i < 3000 && gap; i++) low[i] = NAN;
        Raster raster;
        ENSURE(raster_create(&raster, 100, 80, 0xffffff));
        curve_band(&raster.painter, &(Pen){.kind = PEN_FILL, .alpha = 1}, &x_axis, &y_axis, x, low, high, N);
        double sum = 0;
        for (int i = 0; i < 100 * 80 * 3; i += 3) sum += (255 - raster.image.rgb[i]) / 255.0;
        raster_destroy(&raster);
        ENSURE_NEAR(sum, 3500 - gap * 20 * 35, 12);
    }
    return 0;
}

static int nothing_is_drawn_outside_the_clip(void)
{
    Raster raster;
    ENSURE(raster_create(&raster, 60, 60, 0));
    paint_clip(&raster.painter, (Box){20, 20, 20, 20});
    const Spot ends[4] = {{-1000, -1000}, {1600, 1700}, {300, -500}, {-90000, 90000}};
    for (int kind = PEN_LINE; kind <= PEN_DOTS; kind++)
    {
        paint_begin(&raster.painter, &(Pen){.kind = (PenKind)kind, .colour = 0xffffff, .width = 30, .alpha = 1});
        paint_move(&raster.painter, ends[0]);
        for (int k = 1; k < 4; k++) paint_line(&raster.painter, ends[k]);
        paint_end(&raster.painter);
    }
    paint_rect(&raster.painter, (Box){-5, 30, 100, 2}, 0xffffff, 1);
    const uint8_t grey[3] = {128, 128, 128};
    paint_image(&raster.painter, (Box){10, 35, 40, 40}, grey, 1, 1);
    int inside = 0, outside = 0;
    for (int y = 0; y < 60; y++)
        for (int x = 0; x < 60; x++)
        {
            const bool in = x >= 20 && x < 40 && y >= 20 && y<40, lit = raster.image.rgb[(y * 60 + x) * 3]> 0;
            inside += in && lit;
            outside += !in && lit;
        }
    raster_destroy(&raster);
    ENSURE(outside == 0 && inside > 100);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(png_has_the_size_and_the_same_bytes_again)
    RUN(every_character_can_be_told_from_every_other)
    RUN(text_outside_the_picture_is_cut_off)
    RUN(labels_beyond_ascii_can_be_read)
    RUN(long_text_is_cut_at_a_character)
    RUN(colour_map_only_gets_brighter)
    RUN(strokes_cover_their_area_at_any_slope)
    RUN(dashes_cover_their_share)
    RUN(discs_and_areas_cover_their_area)
    RUN(bands_fill_what_lies_between_two_curves)
    RUN(nothing_is_drawn_outside_the_clip)
)
