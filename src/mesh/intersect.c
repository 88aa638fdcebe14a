// SPDX-License-Identifier: MIT
// Self-intersections. Two triangles cross if each has corners on both sides of the other's plane, by more than a tolerance,
// and a side of one meets the other, edges included. So faces that share a vertex or touch do not cross, and a side that
// passes exactly through the edge between two faces is not overlooked. Triangles in one plane cross if no line along a side
// separates them; neighbours at an edge, if one is folded onto the other.
#include "mesh/mend.h"
#include "mesh/tree.h"
#include <stdlib.h>

// of the size: coordinates kept as float are no better
static const double TOLERANCE = 1e-7;
// round-off of a point computed on an edge
static const double SLACK = 1e-12;
// angle of two neighbours that counts as folded [rad]
static const double FOLD = 1e-6;

typedef struct Plane
{
    twVec3 normal;  // unit
    twVec3 point;
} Plane;

static twVec3 normal_of(const twVec3* x)
{
    return tw_vec3_normalize(tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0])));
}

static double height(const Plane* plane, twVec3 p) { return tw_vec3_dot(plane->normal, tw_vec3_sub(p, plane->point)); }

// how far p lies inside of the side from a to b, in a plane with the given normal
static double inside_of(twVec3 a, twVec3 b, twVec3 normal, twVec3 p)
{
    twVec3 along = tw_vec3_normalize(tw_vec3_sub(b, a));
    return tw_vec3_dot(tw_vec3_cross(along, tw_vec3_sub(p, a)), normal);
}

// whether a side of a pierces b; heights are those of a's corners over b's plane
static bool pierces(const twVec3* a, const double* heights, const twVec3* b, const Plane* plane)
{
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3;
        double p = heights[i], q = heights[j];
        if (fabs(p) <= TOLERANCE || fabs(q) <= TOLERANCE || (p > 0) == (q > 0)) continue;
        twVec3 x = tw_vec3_add_scaled(a[i], tw_vec3_sub(a[j], a[i]), p / (p - q));
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && inside_of(b[k], b[(k + 1) % 3], plane->normal, x) >= -SLACK;
        if (inside) return true;
    }
    return false;
}

// whether a side of a has all of b outside, both in one plane
static bool separates(const twVec3* a, const Plane* plane, const twVec3* b)
{
    for (int i = 0; i < 3; i++)
    {
        double deepest = -HUGE_VAL;
        for (int k = 0; k < 3; k++) deepest = fmax(deepest, inside_of(a[i], a[(i + 1) % 3], plane->normal, b[k]));
        if (deepest <= TOLERANCE) return true;
    }
    return false;
}

static bool is_flat(const double* heights)
{
    return fabs(heights[0]) <= TOLERANCE && fabs(heights[1]) <= TOLERANCE && fabs(heights[2]) <= TOLERANCE;
}

static bool on_both_sides(const double* heights)
{
    bool above = heights[0] > TOLERANCE || heights[1] > TOLERANCE || heights[2] > TOLERANCE;
    return above && (heights[0] < -TOLERANCE || heights[1] < -TOLERANCE || heights[2] < -TOLERANCE);
}

static bool triangles_cross(const twVec3* a, const twVec3* b, const Plane* plane_a, const Plane* plane_b)
{
    double over_b[3], over_a[3];
    for (int i = 0; i < 3; i++) over_a[i] = height(plane_a, b[i]);
    bool flat = is_flat(over_a);
    if (!flat && !on_both_sides(over_a)) return false;
    for (int i = 0; i < 3; i++) over_b[i] = height(plane_b, a[i]);
    if (flat && is_flat(over_b)) return !separates(a, plane_a, b) && !separates(b, plane_b, a);
    if (!on_both_sides(over_b)) return false;
    return pierces(a, over_b, b, plane_b) || pierces(b, over_a, a, plane_a);
}

// neighbours at the edge from p to q with third corners c and d: whether they lie on each other
static bool folded(twVec3 p, twVec3 q, twVec3 c, twVec3 d)
{
    twVec3 edge = tw_vec3_sub(q, p);
    twVec3 u = tw_vec3_normalize(tw_vec3_cross(edge, tw_vec3_sub(c, p)));
    twVec3 v = tw_vec3_normalize(tw_vec3_cross(edge, tw_vec3_sub(d, p)));
    return tw_vec3_dot(u, v) > 0 && tw_vec3_norm(tw_vec3_cross(u, v)) <= FOLD;
}

