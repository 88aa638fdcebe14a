// SPDX-License-Identifier: MIT
// Writing .twtrace files (trace.c, docs/trace.md) frame by frame.

#include "trace_writer.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

twTraceSection tw_trace_section(const twSection* section)
{
    return (twTraceSection){{section->half_size[0], section->half_size[1]}, section->radius, section->angle};
}

twTraceDef tw_trace_def(void) { return (twTraceDef){.frame_rate_hz = 60}; }

twTraceCounts tw_trace_counts(const twTraceWriter* w)
{
    const TraceDone* d = &w->done;
    return (twTraceCounts){(int64_t)d->frame_count, (int64_t)d->touch_count, (int64_t)d->force_count,
                           (int64_t)d->sample_count};
}

// ---- the writer ----

typedef struct SetOf
{
    const twModeSet* set;
    int body;
} SetOf;

static int compare_sets(const void* a, const void* b)
{
    const SetOf *x = a, *y = b;
    const uintptr_t p = (uintptr_t)x->set, q = (uintptr_t)y->set;
    return p != q ? (p > q) - (p < q) : (x->body > y->body) - (x->body < y->body);
}

// the first body that has the set of each: copies may be many
static bool find_copies(twTraceWriter* w, const twTraceDef* def)
{
    const size_t count = (size_t)def->body_count;
    SetOf* all = calloc(count + 1, sizeof *all);
    w->set_first = calloc(count + 1, sizeof *w->set_first);
    for (int i = 0; all && i < def->body_count; i++) all[i] = (SetOf){def->bodies[i].set, i};
    if (all) qsort(all, count, sizeof *all, compare_sets);
    for (size_t i = 0; all && w->set_first && i < count; i++)
        w->set_first[all[i].body] = i > 0 && all[i].set == all[i - 1].set ? w->set_first[all[i - 1].body] : all[i].body;
    free(all);
    return all && w->set_first;
}

