// SPDX-License-Identifier: MIT
// 4- and 10-node tetrahedra, isoparametric (Zienkiewicz and Taylor, The Finite Element Method, 1, ch. 6 and 8). With
// barycentric coordinates l0..l3, corner functions N_i = l_i (linear) or l_i (2 l_i - 1), mid-edge functions 4 l_i l_j.
// With G_p the gradient of N_p in space, the 3x3 block of the stiffness of nodes p, q is
//     K_pq = integral of   B_p^T C B_q,   for isotropic C   lambda G_p G_q^T + mu G_q G_p^T + mu (G_p . G_q) I,
// B_p the 6 x 3 matrix of the strains (11, 22, 33, 2 23, 2 13, 2 12) by a displacement of node p,
// and the consistent mass  m_pq = integral of rho N_p N_q, the same for x, y and z.
// Rules: 4 points of degree 2, enough for order 4 in frequency (Strang and Fix, 4.3), and Stroud's T3: 5-1 (Approximate
// Calculation of Multiple Integrals, 1971), 15 points of degree 5, all inside and with positive weights, so that the
// mass of a curved element is positive definite.
#include "fem/element.h"
#include <string.h>

// nodes at the ends of the mid-edge nodes 4..9
static const int edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

void fem_shape(int nodes, const double l[4], double* value, double (*slope)[3])
{
    // dl_i/d(l1, l2, l3), with l0 = 1 - l1 - l2 - l3
    static const double dl[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 4; i++)
    {
        value[i] = nodes == 4 ? l[i] : l[i] * (2 * l[i] - 1);
        double factor = nodes == 4 ? 1 : 4 * l[i] - 1;
        for (int d = 0; d < 3; d++) slope[i][d] = factor * dl[i][d];
    }
    for (int e = 0; e < nodes - 4; e++)
    {
        int i = edge_ends[e][0], j = edge_ends[e][1];
        value[4 + e] = 4 * l[i] * l[j];
        for (int d = 0; d < 3; d++) slope[4 + e][d] = 4 * (l[i] * dl[j][d] + l[j] * dl[i][d]);
    }
}

// ---- rules ----

// four points with one coordinate 1 - 3 a and the others a
static FemPoint* add_corner_points(FemPoint* point, double a, double weight)
{
    for (int i = 0; i < 4; i++, point++)
    {
        *point = (FemPoint){{a, a, a, a}, weight};
        point->l[i] = 1 - 3 * a;
    }
    return point;
}

// six points with two coordinates a and the others 1/2 - a
static FemPoint* add_edge_points(FemPoint* point, double a, double weight)
{
    for (int e = 0; e < 6; e++, point++)
    {
        *point = (FemPoint){{0.5 - a, 0.5 - a, 0.5 - a, 0.5 - a}, weight};
        point->l[edge_ends[e][0]] = point->l[edge_ends[e][1]] = a;
    }
    return point;
}

FemRule fem_rule(int nodes)
{
    FemRule rule = {.nodes = nodes, .stiff_points = nodes == 4 ? 1 : 4};
    const double root = sqrt(15);
    if (nodes == 4)
        rule.stiff[0] = (FemPoint){{0.25, 0.25, 0.25, 0.25}, 1};
    else
        add_corner_points(rule.stiff, (5 - sqrt(5)) / 20, 0.25);

    rule.mass[0] = (FemPoint){{0.25, 0.25, 0.25, 0.25}, 16.0 / 135};
    FemPoint* next = add_corner_points(rule.mass + 1, (7 - root) / 34, (2665 + 14 * root) / 37800);
    next = add_corner_points(next, (7 + root) / 34, (2665 - 14 * root) / 37800);
    add_edge_points(next, (5 - root) / 20, 10.0 / 189);

    double value[FEM_MAX_NODES];
    for (int i = 0; i < rule.stiff_points; i++) fem_shape(nodes, rule.stiff[i].l, value, rule.stiff_slope[i]);
    for (int i = 0; i < FEM_MASS_POINTS; i++) fem_shape(nodes, rule.mass[i].l, rule.mass_value[i], rule.mass_slope[i]);
    return rule;
}

// ---- elements ----

// Jacobian dx/dl at a point by rows of l; returns its determinant
static double jacobian(double j[3][3], int nodes, const double (*slope)[3], const twVec3* x)
{
    memset(j, 0, 9 * sizeof(double));
    for (int p = 0; p < nodes; p++)
        for (int d = 0; d < 3; d++)
        {
            j[d][0] += slope[p][d] * x[p].x;
            j[d][1] += slope[p][d] * x[p].y;
            j[d][2] += slope[p][d] * x[p].z;
        }
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) - j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
}

