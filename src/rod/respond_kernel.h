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

// most that an edge turns from the start to the second stage, with what it turns about itself
INLINE double largest_turn(const twRod* rod)
{
    VW most = {0};
    for (int j = 0; j < rod->ne; j += W)
    {
        const VW3 e = vw3_sub(vw3_load(rod->stage[1], j + 1), vw3_load(rod->stage[1], j)), t = vw3_load(rod->t0, j);
        const VW3 off = vw3_sub(e, vw3_scale(t, vw3_dot(e, t)));
        const VW spun = vw_load(rod->stage[1][ROD_TURN] + j) - vw_load(rod->q[ROD_TURN] + j);
        VW turn = vw3_dot(off, off) * vw_load(rod->inv_rest + j) * vw_load(rod->inv_rest + j) + spun * spun;
        for (int k = rod->ne - j; k < W; k++) turn[k] = 0;  // there is no edge
        most = vw_max(most, turn);
    }
    return largest_root(most);
}

// a load w of nodes i .. in the world, times a complex number, is the right side there
INLINE void put_load(twRod* rod, const RodTrial* frames, int i, VW w[4], double re, double im)
{
    const int rows = rod->band->rows, stride = 2 * rows;
    const Axes axes = axes_load(frames, i);
    VW part[4];
    into_axes(&axes, w);
    double* y = rod->y + (size_t)i * (size_t)stride;
    for (int c = 0; c < 4; c++) part[c] = re * w[c];
    pack(part, y, stride);
    for (int c = 0; c < 4; c++) part[c] = im * w[c];
    pack(part, y + rows, stride);
}

// nothing on tilts, nor, after the rest is put, in the room beyond the last node
INLINE void clear_tilts(twRod* rod)
{
    if (rod->shear) memset(rod->y, 0, (size_t)rod->n * 2 * (size_t)rod->band->rows * sizeof(double));
}

INLINE void clear_room(twRod* rod)
{
    const size_t stride = 2 * (size_t)rod->band->rows;
    memset(rod->y + (size_t)rod->n * stride, 0, 8 * stride * sizeof(double));
}

static double kernel_follow(twRod* rod, double* turn)
{
    const RodScheme* s = &rod->scheme;
    const double re = s->left_re[0] * s->hold[0] + s->left_re[1] * s->hold[1],
                 im = s->left_im[0] * s->hold[0] + s->left_im[1] * s->hold[1];
    const RodTrial frames[2] = {start_frames(rod), start_frames(rod)};
    clear_tilts(rod);
    for (int i = 0; i < rod->n; i += W)
    {
        VW w[4], free_x = vw_load(rod->free_x + i), free_t = vw_load(rod->free_t + i);
        for (int c = 0; c < 4; c++)
            w[c] = (c < ROD_TURN ? free_x : free_t) * (vw_load(rod->heard[c] + i) - vw_load(rod->others[c] + i));
        put_load(rod, frames, i, w, re, im);
    }
    clear_room(rod);
    kernel_solve(rod->band, rod->y);
    *turn = largest_turn(rod);
    return rod->shear ? update(rod, frames, true) : update(rod, frames, false);
}

static void kernel_respond(twRod* rod, double* const* force, double* const* way)
{
    const int stride = 2 * rod->band->rows, n = rod->n;
    const RodTrial frames = start_frames(rod);
    clear_tilts(rod);
    for (int i = 0; i < n; i += W)
    {
        VW w[4], free_x = vw_load(rod->free_x + i), free_t = vw_load(rod->free_t + i);
        for (int c = 0; c < 4; c++) w[c] = (c < ROD_TURN ? free_x : free_t) * vw_load_some(force[c] + i, n - i);
        put_load(rod, &frames, i, w, rod->scheme.respond_re, rod->scheme.respond_im);
    }
    clear_room(rod);
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
