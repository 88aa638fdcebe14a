// SPDX-License-Identifier: MIT
// Pixels, rectangles and the colour map.
//
// The map runs in the OKLab space (Ottosson 2020), where equal steps look equal: lightness rises in a straight line,
// the hue turns from blue over magenta and orange to yellow, and chroma is cut where sRGB ends.

#include "media/image.h"

#include "twang/math.h"

#include <stdbool.h>

void image_blend(Image* image, int x, int y, uint32_t colour, double alpha)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
    uint8_t* pixel = image->rgb + ((size_t)y * (size_t)image->width + (size_t)x) * 3;
    for (int k = 0; k < 3; k++)
    {
        double new = (colour >> (16 - 8 * k)) & 255;
        pixel[k] = (uint8_t)(pixel[k] + (new - pixel[k]) * alpha + 0.5);
    }
}

void image_rect(Image* image, int x, int y, int width, int height, uint32_t colour, double alpha)
{
    for (int j = y; j < y + height; j++)
        for (int i = x; i < x + width; i++) image_blend(image, i, j, colour, alpha);
}

// ---- colour map ----

// OKLab lightness, chroma and hue [rad] to linear sRGB; false if outside its gamut
static bool to_linear(double lightness, double chroma, double hue, double rgb[3])
{
    const double a = chroma * cos(hue), b = chroma * sin(hue);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    bool inside = true;
    for (int k = 0; k < 3; k++) inside = inside && rgb[k] >= 0 && rgb[k] <= 1;
    return inside;
}

// sRGB transfer curve to 8 bits
static uint32_t to_byte(double linear)
{
    double x = fmax(0, fmin(1, linear));
    double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint32_t)(255 * y + 0.5);
}

uint32_t image_heat(double t)
{
    t = fmax(0, fmin(1, t));
    const double lightness = 0.11 + 0.86 * t;
    const double hue = (275 + 190 * pow(t, 0.9)) * TW_PI / 180;
    // grey at both ends, strong in between
    double chroma = 0.175 * sqrt(sin(TW_PI * (0.04 + 0.9 * t))), rgb[3];
    double low = 0, high = chroma;
    if (!to_linear(lightness, chroma, hue, rgb))
        for (int k = 0; k < 20; k++)
        {
            double middle = 0.5 * (low + high);
            if (to_linear(lightness, middle, hue, rgb))
                low = middle;
            else
                high = middle;
        }
    return to_byte(rgb[0]) << 16 | to_byte(rgb[1]) << 8 | to_byte(rgb[2]);
}
