// SPDX-License-Identifier: MIT
// Wavefront OBJ. Read: v, f (v, v/t, v//n, v/t/n; counted from 1, or backwards from the latest vertex if negative), usemtl
// (each name a region, in the order of their first faces). All else says nothing about the shape and is passed over.
#include "mesh/scan.h"
#include "mesh/soup.h"
#include "mesh/table.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader
{
    twScan scan;
    twSoup soup;
    twTable materials;
    twWord material;  // named last, text NULL: none yet
    int region;       // of the material, -1: not known yet
    int region_count;
} Reader;

static twStatus read_vertex(Reader* reader, twError* err)
{
    double x[3];
    for (int i = 0; i < 3; i++)
    {
        twStatus status = tw_scan_need_number(&reader->scan, &x[i], "a coordinate", err);
        if (status != TW_OK) return status;
    }
    if (!tw_soup_vertex(&reader->soup, tw_vec3(x[0], x[1], x[2]))) return tw_soup_no_memory(&reader->soup, err);
    return TW_OK;
}

// the vertex of a corner such as 7/2/3
static twStatus read_corner(const Reader* reader, twWord word, int* vertex, twError* err)
{
    int length = 0;
    int64_t index = 0;
    while (length < word.length && word.text[length] != '/') length++;
    twWord first = {word.text, length};
    if (!tw_word_integer(first, &index) || index == 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s, line %d: '%.*s' is no corner; write vertex numbers from 1, such as 3 or 3/1/2",
                       reader->scan.path, reader->scan.line, tw_word_shown(word), word.text);
    int64_t at = index < 0 ? reader->soup.vertex_count + index : index - 1;
    if (at < 0 || at >= INT_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: a corner refers to vertex %lld, but there are %d so far",
                       reader->scan.path, reader->scan.line, (long long)index, reader->soup.vertex_count);
    *vertex = (int)at;
    return TW_OK;
}

// the number of the present material, given when its first face comes; our own region_N is N
static bool find_region(Reader* reader)
{
    if (reader->region >= 0) return true;
    int64_t number;
    twWord name = reader->material;
    bool ours = name.length > 7 && memcmp(name.text, "region_", 7) == 0;
    if (ours && tw_word_integer((twWord){name.text + 7, name.length - 7}, &number) && number >= 0 && number < 1000000)
    {
        reader->region = (int)number;
        return true;
    }
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < reader->material.length; i++)
        hash = (hash ^ (unsigned char)reader->material.text[i]) * 1099511628211u;
    int low = (int)(hash & INT_MAX), high = (int)(hash >> 33);
    int* region = tw_table_put(&reader->materials, low, high, reader->material.length, reader->region_count);
    if (!region) return false;
    reader->region = *region;
    if (*region == reader->region_count) reader->region_count++;
    return true;
}

static twStatus read_face(Reader* reader, twError* err)
{
    int line = reader->scan.line, vertex = 0;
    twWord word;
    while (tw_scan_word(&reader->scan, &word) && word.text[0] != '#')
    {
        twStatus status = read_corner(reader, word, &vertex, err);
        if (status != TW_OK) return status;
        if (!tw_soup_corner(&reader->soup, vertex)) return tw_soup_no_memory(&reader->soup, err);
    }
    if (find_region(reader) && tw_soup_polygon(&reader->soup, reader->region, line)) return TW_OK;
    return tw_soup_no_memory(&reader->soup, err);
}

// names of materials may have blanks in them
static void read_name(Reader* reader)
{
    twWord word;
    reader->region = -1;
    if (!tw_scan_word(&reader->scan, &reader->material)) reader->material = (twWord){"", 0};
    while (tw_scan_word(&reader->scan, &word) && word.text + word.length - reader->material.text < INT_MAX)
        reader->material.length = (int)(word.text + word.length - reader->material.text);
}

static twStatus read_line(Reader* reader, twError* err)
{
    twWord word;
    if (!tw_scan_word(&reader->scan, &word)) return TW_OK;
    if (tw_word_is(word, "v")) return read_vertex(reader, err);
    if (tw_word_is(word, "f")) return read_face(reader, err);
    if (tw_word_is(word, "usemtl"))
    {
        read_name(reader);
    }
    return TW_OK;
}

twStatus tw_read_obj(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    Reader reader = {.scan = tw_scan(path, data, bytes),
                     .soup = {.path = path, .place_name = "line", .first_vertex = 1},
                     .region = -1};
    reader.material = (twWord){"", 0};
    twStatus status = TW_OK;
    do status = read_line(&reader, err);
    while (status == TW_OK && tw_scan_line(&reader.scan));
    if (status == TW_OK) status = tw_soup_finish(out, &reader.soup, scale, err);
    tw_soup_clear(&reader.soup);
    tw_table_clear(&reader.materials);
    return status;
}

int tw_obj_bad_line(const char* path)
{
    char* data;
    size_t bytes;
    int line = 0;
    if (tw_mesh_kind(path) != TW_MESH_SURFACE || tw_file_read(&data, &bytes, path, UINT_MAX, NULL) != TW_OK) return 0;
    Reader reader = {.scan = tw_scan(path, data, bytes)};
    do {
        twWord word;
        double x = 0;
        if (!tw_scan_word(&reader.scan, &word) || !tw_word_is(word, "v")) continue;
        for (int i = 0; i < 3 && line == 0; i++)
            if (tw_scan_need_number(&reader.scan, &x, "", NULL) == TW_OK && !isfinite(x)) line = reader.scan.line;
    } while (line == 0 && tw_scan_line(&reader.scan));
    free(data);
    return line;
}
