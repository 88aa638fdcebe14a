// SPDX-License-Identifier: MIT
// Scenes that begin where another one ends: the trace of that, whether it is the right one, and who is who in it.
//
// A scene is named by its file, and its trace is looked for in the folder of that name beside the one that is rendered to; so it
// is found wherever all of them are rendered to. It is the right one if it was made from the text that the file has now, and
// began itself, if it began from another, from what that ends with now.

#define _POSIX_C_SOURCE 200809L
#include "bodies.h"
#include "render.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_PARTS 32
#define SAME_FREQ 1e-6  // of modes: part of the frequency

// with the place in the scene, and its line
static twStatus fail_at(const twScene* scene, twStatus status, const char* text, twError* err)
{
    return tw_fail(err, status, "%s: 'initial_state': %s%s", scene->start.where, text, scene->start.shown);
}

void bodies_fail_start(const twScene* scene, const twError* inner, twError* err)
{
    fail_at(scene, inner->status, inner->text, err);
}

// ---- where it is ----

// name of a file, without folder and ending
static int stem(const char* path, const char** begin)
{
    const char* slash = strrchr(path, '/');
    *begin = slash ? slash + 1 : path;
    const char* dot = strrchr(*begin, '.');
    return dot && dot > *begin ? (int)(dot - *begin) : (int)strlen(*begin);
}

// the folder that the scene before is rendered to, beside this one
static bool folder_before(char* out, size_t bytes, const twScene* scene, const char* folder)
{
    const char* name;
    const int length = stem(scene->start.scene, &name);
    int parent = (int)strlen(folder);
    while (parent > 1 && folder[parent - 1] == '/') parent--;
    const char* last = folder + parent;
    while (last > folder && last[-1] != '/') last--;
    const bool dots = last[0] == '.' && (last + 1 == folder + parent || last[1] == '.');
    if (dots) return snprintf(out, bytes, "%.*s/../%.*s", parent, folder, length, name) < (int)bytes;
    return snprintf(out, bytes, "%.*s%.*s", (int)(last - folder), folder, length, name) < (int)bytes;
}

static bool trace_before(char* out, size_t bytes, const twScene* scene, const char* folder)
{
    char before[400];
    if (scene->start.trace) return snprintf(out, bytes, "%s", scene->start.trace) < (int)bytes;
    return folder_before(before, sizeof before, scene, folder) &&
           snprintf(out, bytes, "%s/trace.twtrace", before) < (int)bytes;
}

// ---- whether it is the right one ----

static twHash hash_of(const twTraceEnd* end)
{
    return tw_hash(end->numbers, (size_t)end->count * sizeof(double), end->scene);
}

static bool is_same(twHash a, twHash b) { return a.high == b.high && a.low == b.low; }

static twStatus check_whole(const twTrace* trace, const char* path, twError* err)
{
    if (!trace->complete)
        return tw_fail(err, TW_BAD_INPUT, "%.300s is not whole: the render that made it was interrupted; end it first",
                       path);
    if (!trace->end.numbers)
        return tw_fail(err, TW_BAD_INPUT,
                       "%.300s does not tell how its bodies end: it is of rods, or of an older version; "
                       "render it again",
                       path);
    const int bodies = tw_world_end_bodies(trace->end.numbers, (size_t)trace->end.count);
    if (bodies != trace->body_count && bodies != trace->body_count + 1)
        return tw_fail(err, TW_BAD_INPUT, "%.300s is damaged: its end is not that of its bodies", path);
    return TW_OK;
}

static twStatus hash_before(twHash* out, const twScene* scene, const char* folder, twError* err);

// whether a trace is of its scene as that is now
static twStatus check_fresh(const twTrace* trace, const char* path, const twScene* scene, const char* folder,
                            twError* err)
{
    twHash start;
    const char* why = NULL;
    const twStatus status = hash_before(&start, scene, folder, err);
    if (status != TW_OK) return status;
    if (!is_same(trace->end.scene, scene->hash))
        why = "was changed";
    else if (!is_same(trace->end.start, start))
        why = "begins from something else";
    if (!why) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%.250s is older than its scene, which %s since; render that again", path, why);
}

