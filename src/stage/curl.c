// SPDX-License-Identifier: MIT
// How much modes turn what is around the vertices of a set, as a table.
#include "live/warp.h"
#include "stage/body.h"
#include <stdlib.h>

float* stage_curl(const twModeSet* set, int modes)
{
    TW_ASSERT(modes >= 0 && modes <= set->mode_count);
    float* out = malloc((3 * (size_t)set->vertex_count * (size_t)modes + 1) * sizeof *out);
    Turns* turns = out ? turns_create(set, false) : NULL;
    if (!turns)
    {
        free(out);
        return NULL;
    }
    for (int k = 0; k < modes; k++)
    {
        const twVec3* turn = turns_of(turns, k);
        for (int v = 0; v < set->vertex_count; v++)
        {
            float* at = out + 3 * (size_t)modes * (size_t)v + k;
            at[0] = (float)turn[v].x;
            at[modes] = (float)turn[v].y;
            at[2 * (size_t)modes] = (float)turn[v].z;
        }
    }
    turns_destroy(turns);
    return out;
}
