// SPDX-License-Identifier: MIT
// The .twtrace file (docs/trace.md): a header, then chunks. Little-endian; the contents of every chunk begin at a multiple
// of 64 bytes, so that a mapped file can be used in place.
//
//   header  "TWTRACE\n", u32 version, u32 0, double frames per second, double samples per second, u64[4] 0
//   chunk   u32 id, u32 item size, u64 item count, u64 index, u64[3] 0, u64[2] hash; the items; zeros up to a multiple of 64
//
// META, RODS, SECT, CORN, BODY, a MODE per body (copies share one), SERI and TRAK say what moves and come first; then one FRAM per frame, followed
// by ARRW if forces are shown in it; among them TOUC and FORC, SAMP, NUMB; ENDS if there is one, and DONE is the last. What a reader does not know it
// skips. The hash is chained from chunk to chunk and nothing is written twice, so that a file cut anywhere is good up to its
// last whole chunk. A file whose end is DONE was finished: what is wrong in it is damage.

#include "trace_reader.h"
#include <stdlib.h>

twStatus trace_check_header(const TraceHeader* header, size_t total, twError* err)
{
    if (total < sizeof *header || memcmp(header->magic, TRACE_MAGIC, 8) != 0)
        return tw_fail(err, TW_BAD_INPUT, "this is not a trace (.twtrace)");
    if (header->version < TRACE_OLDEST || header->version > TRACE_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "trace of version %u, made by %s version of Twang: render again",
                       (unsigned)header->version, header->version < TRACE_VERSION ? "an older" : "a newer");
    return trace_check_rate(header->frame_rate_hz, err);
}

// ---- what is whole ----

// the next chunk's header and items. @return false if it reaches beyond the end
static bool next_chunk(TraceReader* r, TraceChunk* head, const char** items)
{
    if (r->end - r->at < sizeof *head) return false;
    memcpy(head, r->bytes + r->at, sizeof *head);
    uint64_t size;
    if (!trace_chunk_size(head, r->end - r->at - sizeof *head, &size)) return false;
    *items = r->bytes + r->at + sizeof *head;
    r->at += sizeof *head + (size_t)size;
    return true;
}

void trace_count_chunk(TraceReader* r, const TraceChunk* head)
{
    const uint64_t count = head->count;
    r->whole.chunk_count++;
    if (head->id == trace_id("FRAM")) r->whole.frame_count++;
    if (head->id == trace_id("SAMP")) r->sample_chunks++;
    if (head->id == trace_id("FORC")) r->force_chunks++;
    if (head->id == trace_id("TOUC") && head->item_bytes == sizeof(twTraceTouch)) r->whole.touch_count += count;
    if (head->id == trace_id("FORC") && head->item_bytes == sizeof(twTraceForce)) r->whole.force_count += count;
    if (head->id == trace_id("NUMB") && head->item_bytes == sizeof(TraceNumber)) r->numbers += count;
}

bool trace_find_done(const char last[TRACE_END], uint64_t total, TraceDone* done)
{
    TraceChunk head;
    memcpy(&head, last, sizeof head);
    memcpy(done, last + sizeof head, sizeof *done);
    return head.id == trace_id("DONE") && head.item_bytes == sizeof *done && head.count == 1 &&
           done->file_bytes == total;
}

// how far chunks are whole and their checksums right: to the end in a file that was finished
static twStatus find_whole(TraceReader* r, twError* err)
{
    twHash hash = tw_hash(&r->header, sizeof r->header, (twHash){0, 0});
    TraceChunk head;
    const char* items;
    r->end = r->total;
    for (size_t from = r->at; r->at < r->end; from = r->at)
    {
        const bool fits = next_chunk(r, &head, &items);
        if (fits && trace_good_chunk(&head, items, r->at - from - sizeof head, &hash))
        {
            trace_count_chunk(r, &head);
            continue;
        }
        if (r->finished && fits)
            return tw_fail(err, TW_BAD_INPUT, "trace is damaged: the checksum of chunk %llu is wrong",
                           (unsigned long long)r->whole.chunk_count);
        if (r->finished)
            return tw_fail(err, TW_BAD_INPUT, "trace whose chunk %llu reaches beyond the end: damaged",
                           (unsigned long long)r->whole.chunk_count);
        r->end = from;
        r->at = from;
    }
    r->at = sizeof r->header;
    return TW_OK;
}

// ---- what is in it ----

static twStatus read_done(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    TraceDone done;
    twStatus status = trace_check_chunk(head, "DONE", false, sizeof done, 1, err);
    if (status != TW_OK) return status;
    if (r->at != r->total || head->count != 1)
        return tw_fail(err, TW_BAD_INPUT, "trace with %zu bytes behind its last chunk: damaged", r->total - r->at);
    memcpy(&done, items, sizeof done);
    if (done.file_bytes != r->total || done.chunk_count != r->whole.chunk_count || done.frame_count != r->frames_read ||
        done.touch_count != r->touches_read || done.force_count != r->forces_read ||
        done.sample_count != r->samples_read)
        return tw_fail(err, TW_BAD_INPUT,
                       "trace of %llu frames, %llu forces and %llu samples that should have %llu, %llu and %llu",
                       (unsigned long long)r->frames_read, (unsigned long long)r->forces_read,
                       (unsigned long long)r->samples_read, (unsigned long long)done.frame_count,
                       (unsigned long long)done.force_count, (unsigned long long)done.sample_count);
    r->trace->complete = true;
    return TW_OK;
}

