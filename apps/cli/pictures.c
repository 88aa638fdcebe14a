// SPDX-License-Identifier: MIT
// Options of commands that make pictures, and what they tell.
#define _POSIX_C_SOURCE 200809L

#include "pictures.h"
#include <string.h>
#include <unistd.h>

int cli_picture_options(CliOption* out, CliPictures* p)
{
    const CliOption options[] = {
        {.kind = CLI_FLAG, .name = "--no-video", .out = &p->no_video, .help = "make no film"},
        {.kind = CLI_FLAG, .name = "--no-glb", .out = &p->no_glb, .help = "write no glTF file"},
        {.kind = CLI_FLAG, .name = "--no-still", .out = &p->no_still, .help = "draw no still picture"},
        {.kind = CLI_FLAG, .name = "--no-plots", .out = &p->no_plots, .help = "plot nothing over time"},
        {.kind = CLI_FLAG, .name = "--pc2", .out = &p->cache, .help = "write vertex caches for Blender too"},
        {.kind = CLI_FLAG, .name = "--arrows", .out = &p->arrows, .help = "show forces as arrows"},
        {.kind = CLI_FLAG, .name = "--strip", .out = &p->strip, .help = "show waveform and quantities below"},
        {.kind = CLI_NUMBER,
         .name = "--exaggerate",
         .value = "FACTOR",
         .out = &p->exaggerate,
         .help = "show vibration so many times as large; film and file names say so",
         .low = 0,
         .high = TW_MAX_EXAGGERATION,
         .above = true},
        {.kind = CLI_NUMBER,
         .name = "--fps",
         .value = "RATE",
         .out = &p->frame_rate_hz,
         .help = "frames per second of the film",
         .low = 1,
         .high = 240},
        {.kind = CLI_TEXT, .name = "--size", .value = "WxH", .out = &p->size, .help = "of the film [pixels]"},
        {.kind = CLI_TEXT, .name = "--eye", .value = "X,Y,Z", .out = &p->eye, .help = "where the camera is"},
        {.kind = CLI_TEXT, .name = "--target", .value = "X,Y,Z", .out = &p->target, .help = "where it looks"},
    };
    _Static_assert(sizeof options / sizeof *options == CLI_PICTURE_OPTIONS, "the count that callers make room for");
    p->exaggerate = 1;
    p->frame_rate_hz = 30;
    p->size = "1280x720";
    memcpy(out, options, sizeof options);
    return CLI_PICTURE_OPTIONS;
}

static bool film_side(int pixels)
{
    return pixels >= TW_FILM_MIN_SIDE && pixels <= TW_FILM_MAX_SIDE && pixels % 2 == 0;
}

static twStatus parse_size(const char* text, int* width, int* height, twError* err)
{
    int end = 0;
    const bool good = sscanf(text, "%5dx%5d%n", width, height, &end) == 2 && text[end] == 0 && film_side(*width) &&
                      film_side(*height);
    if (good) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "--size '%s' must be WIDTHxHEIGHT, such as 1280x720: even, %d to %d", text,
                   TW_FILM_MIN_SIDE, TW_FILM_MAX_SIDE);
}

static twStatus picture_def(twPictureDef* out, const CliPictures* p, twError* err)
{
    *out = tw_picture_def();
    if (p->no_video) out->wanted &= ~(unsigned)TW_PICTURE_FILM;
    if (p->no_glb) out->wanted &= ~(unsigned)TW_PICTURE_GLB;
    if (p->no_still) out->wanted &= ~(unsigned)TW_PICTURE_STILL;
    if (p->no_plots) out->wanted &= ~(unsigned)TW_PICTURE_SERIES;
    if (p->cache) out->wanted |= TW_PICTURE_PC2;
    out->skin.exaggeration = p->exaggerate;
    out->film.frame_rate_hz = p->frame_rate_hz;
    out->film.arrows = p->arrows;
    out->film.strip = p->strip;
    return parse_size(p->size, &out->film.width, &out->film.height, err);
}

static twStatus parse_place(const char* option, const char* text, twVec3* out, twError* err)
{
    double x[3];
    const char* at = text;
    for (int k = 0; k < 3; k++)
    {
        char part[64];
        const size_t length = strcspn(at, ",");
        const bool last = at[length] == 0;
        snprintf(part, sizeof part, "%.*s", (int)(length < 63 ? length : 63), at);
        if (last != (k == 2) || cli_parse_number(part, &x[k]))
            return tw_fail(err, TW_BAD_INPUT, "%s '%s' must be X,Y,Z in metres, such as 0.5,-1,0.3", option, text);
        at += length + !last;
    }
    *out = tw_vec3(x[0], x[1], x[2]);
    return TW_OK;
}

