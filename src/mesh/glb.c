// SPDX-License-Identifier: MIT
// glTF 2.0 (Khronos, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html): as GLB, a header, a chunk of JSON and a
// chunk of bytes; or as JSON alone, with the bytes within. The meshes of all nodes of the scene are placed by their transforms and joined; materials become regions
// in the order of their first triangles. Skins, morphs, points and lines are left aside.
#include "mesh/glb.h"
#include "mesh/bytes.h"
#include "mesh/soup.h"
#include "mesh/table.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum
{
    MAX_DEPTH = 256,     // of nodes
    MAX_SIZE = 1 << 26,  // vertices and triangles of all instances together
    INSTANCE_COST = 64   // what an instance costs beside them
};

// x -> m x + t
typedef struct Placement
{
    twMat3 m;
    twVec3 t;
} Placement;

typedef struct Walk
{
    const twGlb* glb;
    twSoup soup;
    twTable regions;      // by material
    int* base_of;         // (accessors) first vertex of positions placed already
    int* placed_for;      // (accessors) the node they were placed for
    unsigned char* seen;  // (nodes)
    int instance;
    int64_t size;
} Walk;

// ---- placement ----

static Placement combine(Placement outer, Placement inner)
{
    Placement result = {tw_mat3_mul(outer.m, inner.m), tw_vec3_add(tw_mat3_mul_vec(outer.m, inner.t), outer.t)};
    return result;
}

// count numbers of an array under a key. @return false if there is none such
static bool get_numbers(const twGlb* glb, int object, const char* key, double* out, int count)
{
    int array = tw_json_get(&glb->json, object, key);
    if (tw_json_length(&glb->json, array) != count) return false;
    int node = tw_json_first(array);
    for (int i = 0; i < count; i++, node = tw_json_next(&glb->json, node))
    {
        if (!tw_json_is(&glb->json, node, TW_JSON_NUMBER)) return false;
        out[i] = glb->json.nodes[node].number;
    }
    return true;
}

static Placement placement_of(const twGlb* glb, int node)
{
    double a[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    Placement result;
    if (get_numbers(glb, node, "matrix", a, 16))
    {
        // column by column
        result.m = tw_mat3_rows(tw_vec3(a[0], a[4], a[8]), tw_vec3(a[1], a[5], a[9]), tw_vec3(a[2], a[6], a[10]));
        result.t = tw_vec3(a[12], a[13], a[14]);
        return result;
    }
    get_numbers(glb, node, "translation", t, 3);
    get_numbers(glb, node, "rotation", q, 4);
    get_numbers(glb, node, "scale", s, 3);
    twMat3 turn = tw_mat3_from_quat(tw_quat_normalize(tw_quat(q[3], q[0], q[1], q[2])));
    result.m = tw_mat3_mul(turn, tw_mat3_diagonal(tw_vec3(s[0], s[1], s[2])));
    result.t = tw_vec3(t[0], t[1], t[2]);
    return result;
}

// ---- meshes ----

// add the cost of something to the total. @return TW_BAD_INPUT if it is too much
static twStatus spend(Walk* walk, int64_t cost, twError* err)
{
    walk->size += cost;
    if (walk->size <= MAX_SIZE) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: all copies of its meshes together have more than %d vertices and triangles",
                   walk->glb->path, MAX_SIZE);
}

