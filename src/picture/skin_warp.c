// SPDX-License-Identifier: MIT
// Bodies that are warped (modal/modal_warp.h): where modes displace a vertex by u and turn what is around it by w,
// it goes by V(w) u.

#include "modal/modal_warp.h"
#include "skin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_warped(const twTrace* trace, int body)
{
    char name[TW_TRACE_NAME];
    snprintf(name, sizeof name, TW_TRACE_WARP, body);
    for (int i = 0; i < trace->number_count; i++)
        if (strcmp(trace->numbers[i].name, name) == 0) return trace->numbers[i].value == 1;
    return false;
}

twStatus skin_warp(SkinBody* body, const twTrace* trace, int index, twArena* arena, twError* err)
{
    const twModeSet* set = trace->bodies[index].set;
    if (set->mode_count == 0 || !is_warped(trace, index)) return TW_OK;
    const size_t vertices = (size_t)set->vertex_count;
    float* turn = tw_arena_alloc(arena, 3 * vertices * (size_t)set->mode_count, sizeof *turn);
    twVec3* turns = turn ? turns_create(set, set->mode_count, false) : NULL;
    if (!turns) return tw_fail(err, TW_NO_MEMORY, "no memory for the surface of '%s'", trace->bodies[index].name);
    for (size_t i = 0; i < (size_t)set->mode_count * vertices; i++) skin_put(turn + 3 * i, turns[i]);
    free(turns);
    body->turn = turn;
    return TW_OK;
}

void skin_warp_vertices(const twSkinPart* part, const SkinBody* body, const twModeSet* set, const float* amplitude,
                        double factor, float* positions)
{
    for (int i = 0; i < part->vertex_count; i++)
    {
        const float* turn = body->turn + 3 * (size_t)part->source[i];
        twVec3 w = {0, 0, 0};
        for (int k = 0; k < set->mode_count; k++, turn += 3 * (size_t)set->vertex_count)
            if (amplitude[k] != 0) w = tw_vec3_add_scaled(w, skin_vec3(turn), factor * (double)amplitude[k]);
        const twVec3 rest = skin_vec3(part->rest + 3 * (size_t)i);
        const twVec3 u = tw_vec3_sub(skin_vec3(positions + 3 * (size_t)i), rest);
        skin_put(positions + 3 * (size_t)i, tw_vec3_add(rest, warp_point(u, w)));
    }
}
