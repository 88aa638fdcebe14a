// SPDX-License-Identifier: MIT
// Stiffness and mass of a rod from its sections and rest lengths.
//
// Bending at node i: B = E I/c with c the length it stands for, half of both edges. The angle of a clamped beam is the sum of
// c M/(E I) over the nodes, a trapezoidal rule for the integral of M/(E I); at a clamp, where M does not vanish, the rule gets
// its end correction, l^2/12 M' with M' from three nodes: weights 3/8, 7/6, 23/24 instead of 1/2, 1, 1. That makes clamped bars
// 4th order like free ones. At rest with curvature k the element's angle is 2 atan(k/2), which B is corrected for.
//
// Mass with consistent sharing: l/6 [2 1; 1 2] per edge for the points; for turns [1 10 1]/12 between edges. Tension changes
// that (tension.c).
#include "rod.h"
#include <math.h>

static const twSection* section_at(const twRodDef* def, int i)
{
    return &def->sections[def->section_count == 1 ? 0 : i];
}

// lengths the nodes stand for, in bending; c (n)
static void node_lengths(const twRod* rod, double* c)
{
    int n = rod->n;
    const double* l = rod->rest_length;
    for (int i = 0; i < n; i++)
    {
        bool first = i == 0 && !rod->closed, last = i == n - 1 && !rod->closed;
        c[i] = first ? 0.5 * l[0] : last ? 0.5 * l[n - 2] : 0.5 * (l[i > 0 ? i - 1 : n - 1] + l[i]);
    }
    if (n < 7) return;
    for (int end = 0; end < 2; end++)
    {
        if (!rod->clamp[end]) continue;
        double h0 = end ? l[n - 2] : l[0], h1 = end ? l[n - 3] : l[1], share = h0 * h0 / 12;
        double* at[3] = {c + (end ? n - 1 : 0), c + (end ? n - 2 : 1), c + (end ? n - 3 : 2)};
        *at[0] -= share * (2 * h0 + h1) / (h0 * (h0 + h1));
        *at[1] += share * (h0 + h1) / (h0 * h1);
        *at[2] -= share * h0 / (h1 * (h0 + h1));
    }
}

// a tensor with principal values a, b, turned by the section's angle: 11, 22, 12
void tw_rod_turn_tensor(double a, double b, double angle, double out[3])
{
    double c = cos(angle), s = sin(angle);
    out[0] = a * c * c + b * s * s;
    out[1] = a * s * s + b * c * c;
    out[2] = (a - b) * s * c;
}

// B for small changes of an angle instead of 2 tan(angle/2), along the curvature at rest
static void correct_curved(double k1, double k2, double b[3])
{
    double k = k1 * k1 + k2 * k2;
    if (!(k > 0)) return;
    double shrink = (1 - 1 / (1 + k / 4)) / k;
    double p11 = 1 - shrink * k1 * k1, p22 = 1 - shrink * k2 * k2, p12 = -shrink * k1 * k2;
    double c11 = p11 * b[0] + p12 * b[2], c12 = p11 * b[2] + p12 * b[1], c21 = p12 * b[0] + p22 * b[2];
    double c22 = p12 * b[2] + p22 * b[1];
    b[0] = c11 * p11 + c12 * p12;
    b[1] = c21 * p12 + c22 * p22;
    b[2] = c11 * p12 + c12 * p22;
}

// bending at a clamped end, by what tension makes of it; after all other nodes
static void build_clamp(twRod* rod, const twRodDef* def, const double* pull, int end)
{
    int i = end ? rod->n - 1 : 0;
    const twSection* s = section_at(def, i);
    double c = cos(s->angle), n = sin(s->angle), b[3];
    double first = tw_rod_clamp_stiffness(rod, def, pull, end, c, n);
    double second = tw_rod_clamp_stiffness(rod, def, pull, end, -n, c);
    if (!(first > 0 && second > 0)) return;
    tw_rod_turn_tensor(first, second, s->angle, b);
    rod->b11[i] = b[0], rod->b22[i] = b[1], rod->b12[i] = b[2];
}

// pull (edges): tension times length; lump (nodes): how much of the shared mass goes back to the points
static void build_nodes(twRod* rod, const twRodDef* def, const double* pull, double* lump)
{
    double* c = rod->y;  // scratch: there is room for more than n
    node_lengths(rod, c);
    double shear_modulus = def->young / (2 * (1 + def->poisson));
    bool consistent = def->mass == TW_ROD_CONSISTENT;
    for (int i = 0; i < rod->n; i++)
    {
        bool first = i == 0 && !rod->closed, last = i == rod->n - 1 && !rod->closed;
        double b[3], torsion;
        tw_rod_node_section(rod, def, i, b, &torsion);
        for (int k = 0; k < 3; k++) b[k] *= def->young / c[i];
        correct_curved(rod->k1_rest[i], rod->k2_rest[i], b);
        lump[i] = consistent ? tw_rod_soften(rod, pull, i, b) : 0;
        if ((first && !rod->clamp[0]) || (last && !rod->clamp[1])) continue;
        rod->b11[i] = b[0], rod->b22[i] = b[1], rod->b12[i] = b[2];
        double before = first ? 0 : rod->rest_length[i > 0 ? i - 1 : rod->ne - 1],
               after = last ? 0 : rod->rest_length[i];
        rod->twist_b[i] = shear_modulus * torsion / (0.5 * (before + after));
    }
    for (int i = 0; i < rod->n; i++) c[i] = 0;
    for (int end = 0; consistent && end < 2; end++)
        if (rod->clamp[end]) build_clamp(rod, def, pull, end);
}

