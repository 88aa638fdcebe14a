// SPDX-License-Identifier: MIT
// off_: the Object File Format of Geomview (http://www.geomview.org/docs/html/OFF.html), text:
//
//     [ST][C][N]OFF            texture places, colours, normals of vertices follow their coordinates
//     vertices faces edges     the edges are not used and may be left out
//     x y z ...                one line per vertex
//     n v1 ... vn ...          one line per face: corners, vertices from 0, then perhaps a colour
//
// Read: coordinates and corners; the rest of a line is passed over, and so are points and lines (n
// of 1 and 2). Comments begin with #. Some files lack the first line, some have no blank behind OFF
// (ModelNet).
#include "mesh/scan.h"
#include "mesh/soup.h"
#include <limits.h>
#include <string.h>

typedef struct OffReader
{
    twScan scan;
    twSoup soup;
    int64_t vertices, faces;  // as the head promises
    int counts_line;
} OffReader;

// ---- head ----

// the first word: what is behind OFF (digits, or nothing). @return false if it is another one
static bool off_keyword(twWord word, twWord* rest, bool* flat)
{
    const char *at = word.text, *end = word.text + word.length;
    if (end - at >= 2 && at[0] == 'S' && at[1] == 'T') at += 2;
    if (at < end && *at == 'C') at++;
    if (at < end && *at == 'N') at++;
    const char* dimension = at;
    if (at < end && *at == '4') at++;
    if (at < end && *at == 'n') at++;
    *flat = at == dimension;
    if (end - at < 3 || !tw_word_is((twWord){at, 3}, "OFF")) return false;
    *rest = (twWord){at + 3, (int)(end - at - 3)};
    for (int i = 0; i < rest->length; i++)
        if (rest->text[i] < '0' || rest->text[i] > '9') return false;
    return true;
}

bool tw_is_off(const char* path, const char* data, size_t bytes)
{
    twScan scan = tw_scan(path, data, bytes);
    twWord word, rest;
    bool flat;
    int64_t count;
    if (!tw_scan_any_word(&scan, &word, '#')) return false;
    if (off_keyword(word, &rest, &flat)) return true;
    const size_t length = strlen(path);
    return length > 4 && tw_word_is((twWord){path + length - 4, 4}, ".off") && tw_word_integer(word, &count);
}

static twStatus off_count(OffReader* reader, twWord word, const char* what, int64_t* count, twError* err)
{
    if (tw_word_integer(word, count) && *count >= 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where the number of %s should be", reader->scan.path,
                   reader->scan.line, tw_word_shown(word), word.text, what);
}

// the counts of vertices and faces; word is the first of them, or empty
static twStatus off_counts(OffReader* reader, twWord word, twError* err)
{
    twScan* scan = &reader->scan;
    if (word.length == 0) tw_scan_any_word(scan, &word, '#');
    const int first_line = scan->line;
    twStatus status = off_count(reader, word, "vertices", &reader->vertices, err);
    if (status != TW_OK) return status;
    if (!tw_scan_any_word(scan, &word, '#')) word = (twWord){"", 0};
    status = off_count(reader, word, "faces", &reader->faces, err);
    if (status != TW_OK) return status;
    reader->counts_line = scan->line;
    // one number a line: then the edges have theirs too
    if (scan->line != first_line) tw_scan_any_word(scan, &word, '#');
    return TW_OK;
}

static twStatus off_head(OffReader* reader, twError* err)
{
    twWord word = {"", 0}, rest;
    bool flat;
    tw_scan_any_word(&reader->scan, &word, '#');
    if (!off_keyword(word, &rest, &flat)) return off_counts(reader, word, err);
    if (!flat)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' has points of more than three coordinates; write OFF",
                       reader->scan.path, reader->scan.line, tw_word_shown(word), word.text);
    twScan behind = reader->scan;
    if (rest.length == 0 && tw_scan_word(&behind, &word) && tw_word_is(word, "BINARY"))
        return tw_fail(err, TW_BAD_INPUT,
                       "%s, line %d: binary OFF is not read; export it as text, or as PLY, STL or GLB",
                       reader->scan.path, reader->scan.line);
    return off_counts(reader, rest, err);
}

