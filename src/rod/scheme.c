// SPDX-License-Identifier: MIT
// What a piece of a step begins with, whatever the scheme.
#include "rod.h"
#include <string.h>

void tw_rod_forget(twRod* rod)
{
    size_t bytes = ((size_t)rod->n + ROD_PAD) * sizeof(double);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < rod->dofs; c++) memset(rod->z[k][c] - ROD_PAD / 2, 0, bytes);
    rod->has_guess = false;
}

void tw_rod_begin(twRod* rod, double start, double h, void (*make_scheme)(twRod* rod, double h))
{
    if (rod->scheme.h != h)
    {
        make_scheme(rod, h);
        tw_rod_forget(rod);
        rod->stale = true;
    }
    tw_rod_gather_loads(rod, start, h);
    if (rod->stale) tw_rod_refactor(rod);
}
