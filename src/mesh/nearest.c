// SPDX-License-Identifier: MIT
// The nearest point of a surface. In a triangle it is the foot of the perpendicular if that lies inside, otherwise the
// nearest point of the three sides; so a triangle without area is its sides. Boxes farther than the best distance so far
// are left out (Roussopoulos, Kelley, Vincent: "Nearest neighbor queries", SIGMOD 1995).
#include "mesh/winding.h"
#include <math.h>

// an open end of the search: a subtree and the square of the distance to its box
typedef struct Branch
{
    int node;
    double distance2;
} Branch;

static double square(twVec3 v) { return tw_vec3_dot(v, v); }

// how far x is outside [low, high]
static double outside(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0; }

static double box_distance2(const twTreeNode* node, twVec3 q)
{
    return square(tw_vec3(outside(q.x, node->low.x, node->high.x), outside(q.y, node->low.y, node->high.y),
                          outside(q.z, node->low.z, node->high.z)));
}

static twVec3 nearest_on_side(twVec3 a, twVec3 b, twVec3 q)
{
    twVec3 side = tw_vec3_sub(b, a);
    double along = tw_vec3_dot(tw_vec3_sub(q, a), side), length2 = square(side);
    if (!(along > 0)) return a;
    if (along >= length2) return b;
    return tw_vec3_add_scaled(a, side, along / length2);
}

twVec3 tw_triangle_nearest(const twVec3 c[3], twVec3 q)
{
    // inside all three sides, as seen along the normal
    twVec3 normal = tw_vec3_cross(tw_vec3_sub(c[1], c[0]), tw_vec3_sub(c[2], c[0]));
    double normal2 = square(normal);
    bool inside = normal2 > 0;
    for (int i = 0; i < 3 && inside; i++)
    {
        twVec3 a = c[i], b = c[(i + 1) % 3];
        inside = tw_vec3_dot(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(q, a)), normal) >= 0;
    }
    if (inside) return tw_vec3_add_scaled(q, normal, -tw_vec3_dot(tw_vec3_sub(q, c[0]), normal) / normal2);

    twVec3 best = nearest_on_side(c[0], c[1], q);
    for (int i = 1; i < 3; i++)
    {
        twVec3 other = nearest_on_side(c[i], c[(i + 1) % 3], q);
        if (square(tw_vec3_sub(other, q)) < square(tw_vec3_sub(best, q))) best = other;
    }
    return best;
}

double tw_winding_nearest(const twWinding* winding, twVec3 point, twVec3* nearest, int* face)
{
    const twTree* tree = winding->tree;
    twVec3 q = tw_vec3_scale(point, winding->scale), best = q;
    double best2 = HUGE_VAL;
    int best_face = -1;
    Branch stack[2 * TW_TREE_DEPTH];
    int depth = 0;
    if (tree->node_count > 0 && tw_vec3_max(q) < 1e100) stack[depth++] = (Branch){0, 0};
    while (depth > 0)
    {
        Branch branch = stack[--depth];
        if (branch.distance2 >= best2) continue;
        const twTreeNode* node = &tree->nodes[branch.node];
        for (int k = 0; node->right == 0 && k < node->count; k++)
        {
            twVec3 foot = tw_triangle_nearest(winding->corners + 3 * (size_t)(node->first + k), q);
            double distance2 = square(tw_vec3_sub(foot, q));
            if (!(distance2 < best2)) continue;
            best2 = distance2;
            best = foot;
            best_face = tree->order[node->first + k];
        }
        if (node->right == 0) continue;

        // the nearer child last, so that it is searched first
        Branch left = {branch.node + 1, box_distance2(&tree->nodes[branch.node + 1], q)};
        Branch right = {node->right, box_distance2(&tree->nodes[node->right], q)};
        bool left_first = left.distance2 <= right.distance2;
        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
    if (nearest) *nearest = best_face >= 0 ? tw_vec3_scale(best, 1 / winding->scale) : point;
    if (face) *face = best_face;
    return best_face >= 0 ? sqrt(best2) / winding->scale : HUGE_VAL;
}
