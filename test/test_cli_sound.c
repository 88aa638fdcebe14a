// SPDX-License-Identifier: MIT
// Tests of sound on the command line: what a render of bodies writes, hearing a trace again, what is wrong, damage, Ctrl-C.
#define _XOPEN_SOURCE 700
#include "cli.h"
#include "sound.h"
#include "twang/media.h"

#define SCENE                                                                                                          \
    "duration: 0.1\nframes: 30\nground: {material: wood}\nbodies:\n"                                                   \
    "  ball: {shape: \"sphere:0.01\", position: [0, 0, 0.02], copies: {count: 2, step: [0.1, 0, 0]}}\n"

static twWav* load(const char* name)
{
    twWav* wav;
    twError err;
    if (tw_wav_load(&wav, in_folder(name), 0, &err) != TW_OK) printf("%s\n", err.text);
    return wav;
}

// a trace of a bell that is struck
static bool strike_bell(const char* name, double seconds)
{
    Bell bell;
    twError err = {0};
    bell_make(&bell, 1);
    const Blow blow = {0.01, 0.0102, 20, 0};
    const twStatus status = bell_trace(in_folder(name), &bell, seconds, &blow, 1, tw_vec3(0, 0, 0), &err);
    if (status != TW_OK) printf("%s\n", err.text);
    return status == TW_OK;
}

static double mean_square(const twWav* wav, double from, double to)
{
    double sum = 0;
    const int64_t first = (int64_t)(from * wav->rate_hz), last = (int64_t)(to * wav->rate_hz);
    for (int64_t i = first * wav->channels; i < last * wav->channels; i++)
        sum += (double)wav->samples[i] * (double)wav->samples[i];
    return sum / (double)((last - first) * wav->channels);
}

// ---- claims ----

static int bodies_that_nobody_listens_to_are_heard_by_an_ear(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", "tail: 0\n" SCENE));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    ENSURE(strstr(output, "sound    out/ear.wav") && strstr(output, "dB SPL") && strstr(output, "heard in"));
    twWav* wav = load("out/ear.wav");
    ENSURE(wav && wav->channels == 2 && wav->frames == 4800 && strstr(wav->comment, "1.0 = 20 Pa"));
    // they fall for 45 ms before they touch: silence, then clicks
    ENSURE(mean_square(wav, 0, 0.04) < 1e-8 * mean_square(wav, 0.04, 0.1) && mean_square(wav, 0.04, 0.1) > 0);
    tw_wav_destroy(wav);
    ENSURE(run("info out/trace.twtrace 2>&1") == 0 && strstr(output, "sound: ear.wav"));
    ENSURE(run("info s.yaml 2>&1") == 0 && strstr(output, "ear") && strstr(output, "binaural"));
    ENSURE(run("render s.yaml -o out --no-picture --json 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "\"hearing\": {") && strstr(output, "\"unit\": \"Pa\""));
    return 0;
}

static int a_trace_is_heard_again_at_other_places(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.3));
    ENSURE(run("sound t.twtrace --listener near=mono:0,1,0 --listener far=mono:0,4,0 --listener b=ambix:0,1,0@1,1,0 "
               "--level gain=1 --no-clicks --tail 0 2>&1") == 0);
    ENSURE(strstr(output, "sound/near.wav") && strstr(output, "1 body with 3 modes") && strstr(output, "baked: 1"));
    ENSURE(strstr(output, "times real time") && is_there("sound/near-spectrogram.png"));
    twWav *near = load("sound/near.wav"), *far = load("sound/far.wav"), *b = load("sound/b.wav");
    ENSURE(near && far && b && near->channels == 1 && b->channels == 4 && near->frames == 14400);
    ENSURE(strstr(near->comment, "1.0 = 1 Pa"));
    // a monopole: a quarter of the pressure at four times the distance
    ENSURE_NEAR(sqrt(mean_square(far, 0.05 + 3 / 343.2, 0.25 + 3 / 343.2) / mean_square(near, 0.05, 0.25)), 0.25,
                0.001);
    tw_wav_destroy(near);
    tw_wav_destroy(far);
    tw_wav_destroy(b);
    return 0;
}

