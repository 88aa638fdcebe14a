// SPDX-License-Identifier: MIT
// Tests of `twang gallery`: what it renders and what it leaves, the page, scenes that fail, going on after Ctrl-C; and that the
// table of our own scenes is complete.
#define _XOPEN_SOURCE 700
#include "cli.h"
#include "twang/gallery.h"
#include "twang/scene.h"
#include <sys/stat.h>

#define STRUCK(velocity)                                                                                               \
    "duration: 0.3\nobjects: {h: {mass: 0.01}, p: {modes: [{freq: 500, t60: 0.1, mass: 0.1}]}}\n"                      \
    "interactions: [{between: [h, p], impact: {stiffness: 1.0e+7}}]\nstrikes: [{with: h, velocity: " #velocity "}]\n"
#define RUN_IT "gallery --scenes s -o g "

// a folder of two scenes
static bool two_scenes(void)
{
    remove_files();
    return mkdir(in_folder("s"), 0777) == 0 && write_text("s/a.yaml", STRUCK(1)) && write_text("s/b.yaml", STRUCK(2));
}

static char page[1 << 18];

static bool read_page(void)
{
    FILE* file = fopen(in_folder("g/index.html"), "rb");
    if (!file) return false;
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    return true;
}

// the name of the tag at s, behind "<" or "</"
static void tag_name(const char* s, char out[16])
{
    const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
    snprintf(out, 16, "%.*s", (int)(n < 15 ? n : 15), s);
}

// every tag is closed in its order, quotes are closed, no bare < or & is left
static bool is_well_formed(const char* s)
{
    static const char* const alone[] = {"meta", "img", "br", "!doctype"};
    char open[64][16], name[16];
    int depth = 0;
    if (strncmp(s, "<!DOCTYPE html>", 15) != 0) return false;
    for (s += 15; *s; s++)
    {
        if (*s == '>') return false;
        if (*s == '&' && strcspn(s, ";") > 8) return false;
        if (*s != '<') continue;
        const bool closing = s[1] == '/';
        tag_name(s + 1 + closing, name);
        if (!name[0]) return false;
        bool quoted = false;
        for (s++; *s && (quoted || *s != '>'); s++)
        {
            if (*s == '"') quoted = !quoted;
            if (*s == '<') return false;
        }
        if (!*s) return false;
        bool single = false;
        for (int i = 0; i < 4; i++) single |= strcmp(name, alone[i]) == 0;
        if (closing && (depth == 0 || strcmp(open[--depth], name) != 0)) return false;
        if (!closing && !single)
        {
            if (depth == 64) return false;
            memcpy(open[depth++], name, 16);
        }
        // the text of a style is its own language
        if (!closing && strcmp(name, "style") == 0) s = strstr(s, "</style>") - 1;
    }
    return depth == 0;
}

// ---- rendering ----

static int scenes_are_rendered_once_and_shown_on_a_page(void)
{
    ENSURE(two_scenes());
    ENSURE(run("gallery --scenes s -o g --list") == 0 && strstr(output, "missing") && !is_there("g"));
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "2 of 2 scenes are ready, 2 rendered now, in "));
    ENSURE(is_there("g/a/sound.wav") && is_there("g/b/spectrogram.png") && is_there("g/a/report.json"));
    ENSURE(read_page() && is_well_formed(page));
    ENSURE(strstr(page, "id=\"a\"") && strstr(page, "src=\"b/sound.wav\"") && strstr(page, "b/spectrogram.png"));
    ENSURE(strstr(page, "no energy rise") && strstr(page, "peak level") && strstr(page, "2 of 2"));
    // all is on the disk
    ENSURE(!strstr(page, "http") && !strstr(page, "//") && !strstr(page, "<script"));

    struct stat before, after;
    ENSURE(stat(in_folder("g/a/sound.wav"), &before) == 0);
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "2 of 2 scenes are ready, 0 rendered now"));
    ENSURE(stat(in_folder("g/a/sound.wav"), &after) == 0 && before.st_ino == after.st_ino);
    ENSURE(run(RUN_IT "--list") == 0 && strstr(output, "ready") && !strstr(output, "missing"));
    return 0;
}

