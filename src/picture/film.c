// SPDX-License-Identifier: MIT
// Films: frame n of N is at start + n / rate, and seen until the next. It shows what is there in the middle of that time, so
// that what happens is seen at most half a frame early or late. While a picture is finished and encoded, the driver draws the next one.

#define _POSIX_C_SOURCE 200809L

#include "picture/film.h"

#include "picture/arrow.h"
#include "picture/ffmpeg.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RATE 240.0
#define USUAL_RATE 60.0
#define MAX_FRAMES 1e7  // 4 days at 30 per second

typedef struct Film
{
    const twFilmDef* def;
    const twTrace* trace;
    double start, rate_hz;
    int64_t count;
    Screen screen;
    Ffmpeg* encoder;  // NULL: pictures go to the folder
    twFilmReport report;
} Film;

twFilmDef tw_film_def(void) { return (twFilmDef){.width = 1280, .height = 720, .samples = 4, .encoder = "ffmpeg"}; }

// ---- times ----

static twStatus set_times(Film* film, twError* err)
{
    const twFilmDef* def = film->def;
    const double length = (double)film->trace->frame_count / film->trace->frame_rate_hz;
    const double end = def->end > 0 && def->end < length ? def->end : length;
    if (!(def->start >= 0 && def->start < length))
        return tw_fail(err, TW_BAD_INPUT, "a film from %g s on; the trace has 0 to %g s", def->start, length);
    if (!(def->end == 0 || def->end > def->start))
        return tw_fail(err, TW_BAD_INPUT, "a film from %g s to %g s; it must end after it starts", def->start,
                       def->end);
    film->rate_hz = def->frame_rate_hz;
    if (film->rate_hz == 0) film->rate_hz = fmin(film->trace->frame_rate_hz, USUAL_RATE);
    if (!(film->rate_hz >= 1 && film->rate_hz <= MAX_RATE))
        return tw_fail(err, TW_BAD_INPUT, "a film of %g frames per second; it must be 1 to %g", film->rate_hz,
                       MAX_RATE);
    const double count = fmax(1, ceil((end - def->start) * film->rate_hz - 1e-6));
    if (!(count <= MAX_FRAMES))
        return tw_fail(err, TW_BAD_INPUT, "a film of %g s would have %g frames; it can have %g", end - def->start,
                       count, MAX_FRAMES);
    film->start = def->start;
    film->count = (int64_t)count;
    return TW_OK;
}

static double time_of(const Film* film, int64_t n) { return film->start + (double)n / film->rate_hz; }

// the last frame of the trace up to the middle of the time that a frame is seen
static int64_t frame_at(const Film* film, int64_t n)
{
    const double middle = time_of(film, n) + 0.5 / film->rate_hz;
    const int64_t frame = (int64_t)floor(middle * film->trace->frame_rate_hz + 1e-6);
    return frame < film->trace->frame_count ? frame : film->trace->frame_count - 1;
}

// the frame of the trace with the strongest force of those that begin while a frame is seen: forces are kept until the next
static int64_t forces_at(const Film* film, int64_t n)
{
    const twTrace* trace = film->trace;
    const double rate = trace->frame_rate_hz;
    int64_t best = frame_at(film, n);
    double most = 0;
    for (int64_t f = (int64_t)ceil(time_of(film, n) * rate - 1e-6);
         f < trace->frame_count && (double)f < time_of(film, n + 1) * rate - 1e-6; f++)
    {
        const double force = arrows_strongest(trace, f);
        if (force > most) most = force, best = f;
    }
    return best;
}

static void draw(const Film* film, int64_t n) { stage_draw(film->screen.stage, frame_at(film, n), forces_at(film, n)); }

// ---- where to ----

static twStatus start_encoder(Film* film, const char* path, bool* missing, twError* err)
{
    const twFilmDef* def = film->def;
    const FfmpegDef wish = {.program = def->encoder,
                            .path = path,
                            .width = def->width,
                            .height = def->height,
                            .rate_hz = film->rate_hz,
                            .sound = def->sound,
                            .sound_from = film->start,
                            .sound_to = def->end,
                            .sound_channels = film->screen.sound ? film->screen.sound->channels : 0};
    return ffmpeg_start(&film->encoder, &wish, missing, err);
}

// film.mp4 -> film_frames
static twStatus make_folder(Film* film, const char* path, twError* err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const int stem = dot && dot > (slash ? slash + 1 : path) ? (int)(dot - path) : (int)strlen(path);
    char* out = film->report.folder;
    const int length = snprintf(out, sizeof film->report.folder, "%.*s_frames", stem, path);
    if (length < 0 || (size_t)length >= sizeof film->report.folder)
    {
        out[0] = 0;
        return tw_fail(err, TW_BAD_INPUT, "%s: the name is too long", path);
    }
    return tw_make_folder(out, err);
}

