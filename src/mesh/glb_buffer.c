// SPDX-License-Identifier: MIT
// buffer_: glTF 2.0, 3.6.1: a buffer is the binary chunk of a GLB, or lies in the JSON itself as a
// data URI,
//     data:application/octet-stream;base64,AAAA...
// (RFC 2397; base64: RFC 4648, four letters of 6 bits make three bytes), or in a file, by a
// relative URI such as
//     cup%20data.bin
// (RFC 3986: %20 is the byte 0x20). That must be in the folder of the .glb or .gltf, or below;
// anything else is refused.
#include "mesh/glb.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_FILES_MAX ((size_t)1 << 31)  // bytes of all files together
#define BUFFER_NAME_MAX 1024                // bytes of a name

// value of a letter, -1: none
static int letter(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// decode into room for 3/4 of the letters. @return bytes, or -1 if there is something else among them
static int64_t decode(char* out, const char* text, int length)
{
    int64_t bytes = 0;
    uint32_t bits = 0;
    int held = 0;
    while (length > 0 && text[length - 1] == '=') length--;
    for (int i = 0; i < length; i++)
    {
        // JSON may escape the slash
        if (text[i] == '\\' && i + 1 < length && text[i + 1] == '/') continue;
        int value = letter(text[i]);
        if (value < 0) return -1;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out[bytes++] = (char)(bits >> held & 255);
    }
    return bytes;
}

// where the base64 text of a data URI begins, -1: it is none
static int find_base64(const char* text, int length)
{
    static const char mark[] = ";base64,";
    if (length < 5 || memcmp(text, "data:", 5) != 0) return -1;
    for (int i = 5; i + 8 <= length && i < 200; i++)
        if (memcmp(text + i, mark, 8) == 0) return i + 8;
    return -1;
}

static int buffer_hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

// resolve %XX in place. @return false if there is something else behind %, or a zero
static bool buffer_unescape(char* text)
{
    char* out = text;
    for (const char* at = text; *at; at++)
    {
        char c = *at;
        if (c == '%')
        {
            const int high = buffer_hex(at[1]), low = high >= 0 ? buffer_hex(at[2]) : -1;
            if (low < 0 || high + low == 0) return false;
            c = (char)(16 * high + low);
            at += 2;
        }
        *out++ = c;
    }
    *out = 0;
    return true;
}

// the name of the file that a URI means, into name
static twStatus buffer_name(const twGlb* glb, int index, int uri, char name[BUFFER_NAME_MAX], twError* err)
{
    tw_json_plain(&glb->json, uri, name, BUFFER_NAME_MAX);
    if (glb->json.nodes[uri].length >= BUFFER_NAME_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%s: buffer %d: its URI '%.40s...' is too long for the name of a file",
                       glb->path, index, name);
    // a colon before the first slash ends a scheme (https:) or a drive (C:)
    if (name[strcspn(name, ":/")] == ':')
        return tw_fail(
            err, TW_BAD_INPUT,
            "%s: buffer %d: '%.80s' is an address; name a file in the same folder, or export all into one .glb",
            glb->path, index, name);
    if (buffer_unescape(name)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: buffer %d: in its URI '%.80s' two hexadecimal digits must follow each %%",
                   glb->path, index, name);
}

static twStatus buffer_read_file(twGlb* glb, int index, int uri, twGlbBuffer* buffer, twError* err)
{
    char name[BUFFER_NAME_MAX];
    size_t bytes;
    twError inner;
    twStatus status = buffer_name(glb, index, uri, name, err);
    if (status != TW_OK) return status;
    status = tw_file_read_beside(&buffer->owned, &bytes, glb->path, name, BUFFER_FILES_MAX - glb->file_bytes, &inner);
    if (status != TW_OK)
        return tw_fail(err, status, "%s: buffer %d: %s; put the file there, or export all into one .glb", glb->path,
                       index, inner.text);
    glb->file_bytes += bytes;
    buffer->file = true;
    buffer->data = buffer->owned;
    buffer->bytes = (int64_t)bytes;
    int64_t stated;
    if (!tw_glb_whole(glb, glb->buffers.at[index], "byteLength", 0, &stated) || stated <= buffer->bytes) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: buffer %d should have %lld bytes, but %s has %lld; it is cut short",
                   glb->path, index, (long long)stated, name, (long long)buffer->bytes);
}

static twStatus open_buffer(twGlb* glb, int index, twGlbBuffer* buffer, twError* err)
{
    int node = tw_json_get(&glb->json, glb->buffers.at[index], "uri");
    if (!tw_json_is(&glb->json, node, TW_JSON_TEXT))
    {
        // without a URI it is the binary chunk, which only the first can be
        buffer->data = index == 0 ? glb->binary : NULL;
        buffer->bytes = buffer->data ? (int64_t)glb->binary_bytes : 0;
        return TW_OK;
    }
    const twJsonNode* uri = &glb->json.nodes[node];
    int start = find_base64(uri->text, uri->length);
    if (start < 0) return buffer_read_file(glb, index, node, buffer, err);
    buffer->owned = malloc((size_t)(uri->length - start) / 4 * 3 + 4);
    if (!buffer->owned) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for buffer %d", glb->path, index);
    buffer->bytes = decode(buffer->owned, uri->text + start, uri->length - start);
    buffer->data = buffer->owned;
    if (buffer->bytes >= 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: buffer %d is no base64: only letters, digits, + and / are", glb->path,
                   index);
}

twStatus tw_glb_open_buffers(twGlb* glb, twError* err)
{
    twStatus status = TW_OK;
    glb->buffer_data = calloc((size_t)glb->buffers.count + 1, sizeof *glb->buffer_data);
    if (!glb->buffer_data) return tw_fail(err, TW_NO_MEMORY, "%s: no memory", glb->path);
    for (int i = 0; i < glb->buffers.count && status == TW_OK; i++)
    {
        int64_t stated;
        twGlbBuffer* buffer = &glb->buffer_data[i];
        status = open_buffer(glb, i, buffer, err);
        if (status == TW_OK && !tw_glb_whole(glb, glb->buffers.at[i], "byteLength", 0, &stated))
            status = tw_fail(err, TW_BAD_INPUT, "%s: buffer %d needs a byteLength", glb->path, i);
        // what lies beyond the stated length is padding
        if (status == TW_OK && stated < buffer->bytes) buffer->bytes = stated;
    }
    return status;
}

void tw_glb_close_buffers(twGlb* glb)
{
    for (int i = 0; i < glb->buffers.count && glb->buffer_data; i++) free(glb->buffer_data[i].owned);
    free(glb->buffer_data);
}
