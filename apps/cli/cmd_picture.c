// SPDX-License-Identifier: MIT
// twang picture: recorded motion to film, glTF, caches, stills and plots. Nothing is simulated again.

#include "pictures.h"

static void print_json(const twPictureReport* report)
{
    const struct
    {
        const char *name, *path;
    } files[] = {{"film", report->film},
                 {"still", report->still},
                 {"glb", report->glb},
                 {"caches", report->pc2},
                 {"series", report->series}};
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_integer(&json, "triangles", report->triangles);
    tw_json_number(&json, "exaggeration", report->exaggeration);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path[0]) tw_json_text(&json, files[i].name, files[i].path);
    tw_json_integer(&json, "film_frames", report->film_report.frames);
    tw_json_number(&json, "seconds", report->seconds);
    tw_json_end(&json);
    fputc('\n', stdout);
}

static bool made_any(const twPictureReport* report)
{
    return report->film[0] || report->still[0] || report->glb[0] || report->pc2[0] || report->series[0];
}

static int picture(const CliPictureJob* job, const CliPictures* options, bool json)
{
    twError err;
    twPictureReport report;
    twStatus status = cli_picture_save(&report, job, options, &err);
    if (json && status == TW_OK)
        print_json(&report);
    else
        cli_picture_print(&report);
    if (status == TW_INTERRUPTED && made_any(&report))
        return cli_fail("picture", CLI_INTERRUPTED, "%s; what was finished before is there", err.text);
    return status == TW_OK ? CLI_OK : cli_fail_error("picture", &err);
}

int cmd_picture(int argc, char** argv)
{
    const char *trace = NULL, *folder = NULL, *sound = NULL;
    bool json = false;
    CliPictures pictures = {0};
    CliOption options[4 + CLI_PICTURE_OPTIONS] = {
        {.kind = CLI_ARGUMENT, .name = "TRACE", .out = &trace, .help = "recorded motion (.twtrace)", .required = true},
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "DIR",
         .out = &folder,
         .help = "folder for the files (default: the trace's own)"},
        {.kind = CLI_TEXT,
         .name = "--sound",
         .value = "FILE.wav",
         .out = &sound,
         .help = "heard with the film (default: the one the trace names)"},
        {.kind = CLI_FLAG, .name = "--json", .out = &json, .help = "print what was made as JSON"},
    };
    const int count = 4 + cli_picture_options(options + 4, &pictures);
    const CliUsage usage = {
        "picture", "pictures of recorded motion", options, count,
        "Writes DIR/preview.mp4, DIR/still.png, DIR/scene.glb and DIR/series.png, each whole or not at all.\n"
        "All is at true scale unless --exaggerate 100 asks for more; the files are called scene-x100.glb then.\n"
        "A film needs ffmpeg; without it its frames are left as PNG files.\n"
        "Example: twang picture out/clock-gong/trace.twtrace --strip --fps 60"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    const CliPictureJob job = {"picture", trace, folder, sound, json};
    return picture(&job, &pictures, json);
}
