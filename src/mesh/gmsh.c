// SPDX-License-Identifier: MIT
// Gmsh .msh, formats 2.2 and 4.1, text and binary (https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format). Read: nodes,
// tetrahedra of 4 and 10 nodes, the first physical group of each volume as its region, with its name; without any groups
// the volume itself. All other elements and sections are passed over. Text and binary differ in how a number is read, hardly in anything else.
#include "mesh/bytes.h"
#include "mesh/scan.h"
#include "mesh/tet_soup.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    TET4 = 4,
    TET10 = 11
};

// nodes of the element types of Gmsh from 1 on, 0: not known here
static const int TYPE_NODES[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

typedef struct Reader
{
    twScan scan;
    const char* start;
    bool binary, big;
    int long_size;      // bytes of a size_t in the file
    int version;        // 2 or 4
    twTable region_of;  // physical group by volume
    twTetSoup soup;
    twError* err;
    bool bad;  // a number was missing; the message is written
} Reader;

static twStatus wrong(Reader* reader, const char* what)
{
    reader->bad = true;
    if (reader->binary)
        return tw_fail(reader->err, TW_BAD_INPUT, "%s, offset %zu: %s", reader->scan.path,
                       (size_t)(reader->scan.at - reader->start), what);
    return tw_fail(reader->err, TW_BAD_INPUT, "%s, line %d: %s", reader->scan.path, reader->scan.line, what);
}

// ---- numbers ----

// a whole number, of size bytes if binary; 0 and bad if there is none
static int64_t whole(Reader* reader, int size)
{
    int64_t value = 0;
    twWord word;
    if (reader->bad) return 0;
    if (reader->binary)
    {
        if (reader->scan.end - reader->scan.at < size)
            wrong(reader, "the file ends where a number should be; it is cut short");
        else
        {
            value = tw_bytes_signed(reader->scan.at, size, reader->big);
            reader->scan.at += size;
        }
    }
    else if (!tw_scan_any_word(&reader->scan, &word, 0) || !tw_word_integer(word, &value))
        wrong(reader, "a whole number should be here");
    return reader->bad ? 0 : value;
}

static int64_t short_whole(Reader* reader) { return whole(reader, 4); }

static int64_t long_whole(Reader* reader) { return whole(reader, reader->long_size); }

static double real(Reader* reader)
{
    double value = 0;
    twWord word;
    if (reader->bad) return 0;
    if (reader->binary)
    {
        if (reader->scan.end - reader->scan.at < 8)
            wrong(reader, "the file ends where a number should be; it is cut short");
        else
        {
            value = tw_bytes_real(reader->scan.at, 8, reader->big);
            reader->scan.at += 8;
        }
    }
    else if (!tw_scan_any_word(&reader->scan, &word, 0) || !tw_word_number(word, &value))
        wrong(reader, "a number should be here");
    return reader->bad ? 0 : value;
}

// a count of items that take a byte each at least: no more than the file has left
static int64_t count_of(Reader* reader, int64_t count)
{
    if (!reader->bad && (count < 0 || count > reader->scan.end - reader->scan.at))
        wrong(reader, "this many items are more than the file has room for");
    return reader->bad ? 0 : count;
}

static twStatus done(const Reader* reader) { return reader->bad ? TW_BAD_INPUT : TW_OK; }

static int64_t long_count(Reader* reader) { return count_of(reader, long_whole(reader)); }

static twVec3 point(Reader* reader)
{
    double x = real(reader), y = real(reader);
    return tw_vec3(x, y, real(reader));
}

// ---- sections ----

static twStatus read_format(Reader* reader)
{
    // version file-type data-size: text in either case
    double version = real(reader);
    int64_t type = short_whole(reader), size = short_whole(reader);
    if (reader->bad) return TW_BAD_INPUT;
    reader->version = version >= 2 && version < 3 ? 2 : version > 4.05 && version < 5 ? 4 : 0;
    if (reader->version == 0)
        return wrong(reader, "only the formats 2.2 and 4.1 are read; save the mesh in one of them");
    if (type < 0 || type > 1 || (size != 4 && size != 8))
        return wrong(reader, "file type 0 or 1 and data size 8 are needed");
    reader->long_size = (int)size;
    if (type == 0) return TW_OK;
    reader->binary = true;
    tw_scan_line(&reader->scan);
    if (reader->scan.end - reader->scan.at < 4) return wrong(reader, "the file is cut short");
    reader->big = tw_bytes_unsigned(reader->scan.at, 4, false) != 1;
    if (reader->big && tw_bytes_unsigned(reader->scan.at, 4, true) != 1)
        return wrong(reader, "the number 1 is needed here");
    reader->scan.at += 4;
    return TW_OK;
}

// names of the physical groups of volumes: lines  dimension tag "name",  text in binary files too
static twStatus read_names(Reader* reader)
{
    twScan scan = reader->scan;
    twWord word;
    int64_t count = 0, dimension, tag;
    if (!tw_scan_any_word(&scan, &word, 0) || !tw_word_integer(word, &count) || count < 0 ||
        count > (scan.end - scan.at) / 5)
        return wrong(reader, "the number of names should be here");
    reader->soup.named = calloc((size_t)count + 1, sizeof *reader->soup.named);
    if (!reader->soup.named) return tw_fail(reader->err, TW_NO_MEMORY, "%s: no memory", reader->scan.path);
    for (int64_t i = 0; i < count; i++)
    {
        if (!tw_scan_any_word(&scan, &word, 0) || !tw_word_integer(word, &dimension)) break;
        if (!tw_scan_any_word(&scan, &word, 0) || !tw_word_integer(word, &tag)) break;
        const char *open = memchr(scan.at, '"', (size_t)(scan.end - scan.at)), *close = NULL;
        if (open) close = memchr(open + 1, '"', (size_t)(scan.end - open - 1));
        if (!close) break;
        if (dimension == 3)
        {
            twTetRegion* region = &reader->soup.named[reader->soup.named_count++];
            region->tag = tag;
            snprintf(region->name, sizeof region->name, "%.*s", (int)(close - open - 1 < 63 ? close - open - 1 : 63),
                     open + 1);
            for (char* c = region->name; *c; c++)
                if ((unsigned char)*c < 32 || *c == 127) *c = '?';
        }
        scan.at = close + 1;
    }
    return TW_OK;
}

// format 4: which physical group each volume belongs to
static twStatus read_entities(Reader* reader)
{
    int64_t counts[4];
    for (int d = 0; d < 4; d++) counts[d] = long_count(reader);
    for (int d = 0; d < 4; d++)
        for (int64_t i = 0; i < counts[d] && !reader->bad; i++)
        {
            // tag, point or box, physical groups, and what bounds it
            int64_t tag = short_whole(reader), group = 0;
            for (int k = 0; k < (d == 0 ? 3 : 6); k++) real(reader);
            int64_t groups = long_count(reader);
            for (int64_t k = 0; k < groups && !reader->bad; k++)
            {
                int64_t value = short_whole(reader);
                if (k == 0) group = value;
            }
            int64_t bounds = d == 0 ? 0 : long_count(reader);
            for (int64_t k = 0; k < bounds && !reader->bad; k++) short_whole(reader);
            if (d < 3 || reader->bad) continue;
            int region = (int)(group != 0 ? group & INT_MAX : -(tag & INT_MAX));
            if (!tw_table_put(&reader->region_of, (int)(tag & INT_MAX), 0, 0, region))
                return tw_fail(reader->err, TW_NO_MEMORY, "%s: no memory", reader->scan.path);
        }
    return done(reader);
}

static twStatus read_nodes_2(Reader* reader)
{
    // the count is text even in binary files
    bool binary = reader->binary;
    reader->binary = false;
    int64_t count = count_of(reader, whole(reader, 4));
    reader->binary = binary;
    if (binary) tw_scan_line(&reader->scan);
    twStatus status = TW_OK;
    for (int64_t i = 0; i < count && status == TW_OK && !reader->bad; i++)
    {
        int64_t number = short_whole(reader);
        twVec3 place = point(reader);
        if (!reader->bad) status = tw_tet_soup_node(&reader->soup, number, place, reader->err);
    }
    return status == TW_OK ? done(reader) : status;
}

static twStatus read_node_block(Reader* reader)
{
    int64_t dimension = short_whole(reader);
    short_whole(reader);
    int64_t parametric = short_whole(reader), count = long_count(reader);
    if (reader->bad) return TW_BAD_INPUT;

    // first all numbers, then all places: read them with two cursors
    twScan numbers = reader->scan;
    for (int64_t i = 0; i < count && !reader->bad; i++) long_whole(reader);
    twStatus status = TW_OK;
    for (int64_t i = 0; i < count && status == TW_OK && !reader->bad; i++)
    {
        twVec3 place = point(reader);
        for (int64_t k = 0; k < dimension && k < 3 && parametric != 0; k++) real(reader);
        twScan places = reader->scan;
        reader->scan = numbers;
        int64_t number = long_whole(reader);
        numbers = reader->scan;
        reader->scan = places;
        if (!reader->bad) status = tw_tet_soup_node(&reader->soup, number, place, reader->err);
    }
    return status == TW_OK ? done(reader) : status;
}

static twStatus read_nodes_4(Reader* reader)
{
    int64_t blocks = long_count(reader);
    for (int k = 0; k < 3; k++) long_whole(reader);
    twStatus status = done(reader);
    for (int64_t i = 0; i < blocks && status == TW_OK; i++) status = read_node_block(reader);
    return status;
}

// hand on a tet, with the mid nodes in our order: Gmsh has those of edges 13 and 23 the other way round
static twStatus add_tet(Reader* reader, int64_t number, int64_t* nodes, int count, int64_t region)
{
    if (count == 10)
    {
        int64_t swap = nodes[8];
        nodes[8] = nodes[9];
        nodes[9] = swap;
    }
    return tw_tet_soup_tet(&reader->soup, nodes, count, region, number, reader->err);
}

// nodes of one element whose number is read already. Lines of others are passed over, or as many numbers if binary
static twStatus read_element(Reader* reader, int64_t type, int64_t number, int64_t region, int size)
{
    bool known = type >= 1 && type < (int64_t)(sizeof TYPE_NODES / sizeof *TYPE_NODES);
    int64_t nodes[10];
    if (type == TET4 || type == TET10)
    {
        int count = TYPE_NODES[type];
        for (int k = 0; k < count; k++) nodes[k] = whole(reader, size);
        return reader->bad ? TW_BAD_INPUT : add_tet(reader, number, nodes, count, region);
    }
    if (!reader->binary)
    {
        // stop at the end of this line: the next number begins the next one
        twWord word;
        while (tw_scan_word(&reader->scan, &word)) continue;
        return TW_OK;
    }
    if (!known) return wrong(reader, "elements of an unknown type; save the mesh as text (format 4.1)");
    for (int k = 0; k < TYPE_NODES[type] && !reader->bad; k++) whole(reader, size);
    return done(reader);
}

// format 2: one element, as text or of a binary block
static twStatus read_element_2(Reader* reader, int64_t number, int64_t type, int64_t tags)
{
    // physical group, then volume
    int64_t region = 0;
    for (int64_t k = 0; k < tags && !reader->bad; k++)
    {
        int64_t tag = short_whole(reader);
        if (k == 0) region = tag;
        if (k == 1 && region == 0) region = -(tag & INT_MAX);
    }
    return reader->bad ? TW_BAD_INPUT : read_element(reader, type, number, region, 4);
}

static twStatus read_elements_2(Reader* reader)
{
    bool binary = reader->binary;
    reader->binary = false;
    int64_t count = count_of(reader, whole(reader, 4));
    reader->binary = binary;
    if (binary) tw_scan_line(&reader->scan);
    twStatus status = done(reader);
    for (int64_t i = 0; i < count && status == TW_OK;)
    {
        // binary elements come in blocks of one type
        int64_t first = short_whole(reader), second = short_whole(reader), third = short_whole(reader);
        int64_t type = binary ? first : second, in_block = binary ? count_of(reader, second) : 1;
        int64_t tags = count_of(reader, third);
        status = done(reader);
        if (status == TW_OK && in_block == 0) status = wrong(reader, "a block of no elements");
        for (int64_t k = 0; k < in_block && status == TW_OK; k++, i++)
            status = read_element_2(reader, binary ? short_whole(reader) : first, type, tags);
    }
    return status;
}

static twStatus read_elements_4(Reader* reader)
{
    int64_t blocks = long_count(reader);
    for (int k = 0; k < 3; k++) long_whole(reader);
    twStatus status = done(reader);
    for (int64_t i = 0; i < blocks && status == TW_OK; i++)
    {
        int64_t dimension = short_whole(reader), volume = short_whole(reader), type = short_whole(reader);
        int64_t count = long_count(reader);
        const int* region = dimension == 3 ? tw_table_get(&reader->region_of, (int)(volume & INT_MAX), 0, 0) : NULL;
        status = done(reader);
        for (int64_t k = 0; k < count && status == TW_OK; k++)
        {
            int64_t number = long_whole(reader);
            status = done(reader);
            if (status == TW_OK) status = read_element(reader, type, number, region ? *region : 0, reader->long_size);
        }
    }
    return status;
}

// ---- file ----

// go behind the line that ends a section; binary data may hold anything, so look for the words
static bool skip_section(Reader* reader, twWord name)
{
    char wanted[80];
    int length =
        snprintf(wanted, sizeof wanted, "$End%.*s", name.length - 1 < 60 ? name.length - 1 : 60, name.text + 1);
    for (const char* at = reader->scan.at; reader->scan.end - at >= length; at++)
    {
        at = memchr(at, '$', (size_t)(reader->scan.end - at));
        if (!at || reader->scan.end - at < length) return false;
        if (memcmp(at, wanted, (size_t)length) != 0) continue;
        for (const char* c = reader->scan.at; c < at && !reader->binary; c++) reader->scan.line += *c == '\n';
        reader->scan.at = at + length;
        return true;
    }
    return false;
}

static twStatus read_section(Reader* reader, twWord name)
{
    if (reader->version == 0 && !tw_word_is(name, "$MeshFormat"))
        return wrong(reader, "the section $MeshFormat should come first");
    if (tw_word_is(name, "$MeshFormat")) return read_format(reader);
    if (tw_word_is(name, "$PhysicalNames") && !reader->soup.named) return read_names(reader);
    bool entities = tw_word_is(name, "$Entities"), nodes = tw_word_is(name, "$Nodes");
    bool elements = tw_word_is(name, "$Elements");
    if (reader->binary && (entities || nodes || elements)) tw_scan_line(&reader->scan);
    if (entities && reader->version == 4) return read_entities(reader);
    if (nodes) return reader->version == 4 ? read_nodes_4(reader) : read_nodes_2(reader);
    if (elements) return reader->version == 4 ? read_elements_4(reader) : read_elements_2(reader);
    return TW_OK;
}

static twStatus read_sections(Reader* reader)
{
    twStatus status = TW_OK;
    twWord name;
    while (status == TW_OK && tw_scan_any_word(&reader->scan, &name, 0))
    {
        if (name.text[0] != '$' || name.length < 2) return wrong(reader, "a section such as $Nodes should begin here");
        status = read_section(reader, name);
        if (status == TW_OK && !skip_section(reader, name))
            return wrong(reader, "the section has no end; the file is cut short");
    }
    return status;
}

// Regions below 0 are volumes without a group. Beside groups these are one region, 0; alone, each is one.
static void settle_regions(twTetSoup* soup)
{
    bool groups = false;
    for (int t = 0; t < soup->tet_count; t++) groups = groups || soup->regions[t] > 0;
    for (int t = 0; t < soup->tet_count; t++)
        if (soup->regions[t] < 0) soup->regions[t] = groups ? 0 : -soup->regions[t];
}

twStatus tw_read_gmsh(twTetMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    Reader reader = {.scan = tw_scan(path, data, bytes), .start = data, .soup = {.path = path}, .err = err};
    twStatus status = read_sections(&reader);
    settle_regions(&reader.soup);
    if (status == TW_OK) status = tw_tet_soup_finish(out, &reader.soup, scale, err);
    tw_tet_soup_clear(&reader.soup);
    tw_table_clear(&reader.region_of);
    return status;
}
