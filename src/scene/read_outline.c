// SPDX-License-Identifier: MIT
// Outlines of cross sections with corners, as pictures want them: in the section's principal axes, in half sizes.

#include "reader.h"
#include <math.h>

#define ARC_POINTS 7  // of a rounded corner

// twice the area, and the centroid of a polygon; near the first corner, so that a far origin does no harm
static double centroid(const double* p, int count, double out[2])
{
    double twice_area = 0, sum[2] = {0};
    for (int i = 1; i + 1 < count; i++)
    {
        const double *a = p + 2 * (ptrdiff_t)i, *b = a + 2;
        const double ax = a[0] - p[0], ay = a[1] - p[1], bx = b[0] - p[0], by = b[1] - p[1], area = ax * by - bx * ay;
        twice_area += area;
        sum[0] += area * (ax + bx) / 3;
        sum[1] += area * (ay + by) / 3;
    }
    for (int k = 0; k < 2; k++) out[k] = p[k] + sum[k] / twice_area;
    return twice_area;
}

static void place_polygon(double* out, const twSectionDef* def, const twSection* section)
{
    double middle[2];
    const bool clockwise = centroid(def->points, def->count, middle) < 0;
    const double c = cos(section->angle), s = sin(section->angle);
    for (int i = 0; i < def->count; i++, out += 2)
    {
        const double* p = def->points + 2 * (ptrdiff_t)(clockwise ? def->count - 1 - i : i);
        const double x = p[0] - middle[0], y = p[1] - middle[1];
        out[0] = (c * x + s * y) / section->half_size[0];
        out[1] = (c * y - s * x) / section->half_size[1];
    }
}

// from the right side's lower end on
static void place_rounded(double* out, const twSectionDef* def)
{
    static const double side[4][2] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    const double half[2] = {0.5 * def->width, 0.5 * def->height}, r = def->corner_radius;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < ARC_POINTS; i++, out += 2)
        {
            const double turn = 0.5 * TW_PI * (k - 1 + (double)i / (ARC_POINTS - 1));
            out[0] = (side[k][0] * (half[0] - r) + r * cos(turn)) / half[0];
            out[1] = (side[k][1] * (half[1] - r) + r * sin(turn)) / half[1];
        }
}

void read_outline(Reader* reader, twSceneRod* rod, const twSectionDef* def, const twSection* section)
{
    static const double box[] = {-1, -1, 1, -1, 1, 1, -1, 1};
    const int counts[] = {
        [TW_SECTION_RECTANGLE] = 4, [TW_SECTION_ROUNDED] = 4 * ARC_POINTS, [TW_SECTION_POLYGON] = def->count};
    double* corners = read_alloc(reader, 2 * (size_t)counts[def->kind], sizeof *corners);
    if (!corners) return;
    rod->corner_count = counts[def->kind];
    rod->corners = corners;
    if (def->kind == TW_SECTION_RECTANGLE)
        for (int i = 0; i < 8; i++) corners[i] = box[i];
    if (def->kind == TW_SECTION_ROUNDED) place_rounded(corners, def);
    if (def->kind == TW_SECTION_POLYGON) place_polygon(corners, def, section);
}
