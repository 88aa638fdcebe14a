// SPDX-License-Identifier: MIT
/// @file
/// Constant forces on a rod in a step of the two-stage Gauss scheme (gauss.c), and how far they move it, W nodes at a time.
///
/// With both stages in the same frames R, those at the start, a simplified Newton step from rest makes
///
///     way = Re(c R^T (factor)^-1 R force),   c = 2 (sum of place_i right_i) (sum of left_k hold_k),
///
/// which is symmetric like the factor. Arrays of force and way end with the last node.

// the first few numbers of an array, zeros beyond
INLINE VW vw_load_some(const double* p, int count)
{
    if (count >= W) return vw_load(p);
    VW a = {0};
    for (int k = 0; k < count; k++) a[k] = p[k];
    return a;
}

INLINE void vw_store_some(double* p, VW a, int count)
{
    if (count >= W)
        vw_store(p, a);
    else
        for (int k = 0; k < count; k++) p[k] = a[k];
}

static void solve_even(const RodBand* band, double* y)
{
    if (!band->closed)
        kernel_solve(band, y);
    else if (band->cols == 4)
        complex4_solve_closed(band, y, true);
    else
        complex6_solve_closed(band, y, true);
}

// what others' forces are in the residual y: each equation is turned into the frames of its own stage
static void kernel_push(twRod* rod)
{
    const RodScheme* s = &rod->scheme;
    const int rows = rod->band->rows, stride = 2 * rows;
    for (int i = 0; i < rod->n; i += W)
    {
        VW force[4], re[4], im[4], free_x = vw_load(rod->free_x + i), free_t = vw_load(rod->free_t + i);
        double* y = rod->y + (size_t)i * (size_t)stride;
        unpack(y, stride, re);
        unpack(y + rows, stride, im);
        for (int c = 0; c < 4; c++) force[c] = (c < ROD_TURN ? free_x : free_t) * vw_load(rod->others[c] + i);
        for (int k = 0; k < 2; k++)
        {
            VW w[4] = {force[0], force[1], force[2], force[3]};
            const Axes axes = axes_load(&rod->trial[k], i);
            into_axes(&axes, w);
            for (int c = 0; c < 4; c++)
            {
                re[c] -= (s->left_re[k] * s->hold[k]) * w[c];
                im[c] -= (s->left_im[k] * s->hold[k]) * w[c];
            }
        }
        pack(re, y, stride);
        pack(im, y + rows, stride);
    }
}

static void kernel_respond(twRod* rod, double* const* force, double* const* way)
{
    const int rows = rod->band->rows, stride = 2 * rows, n = rod->n;
    const double re = rod->scheme.respond_re, im = rod->scheme.respond_im;
    const RodTrial frames = {{rod->t0[0], rod->t0[1], rod->t0[2]},
                             {rod->d0[0], rod->d0[1], rod->d0[2]},
                             {rod->e0[0], rod->e0[1], rod->e0[2]}};
    if (rod->shear) memset(rod->y, 0, (size_t)n * (size_t)stride * sizeof(double));
    for (int i = 0; i < n; i += W)
    {
        VW w[4], part[4], free_x = vw_load(rod->free_x + i), free_t = vw_load(rod->free_t + i);
        for (int c = 0; c < 4; c++) w[c] = (c < ROD_TURN ? free_x : free_t) * vw_load_some(force[c] + i, n - i);
        const Axes axes = axes_load(&frames, i);
        into_axes(&axes, w);
        double* y = rod->y + (size_t)i * (size_t)stride;
        for (int c = 0; c < 4; c++) part[c] = re * w[c];
        pack(part, y, stride);
        for (int c = 0; c < 4; c++) part[c] = im * w[c];
        pack(part, y + rows, stride);
    }
    memset(rod->y + (size_t)n * (size_t)stride, 0, (size_t)(8 * stride) * sizeof(double));
    solve_even(rod->band, rod->y);
    for (int i = 0; i < n; i += W)
    {
        VW w[4];
        unpack(rod->y + (size_t)i * (size_t)stride, stride, w);
        const Axes axes = axes_load(&frames, i);
        out_of_axes(&axes, w);
        for (int c = 0; c < 4; c++) vw_store_some(way[c] + i, w[c], n - i);
    }
}
