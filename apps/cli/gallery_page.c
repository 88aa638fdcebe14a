// SPDX-License-Identifier: MIT
// The page of a gallery: one HTML file beside the folders of the scenes. Links are relative, and all text is escaped.

#include "gallery.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SOUNDS 8
#define SCENE_MAX_BYTES ((size_t)1 << 16)  // of a scene whose text is shown

// ---- text ----

// bytes of the UTF-8 character at text; 0 if it is none
static int character(const char* text)
{
    const unsigned char c = (unsigned char)text[0];
    const int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    return n;
}

// what may stand between tags and in quotes
static void put(FILE* out, const char* text)
{
    while (*text)
    {
        const int n = character(text);
        const unsigned char c = (unsigned char)*text;
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\'')
            fputs("&#39;", out);
        else if (n == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            fputs("\xef\xbf\xbd", out);
        else
            fwrite(text, 1, (size_t)n, out);
        text += n > 0 ? n : 1;
    }
}

// a path as an address
static void put_link(FILE* out, const char* path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./~";
    for (; *path; path++)
        if (strchr(plain, *path))
            fputc(*path, out);
        else
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*path);
}

// a link to a file in an item's folder, if it is there
static void put_file(FILE* out, const GalleryItem* item, const char* name, const char* label)
{
    char path[GALLERY_PATH];
    if (!gallery_has(item, name)) return;
    snprintf(path, sizeof path, "%s/%s", item->scene->name, name);
    fputs("<a href=\"", out);
    put_link(out, path);
    fprintf(out, "\">%s</a>\n", label);
}

static void put_figure(FILE* out, const char* label, const char* value, const char* more)
{
    fputs("<div><dt>", out);
    put(out, label);
    fputs("</dt><dd>", out);
    put(out, value);
    if (more[0]) fputs(" <small>", out), put(out, more), fputs("</small>", out);
    fputs("</dd></div>\n", out);
}

// ---- a scene ----

static void put_media(FILE* out, const GalleryItem* item)
{
    const bool film = gallery_has(item, "preview.mp4"), still = gallery_has(item, "still.png");
    const char* name = item->scene->name;
    if (film)
    {
        fprintf(out, "<video controls playsinline preload=\"none\" src=\"%s/preview.mp4\"", name);
        if (still) fprintf(out, " poster=\"%s/still.png\"", name);
        fputs("></video>\n", out);
    }
    else if (still || gallery_has(item, "spectrogram.png"))
    {
        fprintf(out, "<img class=\"look\" loading=\"lazy\" src=\"%s/%s\" alt=\"", name,
                still ? "still.png" : "spectrogram.png");
        put(out, item->scene->title);
        fputs("\">\n", out);
    }
}

static void put_sounds(FILE* out, const GalleryItem* item)
{
    char(*sounds)[GALLERY_PATH] = calloc(MOST_SOUNDS, sizeof *sounds);
    const int count = sounds ? gallery_sounds(item, sounds, MOST_SOUNDS) : 0;
    for (int i = 0; i < count; i++)
    {
        fputs("<div class=\"heard\">", out);
        if (count > 1) fputs("<span>", out), put(out, strchr(sounds[i], '/') + 1), fputs("</span>", out);
        fputs("<audio controls preload=\"metadata\" src=\"", out);
        put_link(out, sounds[i]);
        fputs("\"></audio></div>\n", out);
    }
    free(sounds);
    const bool seen = gallery_has(item, "preview.mp4") || gallery_has(item, "still.png");
    if (!seen || !gallery_has(item, "spectrogram.png")) return;
    fprintf(out,
            "<a class=\"thumb\" href=\"%s/spectrogram.png\"><img loading=\"lazy\" src=\"%s/spectrogram.png\" "
            "alt=\"Spectrogram of the sound\"></a>\n",
            item->scene->name, item->scene->name);
}

static const char* format_level(char* out, size_t bytes, double db, const char* unit)
{
    if (isfinite(db))
        snprintf(out, bytes, "%.1f %s", db, unit);
    else
        snprintf(out, bytes, "silent");
    return out;
}

static void put_figures(FILE* out, const GalleryItem* item)
{
    const twRenderCheck* c = &item->check;
    char text[64], more[96] = "";
    fputs("<dl>\n", out);
    snprintf(text, sizeof text, "%.4g s", c->seconds);
    put_figure(out, "simulated", text, item->part > 0 ? "the beginning" : "");
    snprintf(text, sizeof text, "%.3g s", c->cost);
    put_figure(out, "computing per second of it", text, "");
    if (item->scene->theirs > 0)
    {
        snprintf(text, sizeof text, "%.3g\xc3\x97", item->scene->theirs / c->cost);
        snprintf(more, sizeof more, "theirs: %.4g s", item->scene->theirs);
        put_figure(out, "faster than the source", text, more);
    }
    snprintf(text, sizeof text, "%.1e J", c->energy_rise);
    snprintf(more, sizeof more, "of %.2g J", c->energy_most);
    put_figure(out, "largest energy rise", c->energy_rise > 0 ? text : "none", more);
    put_figure(out, "peak level", format_level(text, sizeof text, c->peak_dbfs, "dBFS"), "");
    if (isfinite(c->rest_db))
    {
        format_level(text, sizeof text, c->rest_db, "dB");
        put_figure(out, item->scene->rest ? "left at rest, re the loudest" : "left at the end, re the loudest", text,
                   "");
    }
    snprintf(text, sizeof text, "%ld", (long)c->failures);
    put_figure(out, "solves off tolerance", text, "");
    fputs("</dl>\n", out);
}

