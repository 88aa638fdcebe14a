// SPDX-License-Identifier: MIT
#pragma once
#include "motion.h"
#include "picture/film.h"
#include "scratch.h"
#include "test.h"
#include <dirent.h>

/// @file
/// Films of a thing that jumps, and when it is seen and heard to.

static inline twFilmDef small_def(void)
{
    twFilmDef def = tw_film_def();
    def.width = 192;
    def.height = 128;
    def.samples = 1;
    return def;
}

/// a cube of 10 cm that stands still, then from a frame on is somewhere else
static inline void jumping(Motion* m, double rate_hz, int64_t frames, int64_t jump)
{
    *m = motion(rate_hz, frames);
    motion_shape(m, "polystyrene", "bar:0.1x0.1x0.1", 0.1);
    motion_ready(m);
    for (int64_t f = 0; f < frames; f++) motion_pose(m, f, 0, tw_vec3(f < jump ? 0 : 0.4, 0, 0), tw_quat_identity());
}

static inline void save_click(const char* path, int rate_hz, double seconds, double at)
{
    const int64_t frames = (int64_t)(seconds * rate_hz), place = (int64_t)(at * rate_hz + 0.5);
    float* samples = motion_must(calloc((size_t)frames, sizeof *samples));
    for (int k = 0; k < 12 && place + k < frames; k++)
        samples[place + k] = (float)(k % 2 ? -0.9 : 0.9) * (float)exp(-0.3 * k);
    twWavDef def = tw_wav_def();
    def.rate_hz = rate_hz;
    if (tw_wav_save(path, &def, samples, frames, NULL, NULL) != TW_OK) abort();
    free(samples);
}

/// what a command prints; free() it
static inline uint8_t* output_of(const char* command, size_t* count)
{
    FILE* pipe = popen(command, "r");
    size_t room = 1 << 16;
    uint8_t* bytes = motion_must(malloc(room));
    *count = 0;
    for (size_t got; pipe && (got = fread(bytes + *count, 1, room - *count, pipe)) > 0;)
        if ((*count += got) == room) bytes = motion_must(realloc(bytes, room *= 2));
    if (!pipe || pclose(pipe) != 0) *count = 0;
    return bytes;
}

/// time of the first picture that differs much from the one before; by timestamps [s]
static inline double seen_at(const char* path, const twFilmDef* def, double rate_hz)
{
    char command[2048];
    size_t count, frame = (size_t)def->width * (size_t)def->height;
    snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -vf fps=fps=%g:start_time=0 -f rawvideo -pix_fmt gray -",
             path, rate_hz);
    uint8_t* pixels = output_of(command, &count);
    double at = NAN;
    for (size_t n = 1; n < count / frame && isnan(at); n++)
    {
        double change = 0;
        for (size_t i = 0; i < frame; i++) change += abs(pixels[n * frame + i] - pixels[(n - 1) * frame + i]);
        if (change > 2.0 * (double)frame) at = (double)n / rate_hz;
    }
    free(pixels);
    return at;
}

/// time of the loudest sample, by timestamps [s]
static inline double heard_at(const char* path, double rate_hz)
{
    char command[2048];
    size_t count;
    snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -af aresample=async=1:first_pts=0 -f f32le -ac 1 -",
             path);
    uint8_t* bytes = output_of(command, &count);
    double most = 0, at = NAN;
    for (size_t i = 0; i < count / sizeof(float); i++)
    {
        float value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        if (fabsf(value) <= most) continue;
        most = fabsf(value);
        at = (double)i / rate_hz;
    }
    free(bytes);
    return most > 0.1 ? at : NAN;
}

static inline int files_in(const char* folder)
{
    DIR* d = opendir(folder);
    int count = 0;
    for (struct dirent* e; d && (e = readdir(d));) count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    if (d) closedir(d);
    return count;
}

static inline const char* new_folder(const char* name)
{
    const char* folder = in_folder(name);
    if (tw_make_folder(folder, NULL) != TW_OK) abort();
    return folder;
}
