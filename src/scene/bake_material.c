// SPDX-License-Identifier: MIT
// Which element is made of what. Material 0 is that of all no region claims, material r that of region r - 1 of the def.

#include "bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void bake_bounds(const twVec3* points, int count, twVec3* low, twVec3* high)
{
    *low = *high = points[0];
    for (int i = 1; i < count; i++)
    {
        *low = (twVec3){fmin(low->x, points[i].x), fmin(low->y, points[i].y), fmin(low->z, points[i].z)};
        *high = (twVec3){fmax(high->x, points[i].x), fmax(high->y, points[i].y), fmax(high->z, points[i].z)};
    }
}

double bake_longest_edge(const twTetMesh* tets)
{
    double most = 0;
    for (int t = 0; t < tets->tet_count; t++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < i; k++)
                most = fmax(
                    most, tw_vec3_norm(tw_vec3_sub(tets->nodes[tets->tets[t].n[i]], tets->nodes[tets->tets[t].n[k]])));
    return most;
}

// ---- regions of a file ----

// "1 "head", 2 "handle"" and so on
static void list_regions(const twTetMesh* tets, char* out, size_t bytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < tets->region_count && at < bytes; i++)
    {
        const twTetRegion* r = &tets->region_list[i];
        at += (size_t)snprintf(out + at, bytes - at, "%s%lld", i ? ", " : "", (long long)r->tag);
        if (r->name[0] && at < bytes) at += (size_t)snprintf(out + at, bytes - at, " \"%s\"", r->name);
    }
}

twStatus bake_find_region(const twBakeDef* def, const BakeSource* source, const char* name, int* region, twError* err)
{
    if (!source->tets || source->tets->region_count == 0)
        return tw_fail(
            err, TW_BAD_INPUT,
            "'%s': %s has no regions that could be named%s; write ball:X,Y,Z,R, box:X0,Y0,Z0,X1,Y1,Z1 or x<A "
            "(x>A, y, z) for a part of it",
            name, def->source,
            source->surface ? " (materials of a surface are of its faces, not of what is inside; tet files, "
                              ".msh and .ele, have regions)"
                            : "");
    const twTetMesh* tets = source->tets;
    for (int i = 0; i < tets->region_count; i++)
    {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)tets->region_list[i].tag);
        if (strcmp(name, tets->region_list[i].name) != 0 && strcmp(name, number) != 0) continue;
        *region = i;
        return TW_OK;
    }
    char list[600];
    list_regions(tets, list, sizeof list);
    return tw_fail(err, TW_BAD_INPUT, "%s has no region '%s'; its regions are %s", def->source, name, list);
}

// ---- assignment ----

static twVec3 centre_of(const twTetMesh* tets, int tet)
{
    const int* n = tets->tets[tet].n;
    twVec3 sum = tw_vec3_add(tw_vec3_add(tets->nodes[n[0]], tets->nodes[n[1]]),
                             tw_vec3_add(tets->nodes[n[2]], tets->nodes[n[3]]));
    return tw_vec3_scale(sum, 0.25);
}

// elements whose centre lies in a place; if there are none, the nearest, unless it is farther away than it is long
static twStatus assign_place(twTetMesh* tets, const twBakeRegion* region, int material, twError* err)
{
    const twPart* part = &region->part;
    int nearest = 0, count = 0;
    double least = INFINITY;
    for (int t = 0; t < tets->tet_count; t++)
    {
        double d = tw_part_distance(part, centre_of(tets, t));
        if (d < least) least = d, nearest = t;
        if (d > 0 || part->kind == TW_PART_POINT) continue;
        tets->regions[t] = material;
        count++;
    }
    if (count > 0) return TW_OK;
    if (least > bake_longest_edge(tets))
    {
        twVec3 low, high;
        bake_bounds(tets->nodes, tets->node_count, &low, &high);
        char text[160];
        return tw_fail(err, TW_BAD_INPUT,
                       "no part of the body is at '%s', to be of material '%s'; the nearest is %.4g m away, and the "
                       "body reaches from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m",
                       tw_part_text(text, sizeof text, part), region->material.name ? region->material.name : "", least,
                       low.x, low.y, low.z, high.x, high.y, high.z);
    }
    tets->regions[nearest] = material;
    return TW_OK;
}

// the first element without a material, if there must be none
static twStatus check_rest(const twBakeDef* def, const BakeSource* source, const twTetMesh* tets, twError* err)
{
    for (int t = 0; t < tets->tet_count && def->no_rest; t++)
    {
        if (tets->regions[t] > 0) continue;
        twVec3 c = centre_of(tets, t);
        if (!source->tets || source->tets->region_count < 2)
            return tw_fail(
                err, TW_BAD_INPUT,
                "the part of the body at %.3g,%.3g,%.3g m has no material; say which all the rest is made of", c.x, c.y,
                c.z);
        const twTetRegion* r = &source->tets->region_list[source->tets->regions[t]];
        return tw_fail(err, TW_BAD_INPUT,
                       "region %lld%s%s%s of %s has no material; give it one, or say which all the rest is made of",
                       (long long)r->tag, r->name[0] ? " \"" : "", r->name, r->name[0] ? "\"" : "", def->source);
    }
    return TW_OK;
}

twStatus bake_assign_materials(const twBakeDef* def, const BakeSource* source, twTetMesh* tets, twError* err)
{
    free(tets->regions);
    tets->regions = NULL;
    if (def->region_count == 0) return TW_OK;
    tets->regions = calloc((size_t)tets->tet_count + 1, sizeof *tets->regions);
    if (!tets->regions) return tw_fail(err, TW_NO_MEMORY, "no memory for the regions of %d tets", tets->tet_count);
    twStatus status = TW_OK;
    for (int i = 0; i < def->region_count && status == TW_OK; i++)
    {
        const twPart* part = &def->regions[i].part;
        int region = -1;
        if (part->kind != TW_PART_REGION)
        {
            status = assign_place(tets, &def->regions[i], i + 1, err);
            continue;
        }
        status = bake_find_region(def, source, part->region, &region, err);
        for (int t = 0; t < tets->tet_count && status == TW_OK; t++)
            if ((source->tets->regions ? source->tets->regions[t] : 0) == region) tets->regions[t] = i + 1;
    }
    return status == TW_OK ? check_rest(def, source, tets, err) : status;
}

twMaterial* bake_materials(const twBakeDef* def)
{
    twMaterial* list = malloc((size_t)(1 + def->region_count) * sizeof *list);
    if (!list) return NULL;
    list[0] = def->material;
    for (int i = 0; i < def->region_count; i++) list[1 + i] = def->regions[i].material;
    return list;
}
