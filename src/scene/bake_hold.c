// SPDX-License-Identifier: MIT
// Which nodes of a body are held fast.

#include "bake.h"
#include <math.h>
#include <stdlib.h>

static void hold_region(const twTetMesh* tets, const BakeSource* source, int region, bool* held)
{
    for (int t = 0; t < tets->tet_count; t++)
    {
        if ((source->tets->regions ? source->tets->regions[t] : 0) != region) continue;
        for (int i = 0; i < 4; i++) held[tets->tets[t].n[i]] = true;
        for (int i = 0; i < 6 && tets->mid_nodes; i++) held[tets->mid_nodes[t][i]] = true;
    }
}

// all nodes in a place; if there are none, the nearest, unless it is farther away than an element is long
static twStatus hold_place(const twTetMesh* tets, const twPart* part, int number, bool* held, twError* err)
{
    int nearest = 0, count = 0;
    double least = INFINITY;
    for (int i = 0; i < tets->node_count; i++)
    {
        double d = tw_part_distance(part, tets->nodes[i]);
        if (d < least) least = d, nearest = i;
        if (d > 0 || part->kind == TW_PART_POINT) continue;
        held[i] = true;
        count++;
    }
    if (count > 0) return TW_OK;
    if (part->kind != TW_PART_POINT && least > bake_longest_edge(tets))
    {
        twVec3 low, high;
        bake_bounds(tets->nodes, tets->node_count, &low, &high);
        return tw_fail(err, TW_BAD_INPUT,
                       "no part of the body is within held place %d; the nearest is %g m away, and the body reaches "
                       "from %g,%g,%g to %g,%g,%g m",
                       number, least, low.x, low.y, low.z, high.x, high.y, high.z);
    }
    held[nearest] = true;
    return TW_OK;
}

twStatus bake_find_held(const twBakeDef* def, const BakeSource* source, const twTetMesh* tets, int** out, int* count,
                        twError* err)
{
    *out = NULL;
    *count = 0;
    if (def->hold_count == 0) return TW_OK;
    bool* held = calloc((size_t)tets->node_count + 1, sizeof *held);
    int* list = malloc(((size_t)tets->node_count + 1) * sizeof *list);
    twStatus status = held && list ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the held nodes");
    for (int h = 0; h < def->hold_count && status == TW_OK; h++)
    {
        int region;
        if (def->holds[h].kind != TW_PART_REGION)
            status = hold_place(tets, &def->holds[h], h + 1, held, err);
        else if ((status = bake_find_region(def, source, def->holds[h].region, &region, err)) == TW_OK)
            hold_region(tets, source, region, held);
    }
    for (int i = 0; i < tets->node_count && status == TW_OK; i++)
        if (held[i]) list[(*count)++] = i;
    free(held);
    if (status == TW_OK)
        *out = list;
    else
        free(list);
    return status;
}
