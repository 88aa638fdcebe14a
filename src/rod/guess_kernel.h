// SPDX-License-Identifier: MIT
/// @file
/// Where the stages of a step are looked for first (gauss.c), W nodes at a time, written against VW.
///
/// Stage accelerations go on in a straight line from the last step. Along the rod this is wrong by several times z where it moves
/// sideways: stretching is too stiff for the step, so that its accelerations are those of a row of stages whose edges have the right
/// lengths, not of a motion. The first iteration then has much to mend, and leaves turns times stretching to a third. So, if asked for,
/// lengths go on in a straight line too: of squared lengths l1, l2 at the stages of the last step, 2 s apart,
///
///     l^2 = l2 + r (l2 - l1),  r = (1 - 2 s)/(2 s) and 1/(2 s),
///
/// and points are shifted along the edges to have those: edge e gets e (l^2 - e.e)/(2 e.e), from held point to held point.

// squared lengths that edges are to have at the stages, into scratch
INLINE void extrapolate_lengths(twRod* rod)
{
    const double apart = 2 * rod->scheme.offset;
    for (int j = 0; j < rod->n; j += W)
    {
        VW3 a = vw3_sub(vw3_load(rod->stage[0], j + 1), vw3_load(rod->stage[0], j)),
            b = vw3_sub(vw3_load(rod->stage[1], j + 1), vw3_load(rod->stage[1], j));
        VW first = vw3_dot(a, a), second = vw3_dot(b, b), change = second - first;
        vw_store(rod->scratch[0] + j, second + (1 - apart) / apart * change);
        vw_store(rod->scratch[1] + j, second + 1 / apart * change);
    }
}

// by how much the edges of a stage are to grow, into mz of that stage
INLINE void missing_edges(twRod* rod, int stage)
{
    for (int j = 0; j < rod->n; j += W)
    {
        VW3 e = vw3_sub(vw3_load(rod->stage[stage], j + 1), vw3_load(rod->stage[stage], j));
        VW here = vw3_dot(e, e), share = 0.5 * (vw_load(rod->scratch[stage] + j) - here) / (here + NO_LENGTH);
        vw3_store(rod->mz[stage], j, vw3_scale(e, share));
    }
}

// sums of edges, from the first point, less a straight line from held point to held point; in place
static void sum_edges(const twRod* rod, double* shift)
{
    const int n = rod->n;
    double sum = 0, weighted = 0;
    int held = -1;
    for (int i = 0; i < n; i++)
    {
        const double edge = shift[i];
        shift[i] = sum;
        weighted += rod->row_mass[i] * sum;
        sum += edge;
        if (rod->free_x[i] != 0) continue;
        const double here = shift[i], slope = held < 0 ? 0 : (here - shift[held]) / (i - held);
        for (int k = held < 0 ? 0 : held + 1; k <= i; k++) shift[k] -= here - slope * (i - k);
        held = i, sum -= here;
    }
    // nothing held: the centre stays
    for (int i = 0; held < 0 && i < n; i++) shift[i] -= weighted / rod->total_mass;
}

static void keep_lengths(twRod* rod)
{
    for (int k = 0; k < 2; k++)
    {
        missing_edges(rod, k);
        for (int c = 0; c < 3; c++)
        {
            sum_edges(rod, rod->mz[k][c]);
            for (int i = 0; i < rod->n; i++)
            {
                rod->stage[k][c][i] += rod->mz[k][c][i];
                rod->z[k][c][i] += rod->mz[k][c][i];
            }
        }
    }
}

static void kernel_guess(twRod* rod, RodGuess kind)
{
    const bool extrapolate = kind != ROD_GUESS_NONE;
    const double c1 = 0.5 - rod->scheme.offset, c2 = 0.5 + rod->scheme.offset, h = rod->scheme.h;
    double p[2][2];
    memcpy(p, rod->scheme.extrapolate, sizeof p);
    if (kind == ROD_GUESS_LENGTHS) extrapolate_lengths(rod);
    for (int c = 0; c < rod->dofs; c++)
    {
        double *z1 = rod->z[0][c], *z2 = rod->z[1][c], *q1 = rod->stage[0][c], *q2 = rod->stage[1][c];
        const double *q = rod->q[c], *v = rod->v[c];
        VW sum = {0};
        for (int i = 0; i < rod->n; i += W)
        {
            if (c < 3) sum += vw_load(rod->row_mass + i) * vw_load(v + i);
            VW a = vw_load(z1 + i), b = vw_load(z2 + i), move = h * vw_load(v + i), here = vw_load(q + i);
            VW n1 = extrapolate ? p[0][0] * a + p[0][1] * b : (VW){0},
               n2 = extrapolate ? p[1][0] * a + p[1][1] * b : (VW){0};
            vw_store(z1 + i, n1);
            vw_store(z2 + i, n2);
            vw_store(q1 + i, here + c1 * move + n1);
            vw_store(q2 + i, here + c2 * move + n2);
        }
        if (c < 3) rod->sum_v[c] = sum_of(sum);
    }
    if (kind == ROD_GUESS_LENGTHS) keep_lengths(rod);
}
