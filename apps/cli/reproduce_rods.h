// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/scene.h"

/// @file
/// The parts of `twang reproduce rods`: theory, rendering, measuring; one function per group of rows.

// ---- theory of bars ----

/// The aluminium bar of Schweickart et al. 2017 and the spec's tables.
#define BAR_LENGTH 0.3048
#define BAR_WIDTH 0.0254
#define BAR_HEIGHT 0.0127
#define BAR_YOUNG 68.9e9
#define BAR_POISSON 0.33
#define BAR_DENSITY 2700.0

/// k L of bending mode j (from 0) of a bar with two free or two clamped ends: cos x cosh x = 1.
double bar_root(int j);
/// Frequency of that mode by Euler and Bernoulli. speed is sqrt(E/rho), gyration sqrt(I/S). [Hz]
double bar_hz(int j, double length, double speed, double gyration);

// ---- scenes ----

/// A straight bar, struck, and heard by ears: [0] all of it, [1] without retarded time, [2] its end alone, [3] a point.
typedef struct Bar
{
    double length;        ///< [m], from the origin along x
    const char* section;  ///< as in a scene: "rectangle: [0.0254, 0.0127]", width along y
    const char* material;
    int points;
    int oversample;           ///< of 44.1 kHz
    bool plain;               ///< lumped mass
    bool trapezoid;           ///< instead of Gauss
    bool shear;               ///< Timoshenko
    bool clamped;             ///< at both ends
    double strike_at;         ///< part of the length
    twVec3 force, ear;        ///< of the strike [N], of the listeners [m]
    double pickup;            ///< of ear [3], part of the length
    twVec3 pickup_direction;  ///< of ears [2] and [3]
} Bar;
Bar rectangular_bar(void);  ///< 30 points, our defaults, struck at its end against both sides at once
twStatus bar_scene(twScene** scene, const Bar* bar, twError* err);
twStatus built_in_scene(twScene** scene, const char* name, twError* err);

/// What the listeners of a scene hear.
typedef struct RodSound
{
    double* samples;  ///< (listeners x count), one after the other
    int count;
    double rate_hz;
    double cpu_seconds;   ///< spent
    double motion_share;  ///< of these on the motion, 0 to 1
} RodSound;
twStatus hear(RodSound* out, const twScene* scene, double seconds, twError* err);
twStatus hear_bar(RodSound* out, const Bar* bar, double seconds, twError* err);
void rod_sound_free(RodSound* sound);  ///< zeroed is fine

// ---- measuring ----

/// Frequency of the strongest partial of x (n) within a part `within` of near_hz; 0 if there is none.
double partial_hz(const double* x, int n, double rate_hz, double near_hz, double within);
/// Level of the middle of x (n) between two frequencies [dB re 1]: the onset is left out.
double band_db(const double* x, int n, double rate_hz, double low_hz, double high_hz);

// ---- groups of rows ----

twStatus rods_pitch(CliReport* report, twError* err);
twStatus rods_parameters(CliReport* report, twError* err);
twStatus rods_sections(CliReport* report, twError* err);
twStatus rods_dispersion(CliReport* report, twError* err);
twStatus rods_dipoles(CliReport* report, twError* err);
twStatus rods_speed(CliReport* report, twError* err);  ///< and spectrograms of what was run
twStatus rods_spectra(const char* folder, twError* err);
