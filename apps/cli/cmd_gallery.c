// SPDX-License-Identifier: MIT
// twang gallery: the scenes of a folder, rendered, checked and shown on a page.
#define _POSIX_C_SOURCE 200809L

#include "gallery.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Options
{
    const char *scenes, *folder;
    CliList only;
    bool list, json, quick, again, no_video;
    int jobs;
} Options;

static const char* const state_names[] = {"missing", "out of date", "begun", "failed", "ready"};

// ---- which scenes ----

// whether word, to its end or the next comma, is text
static bool is_word(const char* word, const char* text)
{
    const size_t n = strcspn(word, ",");
    return strlen(text) == n && strncmp(word, text, n) == 0;
}

// each word of --only names a scene or a source
static int choose(Gallery* gallery, const Options* o)
{
    for (int i = 0; i < gallery->count && o->only.count == 0; i++)
        gallery->items[i].wanted = !gallery->items[i].source->own;
    for (int k = 0; k < o->only.count; k++)
        for (const char* word = o->only.items[k]; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        {
            bool found = false;
            for (int i = 0; i < gallery->count; i++)
            {
                GalleryItem* item = &gallery->items[i];
                if (!is_word(word, item->scene->name) && !is_word(word, item->source->name)) continue;
                item->wanted = found = true;
            }
            if (found) continue;
            const char* names[1100];
            int count = 0;
            char asked[64];
            snprintf(asked, sizeof asked, "%.*s", (int)strcspn(word, ","), word);
            for (int i = 0; i < gallery->table->source_count && count < 100; i++)
                names[count++] = gallery->table->sources[i].name;
            for (int i = 0; i < gallery->count && count < 1100; i++) names[count++] = gallery->items[i].scene->name;
            const char* near = tw_nearest_name(asked, names, count);
            return cli_fail("gallery", CLI_USAGE, "--only: no scene or source is called '%s'%s%s%s", asked,
                            near ? "; did you mean '" : "; --list shows them", near ? near : "", near ? "'?" : "");
        }
    // what a scene goes on from is needed too
    for (int i = gallery->count - 1; i >= 0; i--)
        if (gallery->items[i].wanted && gallery->items[i].scene->after >= 0)
            gallery->items[gallery->items[i].scene->after].wanted = true;
    return CLI_OK;
}

static twStatus open_gallery(Gallery* gallery, const Options* o, twError* err)
{
    char scenes[GALLERY_PATH];
    *gallery = (Gallery){0};
    snprintf(gallery->folder, sizeof gallery->folder, "%s", o->folder);
    if (strlen(o->folder) > 300) return tw_fail(err, TW_BAD_INPUT, "--output: the folder's name is too long");
    if (o->scenes && strlen(o->scenes) > 300) return tw_fail(err, TW_BAD_INPUT, "--scenes: the name is too long");
    twStatus status = TW_OK;
    if (o->scenes)
        snprintf(scenes, sizeof scenes, "%s", o->scenes);
    else
        status = gallery_scenes(scenes, err);
    if (status == TW_OK) status = tw_gallery_load(&gallery->table, scenes, err);
    if (status != TW_OK) return status;
    gallery->count = gallery->table->scene_count;
    gallery->items = calloc((size_t)gallery->count, sizeof *gallery->items);
    if (!gallery->items) return tw_fail(err, TW_NO_MEMORY, "no memory for %d scenes", gallery->count);
    for (int i = 0; i < gallery->count; i++)
    {
        GalleryItem* item = &gallery->items[i];
        item->scene = &gallery->table->scenes[i];
        item->source = &gallery->table->sources[item->scene->source];
        snprintf(item->file, sizeof item->file, "%.700s/%.64s.yaml", scenes, item->scene->name);
        snprintf(item->folder, sizeof item->folder, "%.700s/%.64s", gallery->folder, item->scene->name);
        const GalleryItem* before = item->scene->after >= 0 ? &gallery->items[item->scene->after] : NULL;
        item->part = o->quick ? item->scene->part : 0;
        item->no_video = o->no_video;
        gallery_look(item, before);
    }
    return TW_OK;
}

static void close_gallery(Gallery* gallery)
{
    free(gallery->items);
    tw_gallery_destroy(gallery->table);
}

// ---- output ----

static void print_list(const Gallery* gallery)
{
    int source = -1;
    double all = 0;
    for (int i = 0; i < gallery->count; i++)
    {
        const GalleryItem* item = &gallery->items[i];
        char time[32];
        if (!item->wanted) continue;
        if (item->scene->source != source)
            printf("%s%s: %s\n", source >= 0 ? "\n" : "", item->source->name, item->source->title);
        source = item->scene->source;
        const double seconds = item->part > 0 ? 20 : fmax(5, 60 * item->scene->minutes);
        all += seconds;
        gallery_time(time, sizeof time, seconds);
        printf("  %-20s %-12s %9s  %s%s%s\n", item->scene->name, state_names[item->state], time, item->scene->title,
               item->scene->where[0] ? ", " : "", item->scene->where);
    }
    char time[32];
    gallery_time(time, sizeof time, all);
    printf("\nabout %s on one core for all of it\n", time);
}

static void json_item(twJson* json, const GalleryItem* item)
{
    const twRenderCheck* c = &item->check;
    tw_json_object(json, NULL);
    tw_json_text(json, "name", item->scene->name);
    tw_json_text(json, "source", item->source->name);
    tw_json_text(json, "title", item->scene->title);
    tw_json_text(json, "where", item->scene->where);
    tw_json_text(json, "state", state_names[item->state]);
    tw_json_number(json, "minutes_expected", fmax(item->scene->minutes, 5.0 / 60));
    if (item->scene->after >= 0) tw_json_bool(json, "goes_on", true);
    if (item->part > 0) tw_json_number(json, "part", item->part);
    if (item->state == GALLERY_FAILED) tw_json_text(json, "trouble", item->trouble);
    if (item->state == GALLERY_READY)
    {
        GalleryVerdict verdicts[GALLERY_VERDICTS];
        tw_json_bool(json, "rendered_now", item->rendered);
        tw_json_bool(json, "went_on", item->went_on);
        tw_json_number(json, "seconds", c->seconds);
        tw_json_number(json, "cost", c->cost);
        tw_json_number(json, "theirs", item->scene->theirs > 0 ? item->scene->theirs : NAN);
        tw_json_number(json, "speed_up", item->scene->theirs > 0 ? item->scene->theirs / c->cost : NAN);
        tw_json_number(json, "energy_rise", c->energy_rise);
        tw_json_number(json, "energy_most", c->energy_most);
        tw_json_integer(json, "failures", c->failures);
        tw_json_number(json, "peak_dbfs", c->peak_dbfs);
        tw_json_number(json, "rest_db", c->rest_db);
        gallery_verdicts(item, verdicts);
        tw_json_object(json, "verdicts");
        for (int i = 0; i < GALLERY_VERDICTS; i++)
            if (verdicts[i].asked)
                tw_json_bool(json, verdicts[i].claim, verdicts[i].holds);
            else
                tw_json_null(json, verdicts[i].claim);
        tw_json_end(json);
        tw_json_bool(json, "holds", gallery_holds(item));
    }
    tw_json_end(json);
}

static void json_sum(twJson* json, const Gallery* gallery)
{
    const GallerySum s = gallery_sum(gallery);
    tw_json_object(json, "all");
    tw_json_number(json, "run_seconds", gallery->seconds);
    tw_json_number(json, "rendering_seconds", s.rendering);
    tw_json_number(json, "seconds", s.seconds);
    tw_json_number(json, "computing_seconds", s.cost);
    tw_json_integer(json, "compared", s.compared);
    tw_json_number(json, "compared_seconds", s.ours);
    tw_json_number(json, "theirs_seconds", s.theirs);
    tw_json_end(json);
}

static void print_json(const Gallery* gallery, bool page)
{
    char path[GALLERY_PATH + 16];
    twJson json = tw_json(stdout);
    snprintf(path, sizeof path, "%s/index.html", gallery->folder);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "version", tw_version());
    tw_json_text(&json, "scenes_folder", gallery->table->folder);
    tw_json_text(&json, "page", page ? path : NULL);
    tw_json_array(&json, "scenes");
    for (int i = 0; i < gallery->count; i++)
        if (gallery->items[i].wanted) json_item(&json, &gallery->items[i]);
    tw_json_end(&json);
    if (page) json_sum(&json, gallery);
    tw_json_end(&json);
}