static void put_badges(FILE* out, const GalleryItem* item)
{
    GalleryVerdict verdicts[GALLERY_VERDICTS];
    gallery_verdicts(item, verdicts);
    fputs("<div class=\"badges\">", out);
    for (int i = 0; i < GALLERY_VERDICTS; i++)
        if (verdicts[i].asked)
            fprintf(out, "<span class=\"badge%s\">%s %s</span>", verdicts[i].holds ? "" : " bad",
                    verdicts[i].holds ? "\xe2\x9c\x93" : "\xe2\x9c\x97 violated:", verdicts[i].claim);
    if (item->check.failures > 0)
        fprintf(out, "<span class=\"badge warn\">%ld solves off tolerance</span>", (long)item->check.failures);
    if (item->part > 0) fprintf(out, "<span class=\"badge warn\">first %g s only</span>", item->part);
    fputs("</div>\n", out);
}

static void put_text_of(FILE* out, const GalleryItem* item)
{
    char* text;
    if (tw_file_read(&text, NULL, item->file, SCENE_MAX_BYTES, NULL) != TW_OK) return;
    fprintf(out, "<details><summary>%s.yaml</summary><pre>", item->scene->name);
    put(out, text);
    fputs("</pre></details>\n", out);
    free(text);
}

static void put_state(FILE* out, const GalleryItem* item)
{
    static const char* const words[] = {"Not rendered yet.", "Rendered from another version; to be rendered again.",
                                        "Begun; the next run goes on with it.", "", ""};
    fputs(item->state == GALLERY_FAILED ? "<div class=\"trouble\">" : "<div class=\"where\">", out);
    put(out, item->state == GALLERY_FAILED ? item->trouble : words[item->state]);
    fputs("</div>\n", out);
}

static void put_card(FILE* out, const GalleryItem* item)
{
    const twGalleryScene* scene = item->scene;
    const bool ready = item->state == GALLERY_READY;
    const bool bad = item->state == GALLERY_FAILED || (ready && !gallery_holds(item));
    fprintf(out, "<article class=\"card%s\" id=\"%s\">\n", bad ? " bad" : "", scene->name);
    if (ready) put_media(out, item);
    fputs("<div class=\"body\">\n<div><h3>", out);
    put(out, scene->title);
    fputs("</h3>", out);
    if (scene->where[0]) fputs("<div class=\"where\">", out), put(out, scene->where), fputs("</div>", out);
    fputs("</div>\n", out);
    if (scene->note[0]) fputs("<p class=\"note\">", out), put(out, scene->note), fputs("</p>\n", out);
    if (ready)
    {
        put_sounds(out, item);
        put_badges(out, item);
        put_figures(out, item);
        fputs("<div class=\"files\">\n", out);
        put_file(out, item, "series.png", "plots");
        put_file(out, item, "scene.glb", "3D scene (GLB)");
        put_file(out, item, "trace.twtrace", "motion");
        put_file(out, item, "report.json", "report");
        fputs("</div>\n", out);
    }
    else
        put_state(out, item);
    put_text_of(out, item);
    fputs("</div>\n</article>\n", out);
}

// ---- the whole ----

static void put_tile(FILE* out, const char* number, const char* label)
{
    fputs("<div class=\"tile\"><b>", out);
    put(out, number);
    fputs("</b><span>", out);
    put(out, label);
    fputs("</span></div>\n", out);
}

static void put_tiles(FILE* out, const GallerySum* s)
{
    char text[64], label[128], time[32];
    fputs("<div class=\"tiles\">\n", out);
    snprintf(text, sizeof text, "%d of %d", s->ready, s->shown);
    put_tile(out, text, "scenes rendered");
    snprintf(text, sizeof text, "%.0f s", s->seconds);
    put_tile(out, text, "of motion and sound");
    gallery_time(text, sizeof text, s->cost);
    put_tile(out, text, "of computing on this machine");
    if (s->compared > 0)
    {
        snprintf(text, sizeof text, "%.0f\xc3\x97", s->theirs / s->ours);
        gallery_time(time, sizeof time, s->theirs);
        snprintf(label, sizeof label, "faster than the sources, which need %s for %d of these scenes", time,
                 s->compared);
        put_tile(out, text, label);
    }
    snprintf(text, sizeof text, "%d of %d", s->held, s->checks);
    put_tile(out, text, "checks hold: energy, finite, clipping, silence");
    fputs("</div>\n", out);
}

