// SPDX-License-Identifier: MIT
// `twang bake` as its users see it.

#define _XOPEN_SOURCE 700
#include "cli.h"

#define BODY "box:0.2x0.1x0.05 --material wood --count 4 --accuracy 20"

// a cache of its own
static void own_cache(void)
{
    remove_files();
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
}

static int baked_modes_are_told_and_kept(void)
{
    own_cache();
    ENSURE(run("bake " BODY " --max-panels 200 --threads 1 -o a.twmodes 2>&1") == 0);
    ENSURE(strstr(output, "radiation [dB]") && strstr(output, "4 modes in") && !strstr(output, "cache"));
    ENSURE(run("info a.twmodes") == 0 && strstr(output, "acoustic transfer: 4 modes"));
    ENSURE(run("info a.twmodes --json") == 0 && strstr(output, "\"baked_modes\": 4"));
    // again, from the cache; also from the file, whose modes are the same
    ENSURE(run("bake " BODY " --max-panels 200 --threads 2 -o b.twmodes --plot b.svg") == 0);
    ENSURE(strstr(output, "4 of them from the cache"));
    ENSURE(access(in_folder("b.svg"), R_OK) == 0);
    ENSURE(run("--version > /dev/null; cmp a.twmodes b.twmodes") == 0);
    ENSURE(run("bake a.twmodes --max-panels 200 --json") == 0);
    ENSURE(strstr(output, "\"cached\": 4") && strstr(output, "\"fit_error_db\""));
    return 0;
}

static int bodies_of_a_scene_are_baked_once(void)
{
    own_cache();
    FILE* file = fopen(in_folder("s.yaml"), "w");
    ENSURE(file);
    fputs(
        "duration: 0.01\n"
        "bodies:\n"
        "  a: {shape: 'box:0.2x0.1x0.05', material: wood, flexible: {modes: 3, accuracy: 0.05}, position: [0, 0, 1]}\n"
        "  b: {shape: 'box:0.2x0.1x0.05', material: wood, flexible: {modes: 3, accuracy: 0.05}, position: [0, 0, 2]}\n",
        file);
    fclose(file);
    int code = run("bake s.yaml --max-panels 200 --threads 1 --max-freq 4000 2>&1");
    if (code != 0) printf("%s", output);
    ENSURE(code == 0 && strstr(output, "a\n") && !strstr(output, "b\nmode"));
    ENSURE(run("bake s.yaml -o a.twmodes 2>&1") == 2 && strstr(output, "one body"));
    return 0;
}

static int scenes_are_baked_in_their_own_air(void)
{
    own_cache();
    ENSURE(write_text("cold.yaml",
                      "duration: 0.01\nair: {temperature: 0}\nlisteners: {a: {at: [0, -1, 1], kind: mono}}\nbodies:\n"
                      "  a: {shape: 'box:0.2x0.1x0.05', material: wood, flexible: {modes: 3, accuracy: 0.05}}\n"));
    ENSURE(run("bake cold.yaml --max-panels 200 --json 2>&1") == 0 && strstr(output, "\"sound_speed\": 331"));
    ENSURE(run("render cold.yaml --no-picture -o cold 2>&1") == 0 && strstr(output, "as baked: 1"));
    return 0;
}

static int scenes_without_flexible_bodies_are_refused(void)
{
    own_cache();
    ENSURE(write_text("bell.yaml", "objects: {bell: {series: {kind: bar, freq: 440}}}\n"));
    ENSURE(run("bake bell.yaml 2>&1") == 2 && strstr(output, "no 'bodies'"));
    ENSURE(write_text("rigid.yaml", "bodies: {ball: {shape: 'sphere:0.01'}}\n"));
    ENSURE(run("bake rigid.yaml --json 2>/dev/null") == 2 && output[0] == 0);
    return 0;
}

static int least_panels_raise_the_most(void)
{
    own_cache();
    ENSURE(run("bake " BODY " --min-panels 2400 --json 2>&1") == 0);
    const char* panels = strstr(output, "\"panels\": ");
    ENSURE(panels && atoi(panels + 10) > 2200);
    return 0;
}

static int budget_leaves_the_quietest_modes_estimated(void)
{
    own_cache();
    ENSURE(run("bake " BODY " --bake-budget 0.02 2>&1") == 0);
    ENSURE(strstr(output, "estimated") && strstr(output, "dB of the loudness of all"));
    ENSURE(run("bake " BODY " --bake-budget 0.02 --json 2>&1") == 0 && !strstr(output, "\"estimated_db\": null"));
    ENSURE(run("bake " BODY " --json 2>&1") == 0 && strstr(output, "\"estimated_db\": null"));
    // what is baked finely serves all that want less
    ENSURE(run("bake " BODY " --fine --json 2>&1") == 0 && strstr(output, "\"cached\": 0"));
    ENSURE(run("bake " BODY " --json 2>&1") == 0 && strstr(output, "\"cached\": 4"));
    return 0;
}