// put the positions of an accessor in place, once per node. count gets how many there are
static twStatus place_positions(Walk* walk, int accessor, Placement place, int* base, int* count, twError* err)
{
    twGlbColumn column;
    twStatus status = tw_glb_column(walk->glb, accessor, &column, err);
    if (status != TW_OK) return status;
    if (column.parts != 3)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d of positions must be VEC3", walk->glb->path, accessor);
    *count = column.count;
    if (walk->placed_for[accessor] == walk->instance)
    {
        *base = walk->base_of[accessor];
        return TW_OK;
    }
    status = spend(walk, column.count, err);
    *base = walk->soup.vertex_count;
    for (int row = 0; row < column.count && status == TW_OK; row++)
    {
        twVec3 p = tw_vec3(tw_glb_real(&column, row, 0), tw_glb_real(&column, row, 1), tw_glb_real(&column, row, 2));
        if (!tw_soup_vertex(&walk->soup, tw_vec3_add(tw_mat3_mul_vec(place.m, p), place.t)))
            status = tw_soup_no_memory(&walk->soup, err);
    }
    walk->base_of[accessor] = *base;
    walk->placed_for[accessor] = walk->instance;
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

static twStatus add_triangles(Walk* walk, const Primitive* primitive, twError* err)
{
    int corners = primitive->indexed ? primitive->indices.count : primitive->vertex_count;
    int triangles = primitive->mode == 4 ? corners / 3 : corners - 2;
    twStatus status = spend(walk, triangles > 0 ? triangles : 0, err);
    for (int i = 0; i < triangles && status == TW_OK; i++)
    {
        int places[3], v[3];
        triangle_places(primitive->mode, i, places);
        for (int k = 0; k < 3; k++)
        {
            uint32_t index = primitive->indexed ? tw_glb_index(&primitive->indices, places[k]) : (uint32_t)places[k];
            if (index >= (uint32_t)primitive->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "%s: an index refers to vertex %lu of a primitive that has %d",
                               walk->glb->path, (unsigned long)index, primitive->vertex_count);
            v[k] = primitive->base + (int)index;
        }

        // a mirrored mesh shows its inside unless its triangles are turned
        bool fine = tw_soup_corner(&walk->soup, v[0]) && tw_soup_corner(&walk->soup, v[primitive->mirrored ? 2 : 1]) &&
                    tw_soup_corner(&walk->soup, v[primitive->mirrored ? 1 : 2]) &&
                    tw_soup_polygon(&walk->soup, primitive->region, walk->soup.polygon_count);
        if (!fine) status = tw_soup_no_memory(&walk->soup, err);
    }
    return status;
}

static twStatus add_primitive(Walk* walk, int node, Placement place, twError* err)
{
    const twGlb* glb = walk->glb;
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

    twStatus status = place_positions(walk, (int)positions, place, &primitive.base, &primitive.vertex_count, err);
    primitive.indexed = indices >= 0;
    if (status == TW_OK && primitive.indexed) status = tw_glb_column(glb, (int)indices, &primitive.indices, err);
    if (status != TW_OK) return status;
    int type = primitive.indices.type;
    if (primitive.indexed && (primitive.indices.parts != 1 || (type != 5121 && type != 5123 && type != 5125)))
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %lld of indices must be SCALAR of 5121, 5123 or 5125",
                       glb->path, (long long)indices);
    int* region = tw_table_put(&walk->regions, (int)material, 0, 0, (int)walk->regions.count);
    if (!region) return tw_soup_no_memory(&walk->soup, err);
    primitive.region = *region;
    return add_triangles(walk, &primitive, err);
}

static twStatus add_mesh(Walk* walk, int64_t mesh, Placement place, twError* err)
{
    const twGlb* glb = walk->glb;
    if (mesh >= glb->meshes.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: mesh %lld does not exist; there are %d", glb->path, (long long)mesh,
                       glb->meshes.count);
    int primitives = tw_json_get(&glb->json, glb->meshes.at[mesh], "primitives");
    int count = tw_json_length(&glb->json, primitives), node = tw_json_first(primitives);
    walk->instance++;
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++, node = tw_json_next(&glb->json, node))
    {
        status = spend(walk, INSTANCE_COST, err);
        if (status == TW_OK) status = add_primitive(walk, node, place, err);
    }
    return status;
}

// ---- nodes ----

static twStatus walk_nodes(Walk* walk, int list, Placement outer, int depth, twError* err);

static twStatus walk_node(Walk* walk, int64_t index, Placement outer, int depth, twError* err)
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
    Placement place = combine(outer, placement_of(glb, node));
    int64_t mesh;
    if (!tw_glb_whole(glb, node, "mesh", -1, &mesh))
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld: its mesh must be a number", glb->path, (long long)index);
    twStatus status = mesh >= 0 ? add_mesh(walk, mesh, place, err) : TW_OK;
    int children = tw_json_get(&glb->json, node, "children");
    return status == TW_OK ? walk_nodes(walk, children, place, depth + 1, err) : status;
}

// all nodes of a JSON array of indices
static twStatus walk_nodes(Walk* walk, int list, Placement outer, int depth, twError* err)
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
static twStatus walk_roots(Walk* walk, Placement place, twError* err)
{
    const twGlb* glb = walk->glb;
    unsigned char* child = calloc((size_t)glb->nodes.count + 1, 1);
    if (!child) return tw_soup_no_memory(&walk->soup, err);
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
    const Placement here = {tw_mat3_identity(), {0, 0, 0}};
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
    for (int i = 0; i < glb->meshes.count && status == TW_OK; i++) status = add_mesh(walk, i, here, err);
    return status;
}

// ---- file ----

