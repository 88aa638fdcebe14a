// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// Anderson's acceleration of an iteration x -> g(x) (internal): of the last few steps the mixture whose change would be least.
///
///     f_k = g(x_k) - x_k,   x_{k+1} = g(x_k) - sum of c_j (g_{j+1} - g_j),   |f_k - sum of c_j (f_{j+1} - f_j)| least
///
/// D. G. Anderson: "Iterative procedures for nonlinear integral equations", 1965. For a linear iteration it is as good as GMRES:
/// a few slow directions cost a few steps.

enum
{
    ANDERSON_SIZE = 768,  ///< of x at most
    ANDERSON_DEPTH = 8,   ///< steps remembered at most
    ANDERSON_ROOM = 4096  ///< numbers remembered
};

typedef struct Anderson
{
    int size, depth;                            ///< of x; steps there is room for
    int count;                                  ///< steps known
    bool started;                               ///< there is a last one
    const double* weight;                       ///< of the squares, (size)
    double g[ANDERSON_SIZE], f[ANDERSON_SIZE];  ///< of the last step
    float history[ANDERSON_ROOM];               ///< differences of f, then of g (depth x 2 x size), in a ring
    double gram[ANDERSON_DEPTH][ANDERSON_DEPTH];
    int next;  ///< place of the ring
} Anderson;

/// Nothing known. weight must stay.
void anderson_start(Anderson* anderson, int size, const double* weight);
void anderson_forget(Anderson* anderson);
/// x = g(x_k), with change f_k, becomes x_{k+1}. Real-time safe. @return false: nothing to mix yet, x is as it was
bool anderson_mix(Anderson* anderson, double* x, const double* change);
