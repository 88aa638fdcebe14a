// SPDX-License-Identifier: MIT
// twang picture and the pictures of twang render, as a user meets them: files, messages, exit codes.
#define _XOPEN_SOURCE 700
#include "cli.h"

#define SCENE                                                                                                          \
    "duration: 0.2\nrods: {r: {straight: 0.3, section: {circle: 0.004}, points: 12, strikes: "                         \
    "[{at: end, force: [0, 0, 20]}]}}\nlisteners: {ear: {at: [0, 0.5, 0.5]}}\n"
#define SMALL " --size 160x128 --fps 20 2>&1"

static bool all_pictures(const char* folder)
{
    static const char* const names[] = {"preview.mp4", "still.png", "scene.glb", "series.png"};
    char path[64];
    for (int i = 0; i < 4; i++)
    {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!is_there(path)) return false;
    }
    return true;
}

static int render_makes_sound_and_pictures(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", SCENE));
    ENSURE(run("render s.yaml -o out" SMALL) == 0);
    ENSURE(all_pictures("out") && is_there("out/ear.wav") && is_there("out/report.json"));
    ENSURE(strstr(output, "film     out/preview.mp4  (4 frames, 20 per second)"));
    ENSURE(starts_like("out/scene.glb", "glTF"));
    return 0;
}

static int the_same_pictures_again_are_the_same_bytes(void)
{
    ENSURE(run("picture out/trace.twtrace -o again" SMALL) == 0 && all_pictures("again"));
    static const char* const names[] = {"preview.mp4", "still.png", "scene.glb", "series.png"};
    for (int i = 0; i < 4; i++)
    {
        char args[200];
        snprintf(args, sizeof args, "--version >/dev/null; cmp out/%s again/%s", names[i], names[i]);
        ENSURE(run(args) == 0);
    }
    return 0;
}

static int what_is_not_wanted_is_not_made_and_stale_pictures_go(void)
{
    ENSURE(run("picture out/trace.twtrace -o some --no-video --no-plots --no-still --pc2" SMALL) == 0);
    ENSURE(is_there("some/scene.glb") && is_there("some/cache/r.pc2") && is_there("some/cache/r.obj"));
    ENSURE(!is_there("some/preview.mp4") && !is_there("some/still.png") && !is_there("some/series.png"));
    // another render, nothing shown: what is left over would show something else than is heard
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    ENSURE(!is_there("out/preview.mp4") && !is_there("out/scene.glb") && !is_there("out/spectrogram.png"));
    ENSURE(is_there("out/ear.wav") && is_there("out/trace.twtrace"));
    return 0;
}

// files of the same trace, at true scale and exaggerated, lie beside each other
static int exaggeration_is_in_the_names_of_files_and_on_the_film(void)
{
    ENSURE(run("picture out/trace.twtrace -o out --pc2" SMALL) == 0 && all_pictures("out"));
    ENSURE(!strstr(output, "times as large"));
    ENSURE(run("picture out/trace.twtrace -o out --pc2 --exaggerate 100" SMALL) == 0);
    ENSURE(strstr(output, "vibration is shown 100 times as large") && all_pictures("out"));
    ENSURE(is_there("out/preview-x100.mp4") && is_there("out/still-x100.png") && is_there("out/scene-x100.glb"));
    ENSURE(is_there("out/cache-x100/r.pc2") && !is_there("out/series-x100.png"));
    ENSURE(run("--version >/dev/null; cmp -s out/still.png out/still-x100.png") == 1);
    ENSURE(run("picture out/trace.twtrace -o out --exaggerate 0 2>&1") == 2 && strstr(output, "--exaggerate"));
    // they go with the others when the scene is rendered again
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    ENSURE(!is_there("out/preview-x100.mp4") && !is_there("out/scene-x100.glb") && !is_there("out/still-x100.png"));
    return 0;
}

static int without_an_encoder_the_sound_is_there_and_the_exit_code_says_so(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", SCENE));
    char args[600];
    // no program is found on this PATH
    snprintf(args, sizeof args, "--version >/dev/null; PATH=/nowhere '%s/twang' render s.yaml -o out" SMALL,
             TEST_BIN_DIR);
    ENSURE(run(args) == 1);
    ENSURE(strstr(output, "ffmpeg") && strstr(output, "sound, motion and report are there"));
    ENSURE(is_there("out/ear.wav") && is_there("out/report.json") && is_there("out/scene.glb"));
    ENSURE(!is_there("out/preview.mp4") && is_there("out/preview_frames"));
    return 0;
}

