// SPDX-License-Identifier: MIT
/// @file
/// Both stages' elastic gradients with branches (branch.c), and the branches' strains over a step, W nodes at a time.
///
/// A strain counts as e + mix e - sum of held y, with e those of both stages and y the branches' at the start of the step. Stretches and tilts
/// are replaced by what they count once the frames of a chunk are there.

// both stages' e become what they count; c: which strain
INLINE void mix_strains(const RodBranches* b, const RodScheme* s, int c, int i, VW* first, VW* second)
{
    const int kind = c < ROD_TWIST ? 0 : 1;
    const double(*mix)[2] = s->mix[kind], (*held)[ROD_BRANCHES] = s->held[kind];
    VW e1 = *first, e2 = *second, c1 = e1 + (mix[0][0] * e1 + mix[0][1] * e2),
       c2 = e2 + (mix[1][0] * e1 + mix[1][1] * e2);
    const double* from = rod_branch_strain(b, c, i);
    for (int j = 0; j < ROD_BRANCHES; j++)
    {
        VW y = vw_load(from + 8 * j);
        c1 -= held[0][j] * y;
        c2 -= held[1][j] * y;
    }
    *first = c1, *second = c2;
}

// of edges, in place
INLINE void mix_stretches(twRod* rod, const RodScheme* s, int begin, int end)
{
    for (int j = begin; j < end; j += W)
    {
        VW a = vw_load(rod->strain[0] + j), b = vw_load(rod->strain[1] + j);
        mix_strains(&rod->branches, s, ROD_STRETCH, j, &a, &b);
        vw_store(rod->strain[0] + j, a);
        vw_store(rod->strain[1] + j, b);
    }
}

INLINE void mix_tilts(twRod* rod, const RodScheme* s, int begin, int end)
{
    for (int j = begin; j < end; j += W)
        for (int c = 0; c < 2; c++)
        {
            VW a = vw_load(rod->stage[0][ROD_TILT + c] + j), b = vw_load(rod->stage[1][ROD_TILT + c] + j);
            mix_strains(&rod->branches, s, ROD_SHEAR + c, j, &a, &b);
            vw_store(rod->branches.tilt[0][c] + j, a);
            vw_store(rod->branches.tilt[1][c] + j, b);
        }
}

// Frames of a chunk at both stages, and stretches and tilts as they count. Beyond the ends nothing is stretched, or it is the edge at the
// other end of a closed rod.
INLINE void pair_chunk(twRod* rod, const RodScheme* s, const Place at[2], int begin, int end, const ForceKind kind)
{
    const int ne = rod->ne, last = (ne - 1) / W * W;
    for (int k = 0; k < 2; k++) force_chunk(rod, &at[k], begin, end, kind);
    if (begin == 0 && rod->closed && last >= end) mix_stretches(rod, s, last, last + W);
    mix_stretches(rod, s, begin, end);
    for (int k = 0; rod->closed && k < 2; k++)
    {
        double* strain = rod->strain[k];
        if (begin == 0) strain[-1] = strain[ne - 1];
        if (end == ROUND_UP(rod->n)) strain[ne] = strain[0];
    }
    if (kind == FORCE_SHEAR) mix_tilts(rod, s, begin, end);
}

INLINE void pair_force(twRod* rod, const Place at[2], const ForceKind kind)
{
    const RodScheme copy = rod->scheme, *s = &copy;
    const int all = ROUND_UP(rod->n);
    const bool shear = kind == FORCE_SHEAR;
    const twRod* next = rod->next && rod->next->n == rod->n ? rod->next : NULL;
    Behind behind[2] = {{.pull = {{0}, {0}, {0}}}, {.pull = {{0}, {0}, {0}}}};
    for (int begin = 0; begin < all; begin += CHUNK)
    {
        const int end = begin + CHUNK < all ? begin + CHUNK : all;
        pair_chunk(rod, s, at, begin, end, kind);
        for (int i = begin; i < end; i += W)
        {
            const Bends a = node_bends(&at[0].frames, i), b = node_bends(&at[1].frames, i);
            VW e[2][3] = {{a.k1, a.k2, a.tau}, {b.k1, b.k2, b.tau}};
            for (int c = 0; c < 3; c++) mix_strains(&rod->branches, s, c, i, &e[0][c], &e[1][c]);
            const OnEdges on[2] = {node_elements(rod, &at[0].frames, i, &a, e[0]),
                                   node_elements(rod, &at[1].frames, i, &b, e[1])};
            for (int k = 0; kind == FORCE_PLAIN && next && i % 8 == 0 && k < 2; k++) fetch(next, i, k);
            for (int k = 0; k < 2; k++) gradient_go_on(rod, &at[k], &behind[k], &on[k], i, shear);
        }
    }
    for (int k = 0; k < 2; k++) finish_gradient(rod, &at[k], &behind[k], shear);
}

INLINE Place stage_place(const twRod* rod, int stage)
{
    return (Place){rod->trial[stage], rod->stage[stage], rod->branches.tilt[stage], rod->g[stage], stage};
}

static void kernel_pair(twRod* rod)
{
    const Place at[2] = {stage_place(rod, 0), stage_place(rod, 1)};
    if (rod->shear)
        pair_force(rod, at, FORCE_SHEAR);
    else
        pair_force(rod, at, FORCE_PLAIN);
}

