// SPDX-License-Identifier: MIT
#pragma once
#include "twang/picture.h"

/// @file
/// Arrows of forces as triangles: a shaft with a cone.

#define ARROW_MAX 512  ///< arrows in a picture; of more, the strongest are drawn

/// The triangles of ARROW_MAX arrows, of which a picture uses the first.
typedef struct Arrows
{
    int vertex_count, face_count;  ///< of all
    int faces_each;
    const twTriangle* faces;
    float *positions, *normals;  ///< (vertices x 3)
    double longest;              ///< length of the strongest force's arrow [m]
    double strongest;            ///< of all frames [N]
} Arrows;

double arrows_strongest(const twTrace* trace, int64_t frame);  ///< force in a frame [N]
/// Memory from arena. @return false without memory
bool arrows_create(Arrows* out, twArena* arena, const twSkin* skin);
/// Set positions and normals for a frame. @return the number of faces to draw
int arrows_set(Arrows* arrows, const twTrace* trace, int64_t frame);
/// Where the tip of an arrow is. @return radius of its head [m]; 0 if it is too weak to be drawn
double arrows_head(const Arrows* arrows, const twTraceArrow* arrow, twVec3* tip);
twLook arrows_look(void);
