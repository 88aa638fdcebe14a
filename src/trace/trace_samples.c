// SPDX-License-Identifier: MIT
// Reading of traces: what is sampled, numbers of the whole, and how it ends.

#include "trace_reader.h"
#include <math.h>
#include <stdlib.h>

twStatus trace_read_samples(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_complete(r, err);
    if (status != TW_OK) return status;
    const uint64_t tracks = (uint64_t)r->trace->track_count;
    if (tracks == 0) return tw_fail(err, TW_BAD_INPUT, "trace with samples of no tracks");
    status = trace_check_chunk(head, "SAMP", false, sizeof(float) * (size_t)tracks, TRACE_MAX_BYTES, err);
    if (status == TW_OK) status = trace_check_place(head, "samples from", r->samples_read, err);
    if (status != TW_OK) return status;
    const float* samples = (const void*)items;
    for (uint64_t i = 0; i < head->count * tracks; i++)
        if (!isfinite(samples[i]))
            return tw_fail(err, TW_BAD_INPUT, "track %llu: sample %llu is not finite", (unsigned long long)(i % tracks),
                           (unsigned long long)(r->samples_read + i / tracks));
    if (r->sample_blocks)
        r->sample_blocks[r->sample_blocks_read++] =
            (twTraceSamples){samples, (int64_t)r->samples_read, (int64_t)head->count};
    r->samples_read += head->count;
    return TW_OK;
}

// the block that has a sample
static int block_of(const twTrace* trace, int64_t sample)
{
    int low = 0, high = trace->sample_block_count - 1;
    while (low < high)
    {
        const int middle = low + (high - low + 1) / 2;
        if (trace->sample_blocks[middle].first <= sample)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void tw_trace_track(const twTrace* trace, int track, int64_t first, int64_t count, float* out)
{
    TW_ASSERT(track >= 0 && track < trace->track_count);
    TW_ASSERT(first >= 0 && count >= 0 && first <= trace->sample_count - count);
    int block = count > 0 ? block_of(trace, first) : 0;
    for (int64_t i = 0; i < count; i++)
    {
        const twTraceSamples* b = &trace->sample_blocks[block];
        while (first + i >= b->first + b->frames) b = &trace->sample_blocks[++block];
        out[i] = b->samples[(first + i - b->first) * trace->track_count + track];
    }
}

// ---- numbers ----

twStatus trace_read_numbers(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_complete(r, err);
    if (status == TW_OK) status = trace_check_chunk(head, "NUMB", false, sizeof(TraceNumber), TRACE_MAX_NUMBERS, err);
    for (uint64_t i = 0; status == TW_OK && i < head->count; i++)
    {
        const TraceNumber* record = (const TraceNumber*)(const void*)items + i;
        if (!trace_good_text(record->name, TW_TRACE_NAME))
            return tw_fail(err, TW_BAD_INPUT, "number %llu: its name does not end or holds control characters",
                           (unsigned long long)r->numbers_read);
        if (isinf(record->value)) return tw_fail(err, TW_BAD_INPUT, "number %s is infinite", record->name);
        if (r->number_records) r->number_records[r->numbers_read] = record;
        r->numbers_read++;
    }
    return status;
}

// ---- the end ----

twStatus trace_read_end(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twTraceEnd* end = &r->trace->end;
    twStatus status = trace_complete(r, err);
    if (status == TW_OK)
        status = trace_check_chunk(head, "ENDS", end->numbers != NULL, sizeof(double), TRACE_MAX_END, err);
    if (status != TW_OK) return status;
    const uint64_t hashes = sizeof(TraceEnds) / sizeof(double);
    if (head->count < hashes)
        return tw_fail(err, TW_BAD_INPUT, "the end of %llu numbers is too short", (unsigned long long)head->count);
    const double* numbers = (const double*)(const void*)(items + sizeof(TraceEnds));
    for (uint64_t i = 0; i < head->count - hashes; i++)
        if (!isfinite(numbers[i]))
            return tw_fail(err, TW_BAD_INPUT, "number %llu of the end is not finite", (unsigned long long)i);
    TraceEnds record;
    memcpy(&record, items, sizeof record);
    *end = (twTraceEnd){record.scene, record.start, (int64_t)(head->count - hashes), numbers};
    return TW_OK;
}

// ---- numbers of one name ----

// a record that was said, and when
typedef struct Said
{
    const TraceNumber* record;
    uint64_t when;
} Said;

static int by_name(const void* left, const void* right)
{
    const Said *a = left, *b = right;
    const int names = strcmp(a->record->name, b->record->name);
    return names != 0 ? names : a->when < b->when ? -1 : a->when > b->when;
}

static int by_time(const void* left, const void* right)
{
    const Said *a = left, *b = right;
    return a->when < b->when ? -1 : a->when > b->when;
}

// the last of each name, at the time of its first. @return how many
static size_t keep_last(Said* said, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (n > 0 && strcmp(said[n - 1].record->name, said[i].record->name) == 0)
            said[n - 1].record = said[i].record;
        else
            said[n++] = said[i];
    return n;
}

twStatus trace_list_numbers(TraceReader* r, twError* err)
{
    size_t count = (size_t)r->numbers_read;
    if (count == 0) return TW_OK;
    Said* said = malloc(count * sizeof *said);
    if (!said) return tw_fail(err, TW_NO_MEMORY, "no memory for the numbers of a trace");
    for (size_t i = 0; i < count; i++) said[i] = (Said){r->number_records[i], i};
    qsort(said, count, sizeof *said, by_name);
    count = keep_last(said, count);
    qsort(said, count, sizeof *said, by_time);
    twTraceNumber* numbers = tw_arena_alloc(r->trace->arena, count, sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = (twTraceNumber){said[i].record->name, said[i].record->value};
    r->trace->numbers = numbers;
    r->trace->number_count = numbers ? (int)count : 0;
    free(said);
    return numbers ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the numbers of a trace");
}