// sizes of everything, and where the vertices are. @return the end of the vertices
static twVec3* copy_set(twTraceWriter* w, int body, const twModeSet* set, twVec3* at)
{
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3_scale(low, -1);
    w->sets[body] = (twModeSet){.mode_count = set->mode_count, .vertex_count = set->vertex_count, .vertices = at};
    for (int k = 0; k < set->vertex_count; k++)
    {
        const twVec3 x = *at++ = set->vertices[k];
        low = tw_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = tw_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    w->size[body] = set->vertex_count > 0 ? tw_vec3_norm(tw_vec3_sub(high, low)) : 0;
    return at;
}

// what of the bodies' sets is needed
static bool copy_bodies(twTraceWriter* w, const twTraceDef* def)
{
    size_t vertices = 0;
    if (!find_copies(w, def)) return false;
    for (int i = 0; i < def->body_count; i++)
        if (w->set_first[i] == i) vertices += (size_t)def->bodies[i].set->vertex_count;
    w->bodies = calloc((size_t)def->body_count + 1, sizeof *w->bodies);
    w->sets = calloc((size_t)def->body_count + 1, sizeof *w->sets);
    w->size = calloc((size_t)def->body_count + 1, sizeof *w->size);
    w->vertices = calloc(vertices + 1, sizeof *w->vertices);
    if (!w->bodies || !w->sets || !w->size || !w->vertices) return false;
    twVec3* at = w->vertices;
    for (int i = 0; i < def->body_count; i++)
    {
        const int first = w->set_first[i];
        if (first == i) at = copy_set(w, i, def->bodies[i].set, at);
        w->sets[i] = w->sets[first];
        w->size[i] = w->size[first];
        w->bodies[i].set = &w->sets[i];
    }
    return true;
}

// what append needs to know
static twStatus prepare_frame(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    uint64_t floats = (uint64_t)def->series_count;
    w->rod_count = def->rod_count;
    w->body_count = def->body_count;
    w->series_count = def->series_count;
    w->track_count = def->track_count;
    w->rods = calloc((size_t)def->rod_count + 1, sizeof *w->rods);
    for (int i = 0; w->rods && i < def->rod_count; i++)
    {
        w->rods[i] = (twTraceRod){.point_count = def->rods[i].point_count, .closed = def->rods[i].closed};
        floats += (uint64_t)trace_rod_floats(&def->rods[i]);
    }
    for (int i = 0; i < def->body_count; i++) floats += TRACE_POSE + (uint64_t)def->bodies[i].set->mode_count;
    w->frame = floats < PTRDIFF_MAX / sizeof(float) ? calloc((size_t)floats + 1, sizeof(float)) : NULL;
    w->frame_floats = floats;
    return w->rods && w->frame && copy_bodies(w, def) ? TW_OK
                                                      : tw_fail(err, TW_NO_MEMORY, "no memory for a frame of a trace");
}

twStatus trace_make_writer(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err)
{
    *out = NULL;
    twError inner = {0};
    if (!trace_little_endian()) return tw_fail(err, TW_IO_ERROR, "traces need a little-endian machine");
    twStatus status = trace_check_def(def, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", path, inner.text);
    twTraceWriter* w = calloc(1, sizeof *w);
    if (!w) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for a trace", path);
    w->header = (TraceHeader){
        .version = TRACE_VERSION, .frame_rate_hz = def->frame_rate_hz, .sample_rate_hz = def->sample_rate_hz};
    memcpy(w->header.magic, TRACE_MAGIC, 8);
    w->path = malloc(strlen(path) + 1);
    if (w->path) strcpy(w->path, path);
    status = w->path ? prepare_frame(w, def, err) : tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    if (status == TW_OK)
        *out = w;
    else
        trace_free_writer(&w);
    return status;
}

void trace_free_writer(twTraceWriter** writer)
{
    twTraceWriter* w = *writer;
    free(w->path);
    free(w->state_path);
    free(w->rods);
    free(w->bodies);
    free(w->sets);
    free(w->set_first);
    free(w->vertices);
    free(w->size);
    free(w->frame);
    free(w->contacts.places);
    free(w->scratch);
    free(w);
    *writer = NULL;
}

twStatus tw_trace_create(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err)
{
    twTraceWriter* w;
    *out = NULL;
    twStatus status = trace_make_writer(&w, path, def, err);
    if (status != TW_OK) return status;
    status = def->resumable ? tw_file_create_part(&w->file, path, err) : tw_file_create(&w->file, path, err);
    if (status == TW_OK && def->resumable) status = trace_name_state(w, err);
    if (status == TW_OK && def->resumable) remove(w->state_path);  // of an earlier recording
    if (status == TW_OK) status = trace_put_header(w, err);
    if (status == TW_OK) status = trace_put_tables(w, def, err);
    if (status == TW_OK)
        *out = w;
    else
        tw_trace_abort(&w);
    return status;
}

// ---- a frame ----

// n numbers as floats. @return the first that is none, n if all are
static int put_numbers(char* out, const double* from, int n)
{
    for (int i = 0; i < n; i++)
    {
        if (!(fabs(from[i]) <= FLT_MAX)) return i;
        const float number = (float)from[i];
        memcpy(out + (size_t)i * sizeof number, &number, sizeof number);
    }
    return n;
}

static int put_vectors(char* out, const double* const from[3], int n)
{
    for (int i = 0; i < n; i++)
    {
        const double v[3] = {from[0][i], from[1][i], from[2][i]};
        if (put_numbers(out + (size_t)i * 3 * sizeof(float), v, 3) < 3) return i;
    }
    return n;
}

static twStatus put_rod(const twTraceWriter* w, char** at, const twRodView* view, int index, twError* err)
{
    const int points = w->rods[index].point_count, edges = (int)trace_edges(&w->rods[index]);
    if (view->point_count != points || view->edge_count != edges)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d points and %d edges; the trace has %d and %d", index,
                       view->point_count, view->edge_count, points, edges);
    const int good_points = put_vectors(*at, view->position, points);
    *at += (size_t)points * 3 * sizeof(float);
    const int good_edges = put_vectors(*at, view->frame_d1, edges);
    *at += (size_t)edges * 3 * sizeof(float);
    if (good_points < points)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: the place of point %d is not finite", index, good_points);
    if (good_edges < edges) return tw_fail(err, TW_BAD_INPUT, "rod %d: d1 of edge %d is not finite", index, good_edges);
    return TW_OK;
}

static twStatus put_body(const twTraceWriter* w, char** at, const twTracePose* pose, int index, twError* err)
{
    const double rigid[TRACE_POSE] = {pose->position.x, pose->position.y, pose->position.z, pose->turn.w,
                                      pose->turn.x,     pose->turn.y,     pose->turn.z};
    const int modes = w->sets[index].mode_count;
    if (put_numbers(*at, rigid, TRACE_POSE) < TRACE_POSE)
        return tw_fail(err, TW_BAD_INPUT, "body %d: its place or turn is not finite", index);
    if (!trace_good_turn(rigid[3], rigid[4], rigid[5], rigid[6]))
        return tw_fail(err, TW_BAD_INPUT, "body %d: the turn %g, %g, %g, %g is not of length 1", index, rigid[3],
                       rigid[4], rigid[5], rigid[6]);
    *at += sizeof(float) * TRACE_POSE;
    const int good = pose->amplitude ? put_numbers(*at, pose->amplitude, modes) : modes;
    if (good < modes) return tw_fail(err, TW_BAD_INPUT, "body %d: the amplitude of mode %d is not finite", index, good);
    if (!pose->amplitude && modes > 0) memset(*at, 0, (size_t)modes * sizeof(float));
    *at += (size_t)modes * sizeof(float);
    return TW_OK;
}

static twStatus put_series(const twTraceWriter* w, char* at, const double* values, twError* err)
{
    for (int i = 0; i < w->series_count; i++, at += sizeof(float))
    {
        const float none = NAN;
        if (isnan(values[i]))
            memcpy(at, &none, sizeof none);
        else if (put_numbers(at, &values[i], 1) < 1)
            return tw_fail(err, TW_BAD_INPUT, "series %d: %g is beyond what is kept, %g", i, values[i],
                           (double)FLT_MAX);
    }
    return TW_OK;
}

static twStatus check_arrows(const twTraceFrame* frame, twError* err)
{
    if (frame->arrow_count < 0 || frame->arrow_count > TRACE_MAX_ARROWS)
        return tw_fail(err, TW_BAD_INPUT, "%d arrows; it must be 0 to %d", frame->arrow_count, TRACE_MAX_ARROWS);
    for (int i = 0; i < frame->arrow_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(frame->arrows[i].at[k]) || !isfinite(frame->arrows[i].force[k]))
                return tw_fail(err, TW_BAD_INPUT, "arrow %d is not finite", i);
    return TW_OK;
}

twStatus tw_trace_append(twTraceWriter* w, const twTraceFrame* frame, twError* err)
{
    char* at = w->frame;
    const uint64_t index = w->done.frame_count;
    twError inner = {0};
    twStatus status = check_arrows(frame, &inner);
    for (int i = 0; i < w->rod_count && status == TW_OK; i++) status = put_rod(w, &at, &frame->rods[i], i, &inner);
    for (int i = 0; i < w->body_count && status == TW_OK; i++) status = put_body(w, &at, &frame->bodies[i], i, &inner);
    if (status == TW_OK) status = put_series(w, at, frame->series, &inner);
    if (status != TW_OK)
        return tw_fail(err, status, "%s: frame %llu, %s", w->path, (unsigned long long)index, inner.text);
    status = trace_put(w, "FRAM", index, sizeof(float), w->frame_floats, w->frame, err);
    if (status == TW_OK && frame->arrow_count > 0)
        status = trace_put(w, "ARRW", index, sizeof(twTraceArrow), (uint64_t)frame->arrow_count, frame->arrows, err);
    if (status == TW_OK) w->done.frame_count++;
    return status;
}

// ---- samples, numbers ----

twStatus tw_trace_append_samples(twTraceWriter* w, const float* samples, int64_t frames, twError* err)
{
    TW_ASSERT(frames >= 0 && w->track_count > 0);
    for (int64_t i = 0; i < frames * w->track_count; i++)
        if (!isfinite(samples[i]))
            return tw_fail(err, TW_BAD_INPUT, "%s: track %d, sample %lld is not finite", w->path,
                           (int)(i % w->track_count), (long long)w->done.sample_count + i / w->track_count);
    if (frames == 0) return TW_OK;
    twStatus status = trace_put(w, "SAMP", w->done.sample_count, sizeof(float) * (size_t)w->track_count,
                                (uint64_t)frames, samples, err);
    if (status == TW_OK) w->done.sample_count += (uint64_t)frames;
    return status;
}

twStatus tw_trace_put_numbers(twTraceWriter* w, const twTraceNumber* numbers, int count, twError* err)
{
    TW_ASSERT(count >= 0 && count <= TRACE_MAX_NUMBERS);
    TraceNumber* records = calloc((size_t)count + 1, sizeof *records);
    if (!records) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for %d numbers", w->path, count);
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        const char* name = numbers[i].name;
        if (!trace_good_text(name, TW_TRACE_NAME) || name[0] == 0)
            status = tw_fail(err, TW_BAD_INPUT,
                             "%s: number %d: its name is empty, longer than %d bytes or holds control characters",
                             w->path, i, TW_TRACE_NAME - 1);
        else if (isinf(numbers[i].value))
            status = tw_fail(err, TW_BAD_INPUT, "%s: number %s is infinite", w->path, name);
        else
        {
            strcpy(records[i].name, name);
            records[i].value = isnan(numbers[i].value) ? (double)NAN : numbers[i].value;
        }
    }
    if (status == TW_OK && count > 0) status = trace_put(w, "NUMB", 0, sizeof *records, (uint64_t)count, records, err);
    free(records);
    return status;
}

