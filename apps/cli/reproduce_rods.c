// SPDX-License-Identifier: MIT
// twang reproduce rods: Schweickart, James and Marschner 2017, "Animating elastic rods with sound": pitch, dipoles,
// dispersion, its comparisons, its table of computing times (Fig. 7), its figures 8 and 9 from our own runs.

#include "reproduce_rods.h"
#include "twang/media.h"
#include <stdlib.h>

// ---- time ----

typedef struct Example
{
    const char *name, *scene;
    double theirs;   // seconds per second of sound, 8 cores
    double seconds;  // of sound to run
    double drawn;    // of sound to run if its picture is wanted
} Example;

static const Example examples[] = {
    {"Rectangular Rod", "rectangular-rod", 10, 0.5, 1.5}, {"Clock Gong", "clock-gong", 144, 0.25, 1},
    {"Rubber Band", "rubber-band", 12, 0.5, 1},           {"Guy Wire", "guy-wire", 1000, 0.05, 0.2},
    {"Slinky Dispersion", "slinky", 3098, 0.02, 0.15},
};

static twStatus draw(const RodSound* sound, const Example* example, const char* folder, twError* err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rods-%s.png", folder, example->scene);
    float* samples = malloc((size_t)sound->count * sizeof *samples);
    if (!samples) return tw_fail(err, TW_NO_MEMORY, "no memory for a picture");
    for (int i = 0; i < sound->count; i++) samples[i] = (float)sound->samples[i];
    twSpectrogramDef def = tw_spectrogram_def();
    def.title = example->name;
    twStatus status = tw_spectrogram_save(path, &def, samples, sound->count, 1, sound->rate_hz, err);
    free(samples);
    return status;
}

static twStatus time_example(CliReport* report, const Example* example, twError* err)
{
    twScene* scene;
    RodSound sound = {0};
    twStatus status = built_in_scene(&scene, example->scene, err);
    if (status != TW_OK) return status;
    status = hear(&sound, scene, report->folder ? example->drawn : example->seconds, err);
    const int points = scene->rods[0].def.point_count;
    tw_scene_destroy(scene);
    if (status != TW_OK) return status;
    const double ours = sound.cpu_seconds / sound.count * sound.rate_hz;
    cli_report_info(report, example->theirs, ours,
                    "%s, %d points [s] | %.0f times faster, %.0f ns per point and step, %.0f %% motion", example->name,
                    points, example->theirs / ours, 1e9 * sound.cpu_seconds / sound.count / points,
                    100 * sound.motion_share);
    if (report->folder) status = draw(&sound, example, report->folder, err);
    rod_sound_free(&sound);
    return status;
}

twStatus rods_speed(CliReport* report, twError* err)
{
    twStatus status = TW_OK;
    cli_report_heading(report,
                       "Fig. 7: computing time per second of sound, theirs on 8 cores, ours on one (for information)");
    for (size_t i = 0; i < sizeof examples / sizeof examples[0] && status == TW_OK; i++)
        status = time_example(report, &examples[i], err);
    return status;
}

// ---- the whole ----

twStatus reproduce_rods(CliReport* report, twError* err)
{
    CliProgress progress = cli_progress("rods");
    twStatus status = rods_parameters(report, err);
    if (status == TW_OK) status = rods_sections(report, err);
    cli_progress_update(&progress, 0.02);
    if (status == TW_OK) status = rods_pitch(report, err);
    cli_progress_update(&progress, 0.3);
    if (status == TW_OK) status = rods_dipoles(report, err);
    cli_progress_update(&progress, 0.4);
    if (status == TW_OK && !report->quick) status = rods_dispersion(report, err);
    cli_progress_update(&progress, 0.6);
    if (status == TW_OK && !report->quick) status = rods_speed(report, err);
    if (report->quick)
        cli_report_skip(report, "dispersion of the guy wire, computing times of Fig. 7, bars of more points");
    if (status == TW_OK && report->folder) status = rods_spectra(report->folder, err);
    cli_progress_end(&progress);
    return status;
}
