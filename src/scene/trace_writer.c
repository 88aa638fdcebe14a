// SPDX-License-Identifier: MIT
// Writing .twtrace files (trace.c, docs/trace.md) frame by frame.

#include "trace.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

twTraceSection tw_trace_section(const twSection* section)
{
    return (twTraceSection){{section->half_size[0], section->half_size[1]}, section->radius, section->angle};
}

twTraceDef tw_trace_def(void) { return (twTraceDef){.frame_rate_hz = 60}; }

struct twTraceWriter
{
    twFile* file;
    char* path;
    TraceHeader header;
    twHash hash;  // of the chunks so far
    int rod_count;
    twTraceRod* rods;  // counts only
    char* frame;       // a chunk FRAM, used again and again
    size_t frame_bytes;
};

static const char* text_of(const char* text) { return text ? text : ""; }

static twStatus check_def(const twTraceDef* def, twError* err)
{
    twStatus status = trace_check_rate(def->frame_rate_hz, err);
    if (status == TW_OK && (def->rod_count < 0 || def->rod_count > TRACE_MAX_RODS))
        status = tw_fail(err, TW_BAD_INPUT, "%d rods; it must be 0 to %d", def->rod_count, TRACE_MAX_RODS);
    for (int i = 0; status == TW_OK && i < def->rod_count; i++)
    {
        const twTraceRod* rod = &def->rods[i];
        if (!trace_good_name(text_of(rod->name), TW_TRACE_NAME) ||
            !trace_good_name(text_of(rod->material), TW_TRACE_NAME))
            status = tw_fail(err, TW_BAD_INPUT,
                             "rod %d: name or material is longer than %d bytes or holds control characters", i,
                             TW_TRACE_NAME - 1);
        if (status == TW_OK) status = trace_check_shape(rod, i, err);
        if (status == TW_OK) status = trace_check_sections(rod, i, err);
    }
    return status;
}

// write a whole chunk, padding included
static twStatus put_chunk(twTraceWriter* w, const void* chunk, size_t bytes, twError* err)
{
    if (w->header.file_bytes + bytes > TRACE_MAX_BYTES)
        return tw_fail(err, TW_BAD_INPUT, "%s: a trace beyond %zu bytes; record fewer frames per second", w->path,
                       TRACE_MAX_BYTES);
    if (fwrite(chunk, 1, bytes, tw_file_stream(w->file)) != bytes)
        return tw_fail(err, TW_IO_ERROR, "cannot write %s: is the disk full?", w->path);
    w->hash = tw_hash(chunk, bytes, w->hash);
    w->header.file_bytes += bytes;
    w->header.chunk_count++;
    return TW_OK;
}

// room for a chunk with its header and padding; NULL without memory
static char* make_chunk(const char* id, uint32_t item_bytes, uint64_t count, size_t* bytes)
{
    const TraceChunk head = {.id = trace_id(id), .item_bytes = item_bytes, .count = count};
    if (count > (PTRDIFF_MAX - 2 * TRACE_ALIGN) / item_bytes) return NULL;
    *bytes = sizeof head + (size_t)trace_padded(count * item_bytes);
    char* chunk = calloc(1, *bytes);
    return chunk ? memcpy(chunk, &head, sizeof head) : NULL;
}

static twStatus put_rods(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    size_t bytes;
    char* chunk = make_chunk("RODS", sizeof(TraceRecord), (uint64_t)def->rod_count, &bytes);
    if (!chunk) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (int i = 0; i < def->rod_count; i++)
    {
        const twTraceRod* rod = &def->rods[i];
        TraceRecord record = {
            .point_count = rod->point_count, .closed = rod->closed, .section_count = rod->section_count};
        memcpy(record.name, text_of(rod->name), strlen(text_of(rod->name)));
        memcpy(record.material, text_of(rod->material), strlen(text_of(rod->material)));
        memcpy(chunk + sizeof(TraceChunk) + (size_t)i * sizeof record, &record, sizeof record);
    }
    twStatus status = put_chunk(w, chunk, bytes, err);
    free(chunk);
    return status;
}

static twStatus put_sections(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    uint64_t count = 0;
    for (int i = 0; i < def->rod_count; i++) count += (uint64_t)def->rods[i].section_count;
    size_t bytes, at = sizeof(TraceChunk);
    char* chunk = make_chunk("SECT", sizeof(twTraceSection), count, &bytes);
    if (!chunk) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (int i = 0; i < def->rod_count; i++)
    {
        size_t size = (size_t)def->rods[i].section_count * sizeof(twTraceSection);
        memcpy(chunk + at, def->rods[i].sections, size);
        at += size;
    }
    twStatus status = put_chunk(w, chunk, bytes, err);
    free(chunk);
    return status;
}

