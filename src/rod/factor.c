// SPDX-License-Identifier: MIT
// The matrix of the implicit step: mass M + stiff H + force K + damp C (scheme of the step), each block turned into the frames
// of its two nodes, rows and columns of held coordinates replaced by those of the identity. With branches H is that of bends and `others`,
// a complex number, times that of the other strains.
#include "rod.h"
#include <string.h>

// block = R_row block R_col^T on the coordinates of the points; R has rows d1, d2, t of the node
static void turn_block(const twRod* rod, int row, int col, double* block)
{
    int dofs = rod->dofs;
    double a[ROD_DOFS][ROD_DOFS];
    double* const* axes[3] = {rod->d0, rod->e0, rod->t0};
    // columns
    for (int r = 0; r < dofs; r++)
        for (int c = 0; c < 3; c++)
        {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += block[k * dofs + r] * axes[c][k][col];
            a[r][c] = sum;
        }
    for (int r = 0; r < dofs; r++)
        for (int c = 0; c < 3; c++) block[c * dofs + r] = a[r][c];
    // rows
    for (int c = 0; c < dofs; c++)
    {
        double x[3];
        for (int r = 0; r < 3; r++)
        {
            x[r] = 0;
            for (int k = 0; k < 3; k++) x[r] += axes[r][k][row] * block[c * dofs + k];
        }
        for (int r = 0; r < 3; r++) block[c * dofs + r] = x[r];
    }
}

static double is_free(const twRod* rod, int node, int c)
{
    return c < ROD_TURN ? rod->free_x[node] : rod->free_t[node];
}

// one block of the system from those of H (real and, or NULL, imaginary part), M, springs and dampers, given as (row, column) numbers
static void set_block(twRod* rod, int node, int k, const double* h, const double* h_im, const double* m,
                      const double* spring, const double* damper)
{
    const RodScheme* s = &rod->scheme;
    int dofs = rod->dofs, row = (node + k) % rod->n;
    const RodBand* band = rod->band;
    double* out = tw_band_block(band, node, k);
    for (int c = 0; c < dofs; c++)
        for (int r = 0; r < dofs; r++)
        {
            int at = c * dofs + r;
            double keep = is_free(rod, row, r) * is_free(rod, node, c), one = k == 0 && r == c ? 1 - keep : 0;
            double sp = spring ? spring[at] : 0, da = damper ? damper[at] : 0, lag = h_im ? h_im[at] : 0;
            double re = s->mass_re * m[at] + s->stiff_re * h[at] + s->force_re * sp + s->damp_re * da;
            double im = s->mass_im * m[at] + s->stiff_im * h[at] + s->force_im * sp + s->damp_im * da;
            re -= s->stiff_im * lag, im += s->stiff_re * lag;
            out[c * band->vec + r] = keep * re + one;
            if (band->is_complex) out[c * band->vec + band->rows + r] = keep * im;
        }
}

// @return the imaginary part of H, behind the real one; NULL: there is none
static double* add_hessian(twRod* rod)
{
    const RodScheme* s = &rod->scheme;
    const size_t count = (size_t)rod->n * 3 * (size_t)(rod->dofs * rod->dofs);
    double* lag = s->others_im != 0 ? rod->h_blocks + count : NULL;
    if (lag)
    {
        tw_rod_hessian(rod, 0, s->others_im);
        memcpy(lag, rod->h_blocks, count * sizeof(double));
    }
    tw_rod_hessian(rod, 1, s->others_re);
    return lag;
}

void tw_rod_refactor(twRod* rod)
{
    int dofs = rod->dofs, size = dofs * dofs;
    RodBand* band = rod->band;
    double* lag = add_hessian(rod);
    tw_rod_mass_blocks(rod, rod->m_blocks);
    tw_rod_load_blocks(rod, rod->load_blocks, rod->load_blocks + (size_t)rod->n * (size_t)size);
    memset(band->a, 0, (size_t)band->n * 3 * (size_t)band->size * sizeof(double));
    for (int i = 0; i < rod->n; i++)
        for (int k = 0; k < 3 && (rod->closed || i + k < rod->n); k++)
        {
            const size_t at = ((size_t)i * 3 + (size_t)k) * (size_t)size;
            double *h = rod->h_blocks + at, *h_im = lag ? lag + at : NULL, *m = rod->m_blocks + at;
            int row = (i + k) % rod->n;
            turn_block(rod, row, i, h);
            if (h_im) turn_block(rod, row, i, h_im);
            turn_block(rod, row, i, m);
            double* spring = k == 0 ? rod->load_blocks + (size_t)i * (size_t)size : NULL;
            double* damper = spring ? spring + (size_t)rod->n * (size_t)size : NULL;
            if (spring) turn_block(rod, i, i, spring), turn_block(rod, i, i, damper);
            set_block(rod, i, k, h, h_im, m, spring, damper);
        }
    // nodes that only fill up
    for (int i = rod->n; i < band->n; i++)
        for (int c = 0; c < dofs; c++) tw_band_block(band, i, 0)[c * band->vec + c] = 1;
    memset(band->turn, 0, (size_t)band->n * 4 * sizeof(double));
    const bool borrowed = tw_rod_borrow(rod);
    if (!borrowed) rod->kernel->factor(band);
    tw_rod_local_clear(&rod->local);
    rod->stats.refactorisations++;
    rod->stale = rod->slow = false;
    rod->fresh = !borrowed;
    tw_rod_forget_rates(rod);
    rod->usual = 0;
    rod->since_factor = 0;
}