static int a_changed_scene_is_rendered_again_alone(void)
{
    ENSURE(two_scenes() && run(RUN_IT "2>&1") == 0);
    ENSURE(write_text("s/b.yaml", STRUCK(3)));
    ENSURE(run(RUN_IT "--list") == 0 && strstr(output, "out of date"));
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "1 rendered now") && strstr(output, "b  "));
    ENSURE(run(RUN_IT "--again --only a 2>&1") == 0 && strstr(output, "1 of 1 scenes are ready, 1 rendered now"));
    return 0;
}

// meshes and sounds that a scene names are part of it
static int a_scene_is_rendered_again_if_a_file_it_names_changes(void)
{
    remove_files();
    ENSURE(mkdir(in_folder("s"), 0777) == 0);
    const char* cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    ENSURE(write_text("s/t.obj", cube));
    ENSURE(write_text(
        "s/a.yaml",
        "duration: 0.02\nframes: 0\nlisteners: {}\nbodies: {t: {shape: t.obj, mass: 1, flexible: false}}\n"));
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "1 rendered now"));
    ENSURE(write_text("s/t.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "1 rendered now"));
    return 0;
}

static int sounds_are_the_same_for_any_number_of_jobs(void)
{
    ENSURE(two_scenes());
    ENSURE(run("gallery --scenes s -o one --jobs 1 2>&1") == 0 && run("gallery --scenes s -o two --jobs 2 2>&1") == 0);
    ENSURE(run("--version && cmp one/a/sound.wav two/a/sound.wav && cmp one/b/sound.wav two/b/sound.wav") == 0);
    return 0;
}

static int a_quick_look_renders_the_beginning_and_says_so(void)
{
    ENSURE(two_scenes());
    ENSURE(write_text("s/gallery.yml",
                      "sources: {x: {title: X}}\nscenes:\n"
                      "  - {scene: a, source: x, title: A, part: 0.15}\n  - {scene: b, source: x, title: B}\n"));
    ENSURE(run(RUN_IT "--quick --json 2>/dev/null") == 0 && is_json(output) && strstr(output, "\"seconds\": 0.15"));
    ENSURE(read_page() && is_well_formed(page) && strstr(page, "first 0.15 s only"));
    // the whole is another thing
    ENSURE(run(RUN_IT "2>&1") == 0 && strstr(output, "1 rendered now"));
    ENSURE(read_page() && !strstr(page, "first 0.15 s only"));
    return 0;
}

// ---- what goes wrong ----

static int a_scene_that_fails_is_told_and_stops_nobody(void)
{
    ENSURE(two_scenes() && write_text("s/aa.yaml", "duration: 1\nobjects: {\"<i>\": {mas: 1}}\n"));
    ENSURE(run(RUN_IT "2>&1") == 1);
    ENSURE(strstr(output, "FAILED: twang render: ") && strstr(output, "2 of 3 scenes are ready"));
    ENSURE(read_page() && is_well_formed(page) && strstr(page, "aa.yaml:2:") && strstr(page, "could not be rendered"));
    ENSURE(strstr(page, "&lt;i&gt;") && !strstr(page, "<i>"));
    ENSURE(run(RUN_IT "--list --json") == 0 && is_json(output) && strstr(output, "\"failed\""));
    // mended
    ENSURE(write_text("s/aa.yaml", STRUCK(1)) && run(RUN_IT "2>&1") == 0 && strstr(output, "1 rendered now"));
    return 0;
}

static int a_scene_that_is_not_silent_at_rest_is_told(void)
{
    ENSURE(two_scenes());
    ENSURE(write_text("s/c.yaml",
                      "duration: 0.3\nobjects: {h: {mass: 0.01}, p: {modes: [{freq: 500, t60: 9, mass: 0.1}]}}\n"
                      "interactions: [{between: [h, p], impact: {stiffness: 1.0e+7}}]\nstrikes: [{with: h}]\n"));
    ENSURE(write_text("s/gallery.yml",
                      "sources: {x: {title: X}}\nscenes:\n  - {scene: a, source: x, title: A, rest: true}\n"
                      "  - {scene: c, source: x, title: C, rest: true}\n"));
    ENSURE(run(RUN_IT "2>&1") == 1 && strstr(output, "1 of 2 scenes failed or violate a check"));
    ENSURE(read_page() && strstr(page, "violated: silent at rest") &&
           strstr(page, "violates what every scene must hold"));
    return 0;
}

static int text_of_the_table_is_escaped(void)
{
    ENSURE(two_scenes());
    ENSURE(write_text("s/gallery.yml", "title: \"<script>alert('1')</script> & more\"\n"
                                       "sources: {x: {title: \"<X>\", by: \"a \\\"b\\\"\"}}\n"
                                       "scenes: [{scene: a, source: x, title: \"</h3><b>\", note: \"1 < 2 & 3\"}]\n"));
    ENSURE(run(RUN_IT "2>&1") == 0 && read_page() && is_well_formed(page));
    ENSURE(strstr(page, "<title>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; more</title>"));
    ENSURE(strstr(page, "&lt;/h3&gt;&lt;b&gt;") && strstr(page, "1 &lt; 2 &amp; 3") && !strstr(page, "<script"));
    return 0;
}

static int what_is_wrong_is_said_with_its_place(void)
{
    static const struct
    {
        const char *table, *message;
    } cases[] = {
        {"sources: {x: {title: X}}\nscenes: [{scene: a, source: y, title: A}]\n", "'y' is not among the 'sources'"},
        {"sources: {x: {title: X}}\nscenes: [{scene: ../a, source: x, title: A}]\n", "named by its file"},
        {"sources: {x: {title: X}}\nscenes: [{scene: a, source: x, title: A, after: b}]\n",
         "'b' is not a scene before"},
        {"sources: {x: {title: X}}\nscenes: [{scene: a, source: x, titel: A}]\n", "title"},
        {"sources: {x: {title: X}}\nscenes: []\n", "1 to 1000 scenes"},
    };
    ENSURE(two_scenes());
    for (int i = 0; i < 5; i++)
    {
        ENSURE(write_text("s/gallery.yml", cases[i].table));
        ENSURE(run(RUN_IT "2>&1") == 2 && strstr(output, "s/gallery.yml:2:") && strstr(output, cases[i].message));
    }
    ENSURE(!is_there("g"));
    ENSURE(two_scenes() && run(RUN_IT "--only c 2>&1") == 2 && strstr(output, "no scene or source is called 'c'"));
    ENSURE(run("gallery --scenes nowhere 2>&1") == 2 && strstr(output, "nowhere: no such folder"));
    ENSURE(mkdir(in_folder("e"), 0777) == 0 && run("gallery --scenes e 2>&1") == 2 && strstr(output, "no scenes"));
    return 0;
}

static int a_missing_file_of_the_table_fails_alone(void)
{
    ENSURE(two_scenes());
    ENSURE(write_text("s/gallery.yml",
                      "sources: {x: {title: X}}\nscenes:\n  - {scene: a, source: x, title: A}\n"
                      "  - {scene: gone, source: x, title: G}\n  - {scene: b, source: x, title: B, after: gone}\n"));
    ENSURE(run(RUN_IT "2>&1") == 1 && strstr(output, "1 of 3 scenes are ready"));
    ENSURE(read_page() && strstr(page, "gone.yaml") && strstr(page, "it goes on from &#39;gone&#39;, which failed"));
    return 0;
}

// ---- interruption ----

static int an_interrupted_run_goes_on(void)
{
    remove_files();
    ENSURE(mkdir(in_folder("s"), 0777) == 0 && write_text("s/a.yaml", STRUCK(1)));
    ENSURE(write_text("s/z.yaml", "duration: 30\nframes: 5\nbodies: {b: {shape: \"sphere:0.01\"}}\n"
                                  "listeners: {l: {pickup: {body: b, at: [0, 0, 0.01]}}}\n"));
    char* args[] = {"twang", "gallery", "--scenes", "s", "-o", "g", "--jobs", "1", "--no-video", NULL};
    int errors, status = 0;
    const pid_t child = start_quietly(args, &errors);
    ENSURE(child > 0);
    for (int i = 0; i < 4000 && !is_there("g/z/trace.twtrace.state"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    kill(child, SIGINT);
    waitpid(child, &status, 0);
    const ssize_t bytes = read(errors, output, OUTPUT_MAX - 1);
    close(errors);
    output[bytes > 0 ? bytes : 0] = 0;
    ENSURE(WIFEXITED(status) && WEXITSTATUS(status) == 130 && strstr(output, "the same command goes on"));
    ENSURE(is_there("g/z/trace.twtrace.part") && !is_there("g/z/l.wav") && is_there("g/a/sound.wav"));
    ENSURE(read_page() && is_well_formed(page) && strstr(page, "1 of 2"));
    ENSURE(run(RUN_IT "--no-video --list") == 0 && strstr(output, "begun"));

    ENSURE(run(RUN_IT "--no-video --json 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "\"went_on\": true") && !strstr(output, "begun"));
    ENSURE(is_there("g/z/l.wav") && !is_there("g/z/trace.twtrace.part") && is_there("g/z/still.png"));
    ENSURE(run(RUN_IT "--no-video --list") == 0 && !strstr(output, "begun"));
    ENSURE(run(RUN_IT "--list") == 0 && strstr(output, "begun"));  // a film is wanted now
    // the same as if nothing had happened
    ENSURE(run("gallery --scenes s -o h --no-video --only z && cmp g/z/l.wav h/z/l.wav") == 0);
    return 0;
}

// ---- our own scenes ----

static bool is_in_table(const twGallery* gallery, const char* file)
{
    for (int i = 0; i < gallery->scene_count; i++)
    {
        char name[80];
        snprintf(name, sizeof name, "%s.yaml", gallery->scenes[i].name);
        if (strcmp(name, file) == 0) return true;
    }
    return false;
}

// every example is there and can be read, and every scene is an example or marked as our own
static int the_table_of_our_scenes_is_complete(void)
{
    twGallery* gallery;
    twError err;
    ENSURE(tw_gallery_load(&gallery, TEST_SOURCE_DIR "/scenes", &err) == TW_OK);
    for (int i = 0; i < gallery->scene_count; i++)
    {
        char path[512];
        twScene* scene;
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", TEST_SOURCE_DIR, gallery->scenes[i].name);
        ENSURE(tw_scene_load(&scene, path, &err) == TW_OK);
        ENSURE(!(gallery->scenes[i].part > 0) || gallery->scenes[i].part < scene->duration);
        tw_scene_destroy(scene);
    }
    DIR* dir = opendir(TEST_SOURCE_DIR "/scenes");
    ENSURE(dir);
    int missing = 0;
    for (struct dirent* entry; (entry = readdir(dir));)
    {
        const char* dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0 || is_in_table(gallery, entry->d_name)) continue;
        printf("scenes/%s is not in scenes/gallery.yml\n", entry->d_name);
        missing++;
    }
    closedir(dir);
    tw_gallery_destroy(gallery);
    ENSURE(missing == 0);
    return 0;
}

static int our_scenes_are_found_from_anywhere(void)
{
    remove_files();
    ENSURE(run("gallery --list --json") == 0 && is_json(output));
    ENSURE(strstr(output, "\"slinky-walk\"") && strstr(output, "\"minutes_expected\"") && !strstr(output, "\"twang\""));
    ENSURE(run("gallery --list --only twang --only fork") == 0 && strstr(output, "demo") && strstr(output, "fork"));
    ENSURE(!strstr(output, "wineglass") && count_files() == 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(scenes_are_rendered_once_and_shown_on_a_page)
    RUN(a_changed_scene_is_rendered_again_alone)
    RUN(a_scene_is_rendered_again_if_a_file_it_names_changes)
    RUN(sounds_are_the_same_for_any_number_of_jobs)
    RUN(a_quick_look_renders_the_beginning_and_says_so)
    RUN(a_scene_that_fails_is_told_and_stops_nobody)
    RUN(a_scene_that_is_not_silent_at_rest_is_told)
    RUN(text_of_the_table_is_escaped)
    RUN(what_is_wrong_is_said_with_its_place)
    RUN(a_missing_file_of_the_table_fails_alone)
    RUN(an_interrupted_run_goes_on)
    RUN(the_table_of_our_scenes_is_complete)
    RUN(our_scenes_are_found_from_anywhere)
)