// what append needs to know
static twStatus prepare_frame(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    uint64_t floats = 0;
    w->rod_count = def->rod_count;
    w->rods = calloc((size_t)def->rod_count + 1, sizeof *w->rods);
    for (int i = 0; w->rods && i < def->rod_count; i++)
    {
        w->rods[i] = (twTraceRod){.point_count = def->rods[i].point_count, .closed = def->rods[i].closed};
        floats += (uint64_t)trace_floats(&def->rods[i]);
    }
    w->frame = make_chunk("FRAM", sizeof(float), floats, &w->frame_bytes);
    return w->rods && w->frame ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a frame of a trace");
}

twStatus tw_trace_create(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err)
{
    *out = NULL;
    twError inner = {0};
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    twStatus status = check_def(def, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", path, inner.text);
    twTraceWriter* w = calloc(1, sizeof *w);
    if (!w) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for a trace", path);
    w->header = (TraceHeader){.version = TRACE_VERSION, .frame_rate_hz = def->frame_rate_hz};
    memcpy(w->header.magic, TRACE_MAGIC, 8);
    w->path = malloc(strlen(path) + 1);
    if (w->path) strcpy(w->path, path);
    status = w->path ? tw_file_create(&w->file, path, err) : tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    if (status == TW_OK) status = prepare_frame(w, def, err);

    // a place for the header, which commit fills
    if (status == TW_OK && fwrite(&w->header, sizeof w->header, 1, tw_file_stream(w->file)) != 1)
        status = tw_fail(err, TW_IO_ERROR, "cannot write %s: is the disk full?", path);
    w->header.file_bytes = sizeof w->header;
    if (status == TW_OK) status = put_rods(w, def, err);
    if (status == TW_OK) status = put_sections(w, def, err);
    if (status == TW_OK)
        *out = w;
    else
        tw_trace_abort(&w);
    return status;
}

// n vectors as floats, one after the other. @return the first that is none, n if all are
static int put_vectors(char* out, const double* const from[3], int n)
{
    for (int i = 0; i < n; i++)
    {
        float v[3];
        for (int k = 0; k < 3; k++)
        {
            if (!(fabs(from[k][i]) <= FLT_MAX)) return i;
            v[k] = (float)from[k][i];
        }
        memcpy(out + (size_t)i * sizeof v, v, sizeof v);
    }
    return n;
}

twStatus tw_trace_append(twTraceWriter* w, const twRodView* views, twError* err)
{
    TraceChunk head;
    char* at = w->frame + sizeof head;
    for (int i = 0; i < w->rod_count; i++)
    {
        const twRodView* view = &views[i];
        int points = w->rods[i].point_count, edges = (int)trace_edges(&w->rods[i]);
        if (view->point_count != points || view->edge_count != edges)
            return tw_fail(err, TW_BAD_INPUT, "%s: frame %llu, rod %d: %d points and %d edges; the trace has %d and %d",
                           w->path, (unsigned long long)w->header.frame_count, i, view->point_count, view->edge_count,
                           points, edges);
        int good_points = put_vectors(at, view->position, points);
        at += (size_t)points * 3 * sizeof(float);
        int good_edges = put_vectors(at, view->frame_d1, edges);
        at += (size_t)edges * 3 * sizeof(float);
        if (good_points < points || good_edges < edges)
            return tw_fail(err, TW_BAD_INPUT, "%s: frame %llu, rod %d: %s of %s %d is not finite", w->path,
                           (unsigned long long)w->header.frame_count, i, good_points < points ? "the place" : "d1",
                           good_points < points ? "point" : "edge", good_points < points ? good_points : good_edges);
    }
    memcpy(&head, w->frame, sizeof head);
    head.index = w->header.frame_count;
    memcpy(w->frame, &head, sizeof head);
    twStatus status = put_chunk(w, w->frame, w->frame_bytes, err);
    if (status == TW_OK) w->header.frame_count++;
    return status;
}

twStatus tw_trace_commit(twTraceWriter** writer, twError* err)
{
    twTraceWriter* w = *writer;
    FILE* stream = tw_file_stream(w->file);
    twHash hash = trace_hash(&w->header, w->hash);
    w->header.hash_high = hash.high;
    w->header.hash_low = hash.low;
    twStatus status = TW_OK;
    if (fseek(stream, 0, SEEK_SET) != 0 || fwrite(&w->header, sizeof w->header, 1, stream) != 1)
        status = tw_fail(err, TW_IO_ERROR, "cannot write %s: is the disk full?", w->path);
    else
        status = tw_file_commit(&w->file, err);
    tw_trace_abort(writer);
    return status;
}

void tw_trace_abort(twTraceWriter** writer)
{
    if (!writer || !*writer) return;
    tw_file_abort(&(*writer)->file);
    free((*writer)->path);
    free((*writer)->rods);
    free((*writer)->frame);
    free(*writer);
    *writer = NULL;
}
