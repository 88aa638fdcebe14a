// SPDX-License-Identifier: MIT
// What is heard of a trace, as files. The level of a sound is known at its end, so samples wait in a file without a name; a second
// pass scales them. Memory is that of one piece, but for spectrograms, which are made of up to PICTURE_SECONDS.
#define _POSIX_C_SOURCE 200809L

#include "render.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4096
#define PICTURE_SECONDS 300

typedef struct Waiting
{
    FILE* file;
    twMeter* meter;
    twWavWriter* writer;
} Waiting;

typedef struct Saving
{
    const twListenDef* def;
    const twListenFiles* files;
    twListenFile* out;
    twListenReport* report;
    Waiting* ears;
    char title[300];
} Saving;

twListenFiles tw_listen_files(void)
{
    return (twListenFiles){
        .folder = ".", .format = TW_WAV_FLOAT, .level = TW_LEVEL_GAIN, .level_value = 1 / TW_FULL_SCALE_PA};
}

// ---- waiting ----

// in the output's folder: others may be memory
static FILE* open_unnamed(const char* folder)
{
    char path[400];
    snprintf(path, sizeof path, "%s/.sound-XXXXXX", folder);
    const int fd = mkstemp(path);
    if (fd < 0) return NULL;
    unlink(path);
    FILE* file = fdopen(fd, "w+b");
    if (!file) close(fd);
    return file;
}

static twStatus open_all(Saving* s, twError* err)
{
    s->ears = calloc((size_t)s->def->ear_count + 1, sizeof *s->ears);
    if (!s->ears) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int i = 0; i < s->def->ear_count; i++)
    {
        s->out[i].channels = tw_ear_channels(s->def->ears[i].def.kind);
        s->ears[i].meter = tw_meter_create(s->out[i].channels, s->def->sound.rate_hz);
        s->ears[i].file = open_unnamed(s->files->folder);
        if (!s->ears[i].meter) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
        if (!s->ears[i].file) return tw_fail(err, TW_IO_ERROR, "cannot write a file in %s", s->files->folder);
    }
    return TW_OK;
}

static twStatus full(const Saving* s, twError* err)
{
    return tw_fail(err, TW_IO_ERROR, "cannot write the sound in %s: the disk may be full", s->files->folder);
}

static twStatus take(const float* const* sounds, int frames, void* context, twError* err)
{
    Saving* s = context;
    twStatus status = TW_OK;
    for (int i = 0; i < s->def->ear_count && status == TW_OK; i++)
    {
        const size_t count = (size_t)frames * (size_t)s->out[i].channels;
        status = tw_meter_process(s->ears[i].meter, sounds[i], frames, err);
        if (status == TW_OK && fwrite(sounds[i], sizeof(float), count, s->ears[i].file) != count) status = full(s, err);
    }
    return status;
}

// ---- level ----

// one gain, which the loudest ear sets; 0 if none hears anything
static double saving_gain(const Saving* s)
{
    double least = INFINITY;
    for (int i = 0; i < s->def->ear_count; i++)
    {
        const double gain = render_gain(s->ears[i].meter, s->files->level, s->files->level_value, RENDER_HEARD);
        if (gain != 0) least = fmin(least, gain);
    }
    return isfinite(least) ? least : 0;
}

static twStatus saving_set_gains(const Saving* s, twError* err)
{
    const double gain = saving_gain(s);
    for (int i = 0; i < s->def->ear_count; i++)
    {
        twListenFile* out = &s->out[i];
        out->peak = tw_meter_level(s->ears[i].meter).peak;
        out->gain = gain;
        if (s->files->format != TW_WAV_FLOAT && out->gain * out->peak > 1)
            return tw_fail(err, TW_BAD_INPUT,
                           "'%s' peaks at %.1f dB above full scale; write floats, or take a lower gain or a peak level",
                           s->def->ears[i].name, 20 * log10(out->gain * out->peak));
    }
    return TW_OK;
}

// ---- files ----

static twStatus open_wav(Saving* s, int ear, twError* err)
{
    twListenFile* out = &s->out[ear];
    char comment[200];
    render_comment(comment, sizeof comment, out->gain, "Pa");
    twWavDef def = tw_wav_def();
    def.rate_hz = (int)s->def->sound.rate_hz;
    def.channels = out->channels;
    def.format = s->files->format;
    def.comment = comment;
    return tw_wav_create(&s->ears[ear].writer, out->wav, &def, err);
}

// one for a spectrogram: the first of AmbiX, which hears all directions, or the mean
static float for_picture(const float* frame, int channels)
{
    float sum = 0;
    if (channels > 2) return frame[0];
    for (int c = 0; c < channels; c++) sum += frame[c];
    return sum / (float)channels;
}