static twStatus camera_of(twTraceCamera* out, const CliPictures* p, twError* err)
{
    *out = (twTraceCamera){.view_angle = 0.6};
    if (!p->eye && !p->target) return TW_OK;
    if (!p->eye || !p->target)
        return tw_fail(err, TW_BAD_INPUT, "%s needs %s too", p->eye ? "--eye" : "--target",
                       p->eye ? "--target" : "--eye");
    twStatus status = parse_place("--eye", p->eye, &out->eye, err);
    if (status == TW_OK) status = parse_place("--target", p->target, &out->target, err);
    const twVec3 way = tw_vec3_sub(out->target, out->eye);
    if (status == TW_OK && !(tw_vec3_norm(way) > 0))
        status = tw_fail(err, TW_BAD_INPUT, "--eye and --target are the same place");
    out->given = true;
    return status;
}

twStatus cli_picture_check(const CliPictures* pictures, twError* err)
{
    twPictureDef def;
    twTraceCamera camera;
    twStatus status = picture_def(&def, pictures, err);
    return status == TW_OK ? camera_of(&camera, pictures, err) : status;
}

// ---- making them ----

typedef struct Watch
{
    CliProgress progress;
    const char* stage;
} Watch;

static bool keep_going(const char* stage, double done, void* context)
{
    Watch* watch = context;
    if (stage != watch->stage) cli_progress_stage(&watch->progress, watch->stage = stage);
    cli_progress_update(&watch->progress, done);
    return !cli_interrupted();
}

// the sound to go with the film: the one asked for, or the one beside the trace if it is there
static twStatus find_sound(const char** out, char* path, size_t bytes, const CliPictureJob* job, const twTrace* trace,
                           twError* err)
{
    *out = job->sound;
    if (job->sound)
        return access(job->sound, R_OK) == 0 ? TW_OK
                                             : tw_fail(err, TW_BAD_INPUT, "--sound: cannot read %s", job->sound);
    tw_picture_sound(path, bytes, trace, job->trace);
    if (path[0] == 0) return TW_OK;
    if (access(path, R_OK) == 0)
        *out = path;
    else
        fprintf(stderr, "%s%s: the sound %s is not there; the film will be silent (--sound FILE)\n", cli_prefix,
                job->command, path);
    return TW_OK;
}

static void folder_of(const char* path, char* out, size_t bytes)
{
    const char* slash = strrchr(path, '/');
    if (slash)
        snprintf(out, bytes, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(out, bytes, ".");
}

twStatus cli_picture_save(twPictureReport* report, const CliPictureJob* job, const CliPictures* pictures, twError* err)
{
    twTrace* trace;
    twPictureDef def;
    twTraceCamera camera;
    char beside[1024], sound[1024];
    *report = (twPictureReport){0};
    twStatus status = picture_def(&def, pictures, err);
    if (status == TW_OK) status = camera_of(&camera, pictures, err);
    if (status == TW_OK) status = tw_trace_load(&trace, job->trace, err);
    if (status != TW_OK) return status;
    if (camera.given) trace->camera = camera;
    if (!trace->complete)
        fprintf(stderr, "%s%s: %s is unfinished; these are pictures of its first %lld frame(s)\n", cli_prefix,
                job->command, job->trace, (long long)trace->frame_count);
    folder_of(job->trace, beside, sizeof beside);
    def.folder = job->folder ? job->folder : beside;
    status = find_sound(&def.film.sound, sound, sizeof sound, job, trace, err);
    if (status == TW_OK)
    {
        Watch watch = {.progress = cli_progress("looking")};
        watch.progress.quiet = job->quiet;
        def.keep_going = keep_going;
        def.context = &watch;
        status = tw_picture_save(trace, &def, report, err);
        cli_progress_end(&watch.progress);
    }
    tw_trace_destroy(trace);
    return status;
}

void cli_picture_print(const twPictureReport* report)
{
    if (report->film[0])
    {
        const twFilmReport* film = &report->film_report;
        printf("film     %s  (%lld frames, %g per second)\n", report->film, (long long)film->frames,
               film->frame_rate_hz);
    }
    if (report->still[0]) printf("still    %s\n", report->still);
    if (report->glb[0]) printf("glTF     %s\n", report->glb);
    if (report->pc2[0]) printf("caches   %s/\n", report->pc2);
    if (report->series[0]) printf("plot     %s\n", report->series);
    if (report->exaggeration != 1) printf("         vibration is shown %g times as large\n", report->exaggeration);
}
