// SPDX-License-Identifier: MIT
// Reading of traces piece by piece. One chunk at a time is in memory, checked by the functions that check a whole file; tables
// stay, since bodies and rods are used where they lie. Damage ends the stream, and is no error: all before it is good.
#define _XOPEN_SOURCE 700
#include "trace_live.h"
#include "trace_reader.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FILE_BUFFER 65536
#define LOST_TEXT 1400

struct twTraceStream
{
    FILE* file;
    char* path;
    TraceReader r;   // at: where in the file; keeps nothing that grows
    TraceDone done;  // what the end of a finished file says; not to be trusted
    twHash hash;
    char* items;  // of a chunk
    size_t item_room;
    twTraceForceAt* forces;
    size_t force_room;
    twTraceNumber* numbers;
    size_t number_room;
    TraceLive live;
    bool ended, complete;
    uint64_t whole_end;  // bytes that are whole
    char lost[LOST_TEXT];
};

static twStatus no_memory(const twTraceStream* s, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "%s: no memory to read a trace", s->path);
}

// room for so many bytes, used again and again: a block or a larger one. NULL: there is none, and the block stays
static void* larger(void* block, size_t* room, size_t bytes)
{
    if (bytes <= *room) return block;
    void* other = realloc(block, bytes);
    if (other) *room = bytes;
    return other;
}

// ---- times ----

static double frame_time(const twTraceStream* s, uint64_t frame) { return (double)frame / s->r.header.frame_rate_hz; }

static double frames_until(const twTraceStream* s)
{
    return s->r.frames_read > 0 ? frame_time(s, s->r.frames_read - 1) : -1;
}

// forces are in order, and come before the frame that is not earlier
static double forces_until(const twTraceStream* s) { return fmax(s->r.last_time, frames_until(s)); }

double tw_trace_stream_duration(const twTraceStream* s)
{
    const bool likely = s->r.finished && s->done.frame_count <= s->r.total / sizeof(TraceChunk);
    return likely && s->done.frame_count > 0 ? frame_time(s, s->done.frame_count - 1) : -1;
}

double tw_trace_stream_share(const twTraceStream* s) { return (double)s->r.at / (double)s->r.total; }

size_t tw_trace_stream_memory(const twTraceStream* s)
{
    return FILE_BUFFER + sizeof *s + s->item_room + s->force_room + s->number_room + s->live.bytes;
}

// ---- chunks ----

typedef enum Next
{
    CHUNK_GOOD,
    CHUNK_NONE,     // the file ends here
    CHUNK_CUT,      // or within the chunk
    CHUNK_DAMAGED,  // its checksum is wrong
    CHUNK_FAILED,   // it cannot be read, see the status
} Next;

// @return TW_IO_ERROR if the file cannot be read; *whole: false if it has become shorter
static twStatus read_bytes(twTraceStream* s, void* to, size_t count, bool* whole, twError* err)
{
    *whole = count == 0 || fread(to, 1, count, s->file) == count;
    if (*whole || !ferror(s->file)) return TW_OK;
    return tw_fail(err, TW_IO_ERROR, "cannot read %s: %s", s->path, strerror(errno));
}

// tables stay
static char* room_for(twTraceStream* s, const TraceChunk* head, size_t padded)
{
    if (trace_is_table(head)) return tw_arena_alloc(s->r.trace->arena, padded, 1);
    char* items = larger(s->items, &s->item_room, padded + 1);
    if (items) s->items = items;
    return items;
}

static Next next_chunk(twTraceStream* s, TraceChunk* head, const char** items, twStatus* status, twError* err)
{
    TraceReader* r = &s->r;
    bool whole;
    uint64_t padded;
    *status = TW_OK;
    if (r->at == r->total) return CHUNK_NONE;
    if (r->total - r->at < sizeof *head) return CHUNK_CUT;
    *status = read_bytes(s, head, sizeof *head, &whole, err);
    if (*status != TW_OK || !whole) return *status != TW_OK ? CHUNK_FAILED : CHUNK_CUT;
    if (!trace_chunk_size(head, r->total - r->at - sizeof *head, &padded)) return CHUNK_CUT;
    char* to = room_for(s, head, (size_t)padded);
    *status = to ? read_bytes(s, to, (size_t)padded, &whole, err) : no_memory(s, err);
    if (*status != TW_OK || !whole) return *status != TW_OK ? CHUNK_FAILED : CHUNK_CUT;
    if (!trace_good_chunk(head, to, padded, &s->hash)) return CHUNK_DAMAGED;
    r->at += sizeof *head + (size_t)padded;
    trace_count_chunk(r, head);
    *items = to;
    return CHUNK_GOOD;
}