static int other_damping_is_heard(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.3));
    ENSURE(run("sound t.twtrace --listener e=mono:0,1,0 --no-clicks --no-picture --damping x5 -o five 2>&1") == 0);
    ENSURE(run("sound t.twtrace --listener e=mono:0,1,0 --no-clicks --no-picture --damping bell=50,0 -o fifty 2>&1") ==
           0);
    twWav *five = load("five/e.wav"), *fifty = load("fifty/e.wav");
    ENSURE(five && fifty);
    // of alpha 50 every mode decays by 25 1/s, energy by twice that
    const double expected = exp(-2 * 25 * 0.1);
    ENSURE_NEAR(mean_square(fifty, 0.15, 0.2) / mean_square(fifty, 0.05, 0.1) / expected, 1, 0.02);
    // the slowest of three, five times 4 1/s, is left at the end
    ENSURE_NEAR(mean_square(five, 0.24, 0.28) / mean_square(five, 0.19, 0.23) / exp(-2 * 20 * 0.05), 1, 0.06);
    tw_wav_destroy(five);
    tw_wav_destroy(fifty);
    return 0;
}

static int the_report_is_json(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.1));
    ENSURE(run("sound t.twtrace --json --no-picture -o out --format 16 --level loudness=-20 --threads 2 2>/dev/null") ==
           0);
    ENSURE(is_json(output) && strstr(output, "\"complete\": true") && strstr(output, "\"baked\": 1"));
    ENSURE(strstr(output, "\"peak_pa\"") && strstr(output, "\"peak_db_spl\"") &&
           strstr(output, "\"real_time_factor\""));
    return 0;
}

static int every_thread_count_writes_the_same_bytes(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.2));
    ENSURE(run("sound t.twtrace --no-picture --threads 1 -o one 2>&1") == 0);
    ENSURE(run("sound t.twtrace --no-picture --threads 4 -o four 2>&1") == 0);
    char *a, *b;
    size_t n, m;
    ENSURE(tw_file_read(&a, &n, in_folder("one/ear.wav"), 1 << 24, NULL) == TW_OK);
    ENSURE(tw_file_read(&b, &m, in_folder("four/ear.wav"), 1 << 24, NULL) == TW_OK);
    const bool same = n == m && memcmp(a, b, n) == 0;
    free(a);
    free(b);
    ENSURE(same);
    return 0;
}

// cut at two thirds; what is before the cut sounds as it did
static int a_damaged_trace_sounds_up_to_the_damage(void)
{
    char* bytes;
    size_t count;
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.6));
    ENSURE(tw_file_read(&bytes, &count, in_folder("t.twtrace"), 1 << 24, NULL) == TW_OK);
    FILE* file = fopen(in_folder("cut.twtrace"), "wb");
    ENSURE(file && fwrite(bytes, 1, 2 * count / 3, file) == 2 * count / 3 && fclose(file) == 0);
    bytes[count * 3 / 4] ^= 0x55;
    file = fopen(in_folder("bad.twtrace"), "wb");
    ENSURE(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    free(bytes);
    static const char args[] = "--listener e=mono:0,1,0 --level gain=1 --tail 0 --no-picture --json";
    char command[300];
    snprintf(command, sizeof command, "sound t.twtrace -o whole %s 2>&1", args);
    ENSURE(run(command) == 0 && strstr(output, "\"complete\": true"));
    twWav* whole = load("whole/e.wav");
    static const char* const names[] = {"cut", "bad"};
    for (int k = 0; k < 2; k++)
    {
        char wav[100];
        snprintf(command, sizeof command, "sound %s.twtrace -o %s %s 2>/dev/null", names[k], names[k], args);
        ENSURE(run(command) == 0 && is_json(output) && strstr(output, "\"complete\": false"));
        snprintf(command, sizeof command, "sound %s.twtrace -o %s %s 2>&1 >/dev/null", names[k], names[k], args);
        ENSURE(run(command) == 0 && strstr(output, "note     ") && strstr(output, names[k]));
        snprintf(wav, sizeof wav, "%s/e.wav", names[k]);
        twWav* part = load(wav);
        ENSURE(whole && part && part->frames > whole->frames / 3 && part->frames < whole->frames);
        for (int64_t i = 0; i < part->frames - 1000; i++) ENSURE(part->samples[i] == whole->samples[i]);
        tw_wav_destroy(part);
    }
    tw_wav_destroy(whole);
    return 0;
}

