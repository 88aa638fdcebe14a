// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/contact.h"

/// @file
/// The impact command's picture: what is kept of a run, and how it is drawn.

#define TRACE_POINTS 8192

/// Evenly spaced samples of a run of any length: when full, every other one goes and the spacing doubles.
typedef struct Trace
{
    int64_t spacing;
    int count;
    double t[TRACE_POINTS];        ///< [s]
    double x[TRACE_POINTS];        ///< compression [m]
    double v[TRACE_POINTS];        ///< [m/s]
    double f[TRACE_POINTS];        ///< [N]
    double h[TRACE_POINTS];        ///< total energy [J]
    double kinetic[TRACE_POINTS];  ///< [J]
    double elastic[TRACE_POINTS];  ///< [J]
} Trace;

double sample_force(const twWall* wall);             ///< force at this sample [N]
void trace_add(Trace* trace, const twWallRun* run);  ///< start from all zeros

/// Draw phase portrait, force, energy, and with bouncing the height. contact holds the first contact, all the whole run.
twStatus impact_plot(const char* path, const twWallRun* run, const Trace* contact, const Trace* all, bool bouncing,
                     twError* err);
