// SPDX-License-Identifier: MIT
#pragma once
#include "media/image.h"
#include "twang/picture.h"

/// @file
/// The strip below a film: the sound's waveform and the trace's series over time, and where the film is in them.

typedef struct StripDef
{
    int width, height;
    const twTrace* trace;
    const twWav* sound;  ///< or NULL
    double start, end;   ///< times at the left and right [s]
} StripDef;

typedef struct Strip Strip;

int strip_height(const twTrace* trace, bool sound, int picture_height);  ///< even; 0 if there is nothing to show
Strip* strip_create(const StripDef* def);                                ///< NULL without memory
void strip_destroy(Strip* strip);                                        ///< NULL is fine
/// Draw it into the rows of image from top on, at a time [s] in which the trace's frame is shown.
void strip_draw(const Strip* strip, Image* image, int top, double time, int64_t frame);

void strip_value_text(char out[48], double value, const char* unit);  ///< "3.21 mJ", "-" for NaN
