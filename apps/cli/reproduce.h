// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

/// @file
/// The parts of `twang reproduce`: what each compares, how it is told, and what is kept of a run that was interrupted.

typedef struct ReproducePart
{
    const char *name, *source, *title;  ///< "impact", "Papetti et al. 2009", what it compares
    CliReproduce run;
    CliReport report;
    double seconds;   ///< it took
    bool done, kept;  ///< kept: from an earlier run of this very program
} ReproducePart;

// ---- telling (reproduce_tell.c) ----

void reproduce_print(const ReproducePart* parts, int count);             ///< a table on stdout
void reproduce_json(const ReproducePart* parts, int count, bool quick);  ///< one object on stdout
twStatus reproduce_markdown(const char* path, const ReproducePart* parts, int count, bool quick, twError* err);

// ---- keeping (reproduce_keep.c) ----

/// Keep the rows of a part in the user's cache. What cannot be kept is not: no failure.
void reproduce_keep(const ReproducePart* part, bool quick);
/// Get them back, if they are there and were made by this very program. @return whether they are
bool reproduce_recall(ReproducePart* part, bool quick);