// the kinds of chunks; tables say what there is and come first
typedef struct Kind
{
    char id[5];
    bool table;
    twStatus (*read)(TraceReader*, const TraceChunk*, const char*, twError*);
} Kind;

static const Kind kinds[] = {
    {"META", true, trace_read_meta},     {"RODS", true, trace_read_rods},     {"SECT", true, trace_read_sections},
    {"CORN", true, trace_read_corners},  {"BODY", true, trace_read_bodies},   {"MODE", true, trace_read_modes},
    {"SERI", true, trace_read_series},   {"TRAK", true, trace_read_tracks},   {"FRAM", false, trace_read_frame},
    {"ARRW", false, trace_read_arrows},  {"TOUC", false, trace_read_touches}, {"FORC", false, trace_read_forces},
    {"SAMP", false, trace_read_samples}, {"NUMB", false, trace_read_numbers}, {"ENDS", false, trace_read_end},
    {"DONE", false, read_done},
};

static const Kind* kind_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (id == trace_id(kinds[i].id)) return &kinds[i];
    return NULL;
}

bool trace_is_table(const TraceChunk* head)
{
    const Kind* kind = kind_of(head->id);
    return kind && kind->table;
}

twStatus trace_read_chunk(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    const Kind* kind = kind_of(head->id);
    return kind ? kind->read(r, head, items, err) : TW_OK;
}

// room for what the chunks hold; all of it is less than the file
static twStatus make_room(TraceReader* r, twError* err)
{
    twArena* arena = r->trace->arena;
    const size_t frames = (size_t)r->whole.frame_count;
    r->frames = tw_arena_alloc(arena, frames, sizeof *r->frames);
    r->arrows = tw_arena_alloc(arena, frames, sizeof *r->arrows);
    r->arrow_count = tw_arena_alloc(arena, frames, sizeof *r->arrow_count);
    r->touches = tw_arena_alloc(arena, (size_t)r->whole.touch_count, sizeof *r->touches);
    r->force_blocks = tw_arena_alloc(arena, (size_t)r->force_chunks, sizeof *r->force_blocks);
    r->sample_blocks = tw_arena_alloc(arena, (size_t)r->sample_chunks, sizeof *r->sample_blocks);
    r->number_records = tw_arena_alloc(arena, (size_t)r->numbers, sizeof *r->number_records);
    if (r->frames && r->arrows && r->arrow_count && r->touches && r->force_blocks && r->sample_blocks &&
        r->number_records)
        return TW_OK;
    return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
}

static twStatus read_chunks(TraceReader* r, twError* err)
{
    TraceDone done;
    if (r->total >= sizeof r->header + TRACE_END)
        r->finished = trace_find_done(r->bytes + r->total - TRACE_END, r->total, &done);
    twStatus status = find_whole(r, err);
    if (status == TW_OK) status = make_room(r, err);
    while (status == TW_OK && r->at < r->end)
    {
        TraceChunk head;
        const char* items;
        if (!next_chunk(r, &head, &items)) break;  // cannot be: find_whole went the same way
        status = trace_read_chunk(r, &head, items, err);
    }
    if (status == TW_OK) status = trace_complete(r, err);
    if (status == TW_OK) status = trace_list_numbers(r, err);
    return status;
}

// what was read, for the caller
static void show(TraceReader* r)
{
    twTrace* t = r->trace;
    t->lost_bytes = (int64_t)(r->total - r->end);
    t->frame_count = (int64_t)r->frames_read;
    t->frames = r->frames;
    t->arrow_count = r->arrow_count;
    t->arrows = r->arrows;
    t->touch_count = (int64_t)r->touches_read;
    t->touches = r->touches;
    t->force_count = (int64_t)r->forces_read;
    t->force_block_count = (int)r->force_blocks_read;
    t->force_blocks = r->force_blocks;
    t->sample_count = (int64_t)r->samples_read;
    t->sample_block_count = (int)r->sample_blocks_read;
    t->sample_blocks = r->sample_blocks;
}

twStatus tw_trace_view(twTrace** out, const void* bytes, size_t count, twError* err)
{
    *out = NULL;
    TraceReader r = {.bytes = bytes, .total = count, .at = sizeof(TraceHeader)};
    if ((uintptr_t)bytes % 8 != 0) return tw_fail(err, TW_BAD_INPUT, "a trace in memory must be aligned to 8 bytes");
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    if (count >= sizeof r.header) memcpy(&r.header, bytes, sizeof r.header);
    twStatus status = trace_check_header(&r.header, count, err);
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
    show(&r);
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
    for (int i = 0; i < trace->body_count; i++)
        if (trace->set_first[i] == i) tw_mode_set_destroy((twModeSet*)trace->bodies[i].set);
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
