// SPDX-License-Identifier: MIT
// Reading of traces: touches and the forces at them, of all and of one body.

#include "trace_reader.h"
#include <math.h>
#include <stdlib.h>

twStatus trace_read_touches(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twError inner = {0};
    twStatus status = trace_complete(r, err);
    if (status == TW_OK)
        status = trace_check_chunk(head, "TOUC", false, sizeof(twTraceTouch), TRACE_MAX_TOUCHES - r->touches_read, err);
    if (status == TW_OK) status = trace_check_place(head, "touches from", r->touches_read, err);
    for (uint64_t i = 0; status == TW_OK && i < head->count; i++)
    {
        const twTraceTouch* touch = (const twTraceTouch*)(const void*)items + i;
        status = trace_check_touch(touch, r->bodies, r->trace->body_count, &inner);
        if (status != TW_OK)
            return tw_fail(err, status, "touch %llu: %s", (unsigned long long)r->touches_read, inner.text);
        if (r->touches) r->touches[r->touches_read] = *touch;
        r->touches_read++;
    }
    return status;
}

twStatus trace_read_forces(TraceReader* r, const TraceChunk* head, const char* items, twError* err)
{
    twStatus status = trace_check_chunk(head, "FORC", false, sizeof(twTraceForce), TRACE_MAX_BYTES, err);
    if (status == TW_OK) status = trace_check_place(head, "forces from", r->forces_read, err);
    if (status != TW_OK) return status;
    const twTraceForce* forces = (const void*)items;
    for (uint64_t i = 0; i < head->count; i++)
    {
        const twTraceForce* f = &forces[i];
        const unsigned long long number = r->forces_read + i;
        if (f->touch >= r->touches_read)
            return tw_fail(err, TW_BAD_INPUT, "force %llu: at touch %u of %llu", number, (unsigned)f->touch,
                           (unsigned long long)r->touches_read);
        if (!isfinite(f->force[0]) || !isfinite(f->force[1]) || !isfinite(f->force[2]))
            return tw_fail(err, TW_BAD_INPUT, "force %llu is not finite", number);
        if (!(f->time >= r->last_time && isfinite(f->time)))
            return tw_fail(err, TW_BAD_INPUT, "force %llu is of %.9g s, after one of %.9g s", number, f->time,
                           r->last_time);
        r->last_time = f->time;
    }
    if (r->force_blocks) r->force_blocks[r->force_blocks_read++] = (twTraceForces){forces, (int64_t)head->count};
    r->forces_read += head->count;
    return TW_OK;
}

// ---- of one body ----

// which side of a touch a body is; -1: none
static int side_of(const twTraceTouch* touch, int body)
{
    return touch->body[0] == body ? 0 : touch->body[1] == body ? 1 : -1;
}

static int64_t forces_on(const twTrace* trace, int body, twTraceForce* out)
{
    int64_t n = 0;
    for (int b = 0; b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            twTraceForce f = trace->force_blocks[b].forces[i];
            const int side = side_of(&trace->touches[f.touch], body);
            if (side < 0) continue;
            for (int k = 0; side == 1 && k < 3; k++) f.force[k] = -f.force[k];
            if (out) out[n] = f;
            n++;
        }
    return n;
}

twStatus tw_trace_forces_on(twTraceForce** out, int64_t* count, const twTrace* trace, int body, twError* err)
{
    *count = forces_on(trace, body, NULL);
    *out = malloc((size_t)*count * sizeof **out + 1);
    if (!*out) return tw_fail(err, TW_NO_MEMORY, "no memory for %lld forces", (long long)*count);
    forces_on(trace, body, *out);
    return TW_OK;
}
