// SPDX-License-Identifier: MIT
// Stanford PLY: a text header that declares elements and their properties, then the elements as
// text or binary in either byte order. Read: x, y, z of `vertex`; vertex_indices (or vertex_index)
// and region of `face`; vertex_indices of `tristrips`, where -1 ends a strip. Other elements and
// properties are passed over by the sizes that the header gives them.
#include "mesh/bytes.h"
#include "mesh/scan.h"
#include "mesh/soup.h"
#include <limits.h>

enum
{
    MAX_ELEMENTS = 32,
    MAX_PROPERTIES = 64
};

typedef enum Format
{
    TEXT,
    LITTLE,
    BIG
} Format;

// what a property is to us
typedef enum Role
{
    ROLE_NONE,
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_CORNERS,
    ROLE_STRIP,
    ROLE_REGION
} Role;

// bytes of a number and whether it is signed or real
typedef struct Type
{
    const char* names[2];
    int size;
    char kind;  // 'i' signed, 'u' unsigned, 'f' real
} Type;
static const Type TYPES[] = {{{"char", "int8"}, 1, 'i'},     {{"uchar", "uint8"}, 1, 'u'},
                             {{"short", "int16"}, 2, 'i'},   {{"ushort", "uint16"}, 2, 'u'},
                             {{"int", "int32"}, 4, 'i'},     {{"uint", "uint32"}, 4, 'u'},
                             {{"float", "float32"}, 4, 'f'}, {{"double", "float64"}, 8, 'f'}};

typedef struct Property
{
    const Type* count;  // of a list, or NULL
    const Type* item;
    Role role;
} Property;

typedef enum Kind
{
    KIND_OTHER,
    KIND_VERTEX,
    KIND_FACE,
    KIND_STRIPS
} Kind;

typedef struct Element
{
    Kind kind;
    int64_t count;
    int property_count;
    Property properties[MAX_PROPERTIES];
} Element;

typedef struct Reader
{
    twScan scan;
    const char* start;  // of the file, for offsets
    Format format;
    int element_count;
    Element elements[MAX_ELEMENTS];
    twSoup soup;
    int64_t strip_length;  // vertices of the present strip so far
    int strip[2];          // its last two
} Reader;

// ---- header ----

static twStatus bad_line(const Reader* reader, twWord word, const char* wanted, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where %s should be", reader->scan.path, reader->scan.line,
                   tw_word_shown(word), word.text, wanted);
}

static const Type* find_type(twWord word)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (tw_word_is(word, TYPES[i].names[0]) || tw_word_is(word, TYPES[i].names[1])) return &TYPES[i];
    return NULL;
}

static twStatus read_format(Reader* reader, twError* err)
{
    twWord word = {"", 0};
    tw_scan_word(&reader->scan, &word);
    if (tw_word_is(word, "ascii"))
        reader->format = TEXT;
    else if (tw_word_is(word, "binary_little_endian"))
        reader->format = LITTLE;
    else if (tw_word_is(word, "binary_big_endian"))
        reader->format = BIG;
    else
        return bad_line(reader, word, "ascii, binary_little_endian or binary_big_endian", err);
    return TW_OK;
}

static twStatus read_element(Reader* reader, twError* err)
{
    twWord name = {"", 0}, word = {"", 0};
    if (reader->element_count == MAX_ELEMENTS)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: more than %d elements", reader->scan.path, reader->scan.line,
                       MAX_ELEMENTS);
    Element* element = &reader->elements[reader->element_count++];
    *element = (Element){0};
    tw_scan_word(&reader->scan, &name);
    tw_scan_word(&reader->scan, &word);
    if (!tw_word_integer(word, &element->count) || element->count < 0)
        return bad_line(reader, word, "the number of elements", err);
    if (tw_word_is(name, "vertex")) element->kind = KIND_VERTEX;
    if (tw_word_is(name, "face")) element->kind = KIND_FACE;
    if (tw_word_is(name, "tristrips")) element->kind = KIND_STRIPS;
    return TW_OK;
}

static Role find_role(Kind kind, twWord name, bool list)
{
    if (kind == KIND_VERTEX && !list)
        return tw_word_is(name, "x")   ? ROLE_X
               : tw_word_is(name, "y") ? ROLE_Y
               : tw_word_is(name, "z") ? ROLE_Z
                                       : ROLE_NONE;
    if (kind != KIND_FACE && kind != KIND_STRIPS) return ROLE_NONE;
    if (list && (tw_word_is(name, "vertex_indices") || tw_word_is(name, "vertex_index")))
        return kind == KIND_FACE ? ROLE_CORNERS : ROLE_STRIP;
    return kind == KIND_FACE && !list && tw_word_is(name, "region") ? ROLE_REGION : ROLE_NONE;
}

