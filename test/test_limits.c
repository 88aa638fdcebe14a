// SPDX-License-Identifier: MIT
// Inputs that are too large are refused before they cost anything, with the limit in the message; and docs/limits.md tells the same limits.
#define _XOPEN_SOURCE 700
#include "scene.h"
#include "scratch.h"
#include "test.h"
#include "twang/media.h"
#include "twang/trace.h"
#include <sys/resource.h>

static char* page;  // docs/limits.md

// whether the page has a row that begins so
static bool told(const char* what, const char* limit)
{
    char row[256];
    snprintf(row, sizeof row, "| %s | %s |", what, limit);
    if (!page && tw_file_read(&page, NULL, TEST_SOURCE_DIR "/docs/limits.md", 1 << 20, NULL) != TW_OK) return false;
    if (!strstr(page, row)) printf("docs/limits.md has no row: %s\n", row);
    return strstr(page, row) != NULL;
}

// ---- numbers in scenes ----

#define OBJECT "objects: {b: {modes: [{freq: 300}]}}\n"
#define BODY(more) "bodies: {b: {shape: \"sphere:0.01\", material: steel, position: [0, 0, 1]" more "}}\n"
#define ROD(points) "rods: {r: {straight: 1, points: " points ", section: {circle: 0.001}, material: steel}}\n"

// a row of the page, and a scene that asks for more
typedef struct Limit
{
    const char *what, *limit, *text;
} Limit;

static const Limit limits[] = {
    {"duration [s]", "3600", "duration: 1e9\n" OBJECT},
    {"rate [Hz]", "768000", "rate: 1000000000\n" OBJECT},
    {"modes of an object", "100000", "objects: {b: {series: {kind: bar, freq: 300, count: 1000000000}}}\n"},
    {"copies of a body", "65535", BODY(", copies: {count: 1000000000, step: [0.03, 0, 0]}")},
    {"modes of a body", "4096", BODY(", flexible: {modes: 1000000000}")},
    {"points of a rod", "100000", ROD("1000000000")},
};

static twStatus parse(const char* text, size_t bytes, twError* err)
{
    twScene* scene;
    const twStatus status = tw_scene_parse(&scene, "s.yaml", text, bytes, err);
    tw_scene_destroy(scene);
    return status;
}

static int a_scene_that_asks_for_too_much_is_refused_with_the_limit(void)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    {
        const Limit* l = &limits[i];
        twError err = {0};
        const bool refused = parse(l->text, strlen(l->text), &err) == TW_BAD_INPUT && strstr(err.text, l->limit);
        if (!refused) printf("%s: %s\n", l->what, err.text);
        ENSURE(refused && told(l->what, l->limit));
    }
    return 0;
}

// ---- how much of something ----

// text that begins with one piece, has another many times, and ends with a third; free() it
static char* repeat(const char* begin, const char* piece, int count, const char* end)
{
    const size_t n = strlen(piece);
    char* text = malloc(strlen(begin) + n * (size_t)count + strlen(end) + 1);
    if (!text) abort();
    char* at = text + strlen(strcpy(text, begin));
    for (int i = 0; i < count; i++, at += n) memcpy(at, piece, n);
    strcpy(at, end);
    return text;
}

