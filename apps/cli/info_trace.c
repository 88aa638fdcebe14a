// SPDX-License-Identifier: MIT
// twang info on traces: what moved, and how far; what pushed, and how hard.

#include "info_body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ---- bodies ----

// what a body does over all frames
typedef struct BodyMotion
{
    double farthest;   // that its origin got from where it began [m]
    double bends_by;   // the most that a vertex is off the rigid body, by the sum of its modes' largest shapes [m]
    int largest_mode;  // which moves the surface most
} BodyMotion;

// the most that a mode of amplitude 1 moves a vertex
static double largest_shape(const twModeSet* set, int mode)
{
    double most = 0;
    for (int i = 0; i < set->vertex_count; i++) most = fmax(most, tw_vec3_norm(tw_mode_set_shape(set, mode, i)));
    return most;
}

static BodyMotion body_motion(const twTrace* trace, int body)
{
    const twModeSet* set = trace->bodies[body].set;
    BodyMotion m = {0, 0, -1};
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        const float *now = tw_trace_pose(trace, f, body), *start = tw_trace_pose(trace, 0, body);
        m.farthest = fmax(m.farthest, hypot(hypot(now[0] - start[0], now[1] - start[1]), now[2] - start[2]));
    }
    double most = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        double amplitude = 0;
        for (int64_t f = 0; f < trace->frame_count; f++)
            amplitude = fmax(amplitude, fabs(tw_trace_amplitudes(trace, f, body)[k]));
        const double moves = amplitude > 0 ? amplitude * largest_shape(set, k) : 0;
        m.bends_by += moves;
        if (moves > most) most = moves, m.largest_mode = k;
    }
    return m;
}

static void print_body(const twTrace* trace, int body)
{
    const twTraceBody* b = &trace->bodies[body];
    const twModeSet* set = b->set;
    printf("  %s: %d vertices, %d faces%s%s", b->name, set->vertex_count, set->face_count, b->material[0] ? ", " : "",
           b->material);
    if (set->mode_count > 0)
        printf(", %d modes from %.6g to %.6g Hz", set->mode_count, set->freq_hz[0], set->freq_hz[set->mode_count - 1]);
    else
        printf(", rigid");
    putchar('\n');
    if (trace->frame_count == 0) return;
    BodyMotion m = body_motion(trace, body);
    printf("    moves by up to %.4g m", m.farthest);
    if (m.largest_mode >= 0)
        printf(", bends by less than %.4g m, most at %.6g Hz", m.bends_by, set->freq_hz[m.largest_mode]);
    putchar('\n');
}

static void json_body(twJson* j, const twTrace* trace, int body)
{
    const twTraceBody* b = &trace->bodies[body];
    tw_json_object(j, NULL);
    tw_json_text(j, "name", b->name);
    tw_json_text(j, "material", b->material);
    tw_json_integer(j, "vertices", b->set->vertex_count);
    tw_json_integer(j, "faces", b->set->face_count);
    tw_json_integer(j, "modes", b->set->mode_count);
    tw_json_numbers(j, "frequencies_hz", b->set->freq_hz, (size_t)b->set->mode_count);
    if (trace->frame_count > 0)
    {
        BodyMotion m = body_motion(trace, body);
        tw_json_number(j, "moves_by_m", m.farthest);
        tw_json_number(j, "bends_by_less_than_m", m.bends_by);
    }
    tw_json_end(j);
}

// ---- series, arrows ----

// of the frames that have a value; false if none has
static bool series_range(const twTrace* trace, int index, double* low, double* high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        const double value = tw_trace_values(trace, f)[index];
        if (isnan(value)) continue;
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
    return *low <= *high;
}

static void print_series(const twTrace* trace, int index)
{
    const twTraceSeries* s = &trace->series[index];
    double low, high;
    printf("  %s: ", s->name);
    if (series_range(trace, index, &low, &high))
        printf("%.4g to %.4g%s%s\n", low, high, s->unit[0] ? " " : "", s->unit);
    else
        printf("none\n");
}

