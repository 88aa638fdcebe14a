// SPDX-License-Identifier: MIT
// Mass properties in closed form. Of a tetrahedron with corners x_i, s = sum of x_i, signed volume V:
//     integral of x dV = V s / 4,   integral of x x^T dV = V/20 (s s^T + sum of x_i x_i^T).
// A closed surface is the signed sum of the tets that its faces make with one point, here the middle of its box, so that
// a body far from the origin loses no digits. Inertia about the centre c of mass m (parallel axes):
//     J = tr(P) I - P,   P = integral of rho x x^T dV - m c c^T.
// Curved quadratic tets: det J is a cubic in the coordinates, so that the second moments are polynomials of degree 7. Gauss
// points on the cube folded to a tet (the fold adds degree 2), 5 in each direction, integrate them exactly.
#include "mesh/tets.h"

// sums about a reference point
typedef struct Sums
{
    twVec3 origin;
    double volume, mass;
    twVec3 first;   // of rho x
    twMat3 second;  // of rho x x^T
} Sums;

static Sums sums_about_middle(const twVec3* points, int count)
{
    Sums sums = {0};
    if (count == 0) return sums;
    twVec3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++)
    {
        low = tw_vec3(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
        high = tw_vec3(fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z));
    }
    sums.origin = tw_vec3_add(tw_vec3_scale(low, 0.5), tw_vec3_scale(high, 0.5));
    return sums;
}

// add a tet given relative to the origin
static void add_tet(Sums* sums, const twVec3 x[4], double density)
{
    twVec3 u = tw_vec3_sub(x[1], x[0]), v = tw_vec3_sub(x[2], x[0]), w = tw_vec3_sub(x[3], x[0]);
    double volume = tw_vec3_dot(tw_vec3_cross(u, v), w) / 6, mass = density * volume;
    twVec3 s = tw_vec3_add(tw_vec3_add(x[0], x[1]), tw_vec3_add(x[2], x[3]));
    twMat3 spread = tw_mat3_outer(s, s);
    for (int i = 0; i < 4; i++) spread = tw_mat3_add(spread, tw_mat3_outer(x[i], x[i]));
    sums->volume += volume;
    sums->mass += mass;
    sums->first = tw_vec3_add_scaled(sums->first, s, mass / 4);
    sums->second = tw_mat3_add(sums->second, tw_mat3_scale(spread, mass / 20));
}

static twMassProperties properties(const Sums* sums)
{
    twMassProperties result = {.volume = sums->volume, .mass = sums->mass, .centre = sums->origin};
    if (!(sums->mass != 0)) return result;
    twVec3 c = tw_vec3_scale(sums->first, 1 / sums->mass);
    twMat3 p = tw_mat3_add(sums->second, tw_mat3_scale(tw_mat3_outer(c, c), -sums->mass));
    double trace = p.m[0][0] + p.m[1][1] + p.m[2][2];
    result.centre = tw_vec3_add(sums->origin, c);
    result.inertia = tw_mat3_add(tw_mat3_scale(tw_mat3_identity(), trace), tw_mat3_scale(p, -1));
    return result;
}

twMassProperties tw_mesh_mass(const twMesh* mesh, double density)
{
    Sums sums = sums_about_middle(mesh->vertices, mesh->vertex_count);
    for (int f = 0; f < mesh->face_count; f++)
    {
        // the fourth corner is the origin
        twVec3 x[4] = {{0, 0, 0}};
        for (int i = 0; i < 3; i++) x[i + 1] = tw_vec3_sub(mesh->vertices[mesh->faces[f].v[i]], sums.origin);
        add_tet(&sums, x, density);
    }
    return properties(&sums);
}

// ---- tets ----

enum
{
    GAUSS = 5
};
static const double GAUSS_AT[GAUSS] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                                       0.95308992296933200};
static const double GAUSS_WEIGHT[GAUSS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                           0.23931433524968324, 0.11846344252809454};

