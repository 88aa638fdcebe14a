// SPDX-License-Identifier: MIT
// Memory that rods of the same kind have in common if they take turns: less to go through, so that it stays in the cache.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <string.h>

#define ALIKE 1e-10  // of the largest: copies of a rod elsewhere differ by rounding

static bool same_size(const twRod* a, const twRod* b)
{
    return a->n == b->n && a->closed == b->closed && a->shear == b->shear && a->integrator == b->integrator &&
           a->branches.any == b->branches.any;
}

static double largest(const twRod* rod, const double* a)
{
    double most = 0;
    for (int i = 0; i < rod->n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

// with the room on both sides
static bool alike(const twRod* rod, const double* a, const double* b, double size)
{
    for (int i = -ROD_PAD; i < rod->n + ROD_PAD; i++)
        if (!(fabs(a[i] - b[i]) <= ALIKE * size)) return false;
    return true;
}

// what is filled anew whenever it is used
static void share_room(twRod* rod, const twRod* with)
{
    for (int k = 0; k < 2; k++)
    {
        rod->trial[k] = with->trial[k];
        for (int c = 0; c < rod->dofs; c++) rod->g[k][c] = with->g[k][c], rod->mz[k][c] = with->mz[k][c];
    }
    for (int c = 0; c < rod->dofs; c++) rod->scratch[c] = with->scratch[c];
    for (int k = 0; k < 2; k++)
    {
        for (int c = 0; rod->shear && c < 3; c++) rod->axis[k][c] = with->axis[k][c];
        rod->inv_length[k] = with->inv_length[k];
        rod->strain[k] = with->strain[k];
    }
    rod->y = with->y;
    rod->h_blocks = with->h_blocks;
    rod->m_blocks = with->m_blocks;
    rod->load_blocks = with->load_blocks;
}

// where the constants are
static int list_model(twRod* rod, double** list[24])
{
    double** all[] = {&rod->rest_length, &rod->inv_rest, &rod->axial,    &rod->axial_node, &rod->b11,
                      &rod->b22,         &rod->b12,      &rod->twist_b,  &rod->k1_rest,    &rod->k2_rest,
                      &rod->mass,        &rod->mass_off, &rod->tau_rest, &rod->spin_mass,  &rod->spin_off,
                      &rod->free_x,      &rod->free_t,   &rod->row_mass};
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

// what their size is to be judged by: some are nothing but rounding
static double size_of(const twRod* rod, double* const* which)
{
    if (which == &rod->k1_rest || which == &rod->k2_rest || which == &rod->tau_rest) return 1;
    return which == &rod->b12 ? largest(rod, rod->b11) : largest(rod, *which);
}

static bool share_model(twRod* rod, twRod* with)
{
    double **own[24], **other[24];
    const int count = list_model(rod, own);
    list_model(with, other);
    for (int i = 0; i < count; i++)
        if (!alike(rod, *own[i], *other[i], size_of(rod, own[i]))) return false;
    for (int i = 0; i < count; i++) *own[i] = *other[i];
    return true;
}

bool tw_rod_share(twRod* rod, twRod* with)
{
    if (!same_size(rod, with)) return false;
    share_room(rod, with);
    return share_model(rod, with);
}
