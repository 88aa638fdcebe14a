// SPDX-License-Identifier: MIT
// Which nodes of a body are held fast.

#include "bake.h"
#include <math.h>
#include <stdlib.h>

twStatus bake_find_held(const twBakeDef* def, const twTetMesh* tets, int** out, int* count, twError* err)
{
    *out = NULL;
    *count = 0;
    if (def->hold_count == 0) return TW_OK;
    int* held = malloc(((size_t)tets->node_count + (size_t)def->hold_count) * sizeof(int));
    if (!held) return tw_fail(err, TW_NO_MEMORY, "no memory for the held nodes");
    for (int h = 0; h < def->hold_count; h++)
    {
        int before = *count, nearest = 0;
        double least = INFINITY, radius = def->holds[h].radius;
        for (int i = 0; i < tets->node_count; i++)
        {
            double d = tw_vec3_norm(tw_vec3_sub(tets->nodes[i], def->holds[h].centre));
            if (d < least) least = d, nearest = i;
            if (d <= radius && *count < tets->node_count) held[(*count)++] = i;
        }
        if (*count == before && radius > 0)
        {
            free(held);
            return tw_fail(err, TW_BAD_INPUT,
                           "no part of the body is within %g m of the held point %d; the nearest is %g m away", radius,
                           h + 1, least);
        }
        if (*count == before) held[(*count)++] = nearest;
    }
    *out = held;
    return TW_OK;
}
