// SPDX-License-Identifier: MIT
// Writing .twtrace files (trace.c, docs/trace.md) frame by frame.

#include "trace_writer.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

twTraceSection tw_trace_section(const twSection* section)
{
    return (twTraceSection){{section->half_size[0], section->half_size[1]}, section->radius, section->angle};
}

twTraceDef tw_trace_def(void) { return (twTraceDef){.frame_rate_hz = 60}; }

twStatus trace_put_chunk(twTraceWriter* w, const void* chunk, size_t bytes, twError* err)
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

char* trace_make_chunk(const char* id, size_t item_bytes, uint64_t count, size_t* bytes)
{
    const TraceChunk head = {.id = trace_id(id), .item_bytes = (uint32_t)item_bytes, .count = count};
    if (count > (PTRDIFF_MAX - 2 * TRACE_ALIGN) / item_bytes) return NULL;
    *bytes = sizeof head + (size_t)trace_padded(count * item_bytes);
    char* chunk = calloc(1, *bytes);
    return chunk ? memcpy(chunk, &head, sizeof head) : NULL;
}

// what append needs to know
static twStatus prepare_frame(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    uint64_t floats = (uint64_t)def->series_count;
    w->rod_count = def->rod_count;
    w->body_count = def->body_count;
    w->series_count = def->series_count;
    w->rods = calloc((size_t)def->rod_count + 1, sizeof *w->rods);
    w->mode_count = calloc((size_t)def->body_count + 1, sizeof *w->mode_count);
    for (int i = 0; w->rods && i < def->rod_count; i++)
    {
        w->rods[i] = (twTraceRod){.point_count = def->rods[i].point_count, .closed = def->rods[i].closed};
        floats += (uint64_t)trace_rod_floats(&def->rods[i]);
    }
    for (int i = 0; w->mode_count && i < def->body_count; i++)
    {
        w->mode_count[i] = def->bodies[i].set->mode_count;
        floats += TRACE_POSE + (uint64_t)w->mode_count[i];
    }
    w->frame = trace_make_chunk("FRAM", sizeof(float), floats, &w->frame_bytes);
    return w->rods && w->mode_count && w->frame ? TW_OK
                                                : tw_fail(err, TW_NO_MEMORY, "no memory for a frame of a trace");
}

twStatus tw_trace_create(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err)
{
    *out = NULL;
    twError inner = {0};
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    twStatus status = trace_check_def(def, &inner);
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
    if (status == TW_OK) status = trace_put_tables(w, def, err);
    if (status == TW_OK)
        *out = w;
    else
        tw_trace_abort(&w);
    return status;
}

// ---- a frame ----

// n numbers as floats. @return the first that is none, n if all are
static int put_numbers(char* out, const double* from, int n)
{
    for (int i = 0; i < n; i++)
    {
        if (!(fabs(from[i]) <= FLT_MAX)) return i;
        const float number = (float)from[i];
        memcpy(out + (size_t)i * sizeof number, &number, sizeof number);
    }
    return n;
}

static int put_vectors(char* out, const double* const from[3], int n)
{
    for (int i = 0; i < n; i++)
    {
        const double v[3] = {from[0][i], from[1][i], from[2][i]};
        if (put_numbers(out + (size_t)i * 3 * sizeof(float), v, 3) < 3) return i;
    }
    return n;
}

static twStatus put_rod(const twTraceWriter* w, char** at, const twRodView* view, int index, twError* err)
{
    const int points = w->rods[index].point_count, edges = (int)trace_edges(&w->rods[index]);
    if (view->point_count != points || view->edge_count != edges)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d points and %d edges; the trace has %d and %d", index,
                       view->point_count, view->edge_count, points, edges);
    const int good_points = put_vectors(*at, view->position, points);
    *at += (size_t)points * 3 * sizeof(float);
    const int good_edges = put_vectors(*at, view->frame_d1, edges);
    *at += (size_t)edges * 3 * sizeof(float);
    if (good_points < points)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: the place of point %d is not finite", index, good_points);
    if (good_edges < edges) return tw_fail(err, TW_BAD_INPUT, "rod %d: d1 of edge %d is not finite", index, good_edges);
    return TW_OK;
}

