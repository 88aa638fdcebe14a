// SPDX-License-Identifier: MIT
#pragma once
#include "reproduce_contact.h"

/// @file
/// The parts of `twang reproduce rod-contact`: worlds with rods that are heard step by step; one function per group of rows.

/// What was heard and seen of a world with rods.
typedef struct RodContactRun
{
    double seconds;        ///< simulated
    double cpu_seconds;    ///< spent
    double part[3];        ///< of these on motion, contact, sound; together 1
    double contacts;       ///< of rods, per step
    double contact_ns;     ///< per contact and step
    int points, count;     ///< of rods; of samples
    double rate_hz;        ///< of steps and samples
    double* samples;       ///< pressure at a listener (count) [Pa]
    twWorldStats stats;    ///< at the end
    twWorldEnergy energy;  ///< at the end
} RodContactRun;

/// What part of the progress a run is.
typedef struct RodContactProgress
{
    CliProgress* progress;
    double from, to;
} RodContactProgress;

/// Let the world of a scene run, from its start on, and hear its rods over hard ground. progress: NULL is fine
/// @return TW_BAD_INPUT if it has no rods; TW_INTERRUPTED, TW_NO_MEMORY
twStatus rod_contact_run(RodContactRun* out, const ContactScene* scene, double seconds, RodContactProgress* progress,
                         twError* err);
void rod_contact_run_free(RodContactRun* run);  ///< zeroed is fine

/// How loud a sound is over time: rms of windows of 10 ms [dB re the loudest of them].
typedef struct RodContactLevel
{
    int count, impact;     ///< the loudest window
    double *time, *level;  ///< middle of each window [s] (count)
} RodContactLevel;
twStatus rod_contact_level(RodContactLevel* out, const RodContactRun* run, twError* err);
void rod_contact_level_free(RodContactLevel* level);  ///< zeroed is fine

// ---- groups of rows ----

twStatus rod_contact_times(CliReport* report, CliProgress* progress, twError* err);  ///< Fig. 7, four fifths of it
twStatus rod_contact_rest(CliReport* report, twError* err);                          ///< Fig. 5
