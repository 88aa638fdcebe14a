// SPDX-License-Identifier: MIT
// What was written to a node by hand: custom properties of modellers, which are `extras` in glTF, of the node or else of its
// mesh, called twang_<key>; how it moves by the extension KHR_physics_rigid_bodies (mass, and whether anything moves it); and how it
// sounds by KHR_audio_rigid_bodies.
#include "import/import.h"
#include <string.h>

enum
{
    MAX_PROPERTIES = 32  // of a body
};

#define PREFIX "twang_"

typedef struct List
{
    int count;
    twImportProperty items[MAX_PROPERTIES];
} List;

static bool has(const List* list, const char* key)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].key, key) == 0) return true;
    return false;
}

static twStatus add(ImportReader* reader, List* list, const char* key, const char* text, twError* err)
{
    if (has(list, key)) return TW_OK;
    twImportProperty* item = &list->items[list->count++];
    item->key = tw_arena_copy_text(reader->import->arena, key);
    item->text = tw_arena_copy_text(reader->import->arena, text);
    return item->key && item->text ? TW_OK : import_no_memory(reader, err);
}

// a number, truth or text as text; "" if it is something else
static const char* value_of(const twGlb* glb, int json, char out[256])
{
    const twJsonNode* node = &glb->json.nodes[json];
    out[0] = 0;
    if (node->kind == TW_JSON_NUMBER) snprintf(out, 256, "%.15g", node->number);
    if (node->kind == TW_JSON_TRUE) snprintf(out, 256, "true");
    if (node->kind == TW_JSON_FALSE) snprintf(out, 256, "false");
    return node->kind == TW_JSON_TEXT ? tw_json_plain(&glb->json, json, out, 256) : out;
}

static twStatus add_extras(ImportReader* reader, List* list, int json, twError* err)
{
    const twGlb* glb = reader->glb;
    const int extras = tw_json_get(&glb->json, json, "extras");
    const int count = tw_json_is(&glb->json, extras, TW_JSON_OBJECT) ? glb->json.nodes[extras].length : 0;
    twStatus status = TW_OK;
    for (int i = 0, at = extras + 1; i < count && status == TW_OK; i++)
    {
        char key[64], text[256];
        tw_json_plain(&glb->json, at, key, sizeof key);
        const char* value = value_of(glb, at + 1, text);
        if (strncmp(key, PREFIX, strlen(PREFIX)) == 0 && value[0] && list->count < MAX_PROPERTIES)
            status = add(reader, list, key + strlen(PREFIX), value, err);
        at = tw_json_next(&glb->json, at + 1);
    }
    return status;
}

// what rings weighs what its material does
static twStatus add_physics(ImportReader* reader, List* list, int json, const twImportBody* body, bool rings,
                            twError* err)
{
    const twJsonTree* tree = &reader->glb->json;
    const int physics = tw_json_get(tree, tw_json_get(tree, json, "extensions"), "KHR_physics_rigid_bodies");
    const int motion = tw_json_get(tree, physics, "motion"), mass = tw_json_get(tree, motion, "mass");
    if (motion < 0 || list->count + 2 > MAX_PROPERTIES) return TW_OK;
    const bool driven = tw_json_is(tree, tw_json_get(tree, motion, "isKinematic"), TW_JSON_TRUE);
    char text[256];
    twStatus status = TW_OK;
    if (!driven || !body->moves) status = add(reader, list, "kind", driven ? "fixed" : "free", err);
    // bodies without a mass weigh what their material does
    if (status == TW_OK && !driven && !rings && tw_json_is(tree, mass, TW_JSON_NUMBER) && tree->nodes[mass].number > 0)
        status = add(reader, list, "mass", value_of(reader->glb, mass, text), err);
    return status;
}

static twStatus add_number(ImportReader* reader, List* list, const char* key, double number, twError* err)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", number);
    return add(reader, list, key, text, err);
}

static bool is_free(const List* list)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].key, "kind") == 0) return strcmp(list->items[i].text, "free") == 0;
    return false;
}

// what stands or is led rings only if it is said where it is held: modes are those of what moves freely
static twStatus add_acoustics(ImportReader* reader, List* list, ImportAcoustic a, twError* err)
{
    twStatus status = TW_OK;
    if (list->count + 4 > MAX_PROPERTIES) return TW_OK;
    if (a.gain >= 0 && a.gain < 1e9) status = add_number(reader, list, "gain", a.gain, err);
    if (status == TW_OK && a.grain > 0) status = add_number(reader, list, "roughness", a.roughness, err);
    if (status == TW_OK && a.grain > 0) status = add_number(reader, list, "grain", a.grain, err);
    if (status == TW_OK && a.modes > 0 && is_free(list) && !has(list, "mass"))
        status = add_number(reader, list, "modes", a.modes, err);
    return status;
}

twStatus import_properties(ImportReader* reader, int node, int mesh, twImportBody* body, twError* err)
{
    List list = {0};
    const ImportAcoustic a = import_acoustic(reader, node);
    body->solid = a.solid;
    twStatus status = add_extras(reader, &list, node, err);
    if (status == TW_OK) status = add_extras(reader, &list, mesh, err);
    if (status == TW_OK) status = add_physics(reader, &list, node, body, a.modes > 0, err);
    if (status == TW_OK) status = add_acoustics(reader, &list, a, err);
    if (status != TW_OK || list.count == 0) return status;
    twImportProperty* items = import_alloc(reader, (size_t)list.count, sizeof *items);
    if (!items) return import_no_memory(reader, err);
    memcpy(items, list.items, (size_t)list.count * sizeof *items);
    body->properties = items;
    body->property_count = list.count;
    return TW_OK;
}