static twStatus put_body(const twTraceWriter* w, char** at, const twTracePose* pose, int index, twError* err)
{
    const double rigid[TRACE_POSE] = {pose->position.x, pose->position.y, pose->position.z, pose->turn.w,
                                      pose->turn.x,     pose->turn.y,     pose->turn.z};
    const int modes = w->mode_count[index];
    if (put_numbers(*at, rigid, TRACE_POSE) < TRACE_POSE)
        return tw_fail(err, TW_BAD_INPUT, "body %d: its place or turn is not finite", index);
    if (!trace_good_turn(rigid[3], rigid[4], rigid[5], rigid[6]))
        return tw_fail(err, TW_BAD_INPUT, "body %d: the turn %g, %g, %g, %g is not of length 1", index, rigid[3],
                       rigid[4], rigid[5], rigid[6]);
    *at += sizeof(float) * TRACE_POSE;
    const int good = pose->amplitude ? put_numbers(*at, pose->amplitude, modes) : modes;
    if (good < modes) return tw_fail(err, TW_BAD_INPUT, "body %d: the amplitude of mode %d is not finite", index, good);
    if (!pose->amplitude && modes > 0) memset(*at, 0, (size_t)modes * sizeof(float));
    *at += (size_t)modes * sizeof(float);
    return TW_OK;
}

static twStatus put_series(const twTraceWriter* w, char* at, const double* values, twError* err)
{
    for (int i = 0; i < w->series_count; i++, at += sizeof(float))
    {
        const float none = NAN;
        if (isnan(values[i]))
            memcpy(at, &none, sizeof none);
        else if (put_numbers(at, &values[i], 1) < 1)
            return tw_fail(err, TW_BAD_INPUT, "series %d: %g is beyond what is kept, %g", i, values[i],
                           (double)FLT_MAX);
    }
    return TW_OK;
}

static twStatus put_arrows(twTraceWriter* w, const twTraceFrame* frame, twError* err)
{
    size_t bytes;
    char* chunk = trace_make_chunk("ARRW", sizeof(twTraceArrow), (uint64_t)frame->arrow_count, &bytes);
    if (!chunk) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for %d arrows", w->path, frame->arrow_count);
    TraceChunk head;
    memcpy(&head, chunk, sizeof head);
    head.index = w->header.frame_count;
    memcpy(chunk, &head, sizeof head);
    memcpy(chunk + sizeof head, frame->arrows, (size_t)frame->arrow_count * sizeof(twTraceArrow));
    twStatus status = trace_put_chunk(w, chunk, bytes, err);
    free(chunk);
    return status;
}

static twStatus check_arrows(const twTraceFrame* frame, twError* err)
{
    if (frame->arrow_count < 0 || frame->arrow_count > TRACE_MAX_ARROWS)
        return tw_fail(err, TW_BAD_INPUT, "%d arrows; it must be 0 to %d", frame->arrow_count, TRACE_MAX_ARROWS);
    for (int i = 0; i < frame->arrow_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(frame->arrows[i].at[k]) || !isfinite(frame->arrows[i].force[k]))
                return tw_fail(err, TW_BAD_INPUT, "arrow %d is not finite", i);
    return TW_OK;
}

twStatus tw_trace_append(twTraceWriter* w, const twTraceFrame* frame, twError* err)
{
    TraceChunk head;
    char* at = w->frame + sizeof head;
    twError inner = {0};
    twStatus status = check_arrows(frame, &inner);
    for (int i = 0; i < w->rod_count && status == TW_OK; i++) status = put_rod(w, &at, &frame->rods[i], i, &inner);
    for (int i = 0; i < w->body_count && status == TW_OK; i++) status = put_body(w, &at, &frame->bodies[i], i, &inner);
    if (status == TW_OK) status = put_series(w, at, frame->series, &inner);
    if (status != TW_OK)
        return tw_fail(err, status, "%s: frame %llu, %s", w->path, (unsigned long long)w->header.frame_count,
                       inner.text);
    memcpy(&head, w->frame, sizeof head);
    head.index = w->header.frame_count;
    memcpy(w->frame, &head, sizeof head);
    status = trace_put_chunk(w, w->frame, w->frame_bytes, err);
    if (status == TW_OK && frame->arrow_count > 0) status = put_arrows(w, frame, err);
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
    free((*writer)->mode_count);
    free((*writer)->frame);
    free(*writer);
    *writer = NULL;
}
