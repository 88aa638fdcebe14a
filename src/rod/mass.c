// SPDX-License-Identifier: MIT
// Mass times a vector, and the mass as blocks.
//
// With shear the section of edge j has rotary inertia: its normal turns by psi_a = d_a.(v_j+1 - v_j)/l - tilt_a', and the
// kinetic energy has 1/2 psi^T (rho I l) psi. d_a are the frames at the start of the step.
#include "rod.h"
#include <string.h>

// the turn's gradient with respect to edge vector and tilts, applied to x and spread back
static void add_rotary(const twRod* rod, double* const* x, double* const* out)
{
    for (int j = 0; j < rod->ne; j++)
    {
        double inv = rod->inv_rest[j], psi1 = -x[ROD_TILT][j], psi2 = -x[ROD_TILT + 1][j];
        int k = j + 1 < rod->n ? j + 1 : 0;
        for (int c = 0; c < 3; c++)
        {
            double edge = (x[c][k] - x[c][j]) * inv;
            psi1 += rod->d0[c][j] * edge;
            psi2 += rod->e0[c][j] * edge;
        }
        double m1 = rod->roll11[j] * psi1 + rod->roll12[j] * psi2, m2 = rod->roll12[j] * psi1 + rod->roll22[j] * psi2;
        for (int c = 0; c < 3; c++)
        {
            double f = (rod->d0[c][j] * m1 + rod->e0[c][j] * m2) * inv;
            out[c][k] += f;
            out[c][j] -= f;
        }
        out[ROD_TILT][j] -= m1;
        out[ROD_TILT + 1][j] -= m2;
    }
}

void tw_rod_mass_of(const twRod* rod, double* const* x, double* const* out)
{
    for (int c = 0; c < 4; c++)
    {
        const double* restrict m = c < ROD_TURN ? rod->mass : rod->spin_mass, * restrict off = c < ROD_TURN ? rod->mass_off : rod->spin_off, * restrict in = x[c];
        double* restrict to = out[c];
        for (int i = 0; i < rod->n; i++) to[i] = m[i] * in[i] + off[i - 1] * in[i - 1] + off[i] * in[i + 1];
    }
    if (!rod->shear) return;
    for (int c = ROD_TILT; c < ROD_DOFS; c++) memset(out[c], 0, (size_t)rod->n * sizeof(double));
    add_rotary(rod, x, out);
}

void tw_rod_mass_times(twRod* rod, int stage)
{
    const RodScheme* s = &rod->scheme;
    double** sum = rod->scratch;
    for (int c = 0; c < rod->dofs; c++)
    {
        double fall = c < ROD_TURN ? s->fall[stage] * ((const double*)&rod->gravity)[c] : 0;
        for (int i = 0; i < rod->n; i++) sum[c][i] = rod->z[stage][c][i] + s->drag[stage] * rod->v[c][i] - fall;
    }
    tw_rod_wrap(rod, sum, rod->dofs);
    tw_rod_mass_of(rod, sum, rod->mz[stage]);
}

static double* block_at(const twRod* rod, double* blocks, int node, int k)
{
    return blocks + ((size_t)node * 3 + (size_t)k) * (size_t)(rod->dofs * rod->dofs);
}

static void rotary_blocks(const twRod* rod, double* blocks)
{
    int dofs = rod->dofs;
    for (int j = 0; j < rod->ne; j++)
    {
        // rows of the turn's gradient: on node j (edge and tilts), on node j + 1 (edge)
        double g[2][2][ROD_DOFS] = {0}, inv = rod->inv_rest[j];
        for (int c = 0; c < 3; c++)
        {
            g[0][0][c] = -rod->d0[c][j] * inv, g[0][1][c] = rod->d0[c][j] * inv;
            g[1][0][c] = -rod->e0[c][j] * inv, g[1][1][c] = rod->e0[c][j] * inv;
        }
        g[0][0][ROD_TILT] = g[1][0][ROD_TILT + 1] = -1;
        const double roll[2][2] = {{rod->roll11[j], rod->roll12[j]}, {rod->roll12[j], rod->roll22[j]}};
        for (int b = 0; b < 2; b++)
            for (int a = b; a < 2; a++)
            {
                double* block = block_at(rod, blocks, (j + b) % rod->n, a - b);
                for (int c = 0; c < dofs; c++)
                    for (int r = 0; r < dofs; r++)
                        for (int k = 0; k < 2; k++)
                            for (int m = 0; m < 2; m++) block[c * dofs + r] += roll[k][m] * g[k][a][r] * g[m][b][c];
            }
    }
}

void tw_rod_mass_blocks(const twRod* rod, double* blocks)
{
    int dofs = rod->dofs;
    memset(blocks, 0, (size_t)rod->n * 3 * (size_t)(dofs * dofs) * sizeof(double));
    for (int i = 0; i < rod->n; i++)
        for (int c = 0; c < 4; c++)
        {
            block_at(rod, blocks, i, 0)[c * dofs + c] = c < ROD_TURN ? rod->mass[i] : rod->spin_mass[i];
            block_at(rod, blocks, i, 1)[c * dofs + c] = c < ROD_TURN ? rod->mass_off[i] : rod->spin_off[i];
        }
    if (rod->shear) rotary_blocks(rod, blocks);
}
