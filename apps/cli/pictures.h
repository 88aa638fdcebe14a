// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/picture.h"

/// @file
/// Options of commands that make pictures, and what they tell.

/// What the options say; point CliOption's out into it.
typedef struct CliPictures
{
    bool no_video, no_glb, no_still, no_plots, cache;
    bool arrows, strip;
    double exaggerate, frame_rate_hz;
    const char *size, *eye, *target;
} CliPictures;

#define CLI_PICTURE_OPTIONS 12

/// Fill the options of pictures into out (CLI_PICTURE_OPTIONS). @return how many there are
int cli_picture_options(CliOption* out, CliPictures* pictures);
/// Whether the options make sense, to be asked before long work. @return TW_BAD_INPUT naming the option
twStatus cli_picture_check(const CliPictures* pictures, twError* err);

/// What to make pictures of.
typedef struct CliPictureJob
{
    const char* command;  ///< for messages
    const char* trace;
    const char* folder;  ///< NULL: the trace's
    const char* sound;   ///< NULL: the one that the trace names
    bool quiet;          ///< no progress but on a terminal
} CliPictureJob;

/// Make them, with progress; what fails does not keep the others from being made.
twStatus cli_picture_save(twPictureReport* report, const CliPictureJob* job, const CliPictures* pictures, twError* err);
void cli_picture_print(const twPictureReport* report);  ///< a line for each file
