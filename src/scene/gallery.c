// SPDX-License-Identifier: MIT
// The table of a gallery: which scenes of a folder are shown, and where they come from. It is called gallery.yml, so that all that
// ends with .yaml is a scene.
#define _POSIX_C_SOURCE 200809L

#include "twang/gallery.h"
#include "yaml.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_SCENES 1000
#define ENDING ".yaml"

typedef struct Table
{
    twGallery* gallery;
    twGallerySource* sources;
    twGalleryScene* scenes;
    bool no_memory;
} Table;

static const char* copy(Table* table, const char* text)
{
    const char* to = tw_arena_copy_text(table->gallery->arena, text);
    if (!to) table->no_memory = true;
    return to ? to : "";
}

static void* alloc(Table* table, int count, size_t size)
{
    void* block = tw_arena_alloc(table->gallery->arena, (size_t)count + 1, size);
    if (!block) table->no_memory = true;
    return block;
}

// names become folders and parts of addresses
static bool is_name(const char* text)
{
    const size_t n = strlen(text);
    return n > 0 && n < 64 && text[0] != '.' && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}

// ---- a table ----

static int find_source(const Table* table, const char* name)
{
    for (int i = 0; i < table->gallery->source_count; i++)
        if (strcmp(table->sources[i].name, name) == 0) return i;
    return -1;
}

static int find_scene(const Table* table, int count, const char* name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table->scenes[i].name, name) == 0) return i;
    return -1;
}

static void read_sources(Table* table, const twNode* map)
{
    YAML_EACH(node, map)
    {
        const twNode* source = yaml_as_map(node);
        yaml_keys(source, "title", "by", "own");
        if (!is_name(node->key)) yaml_fail_key(node, "a source is called by letters, digits, '-', '_' and '.'");
        if (table->no_memory) return;
        table->sources[table->gallery->source_count++] =
            (twGallerySource){.name = copy(table, node->key),
                              .title = copy(table, yaml_need_text(source, "title")),
                              .by = copy(table, yaml_text(source, "by", "")),
                              .own = yaml_bool(source, "own", false)};
    }
}

static void read_scene(Table* table, const twNode* node)
{
    const int count = table->gallery->scene_count;
    const twNode* map = yaml_as_map(node);
    yaml_keys(map, "scene", "source", "title", "where", "note", "after", "theirs", "minutes", "part", "rest");
    const char *name = yaml_need_text(map, "scene"), *source = yaml_need_text(map, "source");
    const char* after = yaml_text(map, "after", "");
    twGalleryScene* scene = &table->scenes[count];
    *scene = (twGalleryScene){.name = copy(table, name),
                              .source = find_source(table, source),
                              .title = copy(table, yaml_need_text(map, "title")),
                              .where = copy(table, yaml_text(map, "where", "")),
                              .note = copy(table, yaml_text(map, "note", "")),
                              .after = after[0] ? find_scene(table, count, after) : -1,
                              .theirs = yaml_number(map, "theirs", yaml_positive("s/s"), 0),
                              .minutes = yaml_number(map, "minutes", yaml_positive("min"), 0),
                              .part = yaml_number(map, "part", yaml_positive("s"), 0),
                              .rest = yaml_bool(map, "rest", false)};
    if (!yaml_ok(node->doc)) return;
    if (!is_name(name)) yaml_fail(yaml_get(map, "scene"), "a scene is named by its file without " ENDING);
    if (find_scene(table, count, name) >= 0) yaml_fail(yaml_get(map, "scene"), "'%s' is there twice", name);
    if (scene->source < 0) yaml_fail(yaml_get(map, "source"), "'%s' is not among the 'sources'", source);
    if (after[0] && scene->after < 0)
        yaml_fail(yaml_get(map, "after"),
                  "'%s' is not a scene before this one; a scene comes after what it goes on from", after);
    table->gallery->scene_count++;
}

