// SPDX-License-Identifier: MIT
#pragma once
#include "twang/picture.h"

/// @file
/// Encoding by the ffmpeg program, which runs beside and is fed pictures.

typedef struct FfmpegDef
{
    const char* program;  ///< name, searched for in PATH, or path
    const char* path;     ///< of the MP4 file, which is overwritten
    int width, height;    ///< even
    double rate_hz;
    const char* sound;            ///< WAV file, or NULL
    double sound_from, sound_to;  ///< what is taken of it [s]; to <= from: all behind from
    int sound_channels;
} FfmpegDef;

typedef struct Ffmpeg Ffmpeg;

/// Start the program. On failure *out is NULL; *missing tells whether there is no such program.
twStatus ffmpeg_start(Ffmpeg** out, const FfmpegDef* def, bool* missing, twError* err);
/// Hand over a picture, rgb (height x width x 3), top row first. @return TW_IO_ERROR with the program's own last words
twStatus ffmpeg_write(Ffmpeg* ffmpeg, const uint8_t* rgb, twError* err);
/// Wait for the end; the file is whole then. *ffmpeg becomes NULL either way. cpu_seconds: that the program took.
twStatus ffmpeg_finish(Ffmpeg** ffmpeg, double* cpu_seconds, twError* err);
void ffmpeg_abort(Ffmpeg** ffmpeg);  ///< stop it; NULL is fine
