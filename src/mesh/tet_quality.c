// SPDX-License-Identifier: MIT
// How well shaped tetrahedra are (of quadratic ones, the straight ones on their corners).
//
// Dihedral angle at an edge: the angle between the outward normals of its two faces, taken from pi.
// Inradius  r = 3 V / (sum of the areas of the faces).
// Circumradius  R = |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / (12 V), with a, b, c the edges from one corner.
// Aspect  R / (3 r): 1 for the regular tetrahedron, larger for all others.
#include "mesh/tets.h"

typedef struct Shape
{
    double volume;
    double aspect;  // infinite if there is no volume
} Shape;

static Shape shape_of(const twVec3* x)
{
    twVec3 a = tw_vec3_sub(x[1], x[0]), b = tw_vec3_sub(x[2], x[0]), c = tw_vec3_sub(x[3], x[0]);
    double volume = tw_vec3_dot(tw_vec3_cross(a, b), c) / 6, area = 0;
    for (int i = 0; i < 4; i++)
    {
        const int* f = tw_tet_faces[i];
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(tw_vec3_sub(x[f[1]], x[f[0]]), tw_vec3_sub(x[f[2]], x[f[0]])));
    }
    twVec3 sum = tw_vec3_scale(tw_vec3_cross(b, c), tw_vec3_dot(a, a));
    sum = tw_vec3_add_scaled(sum, tw_vec3_cross(c, a), tw_vec3_dot(b, b));
    sum = tw_vec3_add_scaled(sum, tw_vec3_cross(a, b), tw_vec3_dot(c, c));
    Shape shape = {volume, HUGE_VAL};
    if (volume > 0) shape.aspect = tw_vec3_norm(sum) / (12 * volume) * area / (9 * volume);
    return shape;
}

// the dihedral angle of faces i and j [rad]
static double dihedral(const twVec3 normal[4], int i, int j)
{
    double across = tw_vec3_norm(tw_vec3_cross(normal[i], normal[j]));
    return TW_PI - atan2(across, tw_vec3_dot(normal[i], normal[j]));
}

static void add_dihedrals(twTetQuality* quality, const twVec3* x)
{
    twVec3 normal[4];
    for (int i = 0; i < 4; i++)
    {
        const int* f = tw_tet_faces[i];
        normal[i] = tw_vec3_normalize(tw_vec3_cross(tw_vec3_sub(x[f[1]], x[f[0]]), tw_vec3_sub(x[f[2]], x[f[0]])));
    }
    for (int e = 0; e < 6; e++)
    {
        double angle = dihedral(normal, tw_tet_edges[e][0], tw_tet_edges[e][1]) * 180 / TW_PI;
        quality->least_dihedral_deg = fmin(quality->least_dihedral_deg, angle);
        quality->greatest_dihedral_deg = fmax(quality->greatest_dihedral_deg, angle);
    }
}

twTetQuality tw_tets_quality(const twTetMesh* tets)
{
    twTetQuality quality = {.least_dihedral_deg = 180, .least_volume = HUGE_VAL, .least_edge = HUGE_VAL};
    double edges = 0;
    for (int t = 0; t < tets->tet_count; t++)
    {
        twVec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = tets->nodes[tets->tets[t].n[i]];
        Shape shape = shape_of(x);
        if (!(shape.volume > 0)) quality.inverted++;
        quality.least_volume = fmin(quality.least_volume, shape.volume);
        quality.worst_aspect = fmax(quality.worst_aspect, shape.aspect);
        add_dihedrals(&quality, x);
        for (int e = 0; e < 6; e++)
        {
            double length = tw_vec3_norm(tw_vec3_sub(x[tw_tet_edges[e][0]], x[tw_tet_edges[e][1]]));
            quality.least_edge = fmin(quality.least_edge, length);
            edges += length;
        }
    }
    if (tets->tet_count == 0) return (twTetQuality){0};
    quality.mean_edge = edges / (6.0 * tets->tet_count);
    return quality;
}
