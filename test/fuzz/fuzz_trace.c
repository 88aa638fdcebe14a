// SPDX-License-Identifier: MIT
// Target: .twtrace files with their checksums made right, read as a whole and piece by piece.
#include "fuzz.h"
#include "trace/trace_file.h"

// sign chunk after chunk as far as their lengths lead
static void sign(uint8_t* data, size_t size)
{
    if (size < sizeof(TraceHeader)) return;
    twHash hash = tw_hash(data, sizeof(TraceHeader), (twHash){0, 0});
    for (size_t at = sizeof(TraceHeader); size - at >= sizeof(TraceChunk);)
    {
        TraceChunk head;
        memcpy(&head, data + at, sizeof head);
        const size_t room = size - at - sizeof head;
        if (head.item_bytes > 0 && head.count > room / head.item_bytes) return;
        const size_t bytes = (size_t)(head.item_bytes * head.count), padded = (bytes + 63) / 64 * 64;
        if (bytes > 8 && memcmp(data + at + sizeof head, "TWMODES\n", 8) == 0)
            fuzz_sign_modes(data + at + sizeof head, bytes);
        hash = trace_chain(&head, data + at + sizeof head, bytes, hash);
        head.hash = hash;
        memcpy(data + at, &head, sizeof head);
        if (padded > room) return;
        at += sizeof head + padded;
    }
}

static volatile double sum;  // so that what is read is read

static void use_frames(const twTrace* t)
{
    for (int64_t f = 0; f < t->frame_count; f++)
    {
        for (int r = 0; r < t->rod_count; r++) sum += tw_trace_positions(t, f, r)[0] + tw_trace_directors(t, f, r)[0];
        for (int b = 0; b < t->body_count; b++)
        {
            sum += tw_trace_pose(t, f, b)[6];
            for (int k = 0; k < t->bodies[b].set->mode_count; k++) sum += tw_trace_amplitudes(t, f, b)[k];
        }
        for (int s = 0; s < t->series_count; s++) sum += tw_trace_values(t, f)[s];
        for (int a = 0; a < t->arrow_count[f]; a++) sum += t->arrows[f][a].at[0];
    }
}

static void use(const twTrace* t)
{
    use_frames(t);
    twTracePair* pairs;
    twTraceForce* forces;
    int pair_count;
    int64_t force_count;
    if (tw_trace_pairs(&pairs, &pair_count, t, NULL) == TW_OK) free(pairs);
    for (int b = 0; b < t->body_count && b < 4; b++)
        if (tw_trace_forces_on(&forces, &force_count, t, b, NULL) == TW_OK) free(forces);
    float* samples = malloc((size_t)(t->sample_count + 1) * sizeof *samples);
    for (int k = 0; samples && k < t->track_count && k < 4; k++) tw_trace_track(t, k, 0, t->sample_count, samples);
    free(samples);
}

// the same, in pieces. @return frames
static int64_t stream_through(const char* path, bool* readable)
{
    twTraceStream* stream;
    twTraceItem item = {.kind = TW_TRACE_FRAME};
    twError err = {0};
    int64_t frames = 0;
    const twStatus status = tw_trace_stream_open(&stream, path, &err);
    fuzz_says(status, &err);
    *readable = status == TW_OK;
    while (stream && item.kind != TW_TRACE_END)
    {
        FUZZ_ENSURE(tw_trace_stream_next(stream, &item, &err) == TW_OK);
        frames += item.kind == TW_TRACE_FRAME ? item.count : 0;
        for (int64_t i = 0; item.kind == TW_TRACE_FORCES && i < item.count; i++)
            sum += item.forces[i].force[0] + item.forces[i].touch->body[0];
    }
    tw_trace_stream_close(stream);
    return frames;
}

bool fuzz_one(uint8_t* data, size_t size)
{
    twTrace* trace;
    twError err = {0};
    sign(data, size);
    const twStatus status = tw_trace_view(&trace, data, size, &err);
    fuzz_says(status, &err);
    if (trace) use(trace);
    bool readable;
    const int64_t frames = stream_through(fuzz_file("fuzz.twtrace", data, size), &readable);
    // what can be read as a whole can be read in pieces
    FUZZ_ENSURE(!trace || (readable && frames >= 0));
    tw_trace_destroy(trace);
    return status == TW_OK;
}
