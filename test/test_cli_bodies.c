// SPDX-License-Identifier: MIT
// Tests of bodies on the command line: files, pictures, information, what is wrong, and going on after Ctrl-C.
#define _XOPEN_SOURCE 700
#include "cli.h"

#define BALL "ball: {shape: \"sphere:0.01\", position: [0, 0, 0.05]}"

static int bodies_without_listeners_make_motion_and_pictures_but_no_sound(void)
{
    remove_files();
    ENSURE(write_scene("duration: 0.1\nground: {}\nlisteners: {}\nbodies: {" BALL "}\n"));
    ENSURE(run("render s.yaml -o out --no-video 2>&1") == 0);
    ENSURE(strstr(output, "motion   out/trace.twtrace") && !strstr(output, ".wav") && strstr(output, "s of motion in"));
    ENSURE(is_there("out/report.json") && is_there("out/still.png") && is_there("out/scene.glb"));
    ENSURE(run("info out/trace.twtrace 2>&1") == 0 && strstr(output, "ball"));
    ENSURE(run("render s.yaml -o out --no-picture --json 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "\"world\": {") && strstr(output, "\"largest_rise_in_a_step\"") &&
           strstr(output, "\"losses\"") && strstr(output, "\"contact_normal\"") &&
           strstr(output, "\"steps_by_minus_log2_seconds\"") && strstr(output, "\"failures\": 0"));
    ENSURE(!is_there("out/still.png"));
    return 0;
}

