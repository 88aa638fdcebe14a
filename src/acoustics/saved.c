// SPDX-License-Identifier: MIT
// States as bytes: head, content, checksum. Bytes may lie anywhere, so that everything is copied, never pointed to.
#include "saved.h"
#include <string.h>

typedef struct Head
{
    char magic[SAVED_MAGIC_BYTES];
    uint64_t content;  // bytes
    twHash of;
} Head;

size_t saved_bytes(size_t content) { return sizeof(Head) + content + sizeof(twHash); }

char* saved_begin(void* bytes, const char* magic, twHash of, size_t content)
{
    Head head = {.content = content, .of = of};
    memcpy(head.magic, magic, sizeof head.magic);
    memcpy(bytes, &head, sizeof head);
    return (char*)bytes + sizeof head;
}

static twHash checksum(const void* bytes, size_t content)
{
    return tw_hash(bytes, sizeof(Head) + content, (twHash){0, 0});
}

void saved_end(void* bytes, size_t content)
{
    twHash hash = checksum(bytes, content);
    memcpy((char*)bytes + sizeof(Head) + content, &hash, sizeof hash);
}

static bool is_same(twHash a, twHash b) { return a.high == b.high && a.low == b.low; }

const char* saved_content(const void* bytes, size_t count, const char* magic, twHash of, size_t content)
{
    Head head;
    twHash hash;
    if (count != saved_bytes(content)) return NULL;
    memcpy(&head, bytes, sizeof head);
    memcpy(&hash, (const char*)bytes + count - sizeof hash, sizeof hash);
    if (memcmp(head.magic, magic, sizeof head.magic) != 0 || head.content != content || !is_same(head.of, of))
        return NULL;
    return is_same(hash, checksum(bytes, content)) ? (const char*)bytes + sizeof head : NULL;
}

void saved_put(char** at, const void* from, size_t bytes)
{
    memcpy(*at, from, bytes);
    *at += bytes;
}

void saved_take(const char** at, void* to, size_t bytes)
{
    memcpy(to, *at, bytes);
    *at += bytes;
}