static void build_axial(twRod* rod, const twRodDef* def)
{
    for (int j = 0; j < rod->ne; j++)
        rod->axial[j] = def->young * 0.5 * (section_at(def, j)->area + section_at(def, (j + 1) % rod->n)->area);
}

static void build_edges(twRod* rod, const twRodDef* def, const double* lump)
{
    bool consistent = def->mass == TW_ROD_CONSISTENT;
    double shear_modulus = def->young / (2 * (1 + def->poisson)), rho = def->density;
    for (int j = 0; j < rod->ne; j++)
    {
        int k = (j + 1) % rod->n;
        const twSection *a = section_at(def, j), *b = section_at(def, k);
        double l = rod->rest_length[j], share = rho * l / 12, off = consistent ? share * (a->area + b->area) : 0;
        double back = 0.25 * (lump[j] + lump[k]) * off;
        rod->mass[j] += back + (consistent ? share * (3 * a->area + b->area) : 0.5 * rho * l * a->area);
        rod->mass[k] += back + (consistent ? share * (a->area + 3 * b->area) : 0.5 * rho * l * b->area);
        rod->mass_off[j] = off - back;
        rod->spin_mass[j] += 0.5 * rho * l * (a->moment[0] + a->moment[1] + b->moment[0] + b->moment[1]);
        if (!rod->shear) continue;
        double t[3], u[3];
        tw_rod_turn_tensor(a->shear[0] * a->area, a->shear[1] * a->area, a->angle, t);
        tw_rod_turn_tensor(b->shear[0] * b->area, b->shear[1] * b->area, b->angle, u);
        double half = 0.5 * shear_modulus * l;
        rod->tilt11[j] = half * (t[0] + u[0]), rod->tilt22[j] = half * (t[1] + u[1]),
        rod->tilt12[j] = half * (t[2] + u[2]);
        tw_rod_turn_tensor(a->moment[0], a->moment[1], a->angle, t);
        tw_rod_turn_tensor(b->moment[0], b->moment[1], b->angle, u);
        half = 0.5 * rho * l;
        rod->roll11[j] = half * (t[0] + u[0]), rod->roll22[j] = half * (t[1] + u[1]),
        rod->roll12[j] = half * (t[2] + u[2]);
    }
}

// what makes stretching and twisting waves 4th order: between neighbouring edges, by the shorter one
static void build_neighbours(twRod* rod, const twRodDef* def, const double* lump)
{
    if (def->mass != TW_ROD_CONSISTENT) return;
    for (int i = rod->closed ? 0 : 1; i < rod->ne; i++)
    {
        int before = i > 0 ? i - 1 : rod->ne - 1;
        double l = fmin(rod->rest_length[before], rod->rest_length[i]);
        rod->axial_node[i] = fmin(rod->axial[before], rod->axial[i]) * l / 12 * (1 - lump[i]);
        const twSection* s = section_at(def, i);
        double off = def->density * (s->moment[0] + s->moment[1]) * l / 12;
        rod->spin_off[before] = off;
        rod->spin_mass[before] -= off;
        rod->spin_mass[i] -= off;
    }
}

void tw_rod_build_stiffness(twRod* rod, const twRodDef* def)
{
    double *pull = rod->scratch[0], *lump = rod->scratch[1];
    build_axial(rod, def);
    tw_rod_find_pulls(rod, pull);
    build_nodes(rod, def, pull, lump);
    build_edges(rod, def, lump);
    build_neighbours(rod, def, lump);
    for (int i = 0; i < rod->n; i++) pull[i] = lump[i] = 0;
    // turns without an edge have some mass, so that the system is regular
    if (!rod->closed) rod->spin_mass[rod->n - 1] = rod->spin_mass[rod->n - 2];
    if (rod->closed)
    {
        double* around[] = {rod->mass_off, rod->spin_off, rod->axial_node};
        tw_rod_wrap(rod, around, 3);
    }
    const twSection* s = section_at(def, 0);
    rod->turn_radius = sqrt((s->moment[0] + s->moment[1]) / s->area);
    double shortest = rod->rest_length[0];
    for (int j = 1; j < rod->ne; j++) shortest = fmin(shortest, rod->rest_length[j]);
    rod->tolerance = def->tolerance;
    rod->total_mass = 0;
    for (int i = 0; i < rod->n; i++)
    {
        rod->row_mass[i] = rod->mass[i] + rod->mass_off[i - 1] + rod->mass_off[i];
        rod->total_mass += rod->row_mass[i];
    }
    rod->fastest = 0;
    for (int j = 0; j < rod->ne; j++)
        rod->fastest = fmax(rod->fastest,
                            sqrt(rod->axial[j] * rod->inv_rest[j] / fmin(rod->mass[j], rod->mass[(j + 1) % rod->n])));
    rod->finest = rod->enough = fmax(1e-14 * shortest, 2e-15 * rod->reach);
}
