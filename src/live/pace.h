// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// How sound goes through the steps of a simulation that has a clock of its own (internal).
///
/// Forces are quadratic B-splines over the steps: between the ends of two steps u goes from 0 to 1, and of three steps in a row
///
///     F = (1-u)^2/2 F_a + (1/2 + u (1-u)) F_b + u^2/2 F_c
///
/// so a step is needed when the one before it begins to sound. If it is not there, u slows down before 1 and waits: forces are held,
/// which is silent. If more steps wait than needed, for a while, u goes faster. Modes ring by the clock of the sound in any case, so
/// that pitch is not touched.

typedef struct Pace
{
    // constant
    double per_sample;  ///< steps in a sample
    int allowed;        ///< steps that may wait at the worst time of a window, without haste
    int most;           ///< steps that may wait at all
    int window;         ///< [samples]
    // state
    int wait;  ///< before the first step is taken [samples]
    double u, velocity;
    double speed;     ///< wanted: 1, or more
    int left, least;  ///< of the window [samples]; fewest steps that waited in it
} Pace;

/// block: samples that are made at once.
Pace pace_make(double rate_hz, double step, int block);
/// Samples until the next step is to be taken, room at most: the weights of F_a, F_b, F_c for each. more: a step is waiting.
int pace_run(Pace* pace, int room, bool more, float (*weight)[3]);
bool pace_due(const Pace* pace);     ///< a step is to be taken
bool pace_slowed(const Pace* pace);  ///< it waits for steps
/// The step is taken. @return how long ago it was due [samples]
double pace_take(Pace* pace);
/// So many steps wait after some samples.
void pace_watch(Pace* pace, int samples, int waiting);
