// SPDX-License-Identifier: MIT
// Parts of a body, in words: balls, boxes, half-spaces, regions of a file.

#include "twang/part.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYNTAX                                                                                                         \
    "write X,Y,Z (the nearest point), ball:X,Y,Z,R, box:X0,Y0,Z0,X1,Y1,Z1, x<A or x>A (also y, z) in metres, "         \
    "or a region of a tet file"

// numbers separated by commas, up to the end of text. @return how many, at most most; -1 if one is none
static int read_numbers(const char* text, double* values, int most)
{
    // strtod would take spaces, hexadecimal, inf and nan
    if (text[strspn(text, "0123456789.eE+-,")]) return -1;
    for (int n = 0; n < most; n++)
    {
        char* end;
        values[n] = strtod(text, &end);
        if (end == text || !isfinite(values[n])) return -1;
        if (!*end) return n + 1;
        if (*end != ',') return -1;
        text = end + 1;
    }
    return -1;
}

static twStatus parse_ball(twPart* part, const char* text, const char* numbers, twError* err)
{
    double v[4];
    if (read_numbers(numbers, v, 4) != 4 || v[3] < 0)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s' is no ball; write ball:X,Y,Z,R in metres, R not negative", text);
    *part = (twPart){.kind = TW_PART_BALL, .centre = {v[0], v[1], v[2]}, .radius = v[3]};
    return TW_OK;
}

static twStatus parse_box(twPart* part, const char* text, const char* numbers, twError* err)
{
    double v[6];
    if (read_numbers(numbers, v, 6) != 6)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s' is no box; write box:X0,Y0,Z0,X1,Y1,Z1 in metres", text);
    *part = (twPart){.kind = TW_PART_BOX,
                     .low = {fmin(v[0], v[3]), fmin(v[1], v[4]), fmin(v[2], v[5])},
                     .high = {fmax(v[0], v[3]), fmax(v[1], v[4]), fmax(v[2], v[5])}};
    return TW_OK;
}

// a half-space is a box with one side
static twStatus parse_side(twPart* part, const char* text, twError* err)
{
    double v, low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, INFINITY, INFINITY};
    if (read_numbers(text + 2, &v, 1) != 1)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s': a number in metres should follow '%.2s'", text, text);
    if (text[1] == '<')
        high[text[0] - 'x'] = v;
    else
        low[text[0] - 'x'] = v;
    *part = (twPart){.kind = TW_PART_BOX, .low = {low[0], low[1], low[2]}, .high = {high[0], high[1], high[2]}};
    return TW_OK;
}

twStatus tw_part_parse(twPart* out, const char* text, twError* err)
{
    double v[4];
    *out = (twPart){0};
    if (strncmp(text, "ball:", 5) == 0) return parse_ball(out, text, text + 5, err);
    if (strncmp(text, "box:", 4) == 0) return parse_box(out, text, text + 4, err);
    if (text[0] >= 'x' && text[0] <= 'z' && (text[1] == '<' || text[1] == '>')) return parse_side(out, text, err);
    int numbers = read_numbers(text, v, 4);
    if (numbers == 4) return parse_ball(out, text, text, err);
    if (numbers == 3)
    {
        out->centre = (twVec3){v[0], v[1], v[2]};
        return TW_OK;
    }

    // what is no list of numbers is the name or number of a region
    const char* name = strncmp(text, "region:", 7) == 0 ? text + 7 : text;
    if (name == text && strpbrk(text, "<>"))
        return tw_fail(err, TW_BAD_INPUT,
                       "'%.80s' is no half-space; write x<A, x>A, y<A, y>A, z<A or z>A in metres, without blanks",
                       text);
    bool list = text[0] && text[strspn(text, "0123456789.eE+-, ")] == 0 && strchr(text, ',');
    if (!*name || list || strlen(name) >= sizeof out->region)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s' is no part of a body; " SYNTAX, text);
    out->kind = TW_PART_REGION;
    snprintf(out->region, sizeof out->region, "%s", name);
    return TW_OK;
}

// "x>5"; a box with one side
static void write_side(char* out, size_t bytes, const twPart* p)
{
    const double low[] = {p->low.x, p->low.y, p->low.z}, high[] = {p->high.x, p->high.y, p->high.z};
    int axis = 0;
    while (axis < 2 && !isfinite(low[axis]) && !isfinite(high[axis])) axis++;
    bool above = isfinite(low[axis]);
    snprintf(out, bytes, "%c%c%.9g", 'x' + axis, above ? '>' : '<', above ? low[axis] : high[axis]);
}

const char* tw_part_text(char* out, size_t bytes, const twPart* p)
{
    if (p->kind == TW_PART_REGION)
        snprintf(out, bytes, "region:%s", p->region);
    else if (p->kind == TW_PART_POINT)
        snprintf(out, bytes, "%.9g,%.9g,%.9g", p->centre.x, p->centre.y, p->centre.z);
    else if (p->kind == TW_PART_BALL)
        snprintf(out, bytes, "ball:%.9g,%.9g,%.9g,%.9g", p->centre.x, p->centre.y, p->centre.z, p->radius);
    else if (isfinite(p->low.x + p->low.y + p->low.z) && isfinite(p->high.x + p->high.y + p->high.z))
        snprintf(out, bytes, "box:%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", p->low.x, p->low.y, p->low.z, p->high.x, p->high.y,
                 p->high.z);
    else
        write_side(out, bytes, p);
    return out;
}

double tw_part_distance(const twPart* part, twVec3 p)
{
    TW_ASSERT(part->kind != TW_PART_REGION);
    if (part->kind == TW_PART_BOX)
    {
        double x = fmax(0, fmax(part->low.x - p.x, p.x - part->high.x));
        double y = fmax(0, fmax(part->low.y - p.y, p.y - part->high.y));
        double z = fmax(0, fmax(part->low.z - p.z, p.z - part->high.z));
        return sqrt(x * x + y * y + z * z);
    }
    return fmax(0, tw_vec3_norm(tw_vec3_sub(p, part->centre)) - part->radius);
}
