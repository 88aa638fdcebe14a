// SPDX-License-Identifier: MIT
// YAML documents through libfyaml; no other file knows it.
//
// The parser's events are copied into our own tree as they come, so that nothing is ever expanded, depth and count are
// bounded here, and the rest of the program sees plain structs. What the parser would let through but a scene should
// not contain is refused first: bytes that are not UTF-8, control characters, tabs in the indentation, endless lines.

#include "scene/yaml.h"

#include <libfyaml.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NODES_PER_BLOCK 256
#define TEXT_PER_BLOCK 16384

typedef struct Level
{
    twNode* node;
    const char* key;  // read, waiting for its value
    twPlace key_place;
} Level;

typedef struct Builder
{
    twYaml* doc;
    struct fy_parser* parser;
    Level level[YAML_MAX_DEPTH];
    int depth;
    int nodes;
    bool ended;  // the first document is over
    twNode* free_nodes;
    int free_count;
    char* free_text;
    size_t free_bytes;
} Builder;

// ---- raw text ----

static bool check_character(twYaml* doc, unsigned char c, int length, twPlace place, bool indenting)
{
    if (length == 0)
        yaml_fail_at(doc, place, "byte 0x%02x is not UTF-8; save the file as UTF-8", c);
    else if (c == 0)
        yaml_fail_at(doc, place, "a NUL byte; this is not a text file");
    else if ((c < 0x20 && !strchr("\t\n\r", c)) || c == 0x7f)
        yaml_fail_at(doc, place, "control character 0x%02x; this is not a text file", c);
    else if (c == '\t' && indenting)
        yaml_fail_at(doc, place, "a tab in the indentation; use spaces");
    else if (place.column > YAML_MAX_LINE)
        yaml_fail_at(doc, place, "the line is longer than %d characters; break it", YAML_MAX_LINE);
    return yaml_ok(doc);
}

static bool check_text(twYaml* doc)
{
    const char* s = doc->source;
    twPlace place = {1, 1, 1};
    bool indenting = true;
    for (size_t i = 0; i < doc->bytes;)
    {
        int length = yaml_character(s + i, doc->bytes - i);
        if (!check_character(doc, (unsigned char)s[i], length, place, indenting)) return false;
        bool ends = s[i] == '\n' || (s[i] == '\r' && s[i + 1] != '\n');
        indenting = ends || (indenting && (s[i] == ' ' || s[i] == '\r'));
        place = ends ? (twPlace){place.line + 1, 1, 1} : (twPlace){place.line, place.column + 1, 1};
        i += (size_t)length;
    }
    return true;
}

// ---- memory ----

static void no_memory(twYaml* doc)
{
    if (yaml_ok(doc)) tw_fail(&doc->error, TW_NO_MEMORY, "%s: no memory", doc->name);
}

static twNode* new_node(Builder* b, twPlace place)
{
    if (++b->nodes > YAML_MAX_NODES)
    {
        yaml_fail_at(b->doc, place, "more than %d values; put large data into a file of its own", YAML_MAX_NODES);
        return NULL;
    }
    if (b->free_count == 0)
    {
        b->free_nodes = tw_arena_alloc(b->doc->arena, NODES_PER_BLOCK, sizeof(twNode));
        if (!b->free_nodes) no_memory(b->doc);
        if (!b->free_nodes) return NULL;
        b->free_count = NODES_PER_BLOCK;
    }
    b->free_count--;
    return b->free_nodes++;
}

static const char* copy_text(Builder* b, const char* text, size_t bytes)
{
    if (bytes + 1 > b->free_bytes)
    {
        size_t block = bytes + 1 > TEXT_PER_BLOCK / 4 ? bytes + 1 : TEXT_PER_BLOCK;
        char* memory = tw_arena_alloc(b->doc->arena, block, 1);
        if (!memory) no_memory(b->doc);
        if (!memory) return NULL;
        if (block != TEXT_PER_BLOCK) return memcpy(memory, text, bytes);
        b->free_text = memory;
        b->free_bytes = block;
    }
    char* copy = memcpy(b->free_text, text, bytes);
    b->free_text += bytes + 1;
    b->free_bytes -= bytes + 1;
    return copy;
}

