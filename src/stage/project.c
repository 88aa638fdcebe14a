// SPDX-License-Identifier: MIT
// Amplitudes of displacements. With tets q = W^T M d, M the consistent mass of the elements the modes were found with: modes are square
// to each other by it, W^T M W = 1, so that a displacement they can do comes back exactly. Without tets the mass is not known inside,
// and q makes the sum of a_v |W q - d|^2 over the vertices least, a_v their shares of the area.
#include "dynamics/gyro.h"
#include "twang/stage.h"
#include <stdlib.h>

enum
{
    POINTS = 15,     // of the rule: exact to degree 5
    MOST_NODES = 10  // of a tet
};

// nodes at the ends of the mid-edge nodes 4..9
static const int edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// ---- elements ----

typedef struct RulePoint
{
    double l[4], weight;
} RulePoint;

// Stroud's T3: 5-1 (Approximate Calculation of Multiple Integrals, 1971)
static void make_rule(RulePoint out[POINTS])
{
    const double root = sqrt(15), corner[2] = {(7 - root) / 34, (7 + root) / 34}, edge = (5 - root) / 20;
    const double weight[2] = {(2665 + 14 * root) / 37800, (2665 - 14 * root) / 37800};
    RulePoint* p = out;
    *p++ = (RulePoint){{0.25, 0.25, 0.25, 0.25}, 16.0 / 135};
    for (int i = 0; i < 8; i++, p++)
    {
        const double a = corner[i / 4];
        *p = (RulePoint){{a, a, a, a}, weight[i / 4]};
        p->l[i % 4] = 1 - 3 * a;
    }
    for (int e = 0; e < 6; e++, p++)
    {
        *p = (RulePoint){{0.5 - edge, 0.5 - edge, 0.5 - edge, 0.5 - edge}, 10.0 / 189};
        p->l[edge_ends[e][0]] = p->l[edge_ends[e][1]] = edge;
    }
}

// values of the shape functions and their slopes with l1, l2, l3, l0 being the rest
static void shape_functions(int nodes, const double l[4], double* value, twVec3* slope)
{
    static const twVec3 dl[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 4; i++)
    {
        value[i] = nodes == 4 ? l[i] : l[i] * (2 * l[i] - 1);
        slope[i] = tw_vec3_scale(dl[i], nodes == 4 ? 1 : 4 * l[i] - 1);
    }
    for (int e = 0; e < nodes - 4; e++)
    {
        const int i = edge_ends[e][0], j = edge_ends[e][1];
        value[4 + e] = 4 * l[i] * l[j];
        slope[4 + e] = tw_vec3_add(tw_vec3_scale(dl[j], 4 * l[i]), tw_vec3_scale(dl[i], 4 * l[j]));
    }
}

// volume of the element around a point of the rule: weight times the Jacobian over 6
static double volume_at(int nodes, const twVec3* x, const twVec3* slope, double weight)
{
    twVec3 along[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int p = 0; p < nodes; p++)
    {
        along[0] = tw_vec3_add_scaled(along[0], x[p], slope[p].x);
        along[1] = tw_vec3_add_scaled(along[1], x[p], slope[p].y);
        along[2] = tw_vec3_add_scaled(along[2], x[p], slope[p].z);
    }
    return weight / 6 * tw_vec3_dot(along[0], tw_vec3_cross(along[1], along[2]));
}

static twVec3 node_place(const twModeSet* set, int node)
{
    return node < set->vertex_count ? set->vertices[node] : set->inner[node - set->vertex_count];
}

