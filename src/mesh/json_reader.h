// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// A strict JSON reader (RFC 8259) for the head of GLB files. The tree is flat: the parts of an array or object follow it,
/// those of an object as key, value, key, value; `next` leads past them.

typedef enum twJsonKind
{
    TW_JSON_NULL,
    TW_JSON_FALSE,
    TW_JSON_TRUE,
    TW_JSON_NUMBER,
    TW_JSON_TEXT,
    TW_JSON_ARRAY,
    TW_JSON_OBJECT,
} twJsonKind;

typedef struct twJsonNode
{
    twJsonKind kind;
    int next;    ///< the node after this one and its parts
    int length;  ///< of text, or number of parts (of an object: of pairs)
    double number;
    const char* text;  ///< as written, escapes not resolved; points into the data
} twJsonNode;

typedef struct twJsonTree
{
    int count, capacity;
    twJsonNode* nodes;  ///< the first is the root
} twJsonTree;

/// Read all of data; what points into it must not outlive it. what names the data in messages.
twStatus tw_json_read(twJsonTree* out, const char* what, const char* data, size_t bytes, twError* err);
void tw_json_clear(twJsonTree* tree);

/// Value of a key of an object; -1 if there is none, or if object is none (-1 too).
int tw_json_get(const twJsonTree* tree, int object, const char* key);
/// Whether it is there and of that kind.
bool tw_json_is(const twJsonTree* tree, int node, twJsonKind kind);
/// A text with its escapes resolved, as UTF-8 that ends with a zero, cut to whole characters that fit; "" if the node is no
/// text. Control characters and what is no UTF-8 become underscores. @return out
char* tw_json_plain(const twJsonTree* tree, int node, char* out, size_t bytes);
int tw_json_length(const twJsonTree* tree, int array);  ///< 0 if it is no array
/// First part of an array, then by tw_json_next(). Call it length times at most.
static inline int tw_json_first(int array) { return array + 1; }
static inline int tw_json_next(const twJsonTree* tree, int node) { return tree->nodes[node].next; }
