// SPDX-License-Identifier: MIT
// Anderson's mixing (1965; Walker and Ni 2011) of steps with old factors. With f = A^-1 g at each of the last points, the step
//
//   dy = -f - sum c_j (dy_j - df_j),   c = argmin |f - sum c_j df_j|
//
// uses the differences df_j of f over the past steps dy_j as secants: a few of them are worth a new factor.
#include "solver.h"

void mix_reset(Solver* s) { s->past_count = 0; }

// Cholesky of the Gram matrix of the df_j, newest first. @return how many are independent
static int factor_gram(int count, double a[MIX_DEPTH][MIX_DEPTH])
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
        {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 1e-10 * a[i][i])) return i;
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    return count;
}

static int weights(int count, double a[MIX_DEPTH][MIX_DEPTH], double c[MIX_DEPTH])
{
    int used = factor_gram(count, a);
    for (int i = 0; i < used; i++)
    {
        for (int k = 0; k < i; k++) c[i] -= a[i][k] * c[k];
        c[i] /= a[i][i];
    }
    for (int i = used - 1; i >= 0; i--)
    {
        for (int k = i + 1; k < used; k++) c[i] -= a[k][i] * c[k];
        c[i] /= a[i][i];
    }
    return used;
}

// the j-th last differences, j = 0 the newest: of y, and of f
static double* past(const Solver* s, int j, int kind)
{
    int slot = (s->past_next + MIX_DEPTH - 1 - j) % MIX_DEPTH;
    return s->past + (size_t)(2 * slot + kind) * (size_t)s->size_room;
}

void mix_step(Solver* s)
{
    int n = s->group->size;
    double *last_y = s->past + (size_t)(2 * MIX_DEPTH) * (size_t)s->size_room, *last_f = last_y + s->size_room;
    double a[MIX_DEPTH][MIX_DEPTH] = {{0}}, c[MIX_DEPTH] = {0};
    if (s->past_count > 0)
    {
        s->past_next = (s->past_next + 1) % MIX_DEPTH;
        double *step = past(s, 0, 0), *change = past(s, 0, 1);
        for (int i = 0; i < n; i++)
        {
            step[i] = s->y[i] - last_y[i];
            change[i] = s->dy[i] - last_f[i];
        }
    }
    memcpy(last_y, s->y, (size_t)n * sizeof(double));
    memcpy(last_f, s->dy, (size_t)n * sizeof(double));
    int count = s->past_count < MIX_DEPTH ? s->past_count : MIX_DEPTH;
    s->past_count++;
    for (int i = 0; i < count; i++)
    {
        for (int j = 0; j <= i; j++) a[i][j] = block_dot(past(s, i, 1), past(s, j, 1), n);
        c[i] = block_dot(past(s, i, 1), s->dy, n);
    }
    int used = weights(count, a, c);
    for (int i = 0; i < n; i++) s->dy[i] = -s->dy[i];
    for (int j = 0; j < used; j++)
    {
        const double *step = past(s, j, 0), *change = past(s, j, 1);
        for (int i = 0; i < n; i++) s->dy[i] -= c[j] * (step[i] - change[i]);
    }
}
