// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Spherical Bessel and Hankel functions, scaled so that they stay in range for any argument and order (internal).

/// s_n = x h_n(x)/h_(n-1)(x) for n = 1..order, complex pairs at steps[2n], steps[2n + 1]; entry 0 is 1. x >= 0.
void hankel_steps(double* steps, int order, double x);
/// (r/R) e^{-ik(r-R)} h_n(k r)/h_n(k R) for n = 0..order, complex pairs, from the steps at k r and at k R; the first is 1.
/// nearness is R/r. May be in place of either.
void hankel_ratios(double* out, int order, const double* steps_r, const double* steps_R, double nearness);
/// j_n(x) (2n + 1)!!/x^n for n = 0..order; 1 at x = 0. x from 0 to 1000.
void bessel_scaled(double* out, int order, double x);