// ---- places ----

static twPlace place_between(const struct fy_mark* start, const struct fy_mark* end)
{
    if (!start) return (twPlace){1, 1, 1};
    twPlace place = {start->line + 1, start->column + 1, 1};
    // of what goes over several lines the caret marks the beginning
    if (end && end->line == start->line && end->column > start->column) place.length = end->column - start->column;
    return place;
}

static twPlace place_of(struct fy_event* event)
{
    return place_between(fy_event_start_mark(event), fy_event_end_mark(event));
}

// a scalar's marks leave out its quotes
static twPlace scalar_place(struct fy_event* event, enum fy_scalar_style style)
{
    twPlace place = place_of(event);
    if ((style != FYSS_SINGLE_QUOTED && style != FYSS_DOUBLE_QUOTED) || place.column < 2) return place;
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    bool one_line = start && end && start->line == end->line;
    return (twPlace){place.line, place.column - 1, one_line ? end->column - start->column + 2 : 1};
}

// ---- what is not wanted ----

static bool refuse(Builder* b, struct fy_event* event)
{
    struct fy_token *anchor = fy_event_get_anchor_token(event), *tag = fy_event_get_tag_token(event);
    struct fy_token* token = anchor ? anchor : tag;
    const twPlace place = token ? place_between(fy_token_start_mark(token), fy_token_end_mark(token)) : place_of(event);
    if (event->type == FYET_ALIAS || anchor)
        yaml_fail_at(b->doc, place, "anchors and aliases (&name, *name) are not supported; write the value out");
    else if (tag)
        yaml_fail_at(b->doc, place, "tags (!name) are not supported; write the plain value");
    else if (b->depth == YAML_MAX_DEPTH)
        yaml_fail_at(b->doc, place, "nested deeper than %d levels", YAML_MAX_DEPTH);
    return !yaml_ok(b->doc);
}

typedef struct KeyEntry
{
    const char* key;
    const twNode* node;
} KeyEntry;

static int compare_keys(const void* a, const void* b)
{
    const KeyEntry *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->node->index - y->node->index;
}

// sorted, equal keys are neighbours; of several report the first in the file
static void check_duplicates(Builder* b, const twNode* map)
{
    if (map->count < 2) return;
    KeyEntry* entries = malloc((size_t)map->count * sizeof *entries);
    if (!entries)
    {
        no_memory(b->doc);
        return;
    }
    int n = 0;
    YAML_EACH(child, map) entries[n++] = (KeyEntry){child->key, child};
    qsort(entries, (size_t)n, sizeof *entries, compare_keys);
    const twNode *first = NULL, *again = NULL;
    for (int k = 1; k < n; k++)
        if (strcmp(entries[k - 1].key, entries[k].key) == 0 && (!again || entries[k].node->index < again->index))
            first = entries[k - 1].node, again = entries[k].node;
    if (again)
        yaml_fail_key(again, "'%.60s' appears twice; the first is in line %d", again->key, first->key_place.line);
    free(entries);
}

// ---- building ----

static bool add_node(Builder* b, twNode* node)
{
    node->doc = b->doc;
    if (!node->text) node->text = "";
    if (b->depth == 0)
    {
        b->doc->root = node;
        return true;
    }
    Level* level = &b->level[b->depth - 1];
    twNode* parent = level->node;
    node->parent = parent;
    node->index = parent->count++;
    node->key = level->key;
    node->key_place = level->key_place;
    level->key = NULL;
    // an empty value has no place of its own
    if (node->kind == TW_NODE_SCALAR && !node->quoted && !node->text[0] && node->key) node->place = node->key_place;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    return true;
}