static twStatus read_table(Table* table, twYaml* doc, twError* err)
{
    const twNode *root = doc->root, *sources = yaml_need_map(root, "sources"), *scenes = yaml_need_list(root, "scenes");
    yaml_keys(root, "title", "sources", "scenes");
    table->gallery->title = copy(table, yaml_text(root, "title", "Gallery"));
    if (scenes && (scenes->count < 1 || scenes->count > MOST_SCENES))
        yaml_fail(scenes, "a gallery has 1 to %d scenes", MOST_SCENES);
    if (!yaml_ok(doc)) return yaml_status(doc, err);
    table->gallery->sources = table->sources = alloc(table, sources->count, sizeof *table->sources);
    table->gallery->scenes = table->scenes = alloc(table, scenes->count, sizeof *table->scenes);
    if (!table->no_memory) read_sources(table, sources);
    YAML_EACH(node, scenes)
    {
        if (yaml_ok(doc) && !table->no_memory) read_scene(table, node);
    }
    if (table->no_memory) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for the gallery", doc->name);
    return yaml_status(doc, err);
}

// ---- a folder without one ----

static bool is_scene_file(const char* name)
{
    const size_t n = strlen(name), m = strlen(ENDING);
    return n > m && n < 64 && name[0] != '.' && strcmp(name + n - m, ENDING) == 0;
}

static int by_name(const void* a, const void* b)
{
    return strcmp(((const twGalleryScene*)a)->name, ((const twGalleryScene*)b)->name);
}

static twStatus read_folder(Table* table, const char* folder, twError* err)
{
    twGallery* gallery = table->gallery;
    DIR* dir = opendir(folder);
    if (!dir) return tw_fail(err, TW_BAD_INPUT, "%s: no such folder", folder);
    gallery->title = "Gallery";
    gallery->sources = table->sources = alloc(table, 1, sizeof *table->sources);
    gallery->scenes = table->scenes = alloc(table, MOST_SCENES, sizeof *table->scenes);
    if (table->sources) table->sources[gallery->source_count++] = (twGallerySource){"scenes", "Scenes", "", false};
    for (struct dirent* entry; !table->no_memory && gallery->scene_count < MOST_SCENES && (entry = readdir(dir));)
    {
        char name[64];
        if (!is_scene_file(entry->d_name)) continue;
        snprintf(name, sizeof name, "%.*s", (int)(strlen(entry->d_name) - strlen(ENDING)), entry->d_name);
        if (!is_name(name)) continue;
        const char* kept = copy(table, name);
        table->scenes[gallery->scene_count++] =
            (twGalleryScene){.name = kept, .title = kept, .where = "", .note = "", .after = -1};
    }
    closedir(dir);
    if (table->no_memory) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for the gallery", folder);
    if (gallery->scene_count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: no scenes (*" ENDING ") in it", folder);
    qsort(table->scenes, (size_t)gallery->scene_count, sizeof *table->scenes, by_name);
    return TW_OK;
}

// ---- the whole ----

static twStatus load(Table* table, const char* folder, twError* err)
{
    char path[1024];
    struct stat info;
    if (snprintf(path, sizeof path, "%s/gallery.yml", folder) >= (int)sizeof path)
        return tw_fail(err, TW_BAD_INPUT, "the folder's name is too long");
    if (stat(path, &info) != 0) return read_folder(table, folder, err);
    twYaml* doc;
    twStatus status = yaml_load(&doc, path, err);
    if (status != TW_OK) return status;
    status = read_table(table, doc, err);
    yaml_destroy(doc);
    return status;
}

twStatus tw_gallery_load(twGallery** out, const char* folder, twError* err)
{
    twArena* arena = tw_arena_create(1 << 14);
    twGallery* gallery = arena ? tw_arena_alloc(arena, 1, sizeof *gallery) : NULL;
    *out = NULL;
    if (!gallery)
    {
        tw_arena_destroy(arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a gallery");
    }
    *gallery = (twGallery){.arena = arena};
    Table table = {.gallery = gallery};
    gallery->folder = copy(&table, folder);
    const twStatus status = load(&table, folder, err);
    if (status == TW_OK)
        *out = gallery;
    else
        tw_gallery_destroy(gallery);
    return status;
}

void tw_gallery_destroy(twGallery* gallery)
{
    if (gallery) tw_arena_destroy(gallery->arena);
}
