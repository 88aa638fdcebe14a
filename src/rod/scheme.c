// SPDX-License-Identifier: MIT
// What both schemes share.
#include "rod.h"
#include <string.h>

void tw_rod_forget(twRod* rod)
{
    size_t bytes = ((size_t)rod->n + ROD_PAD) * sizeof(double);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < rod->dofs; c++) memset(rod->z[k][c] - ROD_PAD / 2, 0, bytes);
    rod->has_guess = false;
}

const RodMethod* tw_rod_method(const twRod* rod)
{
    return rod->integrator == TW_ROD_GAUSS4 ? &tw_rod_method_gauss : &tw_rod_method_newmark;
}

double* const* tw_rod_start_gradient(const twRod* rod) { return rod->branches.any ? rod->g[1] : rod->g0; }