static void json_series(twJson* j, const twTrace* trace, int index)
{
    double low, high;
    const bool any = series_range(trace, index, &low, &high);
    tw_json_object(j, NULL);
    tw_json_text(j, "name", trace->series[index].name);
    tw_json_text(j, "unit", trace->series[index].unit);
    tw_json_number(j, "low", any ? low : NAN);
    tw_json_number(j, "high", any ? high : NAN);
    tw_json_end(j);
}

// how many arrows there are, in how many frames, and the largest force
static int64_t count_arrows(const twTrace* trace, int64_t* frames, double* largest)
{
    int64_t count = 0;
    *frames = 0;
    *largest = 0;
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        count += trace->arrow_count[f];
        *frames += trace->arrow_count[f] > 0;
        for (int i = 0; i < trace->arrow_count[f]; i++)
        {
            const float* v = trace->arrows[f][i].force;
            *largest = fmax(*largest, hypot(hypot(v[0], v[1]), v[2]));
        }
    }
    return count;
}

// ---- forces ----

// the time of the first or the last
static double force_time(const twTrace* trace, bool last)
{
    const twTraceForces* block = &trace->force_blocks[last ? trace->force_block_count - 1 : 0];
    return block->forces[last ? block->count - 1 : 0].time;
}

static const char* body_name(const twTrace* trace, int body) { return body < 0 ? "world" : trace->bodies[body].name; }

static void print_forces(const twTrace* trace, const twTracePair* pairs, int count)
{
    int64_t contacts = 0;
    for (int i = 0; i < count; i++) contacts += pairs[i].contacts;
    if (trace->force_count == 0) return;
    printf("forces: %lld of %lld contact(s) at %lld place(s), from %.6g to %.6g s\n", (long long)trace->force_count,
           (long long)contacts, (long long)trace->touch_count, force_time(trace, false), force_time(trace, true));
    for (int i = 0; i < count; i++)
        printf("  %s, %s: %lld contact(s), up to %.4g N, impulse %.4g N s\n", body_name(trace, pairs[i].body[0]),
               body_name(trace, pairs[i].body[1]), (long long)pairs[i].contacts, pairs[i].largest, pairs[i].impulse);
}

static void json_pair(twJson* j, const twTrace* trace, const twTracePair* pair)
{
    tw_json_object(j, NULL);
    tw_json_array(j, "bodies");
    for (int k = 0; k < 2; k++) tw_json_text(j, NULL, body_name(trace, pair->body[k]));
    tw_json_end(j);
    tw_json_integer(j, "contacts", pair->contacts);
    tw_json_number(j, "largest_force_n", pair->largest);
    tw_json_number(j, "impulse_ns", pair->impulse);
    tw_json_number(j, "first_s", pair->first);
    tw_json_number(j, "last_s", pair->last);
    tw_json_end(j);
}

static void json_forces(twJson* j, const twTrace* trace, const twTracePair* pairs, int count)
{
    tw_json_object(j, "contact_forces");
    tw_json_integer(j, "count", trace->force_count);
    tw_json_integer(j, "touches", trace->touch_count);
    tw_json_array(j, "pairs");
    for (int i = 0; i < count; i++) json_pair(j, trace, &pairs[i]);
    tw_json_end(j);
    tw_json_end(j);
}

// ---- tracks, numbers ----

static double track_peak(const twTrace* trace, int track)
{
    double peak = 0;
    for (int b = 0; b < trace->sample_block_count; b++)
        for (int64_t i = 0; i < trace->sample_blocks[b].frames; i++)
            peak = fmax(peak, fabs(trace->sample_blocks[b].samples[i * trace->track_count + track]));
    return peak;
}

static double track_seconds(const twTrace* trace)
{
    return trace->track_count > 0 ? (double)trace->sample_count / trace->sample_rate_hz : 0;
}

static void print_tracks(const twTrace* trace)
{
    if (trace->track_count > 0)
        printf("tracks: %lld sample(s) at %g per second, %.3f s\n", (long long)trace->sample_count,
               trace->sample_rate_hz, track_seconds(trace));
    for (int i = 0; i < trace->track_count; i++)
        printf("  %s: up to %.4g%s%s\n", trace->tracks[i].name, track_peak(trace, i),
               trace->tracks[i].unit[0] ? " " : "", trace->tracks[i].unit);
}