static twStatus read_property(Reader* reader, twError* err)
{
    twWord word = {"", 0};
    Element* element = reader->element_count > 0 ? &reader->elements[reader->element_count - 1] : NULL;
    if (!element || element->property_count == MAX_PROPERTIES)
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: a property must follow an element, which may have %d of them",
                       reader->scan.path, reader->scan.line, MAX_PROPERTIES);
    Property* property = &element->properties[element->property_count++];
    *property = (Property){0};
    tw_scan_word(&reader->scan, &word);
    bool list = tw_word_is(word, "list");
    if (list)
    {
        tw_scan_word(&reader->scan, &word);
        property->count = find_type(word);
        if (!property->count || property->count->kind == 'f')
            return bad_line(reader, word, "the type of a list's count, such as uchar,", err);
        tw_scan_word(&reader->scan, &word);
    }
    property->item = find_type(word);
    if (!property->item) return bad_line(reader, word, "a type such as float or int", err);
    tw_scan_word(&reader->scan, &word);
    property->role = find_role(element->kind, word, list);
    if ((property->role == ROLE_CORNERS || property->role == ROLE_STRIP) && property->item->kind == 'f')
        return bad_line(reader, word, "a list of integers", err);
    return TW_OK;
}

static twStatus read_header(Reader* reader, twError* err)
{
    bool known_format = false;
    while (tw_scan_line(&reader->scan))
    {
        twWord word = {"", 0};
        twStatus status = TW_OK;
        if (!tw_scan_word(&reader->scan, &word) || tw_word_is(word, "comment") || tw_word_is(word, "obj_info"))
            continue;
        if (tw_word_is(word, "format"))
        {
            status = read_format(reader, err);
            known_format = true;
        }
        else if (tw_word_is(word, "element"))
            status = read_element(reader, err);
        else if (tw_word_is(word, "property"))
            status = read_property(reader, err);
        else if (tw_word_is(word, "end_header"))
        {
            tw_scan_line(&reader->scan);
            if (known_format) return TW_OK;
            return tw_fail(err, TW_BAD_INPUT, "%s: the header has no format line", reader->scan.path);
        }
        else
            return bad_line(reader, word, "format, element, property, comment or end_header", err);
        if (status != TW_OK) return status;
    }
    return tw_fail(err, TW_BAD_INPUT, "%s: the header has no end_header line", reader->scan.path);
}

// ---- body ----

static twStatus cut_short(const Reader* reader, const Element* element, int64_t at, twError* err)
{
    const char* names[] = {"element", "vertex", "face", "strip"};
    return tw_fail(err, TW_BAD_INPUT, "%s, offset %zu: the file ends at %s %lld of the %lld that the header promises",
                   reader->scan.path, (size_t)(reader->scan.end - reader->start), names[element->kind], (long long)at,
                   (long long)element->count);
}

// one number. @return false if there is none; then the file has ended, or word is what is there instead
static bool read_number(Reader* reader, const Type* type, double* value, twWord* word)
{
    twScan* scan = &reader->scan;
    *word = (twWord){"", 0};
    if (reader->format == TEXT) return tw_scan_any_word(scan, word, 0) && tw_word_number(*word, value);
    if (scan->end - scan->at < type->size) return false;
    bool big = reader->format == BIG;
    if (type->kind == 'f')
        *value = tw_bytes_real(scan->at, type->size, big);
    else if (type->kind == 'i')
        *value = (double)tw_bytes_signed(scan->at, type->size, big);
    else
        *value = (double)tw_bytes_unsigned(scan->at, type->size, big);
    scan->at += type->size;
    return true;
}

// what one element says
typedef struct Item
{
    double x[3];
    int region;
    bool corners;
} Item;

// what is no index becomes one that is refused later, with the face's number
static int ply_index(double value) { return value >= 0 && value < INT_MAX ? (int)value : -1; }

// Vertices v0, v1, v2, v3 ... of a strip are triangles (v0, v1, v2), (v2, v1, v3) ...: every other
// one runs backwards. Those of repeated vertices lead from one strip to the next. @return false
// without memory
static bool ply_add_to_strip(Reader* reader, double value)
{
    if (value == -1)
    {
        reader->strip_length = 0;
        return true;
    }
    const int v = ply_index(value), odd = (int)(reader->strip_length % 2);
    const int a = reader->strip[odd], b = reader->strip[1 - odd];
    const bool face = reader->strip_length >= 2 && ((a != b && a != v && b != v) || v < 0);
    reader->strip[0] = reader->strip[1];
    reader->strip[1] = v;
    reader->strip_length++;
    if (!face) return true;
    return tw_soup_corner(&reader->soup, a) && tw_soup_corner(&reader->soup, b) && tw_soup_corner(&reader->soup, v) &&
           tw_soup_polygon(&reader->soup, 0, reader->soup.polygon_count);
}