static twStatus load_before(twStartTrace* out, const twScene* scene, const char* folder, twError* err)
{
    twError inner = {0};
    *out = (twStartTrace){0};
    if (!trace_before(out->path, sizeof out->path, scene, folder))
        return fail_at(scene, TW_BAD_INPUT, "the name of its folder is too long", err);
    twStatus status = tw_trace_load(&out->trace, out->path, &inner);
    if (status == TW_OK) status = check_whole(out->trace, out->path, &inner);
    if (status == TW_OK)
    {
        out->hash = hash_of(&out->trace->end);
        return TW_OK;
    }
    tw_trace_destroy(out->trace);
    out->trace = NULL;
    return fail_at(scene, status, inner.text, err);
}

// of what a scene begins from; 0: nothing
static twStatus hash_before(twHash* out, const twScene* scene, const char* folder, twError* err)
{
    twStartTrace start;
    *out = (twHash){0, 0};
    const twStatus status = tw_scene_start(&start, scene, folder, err);
    if (status != TW_OK) return status;
    *out = start.hash;
    tw_trace_destroy(start.trace);
    return TW_OK;
}

// the scene before, and the folder it is rendered to
static twStatus scene_before(twScene** out, char* folder, size_t bytes, const twScene* scene, const char* beside,
                             twError* err)
{
    twError inner = {0};
    *out = NULL;
    if (!folder_before(folder, bytes, scene, beside))
        return fail_at(scene, TW_BAD_INPUT, "the name of its folder is too long", err);
    twStatus status = tw_scene_load(out, scene->start.scene, &inner);
    if (status != TW_OK) return fail_at(scene, status, inner.text, err);
    const twScene* before = *out;
    if (tw_scene_has_world(before) && !before->rods_touch && before->frame_rate_hz > 0) return TW_OK;
    tw_scene_destroy(*out);
    *out = NULL;
    return fail_at(scene, TW_BAD_INPUT, "that scene keeps no end: it has no bodies, or rods, or 'frames: 0'", err);
}

// parts must come to a first one before anything asks what they begin from
static twStatus check_chain(const twScene* scene, const char* folder, twError* err)
{
    char at[400], next[400];
    twScene* before = NULL;
    const twScene* part = scene;
    twStatus status = snprintf(at, sizeof at, "%s", folder) < (int)sizeof at
                          ? TW_OK
                          : fail_at(scene, TW_BAD_INPUT, "the name of its folder is too long", err);
    int count = 0;
    while (status == TW_OK && part->start.scene && count++ < MOST_PARTS)
    {
        twScene* more;
        status = scene_before(&more, next, sizeof next, part, at, err);
        tw_scene_destroy(before);
        part = before = more;
        memcpy(at, next, sizeof at);
    }
    tw_scene_destroy(before);
    if (status == TW_OK && count >= MOST_PARTS)
        return fail_at(scene, TW_BAD_INPUT, "scenes begin from each other in a circle", err);
    return status;
}

twStatus tw_scene_start(twStartTrace* out, const twScene* scene, const char* folder, twError* err)
{
    char at[400];
    twScene* before;
    twError inner = {0};
    *out = (twStartTrace){0};
    if (!scene->start.trace && !scene->start.scene) return TW_OK;
    twStatus status = load_before(out, scene, folder, err);
    if (status != TW_OK || !scene->start.scene) return status;
    status = scene_before(&before, at, sizeof at, scene, folder, err);
    if (status == TW_OK)
    {
        status = check_fresh(out->trace, out->path, before, at, &inner);
        if (status != TW_OK) fail_at(scene, status, inner.text, err);
        tw_scene_destroy(before);
    }
    if (status == TW_OK) return TW_OK;
    tw_trace_destroy(out->trace);
    *out = (twStartTrace){0};
    return status;
}

// ---- making it ----

// whether a folder is written to by another render
static bool is_taken(const char* folder)
{
    int lock;
    const bool taken = tw_lock_folder(&lock, folder, NULL) == TW_BAD_INPUT;
    tw_unlock_folder(&lock);
    return taken;
}