static void put_alarm(FILE* out, const Gallery* gallery, const GallerySum* s)
{
    if (s->failed + s->violated == 0) return;
    fputs("<div class=\"trouble alarm\">", out);
    for (int i = 0; i < gallery->count; i++)
    {
        const GalleryItem* item = &gallery->items[i];
        const bool failed = item->state == GALLERY_FAILED, ready = item->state == GALLERY_READY;
        if (!item->shown || !(failed || (ready && !gallery_holds(item)))) continue;
        fprintf(out, "<div><a href=\"#%s\">%s</a> %s</div>", item->scene->name, item->scene->name,
                failed ? "could not be rendered" : "violates what every scene must hold");
    }
    fputs("</div>\n", out);
}

static bool has_shown(const Gallery* gallery, int source)
{
    for (int i = 0; i < gallery->count; i++)
        if (gallery->items[i].shown && gallery->items[i].scene->source == source) return true;
    return false;
}

static void put_head(FILE* out, const Gallery* gallery)
{
    const twGallery* table = gallery->table;
    const GallerySum s = gallery_sum(gallery);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    put(out, table->title);
    fputs("</title>\n<style>\n", out);
    for (int i = 0; gallery_style[i]; i++) fputs(gallery_style[i], out);
    fputs("</style>\n</head>\n<body>\n<header>\n<h1>", out);
    put(out, table->title);
    fprintf(
        out,
        "</h1>\n<p class=\"lead\">Sound and picture come from one physical model. Every scene is checked: energy "
        "only goes down, all stays finite, nothing clips, and what lies still is silent. Rendered by Twang %s.</p>\n",
        tw_version());
    put_tiles(out, &s);
    put_alarm(out, gallery, &s);
    if (table->source_count > 1) fputs("<nav>\n", out);
    for (int i = 0; i < table->source_count && table->source_count > 1; i++)
        if (has_shown(gallery, i))
            fprintf(out, "<a href=\"#source-%s\">%s</a>\n", table->sources[i].name, table->sources[i].name);
    if (table->source_count > 1) fputs("</nav>\n", out);
    fputs("</header>\n<main>\n", out);
}

// all scenes as a table, to be read across
static void put_table(FILE* out, const Gallery* gallery)
{
    fputs(
        "<h2>All figures</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>scene</th><th>simulated [s]</th><th>computing "
        "[s/s]</th><th>theirs [s/s]</th><th>faster</th><th>energy rise [J]</th><th>peak [dBFS]</th><th>at the end "
        "[dB]</th><th>off tolerance</th></tr></thead>\n<tbody>\n",
        out);
    for (int i = 0; i < gallery->count; i++)
    {
        const GalleryItem* item = &gallery->items[i];
        const twRenderCheck* c = &item->check;
        char text[32];
        if (!item->shown || item->state != GALLERY_READY) continue;
        fprintf(out, "<tr><td><a href=\"#%s\">%s</a></td><td>%.4g</td><td>%.3g</td>", item->scene->name,
                item->scene->name, c->seconds, c->cost);
        if (item->scene->theirs > 0)
            fprintf(out, "<td>%.4g</td><td>%.3g\xc3\x97</td>", item->scene->theirs, item->scene->theirs / c->cost);
        else
            fputs("<td></td><td></td>", out);
        fprintf(out, c->energy_rise > 0 ? "<td>%.1e</td>" : "<td>%g</td>", c->energy_rise);
        fprintf(out, "<td>%s</td>", format_level(text, sizeof text, c->peak_dbfs, ""));
        fprintf(out, "<td>%s</td><td>%ld</td></tr>\n",
                isfinite(c->rest_db) ? format_level(text, sizeof text, c->rest_db, "") : "", (long)c->failures);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_page(FILE* out, const Gallery* gallery)
{
    const twGallery* table = gallery->table;
    put_head(out, gallery);
    for (int i = 0; i < table->source_count; i++)
    {
        if (!has_shown(gallery, i)) continue;
        fprintf(out, "<section id=\"source-%s\">\n<h2>", table->sources[i].name);
        put(out, table->sources[i].title);
        fputs("</h2>\n<p class=\"by\">", out);
        put(out, table->sources[i].by);
        fputs("</p>\n<div class=\"grid\">\n", out);
        for (int k = 0; k < gallery->count; k++)
            if (gallery->items[k].shown && gallery->items[k].scene->source == i) put_card(out, &gallery->items[k]);
        fputs("</div>\n</section>\n", out);
    }
    put_table(out, gallery);
    fputs(
        "</main>\n<footer>Computing times are wall-clock seconds per second of the model on the machine that rendered "
        "this page, modes not counted; those of the sources are theirs, on up to 8 cores. Made by "
        "<code>twang gallery</code>.</footer>\n</body>\n</html>\n",
        out);
}

twStatus gallery_page(const Gallery* gallery, twError* err)
{
    char path[GALLERY_PATH + 16];
    twFile* file;
    snprintf(path, sizeof path, "%s/index.html", gallery->folder);
    const twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    put_page(tw_file_stream(file), gallery);
    return tw_file_commit(&file, err);
}
