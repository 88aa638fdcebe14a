// SPDX-License-Identifier: MIT
// A scene rendered from a program: all of `twang render` but the film, with the whole library (twang_host) and its dependencies.
//   cc scene.c $(pkg-config --cflags --libs twang_host) -o scene && ./scene
#include "twang/render.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "title: From a program\n"
                           "duration: 1\n"
                           "objects:\n"
                           "  bell: {series: {kind: bar, freq: 440, count: 8}, material: steel}\n"
                           "  hammer: {mass: 0.02}\n"
                           "interactions:\n"
                           "  - {between: [hammer, bell], impact: {}}\n"
                           "strikes: [{with: hammer, velocity: 1, every: 0.25}]\n";

static bool keep_going(double done, void* context)
{
    (void)context;
    return done <= 1;  // false would end it, with TW_INTERRUPTED and no files
}

int main(void)
{
    twError err;
    twScene* scene;
    if (tw_scene_parse(&scene, "bell", text, strlen(text), &err) != TW_OK)
        return fprintf(stderr, "%s\n", err.text), 2;  // with line, column and a mark under the place
    twRenderDef def = {.folder = "scene-out", .keep_going = keep_going};
    twRenderReport report;
    const twStatus status = tw_render(scene, &def, &report, &err);
    if (status != TW_OK)
        fprintf(stderr, "%s\n", err.text);
    else
    {
        printf("%s: peak %.1f dBFS, %.1f LUFS\n", report.outputs[0].wav, 20 * log10(report.outputs[0].level.peak),
               report.outputs[0].level.loudness_lufs);
        tw_render_report_free(&report);
    }
    tw_scene_destroy(scene);
    return status != TW_OK;
}
