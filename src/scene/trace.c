// SPDX-License-Identifier: MIT
// The .twtrace file (docs/trace.md): a header, then chunks. Little-endian; the contents of every chunk begin at a multiple
// of 64 bytes, so that a mapped file can be used in place.
//
//   header  "TWTRACE\n", u32 version, u32 0, u64 file size, u64[2] hash, double frames per second, u64 frames, u64 chunks
//   chunk   u32 id, u32 item size, u64 item count, u64 index, u64[5] 0; the items; zeros up to a multiple of 64
//
// RODS and SECT say what moves and come first; then one FRAM per frame. What a reader does not know it skips, so bodies and
// impulses can stand between frames later. The hash is chained from chunk to chunk and ends with the header, so that it is
// known when the last frame is: only the header is written twice.

#include "trace.h"
#include <math.h>
#include <stdlib.h>

// ---- what can be recorded ----

// names are shown on terminals: no control characters
bool trace_good_name(const char* name, size_t max_bytes)
{
    for (size_t i = 0; i < max_bytes; i++)
    {
        if (name[i] == 0) return true;
        if ((unsigned char)name[i] < ' ' || name[i] == 127) return false;
    }
    return false;
}

twStatus trace_check_sections(const twTraceRod* rod, int index, twError* err)
{
    if (rod->section_count != 1 && rod->section_count != rod->point_count)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d sections; it must be 1, or one for each of its %d points", index,
                       rod->section_count, rod->point_count);
    for (int i = 0; i < rod->section_count; i++)
    {
        const twTraceSection* s = &rod->sections[i];
        bool good = s->half_size[0] > 0 && s->half_size[1] > 0 && s->radius >= 0 &&
                    isfinite(s->half_size[0] + s->half_size[1] + s->radius + s->angle);
        if (!good)
            return tw_fail(err, TW_BAD_INPUT,
                           "rod %d: section %d has half sizes %g and %g m, radius %g m, angle %g; half sizes must be "
                           "above 0, the radius at least 0",
                           index, i, s->half_size[0], s->half_size[1], s->radius, s->angle);
    }
    return TW_OK;
}

twStatus trace_check_shape(const twTraceRod* rod, int index, twError* err)
{
    int least = rod->closed ? 3 : 2;
    if (rod->point_count < least || rod->point_count > TW_MAX_ROD_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d points; it must be %d to %d", index, rod->point_count, least,
                       TW_MAX_ROD_POINTS);
    return TW_OK;
}

twStatus trace_check_rate(double frame_rate_hz, twError* err)
{
    if (!(frame_rate_hz > 0 && isfinite(frame_rate_hz)))
        return tw_fail(err, TW_BAD_INPUT, "%g frames per second; it must be above 0", frame_rate_hz);
    return TW_OK;
}

// ---- reading ----

// a file being read, chunk by chunk
typedef struct Reader
{
    const char* bytes;
    size_t total, at;
    TraceHeader header;
    twTrace* trace;
    twTraceRod* rods;
    int64_t* first;
    const float** frames;
    uint64_t floats;       // of a frame
    uint64_t frames_read;  // so far
    bool has_sections;
} Reader;

static twStatus check_header(const TraceHeader* header, size_t total, twError* err)
{
    if (total < sizeof *header || memcmp(header->magic, TRACE_MAGIC, 8) != 0)
        return tw_fail(err, TW_BAD_INPUT, "this is not a trace (.twtrace)");
    if (header->version != TRACE_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "trace of version %u; this program reads version %d: make it again",
                       (unsigned)header->version, TRACE_VERSION);
    if (header->file_bytes != total)
        return tw_fail(err, TW_BAD_INPUT, "trace of %zu bytes that should have %llu: cut short or damaged", total,
                       (unsigned long long)header->file_bytes);
    if (header->chunk_count > total / sizeof(TraceChunk) || header->frame_count > header->chunk_count)
        return tw_fail(err, TW_BAD_INPUT, "trace of %zu bytes that cannot hold %llu frames in %llu chunks", total,
                       (unsigned long long)header->frame_count, (unsigned long long)header->chunk_count);
    return trace_check_rate(header->frame_rate_hz, err);
}

// the next chunk's header and items. @return false if it reaches beyond the end
static bool next_chunk(Reader* r, TraceChunk* head, const char** items)
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