// a limit on the size of files stands for a full disk
static int everything_that_cannot_be_made_is_told(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", SCENE));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    char args[600];
    snprintf(args, sizeof args,
             "--version >/dev/null; trap '' XFSZ; ulimit -f 1; '%s/twang' picture out/trace.twtrace -o full" SMALL,
             TEST_BIN_DIR);
    ENSURE(run(args) == 1);
    ENSURE(strstr(output, "full/scene.glb") && strstr(output, "full/series.png"));
    ENSURE(strstr(output, "full/still.png") && strstr(output, "full/preview.mp4"));
    // what film and still lack alike, once
    snprintf(
        args, sizeof args,
        "--version >/dev/null; __EGL_VENDOR_LIBRARY_FILENAMES=/nowhere '%s/twang' picture out/trace.twtrace -o dark" SMALL,
        TEST_BIN_DIR);
    ENSURE(run(args) == 1);
    const char* told = strstr(output, "cannot be drawn");
    ENSURE(told && !strstr(told + 1, "cannot be drawn") && is_there("dark/scene.glb") && is_there("dark/series.png"));
    return 0;
}

static int an_interrupted_film_leaves_what_was_made_before_and_says_so(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", SCENE));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    char* args[] = {"twang", "picture", "out/trace.twtrace", "-o", "cut", "--size", "1920x1080", "--fps", "240", NULL};
    int errors, status = 0;
    const pid_t child = start_quietly(args, &errors);
    ENSURE(child > 0);
    for (int i = 0; i < 4000 && !is_there("cut/still.png"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    kill(child, SIGINT);
    ENSURE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 130);
    ENSURE(!says_nothing_was_written(errors) && strstr(output, "interrupted while filming; what was finished before"));
    ENSURE(is_there("cut/still.png") && is_there("cut/scene.glb") && !is_there("cut/preview.mp4"));
    return 0;
}

static int wrong_input_is_told(void)
{
    remove_files();
    ENSURE(write_text("s.yaml", SCENE) && write_text("not.twtrace", "hello"));
    ENSURE(run("picture 2>&1") == 2);
    ENSURE(run("picture nothing.twtrace 2>&1") == 2 && strstr(output, "nothing.twtrace"));
    ENSURE(run("picture not.twtrace 2>&1") == 2 && strstr(output, "not a trace"));
    ENSURE(run("render s.yaml -o out --size 12 2>&1") == 2 && strstr(output, "--size"));
    ENSURE(run("render s.yaml -o out --eye 1,2,3 2>&1") == 2 && strstr(output, "--target"));
    ENSURE(run("render s.yaml -o out --eye 1,2 --target 0,0,0 2>&1") == 2 && strstr(output, "X,Y,Z"));
    ENSURE(run("render s.yaml -o out --eye 0,0,0 --target 0,0,0 2>&1") == 2 && strstr(output, "same place"));
    ENSURE(run("render s.yaml -o out --size 9999x9999 2>&1") == 2 && strstr(output, "128 to 4096"));
    ENSURE(!is_there("out"));
    ENSURE(run("render s.yaml -o out --no-video 2>&1") == 0);
    ENSURE(run("picture out/trace.twtrace --sound missing.wav 2>&1") == 2 && strstr(output, "missing.wav"));
    ENSURE(rename(in_folder("out/ear.wav"), in_folder("out/other.wav")) == 0);
    ENSURE(run("picture out/trace.twtrace" SMALL) == 0 && strstr(output, "will be silent"));
    return 0;
}

// plots and films are in the time of the film, so they say how it differs
static int slow_motion_says_how_slow_it_is(void)
{
    ENSURE(run("strike bar:0.3x0.02x0.02 --count 2 --accuracy 5 --no-cache -o a.wav --trace a.twtrace --slow 100") ==
           0);
    ENSURE(strstr(output, "motion in a.twtrace, 100 times slower\n"));
    ENSURE(run("info a.twtrace") == 0 && strstr(output, "title: bar, 100 times slower\n"));
    return 0;
}

static int json_is_one_object(void)
{
    ENSURE(run("picture out/trace.twtrace --json --no-video 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "\"glb\"") && strstr(output, "\"exaggeration\""));
    ENSURE(run("render s.yaml -o out --json --no-video --no-still 2>/dev/null") == 0 && is_json(output));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(render_makes_sound_and_pictures)
    RUN(the_same_pictures_again_are_the_same_bytes)
    RUN(what_is_not_wanted_is_not_made_and_stale_pictures_go)
    RUN(exaggeration_is_in_the_names_of_files_and_on_the_film)
    RUN(without_an_encoder_the_sound_is_there_and_the_exit_code_says_so)
    RUN(everything_that_cannot_be_made_is_told)
    RUN(an_interrupted_film_leaves_what_was_made_before_and_says_so)
    RUN(wrong_input_is_told)
    RUN(json_is_one_object)
    RUN(slow_motion_says_how_slow_it_is)
)
