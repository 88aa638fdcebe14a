// SPDX-License-Identifier: MIT
// How far frequencies may be off because the surface is divided into triangles.
//
// From one solution: each triangle has constant strains, near enough, and the true ones change
// steadily, so that the jumps from neighbour to neighbour show what is missing (Zienkiewicz and
// Zhu, A simple error estimator and adaptive procedure for practical engineering analysis, 1987,
// with the mean of two neighbours as the better strain). The energy of half the jumps over that of
// the mode
//     J = sum over edges of (A_1 + A_2)/3  [e]^T C [e]/4  /  x^T K x
// is about twice the relative error of the frequency. Over fourteen bodies (plates, hemispheres,
// tubes, cups, teapots, flasks; errors of 0.03 to 17 %) the largest error of twenty modes was 0.35
// to 1.4 times the largest J/2 below 1 %, and up to 2.1 times at 8 %: so the estimate is 1.1 J (1 +
// 5 J). A mode of little J may be further off, since mass and stiffness of the elements err too:
// each takes the largest J of those up to an octave above it, and at least 0.4 of the largest of
// all.
//
// From two rounds, the second with edges half as long: errors fall to a quarter, so the second is
// off by a third of the difference, if that is more. By itself the difference is no estimate: modes
// cross between rounds.
//
// The theory itself: walls meet in lines, not in blocks, and terms of order (t/R)^2 are missing. Both make frequencies too low.
// Boxes 100 x 80 x 60 mm with walls of 1 to 10 mm and cans 80 x 90 mm with walls of 1 to 8 mm, against elasticity in three
// dimensions: the worst of twenty modes is low by 0.3 to 0.57 of the part of the surface that is nearer than t to a sharp edge.
// Tubes are low by 0.3 (t/R)^2. Where waves are as short as the wall is thick, the section does not stay straight. Plates 200 x 200 and
// 300 x 100 mm of 20 to 100 mm against 10-node tets: the worst modes are low by 0.0025 to 0.0048 (k t)^2, k^2 = 4 pi (n + 6)/A, which
// is Weyl's wave number of mode n with the six rigid motions.
//
// The curve through few vertices is a guess of fourth order in the angles, the area between it and the facets a measure of second
// order: hemispheres of 12, 16 and 24 sides have 5.3, 3.0 and 1.4 % more area than their facets, and their frequencies are off by
// 3.4, 0.95 and 0.1 %.
#include "fem/shell_error.h"
#include <string.h>

// ---- jumps ----

// direction of a side in axes of its face, where side 0 is the x axis: cosine and sine
static void shell_error_direction(double out[2], const twVec3 x[3], twVec3 normal, int side)
{
    const twVec3 ex = tw_vec3_normalize(tw_vec3_sub(x[1], x[0])), ey = tw_vec3_cross(normal, ex);
    const twVec3 d = tw_vec3_normalize(tw_vec3_sub(x[(side + 1) % 3], x[side]));
    out[0] = tw_vec3_dot(d, ex);
    out[1] = tw_vec3_dot(d, ey);
}

// strains of a face in axes of its side: along it, across, and twice the shear
static void shell_error_along_side(double out[6], const double strain[6], const double direction[2])
{
    const double c = direction[0], s = direction[1];
    for (int k = 0; k < 6; k += 3)
    {
        const double xx = strain[k], yy = strain[k + 1], xy = strain[k + 2];
        out[k] = c * c * xx + s * s * yy + c * s * xy;
        out[k + 1] = s * s * xx + c * c * yy - c * s * xy;
        out[k + 2] = 2 * c * s * (yy - xx) + (c * c - s * s) * xy;
    }
}

// e^T C e of plane stress, in axes of the triangle if the material is orthotropic, else in any
static double shell_error_energy(const double e[3], const ShellPly* ply)
{
    const double young = ply->young, nu = ply->poisson;
    double sum = 0;
    for (int i = 0; i < 9 && ply->orthotropic; i++) sum += e[i / 3] * ply->plane[i / 3][i % 3] * e[i % 3];
    if (ply->orthotropic) return sum;
    return young / (1 - nu * nu) * (e[0] * e[0] + e[1] * e[1] + 2 * nu * e[0] * e[1] + 0.5 * (1 - nu) * e[2] * e[2]);
}

static void shell_error_corners(twVec3 out[3], const ShellSystem* system, const ShellBody* body, int face)
{
    for (int i = 0; i < 3; i++) out[i] = system->fem->x[body->mesh->faces[face].v[i]];
}

// strains (modes x faces x 6)
static void shell_error_strains(double* strain, const ShellSystem* system, const ShellBody* body, const double* x,
                                int count)
{
    const FemSystem* fem = system->fem;
    const size_t n = 3 * (size_t)fem->nodes, faces = (size_t)body->mesh->face_count;
    for (size_t f = 0; f < faces; f++)
    {
        double b[6][18], q[18];
        twVec3 corner[3];
        const ShellPly ply = shell_system_ply(system, body, (int)f);
        shell_error_corners(corner, system, body, (int)f);
        if (!shell_strain(b, corner, &ply)) continue;
        for (int k = 0; k < count; k++)
        {
            for (int i = 0; i < 18; i++)
            {
                const int a = fem->active[body->mesh->faces[f].v[i / 6]];
                q[i] = a < 0 ? 0 : x[(size_t)k * n + 6 * (size_t)a + (size_t)(i % 6)];
                if (i % 6 >= 3) q[i] /= system->rotation_length;
            }
            double* out = strain + ((size_t)k * faces + f) * 6;
            for (int r = 0; r < 6; r++)
                for (int i = 0; i < 18; i++) out[r] += b[r][i] * q[i];
        }
    }
}

