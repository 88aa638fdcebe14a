// SPDX-License-Identifier: MIT
// A scene from its YAML file.

#include "reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DURATION 2.0  // [s]
#define RING 1.0      // after the last motion of an imported file [s]

void* read_alloc(Reader* reader, size_t count, size_t size)
{
    void* block = tw_arena_alloc(reader->scene->arena, count ? count : 1, size);
    if (!block) reader->no_memory = true;
    return block;
}

const char* read_copy(Reader* reader, const char* text)
{
    const char* copy = tw_arena_copy_text(reader->scene->arena, text);
    if (!copy) reader->no_memory = true;
    return copy ? copy : "";
}

const char* read_path(Reader* reader, const char* name)
{
    if (name[0] == '/' || !reader->folder[0]) return name;
    size_t bytes = strlen(reader->folder) + strlen(name) + 2;
    char* path = read_alloc(reader, bytes, 1);
    if (path) snprintf(path, bytes, "%s/%s", reader->folder, name);
    return path ? path : name;
}

// the part of a path before its last slash
static const char* folder_of(Reader* reader, const char* path)
{
    const char* slash = strrchr(path, '/');
    if (!slash) return "";
    char* folder = read_alloc(reader, (size_t)(slash - path) + 2, 1);
    if (folder) memcpy(folder, path, slash == path ? 1 : (size_t)(slash - path));
    return folder ? folder : "";
}

static void read_settings(Reader* reader, const twNode* root)
{
    static const char* const schemes[] = {"exact", "bilinear", NULL};
    twScene* scene = reader->scene;
    yaml_keys(root, "title", "duration", "rate", "oversample", "scheme", "materials", "objects", "interactions",
              "forces", "strikes", "outputs", "rods", "listeners", "ground", "air", "gravity", "frames", "camera",
              "bodies", "joints", "touch", "pushes", "world", "sound", "collide", "grabs", "throws", "initial_state",
              "import", "default_material", "default_flexible", "level", "tail");
    twRange duration = {.low = 0, .high = READ_MAX_DURATION, .above_low = true, .unit = "s"};
    scene->title = read_copy(reader, yaml_text(root, "title", ""));
    // what is imported moves to its end, and rings
    const double end = scene->import && scene->import->end > 0 ? scene->import->end + RING : DURATION;
    scene->duration = yaml_number(root, "duration", duration, fmin(end, READ_MAX_DURATION));
    scene->rate_hz = (double)yaml_integer(root, "rate", 1000, READ_MAX_RATE, 48000);
    scene->oversample = (int)yaml_integer(root, "oversample", 1, 64, 1);
    scene->scheme = (twScheme)yaml_choice(root, "scheme", schemes, TW_SCHEME_EXACT);
}

// from where pictures look
static void read_camera(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "camera");
    twTraceCamera* camera = &reader->scene->camera;
    if (!map) return;
    yaml_keys(map, "eye", "target", "angle");
    camera->given = true;
    camera->eye = read_vec3(map, "eye", "m", tw_vec3(0, 0, 0));
    camera->target = read_vec3(map, "target", "m", tw_vec3(0, 0, 0));
    camera->view_angle = yaml_number(map, "angle", yaml_between(1, 170, "degrees"), 35) * TW_PI / 180;
    if (!yaml_has(map, "eye") || !yaml_has(map, "target"))
        yaml_fail(map, "a camera needs an 'eye' and a 'target', where it is and where it looks: [x, y, z] in m");
    else if (!(tw_vec3_norm(tw_vec3_sub(camera->eye, camera->target)) > 0))
        yaml_fail(map, "the camera's 'eye' and 'target' are at one place");
}

