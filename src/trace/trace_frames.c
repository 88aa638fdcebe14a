// SPDX-License-Identifier: MIT
// Reading of traces: the frames and the arrows in them.

#include "trace_reader.h"
#include <math.h>

const char* trace_missing(const TraceReader* r, int* body)
{
    *body = -1;
    if (!r->has_meta) return "META";
    if (!r->rods) return "RODS";
    if (!r->has_sections) return "SECT";
    if (!r->has_corners) return "CORN";
    if (!r->bodies) return "BODY";
    if (r->sets_read < r->trace->body_count) *body = r->sets_read;
    return *body >= 0 ? "MODE" : !r->series ? "SERI" : !r->tracks ? "TRAK" : NULL;
}

twStatus trace_complete(TraceReader* r, twError* err)
{
    if (r->laid_out) return TW_OK;
    int body;
    const char* when = r->whole.frame_count ? " before its frames" : r->finished ? "" : ": cut short";
    const char* missing = trace_missing(r, &body);
    if (body >= 0) return tw_fail(err, TW_BAD_INPUT, "trace without the modes of body %d%s", body, when);
    if (missing) return tw_fail(err, TW_BAD_INPUT, "trace without a chunk %s%s", missing, when);
    int64_t at = 0;
    for (int i = 0; i < r->trace->rod_count; i++)
    {
        r->rod_first[i] = at;
        at += trace_rod_floats(&r->rods[i]);
    }
    for (int i = 0; i < r->trace->body_count; i++)
    {
        r->body_first[i] = at;
        at += TRACE_POSE + r->bodies[i].set->mode_count;
    }
    r->trace->frame_rate_hz = r->header.frame_rate_hz;
    r->trace->sample_rate_hz = r->header.sample_rate_hz;
    r->trace->rod_first = r->rod_first;
    r->trace->body_first = r->body_first;
    r->trace->series_first = at;
    r->laid_out = true;
    return TW_OK;
}

// everything but series is finite, and turns are unit
static twStatus check_values(const TraceReader* r, const float* values, unsigned long long frame, twError* err)
{
    const twTrace* trace = r->trace;
    for (int64_t i = 0; i < trace->series_first; i++)
        if (!isfinite(values[i])) return tw_fail(err, TW_BAD_INPUT, "frame %llu: a number is not finite", frame);
    for (int i = 0; i < trace->series_count; i++)
        if (isinf(values[trace->series_first + i]))
            return tw_fail(err, TW_BAD_INPUT, "frame %llu: series %d is infinite", frame, i);
    for (int i = 0; i < trace->body_count; i++)
    {
        const float* turn = values + r->body_first[i] + 3;
        if (!trace_good_turn(turn[0], turn[1], turn[2], turn[3]))
            return tw_fail(err, TW_BAD_INPUT, "frame %llu, body %d: the turn %g, %g, %g, %g is not of length 1", frame,
                           i, turn[0], turn[1], turn[2], turn[3]);
    }
    return TW_OK;
}

twStatus trace_read_frame(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    unsigned long long frame = r->frames_read;
    twStatus status = trace_complete(r, err);
    if (status != TW_OK) return status;
    uint64_t floats = (uint64_t)(r->trace->series_first + r->trace->series_count);
    if (head->item_bytes != sizeof(float) || head->count != floats)
        return tw_fail(err, TW_BAD_INPUT, "frame %llu: %llu numbers of %u bytes; what is in it has %llu, of 4", frame,
                       (unsigned long long)head->count, (unsigned)head->item_bytes, (unsigned long long)floats);
    if (head->index != frame || frame >= r->whole.frame_count)
        return tw_fail(err, TW_BAD_INPUT, "frame %llu of %llu where frame %llu should be",
                       (unsigned long long)head->index, (unsigned long long)r->whole.frame_count, frame);
    const float* values = (const void*)items;
    if (r->frames) r->frames[frame] = values;
    r->frames_read++;
    return check_values(r, values, frame, err);
}

// those of the last frame read
twStatus trace_read_arrows(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    if (r->frames_read == 0 || head->index != r->frames_read - 1)
        return tw_fail(err, TW_BAD_INPUT, "trace with arrows of frame %llu behind %llu frames",
                       (unsigned long long)head->index, (unsigned long long)r->frames_read);
    uint64_t frame = head->index;
    twStatus status =
        trace_check_chunk(head, "ARRW", r->arrows_read == r->frames_read, sizeof(twTraceArrow), TRACE_MAX_ARROWS, err);
    if (status != TW_OK) return status;
    const twTraceArrow* arrows = (const void*)items;
    for (uint64_t i = 0; i < head->count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(arrows[i].at[k]) || !isfinite(arrows[i].force[k]))
                return tw_fail(err, TW_BAD_INPUT, "frame %llu: arrow %llu is not finite", (unsigned long long)frame,
                               (unsigned long long)i);
    r->arrows_read = r->frames_read;
    if (!r->arrows) return TW_OK;
    r->arrows[frame] = arrows;
    r->arrow_count[frame] = (int)head->count;
    return TW_OK;
}
