// SPDX-License-Identifier: MIT
#pragma once
#include "trace_file.h"

/// @file
/// Reading of traces, chunk by chunk (internal).

typedef struct TraceReader
{
    const char* bytes;
    size_t total, at;
    size_t end;     ///< of what is whole
    bool finished;  ///< the file ends as one that was
    TraceHeader header;
    TraceDone whole;  ///< what there is of everything up to there, as far as chunks say
    uint64_t force_chunks, sample_chunks, numbers;
    twTrace* trace;  ///< that is being filled; what it points to is in these, to be written
    twTraceRod* rods;
    twTraceBody* bodies;
    twTraceSeries *series, *tracks;
    int64_t *rod_first, *body_first;
    const float** frames;  ///< NULL, as all that grows with the file: what is read is checked and counted, but not kept
    const twTraceArrow** arrows;
    int* arrow_count;
    const TraceBody* body_records;
    int* set_first;
    int sets_read;
    bool has_meta, has_sections, has_corners;
    bool laid_out;                      ///< everything that must come before frames has been read
    uint64_t frames_read, arrows_read;  ///< arrows: of so many frames, the last of these had some
    twTraceTouch* touches;
    twTraceForces* force_blocks;
    twTraceSamples* sample_blocks;
    const TraceNumber** number_records;
    uint64_t touches_read, forces_read, force_blocks_read, samples_read, sample_blocks_read, numbers_read;
    double last_time;  ///< of a force
} TraceReader;

#define TRACE_END (sizeof(TraceChunk) + sizeof(TraceDone))  // bytes of the chunk DONE

twStatus trace_check_header(const TraceHeader* header, size_t total, twError* err);
/// Whether the last bytes of a file are a DONE that knows its length, and what it says.
bool trace_find_done(const char last[TRACE_END], uint64_t total, TraceDone* done);
/// What a chunk adds to whole, if its items are of the right size.
void trace_count_chunk(TraceReader* r, const TraceChunk* head);
bool trace_is_table(const TraceChunk* head);  ///< one that comes before the frames and is used where it lies
/// Read a chunk that was counted and whose hash is right; at: behind it. What is not known is skipped.
twStatus trace_read_chunk(TraceReader* r, const TraceChunk* head, const char* items, twError* err);

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
twStatus trace_read_touches(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_forces(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_tracks(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_samples(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_numbers(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_read_end(TraceReader* r, const TraceChunk* head, const char* items, twError* err);
twStatus trace_list_numbers(TraceReader* r, twError* err);  ///< at the end: of those of one name the last

/// What of the tables was not read yet. @return its name, NULL if all are there; *body: whose modes, else -1
const char* trace_missing(const TraceReader* r, int* body);
/// What must be known before the first frame, force or sample: lays frames out once it is. Again: nothing. @return TW_BAD_INPUT naming the missing chunk
twStatus trace_complete(TraceReader* r, twError* err);

/// @return TW_BAD_INPUT if a chunk is there twice, its items are not of this size, or more than most of them
twStatus trace_check_chunk(const TraceChunk* head, const char* name, bool twice, size_t item_bytes, uint64_t most,
                           twError* err);
/// @return TW_BAD_INPUT unless a chunk begins where the ones before of its kind have ended
twStatus trace_check_place(const TraceChunk* head, const char* what, uint64_t expected, twError* err);
