// SPDX-License-Identifier: MIT
#pragma once
#include "voice.h"

/// @file
/// What the loops of voice_kernel.h work on (internal). Arrays are of the kernel's number, float or double, aligned to 64 bytes.

enum
{
    LOOP_SAMPLES = VOICE_TICK,  ///< of one call at most
    LOOP_ROWS = 8,
    LOOP_STEP = 4,  ///< samples that a state turns by at once: those between have gains of their own
};

typedef struct VoiceLoop
{
    int padded;               ///< modes, a multiple of VOICE_LANES
    void *re, *im;            ///< states (padded)
    void* change;             ///< of the forces on the modes, not yet acting (padded)
    void *cosine, *sine;      ///< what a sample turns by, damping of contacts included (padded)
    void *cosine4, *sine4;    ///< and LOOP_STEP samples
    void *pole_re, *pole_im;  ///< without it (padded)
    void *pole4_re, *pole4_im;
    void *error_re, *error_im;  ///< of the rounded pole, relative (padded)
    void *error4_re, *error4_im;
    void *lambda_re, *lambda_im;  ///< -c and w, per sample (padded)
    void* table;                  ///< -(c + iw)/w0^2 e^{(-c + iw) k/VOICE_PARTS} (VOICE_PARTS + 1 x 2 x padded)
    const void* gain[LOOP_ROWS];  ///< (rows) of re, then of im, for each sample of a step (LOOP_STEP x 2 x padded)
    double out[LOOP_ROWS][LOOP_SAMPLES];
} VoiceLoop;

typedef struct VoiceKernel
{
    void (*ring)(VoiceLoop* loop, int samples, int rows);
    void (*push)(const VoiceLoop* loop, const float* shape, void* old, const double force[3]);
    void (*change)(const VoiceLoop* loop, double tau);
    void (*expand)(const VoiceLoop* loop, void* gain);  ///< gains of a step from those of its first sample
    void (*damp)(const VoiceLoop* loop, const float* extra, double step);
    double (*rest)(const VoiceLoop* loop, int samples, int steps, double faint);
    size_t bytes;  ///< of a number
} VoiceKernel;
extern const VoiceKernel voice_float_generic, voice_float_avx2, voice_float_avx512;
extern const VoiceKernel voice_double_generic, voice_double_avx2, voice_double_avx512;

/// A variant by name, NULL if this machine cannot run it; without a name the fastest.
const VoiceKernel* voice_kernel(twPrecision precision, const char* name);
