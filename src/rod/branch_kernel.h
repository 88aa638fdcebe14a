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

INLINE Frames followed_frames(const twRod* rod, double* const* q, int j, const bool shear)
{
    Frames f = frames_of(rod, q, j, FRAMES_TRIAL);
    if (shear) tilt_frame(&f, vw_load(q[ROD_TILT] + j), vw_load(q[ROD_TILT + 1] + j));
    return f;
}

// the frame of one edge as that of another, or as the ghost of a clamp
static void lane_copy(Frames* to, int lane, const Frames* from, int other)
{
    VW3* a[3] = {&to->t, &to->d1, &to->d2};
    const VW3* b[3] = {&from->t, &from->d1, &from->d2};
    for (int c = 0; c < 3; c++)
        a[c]->x[lane] = b[c]->x[other], a[c]->y[lane] = b[c]->y[other], a[c]->z[lane] = b[c]->z[other];
}

static void lane_ghost(Frames* to, int lane, const double ghost[9])
{
    VW3* a[3] = {&to->t, &to->d1, &to->d2};
    for (int c = 0; c < 3; c++)
        a[c]->x[lane] = ghost[3 * c], a[c]->y[lane] = ghost[3 * c + 1], a[c]->z[lane] = ghost[3 * c + 2];
}

// what lies before the first edge, in the last place of a vector; first: that of the first edges
INLINE Frames frames_before(const twRod* rod, double* const* q, const Frames* first, const bool shear)
{
    const int last = (rod->ne - 1) / W * W;
    Frames before = *first;
    lane_copy(&before, W - 1, first, 0);
    if (rod->closed)
    {
        const Frames end = followed_frames(rod, q, last, shear);
        lane_copy(&before, W - 1, &end, rod->ne - 1 - last);
    }
    else if (rod->clamp[0])
        lane_ghost(&before, W - 1, rod->ghost[0]);
    return before;
}

// beyond the last edge: the ghost, then anything
static void end_frames(const twRod* rod, Frames* f, const Frames* before, int j)
{
    for (int k = 0; k < W; k++)
    {
        if (j + k < rod->ne) continue;
        if (k > 0)
            lane_copy(f, k, f, k - 1);
        else
            lane_copy(f, 0, before, W - 1);
        if (j + k == rod->ne && !rod->closed && rod->clamp[1]) lane_ghost(f, k, rod->ghost[1]);
    }
}

INLINE VW edge_stretches(const twRod* rod, const Frames* f, int j)
{
    VW e = f->length * vw_load(rod->inv_rest + j) - 1;
    for (int k = 0; j + W > rod->ne && k < W; k++)
        if (j + k >= rod->ne) e[k] = 0;
    return e;
}

INLINE Bends bends_after(const Frames* e, const Frames* f)
{
    return bends_between(vw3_last(e->t, f->t), vw3_last(e->d1, f->d1), vw3_last(e->d2, f->d2), f->t, f->d1, f->d2);
}

// frames of edges i .. at a stage; before: those before them, which the first ones find
INLINE Frames next_frames(const twRod* rod, int stage, int i, Frames* before, const bool shear)
{
    const Frames here = followed_frames(rod, rod->stage[stage], i, shear);
    if (i > 0 && i + W <= rod->ne) return here;
    // copies, so that those in the middle of the rod need no place in memory
    Frames end = here, start = *before;
    if (i == 0) start = frames_before(rod, rod->stage[stage], &end, shear);
    end_frames(rod, &end, &start, i);
    *before = start;
    return end;
}

INLINE void follow_strains(twRod* rod, const bool shear)
{
    const RodScheme copy = rod->scheme, *s = &copy;
    const RodBranches* b = &rod->branches;
    Frames before1 = {0}, before2 = {0};
    for (int i = 0; i < rod->n; i += W)
    {
        const Frames here1 = next_frames(rod, 0, i, &before1, shear);
        const Bends x = bends_after(&before1, &here1);
        const Frames here2 = next_frames(rod, 1, i, &before2, shear);
        const Bends y = bends_after(&before2, &here2);
        follow_strain(b, s, ROD_BEND, i, x.k1, y.k1);
        follow_strain(b, s, ROD_BEND + 1, i, x.k2, y.k2);
        follow_strain(b, s, ROD_TWIST, i, x.tau, y.tau);
        follow_strain(b, s, ROD_STRETCH, i, edge_stretches(rod, &here1, i), edge_stretches(rod, &here2, i));
        for (int c = ROD_SHEAR; shear && c < ROD_STRAINS; c++)
            follow_strain(b, s, c, i, vw_load(rod->stage[0][c] + i), vw_load(rod->stage[1][c] + i));
        before1 = here1, before2 = here2;
    }
}

static void kernel_follow_strains(twRod* rod)
{
    if (rod->shear)
        follow_strains(rod, true);
    else
        follow_strains(rod, false);
}