// what it begins from
static void read_start(Reader* reader, const twNode* root)
{
    const twNode* node = yaml_get(root, "initial_state");
    twSceneStart* start = &reader->scene->start;
    char shown[600];
    if (!node) return;
    const twScene* scene = reader->scene;
    if (scene->body_count < 1 || scene->rods_touch)
    {
        yaml_fail_key(node, "only bodies, without rods, can begin where others ended");
        return;
    }
    const bool map = node->kind == TW_NODE_MAP;
    if (map) yaml_keys(node, "scene");
    const char* path = map ? yaml_need_text(node, "scene") : yaml_as_text(node);
    if (!yaml_ok(reader->doc)) return;
    const char* full = read_copy(reader, read_path(reader, path));
    const char* ending = strrchr(path, '.');
    const bool trace = ending && strcmp(ending, ".twtrace") == 0;
    FILE* file = fopen(full, "rb");
    if (file) fclose(file);
    if (map == trace)
        yaml_fail(node,
                  map ? "'scene' must be a scene, not '%s'; of a trace write 'initial_state: %s' alone"
                      : "'%s' is no trace, .twtrace; write 'initial_state: {scene: %s}' to begin where a scene ends",
                  path, path);
    else if (!file)
        yaml_fail(node, "there is no %s; %s", full,
                  map ? "name the scene that this one goes on from, as seen from this one's folder"
                      : "'initial_state: {scene: NAME.yaml}' renders what it needs");
    yaml_show_key(shown, sizeof shown, node);
    start->where = read_where(reader, node);
    start->shown = read_copy(reader, shown);
    *(map ? &start->scene : &start->trace) = full;
}

static twStatus read_all(Reader* reader, twError* err)
{
    const twNode* root = reader->doc->root;
    read_no_stage(root);
    if (yaml_ok(reader->doc)) read_import(reader, root);
    if (yaml_ok(reader->doc)) read_settings(reader, root);
    if (yaml_ok(reader->doc)) read_materials(reader, root);
    if (yaml_ok(reader->doc)) read_import_bodies(reader, root);
    if (yaml_ok(reader->doc)) read_collide(reader, root);
    if (yaml_ok(reader->doc)) read_bodies(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_rods(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_world(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_hands(reader, root);
    if (yaml_ok(reader->doc)) read_camera(reader, root);
    if (yaml_ok(reader->doc)) read_start(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_listeners(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_objects(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_contacts(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_outputs(reader, root);
    if (yaml_ok(reader->doc)) read_tail(reader, root);
    if (reader->no_memory) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for the scene", reader->doc->name);
    return yaml_status(reader->doc, err);
}

// take doc over and make a scene of it
static twStatus build(twScene** out, twYaml* doc, twError* err)
{
    twArena* arena = tw_arena_create(1 << 14);
    twScene* scene = arena ? tw_arena_alloc(arena, 1, sizeof *scene) : NULL;
    if (!scene)
    {
        tw_arena_destroy(arena);
        yaml_destroy(doc);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the scene");
    }
    scene->arena = arena;
    scene->hash = tw_hash(doc->source, doc->bytes, (twHash){0, 0});
    Reader reader = {.scene = scene, .doc = doc};
    reader.folder = folder_of(&reader, doc->name);
    twStatus status = read_all(&reader, err);
    yaml_destroy(doc);
    if (status == TW_OK)
        *out = scene;
    else
        tw_scene_destroy(scene);
    return status;
}

twStatus tw_scene_load(twScene** out, const char* path, twError* err)
{
    twYaml* doc;
    *out = NULL;
    twStatus status = yaml_load(&doc, path, err);
    return status == TW_OK ? build(out, doc, err) : status;
}

twStatus tw_scene_parse(twScene** out, const char* name, const char* text, size_t bytes, twError* err)
{
    twYaml* doc;
    *out = NULL;
    twStatus status = yaml_parse(&doc, name, text, bytes, err);
    return status == TW_OK ? build(out, doc, err) : status;
}

bool tw_scene_has_world(const twScene* scene) { return scene->body_count > 0 || scene->rods_touch; }

bool tw_scene_has_sound(const twScene* scene)
{
    return scene->body_count > 0 || (scene->rods_touch && scene->ground.mass_per_area > 0);
}

void tw_scene_destroy(twScene* scene)
{
    if (!scene) return;
    for (int i = 0; i < scene->object_count; i++) tw_modes_destroy(scene->objects[i].modes);
    tw_import_destroy(scene->import);
    tw_arena_destroy(scene->arena);
}
