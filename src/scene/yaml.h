// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// Strict reading of YAML: a document of nodes that know their place, and getters that check what they get.
///
/// Errors are sticky. The first one found is kept in the document with file, line, column, cure and a caret under the
/// place; after it every getter quietly returns its fallback, so that call sites are one line each and the caller asks
/// once, before using anything:
///
///     yaml_keys(map, "mass", "stiffness", "shape");
///     def.mass = yaml_number(map, "mass", yaml_positive("kg"), 0.1);
///     def.stiffness = yaml_need_number(map, "stiffness", yaml_between(1, 1e12, "N/m"));
///     def.shape = yaml_choice(map, "shape", shape_names, 0);
///     if (def.mass > 10 * limit) yaml_fail(yaml_get(map, "mass"), "the table carries %g kg", limit);
///     return yaml_status(doc, err);
///
/// Not YAML's whole zoo: anchors, aliases, merge keys, tags, several documents, keys that are not text, duplicate
/// keys and tabs in the indentation are errors. A NULL node stands for an absent map: getters return their fallback.

#define YAML_MAX_BYTES ((size_t)16 << 20)
#define YAML_MAX_LINE (1 << 20)  ///< characters; the parser may hold a whole line in memory
#define YAML_MAX_DEPTH 64
#define YAML_MAX_NODES 1000000

typedef struct twYaml twYaml;
typedef struct twNode twNode;

typedef enum twNodeKind
{
    TW_NODE_SCALAR,
    TW_NODE_MAP,
    TW_NODE_LIST,
} twNodeKind;

typedef struct twPlace
{
    int line, column;  ///< from 1; columns count characters
    int length;        ///< characters on that line, at least 1
} twPlace;

struct twNode
{
    twNodeKind kind;
    bool quoted;        ///< scalar in quotes or a block: text even if it looks like a number
    const char* text;   ///< of a scalar, else ""
    const char* key;    ///< in the parent map, NULL in a list and at the root
    int index;          ///< place in the parent, from 0
    int count;          ///< children
    twPlace place;      ///< of the value
    twPlace key_place;  ///< of the key, if there is one
    twYaml* doc;
    const twNode* parent;
    twNode *first, *last, *next;
};

struct twYaml
{
    twArena* arena;
    char* name;    ///< of the file, for messages
    char* source;  ///< whole text, zero-terminated
    size_t bytes;
    twNode* root;   ///< a map
    twError error;  ///< the first one
};

// ---- documents ----

/// Load a file. @return TW_BAD_INPUT with place and cure if it is not what is described above; *out is then NULL.
twStatus yaml_load(twYaml** out, const char* path, twError* err);
twStatus yaml_parse(twYaml** out, const char* name, const char* text, size_t bytes, twError* err);  ///< from memory
void yaml_destroy(twYaml* doc);  ///< NULL is fine; all nodes and texts go with it
/// The first error, copied to err (may be NULL). TW_OK if there was none.
twStatus yaml_status(const twYaml* doc, twError* err);
bool yaml_ok(const twYaml* doc);

// ---- finding nodes ----

const twNode* yaml_get(const twNode* map, const char* key);       ///< NULL if absent
bool yaml_has(const twNode* map, const char* key);                ///< whether the key is there
const twNode* yaml_map(const twNode* map, const char* key);       ///< a map or NULL; another kind is an error
const twNode* yaml_list(const twNode* map, const char* key);      ///< a list or NULL
const twNode* yaml_need_map(const twNode* map, const char* key);  ///< absent is an error too
const twNode* yaml_need_list(const twNode* map, const char* key);
const twNode* yaml_as_map(const twNode* node);  ///< node itself, or an error and NULL
const twNode* yaml_as_list(const twNode* node);

/// Go through the children of a map or list, in order; none if node is NULL. child->key names it in a map.
#define YAML_EACH(child, node) for (const twNode* child = (node) ? (node)->first : NULL; child; child = child->next)

/// Report a key that is not among those given, with the nearest one.
#define yaml_keys(map, ...) yaml_check_keys(map, (const char* const[]){__VA_ARGS__, NULL})
void yaml_check_keys(const twNode* map, const char* const* keys);

// ---- values ----

/// Numbers that are right, and their unit for messages (NULL for none).
typedef struct twRange
{
    double low, high;
    bool above_low, below_high;  ///< whether the end itself is excluded
    const char* unit;
} twRange;
twRange yaml_any(const char* unit);
twRange yaml_positive(const char* unit);                          ///< > 0
twRange yaml_not_negative(const char* unit);                      ///< >= 0
twRange yaml_between(double low, double high, const char* unit);  ///< both ends included

/// Value of a key; the fallback if absent. Decimal numbers only: no units, commas, underscores, hex, nan or inf.
double yaml_number(const twNode* map, const char* key, twRange range, double fallback);
int64_t yaml_integer(const twNode* map, const char* key, int64_t low, int64_t high, int64_t fallback);
bool yaml_bool(const twNode* map, const char* key, bool fallback);                ///< true or false
const char* yaml_text(const twNode* map, const char* key, const char* fallback);  ///< lives as long as doc
/// Index of the value in names, which ends with NULL.
int yaml_choice(const twNode* map, const char* key, const char* const* names, int fallback);
/// A list of min_count to max_count numbers, living as long as doc; NULL and *count = 0 if absent.
const double* yaml_numbers(const twNode* map, const char* key, twRange range, int min_count, int max_count, int* count);

/// The same for a key that must be there. After an error: a number inside the range, the first choice, "".
double yaml_need_number(const twNode* map, const char* key, twRange range);
int64_t yaml_need_integer(const twNode* map, const char* key, int64_t low, int64_t high);
const char* yaml_need_text(const twNode* map, const char* key);
int yaml_need_choice(const twNode* map, const char* key, const char* const* names);
const double* yaml_need_numbers(const twNode* map, const char* key, twRange range, int min_count, int max_count,
                                int* count);

/// The same for a node in hand, such as an item of a list.
double yaml_as_number(const twNode* node, twRange range);
int64_t yaml_as_integer(const twNode* node, int64_t low, int64_t high);
bool yaml_as_bool(const twNode* node);
const char* yaml_as_text(const twNode* node);
int yaml_as_choice(const twNode* node, const char* const* names);
const double* yaml_as_numbers(const twNode* node, twRange range, int min_count, int max_count, int* count);

// ---- errors ----

/// Report something wrong with a node's value (with its key, for a map or list that has one). NULL reports nothing.
void yaml_fail(const twNode* node, const char* format, ...) TW_PRINTF(2, 3);
void yaml_fail_key(const twNode* node, const char* format, ...) TW_PRINTF(2, 3);  ///< with the key
void yaml_fail_at(twYaml* doc, twPlace place, const char* format, ...) TW_PRINTF(3, 4);
/// "\n  12 | source\n     | ^~~~" with a node's key, for messages that come when the document is gone.
void yaml_show_key(char* out, size_t bytes, const twNode* node);

/// How messages call a node: 'mass', or item 3 of 'modes'. @return out
const char* yaml_name(const twNode* node, char* out, size_t bytes);

/// Bytes of the UTF-8 character at text, of which left are there; 0 if it is none.
int yaml_character(const char* text, size_t left);