static int renders_say_how_good_the_modes_of_bodies_are(void)
{
    remove_files();
    ENSURE(write_scene("duration: 0.05\nlisteners: {}\nbodies:\n  " BALL
                       "\n  bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 3}, position: [0, 0, 3], "
                       "copies: {count: 3, step: [1, 0, 0]}}\n"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    ENSURE(strstr(output, "modes    'bar-1' and 2 more: 3, frequencies are at most ") &&
           strstr(output, " cents) too high"));
    ENSURE(!strstr(output, "'ball'"));
    ENSURE(run("render s.yaml -o out --no-picture --json 2>/dev/null") == 0 && is_json(output));
    const char* modes = strstr(output, "\"modes\": [");
    ENSURE(modes && strstr(modes, "\"body\": \"bar-1\"") && strstr(modes, "\"bodies\": 3"));
    double percent = 0, cents = 0;
    ENSURE(sscanf(strstr(modes, "\"error_estimate_percent\""), "\"error_estimate_percent\": %lf", &percent) == 1);
    ENSURE(sscanf(strstr(modes, "\"error_cents\""), "\"error_cents\": %lf", &cents) == 1);
    ENSURE(percent > 0 && percent < 5);
    ENSURE_NEAR(cents, 1200 * log2(1 + percent / 100), 1e-9);
    return 0;
}

// waves in slow air are shorter than panels
static int renders_say_whose_radiation_is_estimated(void)
{
    const char* scene =
        "duration: 0.05\nlisteners: {}\n%sbodies: {bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 4}}}\n";
    char text[300];
    for (int slow = 0; slow < 2; slow++)
    {
        remove_files();
        snprintf(text, sizeof text, scene, slow ? "air: {sound_speed: 15}\n" : "");
        ENSURE(write_scene(text) && run("render s.yaml -o out --no-picture 2>&1") == 0);
        const char* line = strstr(output, "radiation of ");
        int left = 0;
        double db = 1;
        if (line) ENSURE(sscanf(line, "radiation of %d of them is estimated: %lf dB", &left, &db) == 2 && db < 0);
        ENSURE(slow ? left > 0 && left < 4 : left == 0);
    }
    return 0;
}

static int info_tells_bodies_and_joints(void)
{
    remove_files();
    ENSURE(write_scene("bodies:\n  " BALL
                       "\n  brick: {shape: \"box:0.1x0.2x0.3\", mass: 2, copies: {count: 3, step: [1, 0, 0]}}\n"
                       "  bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 7}, position: [0, 0, 3]}\n"
                       "joints: [{kind: ball, between: [brick-2, world], at: [1, 0, 0]}]\n"
                       "listeners: {tip: {pickup: {body: bar, at: [0.1, 0, 0]}}}\n"));
    ENSURE(run("info s.yaml 2>&1") == 0);
    ENSURE(strstr(output, "sphere:0.01, 0.03288 kg, 0.02 x 0.02 x 0.02 m"));
    ENSURE(strstr(output, "to brick-3, 3 of them: free, steel, box:0.1x0.2x0.3, 2 kg, 0.1 x 0.2 x 0.3 m"));
    ENSURE(strstr(output, "flexible: 7 modes") && strstr(output, "ball, brick-2 to world"));
    ENSURE(strstr(output, "pickup on 'bar' at 0.1,0,0") && strstr(output, "tip.wav"));
    ENSURE(run("info s.yaml --json 2>&1") == 0 && is_json(output) && strstr(output, "\"count\": 3"));
    return 0;
}

static int what_is_wrong_with_bodies_is_said_with_its_place(void)
{
    remove_files();
    ENSURE(write_scene(
        "default_flexible: false\nbodies:\n  a: {shape: \"box:0.1x0.1x0.1\"}\n  b: {shape: \"box:0.1x0.1x0.1\", position: [0.03, 0.01, 0.02]}\n"));
    ENSURE(run("render s.yaml -o out 2>&1") == 2 && strstr(output, "twang render: s.yaml:"));
    ENSURE(strstr(output, "overlap") && !is_there("out"));
    ENSURE(write_scene("rods: {r: {straight: 0.3, section: {circle: 0.003}}}\nlisteners: {ear: {at: [0, 0, 1]}}\n"));
    ENSURE(run("render s.yaml --resume -o out 2>&1") == 2 && strstr(output, "only renders of scenes with bodies"));
    ENSURE(write_scene("bodies: {" BALL "}\n"));
    ENSURE(run("render s.yaml --resume -o out 2>&1") == 2 && strstr(output, "nothing to go on with"));
    ENSURE(!is_there("out"));
    return 0;
}

// the world's coordinates instead of the body's own
static int a_place_far_from_its_body_is_refused(void)
{
    const char* const lines[] = {"listeners: {l: {pickup: {body: ball, at: [0, 0, 1]}}}\n",
                                 "pushes: [{on: ball, at: [0, 0, 1], force: [1, 0, 0]}]\n"};
    for (int i = 0; i < 2; i++)
    {
        char text[400];
        remove_files();
        snprintf(text, sizeof text, "duration: 0.01\nbodies: {" BALL "}\n%s", lines[i]);
        ENSURE(write_scene(text));
        ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 2);
        ENSURE(strstr(output, "s.yaml:2:") && strstr(output, "m away from 'ball'") && strstr(output, "its own"));
        ENSURE(!is_there("out"));
    }
    return 0;
}

// a body at rest is silent but for round-off, which peak levels raise to full scale; its energy has round-off too
static int a_body_at_rest_is_told_to_be_inaudible(void)
{
    remove_files();
    ENSURE(write_scene(
        "duration: 0.1\nground: {material: wood}\nbodies: {a: {shape: \"box:0.1x0.1x0.1\", material: wood, flexible: false, "
        "position: [0, 0, 0.05], copies: {count: 3, step: [0, 0, 0.1]}}}\nlisteners: {l: {pickup: {body: a-3, at: [0, 0, 0.05]}}}\n"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0);
    ENSURE(strstr(output, "m/s, less than can be heard"));
    ENSURE(!strstr(output, "energy rose"));
    return 0;
}

// start a render that takes long, and wait until there is something to go on from
static pid_t start_render(int* errors)
{
    char* args[] = {"twang", "render", "s.yaml", "-o", "out", "--no-picture", NULL};
    const pid_t child = start_quietly(args, errors);
    for (int i = 0; child > 0 && i < 2000 && !is_there("out/trace.twtrace.state"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return child;
}

// interrupt it. @return its exit code
// made 100 dB louder too, round-off is no sound
static int a_body_at_rest_is_silent_at_any_level(void)
{
    const char* render =
        "render " TEST_SOURCE_DIR "/scenes/slab.yaml -o out --seconds 0.4 --no-picture --json 2>/dev/null --level ";
    static const char* const levels[] = {"true", "loudness=-23"};
    for (int i = 0; i < 2; i++)
    {
        char command[400];
        double rest_db = 0;
        remove_files();
        snprintf(command, sizeof command, "%s%s", render, levels[i]);
        ENSURE(run(command) == 0);
        const char* rest = strstr(output, "\"rest_db\": ");
        ENSURE(rest && sscanf(rest, "\"rest_db\": %lf", &rest_db) == 1 && rest_db < -60);
    }
    return 0;
}

static int interrupt_render(pid_t child, int errors)
{
    int status = 0;
    kill(child, SIGINT);
    waitpid(child, &status, 0);
    const ssize_t bytes = read(errors, output, OUTPUT_MAX - 1);
    close(errors);
    output[bytes > 0 ? bytes : 0] = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int a_render_keeps_others_out_and_interrupted_tells_how_to_go_on(void)
{
    remove_files();
    ENSURE(write_scene("duration: 300\nframes: 5\nbodies: {" BALL
                       "}\nlisteners: {l: {pickup: {body: ball, at: [0, 0, 0.01]}}}\n"));
    int errors;
    const pid_t child = start_render(&errors);
    ENSURE(child > 0);

    // another one into the same folder at the same time
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 2 && strstr(output, "another program is writing to"));
    ENSURE(!strstr(output, "note"));
    ENSURE(run("render s.yaml -o out --no-picture --resume 2>&1") == 2 && strstr(output, "another program is writing"));
    ENSURE(interrupt_render(child, errors) == 130);
    ENSURE(strstr(output, "interrupted at") && strstr(output, "'twang render --resume' goes on with it"));
    ENSURE(strstr(output, "(twang render s.yaml -o out --resume)"));
    ENSURE(is_there("out/trace.twtrace.part") && !is_there("out/l.wav"));
    ENSURE(run("info out/trace.twtrace.part 2>&1") == 0);
    ENSURE(run("info out/trace.twtrace.state 2>&1") == 0 &&
           strstr(output, "checkpoint of out/trace.twtrace, recorded up"));
    ENSURE(run("info out/trace.twtrace.state --json 2>&1") == 0 && is_json(output) && strstr(output, "\"checkpoint\""));
    ENSURE(write_scene("duration: 0.1\nframes: 5\nbodies: {" BALL "}\n"));
    ENSURE(run("render s.yaml -o out --no-picture --resume 2>&1") == 2);
    ENSURE(is_there("out/trace.twtrace.part"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 0 &&
           strstr(output, "was left by a render that did not end"));
    ENSURE(!is_there("out/trace.twtrace.part") && is_there("out/trace.twtrace"));
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(bodies_without_listeners_make_motion_and_pictures_but_no_sound)
    RUN(renders_say_how_good_the_modes_of_bodies_are)
    RUN(renders_say_whose_radiation_is_estimated)
    RUN(info_tells_bodies_and_joints)
    RUN(what_is_wrong_with_bodies_is_said_with_its_place)
    RUN(a_place_far_from_its_body_is_refused)
    RUN(a_body_at_rest_is_told_to_be_inaudible)
    RUN(a_body_at_rest_is_silent_at_any_level)
    RUN(a_render_keeps_others_out_and_interrupted_tells_how_to_go_on)
)
