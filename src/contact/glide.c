// SPDX-License-Identifier: MIT
// Numbers on their way: each step is  x <- factor x + add.
#include "glide.h"
#include <math.h>

void glide_start(Glide* g, const double* values, int count)
{
    g->count = count;
    g->left = 0;
    for (int i = 0; i < count; i++) g->now[i] = g->target[i] = values[i];
}

void glide_to(Glide* g, const double* target, int steps)
{
    g->left = steps;
    for (int i = 0; i < g->count; i++)
    {
        bool by_factor = g->now[i] > 0 && target[i] > 0;
        g->target[i] = target[i];
        g->factor[i] = by_factor ? pow(target[i] / g->now[i], 1.0 / steps) : 1;
        g->add[i] = by_factor ? 0 : (target[i] - g->now[i]) / steps;
    }
}

void glide_next(Glide* g)
{
    g->left--;
    for (int i = 0; i < g->count; i++) g->now[i] = g->left > 0 ? g->factor[i] * g->now[i] + g->add[i] : g->target[i];
}
