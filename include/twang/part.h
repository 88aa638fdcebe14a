// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Part: where on or in a body.

typedef enum twPartKind
{
    TW_PART_POINT,   ///< what is nearest to centre
    TW_PART_BALL,    ///< within radius of centre
    TW_PART_BOX,     ///< from low to high, which may be infinite
    TW_PART_REGION,  ///< a region of a tet file, by name or number
} twPartKind;

/// Where on or in a body. Plain data; metres, after scaling.
typedef struct twPart
{
    twPartKind kind;
    twVec3 centre;
    double radius;
    twVec3 low, high;
    char region[64];
} twPart;

/// From text: "X,Y,Z" (a point), "ball:X,Y,Z,R" (or "X,Y,Z,R"), "box:X0,Y0,Z0,X1,Y1,Z1", "x<A", "x>A" (y, z), or
/// "region:NAME" (or NAME, if that is none of the others). @return TW_BAD_INPUT with the syntax
twStatus tw_part_parse(twPart* out, const char* text, twError* err);
const char* tw_part_text(char* out, size_t bytes, const twPart* part);  ///< as it can be parsed. @return out
double tw_part_distance(const twPart* part, twVec3 point);              ///< 0 inside; not for regions [m]

#ifdef __cplusplus
}
#endif