// another render of the part before, of a gallery say, is waited for
static twStatus wait_for(const char* folder, const twRenderDef* def, twError* err)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    while (is_taken(folder))
    {
        if (def->keep_going && !def->keep_going(0, def->context))
            return tw_fail(err, TW_INTERRUPTED, "interrupted while another render of %s went on", folder);
        nanosleep(&pause, NULL);
    }
    return TW_OK;
}

static twStatus render_before(const twScene* before, const twRenderDef* def, const char* folder, twError* err)
{
    char state[512];
    twRenderDef first = *def;
    twRenderReport made;
    first.folder = folder;
    snprintf(state, sizeof state, "%.400s/trace.twtrace.state", folder);
    first.resume = def->resume && access(state, F_OK) == 0;
    twStatus status = tw_render(before, &first, &made, err);
    if (status != TW_OK) return status;
    if (made.trouble.status != TW_OK) status = tw_fail(err, made.trouble.status, "%s", made.trouble.text);
    tw_render_report_free(&made);
    return status;
}

static bool is_there(const twScene* scene, const char* folder)
{
    twStartTrace start;
    const bool there = tw_scene_start(&start, scene, folder, NULL) == TW_OK;
    if (there) tw_trace_destroy(start.trace);
    return there;
}

twStatus start_prepare(const twScene* scene, const twRenderDef* def, twRenderReport* report, twError* err)
{
    char folder[400];
    twScene* before;
    if (!scene->start.scene) return TW_OK;
    twStatus status = check_chain(scene, def->folder, err);
    if (status == TW_OK) status = scene_before(&before, folder, sizeof folder, scene, def->folder, err);
    if (status != TW_OK) return status;
    do {
        status = wait_for(folder, def, err);
        if (status != TW_OK || is_there(scene, def->folder)) break;
        status = render_before(before, def, folder, err);
        if (status == TW_OK) snprintf(report->before, sizeof report->before, "%s", folder);
    } while (status == TW_BAD_INPUT && is_taken(folder));
    tw_scene_destroy(before);
    return status;
}

// ---- who is who ----

static int find_body(const twTrace* trace, const char* name)
{
    for (int i = 0; i < trace->body_count; i++)
        if (strcmp(trace->bodies[i].name, name) == 0) return i;
    return -1;
}

// modes of the same shape and material have the same frequencies
static twStatus check_modes(const twModeSet* there, const twModeSet* here, const char* name, twError* err)
{
    if (there->mode_count != here->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' has %d modes there, and %d here: it is another one", name,
                       there->mode_count, here->mode_count);
    for (int j = 0; j < here->mode_count; j++)
        if (!(fabs(there->freq_hz[j] - here->freq_hz[j]) <= SAME_FREQ * here->freq_hz[j]))
            return tw_fail(err, TW_BAD_INPUT,
                           "mode %d of body '%s' has %.6g Hz there, and %.6g Hz here: it is another one", j + 1, name,
                           there->freq_hz[j], here->freq_hz[j]);
    return TW_OK;
}

twStatus bodies_find_start(twBodies* b, const twTrace* trace, twError* err)
{
    const twScene* scene = b->scene;
    const int there = tw_world_end_bodies(trace->end.numbers, (size_t)trace->end.count);
    twError inner = {0};
    int found = 0;
    b->from = malloc(((size_t)b->body_count + 1) * sizeof *b->from);
    if (!b->from) return tw_fail(err, TW_NO_MEMORY, "no memory for the bodies");
    for (int i = 0; i < scene->body_count; i++)
    {
        b->from[i] = find_body(trace, scene->bodies[i].name);
        if (b->from[i] < 0) continue;
        found++;
        const twStatus status =
            check_modes(trace->bodies[b->from[i]].set, tw_bodies_set(b, i), scene->bodies[i].name, &inner);
        if (status != TW_OK) return fail_at(scene, status, inner.text, err);
    }
    if (found == 0)
        return fail_at(scene, TW_BAD_INPUT, "no body there has the name of one here, so it would change nothing", err);
    // the ground is the last
    if (scene->ground.given) b->from[scene->body_count] = there > trace->body_count ? trace->body_count : -1;
    return TW_OK;
}
