// SPDX-License-Identifier: MIT
// Writing of traces: chunks, appended one after the other, each with the hash of all before it and its own bytes. When a
// recording goes on, its tables are compared with those in the part instead; since the part's hashes are known to be right
// by then, equal headers are equal chunks.
#define _XOPEN_SOURCE 700
#include "trace_writer.h"
#include <stdlib.h>

static twStatus put_bytes(twTraceWriter* w, const void* bytes, size_t count, twError* err)
{
    if (count == 0 || fwrite(bytes, 1, count, tw_file_stream(w->file)) == count) return TW_OK;
    w->failed = true;
    return tw_file_fail(w->file, err);
}

static const char* what_of(uint32_t id)
{
    static const struct
    {
        char id[5];
        const char* what;
    } kinds[] = {{"META", "title, sound, camera or ground"},
                 {"RODS", "rods"},
                 {"SECT", "sections of rods"},
                 {"CORN", "outlines of rods"},
                 {"BODY", "bodies: their number, names, materials or numbers of modes"},
                 {"SERI", "series"},
                 {"TRAK", "tracks"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (id == trace_id(kinds[i].id)) return kinds[i].what;
    return "contents";
}

// whether the file has the same at this place
static twStatus compare(const twTraceWriter* w, const TraceChunk* head, twError* err)
{
    TraceChunk there;
    FILE* stream = tw_file_stream(w->file);
    if (fseeko(stream, (off_t)w->done.file_bytes, SEEK_SET) != 0 || fread(&there, sizeof there, 1, stream) != 1)
        memset(&there, 0, sizeof there);
    if (memcmp(&there, head, sizeof there) == 0) return TW_OK;
    const char* part = tw_file_temporary(w->file);
    if (head->id == trace_id("MODE"))
        return tw_fail(err, TW_BAD_INPUT, "%s was begun with another shape or other modes of body %llu: start again",
                       part, (unsigned long long)head->index);
    return tw_fail(err, TW_BAD_INPUT, "%s was begun with other %s: start again", part, what_of(head->id));
}

twStatus trace_cut(twTraceWriter* w, twError* err)
{
    if (!w->uncut) return TW_OK;
    const twStatus status = tw_file_cut(w->file, w->done.file_bytes, err);
    w->uncut = false;
    w->failed = status != TW_OK;
    return status;
}

static twStatus append(twTraceWriter* w, const TraceChunk* head, const void* items, size_t bytes, size_t padded,
                       twError* err)
{
    static const char zeros[TRACE_ALIGN];
    twStatus status = trace_cut(w, err);
    if (status == TW_OK) status = put_bytes(w, head, sizeof *head, err);
    if (status == TW_OK) status = put_bytes(w, items, bytes, err);
    return status == TW_OK ? put_bytes(w, zeros, padded - bytes, err) : status;
}

twStatus trace_put(twTraceWriter* w, const char* id, uint64_t index, size_t item_bytes, uint64_t count,
                   const void* items, twError* err)
{
    const size_t bytes = (size_t)count * item_bytes, padded = (size_t)trace_padded(bytes);
    if (w->failed) return tw_fail(err, TW_IO_ERROR, "cannot write %s: writing failed before", w->path);
    if (count > TRACE_MAX_BYTES / item_bytes || w->done.file_bytes + padded > TRACE_MAX_BYTES - sizeof(TraceChunk))
    {
        w->failed = true;
        return tw_fail(err, TW_BAD_INPUT, "%s: a trace beyond %zu bytes; record less, or fewer frames per second",
                       w->path, TRACE_MAX_BYTES);
    }
    TraceChunk head = {.id = trace_id(id), .item_bytes = (uint32_t)item_bytes, .count = count, .index = index};
    head.hash = trace_chain(&head, items, bytes, w->hash);
    const twStatus status = w->comparing ? compare(w, &head, err) : append(w, &head, items, bytes, padded, err);
    if (status != TW_OK) return status;
    w->hash = head.hash;
    w->done.file_bytes += sizeof head + padded;
    w->done.chunk_count++;
    return TW_OK;
}

twStatus trace_put_header(twTraceWriter* w, twError* err)
{
    TraceHeader there;
    FILE* stream = tw_file_stream(w->file);
    w->hash = tw_hash(&w->header, sizeof w->header, (twHash){0, 0});
    w->done = (TraceDone){.file_bytes = sizeof w->header};
    if (!w->comparing) return put_bytes(w, &w->header, sizeof w->header, err);
    if (fseeko(stream, 0, SEEK_SET) != 0 || fread(&there, sizeof there, 1, stream) != 1)
        memset(&there, 0, sizeof there);
    if (memcmp(&there, &w->header, sizeof there) == 0) return TW_OK;
    const bool version = memcmp(&there, &w->header, offsetof(TraceHeader, frame_rate_hz)) != 0;
    return tw_fail(err, TW_BAD_INPUT, "%s was begun with another %s: start again", tw_file_temporary(w->file),
                   version ? "version of Twang" : "frame rate or sample rate");
}

// ---- is the part as it was? ----

// the items of a chunk, with what fills it up, into a block that grows
static bool read_items(FILE* stream, char** block, size_t* capacity, size_t bytes)
{
    if (bytes > *capacity)
    {
        char* larger = realloc(*block, bytes);
        if (!larger) return false;
        *block = larger;
        *capacity = bytes;
    }
    return bytes == 0 || fread(*block, 1, bytes, stream) == bytes;
}

static bool next_good(FILE* stream, uint64_t room, twHash* hash, uint64_t* size, char** block, size_t* capacity)
{
    TraceChunk head;
    if (room < sizeof head || fread(&head, sizeof head, 1, stream) != 1) return false;
    room -= sizeof head;
    uint64_t padded;
    if (!trace_chunk_size(&head, room, &padded) || !read_items(stream, block, capacity, (size_t)padded)) return false;
    *size = sizeof head + padded;
    return trace_good_chunk(&head, *block, padded, hash);
}

twStatus trace_verify(FILE* stream, const TraceDone* done, twHash hash, twError* err)
{
    TraceHeader header;
    char* block = NULL;
    size_t capacity = 0;
    uint64_t at = sizeof header, chunks = 0, size = 0;
    if (fseeko(stream, 0, SEEK_END) != 0) return tw_fail(err, TW_IO_ERROR, "cannot be read");
    const off_t length = ftello(stream);
    if (length < 0 || (uint64_t)length < done->file_bytes)
        return tw_fail(err, TW_BAD_INPUT, "%lld bytes of which its checkpoint knows %llu: cut short; start again",
                       (long long)length, (unsigned long long)done->file_bytes);
    rewind(stream);
    bool good = done->file_bytes >= at && fread(&header, sizeof header, 1, stream) == 1;
    twHash sum = good ? tw_hash(&header, sizeof header, (twHash){0, 0}) : (twHash){0, 0};
    for (; good && at < done->file_bytes; at += size, chunks++)
    {
        size = 0;
        good = next_good(stream, done->file_bytes - at, &sum, &size, &block, &capacity);
    }
    free(block);
    if (good && chunks == done->chunk_count && trace_same_hash(sum, hash)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "damaged, or not what its checkpoint was made of; start again");
}
