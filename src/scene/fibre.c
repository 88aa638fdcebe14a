// SPDX-License-Identifier: MIT
// How the grain lies in a body, in words.

#include "twang/bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIBRE_SYNTAX "write x, y, z or X,Y,Z, and the radial direction after a colon if it matters: x:y"

// x, y, z or three numbers, length characters of text
static bool fibre_direction(twVec3* out, const char* text, size_t length)
{
    char copy[96];
    double v[3];
    if (length == 1 && text[0] >= 'x' && text[0] <= 'z')
    {
        *out = tw_vec3(text[0] == 'x', text[0] == 'y', text[0] == 'z');
        return true;
    }
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    // strtod would take spaces, hexadecimal, inf and nan
    if (copy[strspn(copy, "0123456789.eE+-,")]) return false;
    char* at = copy;
    for (int i = 0; i < 3; i++)
    {
        char* end;
        v[i] = strtod(at, &end);
        if (end == at || *end != (i < 2 ? ',' : 0) || !isfinite(v[i])) return false;
        at = end + 1;
    }
    *out = tw_vec3(v[0], v[1], v[2]);
    return tw_vec3_norm(*out) > 0;
}

twStatus tw_fibre_parse(twFibre* out, const char* text, twError* err)
{
    const char* colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *out = (twFibre){0};
    if (!fibre_direction(&out->along, text, length) ||
        (colon && !fibre_direction(&out->radial, colon + 1, strlen(colon + 1))))
        return tw_fail(err, TW_BAD_INPUT, "'%.80s' is no direction of fibres; " FIBRE_SYNTAX, text);
    twMat3 axes;
    return tw_fibre_axes(&axes, out, tw_vec3(1, 1, 1), err);
}

bool tw_fibre_given(const twFibre* fibre) { return tw_vec3_norm(fibre->along) > 0 || tw_vec3_norm(fibre->radial) > 0; }
