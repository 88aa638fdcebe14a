// SPDX-License-Identifier: MIT
// Writing of traces: the chunks before the frames, which say what moves.

#include "trace_writer.h"
#include <stdlib.h>

static const char* text_of(const char* text) { return text ? text : ""; }

// into a field of zeros that is long enough
static void put_text(char* field, const char* text) { memcpy(field, text_of(text), strlen(text_of(text))); }

// ---- what can be recorded ----

static twStatus check_names(const char* kind, int index, const char* name, const char* other, twError* err)
{
    if (trace_good_text(text_of(name), TW_TRACE_NAME) && trace_good_text(text_of(other), TW_TRACE_NAME)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s %d: name or %s is longer than %d bytes or holds control characters", kind,
                   index, strcmp(kind, "series") == 0 || strcmp(kind, "track") == 0 ? "unit" : "material",
                   TW_TRACE_NAME - 1);
}

static twStatus check_count(int count, int most, const char* what, twError* err)
{
    if (count >= 0 && count <= most) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%d %s; it must be 0 to %d", count, what, most);
}

static twStatus check_rods(const twTraceDef* def, twError* err)
{
    twStatus status = check_count(def->rod_count, TRACE_MAX_RODS, "rods", err);
    for (int i = 0; status == TW_OK && i < def->rod_count; i++)
    {
        const twTraceRod* rod = &def->rods[i];
        status = check_names("rod", i, rod->name, rod->material, err);
        if (status == TW_OK) status = trace_check_shape(rod, i, err);
        if (status == TW_OK) status = trace_check_sections(rod, i, err);
        if (status == TW_OK) status = trace_check_corners(rod, i, err);
    }
    return status;
}

twStatus trace_check_def(const twTraceDef* def, twError* err)
{
    twStatus status = trace_check_rate(def->frame_rate_hz, err);
    if (status == TW_OK &&
        (!trace_good_text(text_of(def->title), TW_TRACE_TEXT) || !trace_good_text(text_of(def->sound), TW_TRACE_TEXT)))
        status = tw_fail(err, TW_BAD_INPUT, "title or sound is longer than %d bytes or holds control characters",
                         TW_TRACE_TEXT - 1);
    if (status == TW_OK && def->camera.given) status = trace_check_camera(&def->camera, err);
    if (status == TW_OK && def->ground) status = trace_check_ground(def->ground_point, def->ground_normal, err);
    if (status == TW_OK) status = check_rods(def, err);
    if (status == TW_OK) status = check_count(def->body_count, TRACE_MAX_BODIES, "bodies", err);
    for (int i = 0; status == TW_OK && i < def->body_count; i++)
        status = check_names("body", i, def->bodies[i].name, def->bodies[i].material, err);
    if (status == TW_OK) status = check_count(def->series_count, TRACE_MAX_SERIES, "series", err);
    for (int i = 0; status == TW_OK && i < def->series_count; i++)
        status = check_names("series", i, def->series[i].name, def->series[i].unit, err);
    if (status == TW_OK) status = check_count(def->track_count, TRACE_MAX_TRACKS, "tracks", err);
    if (status == TW_OK) status = trace_check_sample_rate(def->sample_rate_hz, def->track_count, err);
    for (int i = 0; status == TW_OK && i < def->track_count; i++)
        status = check_names("track", i, def->tracks[i].name, def->tracks[i].unit, err);
    return status;
}

// ---- the chunks ----

// the records of a chunk are filled by fill, one call each
static twStatus put_records(twTraceWriter* w, const char* id, size_t item_bytes, int count,
                            void (*fill)(void* record, const twTraceDef* def, int index), const twTraceDef* def,
                            twError* err)
{
    char* records = calloc((size_t)count + 1, item_bytes);
    if (!records) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (int i = 0; i < count; i++) fill(records + (size_t)i * item_bytes, def, i);
    twStatus status = trace_put(w, id, 0, item_bytes, (uint64_t)count, records, err);
    free(records);
    return status;
}

static void fill_meta(void* record, const twTraceDef* def, int index)
{
    (void)index;
    TraceMeta* meta = record;
    put_text(meta->title, def->title);
    put_text(meta->sound, def->sound);
    if (def->camera.given)
    {
        meta->camera = 1;
        meta->eye = def->camera.eye;
        meta->target = def->camera.target;
        meta->view_angle = def->camera.view_angle;
    }
    if (def->ground)
    {
        meta->ground = 1;
        meta->ground_point = def->ground_point;
        meta->ground_normal = def->ground_normal;
    }
}