static twStatus check_hash(const Reader* start, twError* err)
{
    Reader r = *start;
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

static twStatus read_rods(Reader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (r->rods) return tw_fail(err, TW_BAD_INPUT, "trace with two chunks RODS");
    if (head->item_bytes != sizeof(TraceRecord) || head->count > TRACE_MAX_RODS)
        return tw_fail(err, TW_BAD_INPUT, "trace with %llu rods of %u bytes; there are at most %d, of %zu",
                       (unsigned long long)head->count, (unsigned)head->item_bytes, TRACE_MAX_RODS,
                       sizeof(TraceRecord));
    int count = (int)head->count;
    r->rods = tw_arena_alloc(r->trace->arena, (size_t)count, sizeof *r->rods);
    r->first = tw_arena_alloc(r->trace->arena, (size_t)count, sizeof *r->first);
    if (!r->rods || !r->first) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace of %d rods", count);
    for (int i = 0; i < count; i++)
    {
        const TraceRecord* record = (const TraceRecord*)(const void*)items + i;
        if (!trace_good_name(record->name, TW_TRACE_NAME) || !trace_good_name(record->material, TW_TRACE_NAME))
            return tw_fail(err, TW_BAD_INPUT, "rod %d: its name or material does not end or holds control characters",
                           i);
        if (record->closed != 0 && record->closed != 1)
            return tw_fail(err, TW_BAD_INPUT, "rod %d: closed is %d; it must be 0 or 1", i, (int)record->closed);
        r->rods[i] = (twTraceRod){.name = record->name,
                                  .material = record->material,
                                  .point_count = record->point_count,
                                  .closed = record->closed == 1,
                                  .section_count = record->section_count};
        twStatus status = trace_check_shape(&r->rods[i], i, err);
        if (status != TW_OK) return status;
        r->first[i] = (int64_t)r->floats;
        r->floats += (uint64_t)trace_floats(&r->rods[i]);
    }
    r->trace->rod_count = count;
    return TW_OK;
}

static twStatus read_sections(Reader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (!r->rods || r->has_sections)
        return tw_fail(err, TW_BAD_INPUT, "trace with a chunk SECT %s", r->rods ? "twice" : "before its chunk RODS");
    const twTraceSection* at = (const void*)items;
    uint64_t left = head->item_bytes == sizeof *at ? head->count : 0;
    for (int i = 0; i < r->trace->rod_count; i++)
    {
        twTraceRod* rod = &r->rods[i];
        if (rod->section_count < 1 || (uint64_t)rod->section_count > left)
            return tw_fail(err, TW_BAD_INPUT, "rod %d: %d sections of which %llu are in the trace", i,
                           rod->section_count, (unsigned long long)left);
        rod->sections = at;
        at += rod->section_count;
        left -= (uint64_t)rod->section_count;
        twStatus status = trace_check_sections(rod, i, err);
        if (status != TW_OK) return status;
    }
    if (left > 0)
        return tw_fail(err, TW_BAD_INPUT, "trace with %llu sections that belong to no rod", (unsigned long long)left);
    r->has_sections = true;
    return TW_OK;
}

static twStatus read_frame(Reader* r, const TraceChunk* head, const char* items, twError* err)
{
    unsigned long long frame = r->frames_read;
    if (!r->has_sections) return tw_fail(err, TW_BAD_INPUT, "trace whose frames come before its rods and sections");
    if (head->item_bytes != sizeof(float) || head->count != r->floats)
        return tw_fail(err, TW_BAD_INPUT, "frame %llu: %llu numbers of %u bytes; its rods have %llu, of 4", frame,
                       (unsigned long long)head->count, (unsigned)head->item_bytes, (unsigned long long)r->floats);
    if (head->index != frame || frame >= r->header.frame_count)
        return tw_fail(err, TW_BAD_INPUT, "frame %llu of %llu where frame %llu should be",
                       (unsigned long long)head->index, (unsigned long long)r->header.frame_count, frame);
    const float* values = (const void*)items;
    for (uint64_t i = 0; i < r->floats; i++)
        if (!isfinite(values[i])) return tw_fail(err, TW_BAD_INPUT, "frame %llu: a number is not finite", frame);
    r->frames[r->frames_read++] = values;
    return TW_OK;
}

static twStatus read_chunks(Reader* r, twError* err)
{
    twStatus status = check_hash(r, err);
    if (status != TW_OK) return status;
    r->frames = tw_arena_alloc(r->trace->arena, (size_t)r->header.frame_count, sizeof *r->frames);
    if (!r->frames) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (uint64_t i = 0; status == TW_OK && i < r->header.chunk_count; i++)
    {
        TraceChunk head;
        const char* items;
        if (!next_chunk(r, &head, &items)) break;  // cannot be: check_hash went the same way
        if (head.id == trace_id("RODS")) status = read_rods(r, &head, items, err);
        if (head.id == trace_id("SECT")) status = read_sections(r, &head, items, err);
        if (head.id == trace_id("FRAM")) status = read_frame(r, &head, items, err);
    }
    if (status == TW_OK && !r->has_sections)
        status = tw_fail(err, TW_BAD_INPUT, "trace without a chunk %s", r->rods ? "SECT" : "RODS");
    if (status == TW_OK && r->frames_read != r->header.frame_count)
        status = tw_fail(err, TW_BAD_INPUT, "trace of %llu frames that should have %llu",
                         (unsigned long long)r->frames_read, (unsigned long long)r->header.frame_count);
    return status;
}

twStatus tw_trace_view(twTrace** out, const void* bytes, size_t count, twError* err)
{
    *out = NULL;
    Reader r = {.bytes = bytes, .total = count, .at = sizeof(TraceHeader)};
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
    r.trace->rods = r.rods;
    r.trace->first = r.first;
    r.trace->frames = r.frames;
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
    tw_arena_destroy(trace->arena);
    free(trace->bytes);
    free(trace);
}

const float* tw_trace_positions(const twTrace* trace, int64_t frame, int rod)
{
    TW_ASSERT(frame >= 0 && frame < trace->frame_count && rod >= 0 && rod < trace->rod_count);
    return trace->frames[frame] + trace->first[rod];
}

const float* tw_trace_directors(const twTrace* trace, int64_t frame, int rod)
{
    return tw_trace_positions(trace, frame, rod) + 3 * (ptrdiff_t)trace->rods[rod].point_count;
}