static bool take(Reader* reader, const Property* property, double value, Item* item)
{
    switch (property->role)
    {
    case ROLE_X:
        item->x[0] = value;
        return true;
    case ROLE_Y:
        item->x[1] = value;
        return true;
    case ROLE_Z:
        item->x[2] = value;
        return true;
    case ROLE_REGION:
        item->region = value >= 0 && value < 1e6 ? (int)value : 0;
        return true;
    case ROLE_CORNERS:
        item->corners = true;
        return tw_soup_corner(&reader->soup, ply_index(value));
    case ROLE_STRIP:
        return ply_add_to_strip(reader, value);
    default:
        return true;
    }
}

static twStatus read_property_value(Reader* reader, const Element* element, int64_t at, const Property* property,
                                    Item* item, twError* err)
{
    twWord word;
    double value = 0, count = 1;
    bool fine = !property->count || read_number(reader, property->count, &count, &word);
    if (fine && !(count >= 0 && count <= (double)(reader->scan.end - reader->scan.at) + 8))
        return tw_fail(err, TW_BAD_INPUT, "%s, offset %zu: a list of %g items is longer than the file",
                       reader->scan.path, (size_t)(reader->scan.at - reader->start), count);
    for (int64_t i = 0; i < (int64_t)count && fine; i++)
    {
        fine = read_number(reader, property->item, &value, &word);
        if (fine && !take(reader, property, value, item)) return tw_soup_no_memory(&reader->soup, err);
    }
    if (fine) return TW_OK;
    return word.length > 0 ? tw_scan_no_number(&reader->scan, word, "a number", err)
                           : cut_short(reader, element, at, err);
}

static twStatus read_item(Reader* reader, const Element* element, int64_t at, twError* err)
{
    Item item = {{0, 0, 0}, 0, false};
    reader->strip_length = 0;
    for (int p = 0; p < element->property_count; p++)
    {
        twStatus status = read_property_value(reader, element, at, &element->properties[p], &item, err);
        if (status != TW_OK) return status;
    }
    bool fine = true;
    if (element->kind == KIND_VERTEX) fine = tw_soup_vertex(&reader->soup, tw_vec3(item.x[0], item.x[1], item.x[2]));
    if (element->kind == KIND_FACE)
        fine = tw_soup_polygon(&reader->soup, item.region, at < INT_MAX ? (int)at : INT_MAX);
    return fine ? TW_OK : tw_soup_no_memory(&reader->soup, err);
}

static bool has_role(const Element* element, Role role)
{
    for (int p = 0; p < element->property_count; p++)
        if (element->properties[p].role == role) return true;
    return false;
}

static twStatus check_elements(const Reader* reader, twError* err)
{
    int vertices = 0, faces = 0, strips = 0;
    for (int e = 0; e < reader->element_count; e++)
    {
        const Element* element = &reader->elements[e];
        if (element->kind == KIND_VERTEX && has_role(element, ROLE_X) && has_role(element, ROLE_Y) &&
            has_role(element, ROLE_Z))
            vertices++;
        if (element->kind == KIND_FACE && has_role(element, ROLE_CORNERS)) faces++;
        if (element->kind == KIND_STRIPS && has_role(element, ROLE_STRIP)) strips++;
    }
    if (vertices == 1 && faces <= 1 && strips <= 1 && faces + strips > 0) return TW_OK;
    return tw_fail(
        err, TW_BAD_INPUT,
        "%s: the header must declare one element vertex with x, y, z and one element face or tristrips with vertex_indices",
        reader->scan.path);
}

static twStatus read_body(Reader* reader, twError* err)
{
    for (int e = 0; e < reader->element_count; e++)
    {
        // an element takes at least a byte, so more of them than bytes are a lie; without properties they take none
        const Element* element = &reader->elements[e];
        if (element->property_count == 0) continue;
        if (element->count > reader->scan.end - reader->scan.at) return cut_short(reader, element, 0, err);
        for (int64_t i = 0; i < element->count; i++)
        {
            twStatus status = read_item(reader, element, i, err);
            if (status != TW_OK) return status;
        }
    }
    return TW_OK;
}

twStatus tw_read_ply(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    Reader reader = {.scan = tw_scan(path, data, bytes), .start = data, .soup = {.path = path, .place_name = "face"}};
    twStatus status = read_header(&reader, err);
    if (status == TW_OK) status = check_elements(&reader, err);
    if (status == TW_OK) status = read_body(&reader, err);
    if (status == TW_OK) status = tw_soup_finish(out, &reader.soup, scale, err);
    tw_soup_clear(&reader.soup);
    return status;
}