static int a_scene_of_too_many_words_is_refused_with_the_limit(void)
{
    static const struct
    {
        const char *what, *limit, *begin, *piece, *end;
        int count;
    } rows[] = {
        {"depth of a scene", "64", "a: ", "[", "\n", 100000},
        {"characters of a line", "1048576", "title: ", "x", "\n", 1100000},
        {"values of a scene", "1000000", "a: [\n", "1,1,1,1,1,1,1,1,\n", "]\n", 130000},
        {"bytes of a scene", "16777216", "#", "##########\n", "\n", 4800000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
        twError err = {0};
        char* text = repeat(rows[i].begin, rows[i].piece, rows[i].count, rows[i].end);
        const bool refused = parse(text, strlen(text), &err) == TW_BAD_INPUT && strstr(err.text, rows[i].limit);
        if (!refused) printf("%s: %s\n", rows[i].what, err.text);
        free(text);
        ENSURE(refused && told(rows[i].what, rows[i].limit));
    }
    return 0;
}

static int too_many_bodies_rods_and_listeners_are_refused_with_the_limit(void)
{
    static const struct
    {
        const char *what, *begin, *line, *end;
        int most;
    } rows[] = {
        {"bodies of a scene", "bodies:\n", " b%06d: {shape: \"sphere:0.01\", material: steel}\n", "",
         TW_MAX_SCENE_BODIES},
        {"rods of a scene", "rods:\n", " r%06d: {straight: 1, points: 3, section: {circle: 0.001}, material: steel}\n",
         "", TW_MAX_SCENE_RODS},
        {"listeners of a scene", "listeners:\n", " l%06d: {at: [0, 0, 1]}\n", BODY(""), TW_MAX_SCENE_LISTENERS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
        const int count = rows[i].most + 1;
        char limit[16], *text = malloc((size_t)count * 128 + 256);
        ENSURE(text);
        size_t used = (size_t)sprintf(text, "%s", rows[i].begin);
        for (int k = 0; k < count; k++)
        {
            char line[128];
            snprintf(line, sizeof line, "%s", rows[i].line);
            used += (size_t)sprintf(text + used, line, k);
        }
        sprintf(text + used, "%s", rows[i].end);
        snprintf(limit, sizeof limit, "%d", rows[i].most);
        twError err = {0};
        const bool refused = parse(text, strlen(text), &err) == TW_BAD_INPUT && strstr(err.text, limit);
        if (!refused) printf("%s: %s\n", rows[i].what, err.text);
        free(text);
        ENSURE(refused && told(rows[i].what, limit));
    }
    return 0;
}

// ---- files ----

// a file of that size that takes no room
static const char* sparse(const char* name, uint64_t bytes)
{
    const char* path = in_folder(name);
    FILE* file = fopen(path, "wb");
    if (!file || ftruncate(fileno(file), (off_t)bytes) != 0) printf("%s: no sparse files here\n", path);
    if (file) fclose(file);
    return path;
}

static twStatus load_mesh(const char* path, twError* err)
{
    twMesh* mesh;
    return tw_mesh_load(&mesh, path, 1, err);
}

static twStatus load_tets(const char* path, twError* err)
{
    twTetMesh* tets;
    return tw_tets_load(&tets, path, 1, err);
}

static twStatus load_modes(const char* path, twError* err)
{
    twModeSet* set;
    return tw_mode_set_load(&set, path, err);
}

static twStatus load_trace(const char* path, twError* err)
{
    twTrace* trace;
    return tw_trace_load(&trace, path, err);
}

static twStatus load_head(const char* path, twError* err)
{
    twHead* head;
    return tw_head_load(&head, path, 44100, err);
}

static int a_file_that_is_too_large_is_refused_before_it_is_read(void)
{
    static const struct
    {
        const char *what, *name, *limit;
        twStatus (*load)(const char* path, twError* err);
    } rows[] = {
        {"bytes of a surface (OBJ, STL, PLY, OFF, glTF)", "a.obj", "2147483648", load_mesh},
        {"bytes of a Gmsh or TetGen file", "a.msh", "2147483648", load_tets},
        {"bytes of a `.twmodes` file", "a.twmodes", "68719476736", load_modes},
        {"bytes of a `.twtrace` file read as a whole", "a.twtrace", "68719476736", load_trace},
        {"bytes of a SOFA file", "a.sofa", "1073741824", load_head},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
        twError err = {0};
        const char* path = sparse(rows[i].name, strtoull(rows[i].limit, NULL, 10) + 1);
        const bool refused = rows[i].load(path, &err) == TW_BAD_INPUT && strstr(err.text, rows[i].limit);
        if (!refused) printf("%s: %s\n", rows[i].what, err.text);
        unlink(path);
        ENSURE(refused && told(rows[i].what, rows[i].limit));
    }
    struct rusage usage;
    ENSURE(getrusage(RUSAGE_SELF, &usage) == 0);
    ENSURE(usage.ru_maxrss < 1 << 20);  // [kB]
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_file_that_is_too_large_is_refused_before_it_is_read)  // first: it looks at how much memory there ever was
    RUN(a_scene_that_asks_for_too_much_is_refused_with_the_limit)
    RUN(a_scene_of_too_many_words_is_refused_with_the_limit)
    RUN(too_many_bodies_rods_and_listeners_are_refused_with_the_limit)
    free(page);
)