// corners and mid nodes of tet t relative to the origin
static void ten_nodes(twVec3 x[10], const twTetMesh* tets, int t, twVec3 origin)
{
    for (int i = 0; i < 4; i++) x[i] = tw_vec3_sub(tets->nodes[tets->tets[t].n[i]], origin);
    for (int e = 0; e < 6 && tets->mid_nodes; e++) x[4 + e] = tw_vec3_sub(tets->nodes[tets->mid_nodes[t][e]], origin);
}

static bool is_straight(const twVec3 x[10])
{
    const double tolerance = 1e-12;
    for (int e = 0; e < 6; e++)
    {
        twVec3 a = x[tw_tet_edges[e][0]], b = x[tw_tet_edges[e][1]];
        twVec3 off = tw_vec3_sub(x[4 + e], tw_vec3_scale(tw_vec3_add(a, b), 0.5));
        if (tw_vec3_max(off) > tolerance * tw_vec3_norm(tw_vec3_sub(b, a))) return false;
    }
    return true;
}

// add one point of a curved tet: barycentric coordinates L, weight of the reference volume
static void add_point(Sums* sums, const twVec3 x[10], const double L[4], double weight, double density)
{
    twVec3 point = {0, 0, 0}, slope[4];
    for (int i = 0; i < 4; i++)
    {
        point = tw_vec3_add_scaled(point, x[i], L[i] * (2 * L[i] - 1));
        slope[i] = tw_vec3_scale(x[i], 4 * L[i] - 1);
    }
    for (int e = 0; e < 6; e++)
    {
        int a = tw_tet_edges[e][0], b = tw_tet_edges[e][1];
        point = tw_vec3_add_scaled(point, x[4 + e], 4 * L[a] * L[b]);
        slope[a] = tw_vec3_add_scaled(slope[a], x[4 + e], 4 * L[b]);
        slope[b] = tw_vec3_add_scaled(slope[b], x[4 + e], 4 * L[a]);
    }
    twVec3 u = tw_vec3_sub(slope[1], slope[0]), v = tw_vec3_sub(slope[2], slope[0]),
           w = tw_vec3_sub(slope[3], slope[0]);
    double volume = weight * tw_vec3_dot(tw_vec3_cross(u, v), w), mass = density * volume;
    sums->volume += volume;
    sums->mass += mass;
    sums->first = tw_vec3_add_scaled(sums->first, point, mass);
    sums->second = tw_mat3_add(sums->second, tw_mat3_scale(tw_mat3_outer(point, point), mass));
}

static void add_curved(Sums* sums, const twVec3 x[10], double density)
{
    for (int i = 0; i < GAUSS; i++)
        for (int j = 0; j < GAUSS; j++)
            for (int k = 0; k < GAUSS; k++)
            {
                // the cube folded: each coordinate takes its part of what the one before left
                double rest = 1 - GAUSS_AT[i], last = rest * (1 - GAUSS_AT[j]);
                double L[4] = {0, GAUSS_AT[i], rest * GAUSS_AT[j], last * GAUSS_AT[k]};
                L[0] = last - L[3];
                add_point(sums, x, L, GAUSS_WEIGHT[i] * GAUSS_WEIGHT[j] * GAUSS_WEIGHT[k] * rest * last, density);
            }
}

twMassProperties tw_tets_mass(const twTetMesh* tets, const double* density)
{
    Sums sums = sums_about_middle(tets->nodes, tets->node_count);
    for (int t = 0; t < tets->tet_count; t++)
    {
        twVec3 x[10];
        double rho = density[tets->regions ? tets->regions[t] : 0];
        ten_nodes(x, tets, t, sums.origin);
        if (!tets->mid_nodes || is_straight(x))
            add_tet(&sums, x, rho);
        else
            add_curved(&sums, x, rho);
    }
    return properties(&sums);
}