static int what_cannot_be_heard_is_said(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.1));
    ENSURE(write_text("still.yaml", "duration: 0.05\nframes: 60\nlisteners: {}\n"
                                    "bodies: {a: {shape: \"box:0.1x0.1x0.1\", kind: fixed, flexible: false}}\n"));
    ENSURE(run("render still.yaml -o still --no-picture 2>&1") == 0);
    ENSURE(write_text("ground.yaml", "duration: 0.05\nground: {}\nlisteners: {}\n"
                                     "bodies: {a: {shape: \"sphere:0.01\", position: [0, 0, 0.1]}}\n"));
    ENSURE(run("render ground.yaml -o ground --no-picture 2>&1") == 0);
    ENSURE(run("sound ground/trace.twtrace --listener e=mono:0,1,1 -o ground --no-picture 2>&1") == 0);
    ENSURE(strstr(output, "only clicks") && strstr(output, "silent"));
    twWav* silent = load("ground/e.wav");
    ENSURE(silent && strstr(silent->comment, "1.0 = 20 Pa"));
    tw_wav_destroy(silent);
    static const struct
    {
        const char *args, *message;
    } wrong[] = {
        {"nowhere.twtrace", "nowhere.twtrace"},
        {"still/trace.twtrace", "no body has modes, and all are held"},
        {"t.twtrace --listener ear", "NAME=KIND"},
        {"t.twtrace --listener ear=quad:0,0,1", "mono, stereo, binaural, ambix"},
        {"t.twtrace --listener ear=mono:0,0", "NAME=KIND"},
        {"t.twtrace --listener ear=mono:0,0,1@0,0,1", "looks at the place"},
        {"t.twtrace --listener a/b=mono:0,0,1", "name"},
        {"t.twtrace --listener a=mono --listener a=mono", "two called 'a'"},
        {"t.twtrace --damping fast", "ALPHA,BETA"},
        {"t.twtrace --damping x-1", "ALPHA,BETA"},
        {"t.twtrace --damping gong=x2", "no body 'gong'"},
        {"t.twtrace --body-gain bell", "BODY=DB"},
        {"t.twtrace --body-gain bell=loud", "BODY=DB"},
        {"t.twtrace --contact-damping some", "factor"},
        {"t.twtrace --level loud", "peak=DBFS"},
        {"t.twtrace --level loudness=3", "from -70 to 0"},
        {"t.twtrace --tail -1", "--tail '-1'"},
        {"t.twtrace --tail long", "or auto"},
        {"t.twtrace --listener a=mono:0,0,1e7", "less than 1e6"},
        {"t.twtrace --body-gain bell=1000", "from -300 to 300"},
        {"t.twtrace --level gain=0", "from 1e-12"},
        {"ground/trace.twtrace --listener a=mono:0,0,1 --listener low=mono:0,0,-1",
         "listener 'low' at (0, 0, -1) is below"},
        {"t.twtrace --level peak=6", "from -120 to 0"},
        {"t.twtrace --redistribute maybe", "auto"},
        {"t.twtrace --hrtf nowhere.sofa", "nowhere.sofa"},
        {"t.twtrace --listener a=mono --hrtf nowhere.sofa", "no listener is binaural"},
        {"t.twtrace --rate 10", "--rate"},
        {"t.twtrace --format 16 --level gain=1e9", "above full scale"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        char command[300];
        snprintf(command, sizeof command, "sound %s -o out 2>&1", wrong[i].args);
        const int code = run(command);
        if (code != 2 || !strstr(output, wrong[i].message)) printf("%s gave %d: %s\n", wrong[i].args, code, output);
        ENSURE(code == 2 && strstr(output, wrong[i].message) && !is_there("out"));
    }
    return 0;
}

