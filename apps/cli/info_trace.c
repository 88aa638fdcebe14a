// SPDX-License-Identifier: MIT
// twang info on traces: what moved, and how far.

#include "info_body.h"
#include <math.h>

// what a rod does over all frames
typedef struct RodMotion
{
    double low[3], high[3];  // of its points [m]
    double farthest;         // that a point got from where it began [m]
} RodMotion;

static RodMotion motion_of(const twTrace* trace, int rod)
{
    RodMotion m = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, 0};
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        const float *x = tw_trace_positions(trace, f, rod), *x0 = tw_trace_positions(trace, 0, rod);
        for (int i = 0; i < trace->rods[rod].point_count; i++)
        {
            double square = 0;
            for (int k = 0; k < 3; k++)
            {
                double now = x[3 * i + k], moved = now - x0[3 * i + k];
                m.low[k] = fmin(m.low[k], now);
                m.high[k] = fmax(m.high[k], now);
                square += moved * moved;
            }
            m.farthest = fmax(m.farthest, sqrt(square));
        }
    }
    return m;
}

static double seconds_of(const twTrace* trace)
{
    return trace->frame_count > 0 ? (double)(trace->frame_count - 1) / trace->frame_rate_hz : 0;
}

static void print_rod(const twTrace* trace, int rod)
{
    const twTraceRod* r = &trace->rods[rod];
    const twTraceSection* s = &r->sections[0];
    printf("  %s: %d points%s%s%s, ", r->name, r->point_count, r->closed ? ", closed" : "", r->material[0] ? ", " : "",
           r->material);
    if (s->radius > 0)
        printf("round, diameter %.6g m", 2 * s->radius);
    else
        printf("section %.6g x %.6g m", 2 * s->half_size[0], 2 * s->half_size[1]);
    printf("%s\n", r->section_count > 1 ? " at its first point" : "");
    if (trace->frame_count == 0) return;
    RodMotion m = motion_of(trace, rod);
    printf("    from %.6g,%.6g,%.6g to %.6g,%.6g,%.6g, moves by up to %.4g m\n", m.low[0], m.low[1], m.low[2],
           m.high[0], m.high[1], m.high[2], m.farthest);
}

static void print_trace(const char* path, const twTrace* trace)
{
    printf("%s: trace, %lld frame(s) at %g per second, %.3f s\nrods\n", path, (long long)trace->frame_count,
           trace->frame_rate_hz, seconds_of(trace));
    for (int i = 0; i < trace->rod_count; i++) print_rod(trace, i);
}

static void json_rod(twJson* j, const twTrace* trace, int rod)
{
    const twTraceRod* r = &trace->rods[rod];
    const twTraceSection* s = &r->sections[0];
    tw_json_object(j, NULL);
    tw_json_text(j, "name", r->name);
    tw_json_text(j, "material", r->material);
    tw_json_integer(j, "points", r->point_count);
    tw_json_bool(j, "closed", r->closed);
    tw_json_integer(j, "sections", r->section_count);
    tw_json_numbers(j, "half_size_m", s->half_size, 2);
    tw_json_number(j, "radius_m", s->radius);
    tw_json_number(j, "angle_rad", s->angle);
    if (trace->frame_count > 0)
    {
        RodMotion m = motion_of(trace, rod);
        tw_json_numbers(j, "low_m", m.low, 3);
        tw_json_numbers(j, "high_m", m.high, 3);
        tw_json_number(j, "moves_by_m", m.farthest);
    }
    tw_json_end(j);
}

static void json_trace(const twTrace* trace)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "trace");
    tw_json_number(&j, "frame_rate", trace->frame_rate_hz);
    tw_json_integer(&j, "frames", trace->frame_count);
    tw_json_number(&j, "duration", seconds_of(trace));
    tw_json_array(&j, "rods");
    for (int i = 0; i < trace->rod_count; i++) json_rod(&j, trace, i);
    tw_json_end(&j);
    tw_json_end(&j);
    putchar('\n');
}

twStatus info_trace(const char* path, bool json, twError* err)
{
    twTrace* trace;
    twStatus status = tw_trace_load(&trace, path, err);
    if (status != TW_OK) return status;
    if (json)
        json_trace(trace);
    else
        print_trace(path, trace);
    tw_trace_destroy(trace);
    return TW_OK;
}
