// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/bytes.h"
#include "mesh/json_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// A GLB file taken apart, by paths into its JSON.

typedef struct Doc
{
    char* bytes;
    size_t count;
    twJsonTree json;
    const char* binary;
} Doc;

static inline void drop(Doc* doc)
{
    tw_json_clear(&doc->json);
    free(doc->bytes);
    *doc = (Doc){0};
}

static inline bool take_apart(Doc* doc, const char* path)
{
    *doc = (Doc){0};
    if (tw_file_read(&doc->bytes, &doc->count, path, 1 << 28, NULL) != TW_OK || doc->count < 28) return false;
    const char* b = doc->bytes;
    const size_t json = tw_bytes_unsigned(b + 12, 4, false);
    const bool head = memcmp(b, "glTF\2\0\0\0", 8) == 0 && tw_bytes_unsigned(b + 8, 4, false) == doc->count &&
                      memcmp(b + 16, "JSON", 4) == 0 && json % 4 == 0 && json + 28 <= doc->count;
    if (!head || memcmp(b + 24 + json, "BIN", 4) != 0) return false;
    doc->binary = b + 28 + json;
    if (tw_bytes_unsigned(b + 20 + json, 4, false) != doc->count - 28 - json) return false;
    return tw_json_read(&doc->json, "it", b + 20, json, NULL) == TW_OK;
}

// the value at the end of a path such as "meshes/0/primitives/0/targets"; -1 if there is none
static inline int find(const Doc* doc, const char* path)
{
    int at = 0;
    while (*path && at >= 0)
    {
        char key[64];
        const int n = (int)strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", n, path);
        path += n + (path[n] == '/');
        if (!tw_json_is(&doc->json, at, TW_JSON_ARRAY))
        {
            at = tw_json_get(&doc->json, at, key);
            continue;
        }
        int index = atoi(key);
        if (index >= tw_json_length(&doc->json, at)) return -1;
        for (at = tw_json_first(at); index > 0; index--) at = tw_json_next(&doc->json, at);
    }
    return at;
}

static inline double number(const Doc* doc, const char* path)
{
    const int at = find(doc, path);
    return tw_json_is(&doc->json, at, TW_JSON_NUMBER) ? doc->json.nodes[at].number : NAN;
}

static inline int length_of(const Doc* doc, const char* path)
{
    const int at = find(doc, path);
    return at < 0 ? 0 : doc->json.nodes[at].length;
}

// float i of the accessor that is named at a path
static inline double value(const Doc* doc, const char* path, int i)
{
    char where[96];
    const int accessor = (int)number(doc, path);
    snprintf(where, sizeof where, "accessors/%d/bufferView", accessor);
    const int view = (int)number(doc, where);
    snprintf(where, sizeof where, "accessors/%d/byteOffset", accessor);
    const double inner = number(doc, where);
    snprintf(where, sizeof where, "bufferViews/%d/byteOffset", view);
    return tw_bytes_real(doc->binary + (size_t)number(doc, where) + (isnan(inner) ? 0 : (size_t)inner) + 4 * i, 4,
                         false);
}

// the sampler output of a property of a node
static inline bool output_of(const Doc* doc, int node, const char* property, char path[64])
{
    for (int i = 0; i < length_of(doc, "animations/0/channels"); i++)
    {
        char where[64];
        snprintf(where, sizeof where, "animations/0/channels/%d/target/node", i);
        const bool mine = number(doc, where) == node;
        snprintf(where, sizeof where, "animations/0/channels/%d/target/path", i);
        const twJsonNode* text = &doc->json.nodes[find(doc, where)];
        if (!mine || strncmp(text->text, property, (size_t)text->length) != 0) continue;
        snprintf(where, sizeof where, "animations/0/channels/%d/sampler", i);
        snprintf(path, 64, "animations/0/samplers/%d/output", (int)number(doc, where));
        return true;
    }
    return false;
}
