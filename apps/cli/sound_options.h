// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/listen.h"

/// @file
/// Options of 'twang sound' (internal): who listens, and what is changed about the bodies.

#define SOUND_OPTIONS 22

/// What the command line says, and what is made of it.
typedef struct SoundOptions
{
    const char *trace, *folder, *hrtf, *contact_damping, *level, *tail;
    CliList listeners, dampings, gains;
    bool full_damping, no_clicks, no_board, air_absorption, no_ground, no_picture, json;
    int redistribute, format, threads;
    double rate_hz, max_freq_hz, highpass_hz;

    twSceneEar ears[CLI_LIST_MAX + 1];
    char names[CLI_LIST_MAX + 1][64];  ///< of the ears
    twListenBody bodies[2 * CLI_LIST_MAX + 1];
    char body_names[2 * CLI_LIST_MAX + 1][TW_TRACE_NAME];
    twListenDef def;
    twListenFiles files;
} SoundOptions;

/// The table; out has room for SOUND_OPTIONS. @return how many
int sound_options(CliOption* out, SoundOptions* o);
/// What was said as a def, files and their parts, which point into o. @return TW_BAD_INPUT naming the option
twStatus sound_parse(SoundOptions* o, twError* err);
