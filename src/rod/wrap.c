// SPDX-License-Identifier: MIT
// What lies beyond the ends of the arrays: the other end of a closed rod, or something harmless.
#include "rod.h"

void tw_rod_wrap(const twRod* rod, double* const* components, int count)
{
    if (!rod->closed) return;
    for (int c = 0; c < count; c++)
    {
        components[c][-1] = components[c][rod->n - 1];
        components[c][rod->n] = components[c][0];
    }
}

void tw_rod_frame_edges(const twRod* rod, double* const* t, double* const* d, double* const* e)
{
    double* const* all[3] = {t, d, e};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
        {
            double* a = all[k][c];
            for (int j = rod->ne; j < rod->ne + ROD_PAD / 2; j++) a[j] = a[rod->ne - 1];
            a[-1] = rod->closed ? a[rod->ne - 1] : a[0];
        }
}
