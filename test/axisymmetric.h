// SPDX-License-Identifier: MIT
#pragma once
#include "fem/solve.h"
#include "twang/fem.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Three-dimensional elasticity of bodies of revolution, as a reference for shells: displacements
///     u_r = a(r, z) cos n phi,   u_phi = b(r, z) sin n phi,   u_z = c(r, z) cos n phi
/// with a, b, c of degree 4 on quadrilaterals of the section, at Gauss-Lobatto points. No thinness
/// is assumed; a few hundred points give frequencies to 1e-4 or better (compare with more
/// quadrilaterals).

enum
{
    AXI_P = 4,
    AXI_SIDE = AXI_P + 1,
    AXI_NODES = AXI_SIDE * AXI_SIDE,
    AXI_GAUSS = 6,
    AXI_POINTS_MAX = 4000,
    AXI_QUADS_MAX = 200
};

/// (r, z) of a place of the section; part: which block of it, u and v from 0 to 1
typedef void (*AxiMap)(double* r, double* z, int part, double u, double v, const void* context);

typedef struct AxiBody
{
    int quads, points;
    double at[AXI_POINTS_MAX][2];
    int quad[AXI_QUADS_MAX][AXI_NODES];
    double young, poisson, density;
} AxiBody;

static const double axi_lobatto[AXI_SIDE] = {-1, -0.65465367070797714380, 0, 0.65465367070797714380, 1};
static const double axi_gauss[AXI_GAUSS] = {-0.93246951420315202781, -0.66120938646626451366, -0.23861918608319690863,
                                            0.23861918608319690863,  0.66120938646626451366,  0.93246951420315202781};
static const double axi_weight[AXI_GAUSS] = {0.17132449237917034504, 0.36076157304813860757, 0.46791393457269104739,
                                             0.46791393457269104739, 0.36076157304813860757, 0.17132449237917034504};

static inline int axi_point(AxiBody* body, double r, double z)
{
    for (int i = 0; i < body->points; i++)
        if (hypot(body->at[i][0] - r, body->at[i][1] - z) < 1e-9) return i;
    body->at[body->points][0] = r;
    body->at[body->points][1] = z;
    return body->points++;
}

/// quadrilaterals between the values of u (nu) and v (nv)
static inline void axi_add(AxiBody* body, AxiMap map, const void* context, int part, const double* u, int nu,
                           const double* v, int nv)
{
    for (int i = 0; i + 1 < nu; i++)
        for (int j = 0; j + 1 < nv; j++)
        {
            for (int k = 0; k < AXI_NODES; k++)
            {
                double r, z, s = 0.5 * (1 + axi_lobatto[k / AXI_SIDE]), t = 0.5 * (1 + axi_lobatto[k % AXI_SIDE]);
                map(&r, &z, part, u[i] + s * (u[i + 1] - u[i]), v[j] + t * (v[j + 1] - v[j]), context);
                body->quad[body->quads][k] = axi_point(body, r, z);
            }
            body->quads++;
        }
}

// Lagrange's polynomials and their slopes at a point
static inline void axi_lagrange(double x, double* value, double* slope)
{
    for (int i = 0; i < AXI_SIDE; i++)
    {
        value[i] = 1;
        slope[i] = 0;
        for (int j = 0; j < AXI_SIDE; j++)
        {
            if (j == i) continue;
            const double d = axi_lobatto[i] - axi_lobatto[j];
            slope[i] = (slope[i] * (x - axi_lobatto[j]) + value[i]) / d;
            value[i] *= (x - axi_lobatto[j]) / d;
        }
    }
}

// strain (rr, phi phi, zz, rz, r phi, phi z) of a node's three displacements: value N, slopes dr,
// dz
static inline void axi_strain(double b[6][3], double value, double dr, double dz, double r, int n)
{
    const double v = value / r;
    const double full[6][3] = {{dr, 0, 0},  {v, n * v, 0},       {0, 0, dz},
                               {dz, 0, dr}, {-n * v, dr - v, 0}, {0, dz, -n * v}};
    memcpy(b, full, sizeof full);
}

