// SPDX-License-Identifier: MIT
// Things over the backdrop, with their shadow on the floor.

#include "picture/stage.h"

#include <string.h>

// ---- shadow ----

// a row or column of a picture blurred by weights in 256ths, a Gaussian
static void blur_line(const uint8_t* restrict from, uint8_t* restrict to, ptrdiff_t step, int lines, ptrdiff_t line)
{
    static const int weight[6] = {52, 44, 31, 17, 7, 3};
    for (int i = 0; i < lines; i++)
    {
        const uint8_t* f = from + i * line;
        int sum = weight[0] * f[0];
        for (int k = 1; k < 6; k++) sum += weight[k] * (f[k * step] + f[-k * step]);
        to[i * line] = (uint8_t)((sum + 128) / 256);
    }
}

// the edge of the map is free of things, wider than the blur
void stage_blur(uint8_t* cover, const int size[2], uint8_t* scratch)
{
    const int edge = 5;
    const ptrdiff_t row = size[0];
    for (int y = 0; y < size[1]; y++)
        blur_line(cover + y * row + edge, scratch + y * row + edge, 1, size[0] - 2 * edge, 1);
    for (int y = edge; y < size[1] - edge; y++)
        blur_line(scratch + y * row + edge, cover + y * row + edge, row, size[0] - 2 * edge, 1);
}

static FloorSpot spot_at(const Floor* floor, const int size[2], double x, double y)
{
    const FloorSpot none = {.first = -1};
    const double* m = floor->to_map;
    const double w = m[2] * x + m[5] * y + m[8];
    if (!floor->seen || w <= 0) return none;
    const double u = (m[0] * x + m[3] * y + m[6]) / w * size[0] - 0.5;
    const double v = (m[1] * x + m[4] * y + m[7]) / w * size[1] - 0.5;
    if (!(u >= 0 && v >= 0 && u < size[0] - 1 && v < size[1] - 1)) return none;
    const int i = (int)u, j = (int)v;
    return (FloorSpot){j * size[0] + i, (uint16_t)(256 * (u - i)), (uint16_t)(256 * (v - j))};
}

void floor_spots(FloorSpot* out, int width, int height, const Floor* floor, const int size[2])
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) *out++ = spot_at(floor, size, x + 0.5, y + 0.5);
}

// how much of a spot is covered, 0 to 255 * 65536
static int cover_at(const uint8_t* cover, int columns, FloorSpot spot)
{
    const uint8_t *low = cover + spot.first, *high = low + columns;
    const int a = spot.right, b = spot.up;
    return (low[0] * (256 - a) + low[1] * a) * (256 - b) + (high[0] * (256 - a) + high[1] * a) * b;
}

// ---- pixels ----

static void compose_pixel(uint8_t* to, const uint8_t* thing, const uint8_t* back, int bright)
{
    const int share = (255 - thing[3]) * bright;
    for (int k = 0; k < 3; k++)
    {
        const int c = thing[k] + (back[k] * share + 255 * 128) / (255 * 256);
        to[k] = (uint8_t)(c < 255 ? c : 255);
    }
}

void stage_compose(Image* out, int height, const uint8_t* rgba, const uint8_t* backdrop, const FloorSpot* spots,
                   const uint8_t* cover, int columns, double darkness)
{
    const size_t width = (size_t)out->width;
    const int dark = (int)(256 * darkness * 256 / 255);
    uint8_t* to = out->rgb;
    for (int y = 0; y < height; y++)
    {
        const uint8_t* thing = rgba + (size_t)(height - 1 - y) * width * 4;
        for (size_t x = 0; x < width; x++, thing += 4, backdrop += 3, spots++, to += 3)
        {
            const int covered = spots->first < 0 || thing[3] == 255 ? 0 : cover_at(cover, columns, *spots) >> 16;
            if (thing[3] == 0 && covered == 0)
                memcpy(to, backdrop, 3);
            else if (thing[3] == 255)
                memcpy(to, thing, 3);
            else
                compose_pixel(to, thing, backdrop, 256 - (covered * dark >> 8));
        }
    }
}