typedef struct Search
{
    const twMesh* mesh;
    const twVec3* corners;
    const twVec3* normals;
    const twTree* tree;
    int64_t steps_left;  // crowded boxes must not make this endless
    int found;
} Search;

static bool faces_cross(const Search* search, int f, int g)
{
    const int *a = search->mesh->faces[f].v, *b = search->mesh->faces[g].v;
    int shared = 0, alone_a = 3, alone_b = 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            if (a[i] != b[j]) continue;
            shared++;
            alone_a -= i;
            alone_b -= j;
        }
    const twVec3 *x = search->corners + 3 * (size_t)f, *y = search->corners + 3 * (size_t)g;
    const Plane plane_x = {search->normals[f], x[0]}, plane_y = {search->normals[g], y[0]};
    if (shared < 2) return triangles_cross(x, y, &plane_x, &plane_y);
    if (shared > 2) return false;
    return folded(x[(alone_a + 1) % 3], x[(alone_a + 2) % 3], x[alone_a], y[alone_b]);
}

static bool boxes_meet(const twTreeNode* node, twVec3 low, twVec3 high)
{
    return node->low.x <= high.x && node->high.x >= low.x && node->low.y <= high.y && node->high.y >= low.y &&
           node->low.z <= high.z && node->high.z >= low.z;
}

// pairs of the triangle at place k of the tree's order with those behind it
static void search_pairs(Search* search, int k)
{
    int f = search->tree->order[k], stack[TW_TREE_DEPTH], depth = 0;
    const twVec3* x = search->corners + 3 * (size_t)f;
    twVec3 low = tw_vec3(fmin(fmin(x[0].x, x[1].x), x[2].x), fmin(fmin(x[0].y, x[1].y), x[2].y),
                         fmin(fmin(x[0].z, x[1].z), x[2].z));
    twVec3 high = tw_vec3(fmax(fmax(x[0].x, x[1].x), x[2].x), fmax(fmax(x[0].y, x[1].y), x[2].y),
                          fmax(fmax(x[0].z, x[1].z), x[2].z));
    stack[depth++] = 0;
    while (depth > 0 && search->found < TW_CROSSINGS_MAX && search->steps_left > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &search->tree->nodes[i];
        search->steps_left--;
        if (node->first + node->count <= k + 1 || !boxes_meet(node, low, high)) continue;
        if (node->right > 0)
        {
            stack[depth++] = node->right;
            stack[depth++] = i + 1;
            continue;
        }
        int first = node->first > k ? node->first : k + 1;
        for (int j = first; j < node->first + node->count && search->found < TW_CROSSINGS_MAX;
             j++, search->steps_left -= 8)
            search->found += faces_cross(search, f, search->tree->order[j]);
    }
}

int tw_count_crossings(const twMesh* mesh, bool* more)
{
    size_t count = 3 * (size_t)mesh->face_count;
    twVec3 low, high, *corners = malloc((count + count / 3 + 1) * sizeof *corners);
    if (!corners) return -1;
    twVec3* normals = corners + count;
    if (!tw_mesh_box(mesh, &low, &high)) low = high = tw_vec3(0, 0, 0);

    // in units of the size, from the corner of the box
    double size = tw_vec3_norm(tw_vec3_sub(high, low)), unit = size > 1e-290 ? 1 / size : 1;
    for (size_t i = 0; i < count; i++)
        corners[i] = tw_vec3_scale(tw_vec3_sub(mesh->vertices[mesh->faces[i / 3].v[i % 3]], low), unit);
    for (size_t f = 0; f < count / 3; f++) normals[f] = normal_of(corners + 3 * f);
    twTree* tree;
    int found = -1;
    if (tw_tree_create(&tree, corners, mesh->face_count, 4, NULL) == TW_OK)
    {
        Search search = {mesh, corners, normals, tree, 100000000 + 400 * (int64_t)mesh->face_count, 0};
        for (int k = 0; k < mesh->face_count; k++) search_pairs(&search, k);
        found = search.found;
        *more = found >= TW_CROSSINGS_MAX || search.steps_left <= 0;
        tw_tree_destroy(tree);
    }
    free(corners);
    return found;
}
