// SPDX-License-Identifier: MIT
#pragma once
#include "media/image.h"
#include "picture/camera.h"
#include "picture/gl.h"

/// @file
/// The stage: a skin with its camera, light and floor, drawn at a frame.

typedef struct StageDef
{
    int width, height, samples;
    bool arrows;  ///< of the trace's forces
} StageDef;

typedef struct Stage Stage;

/// The skin must outlive it. On failure *out is NULL. @return as gl_create()
twStatus stage_create(Stage** out, const twSkin* skin, const StageDef* def, twError* err);
void stage_destroy(Stage* stage);  ///< NULL is fine
const Gl* stage_gl(const Stage* stage);
void stage_draw(Stage* stage, int64_t frame,
                int64_t forces);                  ///< begin a picture of a frame, with the arrows of another
void stage_wait(Stage* stage);                    ///< until it is done
twStatus stage_read(Stage* stage, twError* err);  ///< take it over; the next may be begun then
void stage_show(const Stage* stage,
                Image* image);  ///< put it at the top of image, which is as wide and at least as high

// ---- inside the stage ----

/// A plane to stand on or to see shadows on.
typedef struct Floor
{
    bool seen;
    twVec3 point, normal;
    double shadow;  ///< how dark
    double to_map
        [9];  ///< (column, row, 1) of a pixel, top row 0, to (u, v, 1) w of the shadow map; w <= 0: not seen; by columns
} Floor;
Floor floor_of(const twSkin* skin, const Camera* camera);

/// Fill view from all that is there, and the floor's way to the shadow map.
void stage_view(GlView* view, Floor* floor, const twSkin* skin, const Camera* camera, int width, int height);

/// A studio: floor and wall in one, lighter towards the horizon; rgb (height x width x 3).
void stage_backdrop(uint8_t* rgb, int width, int height, const twSkin* skin, const Camera* camera, const Floor* floor);

/// Where the floor that a pixel shows is in the coarse shadow map: between four texels.
typedef struct FloorSpot
{
    int first;           ///< the texel left and below; -1: none
    uint16_t right, up;  ///< from it, in 256ths of a texel
} FloorSpot;
/// Those of all pixels, (height x width), top row first; size: columns and rows of the map.
void floor_spots(FloorSpot* out, int width, int height, const Floor* floor, const int size[2]);

/// The floor's shadow: how much of it is covered, blurred in place; scratch is as large.
void stage_blur(uint8_t* cover, const int size[2], uint8_t* scratch);
/// Things (see gl_read()) over the backdrop with their shadow, in the first rows of out.
void stage_compose(Image* out, int height, const uint8_t* rgba, const uint8_t* backdrop, const FloorSpot* spots,
                   const uint8_t* cover, int columns, double darkness);