// ---- lines ----

// go to the start of the next line that says something
static bool off_next_line(twScan* scan)
{
    while (tw_scan_line(scan))
    {
        twScan look = *scan;
        twWord word;
        if (tw_scan_word(&look, &word) && word.text[0] != '#') return true;
    }
    return false;
}

static twStatus off_cut_short(const OffReader* reader, const char* what, int64_t at, int64_t count, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "%s: the file ends at %s %lld of the %lld that line %d promises; it is cut short",
                   reader->scan.path, what, (long long)at, (long long)count, reader->counts_line);
}

static twStatus off_vertex(OffReader* reader, twError* err)
{
    double x[3];
    for (int i = 0; i < 3; i++)
    {
        const twStatus status = tw_scan_need_number(&reader->scan, &x[i], "a coordinate", err);
        if (status != TW_OK) return status;
    }
    if (!tw_soup_vertex(&reader->soup, tw_vec3(x[0], x[1], x[2]))) return tw_soup_no_memory(&reader->soup, err);
    return TW_OK;
}

static twStatus off_corner(OffReader* reader, int64_t at, int64_t count, int* vertex, twError* err)
{
    twWord word = {"", 0};
    int64_t index;
    if (!tw_scan_word(&reader->scan, &word))
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: the line ends after %lld of the %lld corners it begins with",
                       reader->scan.path, reader->scan.line, (long long)at, (long long)count);
    if (!tw_word_integer(word, &index))
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' is no corner; write vertex numbers from 0, such as 3",
                       reader->scan.path, reader->scan.line, tw_word_shown(word), word.text);
    if (index < 0 || index >= reader->soup.vertex_count)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s, line %d: a corner refers to vertex %lld, but there are %d, counted from 0",
                       reader->scan.path, reader->scan.line, (long long)index, reader->soup.vertex_count);
    *vertex = (int)index;
    return TW_OK;
}

static twStatus off_face(OffReader* reader, twError* err)
{
    twWord word = {"", 0};
    int64_t count;
    const int line = reader->scan.line;
    tw_scan_word(&reader->scan, &word);
    if (!tw_word_integer(word, &count) || count < 1)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where the number of a face's corners should be",
                       reader->scan.path, line, tw_word_shown(word), word.text);
    // points and lines say nothing about the surface
    if (count < 3) return TW_OK;
    for (int64_t i = 0; i < count; i++)
    {
        int vertex = 0;
        const twStatus status = off_corner(reader, i, count, &vertex, err);
        if (status != TW_OK) return status;
        if (!tw_soup_corner(&reader->soup, vertex)) return tw_soup_no_memory(&reader->soup, err);
    }
    return tw_soup_polygon(&reader->soup, 0, line) ? TW_OK : tw_soup_no_memory(&reader->soup, err);
}

static twStatus off_body(OffReader* reader, twError* err)
{
    twStatus status = TW_OK;
    for (int64_t i = 0; i < reader->vertices && status == TW_OK; i++)
    {
        if (!off_next_line(&reader->scan)) return off_cut_short(reader, "vertex", i, reader->vertices, err);
        status = off_vertex(reader, err);
    }
    for (int64_t i = 0; i < reader->faces && status == TW_OK; i++)
    {
        if (!off_next_line(&reader->scan)) return off_cut_short(reader, "face", i, reader->faces, err);
        status = off_face(reader, err);
    }
    return status;
}

twStatus tw_read_off(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    OffReader reader = {.scan = tw_scan(path, data, bytes), .soup = {.path = path, .place_name = "line"}};
    twStatus status = off_head(&reader, err);
    if (status == TW_OK) status = off_body(&reader, err);
    if (status == TW_OK) status = tw_soup_finish(out, &reader.soup, scale, err);
    tw_soup_clear(&reader.soup);
    return status;
}