static void json_tracks(twJson* j, const twTrace* trace)
{
    tw_json_number(j, "sample_rate", trace->sample_rate_hz);
    tw_json_integer(j, "samples", trace->sample_count);
    tw_json_array(j, "tracks");
    for (int i = 0; i < trace->track_count; i++)
    {
        tw_json_object(j, NULL);
        tw_json_text(j, "name", trace->tracks[i].name);
        tw_json_text(j, "unit", trace->tracks[i].unit);
        tw_json_number(j, "peak", track_peak(trace, i));
        tw_json_end(j);
    }
    tw_json_end(j);
}

static void print_numbers(const twTrace* trace)
{
    if (trace->number_count > 0) printf("numbers\n");
    for (int i = 0; i < trace->number_count; i++)
        printf("  %s: %.8g\n", trace->numbers[i].name, trace->numbers[i].value);
}

static void json_numbers(twJson* j, const twTrace* trace)
{
    tw_json_object(j, "numbers");
    for (int i = 0; i < trace->number_count; i++) tw_json_number(j, trace->numbers[i].name, trace->numbers[i].value);
    tw_json_end(j);
}

// ---- the whole ----

// how far it goes: frames, forces or samples, whichever is latest
static double reaches(const twTrace* trace)
{
    const double forces = trace->force_count > 0 ? force_time(trace, true) : 0;
    return fmax(fmax(seconds_of(trace), track_seconds(trace)), forces);
}

static void print_rest(const twTrace* trace)
{
    int64_t frames;
    double largest;
    const int64_t arrows = count_arrows(trace, &frames, &largest);
    if (arrows > 0)
        printf("arrows: %lld in %lld frame(s), up to %.4g N\n", (long long)arrows, (long long)frames, largest);
    if (trace->sound[0]) printf("sound: %s\n", trace->sound);
    const twTraceCamera* c = &trace->camera;
    if (c->given)
        printf("camera: at %.4g,%.4g,%.4g looking at %.4g,%.4g,%.4g, %.4g degrees high\n", c->eye.x, c->eye.y, c->eye.z,
               c->target.x, c->target.y, c->target.z, c->view_angle * 180 / TW_PI);
    if (trace->ground)
        printf("ground: through %.4g,%.4g,%.4g, up is %.4g,%.4g,%.4g\n", trace->ground_point.x, trace->ground_point.y,
               trace->ground_point.z, trace->ground_normal.x, trace->ground_normal.y, trace->ground_normal.z);
}

static void print_trace(const char* path, const twTrace* trace, const twTracePair* pairs, int pair_count)
{
    printf("%s: trace, %lld frame(s) at %g per second, %.3f s\n", path, (long long)trace->frame_count,
           trace->frame_rate_hz, seconds_of(trace));
    if (!trace->complete) printf("unfinished: recorded up to %.6g s", reaches(trace));
    if (trace->lost_bytes > 0) printf("; the last %lld byte(s) are not whole", (long long)trace->lost_bytes);
    if (!trace->complete) putchar('\n');
    if (trace->title[0]) printf("title: %s\n", trace->title);
    if (trace->rod_count > 0) printf("rods\n");
    for (int i = 0; i < trace->rod_count; i++) print_rod(trace, i);
    if (trace->body_count > 0) printf("bodies\n");
    for (int i = 0; i < trace->body_count; i++) print_body(trace, i);
    if (trace->series_count > 0) printf("series\n");
    for (int i = 0; i < trace->series_count; i++) print_series(trace, i);
    print_forces(trace, pairs, pair_count);
    print_tracks(trace);
    print_numbers(trace);
    print_rest(trace);
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
    tw_json_integer(j, "corners", r->corner_count);
    if (trace->frame_count > 0)
    {
        RodMotion m = motion_of(trace, rod);
        tw_json_numbers(j, "low_m", m.low, 3);
        tw_json_numbers(j, "high_m", m.high, 3);
        tw_json_number(j, "moves_by_m", m.farthest);
    }
    tw_json_end(j);
}

static void json_vector(twJson* j, const char* key, twVec3 v) { tw_json_numbers(j, key, (double[]){v.x, v.y, v.z}, 3); }

