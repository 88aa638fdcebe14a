// SPDX-License-Identifier: MIT
// What a film shows, and single pictures of it.

#include "picture/film.h"

#include <stdlib.h>

static twStatus check(const twFilmDef* def, twError* err)
{
    const int side[2] = {def->width, def->height};
    for (int k = 0; k < 2; k++)
        if (side[k] < TW_FILM_MIN_SIDE || side[k] > TW_FILM_MAX_SIDE || side[k] % 2 != 0)
            return tw_fail(err, TW_BAD_INPUT, "a picture %d pixels %s; it must be %d to %d, and even", side[k],
                           k ? "high" : "wide", TW_FILM_MIN_SIDE, TW_FILM_MAX_SIDE);
    if (def->samples < 1 || def->samples > 16)
        return tw_fail(err, TW_BAD_INPUT, "%d samples per pixel; it must be 1 to 16", def->samples);
    return TW_OK;
}

static twStatus fill(Screen* s, const twFilmDef* def, double start, double end, twError* err)
{
    if (def->sound)
    {
        twStatus status = tw_wav_load(&s->sound, def->sound, 0, err);
        if (status != TW_OK) return status;
    }
    const int strip = def->strip ? strip_height(s->skin->trace, s->sound != NULL, def->height) : 0;
    s->stage_height = def->height - strip;
    s->image = (Image){.width = def->width, .height = def->height};
    s->image.rgb = malloc((size_t)def->width * (size_t)def->height * 3);
    if (strip > 0)
        s->strip = strip_create(&(StripDef){.width = def->width,
                                            .height = strip,
                                            .trace = s->skin->trace,
                                            .sound = s->sound,
                                            .start = start,
                                            .end = end});
    if (!s->image.rgb || (strip > 0 && !s->strip)) return tw_fail(err, TW_NO_MEMORY, "no memory for pictures");
    const StageDef stage = {
        .width = def->width, .height = s->stage_height, .samples = def->samples, .arrows = def->arrows};
    return stage_create(&s->stage, s->skin, &stage, err);
}

twStatus screen_create(Screen* out, const twSkin* skin, const twFilmDef* def, double start, double end, twError* err)
{
    *out = (Screen){.skin = skin};
    twStatus status = check(def, err);
    if (status == TW_OK) status = fill(out, def, start, end, err);
    if (status != TW_OK) screen_destroy(out);
    return status;
}

void screen_destroy(Screen* screen)
{
    stage_destroy(screen->stage);
    strip_destroy(screen->strip);
    tw_wav_destroy(screen->sound);
    free(screen->image.rgb);
    *screen = (Screen){0};
}

// what is not true to scale
static void draw_label(Screen* s)
{
    if (s->skin->exaggeration == 1) return;
    char words[64];
    snprintf(words, sizeof words, "vibration x%.10g", s->skin->exaggeration);
    const double size = 0.02 * s->image.height;
    const TextStyle style = {.size = size, .align = 0, .colour = 0x3a4048, .weight = 1};
    image_text(&s->image, 1.5 * size, s->stage_height - 1.5 * size, style, words);
}

void screen_show(Screen* screen, double time, int64_t frame)
{
    stage_show(screen->stage, &screen->image);
    draw_label(screen);
    if (screen->strip) strip_draw(screen->strip, &screen->image, screen->stage_height, time, frame);
}

twStatus tw_still_save(const char* path, const twSkin* skin, int64_t frame, const twFilmDef* def, twError* err)
{
    const twTrace* trace = skin->trace;
    if (frame < 0 || frame >= trace->frame_count)
        return tw_fail(err, TW_BAD_INPUT, "frame %lld; the trace has 0 to %lld", (long long)frame,
                       (long long)trace->frame_count - 1);
    twStatus status = tw_file_check(path, err);
    if (status != TW_OK) return status;
    Screen screen;
    const double rate = trace->frame_rate_hz;
    status = screen_create(&screen, skin, def, 0, (double)trace->frame_count / rate, err);
    if (status != TW_OK) return status;
    stage_draw(screen.stage, frame, frame);
    status = stage_read(screen.stage, err);
    if (status == TW_OK)
    {
        screen_show(&screen, (double)frame / rate, frame);
        status = tw_png_save(path, screen.image.rgb, def->width, def->height, err);
    }
    screen_destroy(&screen);
    return status;
}
