// SPDX-License-Identifier: MIT
/// @file
/// How forces on a node move it and those near it: a few columns of the inverse of an open complex system of four columns (band_kernel.h).
///
/// What a force does in a step fades from node to node, so that only those nearer than reach are gone through. The factor's
/// turns are left out: that is good as long as nodes have turned little against each other since it was made.

INLINE double* local_at(double* window, int node, int low) { return window + (size_t)(node - low) * 32; }

// y of the next two nodes that are within, z of this one; step: the way the elimination went
static void local_down(double* window, const double* down, int i, int step, int low, int high)
{
    double *y = local_at(window, i, low), z[32] __attribute__((aligned(64)));
    for (int k = 1; k <= 2; k++)
    {
        const int to = i + k * step;
        if (to >= low && to <= high) complex4_multiply(down + k * 32, y, local_at(window, to, low), true);
    }
    complex4_multiply(down, y, z, false);
    memcpy(y, z, sizeof z);
}

// x of a node from those of the next two that are within
static void local_up(double* window, const double* up, int i, int step, int low, int high)
{
    for (int k = 1; k <= 2; k++)
    {
        const int from = i + k * step;
        if (from < low || from > high) continue;
        complex4_multiply(up + (k - 1) * 32, local_at(window, from, low), local_at(window, i, low), true);
    }
}

// out: 4 x 4 blocks by columns of nodes node .. node + reach, with the factor of respond_kernel.h; zeros beyond the end
static void kernel_local(const twRod* rod, int node, int reach, float* out)
{
    double window[(2 * ROD_LOCAL + 1) * 32] __attribute__((aligned(64)));
    const RodBand* band = rod->band;
    const int n = band->n, m = band->m, low = node > reach ? node - reach : 0;
    const int high = node + reach < n ? node + reach : n - 1;
    memset(window, 0, (size_t)(high - low + 1) * 32 * sizeof(double));
    for (int c = 0; c < 4; c++)
    {
        local_at(window, node, low)[9 * c] = rod->scheme.respond_re;
        local_at(window, node, low)[9 * c + 4] = rod->scheme.respond_im;
    }
    const int top_end = high < m - 1 ? high : m - 1, low_end = low > m + 2 ? low : m + 2;
    for (int i = node; i <= top_end; i++) local_down(window, band->down[0] + (size_t)i * 96, i, 1, low, high);
    for (int i = node; i >= low_end; i--)
        local_down(window, band->down[1] + (size_t)(n - 1 - i) * 96, i, -1, low, high);
    // the two in the middle are the last; there is nothing beyond them
    for (int i = m; i <= m + 1; i++)
        if (i >= low && i <= high)
            local_down(window, band->down[0] + (size_t)i * 96, i, 1, low, high < m + 1 ? high : m + 1);
    if (m >= low && m <= high) local_up(window, band->up[0] + (size_t)m * 64, m, 1, low, high < m + 1 ? high : m + 1);
    for (int i = top_end; i >= node; i--) local_up(window, band->up[0] + (size_t)i * 64, i, 1, low, high);
    for (int i = low_end; i <= high; i++) local_up(window, band->up[1] + (size_t)(n - 1 - i) * 64, i, -1, low, high);
    memset(out, 0, (size_t)(reach + 1) * 16 * sizeof *out);
    for (int i = node; i <= high && i < rod->n; i++)
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++)
            {
                const double held =
                    (c < ROD_TURN ? rod->free_x : rod->free_t)[node] * (r < ROD_TURN ? rod->free_x : rod->free_t)[i];
                out[(i - node) * 16 + 4 * c + r] = (float)(held * local_at(window, i, low)[8 * c + r]);
            }
}
