// SPDX-License-Identifier: MIT
// Smoothing after snapping. A node with a poor tet tries places around it, on what it belongs to (a patch, a sharp edge),
// and takes the one where its worst tet is best. Nothing gets worse, nodes with good tets stay, and corners too.
#include "fill.h"

// node projected to where it may be. @return false if that is nowhere near
static bool project(const FillShape* shape, const FillNode* node, twVec3* point)
{
    twVec3 nearest;
    double distance;
    int face;
    switch (node->kind)
    {
    case FILL_INTERIOR:
        return true;
    case FILL_PATCH:
        distance = tw_winding_nearest(shape->field->winding, *point, &nearest, &face);
        if (face < 0 || shape->features->patch_of_face[face] != node->patch[0]) return false;
        break;
    case FILL_CURVE:
        if (fill_features_nearest(shape->features, *point, (FillWanted){node->curve, -1, -1}, &nearest, &distance) < 0)
            return false;
        break;
    default:
        return false;
    }
    if (distance > 0.5 * shape->cell) return false;
    *point = nearest;
    return true;
}

// the 26 directions of a cube's faces, edges and corners
static twVec3 direction(int k)
{
    k += k >= 13;
    return tw_vec3_normalize(tw_vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
}

static double improve(FillShape* shape, int node, double quality)
{
    twVec3 start = shape->mesh->nodes[node], best = start;
    for (double step = 0.2 * shape->cell; step > 0.02 * shape->cell; step *= 0.5)
    {
        for (int k = 0; k < 26; k++)
        {
            twVec3 point = tw_vec3_add_scaled(start, direction(k), step);
            if (!project(shape, &shape->nodes[node], &point)) continue;
            double there = fill_star_quality(shape, node, point);
            if (there <= quality * 1.001 + 1e-9) continue;
            quality = there;
            best = point;
        }
        start = best;
    }
    shape->mesh->nodes[node] = best;
    return quality;
}

void fill_smooth(FillShape* shape, double wanted_quality, int passes)
{
    for (int pass = 0; pass < passes; pass++)
    {
        int poor = 0;
        for (int i = 0; i < shape->mesh->node_count; i++)
        {
            FillKind kind = shape->nodes[i].kind;
            if (kind == FILL_CORNER || kind == FILL_FREE) continue;
            double quality = fill_star_quality(shape, i, shape->mesh->nodes[i]);
            if (quality >= wanted_quality) continue;
            poor += improve(shape, i, quality) < wanted_quality;
        }
        if (poor == 0) break;
    }
}