// ---- the end of a step ----

// y += follow (e - y)
INLINE void follow_strain(const RodBranches* b, const RodScheme* s, int c, int i, VW e1, VW e2)
{
    const double(*follow)[2] = s->follow[c < ROD_TWIST ? 0 : 1];
    double* at = rod_branch_strain(b, c, i);
    for (int j = 0; j < ROD_BRANCHES; j++, at += 8)
    {
        VW y = vw_load(at);
        vw_store(at, y + (follow[j][0] * (e1 - y) + follow[j][1] * (e2 - y)));
    }
}

// twice what the branches of nodes and edges i .. take; before: lose (e - y) of the stretches of the edges before, which become these
INLINE VW branch_losses(const twRod* rod, const RodScheme* s, int i, VW e[ROD_STRAINS][2], VW before[ROD_BRANCHES][2],
                        const bool shear)
{
    const RodBranches* b = &rod->branches;
    const VW b11 = vw_load(rod->b11 + i), b22 = vw_load(rod->b22 + i), b12 = vw_load(rod->b12 + i),
             twist = vw_load(rod->twist_b + i), node = vw_load(rod->axial_node + i),
             edge = vw_load(rod->axial + i) * vw_load(rod->rest_length + i);
    VW sum = {0}, on_edges = {0};
    for (int j = 0; j < ROD_BRANCHES; j++)
        for (int row = 0; row < 2; row++)
        {
            VW x[ROD_STRAINS];
            for (int c = 0; c < (shear ? ROD_STRAINS : ROD_SHEAR); c++)
            {
                const double* lose = s->lose[c < ROD_TWIST ? 0 : 1][j][row];
                const VW y = vw_load(rod_branch_strain(b, c, i) + 8 * j);
                x[c] = lose[0] * (e[c][0] - y) + lose[1] * (e[c][1] - y);
            }
            const VW change = x[ROD_STRETCH] - vw_last(before[j][row], x[ROD_STRETCH]);
            before[j][row] = x[ROD_STRETCH];
            sum += b11 * x[0] * x[0] + b22 * x[1] * x[1] + 2 * b12 * x[0] * x[1] + twist * x[ROD_TWIST] * x[ROD_TWIST];
            on_edges += edge * x[ROD_STRETCH] * x[ROD_STRETCH] - node * change * change;
            if (shear)
                on_edges += vw_load(rod->tilt11 + i) * x[4] * x[4] + vw_load(rod->tilt22 + i) * x[5] * x[5] +
                            2 * vw_load(rod->tilt12 + i) * x[4] * x[5];
        }
    for (int k = 0; i + W > rod->ne && k < W; k++)
    {
        if (i + k >= rod->n) sum[k] = 0;
        if (i + k >= rod->ne) on_edges[k] = 0;
    }
    return sum + on_edges;
}

// of a closed rod, the edge before the first
static void lose_before(const twRod* rod, VW before[ROD_BRANCHES][2])
{
    const int last = rod->ne - 1;
    for (int k = 0; rod->closed && k < 2 * ROD_BRANCHES; k++)
    {
        const double* lose = rod->scheme.lose[1][k / 2][k % 2];
        const double y = rod_branch_strain(&rod->branches, ROD_STRETCH, last)[8 * (k / 2)];
        before[k / 2][k % 2][W - 1] = lose[0] * (rod->strain[0][last] - y) + lose[1] * (rod->strain[1][last] - y);
    }
}

INLINE double follow_strains(twRod* rod, const Place at[2], const ForceKind kind)
{
    const RodScheme copy = rod->scheme, *s = &copy;
    const int all = ROUND_UP(rod->n), strains = kind == FORCE_SHEAR ? ROD_STRAINS : ROD_SHEAR;
    VW before[ROD_BRANCHES][2] = {{{0}}}, taken = {0};
    for (int begin = 0; begin < all; begin += CHUNK)
    {
        const int end = begin + CHUNK < all ? begin + CHUNK : all;
        for (int k = 0; k < 2; k++) force_chunk(rod, &at[k], begin, end, kind);
        if (begin == 0 && rod->account) lose_before(rod, before);
        for (int i = begin; i < end; i += W)
        {
            const Bends a = node_bends(&at[0].frames, i), b = node_bends(&at[1].frames, i);
            VW e[ROD_STRAINS][2] = {{a.k1, b.k1}, {a.k2, b.k2}, {a.tau, b.tau}};
            for (int k = 0; k < 2; k++) e[ROD_STRETCH][k] = vw_load(rod->strain[k] + i);
            for (int c = ROD_SHEAR; c < strains; c++)
                for (int k = 0; k < 2; k++) e[c][k] = vw_load(rod->stage[k][c] + i);
            if (rod->account) taken += branch_losses(rod, s, i, e, before, kind == FORCE_SHEAR);
            for (int c = 0; c < strains; c++) follow_strain(&rod->branches, s, c, i, e[c][0], e[c][1]);
        }
    }
    double sum = 0;
    for (int k = 0; k < W; k++) sum += 0.5 * taken[k];
    return sum;
}

static double kernel_follow_strains(twRod* rod)
{
    const Place at[2] = {stage_place(rod, 0), stage_place(rod, 1)};
    return rod->shear ? follow_strains(rod, at, FORCE_SHEAR) : follow_strains(rod, at, FORCE_PLAIN);
}
