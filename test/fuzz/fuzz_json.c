// SPDX-License-Identifier: MIT
// Target: the JSON reader.
#include "fuzz.h"
#include "mesh/json_reader.h"

// every part is in the tree, and `next` leads past it
static void walk(const twJsonTree* tree, int node, int until)
{
    FUZZ_ENSURE(node >= 0 && node < until && tree->nodes[node].next > node && tree->nodes[node].next <= until);
    const twJsonNode* n = &tree->nodes[node];
    const int parts = n->kind == TW_JSON_OBJECT ? 2 * n->length : n->kind == TW_JSON_ARRAY ? n->length : 0;
    int at = tw_json_first(node);
    for (int i = 0; i < parts; i++, at = tw_json_next(tree, at)) walk(tree, at, n->next);
    FUZZ_ENSURE(at == n->next);
}

bool fuzz_one(uint8_t* data, size_t size)
{
    twJsonTree tree = {0};
    twError err = {0};
    const twStatus status = tw_json_read(&tree, "fuzz", (const char*)data, size, &err);
    fuzz_says(status, &err);
    if (status == TW_OK)
    {
        walk(&tree, 0, tree.count);
        tw_json_get(&tree, 0, "asset");
        tw_json_length(&tree, 0);
    }
    tw_json_clear(&tree);
    return status == TW_OK;
}
