// SPDX-License-Identifier: MIT
// The tree of a file's nodes: which belong to the scene, what each hangs on, and where it is there.
#include "import/import.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum
{
    MAX_NODES = 1 << 20,
    MAX_DEPTH = 256
};

#define MAX_LENGTH 1e9  // of coordinates

static bool is_fine(const double* numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= MAX_LENGTH)) return false;
    return true;
}

static twStatus read_place(ImportReader* reader, ImportNode* node, twError* err)
{
    const twGlb* glb = reader->glb;
    double m[16] = {0}, t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    node->has_matrix = tw_glb_numbers(glb, node->json, "matrix", m, 16);
    tw_glb_numbers(glb, node->json, "translation", t, 3);
    tw_glb_numbers(glb, node->json, "rotation", q, 4);
    tw_glb_numbers(glb, node->json, "scale", s, 3);
    const twQuat rotation = tw_quat(q[3], q[0], q[1], q[2]);
    if (!is_fine(m, 16) || !is_fine(t, 3) || !is_fine(q, 4) || !is_fine(s, 3) || !(tw_quat_norm(rotation) > 0))
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s' is placed by numbers that are not finite or beyond %g",
                       glb->path, node->name, MAX_LENGTH);
    if (node->has_matrix) node->matrix = tw_glb_placement(glb, node->json);
    node->translation = tw_vec3(t[0], t[1], t[2]);
    node->rotation = tw_quat_normalize(rotation);
    node->scale = tw_vec3(s[0], s[1], s[2]);
    return TW_OK;
}

static twStatus read_node(ImportReader* reader, int index, twError* err)
{
    const twGlb* glb = reader->glb;
    ImportNode* node = &reader->import->tree->nodes[index];
    char number[32];
    snprintf(number, sizeof number, "%d", index);
    *node = (ImportNode){.json = glb->nodes.at[index], .parent = -1, .animation = {-1, -1, -1}};
    node->name = import_text(reader, tw_json_get(&glb->json, node->json, "name"));
    if (node->name && !node->name[0]) node->name = tw_arena_copy_text(reader->import->arena, number);
    return node->name ? read_place(reader, node, err) : import_no_memory(reader, err);
}

// ---- the tree ----

// index of a node that another one or the scene names
static twStatus take_index(const ImportReader* reader, int json, int* out, twError* err)
{
    const twGlb* glb = reader->glb;
    const double number = tw_json_is(&glb->json, json, TW_JSON_NUMBER) ? glb->json.nodes[json].number : -1;
    if (!(number >= 0 && number < glb->nodes.count) || number != floor(number))
        return tw_fail(err, TW_BAD_INPUT, "%s: node %g does not exist; there are %d", glb->path, number,
                       glb->nodes.count);
    *out = (int)number;
    return TW_OK;
}

// every node has one parent at most
static twStatus adopt(ImportReader* reader, int parent, twError* err)
{
    const twGlb* glb = reader->glb;
    ImportNode* nodes = reader->import->tree->nodes;
    const int list = tw_json_get(&glb->json, nodes[parent].json, "children");
    int json = tw_json_first(list);
    twStatus status = TW_OK;
    for (int i = 0; i < tw_json_length(&glb->json, list) && status == TW_OK; i++, json = tw_json_next(&glb->json, json))
    {
        int child = 0;
        status = take_index(reader, json, &child, err);
        if (status == TW_OK && (nodes[child].parent >= 0 || child == parent))
            status =
                tw_fail(err, TW_BAD_INPUT, "%s: node '%s' hangs on two others, or on itself; nodes must form a tree",
                        glb->path, nodes[child].name);
        if (status == TW_OK) nodes[child].parent = parent;
    }
    return status;
}

// add a node and what hangs on it to those of the scene. What has one parent each can only be met twice in a circle.
static twStatus follow(ImportReader* reader, int index, int depth, twError* err)
{
    const twGlb* glb = reader->glb;
    twImportTree* tree = reader->import->tree;
    ImportNode* node = &tree->nodes[index];
    if (node->used || depth > MAX_DEPTH)
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s' is %s", glb->path, node->name,
                       node->used ? "in the scene twice; nodes must form a tree" : "nested too deep");
    node->used = true;
    tree->order[tree->order_count++] = index;
    const int list = tw_json_get(&glb->json, node->json, "children");
    int json = tw_json_first(list);
    twStatus status = TW_OK;
    for (int i = 0; i < tw_json_length(&glb->json, list) && status == TW_OK; i++, json = tw_json_next(&glb->json, json))
    {
        int child = 0;
        status = take_index(reader, json, &child, err);
        if (status == TW_OK) status = follow(reader, child, depth + 1, err);
    }
    return status;
}

static twStatus follow_scene(ImportReader* reader, twError* err)
{
    const twGlb* glb = reader->glb;
    twImportTree* tree = reader->import->tree;
    const int scenes = tw_json_get(&glb->json, 0, "scenes"), count = tw_json_length(&glb->json, scenes);
    int64_t chosen;
    twStatus status = TW_OK;
    if (!tw_glb_whole(glb, 0, "scene", 0, &chosen) || (count > 0 && chosen >= count))
        return tw_fail(err, TW_BAD_INPUT, "%s: the scene must be one of the %d there", glb->path, count);
    for (int i = 0; i < tree->node_count && count == 0 && status == TW_OK; i++)
        if (tree->nodes[i].parent < 0) status = follow(reader, i, 0, err);
    if (count == 0) return status;
    int scene = tw_json_first(scenes);
    for (int64_t i = 0; i < chosen; i++) scene = tw_json_next(&glb->json, scene);
    const int list = tw_json_get(&glb->json, scene, "nodes");
    int json = tw_json_first(list);
    for (int i = 0; i < tw_json_length(&glb->json, list) && status == TW_OK; i++, json = tw_json_next(&glb->json, json))
    {
        int root = 0;
        status = take_index(reader, json, &root, err);
        if (status == TW_OK && tree->nodes[root].parent >= 0)
            status = tw_fail(err, TW_BAD_INPUT, "%s: node '%s' of the scene hangs on another", glb->path,
                             tree->nodes[root].name);
        if (status == TW_OK) status = follow(reader, root, 0, err);
    }
    return status;
}

twStatus import_nodes(ImportReader* reader, twError* err)
{
    const twGlb* glb = reader->glb;
    twImportTree* tree = import_alloc(reader, 1, sizeof *tree);
    if (!tree) return import_no_memory(reader, err);
    reader->import->tree = tree;
    if (glb->nodes.count > MAX_NODES)
        return tw_fail(err, TW_BAD_INPUT, "%s: %d nodes are more than %d", glb->path, glb->nodes.count, MAX_NODES);
    tree->unit = reader->def->unit;
    tree->start = reader->def->start;
    tree->z_up = reader->def->z_up;
    tree->node_count = glb->nodes.count;
    tree->nodes = import_alloc(reader, (size_t)tree->node_count, sizeof *tree->nodes);
    tree->order = import_alloc(reader, (size_t)tree->node_count, sizeof *tree->order);
    if (!tree->nodes || !tree->order) return import_no_memory(reader, err);
    twStatus status = TW_OK;
    for (int i = 0; i < tree->node_count && status == TW_OK; i++) status = read_node(reader, i, err);
    for (int i = 0; i < tree->node_count && status == TW_OK; i++) status = adopt(reader, i, err);
    return status == TW_OK ? follow_scene(reader, err) : status;
}
