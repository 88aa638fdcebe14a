// SPDX-License-Identifier: MIT
// STL, text and binary. The format has no shared vertices: equal ones are made one, since otherwise no two faces would be
// neighbours. Normals are left aside; the order of the corners tells the outside.
//
// Binary: 80 bytes of anything, faces (uint32), then for each face normal and three corners (12 floats) and two bytes.
#include "mesh/mend.h"
#include "mesh/scan.h"
#include "mesh/soup.h"
#include <stdlib.h>
#include <string.h>

enum
{
    HEADER = 84,
    FACET = 50
};

// ---- equal vertices ----

static twStatus weld(twMesh* mesh, const char* path, twError* err)
{
    int* first_of = malloc(((size_t)mesh->vertex_count + 1) * sizeof *first_of);
    if (!first_of || tw_merge_vertices(first_of, mesh, 0) < 0)
    {
        free(first_of);
        return tw_fail(err, TW_NO_MEMORY, "%s: no memory to join %d vertices", path, mesh->vertex_count);
    }

    // first ones move up; the others follow the one before them
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        bool is_first = first_of[v] == v;
        if (is_first) mesh->vertices[count] = mesh->vertices[v];
        first_of[v] = is_first ? count++ : first_of[first_of[v]];
    }
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) mesh->faces[f].v[i] = first_of[mesh->faces[f].v[i]];
    mesh->vertex_count = count;
    free(first_of);
    return TW_OK;
}

// ---- binary ----

static uint32_t little32(const char* data)
{
    const unsigned char* d = (const unsigned char*)data;
    return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static double little_float(const char* data)
{
    uint32_t bits = little32(data);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

twStatus tw_read_stl_binary(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    if (bytes < HEADER) return tw_fail(err, TW_BAD_INPUT, "%s: %zu bytes are too few for a binary STL", path, bytes);
    uint32_t count = little32(data + 80);
    if (count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: there are no faces in it", path);
    if (count > (bytes - HEADER) / FACET)
        return tw_fail(
            err, TW_BAD_INPUT,
            "%s, offset 80: as a binary STL of %lu faces it would have %llu bytes, but it has %zu; it is cut "
            "short or something else",
            path, (unsigned long)count, (unsigned long long)count * FACET + HEADER, bytes);
    if (count > INT32_MAX / 4)
        return tw_fail(err, TW_NO_MEMORY, "%s: %lu faces are more than can be held", path, (unsigned long)count);
    twMesh* mesh;
    twStatus status = tw_mesh_create(&mesh, 3 * (int)count, (int)count, err);
    if (status != TW_OK) return status;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        const char* at = data + HEADER + (size_t)(v / 3) * FACET + 12 + (size_t)(v % 3) * 12;
        twVec3 p = tw_vec3(little_float(at), little_float(at + 4), little_float(at + 8));
        mesh->vertices[v] = tw_vec3_scale(p, scale);
        mesh->faces[v / 3].v[v % 3] = v;
    }
    status = weld(mesh, path, err);
    if (status == TW_OK)
        *out = mesh;
    else
        tw_mesh_destroy(mesh);
    return status;
}

// ---- text ----

static twStatus unexpected(const twScan* scan, twWord word, const char* wanted, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where %s should be", scan->path, scan->line,
                   tw_word_shown(word), word.text, wanted);
}

static twStatus read_vertex(twScan* scan, twSoup* soup, twError* err)
{
    double x[3];
    for (int i = 0; i < 3; i++)
    {
        twStatus status = tw_scan_need_number(scan, &x[i], "a coordinate", err);
        if (status != TW_OK) return status;
    }
    bool fine = tw_soup_corner(soup, soup->vertex_count) && tw_soup_vertex(soup, tw_vec3(x[0], x[1], x[2]));
    return fine ? TW_OK : tw_soup_no_memory(soup, err);
}

// one word at a time: words that only frame the numbers may come in any order
static twStatus read_text(twScan* scan, twSoup* soup, twError* err)
{
    static const char* const framing[] = {"outer", "loop", "endfacet"};
    twWord word;
    int line = 0;
    bool open = false;
    twStatus status = TW_OK;
    while (status == TW_OK && tw_scan_any_word(scan, &word, 0))
    {
        bool frames = false;
        for (size_t i = 0; i < sizeof framing / sizeof *framing; i++) frames = frames || tw_word_is(word, framing[i]);
        if (frames) continue;
        if (tw_word_is(word, "vertex") && open)
            status = read_vertex(scan, soup, err);
        else if (tw_word_is(word, "facet"))
        {
            // the normal, whatever it is
            if (open) return unexpected(scan, word, "endloop, to end the facet before,", err);
            open = true;
            line = scan->line;
            while (tw_scan_word(scan, &word)) continue;
        }
        else if (tw_word_is(word, "endloop"))
        {
            if (!open) return unexpected(scan, word, "facet", err);
            open = false;
            if (!tw_soup_polygon(soup, 0, line)) status = tw_soup_no_memory(soup, err);
        }
        else if (tw_word_is(word, "solid") || tw_word_is(word, "endsolid"))
            while (tw_scan_word(scan, &word)) continue;
        else
            status = unexpected(scan, word, "facet, outer loop, vertex, endloop, endfacet or endsolid", err);
    }
    if (status == TW_OK && open)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: the file ends within a facet; it is cut short", scan->path,
                       line);
    return status;
}

twStatus tw_read_stl_text(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    twScan scan = tw_scan(path, data, bytes);
    twSoup soup = {.path = path, .place_name = "line"};
    twStatus status = read_text(&scan, &soup, err);
    if (status == TW_OK) status = tw_soup_finish(out, &soup, scale, err);
    tw_soup_clear(&soup);
    if (status == TW_OK) status = weld(*out, path, err);
    if (status == TW_OK) return TW_OK;
    tw_mesh_destroy(*out);
    *out = NULL;
    return status;
}
