// SPDX-License-Identifier: MIT
// The .twtrace file (docs/trace.md): a header, then chunks. Little-endian; the contents of every chunk begin at a multiple
// of 64 bytes, so that a mapped file can be used in place.
//
//   header  "TWTRACE\n", u32 version, u32 0, u64 file size, u64[2] hash, double frames per second, u64 frames, u64 chunks
//   chunk   u32 id, u32 item size, u64 item count, u64 index, u64[5] 0; the items; zeros up to a multiple of 64
//
// META, RODS, SECT, CORN, BODY, a MODE per body and SERI say what moves and come first; then one FRAM per frame, followed by
// ARRW if forces are shown in it. What a reader does not know it skips. The hash is chained from chunk to chunk and ends
// with the header, so that it is known when the last frame is: only the header is written twice.

#include "trace_reader.h"
#include <stdlib.h>

static twStatus check_header(const TraceHeader* header, size_t total, twError* err)
{
    if (total < sizeof *header || memcmp(header->magic, TRACE_MAGIC, 8) != 0)
        return tw_fail(err, TW_BAD_INPUT, "this is not a trace (.twtrace)");
    if (header->version != TRACE_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "trace of version %u, made by %s version of Twang: render again",
                       (unsigned)header->version, header->version < TRACE_VERSION ? "an older" : "a newer");
    if (header->file_bytes != total)
        return tw_fail(err, TW_BAD_INPUT, "trace of %zu bytes that should have %llu: cut short or damaged", total,
                       (unsigned long long)header->file_bytes);
    if (header->chunk_count > total / sizeof(TraceChunk) || header->frame_count > header->chunk_count)
        return tw_fail(err, TW_BAD_INPUT, "trace of %zu bytes that cannot hold %llu frames in %llu chunks", total,
                       (unsigned long long)header->frame_count, (unsigned long long)header->chunk_count);
    return trace_check_rate(header->frame_rate_hz, err);
}

// the next chunk's header and items. @return false if it reaches beyond the end
static bool next_chunk(TraceReader* r, TraceChunk* head, const char** items)
{
    if (r->total - r->at < sizeof *head) return false;
    memcpy(head, r->bytes + r->at, sizeof *head);
    size_t room = r->total - r->at - sizeof *head;
    if (head->item_bytes > 0 && head->count > room / head->item_bytes) return false;
    uint64_t size = trace_padded(head->count * head->item_bytes);
    if (size > room) return false;
    *items = r->bytes + r->at + sizeof *head;
    r->at += sizeof *head + (size_t)size;
    return true;
}

static twStatus check_hash(const TraceReader* start, twError* err)
{
    TraceReader r = *start;
    twHash hash = {0, 0};
    for (uint64_t i = 0; i < r.header.chunk_count; i++)
    {
        TraceChunk head;
        const char* items;
        size_t from = r.at;
        if (!next_chunk(&r, &head, &items))
            return tw_fail(err, TW_BAD_INPUT, "trace whose chunk %llu reaches beyond the end: damaged",
                           (unsigned long long)i);
        hash = tw_hash(r.bytes + from, r.at - from, hash);
    }
    if (r.at != r.total)
        return tw_fail(err, TW_BAD_INPUT, "trace with %zu bytes behind its last chunk: damaged", r.total - r.at);
    hash = trace_hash(&r.header, hash);
    if (hash.high != r.header.hash_high || hash.low != r.header.hash_low)
        return tw_fail(err, TW_BAD_INPUT, "trace is damaged: its checksum is wrong");
    return TW_OK;
}

