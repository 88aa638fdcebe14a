// SPDX-License-Identifier: MIT
// glTF 2.0, 3.7: a mesh is a list of primitives, each with positions, indices and a material. Where it has morph targets, its
// surface is that of the weights it is shown with unless it is animated:
//     p = p0 + sum of w_k d_k.
// Points and lines are left aside.
#include "mesh/bytes.h"
#include "mesh/glb.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum
{
    MAX_SIZE = 1 << 26,  // vertices and triangles of all instances together
    INSTANCE_COST = 64,  // what an instance costs beside them
    MAX_TARGETS = 4096   // of a mesh
};

// add the cost of something to the total. @return TW_BAD_INPUT if it is too much
static twStatus spend(twGlbGather* gather, int64_t cost, twError* err)
{
    gather->size += cost;
    if (gather->size <= MAX_SIZE) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: all copies of its meshes together have more than %d vertices and triangles",
                   gather->glb->path, MAX_SIZE);
}

// ---- morph targets ----

// what a mesh is shown with: weights of its own or of the node (-1: none), and what they weigh
typedef struct Morph
{
    const twGlb* glb;
    int weights;  // JSON array, -1: all 0
    int targets;  // of a primitive
} Morph;

static Morph morph_of(const twGlb* glb, int mesh, int node)
{
    Morph morph = {glb, tw_json_get(&glb->json, node, "weights"), -1};
    if (tw_json_length(&glb->json, morph.weights) == 0) morph.weights = tw_json_get(&glb->json, mesh, "weights");
    return morph;
}

// add weight times what target does to the vertices from base on, in the axes of the placement
static twStatus add_target(twGlbGather* gather, int target, double weight, twMat3 axes, int base, int count,
                           twError* err)
{
    const twGlb* glb = gather->glb;
    int64_t accessor;
    twGlbColumn column;
    if (!tw_glb_whole(glb, target, "POSITION", -1, &accessor) || accessor > INT_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%s: a morph target has a bad number", glb->path);
    if (accessor < 0) return TW_OK;
    twStatus status = tw_glb_column(glb, (int)accessor, &column, err);
    if (status != TW_OK) return status;
    if (column.parts != 3 || column.count != count)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %lld of a morph target must be VEC3 with %d rows", glb->path,
                       (long long)accessor, count);
    status = spend(gather, count, err);
    for (int row = 0; row < count && status == TW_OK; row++)
    {
        twVec3 d = tw_vec3(tw_glb_real(&column, row, 0), tw_glb_real(&column, row, 1), tw_glb_real(&column, row, 2));
        twVec3* p = &gather->soup.vertices[base + row];
        *p = tw_vec3_add_scaled(*p, tw_mat3_mul_vec(axes, d), weight);
    }
    return status;
}

static twStatus add_targets(twGlbGather* gather, Morph morph, twMat3 axes, int base, int count, twError* err)
{
    const twJsonTree* json = &morph.glb->json;
    int targets = tw_json_length(json, morph.targets), weights = tw_json_length(json, morph.weights);
    int target = tw_json_first(morph.targets), weight = tw_json_first(morph.weights);
    twStatus status = TW_OK;
    if (targets > MAX_TARGETS)
        return tw_fail(err, TW_BAD_INPUT, "%s: %d morph targets are more than %d", morph.glb->path, targets,
                       MAX_TARGETS);
    for (int i = 0; i < targets && i < weights && status == TW_OK; i++)
    {
        double share = tw_json_is(json, weight, TW_JSON_NUMBER) ? json->nodes[weight].number : 0;
        if (share != 0) status = add_target(gather, target, share, axes, base, count, err);
        target = tw_json_next(json, target);
        weight = tw_json_next(json, weight);
    }
    return status;
}

// ---- primitives ----

// put the positions of an accessor in place, once per node. count gets how many there are
static twStatus place_positions(twGlbGather* gather, int accessor, twPlacement place, Morph morph, int* base,
                                int* count, twError* err)
{
    twGlbColumn column;
    twStatus status = tw_glb_column(gather->glb, accessor, &column, err);
    if (status != TW_OK) return status;
    if (column.parts != 3)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d of positions must be VEC3", gather->glb->path, accessor);
    *count = column.count;
    const bool morphs = tw_json_length(&morph.glb->json, morph.targets) > 0;
    if (gather->placed_for[accessor] == gather->instance && !morphs)
    {
        *base = gather->base_of[accessor];
        return TW_OK;
    }
    status = spend(gather, column.count, err);
    *base = gather->soup.vertex_count;
    for (int row = 0; row < column.count && status == TW_OK; row++)
    {
        twVec3 p = tw_vec3(tw_glb_real(&column, row, 0), tw_glb_real(&column, row, 1), tw_glb_real(&column, row, 2));
        if (!tw_soup_vertex(&gather->soup, tw_vec3_add(tw_mat3_mul_vec(place.m, p), place.t)))
            status = tw_soup_no_memory(&gather->soup, err);
    }
    if (status == TW_OK && morphs) return add_targets(gather, morph, place.m, *base, *count, err);
    gather->base_of[accessor] = *base;
    gather->placed_for[accessor] = gather->instance;
    return status;
}

// corners of triangle i of a list (4), strip (5) or fan (6), as places in the row of indices
static void triangle_places(int64_t mode, int i, int places[3])
{
    if (mode == 4)
        for (int k = 0; k < 3; k++) places[k] = 3 * i + k;
    else if (mode == 5)
    {
        // every other triangle of a strip runs backwards
        places[0] = i;
        places[1] = i + 1 + i % 2;
        places[2] = i + 2 - i % 2;
    }
    else
    {
        places[0] = 0;
        places[1] = i + 1;
        places[2] = i + 2;
    }
}

