// SPDX-License-Identifier: MIT
// Which nodes of a body are held fast.

#include "bake.h"
#include <math.h>
#include <stdlib.h>

#define FAR 0.05       // of the body's size: what is farther off was not meant
#define ROUNDING 1e-9  // of the body's size: a face at x = 0.15 is within x > 0.15

static void hold_region(const twTetMesh* tets, const BakeSource* source, int region, bool* held)
{
    for (int t = 0; t < tets->tet_count; t++)
    {
        if ((source->tets->regions ? source->tets->regions[t] : 0) != region) continue;
        for (int i = 0; i < 4; i++) held[tets->tets[t].n[i]] = true;
        for (int i = 0; i < 6 && tets->mid_nodes; i++) held[tets->mid_nodes[t][i]] = true;
    }
}

// How far a ball or point is from the body, and where the body is nearest. Inside it, between nodes, that is 0.
static twStatus measure_gap(const twTetMesh* tets, const twPart* part, double* gap, twVec3* nearest, twError* err)
{
    twMesh* surface = NULL;
    twWinding* winding = NULL;
    int* node_of = NULL;
    twStatus status = tw_tets_surface(&surface, &node_of, tets, err);
    if (status == TW_OK) status = tw_winding_create(&winding, surface, err);
    if (status == TW_OK)
    {
        double d = tw_winding_nearest(winding, part->centre, nearest, NULL);
        *gap = tw_winding_at(winding, part->centre) > 0.5 ? 0 : fmax(0, d - part->radius);
    }
    tw_winding_destroy(winding);
    tw_mesh_destroy(surface);
    free(node_of);
    return status;
}

static bool is_half_space(const twPart* part)
{
    return part->kind == TW_PART_BOX &&
           !isfinite(part->high.x - part->low.x + part->high.y - part->low.y + part->high.z - part->low.z);
}

static double tidy(double x, double size) { return fabs(x) < ROUNDING * size ? 0 : x; }

static twStatus fail_part(const twVec3* points, int count, const twPart* part, const char* to_be, double gap,
                          twVec3 nearest, twError* err)
{
    char text[160];
    twVec3 low, high;
    bake_bounds(points, count, &low, &high);
    const double size = tw_vec3_max(tw_vec3_sub(high, low));
    return tw_fail(err, TW_BAD_INPUT,
                   "no part of the body is %s '%s', to be %s; the nearest, %.4g,%.4g,%.4g, is %.4g m away, and the "
                   "body reaches from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m",
                   part->kind == TW_PART_POINT ? "at" : "within", tw_part_text(text, sizeof text, part), to_be,
                   tidy(nearest.x, size), tidy(nearest.y, size), tidy(nearest.z, size), gap, tidy(low.x, size),
                   tidy(low.y, size), tidy(low.z, size), tidy(high.x, size), tidy(high.y, size), tidy(high.z, size));
}

twStatus bake_fail_part(const twBakeDef* def, const twPart* part, int material, double gap, twVec3 nearest,
                        const BakeSource* source, twError* err)
{
    char to_be[100] = "held";
    const char* name = material > 0 ? def->regions[material - 1].material.name : NULL;
    if (material >= 0) snprintf(to_be, sizeof to_be, "of material '%.80s'", name ? name : "");
    return fail_part(source->surface->vertices, source->surface->vertex_count, part, to_be, gap, nearest, err);
}

// a place without nodes may lie between them, or a little beside the body, but not elsewhere
static twStatus check_gap(const twTetMesh* tets, const twPart* part, double least, twVec3 nearest, double size,
                          twError* err)
{
    double gap = least, limit = FAR * size;
    twStatus status = TW_OK;
    if (least <= limit) return TW_OK;
    if (part->kind != TW_PART_BOX)
        status = measure_gap(tets, part, &gap, &nearest, err);
    else if (!is_half_space(part))
        limit = bake_longest_edge(tets);
    if (status != TW_OK || gap <= limit) return status;
    return fail_part(tets->nodes, tets->node_count, part, "held", gap, nearest, err);
}

// all nodes in a place; if there are none, the nearest
static twStatus hold_place(const twTetMesh* tets, const twPart* part, double size, bool* held, twError* err)
{
    int nearest = 0, count = 0;
    double least = INFINITY;
    for (int i = 0; i < tets->node_count; i++)
    {
        double d = tw_part_distance(part, tets->nodes[i]);
        if (d < least) least = d, nearest = i;
        if (d > ROUNDING * size || part->kind == TW_PART_POINT) continue;
        held[i] = true;
        count++;
    }
    if (count > 0) return TW_OK;
    twStatus status = check_gap(tets, part, least, tets->nodes[nearest], size, err);
    if (status == TW_OK) held[nearest] = true;
    return status;
}

static double longest_side(const twTetMesh* tets)
{
    twVec3 low, high;
    bake_bounds(tets->nodes, tets->node_count, &low, &high);
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

twStatus bake_find_held(const twBakeDef* def, const BakeSource* source, const twTetMesh* tets, int** out, int* count,
                        twError* err)
{
    *out = NULL;
    *count = 0;
    if (def->hold_count == 0) return TW_OK;
    double size = longest_side(tets);
    bool* held = calloc((size_t)tets->node_count + 1, sizeof *held);
    int* list = malloc(((size_t)tets->node_count + 1) * sizeof *list);
    twStatus status = held && list ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the held nodes");
    for (int h = 0; h < def->hold_count && status == TW_OK; h++)
    {
        int region;
        if (def->holds[h].kind != TW_PART_REGION)
            status = hold_place(tets, &def->holds[h], size, held, err);
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
