// SPDX-License-Identifier: MIT
// Reading of traces: what is said of the whole, and the rods with their sections and outlines.

#include "trace_reader.h"

twStatus trace_check_chunk(const TraceChunk* head, const char* name, bool twice, size_t item_bytes, uint64_t most,
                           twError* err)
{
    if (twice) return tw_fail(err, TW_BAD_INPUT, "trace with two chunks %s", name);
    if (head->item_bytes != item_bytes || head->count > most)
        return tw_fail(err, TW_BAD_INPUT, "trace whose chunk %s has %llu items of %u bytes; at most %llu, of %zu", name,
                       (unsigned long long)head->count, (unsigned)head->item_bytes, (unsigned long long)most,
                       item_bytes);
    return TW_OK;
}

twStatus trace_check_place(const TraceChunk* head, const char* what, uint64_t expected, twError* err)
{
    if (head->index == expected) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "trace with %s %llu where %llu should be", what, (unsigned long long)head->index,
                   (unsigned long long)expected);
}

twStatus trace_read_meta(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "META", r->has_meta, sizeof(TraceMeta), 1, err);
    if (status != TW_OK) return status;
    const TraceMeta* meta = (const void*)items;
    if (head->count != 1) return tw_fail(err, TW_BAD_INPUT, "trace with an empty chunk META");
    if (!trace_good_text(meta->title, TW_TRACE_TEXT) || !trace_good_text(meta->sound, TW_TRACE_TEXT))
        return tw_fail(err, TW_BAD_INPUT, "title or sound of the trace does not end or holds control characters");
    if ((meta->camera != 0 && meta->camera != 1) || (meta->ground != 0 && meta->ground != 1))
        return tw_fail(err, TW_BAD_INPUT, "trace with %d cameras and %d grounds; these must be 0 or 1",
                       (int)meta->camera, (int)meta->ground);
    twTrace* trace = r->trace;
    trace->title = meta->title;
    trace->sound = meta->sound;
    if (meta->camera)
    {
        trace->camera = (twTraceCamera){true, meta->eye, meta->target, meta->view_angle};
        status = trace_check_camera(&trace->camera, err);
    }
    if (meta->ground && status == TW_OK)
    {
        trace->ground = true;
        trace->ground_point = meta->ground_point;
        trace->ground_normal = meta->ground_normal;
        status = trace_check_ground(trace->ground_point, trace->ground_normal, err);
    }
    r->has_meta = true;
    return status;
}

static twStatus read_rod(twTraceRod* rod, const TraceRod* record, int index, twError* err)
{
    if (!trace_good_text(record->name, TW_TRACE_NAME) || !trace_good_text(record->material, TW_TRACE_NAME))
        return tw_fail(err, TW_BAD_INPUT, "rod %d: its name or material does not end or holds control characters",
                       index);
    if (record->closed != 0 && record->closed != 1)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: closed is %d; it must be 0 or 1", index, (int)record->closed);
    *rod = (twTraceRod){.name = record->name,
                        .material = record->material,
                        .point_count = record->point_count,
                        .closed = record->closed == 1,
                        .section_count = record->section_count,
                        .corner_count = record->corner_count};
    return trace_check_shape(rod, index, err);
}

twStatus trace_read_rods(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "RODS", r->rods != NULL, sizeof(TraceRod), TRACE_MAX_RODS, err);
    if (status != TW_OK) return status;
    int count = (int)head->count;
    r->rods = tw_arena_alloc(r->trace->arena, (size_t)count, sizeof *r->rods);
    r->rod_first = tw_arena_alloc(r->trace->arena, (size_t)count, sizeof *r->rod_first);
    if (!r->rods || !r->rod_first) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace of %d rods", count);
    for (int i = 0; i < count && status == TW_OK; i++)
        status = read_rod(&r->rods[i], (const TraceRod*)(const void*)items + i, i, err);
    r->trace->rods = r->rods;
    r->trace->rod_count = count;
    return status;
}

twStatus trace_read_sections(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (!r->rods) return tw_fail(err, TW_BAD_INPUT, "trace with a chunk SECT before its chunk RODS");
    const twTraceSection* at = (const void*)items;
    twStatus status = trace_check_chunk(head, "SECT", r->has_sections, sizeof *at, TRACE_MAX_BYTES, err);
    uint64_t left = head->count;
    for (int i = 0; i < r->trace->rod_count && status == TW_OK; i++)
    {
        twTraceRod* rod = &r->rods[i];
        if (rod->section_count < 1 || (uint64_t)rod->section_count > left)
            return tw_fail(err, TW_BAD_INPUT, "rod %d: %d sections of which %llu are in the trace", i,
                           rod->section_count, (unsigned long long)left);
        rod->sections = at;
        at += rod->section_count;
        left -= (uint64_t)rod->section_count;
        status = trace_check_sections(rod, i, err);
    }
    if (status == TW_OK && left > 0)
        return tw_fail(err, TW_BAD_INPUT, "trace with %llu sections that belong to no rod", (unsigned long long)left);
    r->has_sections = true;
    return status;
}

twStatus trace_read_corners(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (!r->rods) return tw_fail(err, TW_BAD_INPUT, "trace with a chunk CORN before its chunk RODS");
    const double* at = (const void*)items;
    twStatus status = trace_check_chunk(head, "CORN", r->has_corners, 2 * sizeof *at, TRACE_MAX_BYTES, err);
    uint64_t left = head->count;
    for (int i = 0; i < r->trace->rod_count && status == TW_OK; i++)
    {
        twTraceRod* rod = &r->rods[i];
        if ((uint64_t)rod->corner_count > left)
            return tw_fail(err, TW_BAD_INPUT, "rod %d: %d corners of which %llu are in the trace", i, rod->corner_count,
                           (unsigned long long)left);
        rod->corners = at;
        at += 2 * (ptrdiff_t)rod->corner_count;
        left -= (uint64_t)rod->corner_count;
        status = trace_check_corners(rod, i, err);
    }
    if (status == TW_OK && left > 0)
        return tw_fail(err, TW_BAD_INPUT, "trace with %llu corners that belong to no rod", (unsigned long long)left);
    r->has_corners = true;
    return status;
}