static void frame_name(const Film* film, int64_t n, char* out, size_t bytes)
{
    snprintf(out, bytes, "%s/frame_%06lld.png", film->report.folder, (long long)n);
}

// from the n-th on
static void remove_pictures(const Film* film, int64_t n)
{
    char name[TW_FILM_FOLDER + 64];
    for (;; n++)
    {
        frame_name(film, n, name, sizeof name);
        if (remove(name) != 0) return;
    }
}

// ---- frames ----

static twStatus put_frame(Film* film, int64_t n, twError* err)
{
    const Image* image = &film->screen.image;
    if (film->encoder) return ffmpeg_write(film->encoder, image->rgb, err);
    char name[TW_FILM_FOLDER + 64];
    frame_name(film, n, name, sizeof name);
    return tw_png_save(name, image->rgb, image->width, image->height, err);
}

static twStatus stopped(const Film* film, int64_t n, twError* err)
{
    const twFilmDef* def = film->def;
    if (!def->keep_going || def->keep_going((double)n / (double)film->count, def->context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "interrupted at frame %lld of %lld of the film", (long long)n,
                   (long long)film->count);
}

static twStatus run(Film* film, twError* err)
{
    Stage* stage = film->screen.stage;
    twFilmReport* report = &film->report;
    double begin = tw_seconds();
    draw(film, 0);
    report->draw_seconds = tw_seconds() - begin;
    for (int64_t n = 0; n < film->count; n++)
    {
        twStatus status = stopped(film, n, err);
        if (status != TW_OK) return status;
        begin = tw_seconds();
        stage_wait(stage);
        const double done = tw_seconds();
        status = stage_read(stage, err);
        if (status != TW_OK) return status;
        const double there = tw_seconds();
        if (n + 1 < film->count) draw(film, n + 1);
        const double drawn = tw_seconds();
        screen_show(&film->screen, time_of(film, n), frame_at(film, n));
        const double shown = tw_seconds();
        status = put_frame(film, n, err);
        if (status != TW_OK) return status;
        report->wait_seconds += done - begin;
        report->read_seconds += there - done;
        report->draw_seconds += drawn - there;
        report->show_seconds += shown - drawn;
        report->encode_seconds += tw_seconds() - shown;
        report->frames = n + 1;
    }
    return TW_OK;
}

static twStatus finish(Film* film, twError* err)
{
    const double before = tw_seconds();
    twStatus status = ffmpeg_finish(&film->encoder, &film->report.encoder_cpu_seconds, err);
    film->report.encode_seconds += tw_seconds() - before;
    return status;
}

// ---- film ----

// with an encoder, or why there is none
static twStatus make_encoded(Film* film, const char* path, bool* missing, twError* err)
{
    twFile* file;
    twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    status = start_encoder(film, tw_file_temporary(file), missing, err);
    if (status == TW_OK) status = run(film, err);
    if (status == TW_OK) status = finish(film, err);
    ffmpeg_abort(&film->encoder);
    if (status == TW_OK) return tw_file_commit(&file, err);
    tw_file_abort(&file);
    if (status == TW_IO_ERROR && !*missing && err) tw_fail(err, status, "%s: %s", path, err->text);
    return status;
}

static twStatus make_pictures(Film* film, const char* path, twError* err)
{
    twStatus status = make_folder(film, path, err);
    if (status != TW_OK) return status;
    status = run(film, err);
    if (status != TW_OK)
    {
        remove_pictures(film, 0);
        remove(film->report.folder);  // if it is empty
        film->report.folder[0] = 0;
        return status;
    }
    remove_pictures(film, film->count);  // of a longer film made before
    return tw_fail(err, TW_IO_ERROR,
                   "%s: there is no program %s to encode a film; its %lld pictures are in %s (Debian package ffmpeg)",
                   path, film->def->encoder, (long long)film->count, film->report.folder);
}

static twStatus make(Film* film, const char* path, twError* err)
{
    bool missing = false;
    twStatus status = make_encoded(film, path, &missing, err);
    return missing ? make_pictures(film, path, err) : status;
}

twStatus tw_film_save(const char* path, const twSkin* skin, const twFilmDef* def, twFilmReport* report, twError* err)
{
    Film film = {.def = def, .trace = skin->trace};
    if (report) *report = film.report;
    twStatus status = set_times(&film, err);
    if (status == TW_OK) status = tw_file_check(path, err);
    if (status != TW_OK) return status;
    status = screen_create(&film.screen, skin, def, film.start, time_of(&film, film.count), err);
    if (status != TW_OK) return status;
    const Gl* gl = stage_gl(film.screen.stage);
    film.report.frame_rate_hz = film.rate_hz;
    film.report.samples = gl_samples(gl);
    snprintf(film.report.renderer, sizeof film.report.renderer, "%s", gl_renderer(gl));
    status = make(&film, path, err);
    screen_destroy(&film.screen);
    if (report) *report = film.report;
    return status;
}