static void fill_rod(void* record, const twTraceDef* def, int index)
{
    const twTraceRod* rod = &def->rods[index];
    TraceRod* r = record;
    put_text(r->name, rod->name);
    put_text(r->material, rod->material);
    r->point_count = rod->point_count;
    r->closed = rod->closed;
    r->section_count = rod->section_count;
    r->corner_count = rod->corner_count;
}

static void fill_series(void* record, const twTraceDef* def, int index)
{
    TraceSeries* r = record;
    put_text(r->name, def->series[index].name);
    put_text(r->unit, def->series[index].unit);
}

static void fill_track(void* record, const twTraceDef* def, int index)
{
    TraceSeries* r = record;
    put_text(r->name, def->tracks[index].name);
    put_text(r->unit, def->tracks[index].unit);
}

// what all rods have of something, rod after rod
static twStatus put_of_rods(twTraceWriter* w, const twTraceDef* def, bool corners, twError* err)
{
    const size_t item = corners ? 2 * sizeof(double) : sizeof(twTraceSection);
    uint64_t count = 0;
    for (int i = 0; i < def->rod_count; i++)
        count += (uint64_t)(corners ? def->rods[i].corner_count : def->rods[i].section_count);
    size_t at = 0;
    char* all = calloc((size_t)count + 1, item);
    if (!all) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (int i = 0; i < def->rod_count; i++)
    {
        const twTraceRod* rod = &def->rods[i];
        const size_t size = item * (size_t)(corners ? rod->corner_count : rod->section_count);
        if (size) memcpy(all + at, corners ? (const void*)rod->corners : rod->sections, size);
        at += size;
    }
    twStatus status = trace_put(w, corners ? "CORN" : "SECT", 0, item, count, all, err);
    free(all);
    return status;
}

static twStatus put_bodies(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    TraceBody* records = calloc((size_t)def->body_count + 1, sizeof *records);
    if (!records) return tw_fail(err, TW_NO_MEMORY, "no memory for a trace");
    for (int i = 0; i < def->body_count; i++)
    {
        const twTraceBody* body = &def->bodies[i];
        put_text(records[i].name, body->name);
        put_text(records[i].material, body->material);
        records[i].mode_count = body->set->mode_count;
        records[i].like = w->set_first[i] == i ? 0 : 1 + w->set_first[i];
        records[i].flags = body->held ? TRACE_HELD : 0;
        records[i].contact_damping = body->contact_damping;
    }
    twStatus status = trace_put(w, "BODY", 0, sizeof *records, (uint64_t)def->body_count, records, err);
    free(records);
    return status;
}

// a .twmodes file of what can be seen: without the tets inside. It must be good, for it may come from anywhere
static twStatus put_modes(twTraceWriter* w, const twModeSet* set, int index, twError* err)
{
    twModeSet outside = *set;
    outside.tet_count = outside.nodes_per_tet = outside.inner_count = 0;
    outside.tets = outside.tet_materials = NULL;
    outside.inner = NULL;
    outside.inner_shape = NULL;
    char* file;
    size_t count;
    twError inner = {0};
    twModeSet* check = NULL;
    twStatus status = tw_mode_set_encode(&file, &count, &outside, err);
    if (status != TW_OK) return status;
    if (tw_mode_set_view(&check, file, count, &inner) != TW_OK)
        status = tw_fail(err, inner.status, "%s: body %d: %s", w->path, index, inner.text);
    tw_mode_set_destroy(check);
    if (status == TW_OK) status = trace_put(w, "MODE", (uint64_t)index, 1, count, file, err);
    free(file);
    return status;
}

twStatus trace_put_tables(twTraceWriter* w, const twTraceDef* def, twError* err)
{
    twStatus status = put_records(w, "META", sizeof(TraceMeta), 1, fill_meta, def, err);
    if (status == TW_OK) status = put_records(w, "RODS", sizeof(TraceRod), def->rod_count, fill_rod, def, err);
    if (status == TW_OK) status = put_of_rods(w, def, false, err);
    if (status == TW_OK) status = put_of_rods(w, def, true, err);
    if (status == TW_OK) status = put_bodies(w, def, err);
    for (int i = 0; status == TW_OK && i < def->body_count; i++)
        if (w->set_first[i] == i) status = put_modes(w, def->bodies[i].set, i, err);
    if (status == TW_OK) status = put_records(w, "SERI", sizeof(TraceSeries), def->series_count, fill_series, def, err);
    if (status == TW_OK) status = put_records(w, "TRAK", sizeof(TraceSeries), def->track_count, fill_track, def, err);
    return status;
}
