// SPDX-License-Identifier: MIT
// Recursive descent, at most MAX_DEPTH deep.
#include "mesh/json_reader.h"
#include "mesh/scan.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_DEPTH = 64,
    MAX_NODES = 1 << 24,
    MAX_MEMBERS = 10000  // of an object: a key is looked for among all of them
};

typedef struct Reader
{
    twJsonTree* tree;
    const char* what;
    const char* start;
    const char* at;
    const char* end;
    twError* err;
} Reader;

static twStatus read_value(Reader* reader, int depth);

static twStatus wrong(const Reader* reader, const char* what)
{
    return tw_fail(reader->err, TW_BAD_INPUT, "%s, offset %zu of its JSON: %s", reader->what,
                   (size_t)(reader->at - reader->start), what);
}

// ---- parts ----

static void skip_blanks(Reader* reader)
{
    while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at)) reader->at++;
}

static char peek(const Reader* reader) { return reader->at < reader->end ? *reader->at : 0; }

static twStatus add_node(Reader* reader, twJsonKind kind, int* index)
{
    twJsonTree* tree = reader->tree;
    if (tree->count >= MAX_NODES) return wrong(reader, "too many values");
    if (tree->count == tree->capacity)
    {
        int capacity = tree->capacity * 2 + 256;
        twJsonNode* nodes = realloc(tree->nodes, (size_t)capacity * sizeof *nodes);
        if (!nodes) return tw_fail(reader->err, TW_NO_MEMORY, "%s: no memory", reader->what);
        tree->nodes = nodes;
        tree->capacity = capacity;
    }
    *index = tree->count++;
    tree->nodes[*index] = (twJsonNode){.kind = kind, .next = tree->count};
    return TW_OK;
}

// length of the escape after a backslash, 0 if it is none
static int escape_length(const char* at, const char* end)
{
    if (at < end && *at && strchr("\"\\/bfnrt", *at)) return 1;
    if (end - at < 5 || *at != 'u') return 0;
    for (int i = 1; i < 5; i++)
        if (!at[i] || !strchr("0123456789abcdefABCDEF", at[i])) return 0;
    return 5;
}

static twStatus read_text(Reader* reader)
{
    int index;
    twStatus status = add_node(reader, TW_JSON_TEXT, &index);
    if (status != TW_OK) return status;
    const char* start = ++reader->at;
    while (reader->at < reader->end && *reader->at != '"')
    {
        if ((unsigned char)*reader->at < 0x20) return wrong(reader, "a control character within a text");
        int length = *reader->at == '\\' ? escape_length(reader->at + 1, reader->end) + 1 : 1;
        if (*reader->at == '\\' && length == 1) return wrong(reader, "an unknown escape within a text");
        reader->at += length;
    }
    if (reader->at >= reader->end || reader->at - start > INT_MAX) return wrong(reader, "a text without end");
    reader->tree->nodes[index].text = start;
    reader->tree->nodes[index].length = (int)(reader->at - start);
    reader->at++;
    return TW_OK;
}

static bool take_digits(Reader* reader)
{
    const char* start = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') reader->at++;
    return reader->at > start;
}

static twStatus read_number(Reader* reader)
{
    int index;
    twStatus status = add_node(reader, TW_JSON_NUMBER, &index);
    if (status != TW_OK) return status;
    const char* start = reader->at;
    if (peek(reader) == '-') reader->at++;
    bool zero = peek(reader) == '0', fine = take_digits(reader);
    if (zero && fine && reader->at - start > (*start == '-' ? 2 : 1)) fine = false;
    if (fine && peek(reader) == '.')
    {
        reader->at++;
        fine = take_digits(reader);
    }
    if (fine && (peek(reader) == 'e' || peek(reader) == 'E'))
    {
        reader->at++;
        if (peek(reader) == '+' || peek(reader) == '-') reader->at++;
        fine = take_digits(reader);
    }
    twWord word = {start, (int)(reader->at - start)};
    if (!fine || reader->at - start > INT_MAX || !tw_word_number(word, &reader->tree->nodes[index].number))
        return wrong(reader, "this is no number");
    return TW_OK;
}

static twStatus read_name(Reader* reader, const char* name, twJsonKind kind)
{
    int index;
    size_t length = strlen(name);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, name, length) != 0)
        return wrong(reader, "a value is needed here");
    reader->at += length;
    return add_node(reader, kind, &index);
}

// ---- nesting ----

static twStatus read_member(Reader* reader, int depth)
{
    if (peek(reader) != '"') return wrong(reader, "a key in double quotes is needed here");
    twStatus status = read_text(reader);
    skip_blanks(reader);
    if (status == TW_OK && peek(reader) != ':') return wrong(reader, "a colon is needed here");
    reader->at++;
    return status == TW_OK ? read_value(reader, depth + 1) : status;
}

static twStatus read_nested(Reader* reader, twJsonKind kind, char close, int depth)
{
    int index, length = 0;
    twStatus status = add_node(reader, kind, &index);
    if (status == TW_OK && depth >= MAX_DEPTH) return wrong(reader, "nested too deep");
    reader->at++;
    skip_blanks(reader);
    while (status == TW_OK && peek(reader) != close)
    {
        if (length > 0)
        {
            if (peek(reader) != ',') return wrong(reader, "a comma or the end of the list is needed here");
            reader->at++;
            skip_blanks(reader);
        }
        if (kind == TW_JSON_OBJECT && length >= MAX_MEMBERS) return wrong(reader, "too many keys in one object");
        status = kind == TW_JSON_OBJECT ? read_member(reader, depth) : read_value(reader, depth + 1);
        length++;
        skip_blanks(reader);
    }
    if (status != TW_OK) return status;
    reader->at++;
    reader->tree->nodes[index].length = length;
    reader->tree->nodes[index].next = reader->tree->count;
    return TW_OK;
}

