// SPDX-License-Identifier: MIT
#pragma once
#include <complex.h>

/// @file
/// Gauss's rule on (-1, 1), and a rule on its nodes for integrals with a pole (internal).

/// x + i y (CMPLX is missing in places)
static inline double complex point(double x, double y) { return x + I * y; }

enum
{
    GAUSS_MAX = 10
};

typedef struct Gauss
{
    int order;
    double far;  ///< |z| from which on Gauss's own rule is as good for a pole at z
    double node[GAUSS_MAX], weight[GAUSS_MAX];
    double pole[GAUSS_MAX][GAUSS_MAX];  ///< weight_i (2k+1) P_k(node_i), by i and k
} Gauss;

Gauss gauss_rule(int order);

/// Weights w_i such that sum w_i f(node_i) is the integral of f(t)/(z - t): exact for polynomials of degree below the
/// order, for any z off (-1, 1) however near. For z far off they become weight_i/(z - node_i).
void gauss_pole(const Gauss* gauss, double complex z, double complex* out);
/// The same for z on (-1, 1), as Cauchy's principal value.
void gauss_pole_inside(const Gauss* gauss, double z, double complex* out);
/// Weights for functions with logarithms at low <= -1 and high >= 1: exact for log|t - low|, log|t - high| and polynomials
/// as far as nodes are left. Ends that are far off do not count.
void gauss_log_weights(const Gauss* gauss, double low, double high, double* out);
