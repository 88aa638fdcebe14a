// SPDX-License-Identifier: MIT
#pragma once
#include "playground.h"

/// @file
/// What a bench of the playground is (internal).

/// What a bench is made of.
typedef struct BenchStart
{
    double rate_hz;
    const twModeSet* const* sets;  ///< as many as it needs
    const double* values;          ///< of its parameters
} BenchStart;

#define BENCH_SETS 2  ///< of a bench at most

typedef struct Bench
{
    const char* name;
    const PlayParameter* parameters;
    int parameter_count;
    int set_count;                                                          ///< mode sets it needs
    double gain;                                                            ///< from what it delivers to full scale
    twStatus (*create)(void** out, const BenchStart* start, twError* err);  ///< on failure *out can be destroyed
    void (*destroy)(void* state);
    void (*set)(void* state, const double* values);  ///< after one of them has changed
    void (*act)(void* state, PlayAction action, const double arguments[PLAY_ARGUMENTS]);
    void (*process)(void* state, double* left, double* right, int frames);  ///< overwrites
    int (*picture)(void* state, float* out, int max);
} Bench;

extern const Bench bench_wineglass, bench_door, bench_wheel;  // rub.c
extern const Bench bench_grab;                                // grab.c
extern const Bench bench_bounce;                              // bounce.c
extern const Bench bench_rod, bench_wire;                     // rod.c, wire.c
extern const Bench bench_strike;                              // strike.c

/// Writes numbers for a picture as far as there is room.
typedef struct Pen
{
    float* out;
    int count, max;
} Pen;
static inline void pen_put(Pen* pen, double value)
{
    if (pen->count < pen->max) pen->out[pen->count++] = (float)value;
}

/// A share of the way from a to b.
static inline double between(double a, double b, double share) { return a + share * (b - a); }