static bool expects_key(const Builder* b)
{
    const Level* level = b->depth > 0 ? &b->level[b->depth - 1] : NULL;
    return level && level->node->kind == TW_NODE_MAP && !level->key;
}

static bool take_key(Builder* b, const char* text, bool quoted, twPlace place)
{
    if (!quoted && strcmp(text, "<<") == 0)
        yaml_fail_at(b->doc, place, "merge keys (<<) are not supported; write the values out");
    else if (!text[0])
        yaml_fail_at(b->doc, place, "a key is missing before ':'");
    b->level[b->depth - 1].key = text;
    b->level[b->depth - 1].key_place = place;
    return yaml_ok(b->doc);
}

static bool take_scalar(Builder* b, struct fy_event* event)
{
    struct fy_token* token = event->scalar.value;
    const enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    const bool quoted = style != FYSS_PLAIN;
    const twPlace place = scalar_place(event, style);
    size_t bytes = 0;
    const char* raw = token ? fy_token_get_text(token, &bytes) : "";
    if (raw && memchr(raw, 0, bytes)) yaml_fail_at(b->doc, place, "the text contains a NUL character; remove \\0");
    const char* text = raw && yaml_ok(b->doc) ? copy_text(b, raw, bytes) : NULL;
    if (!text) no_memory(b->doc);
    if (!text) return false;
    if (expects_key(b)) return take_key(b, text, quoted, place);
    twNode* node = new_node(b, place);
    if (!node) return false;
    *node = (twNode){.kind = TW_NODE_SCALAR, .quoted = quoted, .text = text, .place = place};
    return add_node(b, node);
}

static bool open_level(Builder* b, struct fy_event* event, twNodeKind kind)
{
    const twPlace place = place_of(event);
    if (expects_key(b))
    {
        yaml_fail_at(b->doc, place, "a key must be text, not a %s", kind == TW_NODE_MAP ? "map" : "list");
        return false;
    }
    twNode* node = new_node(b, place);
    if (!node) return false;
    *node = (twNode){.kind = kind, .place = {place.line, place.column, 1}};
    if (!add_node(b, node)) return false;
    b->level[b->depth++] = (Level){.node = node};
    return true;
}

static bool close_level(Builder* b)
{
    const twNode* node = b->level[--b->depth].node;
    if (node->kind == TW_NODE_MAP) check_duplicates(b, node);
    return yaml_ok(b->doc);
}

