// SPDX-License-Identifier: MIT
#pragma once
#include "media/image.h"
#include "media/painter.h"

/// @file
/// Figures as pixels, with smooth edges.

typedef struct Raster
{
    Painter painter;
    Image image;     ///< owned
    Box clip;        ///< nothing is drawn outside
    uint8_t* cover;  ///< (height x width) how far the path under way covers each pixel
    Box touched;     ///< where cover is not 0
    Pen pen;         ///< of the path under way
    Spot at;         ///< where it has come to
    double along;    ///< the dashes' phase [px]
    Spot* corners;   ///< of the area under way; a move begins another
    size_t corner_count, corner_room;
} Raster;

/// @return false without memory
bool raster_create(Raster* raster, int width, int height, uint32_t background);
void raster_destroy(Raster* raster);
