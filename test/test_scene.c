// SPDX-License-Identifier: MIT
// Scenes: reading, errors, playing, rendering.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scene.h"
#include "scene/reader.h"
#include "scratch.h"
#include "twang/math.h"
#include "twang/play.h"
#include "twang/render.h"
#include "twang/rub.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LN_1000 6.907755278982137

// play a scene's first output (mono) into a new array
static float* play(const twScene* scene, int* frames)
{
    twPlay* p;
    twPlayDef def = {0};
    if (tw_play_create(&p, scene, &def, NULL) != TW_OK) return NULL;
    *frames = (int)lround(scene->duration * scene->rate_hz);
    float* sound = calloc((size_t)*frames * (size_t)scene->outputs[0].channels, sizeof(float));
    float** outs = calloc((size_t)scene->output_count, sizeof(float*));
    if (sound && outs)
    {
        outs[0] = sound;
        tw_play_process(p, outs, NULL, *frames);
    }
    free(outs);
    tw_play_destroy(p);
    return sound;
}

// ---- files ----

static int count_files(const char* path)
{
    DIR* dir = opendir(path);
    if (!dir) return 0;
    int count = 0;
    for (struct dirent* entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void empty_folder(const char* path)
{
    DIR* dir = opendir(path);
    if (!dir) return;
    for (struct dirent* entry; (entry = readdir(dir));)
    {
        char file[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        remove(file);
    }
    closedir(dir);
    rmdir(path);
}

// ---- series ----

static int bar_series_has_the_roots_and_nodes_of_beam_theory(void)
{
    const double roots[] = {4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464};
    for (int n = 0; n < 4; n++) ENSURE_NEAR(tw_series_ratio(TW_SERIES_BAR, n), pow(roots[n] / roots[0], 2), 1e-12);
    ENSURE_NEAR(tw_series_shape(TW_SERIES_BAR, 0, 0), 1, 1e-12);
    ENSURE_NEAR(tw_series_shape(TW_SERIES_BAR, 0, 1), 1, 1e-9);
    ENSURE_NEAR(tw_series_shape(TW_SERIES_BAR, 1, 1), -1, 1e-9);
    ENSURE_NEAR(tw_series_shape(TW_SERIES_BAR, 0, 0.224157), 0, 1e-5);
    // about the middle the first shape is (cos bx/cos(b/2) + cosh bx/cosh(b/2))/2
    ENSURE_NEAR(tw_series_shape(TW_SERIES_BAR, 0, 0.5), 0.5 / cos(0.5 * roots[0]) + 0.5 / cosh(0.5 * roots[0]), 1e-12);
    const double held[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    for (int n = 0; n < 3; n++) ENSURE_NEAR(tw_series_ratio(TW_SERIES_CANTILEVER, n), pow(held[n] / held[0], 2), 1e-12);
    for (int n = 0; n < 60; n++)
    {
        ENSURE_NEAR(tw_series_shape(TW_SERIES_CANTILEVER, n, 0), 0, 1e-9);
        ENSURE_NEAR(fabs(tw_series_shape(TW_SERIES_CANTILEVER, n, 1)), 1, 1e-9);
    }
    return 0;
}

static double inner(twSeries kind, int a, int b)
{
    double sum = 0;
    for (int i = 0; i < 4000; i++)
    {
        double s = (i + 0.5) / 4000;
        sum += tw_series_shape(kind, a, s) * tw_series_shape(kind, b, s) / 4000;
    }
    return sum;
}

static int series_shapes_are_orthogonal_with_the_stated_mass(void)
{
    for (int kind = TW_SERIES_STRING; kind <= TW_SERIES_CANTILEVER; kind++)
        for (int a = 0; a < 6; a++)
            for (int b = a; b < 6; b++)
                ENSURE_NEAR(inner((twSeries)kind, a, b), a == b ? tw_series_mass_share((twSeries)kind) : 0, 2e-6);
    return 0;
}

// ---- reading ----

static int six_lines_make_a_sound(void)
{
    twScene* scene;
    twError err;
    int frames;
    ENSURE(tw_scene_load(&scene, TEST_SOURCE_DIR "/scenes/first.yaml", &err) == TW_OK);
    float *sound = play(scene, &frames), peak = 0;
    ENSURE(sound != NULL);
    for (int i = 0; i < frames; i++) peak = fmaxf(peak, fabsf(sound[i]));
    ENSURE(peak > 1e-3f && isfinite(peak));
    free(sound);
    tw_scene_destroy(scene);
    return 0;
}

static int decay_forms_agree(void)
{
    twScene* scene;
    twError err;
    const char* text =
        "objects:\n  a: {modes: [{freq: 100, decay: 3}, {freq: 200, damping: 6}, {freq: 300, t60: 2.302585092994}, {freq: 400, gain: 4}]}\n"
        "  b: {modes: [{freq: 100}, {freq: 200, decay: 1}], t60: 2, modal_mass: 0.7}\n"
        "  c: {modes: [{freq: 1000}], material: mine}\nmaterials: {mine: {alpha: 4, beta: 1.0e-7}}\n";
    ENSURE(parse_scene(&scene, text, &err) == TW_OK);
    const twModes *a = scene->objects[0].modes, *b = scene->objects[1].modes, *c = scene->objects[2].modes;
    for (int i = 0; i < 3; i++) ENSURE_NEAR(a->decay[i], 3, 1e-9);
    ENSURE_NEAR(a->mass[3], 0.25, 1e-15);
    ENSURE_NEAR(b->decay[0], LN_1000 / 2, 1e-12);
    ENSURE_NEAR(b->decay[1], 1, 0);
    ENSURE_NEAR(b->mass[1], 0.7, 0);
    ENSURE_NEAR(c->decay[0], 0.5 * (4 + 1e-7 * pow(2 * TW_PI * 1000, 2)), 1e-9);
    tw_scene_destroy(scene);
    return 0;
}

#define OBJECTS "objects:\n  h: {mass: 1}\n  b: {modes: [{freq: 100}]}\n"

static const Wrong wrongs[] = {
    {"", "", "the file is empty"},
    {"objects: {}\n", "1:", "empty"},
    {"objects: {a: {}}\n", "1:", "needs one of"},
    {"objects: {a: {mass: 7800kg}}\n", "1:21", "7800kg"},
    {"objects: {a: {mass: -1}}\n", "1:21", "'mass'"},
    {"objects: {a: {mass: nan}}\n", "1:21", "nan"},
    {"objects: {a: {mas: 1}}\n", "1:", "needs one of"},
    {"objects: {a: {mass: 1, velocty: 1}}\n", "1:24", "velocity"},
    {"objects: {a: {modes: []}}\n", "1:", "empty"},
    {"objects: {a: {modes: [{freq: 24000}]}}\n", "1:30", "half the rate"},
    {"objects: {a: {modes: [{freq: 100, mass: 0}]}}\n", "1:41", "'mass'"},
    {"objects: {a: {modes: [{freq: 100, mass: 1, gain: 1}]}}\n", "1:44", "keep one"},
    {"objects: {a: {modes: [{freq: 100, t60: 1, decay: 1}]}}\n", "1:", "say the same thing"},
    {"objects: {a: {modes: [{freq: 100}], points: {p: [1, 2]}}}\n", "1:", "1 number"},
    {"objects: {a: {modes: [{freq: 100}], material: cheese}}\n", "1:47", "cheese"},
    {"objects: {a: {series: {freq: 100, count: 1000000000}}}\n", "1:42", "100000"},
    {"objects: {a: {series: {kind: string, freq: 5000, count: 9}}}\n", "1:", "'count' can be 4 at most"},
    {"objects: {a: {mass: 1}, a: {mass: 2}}\n", "1:", "a"},
    {"duration: 0\n" OBJECTS, "1:11", "'duration'"},
    {"duration: -3\n" OBJECTS, "1:11", "'duration'"},
    {"rate: 44100.5\n" OBJECTS, "1:7", "'rate'"},
    {"scheme: exakt\n" OBJECTS, "1:9", "exact"},
    {OBJECTS "interactions: [{between: [h, b]}]\n", "4:", "needs 'impact'"},
    {OBJECTS "interactions: [{between: [h, c], impact: {}}]\n", "4:30", "no object 'c'"},
    {OBJECTS "interactions: [{between: [h, b.tip], impact: {}}]\n", "4:30", "no point 'tip'"},
    {OBJECTS "interactions: [{between: [h, h], impact: {}}]\n", "4:", "touch itself"},
    {OBJECTS "interactions: [{between: [h, b], friction: {}}]\n", "4:", "normal_force"},
    {OBJECTS "interactions: [{between: [h, b], friction: {static: 0.1, dynamic: 0.2, normal_force: 1}}]\n",
     "4:", "at least the dynamic"},
    {OBJECTS "interactions: [{between: [h, b], impact: {}, friction: {}}]\n", "4:", "need 'slide'"},
    {"objects:\n  h: {modes: [{freq: 0}, {freq: 0}], points: {n: [1, 0], t: [0, 1]}}\n  b: {modes: [{freq: 100}]}\n"
     "interactions: [{between: [h.n, b], slide: [h.t, b], impact: {}, friction: {normal_force: 1}}]\n",
     "4:", "comes from the impact"},
    {OBJECTS "interactions: [{between: [b, h], impact: {}, rolling: {}}]\n", "4:", "rigid exciter"},
    {OBJECTS "interactions: [{between: [h, b], impact: {}, rolling: {}, scraping: {}}]\n", "4:", "keep one"},
    {OBJECTS "forces: [{on: h}]\n", "4:", "'value'"},
    {OBJECTS "forces: [{on: h, value: {ramp: [0, 1], start: 3, end: 2}}]\n", "4:", "after its start"},
    {OBJECTS "forces: [{on: h, value: {keyframes: [[0, 1], [0, 2]]}}]\n", "4:", "must rise"},
    {OBJECTS "forces: [{on: h, value: {csv: nowhere.csv}}]\n", "4:", "nowhere.csv"},
    {OBJECTS "forces: [{on: h, value: {wav: nowhere.wav}}]\n", "4:", "nowhere.wav"},
    {OBJECTS "strikes: [{with: b}]\n", "4:18", "rigid"},
    {OBJECTS "strikes: [{with: h}]\n", "4:18", "strikes nothing"},
    {OBJECTS "outputs: [{from: [b.mic]}]\n", "4:", "no pickup 'mic'"},
    {OBJECTS "outputs: [{name: ../up}]\n", "4:", "file name"},
    {OBJECTS "outputs: [{name: a}, {name: a}]\n", "4:", "two outputs"},
    {OBJECTS "outputs: [{level: {peak: 3}}]\n", "4:", "'peak'"},
    {OBJECTS "level: {peak: -1, loudness: -23}\n", "4:", "takes one of"},
    {OBJECTS "level: {loudness: 3}\n", "4:", "'loudness'"},
    {OBJECTS "level: {}\n", "4:", "takes one of"},
    {OBJECTS "level: loud\n", "4:", "'level'"},
    {OBJECTS "rate: 0\n", "4:", "'rate'"},
    {OBJECTS "tail: -1\n", "4:", "'tail'"},
    {OBJECTS "tail: long\n", "4:", "'tail'"},
    {OBJECTS "tail: 2\n", "4:", "longer 'duration'"},
    {"objects: {h: {mass: 1}}\n", "1:", "nothing sounds"},
};

static int every_mistake_is_named_with_its_place(void)
{
    return ensure_refused(wrongs, sizeof wrongs / sizeof wrongs[0]);
}

// ---- the scenes and documents of the project ----

// the beginning of what the first listener hears, shorter for long rods but until the sound has arrived; mono
static float* play_rods(const twScene* scene, int* frames)
{
    twRods* rods;
    int points = 0;
    for (int i = 0; i < scene->rod_count; i++) points += scene->rods[i].def.point_count;
    *frames = points < 500 ? 2000 : 500;
    if (tw_rods_create(&rods, scene, NULL) != TW_OK) return NULL;
    float* sound = calloc((size_t)*frames * (size_t)scene->outputs[0].channels, sizeof(float));
    for (int i = 0; sound && i < *frames; i++)
    {
        double heard[TW_MAX_SCENE_LISTENERS];
        tw_rods_step(rods, heard);
        sound[i] = (float)heard[0];
    }
    tw_rods_destroy(rods);
    return sound;
}

// bodies, and rods that touch, for a while, if modes need not be found
static int play_bodies(const twScene* scene)
{
    twBodies* bodies;
    twError err;
    const twBodiesDef def = tw_bodies_def();
    for (int i = 0; i < scene->shape_count; i++)
        if (scene->shapes[i].flexible && !scene->shapes[i].automatic) return 0;
    keep_rigid(scene);
    if (tw_bodies_create(&bodies, scene, &def, &err) != TW_OK) printf("%s\n", err.text);
    ENSURE(bodies != NULL);
    // rods that touch take many steps: a few will do
    const double time = scene->rods_touch ? 16 / (scene->rate_hz * scene->oversample) : 0.02;
    tw_world_advance(tw_bodies_world(bodies), time);
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twRodView view = tw_rod_view(tw_world_rod(tw_bodies_world(bodies), i));
        for (int k = 0; k < view.point_count; k++)
            ENSURE(isfinite(view.position[0][k] + view.position[1][k] + view.position[2][k]));
    }
    for (int i = 0; i < scene->body_count; i++)
    {
        const twBodyMotion m = tw_world_motion(tw_bodies_world(bodies), i, time, NULL, NULL);
        ENSURE(isfinite(m.position.x + m.position.y + m.position.z + tw_vec3_norm(m.velocity)));
    }
    ENSURE(tw_world_stats(tw_bodies_world(bodies)).lost == 0);
    tw_bodies_destroy(bodies);
    return 0;
}

static int every_scene_plays_and_stays_finite(void)
{
    DIR* dir = opendir(TEST_SOURCE_DIR "/scenes");
    int count = 0;
    ENSURE(dir != NULL);
    for (struct dirent* entry; (entry = readdir(dir));)
    {
        const char* dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        char path[1024];
        twScene* scene;
        twError err = {0};
        int frames;
        snprintf(path, sizeof path, "%s/scenes/%s", TEST_SOURCE_DIR, entry->d_name);
        twStatus status = tw_scene_load(&scene, path, &err);
        if (status != TW_OK) printf("%s\n", err.text);
        ENSURE(status == TW_OK);
        if (tw_scene_has_world(scene))
        {
            ENSURE(play_bodies(scene) == 0);
            tw_scene_destroy(scene);
            continue;
        }
        float *sound = scene->rod_count > 0 ? play_rods(scene, &frames) : play(scene, &frames), peak = 0;
        ENSURE(sound != NULL);
        for (int i = 0; i < frames * scene->outputs[0].channels; i++)
        {
            ENSURE(isfinite(sound[i]));
            peak = fmaxf(peak, fabsf(sound[i]));
        }
        if (peak <= 1e-6f) printf("%s peaks at %g\n", entry->d_name, (double)peak);
        ENSURE(peak > (scene->rod_count > 0 ? 1e-7f : 1e-6f));
        free(sound);
        tw_scene_destroy(scene);
        count++;
    }
    closedir(dir);
    ENSURE(count >= 8);
    return 0;
}

static int examples_in_the_scene_reference_are_right(void)
{
    char* text;
    size_t bytes;
    int count = 0;
    ENSURE(tw_file_read(&text, &bytes, TEST_SOURCE_DIR "/docs/scene.md", 1 << 20, NULL) == TW_OK);
    for (char* at = strstr(text, "```yaml\n"); at; at = strstr(at, "```yaml\n"))
    {
        char *body = at + strlen("```yaml\n"), *end = strstr(body, "```");
        ENSURE(end != NULL);
        *end = 0;
        twScene* scene;
        twError err = {0};
        twStatus status = parse_scene(&scene, body, &err);
        if (status != TW_OK) printf("%s\n%s\n", body, err.text);
        ENSURE(status == TW_OK);
        tw_scene_destroy(scene);
        at = end + 1;
        count++;
    }
    free(text);
    ENSURE(count >= 4);
    return 0;
}

// every key between the quotes of what begins so, up to its end, must stand in the reference as `key`
static int check_keys(const char* source, const char* begin, const char* until, const char* reference, int* count)
{
    for (const char* call = strstr(source, begin); call; call = strstr(call + 1, begin))
    {
        const char* end = strstr(call, until);
        for (const char* quote = strchr(call, '"'); quote && quote < end; quote = strchr(quote, '"'))
        {
            const char* close = strchr(quote + 1, '"');
            char key[80];
            snprintf(key, sizeof key, "`%.*s`", (int)(close - quote - 1), quote + 1);
            if (!strstr(reference, key)) printf("docs/scene.md does not mention %s\n", key);
            ENSURE(strstr(reference, key) != NULL);
            quote = close + 1;
            ++*count;
        }
    }
    return 0;
}

// tables of galleries have a page of their own
static int scene_reference_names_every_key(void)
{
    char *reference, *galleries, *source;
    size_t bytes;
    int count = 0, failed = 0;
    ENSURE(tw_file_read(&reference, &bytes, TEST_SOURCE_DIR "/docs/scene.md", 1 << 20, NULL) == TW_OK);
    ENSURE(tw_file_read(&galleries, &bytes, TEST_SOURCE_DIR "/docs/gallery.md", 1 << 20, NULL) == TW_OK);
    DIR* dir = opendir(TEST_SOURCE_DIR "/src/scene");
    ENSURE(dir != NULL);
    for (struct dirent* entry; !failed && (entry = readdir(dir));)
    {
        char path[1024];
        if (!strstr(entry->d_name, ".c") && strcmp(entry->d_name, "reader.h") != 0) continue;
        snprintf(path, sizeof path, "%s/src/scene/%s", TEST_SOURCE_DIR, entry->d_name);
        ENSURE(tw_file_read(&source, &bytes, path, 1 << 20, NULL) == TW_OK);
        const char* page = strcmp(entry->d_name, "gallery.c") == 0 ? galleries : reference;
        failed = check_keys(source, "yaml_keys(", ");", page, &count) ||
                 check_keys(source, "define READ_PATHS", "\n", page, &count);
        free(source);
    }
    closedir(dir);
    free(reference);
    free(galleries);
    ENSURE(!failed && count > 80);
    return 0;
}

// is "key" in a source of the module?
static bool key_is_read(const char* key, int length)
{
    char quoted[80], path[1024], *source;
    snprintf(quoted, sizeof quoted, "\"%.*s\"", length, key);
    bool found = false;
    DIR* dir = opendir(TEST_SOURCE_DIR "/src/scene");
    for (struct dirent* entry; dir && !found && (entry = readdir(dir));)
    {
        if (!strstr(entry->d_name, ".c") && !strstr(entry->d_name, ".h")) continue;
        snprintf(path, sizeof path, "%s/src/scene/%s", TEST_SOURCE_DIR, entry->d_name);
        if (tw_file_read(&source, NULL, path, 1 << 20, NULL) != TW_OK) continue;
        found = strstr(source, quoted) != NULL;
        free(source);
    }
    if (dir) closedir(dir);
    return found;
}

// the `keys` in the first cell of a row
static int check_row(const char* row, int* count)
{
    const char* end = strstr(row, " | ");
    ENSURE(end != NULL);
    for (const char* mark = strchr(row, '`'); mark && mark < end; mark = strchr(mark, '`'))
    {
        const char* close = strchr(mark + 1, '`');
        ENSURE(close && close < end);
        const bool read = key_is_read(mark + 1, (int)(close - mark - 1));
        if (!read) printf("nothing reads %.*s of docs/scene.md\n", (int)(close - mark + 1), mark);
        ENSURE(read);
        mark = close + 1;
        ++*count;
    }
    return 0;
}

static int every_key_of_the_scene_reference_is_read(void)
{
    char* reference;
    int count = 0, failed = 0;
    ENSURE(tw_file_read(&reference, NULL, TEST_SOURCE_DIR "/docs/scene.md", 1 << 20, NULL) == TW_OK);
    for (const char* table = strstr(reference, "\n| key |"); table; table = strstr(table, "\n| key |"))
        for (table = strchr(table + 1, '\n'); table && table[1] == '|' && !failed; table = strchr(table + 1, '\n'))
            failed = check_row(table + 3, &count);
    free(reference);
    ENSURE(!failed && count > 80);
    return 0;
}

// ---- what is heard ----

static int struck_modes_sound_at_their_pitch_and_decay(void)
{
    // one mode each, up to 15 kHz: the plain bilinear transform would be off by a minor third there
    const double freq[] = {220, 3000, 15000};
    for (int k = 0; k < 3; k++)
    {
        char text[512];
        twScene* scene;
        twError err;
        int frames;
        snprintf(text, sizeof text,
                 "duration: 1\nobjects: {h: {mass: 0.001}, b: {modes: [{freq: %g, decay: 4, mass: 0.1}]}}\n"
                 "interactions: [{between: [h, b], impact: {stiffness: 1.0e+9}}]\nstrikes: [{with: h, velocity: 1}]\n",
                 freq[k]);
        ENSURE(parse_scene(&scene, text, &err) == TW_OK);
        float* sound = play(scene, &frames);
        ENSURE(sound != NULL);
        double* x = malloc((size_t)frames * sizeof(double));
        ENSURE(x != NULL);
        for (int i = 0; i < frames; i++) x[i] = sound[i];
        double damped = sqrt(freq[k] * freq[k] - pow(4 / (2 * TW_PI), 2)), early = 0, late = 0;
        double pitch = tw_pitch(x + 4800, frames - 4800, 48000);
        ENSURE_NEAR(1200 * log2(pitch / damped), 0, 0.1);
        for (int i = 0; i < 4800; i++)
        {
            early += x[4800 + i] * x[4800 + i];
            late += x[28800 + i] * x[28800 + i];
        }
        ENSURE_NEAR(log(early / late), 2 * 4 * 0.5, 2e-3);
        free(x);
        free(sound);
        tw_scene_destroy(scene);
    }
    return 0;
}

static int strikes_come_at_their_times(void)
{
    twScene* scene;
    twError err;
    int frames;
    const char* text = "duration: 1\nrate: 10000\nobjects: {h: {mass: 0.01}, b: {modes: [{freq: 1000, t60: 0.01}]}}\n"
                       "interactions: [{between: [h, b], impact: {}}]\nstrikes: [{with: h, time: 0.2, every: 0.3}]\n";
    ENSURE(parse_scene(&scene, text, &err) == TW_OK);
    ENSURE(scene->strike_count == 3);
    float* sound = play(scene, &frames);
    ENSURE(sound != NULL);
    for (int hit = 0; hit < 3; hit++)
    {
        int at = 2000 + 3000 * hit;
        ENSURE(fabsf(sound[at - 1]) < 1e-9f && fabsf(sound[at]) < 1e-9f);
        ENSURE(fabsf(sound[at + 3]) > 1e-4f);
    }
    free(sound);
    tw_scene_destroy(scene);
    return 0;
}

static int oversampling_converges_to_the_same_sound(void)
{
    static const char* const text =
        "duration: 0.2\noversample: %d\nobjects: {h: {mass: 0.01}, b: {modes: [{freq: 700, decay: 5}, {freq: 1900, decay: 9}]}}\n"
        "interactions: [{between: [h, b], impact: {stiffness: 1.0e+6}}]\nstrikes: [{with: h, time: 0.02}]\n";
    double difference[2] = {0}, size = 0;
    float* reference = NULL;
    int frames, delay = 16;
    for (int k = 0; k < 3; k++)
    {
        char filled[512];
        twScene* scene;
        snprintf(filled, sizeof filled, text, (int[]){16, 1, 4}[k]);
        ENSURE(parse_scene(&scene, filled, NULL) == TW_OK);
        float* sound = play(scene, &frames);
        ENSURE(sound != NULL);
        tw_scene_destroy(scene);
        if (k == 0) reference = sound;
        for (int i = 0; i < frames - delay && k > 0; i++)
            difference[k - 1] += pow(sound[i + (k == 1 ? 0 : delay)] - reference[i + delay], 2);
        for (int i = 0; i < frames && k == 0; i++) size += reference[i] * reference[i];
        if (k > 0) free(sound);
    }
    free(reference);
    ENSURE(sqrt(difference[0] / size) < 0.1);
    ENSURE(sqrt(difference[1] / size) < 0.01);
    return 0;
}

static int panned_outputs_keep_their_power(void)
{
    twScene* scene;
    int frames;
    const char* text =
        "duration: 0.1\nobjects: {h: {mass: 0.01}, b: {modes: [{freq: 700}]}}\ninteractions: [{between: [h, b], impact: {}}]\n"
        "strikes: [{with: h}]\noutputs: [{from: [{from: b, pan: 0.5}]}]\n";
    ENSURE(parse_scene(&scene, text, NULL) == TW_OK);
    ENSURE(scene->outputs[0].channels == 2);
    float* sound = play(scene, &frames);
    ENSURE(sound != NULL);
    for (int i = 100; i < frames; i += 97)
        ENSURE_NEAR(sound[2 * i + 1] * cos(0.375 * TW_PI), sound[2 * i] * sin(0.375 * TW_PI), 1e-6);
    free(sound);
    tw_scene_destroy(scene);
    return 0;
}

static int block_size_makes_no_difference(void)
{
    twScene* scene;
    const char* text = "duration: 1\nobjects: {m: {mass: 0.01, position: -0.01}, b: {modes: [{freq: 700}]}}\n"
                       "interactions: [{between: [m, b], impact: {}, bouncing: {irregularity: 0.5}}]\n";
    ENSURE(parse_scene(&scene, text, NULL) == TW_OK);
    int frames, sizes[] = {1, 7, 64, 1000};
    float *whole = play(scene, &frames), *part = calloc(48000, sizeof(float));
    ENSURE(whole && part && frames == 48000);
    for (int k = 0; k < 4; k++)
    {
        twPlay* p;
        twPlayDef def = {0};
        ENSURE(tw_play_create(&p, scene, &def, NULL) == TW_OK);
        for (int at = 0; at < frames; at += sizes[k])
        {
            float* outs[] = {part + at};
            tw_play_process(p, outs, NULL, frames - at < sizes[k] ? frames - at : sizes[k]);
        }
        tw_play_destroy(p);
        ENSURE(memcmp(whole, part, (size_t)frames * sizeof(float)) == 0);
    }
    free(whole);
    free(part);
    tw_scene_destroy(scene);
    return 0;
}

// ---- friction under the microscope ----

static int reference_scene_gives_the_reference_numbers(void)
{
    twScene* scene;
    twRub rub;
    twError err;
    ENSURE(tw_scene_load(&scene, TEST_SOURCE_DIR "/scenes/friction-reference.yaml", &err) == TW_OK);
    twRubDef def = {.contact = 0, .tail = 44100};
    ENSURE(tw_rub(&rub, scene, &def, &err) == TW_OK);
    ENSURE(rub.frames == 44100 && rub.tail == 44100);
    ENSURE_NEAR(rub.fundamental_hz, 382.692, 0.01);
    ENSURE_NEAR(rub.column[1][441], 3.541386132e-05, 3.6e-14);
    ENSURE_NEAR(rub.column[5][441], -6.842617015e-06, 7e-15);
    ENSURE_NEAR(rub.v_r_min, -0.363297, 1e-6);
    ENSURE_NEAR(rub.energy.friction_loss, 0.152609493, 1e-9);
    ENSURE_NEAR(rub.energy.balance_error / rub.energy.work_in, 0, 1e-12);
    ENSURE_NEAR(rub.stick_fraction, 0.52, 0.02);
    tw_rub_free(&rub);
    tw_scene_destroy(scene);
    return 0;
}

// ---- rendering ----

static bool stop_at_half(double done, void* context)
{
    (void)context;
    return done < 0.5;
}

static twStatus render_text(const char* text, twRenderReport* report, bool (*keep_going)(double, void*), twError* err)
{
    static char out[512];
    twScene* scene;
    twStatus status = parse_scene(&scene, text, err);
    if (status != TW_OK) return status;
    snprintf(out, sizeof out, "%s", in_folder("out"));
    twRenderDef def = {.folder = out, .keep_going = keep_going};
    status = tw_render(scene, &def, report, err);
    tw_scene_destroy(scene);
    return status;
}

#define STRUCK                                                                                                         \
    "objects: {h: {mass: 0.01}, b: {modes: [{freq: 700}]}}\ninteractions: [{between: [h, b], impact: {}}]\nstrikes: [{with: h}]\n"

static int render_writes_whole_files_and_the_same_ones_again(void)
{
    twRenderReport report;
    twError err = {0};
    char *first, *second;
    size_t first_bytes, second_bytes;
    ENSURE(render_text(STRUCK "duration: 0.3\n", &report, NULL, &err) == TW_OK);
    ENSURE(report.output_count == 1);
    ENSURE_NEAR(20 * log10(report.outputs[0].level.peak), -1, 1e-3);
    ENSURE(tw_file_read(&first, &first_bytes, report.outputs[0].wav, 1 << 24, NULL) == TW_OK);
    tw_render_report_free(&report);
    ENSURE(render_text(STRUCK "duration: 0.3\n", &report, NULL, &err) == TW_OK);
    ENSURE(tw_file_read(&second, &second_bytes, report.outputs[0].wav, 1 << 24, NULL) == TW_OK);
    ENSURE(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    ENSURE(report.energy.gain_max <= 1e-12 * report.energy.stored_start);
    free(first);
    free(second);
    tw_render_report_free(&report);
    ENSURE(count_files(in_folder("out")) == 3);
    empty_folder(in_folder("out"));
    return 0;
}

static int interrupted_render_leaves_nothing(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render_text(STRUCK "duration: 3\n", &report, stop_at_half, &err) == TW_INTERRUPTED);
    ENSURE(count_files(in_folder("out")) == 0);
    empty_folder(in_folder("out"));
    return 0;
}

static int overload_is_refused_not_clipped(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render_text(STRUCK "outputs: [{format: 16, level: {gain: 1.0e+6}}]\n", &report, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "full scale") != NULL);
    ENSURE(count_files(in_folder("out")) == 0);
    ENSURE(render_text(STRUCK "outputs: [{format: float, level: {gain: 1.0e+6}}]\n", &report, NULL, &err) == TW_OK);
    ENSURE(report.outputs[0].level.peak > 1);
    tw_render_report_free(&report);
    empty_folder(in_folder("out"));
    return 0;
}

// a file's samples over those of another, by their peaks
static double peak_over(const twRenderReport* report, int a, int b)
{
    return report->outputs[a].level.peak / report->outputs[b].level.peak;
}

// Half of it is half as loud, whatever the level; an output with a level of its own is for itself. 48 kHz, floats, a first sample of 0.
static int outputs_keep_their_balance(void)
{
    static const char* const levels[] = {"", "level: {peak: -6}\n", "level: {loudness: -30}\n", "level: {gain: 3}\n"};
    for (int i = 0; i < 4; i++)
    {
        twRenderReport report;
        twError err = {0};
        char text[600];
        snprintf(text, sizeof text,
                 STRUCK "duration: 0.3\n%soutputs: [{name: a, from: [{from: b, gain: 0.5}]}, {name: b, from: [b]}, "
                        "{name: c, from: [b], level: {peak: -3}}, {name: d, from: [b], quantity: displacement}]\n",
                 levels[i]);
        ENSURE(render_text(text, &report, NULL, &err) == TW_OK);
        ENSURE(report.frames == 14400 && report.tail == 0);
        ENSURE_NEAR(peak_over(&report, 0, 1), 0.5, 1e-6);
        ENSURE(report.outputs[0].gain == report.outputs[1].gain);
        const twLevel level = report.outputs[1].level;
        if (i < 2) ENSURE_NEAR(20 * log10(level.peak), i == 0 ? -1 : -6, 1e-4);
        if (i == 2) ENSURE_NEAR(level.loudness_lufs, -30, 0.05);
        if (i == 3) ENSURE(report.outputs[1].gain == 3);
        ENSURE_NEAR(20 * log10(report.outputs[2].level.peak), -3, 1e-4);
        // another quantity is not comparable, and has its own gain
        if (i < 2) ENSURE_NEAR(20 * log10(report.outputs[3].level.peak), i == 0 ? -1 : -6, 1e-4);
        twWav* wav = NULL;
        ENSURE(tw_wav_load(&wav, report.outputs[1].wav, 0, &err) == TW_OK && wav->rate_hz == 48000);
        // it rings at the end, and objects cannot ring on
        ENSURE(report.outputs[1].faded && wav->samples[0] == 0 && wav->samples[14399] == 0);
        tw_wav_destroy(wav);
        tw_render_report_free(&report);
        empty_folder(in_folder("out"));
    }
    return 0;
}

static int silence_is_rendered_as_silence(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render_text("duration: 0.1\nobjects: {b: {modes: [{freq: 700}]}}\n", &report, NULL, &err) == TW_OK);
    ENSURE(report.outputs[0].level.peak == 0);
    tw_render_report_free(&report);
    empty_folder(in_folder("out"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(bar_series_has_the_roots_and_nodes_of_beam_theory)
    RUN(series_shapes_are_orthogonal_with_the_stated_mass)
    RUN(six_lines_make_a_sound)
    RUN(decay_forms_agree)
    RUN(every_mistake_is_named_with_its_place)
    RUN(every_scene_plays_and_stays_finite)
    RUN(examples_in_the_scene_reference_are_right)
    RUN(scene_reference_names_every_key)
    RUN(every_key_of_the_scene_reference_is_read)
    RUN(struck_modes_sound_at_their_pitch_and_decay)
    RUN(strikes_come_at_their_times)
    RUN(oversampling_converges_to_the_same_sound)
    RUN(panned_outputs_keep_their_power)
    RUN(block_size_makes_no_difference)
    RUN(reference_scene_gives_the_reference_numbers)
    RUN(render_writes_whole_files_and_the_same_ones_again)
    RUN(interrupted_render_leaves_nothing)
    RUN(overload_is_refused_not_clipped)
    RUN(outputs_keep_their_balance)
    RUN(silence_is_rendered_as_silence)
)