static twStatus read_chunk(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    static const struct
    {
        char id[5];
        twStatus (*read)(TraceReader*, const TraceChunk*, const char*, twError*);
    } kinds[] = {
        {"META", trace_read_meta},    {"RODS", trace_read_rods},   {"SECT", trace_read_sections},
        {"CORN", trace_read_corners}, {"BODY", trace_read_bodies}, {"MODE", trace_read_modes},
        {"SERI", trace_read_series},  {"FRAM", trace_read_frame},  {"ARRW", trace_read_arrows},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (head->id == trace_id(kinds[i].id)) return kinds[i].read(r, head, items, err);
    return TW_OK;
}

static twStatus read_chunks(TraceReader* r, twError* err)
{
    twStatus status = check_hash(r, err);
    if (status != TW_OK) return status;
    const size_t frames = (size_t)r->header.frame_count;
    r->frames = tw_arena_alloc(r->trace->arena, frames, sizeof *r->frames);
    r->arrows = tw_arena_alloc(r->trace->arena, frames, sizeof *r->arrows);
    r->arrow_count = tw_arena_alloc(r->trace->arena, frames, sizeof *r->arrow_count);
    if (!r->frames || !r->arrows || !r->arrow_count) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (uint64_t i = 0; status == TW_OK && i < r->header.chunk_count; i++)
    {
        TraceChunk head;
        const char* items;
        if (!next_chunk(r, &head, &items)) break;  // cannot be: check_hash went the same way
        status = read_chunk(r, &head, items, err);
    }
    if (status == TW_OK && r->frames_read == 0) status = trace_complete(r, err);
    if (status == TW_OK && r->frames_read != r->header.frame_count)
        status = tw_fail(err, TW_BAD_INPUT, "trace of %llu frames that should have %llu",
                         (unsigned long long)r->frames_read, (unsigned long long)r->header.frame_count);
    return status;
}

twStatus tw_trace_view(twTrace** out, const void* bytes, size_t count, twError* err)
{
    *out = NULL;
    TraceReader r = {.bytes = bytes, .total = count, .at = sizeof(TraceHeader)};
    if ((uintptr_t)bytes % 8 != 0) return tw_fail(err, TW_BAD_INPUT, "a trace in memory must be aligned to 8 bytes");
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    if (count >= sizeof r.header) memcpy(&r.header, bytes, sizeof r.header);
    twStatus status = check_header(&r.header, count, err);
    if (status != TW_OK) return status;
    r.trace = calloc(1, sizeof *r.trace);
    twArena* arena = r.trace ? tw_arena_create(4096) : NULL;
    if (arena)
    {
        r.trace->arena = arena;
        status = read_chunks(&r, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    if (status != TW_OK)
    {
        tw_trace_destroy(r.trace);
        return status;
    }
    r.trace->frame_rate_hz = r.header.frame_rate_hz;
    r.trace->frame_count = (int64_t)r.header.frame_count;
    r.trace->frames = r.frames;
    r.trace->rod_first = r.rod_first;
    r.trace->body_first = r.body_first;
    r.trace->arrow_count = r.arrow_count;
    r.trace->arrows = r.arrows;
    *out = r.trace;
    return TW_OK;
}

twStatus tw_trace_load(twTrace** out, const char* path, twError* err)
{
    char* bytes;
    size_t count;
    twError inner = {0};
    *out = NULL;
    twStatus status = tw_file_read(&bytes, &count, path, TRACE_MAX_BYTES, err);
    if (status != TW_OK) return status;
    status = tw_trace_view(out, bytes, count, &inner);
    if (status == TW_OK)
    {
        (*out)->bytes = bytes;
        return TW_OK;
    }
    free(bytes);
    return tw_fail(err, status, "%s: %s", path, inner.text);
}

void tw_trace_destroy(twTrace* trace)
{
    if (!trace) return;
    for (int i = 0; i < trace->body_count; i++) tw_mode_set_destroy((twModeSet*)trace->bodies[i].set);
    tw_arena_destroy(trace->arena);
    free(trace->bytes);
    free(trace);
}

static const float* frame_of(const twTrace* trace, int64_t frame)
{
    TW_ASSERT(frame >= 0 && frame < trace->frame_count);
    return trace->frames[frame];
}

const float* tw_trace_positions(const twTrace* trace, int64_t frame, int rod)
{
    TW_ASSERT(rod >= 0 && rod < trace->rod_count);
    return frame_of(trace, frame) + trace->rod_first[rod];
}

const float* tw_trace_directors(const twTrace* trace, int64_t frame, int rod)
{
    return tw_trace_positions(trace, frame, rod) + 3 * (ptrdiff_t)trace->rods[rod].point_count;
}

const float* tw_trace_pose(const twTrace* trace, int64_t frame, int body)
{
    TW_ASSERT(body >= 0 && body < trace->body_count);
    return frame_of(trace, frame) + trace->body_first[body];
}

const float* tw_trace_amplitudes(const twTrace* trace, int64_t frame, int body)
{
    return tw_trace_pose(trace, frame, body) + TRACE_POSE;
}

const float* tw_trace_values(const twTrace* trace, int64_t frame)
{
    return frame_of(trace, frame) + trace->series_first;
}
