// SPDX-License-Identifier: MIT
// units_: units of the lengths in a file, and a guess when a body has a size that few things have
// whose sound is looked for.
//
// What people strike, drop and bow is mostly between 2 cm and 2 m long. A size far from that is
// more often a unit that was not given: the guess is the first of the usual units of modellers and
// CAD with which the body would be that long.
#include "mesh/shape.h"
#include "twang/mesh.h"
#include <math.h>
#include <string.h>

#define UNITS_FILE_MIN 5e-3    // longest side of a body from a file [m]: below it is a hint worth
#define UNITS_FILE_MAX 3.0     // and above [m]
#define UNITS_SHAPE_MIN 1e-3   // the same of shapes, whose unit is no secret [m]
#define UNITS_SHAPE_MAX 10.0   // [m]
#define UNITS_LIKELY_MIN 0.02  // what a guess must come to [m]
#define UNITS_LIKELY_MAX 2.0   // [m]
#define UNITS_TRIES 2          // the second time with limits that are wider by UNITS_WIDER
#define UNITS_WIDER 10

enum
{
    UNITS_M,
    UNITS_DM,
    UNITS_CM,
    UNITS_MM,
    UNITS_IN,
    UNITS_FT,
    UNITS_COUNT
};

static const twUnit units[UNITS_COUNT] = {{"m", "metres", 1},          {"dm", "decimetres", 0.1},
                                          {"cm", "centimetres", 0.01}, {"mm", "millimetres", 1e-3},
                                          {"in", "inches", 0.0254},    {"ft", "feet", 0.3048}};

const twUnit* tw_units(int* count)
{
    *count = UNITS_COUNT;
    return units;
}

// "10.4 cm"
static const char* units_length(char* out, size_t bytes, double metres)
{
    const double size = fabs(metres);
    if (size >= 0.01 && size < 1)
        snprintf(out, bytes, "%.3g cm", 100 * metres);
    else if (size >= 1e-4 && size < 0.01)
        snprintf(out, bytes, "%.3g mm", 1000 * metres);
    else if (size >= 1000 && size < 1e6)
        snprintf(out, bytes, "%.0f m", metres);
    else
        snprintf(out, bytes, "%.3g m", metres);
    return out;
}

static void units_append(char* out, size_t bytes, const char* text)
{
    const size_t used = strlen(out);
    if (used < bytes) snprintf(out + used, bytes - used, "%s", text);
}

// ---- files ----

// units in which a length of the file makes a likely size, the likeliest first. @return how many
static int units_guess(int out[UNITS_COUNT], double length, double scale, bool large)
{
    static const int for_large[UNITS_COUNT] = {UNITS_MM, UNITS_CM, UNITS_IN, UNITS_DM, UNITS_FT, UNITS_M};
    static const int for_small[UNITS_COUNT] = {UNITS_M, UNITS_DM, UNITS_CM, UNITS_IN, UNITS_FT, UNITS_MM};
    int count = 0;
    double wider = 1;
    for (int attempt = 0; attempt < UNITS_TRIES && count == 0; attempt++, wider *= UNITS_WIDER)
        for (int i = 0; i < UNITS_COUNT; i++)
        {
            const int unit = large ? for_large[i] : for_small[i];
            const double size = length * units[unit].metres;
            if (fabs(units[unit].metres / scale - 1) < 1e-9) continue;
            if (size >= UNITS_LIKELY_MIN / wider && size <= UNITS_LIKELY_MAX * wider) out[count++] = unit;
        }
    return count;
}

int tw_units_guess(double scale, double size)
{
    int guess[UNITS_COUNT];
    return size > UNITS_FILE_MAX && units_guess(guess, size / scale, scale, true) > 0 ? guess[0] : -1;
}

static void units_hint_file(char* out, size_t bytes, const char* source, double scale, double size, bool scene)
{
    int guess[UNITS_COUNT];
    char text[512], is[32], would[32];
    const double length = size / scale;
    const int count = units_guess(guess, length, scale, size > 1);
    units_length(is, sizeof is, size);
    if (count == 0)
    {
        snprintf(out, bytes, "the body is %s long: is %.200s in another unit? %s", is, source,
                 scene ? "'units' or 'scale' of the body" : "--units or --scale");
        return;
    }
    const twUnit* first = &units[guess[0]];
    snprintf(out, bytes, "the body is %s long: is %.200s in %s? Then it is %s long: %s%s%s", is, source, first->plural,
             units_length(would, sizeof would, length * first->metres), scene ? "'units: " : "--units ", first->name,
             scene ? "'" : "");
    for (int i = 1; i < count; i++)
    {
        const twUnit* unit = &units[guess[i]];
        snprintf(text, sizeof text, "%s%s: %s%s", i == 1 ? " (" : ", ", unit->name,
                 units_length(would, sizeof would, length * unit->metres), i + 1 == count ? ")" : "");
        units_append(out, bytes, text);
    }
}

// ---- shapes ----

static void units_hint_shape(char* out, size_t bytes, const char* source, double size)
{
    static const double factors[] = {1e-3, 1e-2};
    char text[400], shape[200], length[32];
    int count = 0;
    snprintf(out, bytes, "lengths of shapes are in metres: %.200s measures %s", source,
             units_length(length, sizeof length, size));
    for (int i = 0; i < 2; i++)
    {
        const double would = size * factors[i];
        if (!(size > 1 && would >= UNITS_LIKELY_MIN / UNITS_WIDER && would <= UNITS_LIKELY_MAX)) continue;
        if (!tw_shape_scaled(shape, sizeof shape, source, factors[i])) continue;
        snprintf(text, sizeof text, "%s%s (%s)", count++ ? " or " : "; did you mean ", shape,
                 units_length(length, sizeof length, would));
        units_append(out, bytes, text);
    }
    if (count > 0) units_append(out, bytes, "?");
}

const char* tw_size_hint(char* out, size_t bytes, const char* source, double scale, double size, bool scene)
{
    const bool shape = tw_shape_looks_like(source);
    const double low = shape ? UNITS_SHAPE_MIN : UNITS_FILE_MIN, high = shape ? UNITS_SHAPE_MAX : UNITS_FILE_MAX;
    if (bytes > 0) out[0] = 0;
    if (!(size > 0) || (size >= low && size <= high)) return out;
    if (shape)
        units_hint_shape(out, bytes, source, size);
    else
        units_hint_file(out, bytes, source, scale, size, scene);
    return out;
}
