// SPDX-License-Identifier: MIT
// What becomes of a rod that was squeezed until an edge turned round or vanished.
//
// There bending has no direction and no bound (2 tan of a right angle), so that no step goes on from it. A rod that was stopped is
// therefore unfolded: points at folds, and their neighbours, go half way to the middle of their neighbours until no fold is left,
// and a little sideways, so that a straight rod may buckle.
#include "element.h"
#include "rod.h"
#include <math.h>

static twVec3 point(const twRod* rod, int i)
{
    i = (i + rod->n) % rod->n;
    return tw_vec3(rod->q[0][i], rod->q[1][i], rod->q[2][i]);
}

static twVec3 edge_before(const twRod* rod, int i)
{
    if (i > 0 || rod->closed) return tw_vec3_sub(point(rod, i), point(rod, i - 1));
    const double* g = rod->ghost[0];
    return rod->clamp[0] ? tw_vec3(g[0], g[1], g[2]) : tw_vec3_sub(point(rod, 1), point(rod, 0));
}

static twVec3 edge_after(const twRod* rod, int i)
{
    if (i < rod->n - 1 || rod->closed) return tw_vec3_sub(point(rod, i + 1), point(rod, i));
    const double* g = rod->ghost[1];
    return rod->clamp[1] ? tw_vec3(g[0], g[1], g[2]) : tw_vec3_sub(point(rod, i), point(rod, i - 1));
}

static bool is_folded(const twRod* rod, int i)
{
    const double sharp = 1e-2, short_edge = 1e-3;  // 1 + cosine, 174 degrees; of the rest length
    twVec3 e = edge_before(rod, i), f = edge_after(rod, i);
    double le = tw_vec3_norm(e), lf = tw_vec3_norm(f), rest = rod->rest_length[i < rod->ne ? i : rod->ne - 1];
    if (!(fmin(le, lf) > short_edge * rest)) return true;
    double k2 = rod->k1_rest[i] * rod->k1_rest[i] + rod->k2_rest[i] * rod->k2_rest[i], at_rest = 2 / (1 + k2 / 4);
    return 1 + tw_vec3_dot(e, f) / (le * lf) < fmin(sharp, 0.5 * at_rest);
}

static void smooth(twRod* rod, int i, double sideways)
{
    if (rod->free_x[i] == 0 || (!rod->closed && (i == 0 || i == rod->n - 1))) return;
    twVec3 middle = tw_vec3_scale(tw_vec3_add(point(rod, i - 1), point(rod, i + 1)), 0.5);
    for (int c = 0; c < 3; c++)
        rod->q[c][i] = 0.5 * (rod->q[c][i] + ((const double*)&middle)[c]) + sideways * rod->d0[c][i];
    tw_rod_wrap(rod, rod->q, 3);
}

// Frames carried through a fold may come out half a turn off. Then edge j's is carried over from a neighbour, with the twist at rest.
static void carry_frame(twRod* rod, const RodFrame* from, int j, double twist)
{
    RodFrame f = rod_frame_at(rod->t0, rod->d0, rod->e0, j);
    double trace = tw_vec3_dot(from->t, f.t) + tw_vec3_dot(from->d1, f.d1) + tw_vec3_dot(from->d2, f.d2);
    if (1 + trace > 1) return;
    f = rod_turned(rod_frame(f.t, rod_carry(from->d1, from->t, f.t)), twist);
    tw_rod_set_frame(rod, j, &f);
}

// moved (points): which ones were
static void mend_frames(twRod* rod, const double* moved)
{
    int first = 0;
    while (first < rod->ne - 1 && (moved[first] > 0 || moved[(first + 1) % rod->n] > 0)) first++;
    for (int j = first; j > 0; j--)
    {
        RodFrame next = rod_frame_at(rod->t0, rod->d0, rod->e0, j);
        carry_frame(rod, &next, j - 1, -rod->tau_rest[j]);
    }
    for (int j = first; j + 1 < rod->ne; j++)
    {
        RodFrame last = rod_frame_at(rod->t0, rod->d0, rod->e0, j);
        carry_frame(rod, &last, j + 1, rod->tau_rest[j + 1]);
    }
    tw_rod_frame_edges(rod, rod->t0, rod->d0, rod->e0);
}

void tw_rod_unfold(twRod* rod)
{
    enum
    {
        ROUNDS = 50
    };
    const double nudge = 1e-2;  // of an edge
    double* moved = rod->scratch[0];
    for (int i = 0; i < rod->n; i++) moved[i] = 0;
    bool any = false, left = true;
    for (int round = 0; left && round < ROUNDS; round++)
    {
        left = false;
        for (int i = 0; i < rod->n; i++)
        {
            if (!is_folded(rod, i)) continue;
            left = any = true;
            double sideways = nudge * rod->rest_length[i < rod->ne ? i : rod->ne - 1];
            for (int k = i - 1; k <= i + 1; k++)
            {
                int at = rod->closed ? (k + rod->n) % rod->n : k;
                if (at < 0 || at >= rod->n) continue;
                smooth(rod, at, sideways);
                moved[at] = 1;
            }
        }
    }
    if (!any) return;
    rod->kernel->commit(rod);
    mend_frames(rod, moved);
}