static double shell_error_area(const twVec3 x[3], twVec3* normal)
{
    const twVec3 n = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
    *normal = tw_vec3_normalize(n);
    return 0.5 * tw_vec3_norm(n);
}

// an edge between two faces that are one smooth sheet of one material
typedef struct ShellErrorEdge
{
    int face[2];
    double direction[2][2];
    double area;  // of both
    ShellPly ply;
} ShellErrorEdge;

static bool shell_error_edge(ShellErrorEdge* out, const ShellSystem* system, const ShellBody* body,
                             const twEdges* edges, int e)
{
    const double sharp = 0.766;  // cosine of 40 degrees, as where the surface is divided: strains may jump there
    if (tw_edges_faces(edges, e) != 2) return false;
    const int use = edges->uses[edges->start[e]], other = edges->uses[edges->start[e] + 1];
    if (tw_edges_forward(body->mesh, use) == tw_edges_forward(body->mesh, other)) return false;
    if (shell_material(body, use / 3) != shell_material(body, other / 3)) return false;
    twVec3 p[3], q[3], n, o;
    shell_error_corners(p, system, body, use / 3);
    shell_error_corners(q, system, body, other / 3);
    *out = (ShellErrorEdge){.face = {use / 3, other / 3},
                            .area = shell_error_area(p, &n) + shell_error_area(q, &o),
                            .ply = shell_system_ply(system, body, use / 3)};
    shell_error_direction(out->direction[0], p, n, use % 3);
    shell_error_direction(out->direction[1], q, o, other % 3);
    return tw_vec3_dot(n, o) >= sharp;
}

// energy of half the jump over an edge, from the strains (faces x 6) of one mode
static double shell_error_jump(const double* strain, const ShellErrorEdge* edge)
{
    double a[6], b[6], jump[6];
    shell_error_along_side(a, strain + 6 * (size_t)edge->face[0], edge->direction[0]);
    shell_error_along_side(b, strain + 6 * (size_t)edge->face[1], edge->direction[1]);
    for (int i = 0; i < 6; i++) jump[i] = 0.5 * (a[i] - b[i]);
    if (edge->ply.orthotropic)
    {
        // back from the axes of the side to those of the first face
        const double back[2] = {edge->direction[0][0], -edge->direction[0][1]};
        shell_error_along_side(a, jump, back);
        memcpy(jump, a, sizeof jump);
    }
    const double t = edge->ply.thickness;
    const double energy =
        t * shell_error_energy(jump, &edge->ply) + t * t * t / 12 * shell_error_energy(jump + 3, &edge->ply);
    return edge->area / 3 * energy;
}

static void shell_error_add_edges(double* out, double* share, const ShellSystem* system, const ShellBody* body,
                                  const twEdges* edges, const double* strain, const double* lambda, int count)
{
    const size_t size = 6 * (size_t)body->mesh->face_count;
    for (int e = 0; e < edges->count; e++)
    {
        ShellErrorEdge edge;
        if (!shell_error_edge(&edge, system, body, edges, e)) continue;
        double most = 0;
        for (int k = 0; k < count; k++)
        {
            const double part = shell_error_jump(strain + (size_t)k * size, &edge) / lambda[k];
            out[k] += part;
            most = fmax(most, part);
        }
        for (int i = 0; i < 2; i++) share[edge.face[i]] += 0.5 * most;
    }
}

twStatus shell_error_jumps(double* out, double* share, const ShellSystem* system, const ShellBody* body,
                           const double* x, const double* lambda, int count, FemMemory* memory, twError* err)
{
    const size_t size = 6 * (size_t)count * (size_t)body->mesh->face_count;
    double* strain = fem_alloc(memory, size, sizeof *strain);
    twEdges* edges = NULL;
    if (!strain || tw_edges_create(&edges, body->mesh, NULL) != TW_OK)
    {
        fem_free(memory, strain);
        return fem_no_memory(memory, 8.0 * (double)size, "the strains", err);
    }
    shell_error_strains(strain, system, body, x, count);
    memset(out, 0, (size_t)count * sizeof *out);
    shell_error_add_edges(out, share, system, body, edges, strain, lambda, count);
    tw_edges_destroy(edges);
    fem_free(memory, strain);
    return TW_OK;
}

// ---- estimates ----

// largest value of the modes up to twice the frequency of mode k, or 0.4 of the largest of all
static double shell_error_around(const double* value, const double* freq_hz, int count, int k)
{
    double near = 0, all = 0;
    for (int j = 0; j < count; j++)
    {
        all = fmax(all, value[j]);
        if (freq_hz[j] <= 2 * freq_hz[k]) near = fmax(near, value[j]);
    }
    return fmax(near, 0.4 * all);
}

void shell_error_estimate(double* error, const double* freq_hz, const double* jumps, int count, const double* before,
                          int before_count)
{
    for (int k = 0; k < count; k++)
    {
        const double half = 0.5 * shell_error_around(jumps, freq_hz, count, k);
        error[k] = 2.2 * half * (1 + 10 * half);
    }
    for (int k = 0; k < count && k < before_count; k++) error[k] = fmax(error[k], fabs(before[k] / freq_hz[k] - 1) / 3);
}

double shell_error_theory(double corners, double curvature, double wave)
{
    return 0.6 * corners + 0.35 * curvature + 0.005 * wave * wave;
}

double shell_error_guess(double area_ratio) { return 12 * (area_ratio - 1) * (area_ratio - 1); }