// gradients in space: G = J^-1 dN/dl, by cofactors
static void gradients(double (*g)[3], int nodes, double j[3][3], double det, const double (*slope)[3])
{
    double inverse[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
        {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            inverse[c][r] = (j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1]) / det;
        }
    for (int p = 0; p < nodes; p++)
        for (int c = 0; c < 3; c++)
            g[p][c] = inverse[c][0] * slope[p][0] + inverse[c][1] * slope[p][1] + inverse[c][2] * slope[p][2];
}

static void element_add_isotropic(FemElement* element, int nodes, double (*g)[3], double lambda, double mu)
{
    for (int p = 0; p < nodes; p++)
        for (int q = 0; q <= p; q++)
        {
            double* k = element->k[p][q];
            double shear = mu * (g[p][0] * g[q][0] + g[p][1] * g[q][1] + g[p][2] * g[q][2]);
            for (int r = 0; r < 3; r++)
            {
                double stretch = lambda * g[p][r], turn = mu * g[q][r];
                for (int s = 0; s < 3; s++) k[3 * r + s] += stretch * g[q][s] + turn * g[p][s];
                k[4 * r] += shear;
            }
        }
}

// C B_q, with the columns of B_q (g0 0 0 0 g2 g1), (0 g1 0 g2 0 g0), (0 0 g2 g1 g0 0)
static void element_stress(double s[6][3], const FemStiffness* stiffness, const double g[3], double weight)
{
    const double x = weight * g[0], y = weight * g[1], z = weight * g[2];
    for (int i = 0; i < 6; i++)
    {
        const double* c = stiffness->c[i];
        s[i][0] = c[0] * x + c[4] * z + c[5] * y;
        s[i][1] = c[1] * y + c[3] * z + c[5] * x;
        s[i][2] = c[2] * z + c[3] * y + c[4] * x;
    }
}

static void element_add_stiffness(FemElement* element, int nodes, double (*g)[3], const FemStiffness* stiffness,
                                  double weight)
{
    for (int q = 0; q < nodes; q++)
    {
        double s[6][3];
        element_stress(s, stiffness, g[q], weight);
        for (int p = q; p < nodes; p++)
        {
            double* k = element->k[p][q];
            for (int i = 0; i < 3; i++)
            {
                k[i] += g[p][0] * s[0][i] + g[p][2] * s[4][i] + g[p][1] * s[5][i];
                k[3 + i] += g[p][1] * s[1][i] + g[p][2] * s[3][i] + g[p][0] * s[5][i];
                k[6 + i] += g[p][2] * s[2][i] + g[p][1] * s[3][i] + g[p][0] * s[4][i];
            }
        }
    }
}

static void add_mass(FemElement* element, int nodes, const double* value, double weight)
{
    for (int p = 0; p < nodes; p++)
    {
        double scaled = weight * value[p];
        for (int q = 0; q <= p; q++) element->m[p][q] += scaled * value[q];
    }
}

twMat3 fem_fibre(twMat3 fibre)
{
    for (int i = 0; i < 9; i++)
        if (fibre.m[i / 3][i % 3] != 0) return fibre;
    return tw_mat3_identity();
}

FemStiffness fem_stiffness(const twMaterial* material, twMat3 fibre)
{
    FemStiffness out = {.isotropic = !tw_material_is_orthotropic(material)};
    double c[6][6];
    tw_material_stiffness(c, material);
    if (out.isotropic)
        memcpy(out.c, c, sizeof c);
    else
        tw_stiffness_rotate(out.c, c, fem_fibre(fibre));
    out.lambda = out.c[0][1];
    out.mu = out.c[3][3];
    return out;
}

bool fem_element(FemElement* element, const FemRule* rule, const twVec3* x, const FemStiffness* stiffness, double rho)
{
    *element = (FemElement){.least_det = HUGE_VAL};
    double j[3][3], g[FEM_MAX_NODES][3];
    for (int i = 0; i < rule->stiff_points; i++)
    {
        double det = jacobian(j, rule->nodes, rule->stiff_slope[i], x);
        if (!(det >= element->least_det)) element->least_det = det;
        double weight = rule->stiff[i].weight * det / 6;
        gradients(g, rule->nodes, j, det, rule->stiff_slope[i]);
        if (stiffness->isotropic)
            element_add_isotropic(element, rule->nodes, g, stiffness->lambda * weight, stiffness->mu * weight);
        else
            element_add_stiffness(element, rule->nodes, g, stiffness, weight);
    }
    for (int i = 0; i < FEM_MASS_POINTS; i++)
    {
        double det = jacobian(j, rule->nodes, rule->mass_slope[i], x);
        if (!(det >= element->least_det)) element->least_det = det;
        double weight = rule->mass[i].weight * det / 6;
        element->volume += weight;
        add_mass(element, rule->nodes, rule->mass_value[i], rho * weight);
    }
    return element->least_det > 0;
}