static inline void axi_element(const AxiBody* body, int quad, int n, double (*k)[AXI_NODES][9], double (*m)[AXI_NODES])
{
    const double nu = body->poisson, lame = body->young * nu / ((1 + nu) * (1 - 2 * nu)),
                 mu = body->young / (2 * (1 + nu));
    memset(k, 0, sizeof(double) * AXI_NODES * AXI_NODES * 9);
    memset(m, 0, sizeof(double) * AXI_NODES * AXI_NODES);
    for (int q = 0; q < AXI_GAUSS * AXI_GAUSS; q++)
    {
        double lu[AXI_SIDE], du[AXI_SIDE], lv[AXI_SIDE], dv[AXI_SIDE], value[AXI_NODES], slope[AXI_NODES][2];
        axi_lagrange(axi_gauss[q / AXI_GAUSS], lu, du);
        axi_lagrange(axi_gauss[q % AXI_GAUSS], lv, dv);
        double r = 0, j[2][2] = {{0}};
        for (int a = 0; a < AXI_NODES; a++)
        {
            const double* x = body->at[body->quad[quad][a]];
            value[a] = lu[a / AXI_SIDE] * lv[a % AXI_SIDE];
            slope[a][0] = du[a / AXI_SIDE] * lv[a % AXI_SIDE];
            slope[a][1] = lu[a / AXI_SIDE] * dv[a % AXI_SIDE];
            r += value[a] * x[0];
            for (int i = 0; i < 4; i++) j[i / 2][i % 2] += slope[a][i / 2] * x[i % 2];
        }
        const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        const double w = fabs(det) * r * axi_weight[q / AXI_GAUSS] * axi_weight[q % AXI_GAUSS];
        double b[AXI_NODES][6][3], s[AXI_NODES][6][3];
        for (int a = 0; a < AXI_NODES; a++)
        {
            const double dr = (j[1][1] * slope[a][0] - j[0][1] * slope[a][1]) / det;
            const double dz = (j[0][0] * slope[a][1] - j[1][0] * slope[a][0]) / det;
            axi_strain(b[a], value[a], dr, dz, r, n);
            for (int d = 0; d < 3; d++)
            {
                const double trace = lame * (b[a][0][d] + b[a][1][d] + b[a][2][d]);
                for (int i = 0; i < 6; i++) s[a][i][d] = w * (i < 3 ? trace + 2 * mu * b[a][i][d] : mu * b[a][i][d]);
            }
        }
        for (int a = 0; a < AXI_NODES; a++)
            for (int c = 0; c < AXI_NODES; c++)
            {
                m[a][c] += w * body->density * value[a] * value[c];
                for (int e = 0; e < 9; e++)
                    for (int i = 0; i < 6; i++) k[a][c][e] += b[a][i][e / 3] * s[c][i][e % 3];
            }
    }
}

/// Lowest frequencies [Hz] of order n >= 2, where points of the axis do not move. @return how many
static inline int axi_modes(const AxiBody* body, int n, int count, double* freq_hz)
{
    static double k[AXI_NODES][AXI_NODES][9], m[AXI_NODES][AXI_NODES];
    FemMemory memory = fem_memory(0);
    FemSystem* fem = fem_alloc(&memory, 1, sizeof *fem);
    fem->active = fem_alloc(&memory, (size_t)body->points, sizeof *fem->active);
    for (int i = 0; i < body->points; i++) fem->active[i] = body->at[i][0] > 1e-9 ? fem->nodes++ : -1;
    fem->length = fem->young = fem->density = 1;

    // pattern by a full matrix of marks
    const size_t nodes = (size_t)fem->nodes;
    char* mark = calloc(nodes * nodes, 1);
    for (int q = 0; q < body->quads; q++)
        for (int a = 0; a < AXI_NODES; a++)
            for (int c = 0; c < AXI_NODES; c++)
            {
                const int i = fem->active[body->quad[q][a]], j = fem->active[body->quad[q][c]];
                if (i >= 0 && j >= 0 && j <= i) mark[(size_t)i * nodes + (size_t)j] = 1;
            }
    fem->start = fem_alloc(&memory, nodes + 1, sizeof *fem->start);
    int64_t entries = 0;
    for (size_t i = 0; i < nodes; i++)
    {
        for (size_t j = 0; j <= i; j++) entries += mark[i * nodes + j];
        fem->start[i + 1] = entries;
    }
    fem->column = fem_alloc(&memory, (size_t)entries, sizeof *fem->column);
    fem->m = fem_alloc(&memory, (size_t)entries, sizeof *fem->m);
    fem->k = fem_alloc(&memory, (size_t)entries, 9 * sizeof *fem->k);
    entries = 0;
    for (size_t i = 0; i < nodes; i++)
        for (size_t j = 0; j <= i; j++)
            if (mark[i * nodes + j]) fem->column[entries++] = (int)j;
    for (int q = 0; q < body->quads; q++)
    {
        axi_element(body, q, n, k, m);
        for (int a = 0; a < AXI_NODES; a++)
            for (int c = 0; c < AXI_NODES; c++)
            {
                const int i = fem->active[body->quad[q][a]], j = fem->active[body->quad[q][c]];
                if (i < 0 || j < 0 || j > i) continue;
                int64_t e = fem->start[i];
                while (fem->column[e] != j) e++;
                // lengths in metres, moduli by E, densities by rho: eigenvalues times E / rho
                fem->m[e] += m[a][c] / body->density;
                for (int d = 0; d < 9; d++) fem->k[9 * e + d] += k[a][c][d] / body->young;
            }
    }
    free(mark);
    twFemDef want = tw_fem_def();
    want.count = count;
    const FemSolveDef def = {.system = fem, .memory = &memory, .want = &want, .weyl = {.line = 1}, .shift = 0.01};
    FemSolve* solve = NULL;
    twError err = {0};
    int found = 0;
    if (fem_solve_create(&solve, &def, &err) != TW_OK)
        printf("unexpected: %s\n", err.text);
    else
        found = fem_solve_result(solve).count;
    for (int i = 0; i < found; i++)
        freq_hz[i] = sqrt(fem_solve_lambda(solve, i) * body->young / body->density) / (2 * TW_PI);
    fem_solve_destroy(solve);
    fem_system_destroy(fem, &memory);
    return found;
}