static int wrong_input_says_what_is_wrong(void)
{
    static const char* const cases[][2] = {
        {"bake none.twmodes", "none.twmodes"},
        {"bake none.yaml", "none.yaml"},
        {"bake none.yaml --material wood", "for one body"},
        {"bake " BODY " --max-panels 8", "--max-panels"},
        {"bake " BODY " --min-panels 400 --max-panels 200", "--min-panels 400 is more"},
        {"bake " BODY " --threads -1", "--threads"},
        {"bake " BODY " --bake-budget -1", "--bake-budget"},
        {"bake " BODY " --sound-speed 0", "--sound-speed"},
        {"bake " BODY " -o a.wav", "must end with .twmodes"},
        {"bake " BODY " --plot a.wav", "--plot"},
        {"bake", "BODY"},
    };
    own_cache();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char args[256];
        snprintf(args, sizeof args, "%s 2>&1", cases[i][0]);
        int code = run(args);
        if ((code != 1 && code != 2) || !strstr(output, cases[i][1])) printf("%s: %d, %s", args, code, output);
        ENSURE((code == 1 || code == 2) && strstr(output, cases[i][1]));
    }
    return 0;
}

// two cubes of 0.1 m that overlap by half, with faces of their own
static int info_counts_what_overlaps_once(void)
{
    char text[2000];
    int n = 0;
    static const int face[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                    {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    for (int c = 0; c < 2; c++)
        for (int v = 0; v < 8; v++)
            n += snprintf(text + n, sizeof text - (size_t)n, "v %g %g %g\n", 0.1 * (v >> 2) + 0.05 * c,
                          0.1 * (v >> 1 & 1) + 0.01 * c, 0.1 * (v & 1) + 0.01 * c);
    for (int f = 0; f < 24; f++)
        n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d\n", face[f % 12][0] + 1 + f / 12 * 8,
                      face[f % 12][1] + 1 + f / 12 * 8, face[f % 12][2] + 1 + f / 12 * 8);
    ENSURE(write_text("two.obj", text) && run("info two.obj --json") == 0);
    double volume = 0;
    ENSURE(sscanf(strstr(output, "\"volume_m3\""), "\"volume_m3\": %lf", &volume) == 1);
    ENSURE_NEAR(volume / (2e-3 - 0.05 * 0.09 * 0.09), 1, 2e-3);
    return 0;
}

// a bar of 400 mm, whose lengths have no unit: in metres nothing of it is heard
static int a_strike_guesses_the_unit_of_what_is_too_large_to_be_heard(void)
{
    char text[600] = "";
    for (int i = 0; i < 8; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "v %d %d %d\n", i & 1 ? 400 : 0, i & 2 ? 40 : 0,
                 i & 4 ? 10 : 0);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    ENSURE(write_text("bar.obj", text));
    ENSURE(run("strike bar.obj --count 3 --no-cache -o a.wav --json 2>/dev/null") == 0 && is_json(output));
    ENSURE(strstr(output, "nothing of 400 m is heard: lengths of the file are taken as millimetres (--units mm)"));
    ENSURE(run("strike bar.obj --count 3 --no-cache --draft -o a.wav 2>/dev/null") == 0);
    ENSURE(strstr(output, "taken as millimetres"));
    // not where a unit is given, or lengths go by it
    ENSURE(run("strike bar.obj --count 3 --no-cache --units m -o b.wav 2>&1") == 2);
    ENSURE(strstr(output, "nothing to hear: all modes are below 20 Hz"));
    ENSURE(run("strike bar.obj --count 3 --no-cache --at 0,0,0 -o b.wav 2>&1") == 2 && strstr(output, "below 20 Hz"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(info_counts_what_overlaps_once)
    RUN(baked_modes_are_told_and_kept)
    RUN(bodies_of_a_scene_are_baked_once)
    RUN(scenes_are_baked_in_their_own_air)
    RUN(scenes_without_flexible_bodies_are_refused)
    RUN(least_panels_raise_the_most)
    RUN(budget_leaves_the_quietest_modes_estimated)
    RUN(a_strike_guesses_the_unit_of_what_is_too_large_to_be_heard)
    RUN(wrong_input_says_what_is_wrong)
)
