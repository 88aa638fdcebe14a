// SPDX-License-Identifier: MIT
// Box tree by median splits along the longest side of the centroids' box. Selection is Hoare's, with random pivots and
// ties broken by index, so that equal centroids (stacked or repeated triangles) still halve.
#include "mesh/tree.h"
#include <limits.h>
#include <stdlib.h>

typedef struct Builder
{
    twTree* tree;
    const twVec3* corners;
    const twVec3* middles;  // sum of the corners of each triangle
    int leaf_faces;
    twRng rng;
} Builder;

static twVec3 lower(twVec3 a, twVec3 b)
{
    return tw_vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static twVec3 upper(twVec3 a, twVec3 b)
{
    return tw_vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static double part(twVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// ---- splitting ----

static bool before(const Builder* builder, int axis, int a, int b)
{
    double x = part(builder->middles[a], axis), y = part(builder->middles[b], axis);
    return x < y || (x == y && a < b);
}

// order items [first, last] so that the middle one is where sorting would put it, smaller ones before, others after
static void select_middle(Builder* builder, int axis, int first, int last, int middle)
{
    int* order = builder->tree->order;
    while (first < last)
    {
        int pivot = order[first + (int)(tw_rng_next(&builder->rng) % (uint64_t)(last - first + 1))];
        int i = first, j = last;
        while (i <= j)
        {
            while (before(builder, axis, order[i], pivot)) i++;
            while (before(builder, axis, pivot, order[j])) j--;
            if (i > j) break;
            int swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (middle <= j)
            last = j;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static int longest_axis(const Builder* builder, int first, int count)
{
    const int* order = builder->tree->order + first;
    twVec3 low = builder->middles[order[0]], high = low;
    for (int i = 1; i < count; i++)
    {
        low = lower(low, builder->middles[order[i]]);
        high = upper(high, builder->middles[order[i]]);
    }
    twVec3 size = tw_vec3_sub(high, low);
    if (size.x >= size.y && size.x >= size.z) return 0;
    return size.y >= size.z ? 1 : 2;
}

// the subtree of count triangles from first on. @return its root
static int grow(Builder* builder, int first, int count)
{
    twTree* tree = builder->tree;
    int index = tree->node_count++;
    twTreeNode* node = &tree->nodes[index];
    node->first = first;
    node->count = count;
    node->right = 0;
    if (count <= builder->leaf_faces)
    {
        node->low = node->high = builder->corners[3 * (size_t)tree->order[first]];
        for (int i = 0; i < 3 * count; i++)
        {
            twVec3 corner = builder->corners[3 * (size_t)tree->order[first + i / 3] + (size_t)(i % 3)];
            node->low = lower(node->low, corner);
            node->high = upper(node->high, corner);
        }
        return index;
    }

    int half = count / 2;
    select_middle(builder, longest_axis(builder, first, count), first, first + count - 1, first + half);
    int left = grow(builder, first, half);
    int right = grow(builder, first + half, count - half);
    node->right = right;
    node->low = lower(tree->nodes[left].low, tree->nodes[right].low);
    node->high = upper(tree->nodes[left].high, tree->nodes[right].high);
    return index;
}

// ---- life ----

twStatus tw_tree_create(twTree** out, const twVec3* corners, int face_count, int leaf_faces, twError* err)
{
    *out = NULL;
    TW_ASSERT(face_count >= 0 && leaf_faces >= 1);
    twTree* tree = calloc(1, sizeof *tree);
    size_t n = (size_t)face_count + 1;
    twVec3* middles = malloc(n * sizeof *middles);
    if (tree)
    {
        // a leaf holds one triangle at least, so there are fewer than twice as many nodes
        tree->nodes = face_count < INT_MAX / 2 ? malloc(2 * n * sizeof *tree->nodes) : NULL;
        tree->order = malloc(n * sizeof *tree->order);
        tree->face_count = face_count;
    }
    if (!tree || !middles || !tree->nodes || !tree->order)
    {
        tw_tree_destroy(tree);
        free(middles);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the tree of %d faces", face_count);
    }
    for (int i = 0; i < face_count; i++)
    {
        const twVec3* c = corners + 3 * (size_t)i;
        tree->order[i] = i;
        middles[i] = tw_vec3_add(tw_vec3_add(c[0], c[1]), c[2]);
    }
    Builder builder = {tree, corners, middles, leaf_faces, tw_rng(1)};
    if (face_count > 0) grow(&builder, 0, face_count);
    free(middles);
    *out = tree;
    return TW_OK;
}

void tw_tree_destroy(twTree* tree)
{
    if (!tree) return;
    free(tree->nodes);
    free(tree->order);
    free(tree);
}
