// SPDX-License-Identifier: MIT
// What is there of a gallery: the scenes, and how far each of them is.
//
// An item's folder has a note, gallery.txt: the hash of what it was made from, and how far it came. What was made from
// something else is rendered again; what was begun goes on.
#define _XOPEN_SOURCE 700

#include "gallery.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE "gallery.txt"
#define FILE_MAX_BYTES ((size_t)1 << 28)

static const char* const state_words[] = {"missing", "stale", "begun", "failed", "ready"};

// ---- places ----

static bool is_folder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

twStatus gallery_program(char out[GALLERY_PATH], twError* err)
{
    const ssize_t n = readlink("/proc/self/exe", out, GALLERY_PATH - 1);
    if (n <= 0) return tw_fail(err, TW_IO_ERROR, "cannot find this program's own file (/proc/self/exe)");
    out[n] = 0;
    return TW_OK;
}

// beside an installed program, or in the source tree that it was built in: in build/bin or in build/NAME/bin
twStatus gallery_scenes(char out[GALLERY_PATH], twError* err)
{
    static const char* const places[] = {"../share/twang/scenes", "../../scenes", "../../../scenes"};
    char program[GALLERY_PATH];
    const twStatus status = gallery_program(program, err);
    if (status != TW_OK) return status;
    char* slash = strrchr(program, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
        char path[GALLERY_PATH + 32];
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        char* real = is_folder(path) ? realpath(path, NULL) : NULL;
        const bool found = real && snprintf(out, GALLERY_PATH, "%s", real) < GALLERY_PATH;
        free(real);
        if (found) return TW_OK;
    }
    return tw_fail(err, TW_BAD_INPUT, "no scenes beside %s; name their folder with --scenes DIR", program);
}

static bool item_path(const GalleryItem* item, const char* name, char out[GALLERY_PATH])
{
    return snprintf(out, GALLERY_PATH, "%s/%s", item->folder, name) < GALLERY_PATH;
}

bool gallery_has(const GalleryItem* item, const char* name)
{
    char path[GALLERY_PATH];
    struct stat info;
    return item_path(item, name, path) && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

static int by_text(const void* a, const void* b) { return strcmp(a, b); }

int gallery_sounds(const GalleryItem* item, char (*out)[GALLERY_PATH], int count)
{
    int found = 0;
    DIR* dir = opendir(item->folder);
    for (struct dirent* entry; dir && found < count && (entry = readdir(dir));)
    {
        const char* dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || !dot || strcmp(dot, ".wav") != 0) continue;
        snprintf(out[found++], GALLERY_PATH, "%s/%.255s", item->scene->name, entry->d_name);
    }
    if (dir) closedir(dir);
    qsort(out, (size_t)found, sizeof *out, by_text);
    return found;
}

// ---- hash ----

static twHash hash_file(const char* path, twHash hash)
{
    char* text;
    size_t bytes;
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return hash;
    if (tw_file_read(&text, &bytes, path, FILE_MAX_BYTES, NULL) != TW_OK) return hash;
    hash = tw_hash(text, bytes, hash);
    free(text);
    return hash;
}

// Meshes, sounds, heads: whatever a word of the scene names that is a file. A word that names one by chance costs a render, no more.
static twHash hash_named(const GalleryItem* item, const char* text, twHash hash)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+";
    const char* slash = strrchr(item->file, '/');
    for (const char* at = text; *at;)
    {
        const size_t n = strspn(at, letters);
        char path[2 * GALLERY_PATH];
        if (n > 4 && n < 256 && memchr(at, '.', n))
        {
            const int folder = at[0] == '/' || !slash ? 0 : (int)(slash - item->file) + 1;
            snprintf(path, sizeof path, "%.*s%.*s", folder, item->file, (int)n, at);
            hash = hash_file(path, hash);
        }
        at += n > 0 ? n : 1;
    }
    return hash;
}

static bool hash_item(GalleryItem* item, const GalleryItem* before)
{
    char* text;
    size_t bytes;
    twError err;
    if (tw_file_read(&text, &bytes, item->file, FILE_MAX_BYTES, &err) != TW_OK)
    {
        snprintf(item->trouble, sizeof item->trouble, "%.500s", err.text);
        return false;
    }
    twHash hash = tw_hash(tw_version(), strlen(tw_version()), (twHash){0, 0});
    hash = tw_hash(&item->part, sizeof item->part, hash);
    hash = tw_hash(text, bytes, hash);
    hash = hash_named(item, text, hash);
    if (before) hash = tw_hash(&before->hash, sizeof before->hash, hash);
    item->hash = hash;
    free(text);
    return true;
}

// ---- notes ----