// ---- bodies ----

/// half a sphere, up to the equator: u the angle, v across the wall
static inline void axi_hemisphere_map(double* r, double* z, int part, double u, double v, const void* context)
{
    (void)part;
    const double* p = context;  // middle radius, thickness
    const double angle = 0.5 * TW_PI * u, radius = p[0] + (v - 0.5) * p[1];
    *r = u > 0 ? radius * sin(angle) : 0;
    *z = -radius * cos(angle);
}
static inline AxiBody* axi_hemisphere(double radius, double thickness)
{
    static const double u[] = {0, 0.2, 0.4, 0.6, 0.75, 0.86, 0.93, 0.97, 1}, v[] = {0, 0.5, 1};
    AxiBody* body = calloc(1, sizeof *body);
    axi_add(body, axi_hemisphere_map, (const double[]){radius, thickness}, 0, u, 9, v, 3);
    return body;
}

/// a cup of a floor and a wall: floor (part 0), corner (1) and wall (2)
static inline void axi_cup_map(double* r, double* z, int part, double u, double v, const void* context)
{
    const double *p = context, radius = p[0], height = p[1], t = p[2];  // outer
    *r = part == 0 ? u * (radius - t) : radius - t + u * t;
    *z = part == 2 ? t + v * (height - t) : v * t;
}
static inline AxiBody* axi_cup(double radius, double height, double thickness)
{
    static const double floor[] = {0, 0.3, 0.6, 0.8, 0.92, 0.97, 1}, across[] = {0, 0.2, 0.6, 1},
                        across_floor[] = {0, 0.4, 0.8, 1};
    static const double wall[] = {0, 0.01, 0.03, 0.1, 0.25, 0.45, 0.65, 0.82, 0.92, 0.97, 1};
    const double p[] = {radius, height, thickness};
    AxiBody* body = calloc(1, sizeof *body);
    axi_add(body, axi_cup_map, p, 0, floor, 7, across_floor, 4);
    axi_add(body, axi_cup_map, p, 1, across, 4, across_floor, 4);
    axi_add(body, axi_cup_map, p, 2, across, 4, wall, 11);
    return body;
}

/// an open tube: u across, v along
static inline void axi_tube_map(double* r, double* z, int part, double u, double v, const void* context)
{
    (void)part;
    const double* p = context;  // middle radius, length, thickness
    *r = p[0] + (u - 0.5) * p[2];
    *z = v * p[1];
}
static inline AxiBody* axi_tube(double radius, double length, double thickness)
{
    static const double along[] = {0, 0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 0.94, 0.98, 1}, across[] = {0, 0.5, 1};
    AxiBody* body = calloc(1, sizeof *body);
    axi_add(body, axi_tube_map, (const double[]){radius, length, thickness}, 0, across, 3, along, 11);
    return body;
}
