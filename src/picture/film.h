// SPDX-License-Identifier: MIT
#pragma once
#include "picture/stage.h"
#include "picture/strip.h"

/// @file
/// What a film shows: the stage, the strip below it and what is written on it.

typedef struct Screen
{
    const twSkin* skin;
    twWav* sound;  ///< or NULL
    Stage* stage;
    Strip* strip;      ///< or NULL
    int stage_height;  ///< the strip is below
    Image image;
} Screen;

/// The strip shows the time from start to end. @return TW_BAD_INPUT naming what is wrong with def, and as stage_create()
twStatus screen_create(Screen* out, const twSkin* skin, const twFilmDef* def, double start, double end, twError* err);
void screen_destroy(Screen* screen);
/// Finish image from the picture that stage_read() took over.
void screen_show(Screen* screen, double time, int64_t frame);