twStatus tw_trace_put_end(twTraceWriter* w, const twTraceEnd* end, twError* err)
{
    const TraceEnds record = {end->scene, end->start};
    const size_t bytes = sizeof record + (size_t)end->count * sizeof(double);
    TW_ASSERT(end->count >= 0 && end->count < (int64_t)TRACE_MAX_END - (int64_t)sizeof record);
    char* items = malloc(bytes);
    if (!items) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for the end", w->path);
    memcpy(items, &record, sizeof record);
    if (end->count > 0) memcpy(items + sizeof record, end->numbers, (size_t)end->count * sizeof(double));
    twStatus status = TW_OK;
    for (int64_t i = 0; i < end->count && status == TW_OK; i++)
        if (!isfinite(end->numbers[i]))
            status = tw_fail(err, TW_BAD_INPUT, "%s: number %lld of the end is not finite", w->path, (long long)i);
    if (status == TW_OK) status = trace_put(w, "ENDS", 0, sizeof(double), bytes / sizeof(double), items, err);
    free(items);
    return status;
}

// ---- the end ----

twStatus tw_trace_flush(twTraceWriter* w, twError* err)
{
    if (fflush(tw_file_stream(w->file)) == 0) return TW_OK;
    w->failed = true;
    return tw_file_fail(w->file, err);
}

twStatus tw_trace_commit(twTraceWriter** writer, twError* err)
{
    twTraceWriter* w = *writer;
    TraceDone done = w->done;
    done.file_bytes += sizeof(TraceChunk) + sizeof done;
    done.chunk_count++;
    twStatus status = trace_put(w, "DONE", 0, sizeof done, 1, &done, err);
    if (status == TW_OK)
    {
        status = tw_file_commit(&w->file, err);
        if (status == TW_OK && w->state_path) remove(w->state_path);
    }
    tw_trace_leave(writer);
    return status;
}

void tw_trace_abort(twTraceWriter** writer)
{
    if (!writer || !*writer) return;
    tw_file_abort(&(*writer)->file);
    if ((*writer)->state_path) remove((*writer)->state_path);
    trace_free_writer(writer);
}

void tw_trace_leave(twTraceWriter** writer)
{
    if (!writer || !*writer) return;
    tw_file_leave(&(*writer)->file);
    trace_free_writer(writer);
}
