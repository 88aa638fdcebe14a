// SPDX-License-Identifier: MIT
// Tests of rods on the command line: what is wrong with them ends with exit status 2, place and cure; notes; interrupts; the
// comparison with theory.
#define _XOPEN_SOURCE 700
#include "cli.h"

#define BAR "straight: 0.3, section: {circle: 0.003}"
#define STRUCK BAR ", strikes: [{at: end, force: [0, 0, 1]}]"
#define EAR "listeners: {ear: {at: [0, 0, 1]}}\n"

// the second of two rods, or the listener, is wrong
static int wrong_rods_end_with_exit_status_2_place_and_cure(void)
{
    static const char* const cases[][3] = {
        {"straight: 0.3, points: 1, section: {circle: 0.003}", "at: [0, 0, 1]",
         "s.yaml:3:30: 'points' must be a whole number from 2"},
        {"polyline: [[0, 1, 0], [1, 1, 0], [1, 1, 0]], section: {circle: 0.003}", "at: [0, 0, 1]", "leave one out"},
        {BAR ", poisson: 0.6", "at: [0, 0, 1]", "up to 0.4999"},
        {"straight: 0.3, section: {polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]}", "at: [0, 0, 1]", "must not cross"},
        {BAR ", at: [0, 1, 0]", "at: [0.1, 1.002, 0]", "is inside the rod"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[400];
        remove_files();
        snprintf(text, sizeof text, "rods:\n  a: {" BAR "}\n  b: {%s}\nlisteners: {ear: {%s}}\n", cases[i][0],
                 cases[i][1]);
        ENSURE(write_scene(text));
        const int code = run("render s.yaml -o out 2>&1");
        if (code != 2 || !strstr(output, cases[i][2])) printf("%s%d, %s", text, code, output);
        ENSURE(code == 2 && strstr(output, cases[i][2]) && strstr(output, "twang render: s.yaml:"));
        ENSURE(count_files() == 1);
    }
    return 0;
}

static int notes_tell_what_may_surprise(void)
{
    remove_files();
    ENSURE(write_scene("duration: 0.02\nframes: 500\nrods: {r: {" STRUCK "}}\n" EAR));
    ENSURE(run("render s.yaml -o out --no-video 2>&1") == 0 && strstr(output, "motion   out/trace.twtrace"));
    ENSURE(!strstr(output, "note"));
    ENSURE(run("info out/trace.twtrace 2>&1") == 0 && strstr(output, "10 frame(s) at 500 per second"));
    // another name for the sound, no motion
    ENSURE(write_scene("duration: 0.02\nframes: 0\nrods: {r: {" STRUCK "}}\nlisteners: {eye: {at: [0, 0, 1]}}\n"));
    ENSURE(run("render s.yaml -o out --no-video 2>&1") == 0 && !strstr(output, "trace"));
    ENSURE(strstr(output, "note     ear.wav in that folder is not of this render"));
    ENSURE(access(in_folder("out/trace.twtrace"), F_OK) != 0 && access(in_folder("out/ear.wav"), F_OK) == 0);
    // a blow of a micronewton, below the ground
    ENSURE(write_scene("duration: 0.05\ngravity: [0, 0, -10]\nground: {}\nrods: {r: {" BAR
                       ", strikes: [{at: end, force: [0, 0, 1.0e-6]}]}}\n" EAR));
    ENSURE(run("render s.yaml -o new --no-video 2>&1") == 0);
    ENSURE(strstr(output, "less than can be heard") && strstr(output, "rod 'r' went through the ground"));
    return 0;
}

static int info_tells_rods_and_listeners(void)
{
    remove_files();
    ENSURE(write_scene(
        "rods: {r: {" STRUCK ", supports: [{at: start, hold: pinned}]}, o: {ring: 0.1, points: 400, section: "
        "{rectangle: [0.004, 0.001]}}}\nlisteners: {ear: {at: [0, 0, 1]}, p: {pickup: {rod: r, at: end}}}\n"));
    ENSURE(run("info s.yaml 2>&1") == 0 && !strstr(output, "objects"));
    ENSURE(strstr(output, "steel, 50 points, 0.3 m, section of radius 0.003 m; 1 support(s), 1 blow(s)"));
    ENSURE(strstr(output, "400 points, 0.628312 m, closed, section 0.004 x 0.001 m"));
    ENSURE(strstr(output, "at (0, 0, 1)") && strstr(output, "pickup at point 50 of 'r'"));
    ENSURE(run("info s.yaml --json 2>&1") == 0 && is_json(output) && strstr(output, "\"closed\": true"));
    return 0;
}

static int rods_and_bodies_are_rendered_and_shown_together(void)
{
    remove_files();
    ENSURE(write_scene(
        "duration: 0.06\nground: {material: wood}\nbodies: {ball: {shape: \"sphere:0.01\", position: [0, 0, 0.05]}}\n"
        "rods: {r: {straight: 0.1, points: 8, section: {circle: 0.002}, at: [0.05, 0, 0.004]}}\n"
        "listeners: {ear: {kind: stereo, at: [0, -1, 0.5]}}\n"));
    ENSURE(run("info s.yaml 2>&1") == 0 && strstr(output, "0 tie(s)") && strstr(output, "ground       wood"));
    ENSURE(run("render s.yaml -o out 2>&1") == 0 && strstr(output, "1 rod: ") && strstr(output, "contacts in a step"));
    ENSURE(!strstr(output, "went through the ground"));
    ENSURE(strstr(output, "film     out/preview.mp4") && strstr(output, "glTF     out/scene.glb"));
    ENSURE(run("info out/trace.twtrace 2>&1") == 0 && strstr(output, "r: 8 points") && strstr(output, "ball: "));
    ENSURE(strstr(output, "ear left: up to") && strstr(output, "contacts of rods per step"));
    return 0;
}

static int interrupted_rods_end_soon_and_leave_nothing(void)
{
    char* args[] = {"twang", "render", TEST_SOURCE_DIR "/scenes/wind-chime.yaml", "-o", "out", NULL};
    return interrupt_after(args, (struct timespec){.tv_nsec = 500000000});
}

// pitch and comparisons of rods from their sound, without the long ones; nothing timed
static int reproduced_rods_agree(void)
{
    remove_files();
    ENSURE(run("reproduce rods --quick --json -o figures") == 0 && is_json(output));
    ENSURE(strstr(output, "\"ok\": true") && strstr(output, "\"ok\": null") && !strstr(output, "\"ok\": false"));
    ENSURE(strstr(output, "defaults, 30 points: thin 4") && strstr(output, "twist 1") && strstr(output, "D22"));
    ENSURE(starts_like("figures/rods-fig8-wide.png", "\x89PNG") &&
           starts_like("figures/rods-fig8-narrow.png", "\x89PNG"));
    return 0;
}

// the two short rods that fall; nothing timed is checked
static int reproduced_rod_contact_agrees(void)
{
    ENSURE(run("reproduce rod-contact --quick --json") == 0 && is_json(output));
    ENSURE(strstr(output, "\"ok\": true") && strstr(output, "\"ok\": null") && !strstr(output, "\"ok\": false"));
    ENSURE(strstr(output, "Circular Rod: contacts per step") && strstr(output, "Ruler: largest rise of energy"));
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(wrong_rods_end_with_exit_status_2_place_and_cure)
    RUN(notes_tell_what_may_surprise)
    RUN(info_tells_rods_and_listeners)
    RUN(rods_and_bodies_are_rendered_and_shown_together)
    RUN(interrupted_rods_end_soon_and_leave_nothing)
    RUN(reproduced_rods_agree)
    RUN(reproduced_rod_contact_agrees)
)