// M d of a tet, added to out (nodes). @return its volume
static double add_tet(const twModeSet* set, int tet, double density, const twVec3* d, twVec3* out)
{
    const int nodes = set->nodes_per_tet, *node = set->tets + (size_t)tet * (size_t)nodes;
    RulePoint rule[POINTS];
    twVec3 x[MOST_NODES], slope[MOST_NODES];
    double value[MOST_NODES], volume = 0;
    make_rule(rule);
    for (int p = 0; p < nodes; p++) x[p] = node_place(set, node[p]);
    for (int i = 0; i < POINTS; i++)
    {
        twVec3 moved = {0, 0, 0};
        shape_functions(nodes, rule[i].l, value, slope);
        const double part = volume_at(nodes, x, slope, rule[i].weight);
        for (int p = 0; p < nodes; p++) moved = tw_vec3_add_scaled(moved, d[node[p]], value[p]);
        for (int p = 0; p < nodes; p++)
            out[node[p]] = tw_vec3_add_scaled(out[node[p]], moved, density * part * value[p]);
        volume += part;
    }
    return volume;
}

// W^T r
static double along_mode(const twModeSet* set, int mode, const twVec3* r)
{
    const size_t vertices = (size_t)set->vertex_count, inner = (size_t)set->inner_count;
    double sum = 0;
    for (size_t i = 0; i < vertices + inner; i++)
    {
        const float* u = i < vertices ? set->shape + 3 * ((size_t)mode * vertices + i)
                                      : set->inner_shape + 3 * ((size_t)mode * inner + i - vertices);
        sum += (double)u[0] * r[i].x + (double)u[1] * r[i].y + (double)u[2] * r[i].z;
    }
    return sum;
}

static twStatus project_tets(double* amplitude, const twModeSet* set, const twVec3* d, twError* err)
{
    const size_t nodes = (size_t)set->vertex_count + (size_t)set->inner_count;
    twVec3* r = calloc(nodes + 1, sizeof *r);
    if (!r) return tw_fail(err, TW_NO_MEMORY, "no memory for %zu nodes", nodes);
    double volume = 0;
    for (int t = 0; t < set->tet_count; t++)
    {
        const twModeMaterial* m = set->materials + (set->tet_materials ? set->tet_materials[t] : 0);
        volume += add_tet(set, t, set->material_count > 0 ? m->density : 1, d, r);
    }
    const double scale = set->material_count > 0 ? 1 : set->mass.mass / volume;
    for (int j = 0; j < set->mode_count; j++) amplitude[j] = scale * along_mode(set, j, r);
    free(r);
    return TW_OK;
}

// ---- surfaces ----

// sums over the vertices of U_j.U_k and U_j.d
static void add_vertex(const twModeSet* set, int v, double area, twVec3 d, double* matrix, double* side)
{
    const int n = set->mode_count;
    for (int j = 0; j < n; j++)
    {
        const twVec3 u = tw_vec3_scale(tw_mode_set_shape(set, j, v), area);
        side[j] += tw_vec3_dot(u, d);
        for (int k = 0; k <= j; k++)
            matrix[(size_t)j * (size_t)n + (size_t)k] += tw_vec3_dot(u, tw_mode_set_shape(set, k, v));
    }
}

static twStatus project_surface(double* amplitude, const twModeSet* set, const twVec3* d, twError* err)
{
    const size_t n = (size_t)set->mode_count, vertices = (size_t)set->vertex_count;
    double* matrix = calloc(n * n + n + vertices + tw_least_squares_scratch((int)n, (int)n), sizeof *matrix);
    if (!matrix) return tw_fail(err, TW_NO_MEMORY, "no memory for %zu modes", n);
    double *side = matrix + n * n, *area = side + n, *scratch = area + vertices;
    gyro_areas(area, set);
    for (int v = 0; v < set->vertex_count; v++) add_vertex(set, v, area[v], d[v], matrix, side);
    for (size_t j = 0; j < n; j++)
        for (size_t k = j + 1; k < n; k++) matrix[j * n + k] = matrix[k * n + j];
    tw_least_squares(amplitude, matrix, (int)n, (int)n, side, 1e-12, scratch);
    free(matrix);
    return TW_OK;
}

twStatus tw_mode_set_project(double* amplitude, const twModeSet* set, const twVec3* displacement, twError* err)
{
    if (set->mode_count == 0) return TW_OK;
    return set->tet_count > 0 ? project_tets(amplitude, set, displacement, err)
                              : project_surface(amplitude, set, displacement, err);
}