// what a primitive is made of
typedef struct Primitive
{
    int64_t mode;
    int base, vertex_count;
    bool indexed;
    twGlbColumn indices;
    int region;
    bool mirrored;
} Primitive;

static twStatus add_triangles(twGlbGather* gather, const Primitive* primitive, twError* err)
{
    int corners = primitive->indexed ? primitive->indices.count : primitive->vertex_count;
    int triangles = primitive->mode == 4 ? corners / 3 : corners - 2;
    twStatus status = spend(gather, triangles > 0 ? triangles : 0, err);
    for (int i = 0; i < triangles && status == TW_OK; i++)
    {
        int places[3], v[3];
        triangle_places(primitive->mode, i, places);
        for (int k = 0; k < 3; k++)
        {
            uint32_t index = primitive->indexed ? tw_glb_index(&primitive->indices, places[k]) : (uint32_t)places[k];
            if (index >= (uint32_t)primitive->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "%s: an index refers to vertex %lu of a primitive that has %d",
                               gather->glb->path, (unsigned long)index, primitive->vertex_count);
            v[k] = primitive->base + (int)index;
        }

        // a mirrored mesh shows its inside unless its triangles are turned
        bool fine = tw_soup_corner(&gather->soup, v[0]) &&
                    tw_soup_corner(&gather->soup, v[primitive->mirrored ? 2 : 1]) &&
                    tw_soup_corner(&gather->soup, v[primitive->mirrored ? 1 : 2]) &&
                    tw_soup_polygon(&gather->soup, primitive->region, gather->soup.polygon_count);
        if (!fine) status = tw_soup_no_memory(&gather->soup, err);
    }
    return status;
}

// number of the region of a material, -1 without memory
static int region_of(twGlbGather* gather, int material)
{
    const int known = (int)gather->regions.count;
    int* region = tw_table_put(&gather->regions, material, 0, 0, known);
    if (!region || (int)gather->regions.count == known) return region ? *region : -1;
    int* materials = realloc(gather->materials, ((size_t)known + 1) * sizeof *materials);
    if (!materials) return -1;
    gather->materials = materials;
    materials[known] = material == INT_MAX ? -1 : material;
    return known;
}

static twStatus add_primitive(twGlbGather* gather, int node, twPlacement place, Morph morph, twError* err)
{
    const twGlb* glb = gather->glb;
    Primitive primitive = {.mirrored = tw_mat3_det(place.m) < 0};
    int64_t positions, indices, material;
    int attributes = tw_json_get(&glb->json, node, "attributes");
    bool fine = tw_glb_whole(glb, node, "mode", 4, &primitive.mode) &&
                tw_glb_whole(glb, node, "indices", -1, &indices) &&
                tw_glb_whole(glb, node, "material", INT_MAX, &material) &&
                tw_glb_whole(glb, attributes, "POSITION", -1, &positions);
    if (!fine || positions > INT_MAX || indices > INT_MAX || material > INT_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%s: a primitive has a bad number", glb->path);
    int extensions = tw_json_get(&glb->json, node, "extensions");
    if (tw_json_get(&glb->json, extensions, "KHR_draco_mesh_compression") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: the mesh is compressed (Draco); export it without compression",
                       glb->path);
    if (primitive.mode < 4 || primitive.mode > 6 || positions < 0) return TW_OK;

    morph.targets = tw_json_get(&glb->json, node, "targets");
    twStatus status =
        place_positions(gather, (int)positions, place, morph, &primitive.base, &primitive.vertex_count, err);
    primitive.indexed = indices >= 0;
    if (status == TW_OK && primitive.indexed) status = tw_glb_column(glb, (int)indices, &primitive.indices, err);
    if (status != TW_OK) return status;
    int type = primitive.indices.type;
    if (primitive.indexed && (primitive.indices.parts != 1 || (type != 5121 && type != 5123 && type != 5125)))
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %lld of indices must be SCALAR of 5121, 5123 or 5125",
                       glb->path, (long long)indices);
    primitive.region = region_of(gather, (int)material);
    if (primitive.region < 0) return tw_soup_no_memory(&gather->soup, err);
    return add_triangles(gather, &primitive, err);
}

twStatus tw_glb_add_mesh(twGlbGather* gather, int64_t mesh, int node, twPlacement place, twError* err)
{
    const twGlb* glb = gather->glb;
    if (mesh >= glb->meshes.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: mesh %lld does not exist; there are %d", glb->path, (long long)mesh,
                       glb->meshes.count);
    int primitives = tw_json_get(&glb->json, glb->meshes.at[mesh], "primitives");
    int count = tw_json_length(&glb->json, primitives), primitive = tw_json_first(primitives);
    const Morph morph = morph_of(glb, glb->meshes.at[mesh], node);
    gather->instance++;
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++, primitive = tw_json_next(&glb->json, primitive))
    {
        status = spend(gather, INSTANCE_COST, err);
        if (status == TW_OK) status = add_primitive(gather, primitive, place, morph, err);
    }
    return status;
}

// ---- gathering ----

bool tw_glb_gather(twGlbGather* gather, const twGlb* glb)
{
    size_t accessors = (size_t)glb->accessors.count + 1;
    *gather = (twGlbGather){.glb = glb, .soup = {.path = glb->path, .place_name = "triangle"}};
    gather->base_of = calloc(accessors, sizeof *gather->base_of);
    gather->placed_for = calloc(accessors, sizeof *gather->placed_for);
    return gather->base_of && gather->placed_for;
}

void tw_glb_gather_clear(twGlbGather* gather)
{
    tw_soup_clear(&gather->soup);
    tw_table_clear(&gather->regions);
    free(gather->materials);
    free(gather->base_of);
    free(gather->placed_for);
}
