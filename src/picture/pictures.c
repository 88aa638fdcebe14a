// SPDX-License-Identifier: MIT
// All pictures of a trace, one after the other. What fails is told at the end; the rest is made all the same.

#include "twang/picture.h"
#include <string.h>

twPictureDef tw_picture_def(void)
{
    twPictureDef def = {.wanted = TW_PICTURE_USUAL,
                        .skin = tw_skin_def(),
                        .glb = tw_glb_def(),
                        .film = tw_film_def(),
                        .still_time = -1};
    def.film.frame_rate_hz = 30;
    return def;
}

const char* tw_picture_sound(char* out, size_t bytes, const twTrace* trace, const char* trace_path)
{
    const char* slash = strrchr(trace_path, '/');
    const int folder = slash ? (int)(slash + 1 - trace_path) : 0;
    out[0] = 0;
    if (trace->sound[0]) snprintf(out, bytes, "%.*s%s", folder, trace_path, trace->sound);
    return out;
}

typedef struct Work
{
    const twTrace* trace;
    const twPictureDef* def;
    twPictureReport* report;
    twSkin* skin;
    const char* stage;
    twError failure;  // the first one's status, and what is to be said of all
} Work;

static bool keep_going(double done, void* context)
{
    const Work* work = context;
    return !work->def->keep_going || work->def->keep_going(work->stage, done, work->def->context);
}

static twStatus save_glb(Work* work, const char* path, twError* err)
{
    twGlbDef def = work->def->glb;
    def.keep_going = keep_going;
    def.context = work;
    return tw_glb_save(path, work->skin, &def, err);
}

static twStatus save_film(Work* work, const char* path, twError* err)
{
    twFilmDef def = work->def->film;
    def.keep_going = keep_going;
    def.context = work;
    return tw_film_save(path, work->skin, &def, &work->report->film_report, err);
}

static twStatus save_still(Work* work, const char* path, twError* err)
{
    const int64_t last = work->trace->frame_count - 1;
    const double at = work->def->still_time * work->trace->frame_rate_hz;
    int64_t frame = work->def->still_time < 0 ? last / 10 : at > (double)last ? last : (int64_t)(at + 0.5);
    return tw_still_save(path, work->skin, frame, &work->def->film, err);
}

static twStatus save_series(Work* work, const char* path, twError* err)
{
    return tw_series_plot_save(path, work->trace, err);
}

static twStatus save_pc2(Work* work, const char* path, twError* err)
{
    twPc2Def def = tw_pc2_def();
    def.keep_going = keep_going;
    def.context = work;
    return tw_pc2_save(path, work->skin, &def, err);
}

// add to what is said of failures; what two pictures lack alike is said once
static void remember(twError* all, twStatus status, const char* text)
{
    const size_t used = strlen(all->text);
    if (all->status == TW_OK)
        tw_fail(all, status, "%s", text);
    else if (!strstr(all->text, text))
        snprintf(all->text + used, sizeof all->text - used, "; %s", text);
}

// A file of an exaggerated skin says so in its name: scene-x100.glb.
static void picture_path(const Work* work, bool of_skin, const char* name, const char* ending, char* path, size_t bytes)
{
    char factor[40] = "";
    if (of_skin && work->skin->exaggeration != 1) snprintf(factor, sizeof factor, "-x%.10g", work->skin->exaggeration);
    snprintf(path, bytes, "%s/%s%s%s", work->def->folder, name, factor, ending);
}

// one kind of picture
static twStatus make(Work* work, unsigned kind, const char* stage, const char* name, const char* ending, char* path,
                     twStatus (*save)(Work* work, const char* path, twError* err))
{
    if (!(work->def->wanted & kind)) return TW_OK;
    twError inner = {0};
    char full[512];
    work->stage = stage;
    picture_path(work, kind != TW_PICTURE_SERIES, name, ending, full, sizeof full);
    const twStatus status = save(work, full, &inner);
    if (status == TW_OK)
        memcpy(path, full, sizeof full);
    else
        remember(&work->failure, status, inner.text);
    return status;
}

static twStatus make_all(Work* work, twError* err)
{
    const struct
    {
        unsigned kind;
        const char *stage, *name, *ending;
        char* path;
        twStatus (*save)(Work* work, const char* path, twError* err);
    } list[] = {{TW_PICTURE_GLB, "writing glTF", "scene", ".glb", work->report->glb, save_glb},
                {TW_PICTURE_PC2, "writing caches", "cache", "", work->report->pc2, save_pc2},
                {TW_PICTURE_SERIES, "plotting", "series", ".png", work->report->series, save_series},
                {TW_PICTURE_STILL, "drawing", "still", ".png", work->report->still, save_still},
                {TW_PICTURE_FILM, "filming", "preview", ".mp4", work->report->film, save_film}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    {
        if (list[i].kind == TW_PICTURE_SERIES && work->trace->series_count == 0) continue;
        const twStatus status =
            make(work, list[i].kind, list[i].stage, list[i].name, list[i].ending, list[i].path, list[i].save);
        if (status == TW_INTERRUPTED) return tw_fail(err, status, "interrupted while %s", list[i].stage);
    }
    if (work->failure.status == TW_OK) return TW_OK;
    return tw_fail(err, work->failure.status, "%s", work->failure.text);
}

twStatus tw_picture_save(const twTrace* trace, const twPictureDef* def, twPictureReport* report, twError* err)
{
    const double start = tw_seconds();
    Work work = {.trace = trace, .def = def, .report = report};
    *report = (twPictureReport){0};
    if (strlen(def->folder) > 400) return tw_fail(err, TW_BAD_INPUT, "the output folder's name is too long");
    twStatus status = tw_make_folder(def->folder, err);
    if (status == TW_OK) status = tw_skin_create(&work.skin, trace, &def->skin, err);
    if (status != TW_OK) return status;
    report->exaggeration = work.skin->exaggeration;
    for (int i = 0; i < work.skin->part_count; i++) report->triangles += work.skin->parts[i].face_count;
    status = make_all(&work, err);
    tw_skin_destroy(work.skin);
    report->seconds = tw_seconds() - start;
    return status;
}