// ---- the beginning ----

static twStatus open_file(twTraceStream* s, twError* err)
{
    s->file = fopen(s->path, "rb");
    const int code = errno;
    if (!s->file)
        return tw_fail(err, code == ENOENT || code == ENOTDIR ? TW_BAD_INPUT : TW_IO_ERROR, "cannot read %s: %s",
                       s->path, strerror(code));
    setvbuf(s->file, NULL, _IOFBF, FILE_BUFFER);
    if (fgetc(s->file) == EOF && ferror(s->file) && errno == EISDIR)
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it is a folder", s->path);
    if (fseeko(s->file, 0, SEEK_END) != 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: only a file can be read piece by piece", s->path);
    const off_t total = ftello(s->file);
    if (total < 0 || (uint64_t)total > TRACE_MAX_BYTES)
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it holds more than %zu bytes", s->path, TRACE_MAX_BYTES);
    s->r.total = s->r.end = (size_t)total;
    return TW_OK;
}

// whether the file was finished, and what its end says
static twStatus read_end(twTraceStream* s, twError* err)
{
    char last[TRACE_END];
    bool whole;
    if (s->r.total < sizeof s->r.header + sizeof last) return TW_OK;
    if (fseeko(s->file, (off_t)(s->r.total - sizeof last), SEEK_SET) != 0)
        return tw_fail(err, TW_IO_ERROR, "cannot read %s: %s", s->path, strerror(errno));
    twStatus status = read_bytes(s, last, sizeof last, &whole, err);
    s->r.finished = status == TW_OK && whole && trace_find_done(last, s->r.total, &s->done);
    return status;
}

static twStatus read_header(twTraceStream* s, twError* err)
{
    TraceReader* r = &s->r;
    bool whole;
    twStatus status = read_end(s, err);
    if (status != TW_OK) return status;
    rewind(s->file);
    status = read_bytes(s, &r->header, r->total < sizeof r->header ? r->total : sizeof r->header, &whole, err);
    if (status != TW_OK) return status;
    twError inner = {0};
    status = trace_check_header(&r->header, whole ? r->total : 0, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", s->path, inner.text);
    s->hash = tw_hash(&r->header, sizeof r->header, (twHash){0, 0});
    r->at = sizeof r->header;
    return TW_OK;
}

static twStatus read_tables(twTraceStream* s, twError* err)
{
    TraceReader* r = &s->r;
    int body;
    twStatus status = TW_OK;
    twError inner = {0};
    while (trace_missing(r, &body) && status == TW_OK)
    {
        TraceChunk head;
        const char* items;
        const Next next = next_chunk(s, &head, &items, &status, err);
        if (next == CHUNK_FAILED) return status;
        if (next == CHUNK_DAMAGED)
            return tw_fail(err, TW_BAD_INPUT,
                           "%s: trace is damaged: the checksum of chunk %llu, before its frames, is wrong", s->path,
                           (unsigned long long)r->whole.chunk_count);
        if (next != CHUNK_GOOD) break;
        status = trace_read_chunk(r, &head, items, &inner);
    }
    if (status == TW_OK) status = trace_complete(r, &inner);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", s->path, inner.text);
}

twStatus tw_trace_stream_open(twTraceStream** out, const char* path, twError* err)
{
    *out = NULL;
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    twTraceStream* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "%s: no memory to read a trace", path);
    s->path = malloc(strlen(path) + 1);
    s->r.trace = calloc(1, sizeof *s->r.trace);
    if (s->r.trace) s->r.trace->arena = tw_arena_create(4096);
    twStatus status = TW_OK;
    if (!s->path || !s->r.trace || !s->r.trace->arena)
        status = tw_fail(err, TW_NO_MEMORY, "%s: no memory to read a trace", path);
    if (status == TW_OK) strcpy(s->path, path);
    if (status == TW_OK) status = open_file(s, err);
    if (status == TW_OK) status = read_header(s, err);
    if (status == TW_OK) status = read_tables(s, err);
    if (status == TW_OK)
        *out = s;
    else
        tw_trace_stream_close(s);
    return status;
}

void tw_trace_stream_close(twTraceStream* s)
{
    if (!s) return;
    if (s->file) fclose(s->file);
    tw_trace_destroy(s->r.trace);
    trace_live_free(&s->live);
    free(s->path);
    free(s->items);
    free(s->forces);
    free(s->numbers);
    free(s);
}

const twTrace* tw_trace_stream_head(const twTraceStream* s) { return s->r.trace; }

// ---- what comes ----

static twStatus take_touches(twTraceStream* s, const TraceChunk* head, const char* items, twError* err)
{
    const twTraceTouch* touches = (const void*)items;
    for (uint64_t i = 0; i < head->count; i++)
        if (!trace_live_add(&s->live, &touches[i], head->index + i)) return no_memory(s, err);
    return TW_OK;
}

// @return TW_BAD_INPUT, without the path, if a force is at a touch that its contact has left
static twStatus take_forces(twTraceStream* s, twTraceItem* item, const TraceChunk* head, const char* items,
                            twError* err)
{
    const twTraceForce* forces = (const void*)items;
    const size_t count = (size_t)head->count;
    twTraceForceAt* out = larger(s->forces, &s->force_room, (count + 1) * sizeof *out);
    bool room = out != NULL;
    if (room) s->forces = out;
    for (size_t i = 0; i < count && room; i++)
    {
        const float* f = forces[i].force;
        const bool pushes = f[0] != 0 || f[1] != 0 || f[2] != 0;
        const twTraceTouch* touch = trace_live_use(&s->live, forces[i].touch, pushes, &room);
        if (!touch && room)
            return tw_fail(err, TW_BAD_INPUT, "force %llu is at touch %u, which its contact has left",
                           (unsigned long long)(head->index + i), (unsigned)forces[i].touch);
        out[i] = (twTraceForceAt){forces[i].time, {f[0], f[1], f[2]}, touch};
    }
    if (!room) return no_memory(s, err);
    item->forces = out;
    item->late = count > 0 && forces[0].time < frames_until(s);
    return TW_OK;
}

static twStatus take_numbers(twTraceStream* s, twTraceItem* item, const TraceChunk* head, const char* items,
                             twError* err)
{
    const TraceNumber* records = (const void*)items;
    const size_t count = (size_t)head->count;
    twTraceNumber* numbers = larger(s->numbers, &s->number_room, (count + 1) * sizeof *numbers);
    if (!numbers) return no_memory(s, err);
    s->numbers = numbers;
    for (size_t i = 0; i < count; i++) numbers[i] = (twTraceNumber){records[i].name, records[i].value};
    item->first = (int64_t)(s->r.numbers_read - count);
    item->numbers = numbers;
    return TW_OK;
}

// what a chunk gives; kind stays TW_TRACE_END if that is nothing
static twStatus take(twTraceStream* s, twTraceItem* item, const TraceChunk* head, const char* items, twError* err)
{
    *item = (twTraceItem){.first = (int64_t)head->index, .count = (int64_t)head->count, .lost = ""};
    if (head->id == trace_id("TOUC")) return take_touches(s, head, items, err);
    if (head->id == trace_id("FORC"))
    {
        item->kind = TW_TRACE_FORCES;
        return take_forces(s, item, head, items, err);
    }
    if (head->id == trace_id("NUMB"))
    {
        item->kind = TW_TRACE_NUMBERS;
        return take_numbers(s, item, head, items, err);
    }
    if (head->id == trace_id("FRAM"))
    {
        item->kind = TW_TRACE_FRAME;
        item->frame = (const void*)items;
        item->count = 1;
    }
    if (head->id == trace_id("ARRW"))
    {
        item->kind = TW_TRACE_ARROWS;
        item->arrows = (const void*)items;
    }
    if (head->id == trace_id("SAMP"))
    {
        item->kind = TW_TRACE_SAMPLES;
        item->samples = (const void*)items;
    }
    return TW_OK;
}

// ---- the end ----

// up to here there is everything
static double whole_until(const twTraceStream* s)
{
    const double frames = fmax(0, frames_until(s));
    if (!s->complete) return s->r.frames_read > 0 ? frames : s->r.last_time;
    const double rate = s->r.header.sample_rate_hz;
    const double samples = rate > 0 && s->r.samples_read > 0 ? (double)(s->r.samples_read - 1) / rate : 0;
    return fmax(fmax(frames, s->r.last_time), samples);
}

// what: of the chunk at whole_end
static void end_with(twTraceStream* s, const char* what)
{
    const double until = whole_until(s), all = tw_trace_stream_duration(s);
    char lost[160];
    s->ended = true;
    if (all >= until)
        snprintf(lost, sizeof lost, "the last %.2f s of %.2f s are lost", all - until, all);
    else
        snprintf(lost, sizeof lost, "what comes after %.3f s is lost, %llu bytes", until,
                 (unsigned long long)(s->r.total - s->whole_end));
    if (s->whole_end == s->r.total)
        snprintf(s->lost, sizeof s->lost, "the trace was not finished: it ends at %.3f s", until);
    else
        snprintf(s->lost, sizeof s->lost, "chunk %llu at byte %llu %s: %s", (unsigned long long)s->r.whole.chunk_count,
                 (unsigned long long)s->whole_end, what, lost);
}

static void show_end(const twTraceStream* s, twTraceItem* out)
{
    *out = (twTraceItem){.kind = TW_TRACE_END,
                         .forces_until = forces_until(s),
                         .frames_until = frames_until(s),
                         .complete = s->complete,
                         .lost_bytes = (int64_t)(s->r.total - s->whole_end),
                         .until = whole_until(s),
                         .lost = s->lost};
}

static const char* trouble_of(const twTraceStream* s, Next next)
{
    if (next == CHUNK_GOOD || next == CHUNK_FAILED) return "cannot be read";
    if (next == CHUNK_DAMAGED) return "fails its checksum";
    return s->r.finished ? "reaches beyond the end" : "is cut short";
}

// a chunk whose hash is right. @return TW_OK, also if it ends the stream
static twStatus take_chunk(twTraceStream* s, twTraceItem* out, const TraceChunk* head, const char* items, twError* err)
{
    twError inner = {0};
    const TraceReader before = s->r;
    twStatus status = trace_read_chunk(&s->r, head, items, &inner);
    if (status == TW_OK) status = take(s, out, head, items, &inner);
    if (status == TW_NO_MEMORY) return tw_fail(err, status, "%s", inner.text);
    if (status != TW_OK)
    {
        char what[sizeof inner.text + 16];
        snprintf(what, sizeof what, "is wrong (%s)", inner.text);
        s->r = before;
        s->r.whole.chunk_count--;  // it was counted as whole
        end_with(s, what);
        return TW_OK;
    }
    s->whole_end = s->r.at;
    s->complete = s->ended = head->id == trace_id("DONE");
    out->forces_until = forces_until(s);
    out->frames_until = frames_until(s);
    return TW_OK;
}

twStatus tw_trace_stream_next(twTraceStream* s, twTraceItem* out, twError* err)
{
    *out = (twTraceItem){.kind = TW_TRACE_END, .lost = ""};
    trace_live_forget(&s->live);
    s->whole_end = s->ended ? s->whole_end : s->r.at;
    while (!s->ended)
    {
        TraceChunk head;
        const char* items;
        twStatus status;
        const Next next = next_chunk(s, &head, &items, &status, err);
        if (next == CHUNK_GOOD) status = take_chunk(s, out, &head, items, err);
        if (status != TW_OK || next != CHUNK_GOOD) end_with(s, trouble_of(s, next));
        if (status != TW_OK) return status;
        if (!s->ended && out->kind != TW_TRACE_END) return TW_OK;
    }
    show_end(s, out);
    return TW_OK;
}

const float* tw_trace_item_pose(const twTrace* head, const twTraceItem* item, int body)
{
    TW_ASSERT(item->kind == TW_TRACE_FRAME && body >= 0 && body < head->body_count);
    return item->frame + head->body_first[body];
}
