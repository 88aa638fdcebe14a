// SPDX-License-Identifier: MIT
#pragma once
#include "trace_file.h"

/// @file
/// Reading of traces, chunk by chunk (internal).

typedef struct TraceReader
{
    const char* bytes;
    size_t total, at;
    TraceHeader header;
    twTrace* trace;  ///< that is being filled; what it points to is in these, to be written
    twTraceRod* rods;
    twTraceBody* bodies;
    twTraceSeries* series;
    int64_t *rod_first, *body_first;
    const float** frames;
    const twTraceArrow** arrows;
    int* arrow_count;
    const TraceBody* body_records;
    int sets_read;
    bool has_meta, has_sections, has_corners;
    uint64_t frames_read;
} TraceReader;

// each checks its chunk's place, size and every value
twStatus trace_read_meta(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_rods(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_sections(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_corners(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_bodies(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_modes(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_series(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_frame(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_arrows(TraceReader* r, const TraceChunk* head, const char* items, twError* err);

/// What must be known before the first frame: lays frames out once it is. @return TW_BAD_INPUT naming the missing chunk
twStatus trace_complete(TraceReader* r, twError* err);

/// @return TW_BAD_INPUT if a chunk is there twice, its items are not of this size, or more than most of them
twStatus trace_check_chunk(const TraceChunk* head, const char* name, bool twice, size_t item_bytes, uint64_t most,
                           twError* err);