static twStatus read_value(Reader* reader, int depth)
{
    skip_blanks(reader);
    switch (peek(reader))
    {
    case '{':
        return read_nested(reader, TW_JSON_OBJECT, '}', depth);
    case '[':
        return read_nested(reader, TW_JSON_ARRAY, ']', depth);
    case '"':
        return read_text(reader);
    case 't':
        return read_name(reader, "true", TW_JSON_TRUE);
    case 'f':
        return read_name(reader, "false", TW_JSON_FALSE);
    case 'n':
        return read_name(reader, "null", TW_JSON_NULL);
    default:
        return read_number(reader);
    }
}

// ---- the whole ----

twStatus tw_json_read(twJsonTree* out, const char* what, const char* data, size_t bytes, twError* err)
{
    *out = (twJsonTree){0};
    Reader reader = {out, what, data, data, data + bytes, err};
    twStatus status = read_value(&reader, 0);
    skip_blanks(&reader);
    if (status == TW_OK && reader.at < reader.end) status = wrong(&reader, "there is more after the end");
    if (status != TW_OK) tw_json_clear(out);
    return status;
}

void tw_json_clear(twJsonTree* tree)
{
    free(tree->nodes);
    *tree = (twJsonTree){0};
}

int tw_json_get(const twJsonTree* tree, int object, const char* key)
{
    if (!tw_json_is(tree, object, TW_JSON_OBJECT)) return -1;
    size_t wanted = strlen(key);
    int node = object + 1;
    for (int i = 0; i < tree->nodes[object].length; i++)
    {
        const twJsonNode* name = &tree->nodes[node];
        if ((size_t)name->length == wanted && memcmp(name->text, key, wanted) == 0) return node + 1;
        node = tree->nodes[node + 1].next;
    }
    return -1;
}

bool tw_json_is(const twJsonTree* tree, int node, twJsonKind kind)
{
    return node >= 0 && node < tree->count && tree->nodes[node].kind == kind;
}

int tw_json_length(const twJsonTree* tree, int array)
{
    return tw_json_is(tree, array, TW_JSON_ARRAY) ? tree->nodes[array].length : 0;
}

// ---- texts ----

static unsigned hex4(const char* at)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) code = code * 16 + (unsigned)(at[i] <= '9' ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
    return code;
}

// the character of an escape behind its backslash; at moves on
static unsigned resolve(const char** at, const char* end)
{
    static const char letters[] = "bfnrt", codes[] = "\b\f\n\r\t";
    const char c = *(*at)++;
    if (c != 'u')
    {
        const char* known = strchr(letters, c);
        return (unsigned char)(known ? codes[known - letters] : c);
    }
    const unsigned first = hex4(*at);
    *at += 4;
    // two halves of one beyond U+FFFF
    if (first < 0xD800 || first > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return first;
    const unsigned second = hex4(*at + 2);
    if (second < 0xDC00 || second > 0xDFFF) return first;
    *at += 6;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

// the next character of UTF-8, 0 if there is none such; at moves on, by a byte then
static unsigned decode(const char** at, const char* end)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned lead = (unsigned char)*(*at)++;
    if (lead < 0x80) return lead;
    const int length = lead >= 0xF0 && lead < 0xF8   ? 4
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xC0 && lead < 0xE0 ? 2
                                                     : 0;
    if (length == 0 || end - *at < length - 1) return 0;
    unsigned code = lead & (0x7Fu >> length);
    for (int i = 0; i < length - 1; i++)
    {
        const unsigned next = (unsigned char)(*at)[i];
        if ((next & 0xC0) != 0x80) return 0;
        code = code << 6 | (next & 0x3F);
    }
    if (code < least[length]) return 0;
    *at += length - 1;
    return code;
}

// bytes of a character as UTF-8; one that is not to be shown is an underscore
static int encode(unsigned code, char out[4])
{
    if (code < 0x20 || code == 0x7F || (code >= 0x80 && code < 0xA0) || (code >= 0xD800 && code < 0xE000) ||
        code > 0x10FFFF)
        code = '_';
    const int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[length] | code);
    return length;
}

char* tw_json_plain(const twJsonTree* tree, int node, char* out, size_t bytes)
{
    size_t used = 0;
    const bool text = tw_json_is(tree, node, TW_JSON_TEXT);
    const char *at = text ? tree->nodes[node].text : NULL, *end = text ? at + tree->nodes[node].length : NULL;
    while (at < end)
    {
        char character[4];
        unsigned code;
        if (*at == '\\')
        {
            at++;
            code = resolve(&at, end);
        }
        else
            code = decode(&at, end);
        const int length = encode(code, character);
        if (used + (size_t)length >= bytes) break;
        memcpy(out + used, character, (size_t)length);
        used += (size_t)length;
    }
    if (bytes > 0) out[used] = 0;
    return out;
}