static int a_head_that_is_none_is_told_before_the_motion(void)
{
    remove_files();
    ENSURE(write_text("no.sofa", "this is no head"));
    ENSURE(write_scene(SCENE "listeners: {me: {at: [0, 0, 1], hrtf: no.sofa}}\n"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 2);
    ENSURE(strstr(output, "listener 'me'") && strstr(output, "no.sofa") && !is_there("out"));
    return 0;
}

// one gain for the two of them, of which the nearer peaks at -1 dBFS; without --level both are true to scale
static int a_render_takes_a_level_for_all_its_listeners(void)
{
    remove_files();
    ENSURE(write_scene("tail: 0\n" SCENE
                       "listeners: {near: {at: [0, 0, 1], kind: mono}, far: {at: [0, 0, 3], kind: mono}}\n"));
    static const char* const commands[] = {"render s.yaml -o out --no-picture 2>&1",
                                           "render s.yaml -o out --no-picture --level peak=-1 2>&1"};
    double peaks[2][2];
    for (int i = 0; i < 2; i++)
    {
        ENSURE(run(commands[i]) == 0);
        for (int k = 0; k < 2; k++)
        {
            twWav* wav = load(k == 0 ? "out/near.wav" : "out/far.wav");
            ENSURE(wav && (strstr(wav->comment, "1.0 = 20 Pa") != NULL) == (i == 0));
            peaks[i][k] = 0;
            for (int64_t n = 0; n < wav->frames; n++) peaks[i][k] = fmax(peaks[i][k], fabs((double)wav->samples[n]));
            tw_wav_destroy(wav);
        }
    }
    ENSURE_NEAR(20 * log10(fmax(peaks[1][0], peaks[1][1])), -1, 1e-3);
    ENSURE_NEAR(peaks[1][0] / peaks[1][1], peaks[0][0] / peaks[0][1], 1e-4);
    ENSURE(run("render s.yaml -o out --level loud 2>&1") == 2 && strstr(output, "--level 'loud' must be true"));
    return 0;
}

// no level raises to a noise what cannot be heard: full scale is at least 2e-4 Pa
static int bodies_at_rest_are_silent(void)
{
    remove_files();
    ENSURE(strike_bell("t.twtrace", 0.1));
    ENSURE(
        run("sound t.twtrace --listener e=mono:0,1,0 --body-gain bell=-110 --level peak=-1 --no-picture -o quiet 2>&1") ==
        0);
    ENSURE(strstr(output, "less than can be heard") && strstr(output, "1.0 is 0.0002 Pa"));
    ENSURE(write_scene(
        "duration: 0.3\nground: {material: wood}\nbodies: {a: {shape: \"box:0.1x0.1x0.1\", material: wood, flexible: false, "
        "position: [0, 0, 0.05], copies: {count: 3, step: [0, 0, 0.1]}}}\n"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    twWav* wav = load("out/ear.wav");
    ENSURE(wav && wav->frames == 14400 && mean_square(wav, 0, 0.3) < 1e-16);
    tw_wav_destroy(wav);
    return 0;
}

#define BAR_STRUCK                                                                                                     \
    "duration: 0.05\ngravity: [0, 0, 0]\n"                                                                             \
    "bodies: {bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 2, accuracy: 0.2}, edge: 0.02}}\n"                 \
    "pushes: [{on: bar, at: [0.1, 0, 0.005], impulse: [0, 0, 0.01], time: 0.01}]\n"                                    \
    "listeners: {m: {at: [0, 0, 0.5], kind: mono}}\n"

// the radiation of a scene is baked when it is rendered, unless it asks for an estimate, and found again by bake and sound
static int radiation_is_baked_with_the_scene(void)
{
    remove_files();
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    const bool written = write_scene("sound: {radiation: estimate}\n" BAR_STRUCK);
    const int first = run("render s.yaml -o out --no-picture 2>&1");
    const bool estimated = strstr(output, "as baked: 0, as estimated: 1") != NULL;
    const bool again = written && write_scene(BAR_STRUCK);
    const int second = run("render s.yaml -o out --no-picture 2>&1");
    const bool baked = strstr(output, "as baked: 1, as estimated: 0") != NULL;
    const int found = run("bake s.yaml --json 2>&1");
    const bool cached = strstr(output, "\"cached\": true") || strstr(output, "\"cached\": 2");
    const int heard = run("sound out/trace.twtrace --no-picture 2>&1");
    unsetenv("XDG_CACHE_HOME");
    ENSURE(again && first == 0 && estimated && second == 0 && baked && found == 0 && cached && heard == 0);
    ENSURE(strstr(output, "as baked: 1, as estimated: 0"));
    return 0;
}

static int an_interrupt_leaves_nothing(void)
{
    remove_files();
    char* args[] = {"twang", "sound", "t.twtrace", "-o", "out", "--rate", "192000", "--no-picture", NULL};
    int errors, status = 0;
    ENSURE(strike_bell("t.twtrace", 60));
    const pid_t child = start_quietly(args, &errors);
    ENSURE(child > 0);
    for (int i = 0; i < 2000 && !is_there("out"); i++) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    kill(child, SIGINT);
    ENSURE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 130);
    ENSURE(says_nothing_was_written(errors) && !is_there("out"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(bodies_that_nobody_listens_to_are_heard_by_an_ear)
    RUN(a_trace_is_heard_again_at_other_places)
    RUN(other_damping_is_heard)
    RUN(the_report_is_json)
    RUN(every_thread_count_writes_the_same_bytes)
    RUN(a_damaged_trace_sounds_up_to_the_damage)
    RUN(what_cannot_be_heard_is_said)
    RUN(a_head_that_is_none_is_told_before_the_motion)
    RUN(a_render_takes_a_level_for_all_its_listeners)
    RUN(bodies_at_rest_are_silent)
    RUN(radiation_is_baked_with_the_scene)
    RUN(an_interrupt_leaves_nothing)
)
