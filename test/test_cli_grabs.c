// SPDX-License-Identifier: MIT
// Tests of scenes with grabs on the command line: files, pictures, information, going on, what is wrong.
#define _XOPEN_SOURCE 700
#include "cli.h"

#define BOX "box: {shape: \"box:0.1x0.08x0.06\", material: wood, position: [0, 0, 0.03]}"
#define LIFT                                                                                                           \
    "grabs: [{name: hand, on: box, at: [0.05, 0, 0.03], until: 0.15, move: {z: {ramp: [0, 0.05], end: 0.1}}}]\n"

static int a_grab_makes_sound_motion_pictures_and_a_report(void)
{
    remove_files();
    ENSURE(write_scene("duration: 0.3\nground: {material: wood}\nbodies: {" BOX "}\n" LIFT));
    ENSURE(run("render s.yaml -o out --size 320x180 2>&1") == 0);
    ENSURE(strstr(output, "sound    out/ear.wav") && strstr(output, "motion   out/trace.twtrace"));
    ENSURE(strstr(output, "grab hand on 'box': at most"));
    ENSURE(is_there("out/preview.mp4") && is_there("out/still.png") && is_there("out/scene.glb"));
    ENSURE(is_there("out/series.png") && is_there("out/report.json") && !is_there("out/trace.twtrace.part"));
    ENSURE(run("info out/trace.twtrace 2>&1") == 0 && strstr(output, "box") &&
           strstr(output, "work of pushes and hands"));
    ENSURE(run("render s.yaml -o out --no-picture --json 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "\"world\": {") && strstr(output, "\"work_in\"") && strstr(output, "\"largest_error\"") &&
           strstr(output, "\"gave_way\": false") && !strstr(output, "\"stage\""));
    // the same motion is heard again
    ENSURE(run("sound out/trace.twtrace --listener near=mono:0,-0.3,0.1 -o out 2>&1") == 0);
    return 0;
}

static int info_tells_grabs_and_throws(void)
{
    remove_files();
    ENSURE(write_scene("frames: 100\nbodies: {" BOX "}\n" LIFT "throws: [{on: box, time: 1, spin: [0, 0, 1]}]\n"));
    ENSURE(run("info s.yaml 2>&1") == 0);
    ENSURE(strstr(output, "position of 'box' at 1 place(s), from 0 s to 0.15 s") && strstr(output, "1 throw(s)"));
    ENSURE(run("info s.yaml --json 2>&1") == 0 && is_json(output) && strstr(output, "\"grabs\"") &&
           strstr(output, "\"throws\": 1"));
    return 0;
}

static int what_is_wrong_with_a_grab_is_said_and_leaves_nothing(void)
{
    remove_files();
    ENSURE(write_scene("bodies: {" BOX "}\ngrabs: [{on: box, at: [0, 0, 3]}]\n"));
    ENSURE(run("render s.yaml -o out 2>&1") == 2 && strstr(output, "s.yaml:1:") && strstr(output, "own coordinates"));
    ENSURE(!is_there("out"));
    ENSURE(write_scene("bodies: {" BOX "}\ngrabs: [{on: box, at: [0, 0, 0], holt: 3}]\n"));
    ENSURE(run("render s.yaml -o out 2>&1") == 2 && strstr(output, "'holt'") && strstr(output, "^~~~"));
    ENSURE(!is_there("out"));
    ENSURE(write_scene("stage: {step: 0.001}\nbodies: {" BOX "}\n"));
    ENSURE(run("render s.yaml -o out 2>&1") == 2 && strstr(output, "max_step") && strstr(output, "^~~~"));
    ENSURE(!is_there("out"));
    return 0;
}

// fixed as a whole and with modes that act on nothing: only its world knows
static int a_body_that_does_not_move_is_not_grabbed(void)
{
    remove_files();
    ENSURE(write_scene("bodies: {wall: {shape: \"box:0.1x0.1x0.1\", kind: fixed, flexible: {modes: 3, accuracy: 0.3},\n"
                       "  coupling: one-way}}\ngrabs:\n  - {on: wall, at: [0, 0, 0.05]}\n"));
    ENSURE(run("render s.yaml -o out --no-picture 2>&1") == 2 &&
           strstr(output, "s.yaml:4:5: body 'wall' does not move"));
    return 0;
}

TEST_MAIN(RUN(a_grab_makes_sound_motion_pictures_and_a_report) RUN(info_tells_grabs_and_throws)
              RUN(what_is_wrong_with_a_grab_is_said_and_leaves_nothing) RUN(a_body_that_does_not_move_is_not_grabbed))
