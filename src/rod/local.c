// SPDX-License-Identifier: MIT
// Compliances of points against those near them, kept as long as the factor is.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FADED 1.5  // lengths in which what a force does along the rod fades by e

// Of the stretching waves, which reach farthest, with c h the way they go in a step: 1 + mu/12 + mu^2/144 = 0 for waves of exp(-3 x/(c h)).
int tw_rod_local_reach(const twRod* rod)
{
    if (rod->closed || rod->shear || rod->integrator != TW_ROD_GAUSS4) return 0;
    const int j = rod->ne / 2;
    const double fastest = sqrt(rod->axial[j] * rod->inv_rest[j] / rod->row_mass[j]),
                 reach = ceil(FADED * fastest * rod->scheme.h / 3);
    return reach <= ROD_LOCAL ? (int)fmax(2, reach) : 0;
}

void tw_rod_local_clear(RodLocal* local)
{
    local->count = 0;
    local->reach = 0;
}

void tw_rod_local_free(RodLocal* local)
{
    free(local->at);
    free(local->blocks);
    *local = (RodLocal){0};
}

static bool rod_local_room(twRod* rod, int count)
{
    RodLocal* local = &rod->local;
    if (!local->at) local->at = malloc((size_t)rod->n * sizeof *local->at);
    if (!local->at || count <= local->room) return local->at;
    float* blocks = realloc(local->blocks, (size_t)count * (ROD_LOCAL + 1) * 16 * sizeof *blocks);
    if (!blocks) return false;
    local->blocks = blocks;
    local->room = count;
    return true;
}

bool tw_rod_local_reserve(twRod* rod) { return rod_local_room(rod, rod->n); }

static bool begin(twRod* rod, int reach)
{
    RodLocal* local = &rod->local;
    if (local->reach == reach) return true;
    if (!rod_local_room(rod, 1)) return false;
    memset(local->at, -1, (size_t)rod->n * sizeof *local->at);
    local->count = 0;
    local->reach = reach;
    return true;
}

bool tw_rod_local_need(twRod* rod, int point)
{
    RodLocal* local = &rod->local;
    const int reach = tw_rod_local_reach(rod);
    const size_t size = (size_t)(ROD_LOCAL + 1) * 16;
    if (reach == 0 || !begin(rod, reach)) return false;
    if (local->at[point] >= 0) return true;
    if (local->count == local->room && !rod_local_room(rod, 2 * local->room + 16)) return false;
    rod->kernel->local(rod, point, reach, local->blocks + (size_t)local->count * size);
    local->at[point] = local->count++;
    return true;
}

const float* tw_rod_local(const twRod* rod, int point)
{
    TW_ASSERT(rod->local.reach > 0 && rod->local.at[point] >= 0);
    return rod->local.blocks + (size_t)rod->local.at[point] * (size_t)(ROD_LOCAL + 1) * 16;
}
