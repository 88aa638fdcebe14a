// SPDX-License-Identifier: MIT
// A glTF file as one surface: the meshes of all nodes of the scene are placed by their transforms
// and joined; materials become regions in the order of their first triangles. Skins are left aside.
#include "mesh/glb.h"
#include <limits.h>
#include <stdlib.h>

enum
{
    MAX_DEPTH = 256  // of nodes
};

typedef struct Walk
{
    const twGlb* glb;
    twGlbGather gather;
    unsigned char* seen;  // (nodes)
} Walk;

static twPlacement combine(twPlacement outer, twPlacement inner)
{
    twPlacement result = {tw_mat3_mul(outer.m, inner.m), tw_vec3_add(tw_mat3_mul_vec(outer.m, inner.t), outer.t)};
    return result;
}

static twStatus walk_nodes(Walk* walk, int list, twPlacement outer, int depth, twError* err);

static twStatus walk_node(Walk* walk, int64_t index, twPlacement outer, int depth, twError* err)
{
    const twGlb* glb = walk->glb;
    if (index < 0 || index >= glb->nodes.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld does not exist; there are %d", glb->path, (long long)index,
                       glb->nodes.count);
    if (walk->seen[index] || depth > MAX_DEPTH)
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld is %s", glb->path, (long long)index,
                       walk->seen[index] ? "in the scene twice; nodes must form a tree" : "nested too deep");
    walk->seen[index] = 1;
    int node = glb->nodes.at[index];
    if (tw_json_get(&glb->json, tw_json_get(&glb->json, node, "extensions"), "EXT_mesh_gpu_instancing") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld has copies (EXT_mesh_gpu_instancing); export them as nodes",
                       glb->path, (long long)index);
    twPlacement place = combine(outer, tw_glb_placement(glb, node));
    int64_t mesh;
    if (!tw_glb_whole(glb, node, "mesh", -1, &mesh))
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld: its mesh must be a number", glb->path, (long long)index);
    twStatus status = mesh >= 0 ? tw_glb_add_mesh(&walk->gather, mesh, node, place, err) : TW_OK;
    int children = tw_json_get(&glb->json, node, "children");
    return status == TW_OK ? walk_nodes(walk, children, place, depth + 1, err) : status;
}

// all nodes of a JSON array of indices
static twStatus walk_nodes(Walk* walk, int list, twPlacement outer, int depth, twError* err)
{
    const twJsonTree* json = &walk->glb->json;
    int count = tw_json_length(json, list), node = tw_json_first(list);
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++, node = tw_json_next(json, node))
    {
        double number = tw_json_is(json, node, TW_JSON_NUMBER) ? json->nodes[node].number : -1;
        status = walk_node(walk, number >= 0 && number < INT_MAX ? (int64_t)number : -1, outer, depth, err);
    }
    return status;
}

// nodes that are no other's child, for files without scenes
static twStatus walk_roots(Walk* walk, twPlacement place, twError* err)
{
    const twGlb* glb = walk->glb;
    unsigned char* child = calloc((size_t)glb->nodes.count + 1, 1);
    if (!child) return tw_soup_no_memory(&walk->gather.soup, err);
    for (int i = 0; i < glb->nodes.count; i++)
    {
        int list = tw_json_get(&glb->json, glb->nodes.at[i], "children"), node = tw_json_first(list);
        for (int k = 0; k < tw_json_length(&glb->json, list); k++, node = tw_json_next(&glb->json, node))
        {
            double number = tw_json_is(&glb->json, node, TW_JSON_NUMBER) ? glb->json.nodes[node].number : -1;
            if (number >= 0 && number < glb->nodes.count) child[(int)number] = 1;
        }
    }
    twStatus status = TW_OK;
    for (int i = 0; i < glb->nodes.count && status == TW_OK; i++)
        if (!child[i]) status = walk_node(walk, i, place, 0, err);
    free(child);
    return status;
}

static twStatus walk_scene(Walk* walk, twError* err)
{
    const twGlb* glb = walk->glb;
    const twPlacement here = {tw_mat3_identity(), {0, 0, 0}};
    int scenes = tw_json_get(&glb->json, 0, "scenes"), count = tw_json_length(&glb->json, scenes);
    int64_t chosen;
    if (!tw_glb_whole(glb, 0, "scene", 0, &chosen) || (count > 0 && chosen >= count))
        return tw_fail(err, TW_BAD_INPUT, "%s: the scene must be one of the %d there", glb->path, count);
    if (count > 0)
    {
        int scene = tw_json_first(scenes);
        for (int64_t i = 0; i < chosen; i++) scene = tw_json_next(&glb->json, scene);
        return walk_nodes(walk, tw_json_get(&glb->json, scene, "nodes"), here, 0, err);
    }
    if (glb->nodes.count > 0) return walk_roots(walk, here, err);
    twStatus status = TW_OK;
    for (int i = 0; i < glb->meshes.count && status == TW_OK; i++)
        status = tw_glb_add_mesh(&walk->gather, i, -1, here, err);
    return status;
}

twStatus tw_read_glb(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    twGlb glb;
    twStatus status = tw_glb_open(&glb, path, data, bytes, err);
    if (status == TW_OK)
    {
        Walk walk = {.glb = &glb};
        bool fine = tw_glb_gather(&walk.gather, &glb);
        walk.seen = calloc((size_t)glb.nodes.count + 1, 1);
        status = fine && walk.seen ? walk_scene(&walk, err) : tw_soup_no_memory(&walk.gather.soup, err);
        if (status == TW_OK) status = tw_soup_finish(out, &walk.gather.soup, scale, err);
        tw_glb_gather_clear(&walk.gather);
        free(walk.seen);
    }
    tw_glb_close(&glb);
    return status;
}