twStatus gallery_note(const GalleryItem* item, GalleryState state, twError* err)
{
    char path[GALLERY_PATH], hash[33];
    twFile* file;
    twStatus status = tw_make_folder(item->folder, err);
    if (status != TW_OK) return status;
    if (!item_path(item, NOTE, path)) return tw_fail(err, TW_BAD_INPUT, "the folder's name is too long");
    status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    tw_hash_text(item->hash, hash);
    fprintf(tw_file_stream(file), "%s\n%s\n%.3f\n%s\n%s\n", hash, state_words[state], item->seconds,
            item->no_video ? "no film" : "film", state == GALLERY_FAILED ? item->trouble : "");
    return tw_file_commit(&file, err);
}

// the line at *text, which goes on to the next one
static char* take_line(char** text)
{
    char *line = *text, *end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    *end = 0;
    return line;
}

static GalleryState read_note(GalleryItem* item)
{
    char path[GALLERY_PATH], hash[33], *text, *at;
    if (!item_path(item, NOTE, path) || tw_file_read(&text, NULL, path, 1 << 14, NULL) != TW_OK) return GALLERY_MISSING;
    at = text;
    GalleryState state = GALLERY_STALE;
    tw_hash_text(item->hash, hash);
    const bool same = strcmp(take_line(&at), hash) == 0;
    const char* word = take_line(&at);
    for (int i = GALLERY_BEGUN; i <= GALLERY_READY; i++)
        if (same && strcmp(word, state_words[i]) == 0) state = (GalleryState)i;
    item->seconds = atof(take_line(&at));
    // a film that was not wanted then is all that is missing now
    if (strcmp(take_line(&at), "film") != 0 && !item->no_video && state == GALLERY_READY) state = GALLERY_BEGUN;
    if (state == GALLERY_FAILED) snprintf(item->trouble, sizeof item->trouble, "%s", at);
    item->trouble[strcspn(item->trouble, "\n")] = 0;
    free(text);
    return state;
}

void gallery_look(GalleryItem* item, const GalleryItem* before)
{
    item->state = GALLERY_FAILED;
    item->trouble[0] = 0;
    if (!hash_item(item, before)) return;
    item->state = read_note(item);
    if (item->state != GALLERY_READY) return;
    char path[GALLERY_PATH];
    twError err;
    if (!item_path(item, "report.json", path) || tw_render_check_load(&item->check, path, &err) != TW_OK)
        item->state = GALLERY_STALE;
}

// ---- verdicts ----

void gallery_verdicts(const GalleryItem* item, GalleryVerdict out[GALLERY_VERDICTS])
{
    const twRenderCheck* c = &item->check;
    const bool sounds = isfinite(c->peak_dbfs), whole = item->part == 0;
    out[0] = (GalleryVerdict){"no energy rise", true, tw_check_passive(c)};
    out[1] = (GalleryVerdict){"all finite", true, tw_check_finite(c)};
    out[2] = (GalleryVerdict){"no clipping", sounds, tw_check_unclipped(c)};
    out[3] = (GalleryVerdict){"silent at rest", sounds && whole && item->scene->rest, tw_check_silent(c)};
}

bool gallery_holds(const GalleryItem* item)
{
    GalleryVerdict verdicts[GALLERY_VERDICTS];
    if (item->state != GALLERY_READY) return false;
    gallery_verdicts(item, verdicts);
    for (int i = 0; i < GALLERY_VERDICTS; i++)
        if (verdicts[i].asked && !verdicts[i].holds) return false;
    return true;
}

GallerySum gallery_sum(const Gallery* gallery)
{
    GallerySum s = {0};
    for (int i = 0; i < gallery->count; i++)
    {
        const GalleryItem* item = &gallery->items[i];
        GalleryVerdict verdicts[GALLERY_VERDICTS];
        if (!item->shown) continue;
        s.shown++;
        s.failed += item->state == GALLERY_FAILED;
        if (item->state != GALLERY_READY) continue;
        s.ready++;
        s.violated += !gallery_holds(item);
        gallery_verdicts(item, verdicts);
        for (int k = 0; k < GALLERY_VERDICTS; k++)
            s.checks += verdicts[k].asked, s.held += verdicts[k].asked && verdicts[k].holds;
        s.seconds += item->check.seconds;
        s.cost += item->check.cost * item->check.seconds;
        s.rendering += item->seconds;
        if (!(item->scene->theirs > 0)) continue;
        s.compared++;
        s.theirs += item->scene->theirs * item->check.seconds;
        s.ours += item->check.cost * item->check.seconds;
    }
    return s;
}

void gallery_time(char* out, size_t bytes, double seconds)
{
    if (seconds < 9.95)
        snprintf(out, bytes, "%.1f s", seconds);
    else if (seconds < 99.5)
        snprintf(out, bytes, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(out, bytes, "%.0f min", seconds / 60);
    else
        snprintf(out, bytes, "%.1f h", seconds / 3600);
}