// picture (frames of it, may be NULL) gets the samples as well
static twStatus scale(Saving* s, int ear, float* picture, int64_t pictured, twError* err)
{
    Waiting* w = &s->ears[ear];
    twListenFile* out = &s->out[ear];
    const size_t channels = (size_t)out->channels;
    float* piece = malloc(PIECE * channels * sizeof *piece);
    twMeter* meter = tw_meter_create(out->channels, s->def->sound.rate_hz);
    twStatus status = piece && meter ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    if (status == TW_OK && (fflush(w->file) != 0 || fseek(w->file, 0, SEEK_SET) != 0)) status = full(s, err);
    int64_t at = 0;
    while (status == TW_OK && at < s->report->sound.frames)
    {
        const int64_t left = s->report->sound.frames - at, n = left < PIECE ? left : PIECE;
        const size_t count = (size_t)n * channels;
        if (fread(piece, sizeof *piece, count, w->file) != count) status = full(s, err);
        for (size_t i = 0; i < count && status == TW_OK; i++) piece[i] = (float)(out->gain * (double)piece[i]);
        if (status == TW_OK) status = tw_meter_process(meter, piece, n, err);
        if (status == TW_OK) status = tw_wav_write(w->writer, piece, n, err);
        for (int64_t i = 0; i < n && picture && at + i < pictured; i++)
            picture[at + i] = for_picture(piece + (size_t)i * channels, out->channels);
        at += n;
    }
    if (status == TW_OK) out->level = tw_meter_level(meter);
    tw_meter_destroy(meter);
    free(piece);
    return status;
}

static twStatus draw(const Saving* s, int ear, const float* samples, int64_t frames, twError* err)
{
    char title[200];
    snprintf(title, sizeof title, "%.90s%s%.90s", s->title, s->title[0] ? " - " : "", s->def->ears[ear].name);
    twSpectrogramDef def = tw_spectrogram_def();
    def.title = title;
    return tw_spectrogram_save(s->out[ear].png, &def, samples, frames, 1, s->def->sound.rate_hz, err);
}

static twStatus write_ear(Saving* s, int ear, twError* err)
{
    const int64_t frames = s->report->sound.frames;
    const bool drawn = s->out[ear].png[0] && frames > 0;
    float* picture = drawn ? malloc((size_t)frames * sizeof *picture) : NULL;
    if (drawn && !picture) return tw_fail(err, TW_NO_MEMORY, "no memory for a spectrogram");
    twStatus status = open_wav(s, ear, err);
    if (status == TW_OK) status = scale(s, ear, picture, frames, err);
    if (status == TW_OK && drawn) status = draw(s, ear, picture, frames, err);
    if (!drawn) s->out[ear].png[0] = 0;
    free(picture);
    return status;
}

static void name_files(Saving* s)
{
    const bool drawn =
        !s->files->no_picture && (double)s->report->sound.frames <= PICTURE_SECONDS * s->def->sound.rate_hz;
    if (!s->files->no_picture && !drawn && !s->report->note[0])
        snprintf(s->report->note, sizeof s->report->note, "no spectrograms: they are made of up to %d s",
                 PICTURE_SECONDS);
    for (int i = 0; i < s->def->ear_count; i++)
    {
        twListenFile* out = &s->out[i];
        const char *folder = s->files->folder, *name = s->def->ears[i].name;
        snprintf(out->wav, sizeof out->wav, "%s/%s.wav", folder, name);
        if (drawn) snprintf(out->png, sizeof out->png, "%s/%s-spectrogram.png", folder, name);
    }
}

static bool may_go_on(const Saving* s) { return !s->def->keep_going || s->def->keep_going(1, s->def->context); }

static twStatus write_all(Saving* s, twError* err)
{
    name_files(s);
    twStatus status = saving_set_gains(s, err);
    for (int i = 0; i < s->def->ear_count && status == TW_OK; i++) status = write_ear(s, i, err);
    if (status == TW_OK && !may_go_on(s)) status = tw_fail(err, TW_INTERRUPTED, "interrupted");
    for (int i = 0; i < s->def->ear_count && status == TW_OK; i++)
        status = tw_wav_commit(&s->ears[i].writer, NULL, err);
    for (int i = 0; i < s->def->ear_count && status != TW_OK; i++)
        if (s->out[i].png[0]) unlink(s->out[i].png);
    return status;
}

static void free_all(Saving* s)
{
    for (int i = 0; s->ears && i < s->def->ear_count; i++)
    {
        tw_wav_abort(&s->ears[i].writer);
        tw_meter_destroy(s->ears[i].meter);
        if (s->ears[i].file) fclose(s->ears[i].file);
    }
    free(s->ears);
}

twStatus tw_listen_save(const twListenDef* def, const twListenFiles* files, twListenFile* out, twListenReport* report,
                        twError* err)
{
    Saving s = {.def = def, .files = files, .out = out, .report = report};
    struct stat info;
    memset(out, 0, (size_t)def->ear_count * sizeof *out);
    if (strlen(files->folder) > 300) return tw_fail(err, TW_BAD_INPUT, "the output folder's name is too long");
    const bool new_folder = stat(files->folder, &info) != 0;
    twStatus status = tw_make_folder(files->folder, err);
    if (status == TW_OK) status = open_all(&s, err);
    if (status == TW_OK) status = tw_listen(def, take, &s, report, err);
    if (status == TW_OK) status = write_all(&s, err);
    free_all(&s);
    if (status != TW_OK && new_folder) rmdir(files->folder);
    return status;
}