static bool take_event(Builder* b, struct fy_event* event)
{
    switch (event->type)
    {
    case FYET_DOCUMENT_START:
        if (b->ended) yaml_fail_at(b->doc, place_of(event), "a second document (---); a file holds one");
        return !b->ended;
    case FYET_DOCUMENT_END:
        return b->ended = true;
    case FYET_ALIAS:
        return !refuse(b, event);
    case FYET_SCALAR:
        return !refuse(b, event) && take_scalar(b, event);
    case FYET_MAPPING_START:
        return !refuse(b, event) && open_level(b, event, TW_NODE_MAP);
    case FYET_SEQUENCE_START:
        return !refuse(b, event) && open_level(b, event, TW_NODE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_level(b);
    default:
        return true;
    }
}

// ---- parsing ----

// the parser's own complaint, at its place
static void report_syntax(twYaml* doc, struct fy_diag* diag)
{
    void* iterator = NULL;
    const struct fy_diag_error* error = fy_diag_errors_iterate(diag, &iterator);
    if (!error || !error->msg)
        yaml_fail_at(doc, (twPlace){0}, "not valid YAML");
    else
    {
        twPlace place = {error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1, 1};
        yaml_fail_at(doc, place, "not valid YAML: %s", error->msg);
    }
}

static void build(Builder* b, struct fy_diag* diag)
{
    bool more = true;
    while (more)
    {
        struct fy_event* event = fy_parser_parse(b->parser);
        if (!event) break;
        more = take_event(b, event) && event->type != FYET_STREAM_END;
        fy_parser_event_free(b->parser, event);
    }
    if (yaml_ok(b->doc) && fy_parser_get_stream_error(b->parser)) report_syntax(b->doc, diag);
}

static void parse(twYaml* doc)
{
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    struct fy_diag* diag = fy_diag_create(&diag_cfg);
    if (diag) fy_diag_set_collect_errors(diag, true);
    const enum fy_parse_cfg_flags flags =
        FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE | FYPCF_SLOPPY_FLOW_INDENTATION;
    struct fy_parse_cfg cfg = {.flags = flags, .diag = diag};
    Builder* b = calloc(1, sizeof *b);
    struct fy_parser* parser = diag && b ? fy_parser_create(&cfg) : NULL;
    if (parser && fy_parser_set_string(parser, doc->source, doc->bytes) == 0)
    {
        b->doc = doc;
        b->parser = parser;
        build(b, diag);
    }
    else
        no_memory(doc);
    if (parser) fy_parser_destroy(parser);
    if (diag) fy_diag_destroy(diag);
    free(b);
}

static void check_root(twYaml* doc)
{
    if (!yaml_ok(doc)) return;
    if (!doc->root || (doc->root->kind == TW_NODE_SCALAR && !doc->root->text[0] && !doc->root->quoted))
        yaml_fail_at(doc, (twPlace){0}, "the file is empty; write 'key: value' lines");
    else if (doc->root->kind != TW_NODE_MAP)
        yaml_fail(doc->root, "the file must consist of 'key: value' lines, not of a %s",
                  doc->root->kind == TW_NODE_LIST ? "list" : "single value");
}

// takes over source, which has a zero behind its end
static twStatus create(twYaml** out, const char* name, char* source, size_t bytes, twError* err)
{
    twYaml* doc = calloc(1, sizeof *doc);
    if (doc) doc->arena = tw_arena_create(1 << 16);
    if (doc && doc->arena) doc->name = tw_arena_copy_text(doc->arena, name);
    if (!doc || !doc->arena || !doc->name)
    {
        free(source);
        yaml_destroy(doc);
        return tw_fail(err, TW_NO_MEMORY, "%s: no memory", name);
    }
    // a byte order mark is not text
    const size_t mark = bytes >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    memmove(source, source + mark, bytes - mark + 1);
    doc->source = source;
    doc->bytes = bytes - mark;
    if (check_text(doc)) parse(doc);
    check_root(doc);
    twStatus status = yaml_status(doc, err);
    if (status == TW_OK)
        *out = doc;
    else
        yaml_destroy(doc);
    return status;
}

twStatus yaml_load(twYaml** out, const char* path, twError* err)
{
    *out = NULL;
    char* source;
    size_t bytes;
    twStatus status = tw_file_read(&source, &bytes, path, YAML_MAX_BYTES, err);
    return status == TW_OK ? create(out, path, source, bytes, err) : status;
}

twStatus yaml_parse(twYaml** out, const char* name, const char* text, size_t bytes, twError* err)
{
    *out = NULL;
    if (bytes > YAML_MAX_BYTES)
        return tw_fail(err, TW_BAD_INPUT, "%s: holds more than %zu bytes", name, YAML_MAX_BYTES);
    char* source = malloc(bytes + 1);
    if (!source) return tw_fail(err, TW_NO_MEMORY, "%s: no memory", name);
    if (bytes > 0) memcpy(source, text, bytes);
    source[bytes] = 0;
    return create(out, name, source, bytes, err);
}

void yaml_destroy(twYaml* doc)
{
    if (!doc) return;
    free(doc->source);
    tw_arena_destroy(doc->arena);
    free(doc);
}

bool yaml_ok(const twYaml* doc) { return doc->error.status == TW_OK; }

twStatus yaml_status(const twYaml* doc, twError* err)
{
    if (!yaml_ok(doc) && err) *err = doc->error;
    return doc->error.status;
}
