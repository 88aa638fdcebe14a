// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Playground: things to rub, strike, drag and listen to, behind one small interface. The page compiles it to WebAssembly and runs
/// it in an audio worklet; the program `playground` compiles it natively and renders the same controls, to compare.
///
///     Play* play;
///     play_create(&play, "wineglass", 48000, NULL, 0, NULL, &err);
///     play_act(play, PLAY_DOWN, (double[]){0.6, 0.5}, 2);   // x, y of a pointer
///     play_process(play, left, right, 128);
///
/// After creation nothing allocates, locks, prints or fails. Docs: docs/web.md.

#define PLAY_BLOCK 128      ///< samples of a block at most
#define PLAY_ARGUMENTS 8    ///< numbers of an action at most
#define PLAY_PARAMETERS 16  ///< of a bench at most
#define PLAY_CEILING 0.7    ///< samples never exceed this

typedef struct Play Play;

/// A slider.
typedef struct PlayParameter
{
    const char* name;   ///< in addresses and scripts
    const char* label;  ///< what it does to the sound
    const char* hint;   ///< what it is
    const char* unit;
    double low, high, start;
    bool log;      ///< even steps of the slider are even ratios
    bool rebuild;  ///< takes a new bench to change
} PlayParameter;

/// What hands do. Which numbers an action takes is told by each bench.
typedef enum PlayAction
{
    PLAY_DOWN,  ///< a hand touches
    PLAY_MOVE,
    PLAY_UP,
    PLAY_HIT,
    PLAY_RESET,
} PlayAction;

int play_bench_count(void);
const char* play_bench_name(int bench);
const PlayParameter* play_bench_parameters(int bench, int* count);

/// A bench by its name. model: bytes of the .twmodes files that the bench needs, one after the other, or NULL; they must outlive
/// the bench and begin at a multiple of 8.
/// values (parameters of the bench; NULL: where sliders start) are clamped into their ranges. On failure *out is NULL.
twStatus play_create(Play** out, const char* bench, double rate_hz, const void* model, size_t model_bytes,
                     const double* values, twError* err);
void play_destroy(Play* play);  ///< NULL is fine

// All below is real-time safe.

/// Move a slider. Values are clamped into their range; what is not a number is ignored.
void play_set(Play* play, int parameter, double value);
void play_act(Play* play, PlayAction action, const double* arguments, int count);
/// The next samples, in [-1, 1]; at most PLAY_BLOCK.
void play_process(Play* play, float* left, float* right, int frames);
/// What there is to draw, as numbers; each bench tells which. @return how many, at most max
int play_picture(Play* play, float* out, int max);
/// Samples that were not finite and were taken as 0, since creation.
long play_bad_samples(const Play* play);