// ---- the command ----

// scenes that failed, or violate what all must hold
static int count_bad(const Gallery* gallery)
{
    int bad = 0;
    for (int i = 0; i < gallery->count; i++) bad += gallery->items[i].wanted && !gallery_holds(&gallery->items[i]);
    return bad;
}

// what it took, and what the sources need
static void tell_time(const Gallery* gallery)
{
    const GallerySum s = gallery_sum(gallery);
    char cost[32], theirs[32], ours[32];
    gallery_time(cost, sizeof cost, s.cost);
    gallery_time(theirs, sizeof theirs, s.theirs);
    gallery_time(ours, sizeof ours, s.ours);
    printf("%.0f s of motion and sound, %s to compute", s.seconds, cost);
    if (s.compared > 0)
        printf("; of %d scene%s the sources tell what they need: %s, and we need %s", s.compared,
               s.compared == 1 ? "" : "s", theirs, ours);
    printf("\n");
}

static int tell_end(const Gallery* gallery, const Options* o)
{
    int ready = 0, rendered = 0, wanted = 0;
    const int bad = count_bad(gallery);
    for (int i = 0; i < gallery->count; i++)
    {
        const GalleryItem* item = &gallery->items[i];
        wanted += item->wanted;
        ready += item->wanted && item->state == GALLERY_READY;
        rendered += item->rendered;
    }
    if (o->json)
        print_json(gallery, true);
    else
    {
        char took[32];
        gallery_time(took, sizeof took, gallery->seconds);
        printf("%d of %d scenes are ready, %d rendered now, in %s; the page: %s/index.html\n", ready, wanted, rendered,
               took, gallery->folder);
        tell_time(gallery);
    }
    if (bad > 0)
        return cli_fail("gallery", CLI_FAILED, "%d of %d scenes failed or violate a check; see the page", bad, wanted);
    return CLI_OK;
}