static void json_rest(twJson* j, const twTrace* trace)
{
    int64_t frames;
    double largest;
    tw_json_integer(j, "arrows", count_arrows(trace, &frames, &largest));
    tw_json_number(j, "largest_force_n", largest);
    if (trace->camera.given)
    {
        tw_json_object(j, "camera");
        json_vector(j, "eye_m", trace->camera.eye);
        json_vector(j, "target_m", trace->camera.target);
        tw_json_number(j, "angle_rad", trace->camera.view_angle);
        tw_json_end(j);
    }
    else
        tw_json_null(j, "camera");
    if (trace->ground)
    {
        tw_json_object(j, "ground");
        json_vector(j, "point_m", trace->ground_point);
        json_vector(j, "normal", trace->ground_normal);
        tw_json_end(j);
    }
    else
        tw_json_null(j, "ground");
}

static void json_trace(const twTrace* trace, const twTracePair* pairs, int pair_count)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "trace");
    tw_json_bool(&j, "complete", trace->complete);
    tw_json_number(&j, "reaches", reaches(trace));
    tw_json_integer(&j, "lost_bytes", trace->lost_bytes);
    tw_json_text(&j, "title", trace->title);
    tw_json_text(&j, "sound", trace->sound[0] ? trace->sound : NULL);
    tw_json_number(&j, "frame_rate", trace->frame_rate_hz);
    tw_json_integer(&j, "frames", trace->frame_count);
    tw_json_number(&j, "duration", seconds_of(trace));
    tw_json_array(&j, "rods");
    for (int i = 0; i < trace->rod_count; i++) json_rod(&j, trace, i);
    tw_json_end(&j);
    tw_json_array(&j, "bodies");
    for (int i = 0; i < trace->body_count; i++) json_body(&j, trace, i);
    tw_json_end(&j);
    tw_json_array(&j, "series");
    for (int i = 0; i < trace->series_count; i++) json_series(&j, trace, i);
    tw_json_end(&j);
    json_forces(&j, trace, pairs, pair_count);
    json_tracks(&j, trace);
    json_numbers(&j, trace);
    json_rest(&j, trace);
    tw_json_end(&j);
    putchar('\n');
}

twStatus info_trace(const char* path, bool json, twError* err)
{
    twTrace* trace;
    twTracePair* pairs;
    int pair_count;
    twStatus status = tw_trace_load(&trace, path, err);
    if (status != TW_OK) return status;
    status = tw_trace_pairs(&pairs, &pair_count, trace, err);
    if (status == TW_OK && json)
        json_trace(trace, pairs, pair_count);
    else if (status == TW_OK)
        print_trace(path, trace, pairs, pair_count);
    free(pairs);
    tw_trace_destroy(trace);
    return status;
}

// ---- checkpoints ----

static void json_state(const char* of, const twTraceState* s)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "checkpoint");
    tw_json_text(&j, "of", of);
    tw_json_number(&j, "reaches", s->time);
    tw_json_integer(&j, "frames", s->counts.frames);
    tw_json_integer(&j, "forces", s->counts.forces);
    tw_json_integer(&j, "samples", s->counts.samples);
    tw_json_end(&j);
    putchar('\n');
}

twStatus info_state(const char* path, bool json, twError* err)
{
    twTraceState s;
    const twStatus status = tw_trace_state(&s, path, err);
    if (status != TW_OK) return status;
    char of[1024];
    const size_t length = strlen(path), ending = strlen(".state");
    const bool named = length > ending && strcmp(path + length - ending, ".state") == 0;
    snprintf(of, sizeof of, "%.*s", (int)(named ? length - ending : length), path);
    if (json)
    {
        json_state(of, &s);
        return TW_OK;
    }
    printf("%s: checkpoint of %s", path, named ? of : "a trace");
    if (s.time == s.time)
        printf(", recorded up to %.6g s\n", s.time);
    else
        printf(", but %s.part is not there, without which nothing can go on\n", of);
    printf("%lld frame(s), %lld force(s), %lld sample(s); 'twang render --resume' goes on from here\n",
           (long long)s.counts.frames, (long long)s.counts.forces, (long long)s.counts.samples);
    return TW_OK;
}
