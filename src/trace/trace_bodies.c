// SPDX-License-Identifier: MIT
// Reading of traces: the bodies with their modes, and what the series and tracks are.

#include "trace_reader.h"
#include <math.h>

// whose set a body has
static twStatus find_set(TraceReader* r, int body, twError* err)
{
    const TraceBody* record = &r->body_records[body];
    const int like = r->header.version > TRACE_OLDEST ? record->like : 0;
    if (like < 0 || like > body || (like > 0 && r->set_first[like - 1] != like - 1))
        return tw_fail(err, TW_BAD_INPUT, "body %d: it has the modes of body %lld, which has none of its own before it",
                       body, (long long)like - 1);
    r->set_first[body] = like == 0 ? body : like - 1;
    if (like > 0 && r->body_records[like - 1].mode_count != record->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "body %d: %d modes of which body %d, whose set it has, has %d", body,
                       (int)record->mode_count, like - 1, (int)r->body_records[like - 1].mode_count);
    return TW_OK;
}

twStatus trace_read_bodies(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "BODY", r->bodies != NULL, sizeof(TraceBody), TRACE_MAX_BODIES, err);
    if (status != TW_OK) return status;
    int count = (int)head->count;
    twArena* arena = r->trace->arena;
    r->body_records = (const void*)items;
    r->bodies = tw_arena_alloc(arena, (size_t)count, sizeof *r->bodies);
    r->body_first = tw_arena_alloc(arena, (size_t)count, sizeof *r->body_first);
    r->set_first = tw_arena_alloc(arena, (size_t)count, sizeof *r->set_first);
    if (!r->bodies || !r->body_first || !r->set_first)
        return tw_fail(err, TW_NO_MEMORY, "no memory for a trace of %d bodies", count);
    r->trace->bodies = r->bodies;
    r->trace->set_first = r->set_first;
    r->trace->body_count = count;
    for (int i = 0; i < count; i++)
    {
        const TraceBody* record = &r->body_records[i];
        if (!trace_good_text(record->name, TW_TRACE_NAME) || !trace_good_text(record->material, TW_TRACE_NAME))
            return tw_fail(err, TW_BAD_INPUT, "body %d: its name or material does not end or holds control characters",
                           i);
        if (!(record->contact_damping >= 0 && isfinite(record->contact_damping)))
            return tw_fail(err, TW_BAD_INPUT, "body %d: its contact damping is negative or not finite", i);
        r->bodies[i] = (twTraceBody){.name = record->name,
                                     .material = record->material,
                                     .held = record->flags & TRACE_HELD,
                                     .contact_damping = record->contact_damping};
        status = find_set(r, i, err);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

// those behind a body that share the set of one before them have it too
static void pass_copies(TraceReader* r)
{
    for (; r->sets_read < r->trace->body_count && r->set_first[r->sets_read] < r->sets_read; r->sets_read++)
        r->bodies[r->sets_read].set = r->bodies[r->set_first[r->sets_read]].set;
}

// the bytes of a .twmodes file, used where they are
twStatus trace_read_modes(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (!r->bodies) return tw_fail(err, TW_BAD_INPUT, "trace with a chunk MODE before its chunk BODY");
    if (head->index != (uint64_t)r->sets_read || r->sets_read >= r->trace->body_count)
        return tw_fail(err, TW_BAD_INPUT, "trace with the modes of body %llu of %d where those of body %d should be",
                       (unsigned long long)head->index, r->trace->body_count, r->sets_read);
    twStatus status = trace_check_chunk(head, "MODE", false, 1, TRACE_MAX_BYTES, err);
    if (status != TW_OK) return status;
    int body = r->sets_read++;
    twError inner = {0};
    twModeSet* set;
    status = tw_mode_set_view(&set, items, (size_t)head->count, &inner);
    if (status != TW_OK) return tw_fail(err, status, "body %d: %s", body, inner.text);
    r->bodies[body].set = set;
    if (set->mode_count != r->body_records[body].mode_count)
        return tw_fail(err, TW_BAD_INPUT, "body %d: %d modes of which its mode file has %d", body,
                       (int)r->body_records[body].mode_count, set->mode_count);
    pass_copies(r);
    return TW_OK;
}

// names and units, of series or tracks
static twStatus read_named(TraceReader* r, const TraceChunk* head, const char* items, const char* what,
                           twTraceSeries** out, twError* err)
{
    int count = (int)head->count;
    *out = tw_arena_alloc(r->trace->arena, (size_t)count, sizeof **out);
    if (!*out) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace of %d %s", count, what);
    for (int i = 0; i < count; i++)
    {
        const TraceSeries* record = (const TraceSeries*)(const void*)items + i;
        if (!trace_good_text(record->name, TW_TRACE_NAME) || !trace_good_text(record->unit, TW_TRACE_NAME))
            return tw_fail(err, TW_BAD_INPUT, "%s %d: its name or unit does not end or holds control characters", what,
                           i);
        (*out)[i] = (twTraceSeries){record->name, record->unit};
    }
    return TW_OK;
}

twStatus trace_read_series(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "SERI", r->series != NULL, sizeof(TraceSeries), TRACE_MAX_SERIES, err);
    if (status == TW_OK) status = read_named(r, head, items, "series", &r->series, err);
    if (status != TW_OK) return status;
    r->trace->series = r->series;
    r->trace->series_count = (int)head->count;
    return TW_OK;
}

twStatus trace_read_tracks(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "TRAK", r->tracks != NULL, sizeof(TraceSeries), TRACE_MAX_TRACKS, err);
    if (status == TW_OK) status = trace_check_sample_rate(r->header.sample_rate_hz, (int)head->count, err);
    if (status == TW_OK) status = read_named(r, head, items, "track", &r->tracks, err);
    if (status != TW_OK) return status;
    r->trace->tracks = r->tracks;
    r->trace->track_count = (int)head->count;
    return TW_OK;
}