static int make(Gallery* gallery, const Options* o)
{
    twError err, page;
    int lock;
    twStatus status = tw_make_folder(gallery->folder, &err);
    if (status == TW_OK) status = tw_lock_folder(&lock, gallery->folder, &err);
    if (status != TW_OK) return cli_fail_error("gallery", &err);
    for (int i = 0; i < gallery->count; i++)
    {
        GalleryItem* item = &gallery->items[i];
        item->shown = item->wanted || item->state == GALLERY_READY;
        if (o->again && item->wanted) item->state = GALLERY_STALE;
    }
    const double begin = tw_seconds();
    status = gallery_run(gallery, o->jobs, o->json, &err);
    gallery->seconds = tw_seconds() - begin;
    // the page is there whatever happened
    const twStatus written = gallery_page(gallery, &page);
    tw_unlock_folder(&lock);
    if (status == TW_INTERRUPTED) return cli_fail("gallery", CLI_INTERRUPTED, "%s", err.text);
    if (status != TW_OK) return cli_fail_error("gallery", &err);
    if (written != TW_OK) return cli_fail_error("gallery", &page);
    return tell_end(gallery, o);
}

static int run(const Options* o)
{
    Gallery gallery;
    twError err;
    int code = open_gallery(&gallery, o, &err) == TW_OK ? CLI_OK : cli_fail_error("gallery", &err);
    if (code == CLI_OK) code = choose(&gallery, o);
    if (code == CLI_OK && o->list && o->json)
        print_json(&gallery, false);
    else if (code == CLI_OK && o->list)
        print_list(&gallery);
    else if (code == CLI_OK)
        code = make(&gallery, o);
    close_gallery(&gallery);
    return code;
}

static const char notes[] =
    "Renders what is missing or out of date, and DIR/index.html, a page that works from the disk. Interrupted, the\n"
    "same command goes on. A scene that fails is told on the page and does not stop the others; exit status 1 then,\n"
    "and if a scene gains energy, is not finite, clips, or is not silent at rest. docs/gallery.md tells more.\n"
    "Example: twang gallery --only schweickart2017 --quick\n";

int cmd_gallery(int argc, char** argv)
{
    Options o = {.folder = "out/gallery"};
    o.jobs = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
    const CliOption options[] = {
        {CLI_LIST, .name = "--only", .value = "NAME", .out = &o.only,
         .help = "these scenes, or those of this source; may be repeated"},
        {CLI_FLAG, .name = "--list", .out = &o.list, .help = "only list them: how far each is, how long it takes"},
        {CLI_FLAG, .name = "--quick", .out = &o.quick, .help = "only the beginning of scenes that take long"},
        {CLI_FLAG, .name = "--no-video", .out = &o.no_video,
         .help = "no films, only stills: most of the time of short scenes"},
        {CLI_FLAG, .name = "--again", .out = &o.again, .help = "render also what is ready"},
        {CLI_INTEGER, .name = "--jobs", .value = "N", .out = &o.jobs, .help = "scenes rendered at a time", .low = 1,
         .high = 64},
        {CLI_TEXT, .name = "--scenes", .value = "DIR", .out = &o.scenes,
         .help = "folder of scenes, with a table gallery.yml or without (default: those that came with twang)"},
        {CLI_TEXT, .name = "-o|--output", .value = "DIR", .out = &o.folder, .help = "folder for page and renders"},
        {CLI_FLAG, .name = "--json", .out = &o.json, .help = "print what is there as JSON"},
    };
    const CliUsage usage = {"gallery", "render, check and show all examples on one page", options,
                            (int)(sizeof options / sizeof *options), notes};
    int code;
    return cli_parse(&usage, argc, argv, &code) ? run(&o) : code;
}