static bool list_items(const twGlb* glb, const char* key, twGlbList* out)
{
    int array = tw_json_get(&glb->json, 0, key), node = tw_json_first(array);
    out->count = tw_json_length(&glb->json, array);
    out->at = malloc(((size_t)out->count + 1) * sizeof *out->at);
    if (!out->at) return false;
    for (int i = 0; i < out->count; i++, node = tw_json_next(&glb->json, node)) out->at[i] = node;
    return true;
}

static twStatus read_json(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    twStatus status = tw_json_read(&glb->json, glb->path, data, bytes, err);
    if (status != TW_OK) return status;
    bool fine = list_items(glb, "nodes", &glb->nodes) && list_items(glb, "meshes", &glb->meshes) &&
                list_items(glb, "accessors", &glb->accessors) && list_items(glb, "bufferViews", &glb->views) &&
                list_items(glb, "buffers", &glb->buffers);
    return fine ? tw_glb_open_buffers(glb, err) : tw_fail(err, TW_NO_MEMORY, "%s: no memory", glb->path);
}

// a file of JSON alone
static twStatus open_gltf(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    size_t mark = bytes >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    twStatus status = read_json(glb, data + mark, bytes - mark, err);
    int version = tw_json_get(&glb->json, tw_json_get(&glb->json, 0, "asset"), "version");
    bool two = tw_json_is(&glb->json, version, TW_JSON_TEXT) && glb->json.nodes[version].length > 0 &&
               glb->json.nodes[version].text[0] == '2';
    if (status != TW_OK || two) return status;
    return tw_fail(err, TW_BAD_INPUT, "%s: this is JSON, but no glTF of version 2; export the mesh as one .glb",
                   glb->path);
}

// find the chunks and read the JSON
static twStatus open_glb(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    if (bytes < 20) return tw_fail(err, TW_BAD_INPUT, "%s: %zu bytes are too few for a GLB", glb->path, bytes);
    uint64_t version = tw_bytes_unsigned(data + 4, 4, false), length = tw_bytes_unsigned(data + 8, 4, false);
    if (version != 2)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 4: glTF version %llu; version 2 is needed", glb->path,
                       (unsigned long long)version);
    if (length > bytes)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 8: the file should have %llu bytes, but has %zu; it is cut short",
                       glb->path, (unsigned long long)length, bytes);
    uint64_t json_bytes = tw_bytes_unsigned(data + 12, 4, false);
    if (json_bytes > bytes - 20 || memcmp(data + 16, "JSON", 4) != 0)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 12: there should be a JSON chunk within the file's %zu bytes",
                       glb->path, bytes);
    size_t second = 20 + (size_t)json_bytes;
    if (bytes - second >= 8 && memcmp(data + second + 4, "BIN\0", 4) == 0)
    {
        uint64_t binary_bytes = tw_bytes_unsigned(data + second, 4, false);
        if (binary_bytes > bytes - second - 8)
            return tw_fail(err, TW_BAD_INPUT, "%s, offset %zu: a chunk of %llu bytes reaches beyond the file",
                           glb->path, second, (unsigned long long)binary_bytes);
        glb->binary = data + second + 8;
        glb->binary_bytes = (size_t)binary_bytes;
    }
    return read_json(glb, data + 20, (size_t)json_bytes, err);
}

static void close_glb(twGlb* glb)
{
    tw_glb_close_buffers(glb);
    tw_json_clear(&glb->json);
    free(glb->nodes.at);
    free(glb->meshes.at);
    free(glb->accessors.at);
    free(glb->views.at);
    free(glb->buffers.at);
}

twStatus tw_read_glb(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    twGlb glb = {.path = path};
    bool packed = bytes >= 4 && memcmp(data, "glTF", 4) == 0;
    twStatus status = packed ? open_glb(&glb, data, bytes, err) : open_gltf(&glb, data, bytes, err);
    if (status == TW_OK)
    {
        size_t accessors = (size_t)glb.accessors.count + 1;
        Walk walk = {.glb = &glb, .soup = {.path = path, .place_name = "triangle"}};
        walk.base_of = calloc(accessors, sizeof *walk.base_of);
        walk.placed_for = calloc(accessors, sizeof *walk.placed_for);
        walk.seen = calloc((size_t)glb.nodes.count + 1, 1);
        bool fine = walk.base_of && walk.placed_for && walk.seen;
        status = fine ? walk_scene(&walk, err) : tw_soup_no_memory(&walk.soup, err);
        if (status == TW_OK) status = tw_soup_finish(out, &walk.soup, scale, err);
        tw_soup_clear(&walk.soup);
        tw_table_clear(&walk.regions);
        free(walk.base_of);
        free(walk.placed_for);
        free(walk.seen);
    }
    close_glb(&glb);
    return status;
}
