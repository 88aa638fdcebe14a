// SPDX-License-Identifier: MIT
#pragma once
#include "fem/shell_system.h"
#include "mesh/edges.h"

// Strain energy of the jumps of strains between neighbours, over the whole: (count) for the modes x
// (3 nodes x count) with eigenvalues lambda. To share (faces) is added what each face has of it, in
// the mode where that is most.
twStatus shell_error_jumps(double* out, double* share, const ShellSystem* system, const ShellBody* body,
                           const double* x, const double* lambda, int count, FemMemory* memory, twError* err);
// Estimates of the relative error of frequencies (count), from the jumps and, if there are any,
// from the frequencies of a round before with edges twice as long.
void shell_error_estimate(double* error, const double* freq_hz, const double* jumps, int count, const double* before,
                          int before_count);
// What the theory of shells may be off by. corners: part of the surface nearer to a sharp edge than the thickness; curvature: mean
// of (thickness / radius)^2; wave: wave number of the mode times the thickness.
double shell_error_theory(double corners, double curvature, double wave);
// What the guess of a curved surface may be off by, from the area of its faces over that of the given ones.
double shell_error_guess(double area_ratio);
