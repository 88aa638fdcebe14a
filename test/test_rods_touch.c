// SPDX-License-Identifier: MIT
// Scenes with rods that touch, from text to files: what moves, what is heard and recorded, and going on after an interruption.

#define _XOPEN_SOURCE 700  // scratch.h
#include "render.h"
#include "twang/math.h"
#include <stdlib.h>

#define GRAVITY 9.81
#define AS_IT_IS "format: float, level: {gain: 1}"

// ---- rendering ----

static bool going(double done, void* context)
{
    const double* until = context;
    return done < *until;
}

static twStatus render(const char* text, const char* folder, bool resume, double until, twRenderReport* report,
                       twError* err)
{
    const twRenderDef def = {.keep_going = going, .context = &until, .resume = resume};
    return render_scene(text, folder, def, report, err);
}

// ---- what is heard ----

#define FORK                                                                                                           \
    "straight: 0.1, points: 21, section: {rectangle: [0.004, 0.002]}, supports: [{at: start, hold: clamped}], "        \
    "strikes: [{at: end, force: [0, 1, 5], duration: 0.0005}]"

// the same rod by itself and in a world, where it touches nothing: other code steps it and hears it
static int what_touches_nothing_sounds_as_it_does_alone(void)
{
    const char* alone = "duration: 0.05\noversample: 2\nground: {point: [0, 0, -1]}\nrods: {a: {" FORK "}}\n"
                        "listeners: {ear: {at: [0.3, 0.2, 0.5]}}\noutputs: [{name: ear, from: [ear], " AS_IT_IS "}]\n";
    const char* world = "duration: 0.05\noversample: 2\nground: {point: [0, 0, -1]}\ngravity: [0, 0, 0]\n"
                        "rods: {a: {" FORK ", collide: true}}\nlisteners: {ear: {kind: mono, at: [0.3, 0.2, 0.5]}}\n"
                        "outputs: [{name: ear, from: [ear], " AS_IT_IS "}]\n";
    ENSURE(render_all(alone, "alone") && render_all(world, "world"));
    twWav *a = render_wav("alone", "ear.wav"), *b = render_wav("world", "ear.wav");
    ENSURE(a && b && a->frames == b->frames && b->channels == 1);
    double peak = 0, apart = 0;
    for (int64_t i = 0; i < a->frames; i++)
    {
        peak = fmax(peak, fabs((double)a->samples[i]));
        apart = fmax(apart, fabs((double)a->samples[i] - (double)b->samples[i]));
    }
    ENSURE(peak > 1e-3 && apart < 1e-4 * peak);
    tw_wav_destroy(a);
    tw_wav_destroy(b);
    return 0;
}

// An aluminium rod of half an inch falls on concrete: most of its click is where it is no compact source.
static int a_dropped_rod_is_softer_than_compact_dipoles(void)
{
    static const char* const radiation[] = {"", ", radiation: {exact_cylinder: false}"};
    double peak[2] = {0, 0};
    for (int i = 0; i < 2; i++)
    {
        char text[700];
        snprintf(text, sizeof text,
                 "duration: 0.1\nground: {material: concrete}\nrods: {rod: {straight: 0.6096, at: [-0.3, 0, 0.008], "
                 "axis: [1, 0, 0.15], velocity: [0, 0, -2.3], points: 50, section: {circle: 0.00635}, collide: true, "
                 "density: 2700, young: 70.7e+9, poisson: 0.33, loss_factor: 1.0e-4%s}}\n"
                 "listeners: {ear: {kind: mono, at: [0.1, -0.8, 0.9]}}\noutputs: [{name: ear, from: [ear], " AS_IT_IS
                 "}]\n",
                 radiation[i]);
        ENSURE(render_all(text, i ? "compact" : "cylinder"));
        twWav* wav = render_wav(i ? "compact" : "cylinder", "ear.wav");
        ENSURE(wav);
        for (int64_t k = 0; k < wav->frames; k++) peak[i] = fmax(peak[i], fabs((double)wav->samples[k]));
        tw_wav_destroy(wav);
    }
    ENSURE(peak[0] > 1 && 20 * log10(peak[1] / peak[0]) > 7);
    return 0;
}

// v = -g t at the time of each sample, of a body and of a rod
static int pickups_of_what_falls_have_the_velocity_of_the_time(void)
{
    const char* text = "duration: 0.05\noversample: 2\n"
                       "bodies: {ball: {shape: \"sphere:0.01\", position: [1, 0, 0]}}\n"
                       "rods: {a: {straight: 0.1, points: 11, section: {circle: 0.002}, alpha: 0}}\n"
                       "listeners:\n"
                       "  b: {pickup: {body: ball, at: [0, 0, 0.01]}}\n"
                       "  r: {pickup: {rod: a, at: 0.5}}\n"
                       "outputs: [{name: b, from: [b], " AS_IT_IS "}, {name: r, from: [r], " AS_IT_IS "}]\n";
    ENSURE(render_all(text, "falls"));
    twTrace* trace = render_trace("falls");
    ENSURE(trace && trace->sample_rate_hz == 96000 && trace->sample_count == 4800 && trace->track_count == 2);
    float v[2][4800];
    for (int k = 0; k < 2; k++) tw_trace_track(trace, k, 0, 4800, v[k]);
    for (int i = 0; i < 4800; i++)
        for (int k = 0; k < 2; k++)
            ENSURE_NEAR((double)v[k][i], -GRAVITY * i / 96000, 1e-6 + 2e-5 * GRAVITY * i / 96000);
    ENSURE(trace->rod_count == 1 && trace->body_count == 1 && trace->frame_count == 3);
    const double fallen = 0.5 * GRAVITY / 60 / 60;
    // frames are at the step nearest to them
    ENSURE_NEAR((double)tw_trace_positions(trace, 1, 0)[2], -fallen, GRAVITY / 60 / 96000);
    ENSURE_NEAR((double)tw_trace_pose(trace, 1, 0)[2], -fallen, GRAVITY / 60 / 96000);
    tw_trace_destroy(trace);

    // and the same in the files, but for the filter at their ends
    twWav* wav = render_wav("falls", "r.wav");
    ENSURE(wav && wav->frames == 2400);
    for (int i = 200; i < 1440; i++) ENSURE_NEAR((double)wav->samples[i], -GRAVITY * i / 48000, 2e-4);
    tw_wav_destroy(wav);
    return 0;
}

// a rod to the left of one who looks along y: nearer to the left, and in ambisonics by the cosines of its direction
static int ears_hear_where_rods_are(void)
{
    const char* text =
        "duration: 0.03\ngravity: [0, 0, 0]\nrods: {a: {" FORK ", at: [-0.55, 0.45, 0], collide: true}}\n"
        "listeners:\n"
        "  pair: {kind: stereo, at: [0, 0, 0], look: [0, 1, 0]}\n"
        "  head: {kind: binaural, at: [0, 0, 0], look: [0, 1, 0]}\n"
        "  four: {kind: ambix, at: [0, 0, 0], look: [0, 1, 0]}\n";
    ENSURE(render_all(text, "ears"));
    twTrace* trace = render_trace("ears");
    ENSURE(trace && trace->track_count == 8);
    enum
    {
        COUNT = 1440
    };
    ENSURE(trace->sample_count == COUNT);
    static float heard[8][COUNT];
    double power[8] = {0};
    for (int k = 0; k < 8; k++)
    {
        tw_trace_track(trace, k, 0, COUNT, heard[k]);
        for (int i = 0; i < COUNT; i++) power[k] += (double)heard[k][i] * (double)heard[k][i];
    }
    ENSURE_TEXT(trace->tracks[1].name, "pair right");
    ENSURE_TEXT(trace->tracks[4].name, "four W");
    ENSURE_TEXT(trace->tracks[4].unit, "Pa");
    ENSURE(power[0] > 2 * power[1] && power[2] > power[3] && power[3] > 0);
    // ahead is y, left is -x: the middle is at (-0.5, 0.45, 0)
    const double away = sqrt(0.5 * 0.5 + 0.45 * 0.45);
    ENSURE_NEAR(sqrt(power[5] / power[4]), 0.5 / away, 0.01);
    ENSURE_NEAR(sqrt(power[7] / power[4]), 0.45 / away, 0.01);
    ENSURE(power[6] < 1e-4 * power[4]);
    tw_trace_destroy(trace);
    return 0;
}

// ---- what is recorded ----

#define NAIL_MASS (7850 * 0.05 * TW_PI * 0.0015 * 0.0015)

// what a rod that comes to rest on a body does to it: its weight, all the time
static int a_body_feels_the_weight_of_a_rod(void)
{
    const char* text =
        "duration: 0.25\nbodies: {plate: {shape: \"box:0.2x0.2x0.02\", material: wood, flexible: false, "
        "position: [0, 0, -0.01]}}\n"
        "joints: [{kind: fixed, between: [plate, world], at: [0, 0, -0.01]}]\n"
        "touch: [{between: [steel, wood], impact: {restitution: 0.2}}]\n"
        "rods: {nail: {straight: 0.05, points: 11, section: {circle: 0.0015}, at: [-0.025, 0.01, 0.0015]}}\n"
        "listeners: {}\n";
    twError err;
    twRenderReport report;
    const twStatus status = render(text, "nail", false, 2, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && report.rod_count == 1 && report.world.given);
    ENSURE(report.world.stats.rod_contacts > 0 && report.world.energy.total_rise < 1e-9);
    ENSURE(report.rods[0].stats.steps >= 11025);
    tw_render_report_free(&report);
    twTrace* trace = render_trace("nail");
    twTracePair* pairs;
    int count;
    ENSURE(trace && tw_trace_pairs(&pairs, &count, trace, NULL) == TW_OK && count == 1);
    ENSURE(pairs[0].body[0] == TW_NOWHERE && pairs[0].body[1] == 0);
    ENSURE_NEAR(pairs[0].impulse, NAIL_MASS * GRAVITY * 0.25, 0.03 * NAIL_MASS * GRAVITY * 0.25);
    // it lies there, and its arrows are seen
    ENSURE_NEAR((double)tw_trace_positions(trace, trace->frame_count - 1, 0)[2], 0.0015, 2e-5);
    ENSURE(trace->arrow_count[trace->frame_count - 1] > 0);
    // and its contacts are counted where those of bodies are
    const int last = trace->series_count - 1;
    ENSURE(strcmp(trace->series[last].name, "contacts") == 0);
    ENSURE(tw_trace_values(trace, trace->frame_count - 1)[last] >= 1);
    free(pairs);
    tw_trace_destroy(trace);
    return 0;
}

// a body that hangs on a wire at rest: the wire pulls with its weight, and that is no touch
static int a_body_feels_what_it_is_tied_to(void)
{
    const char* text =
        "duration: 0.1\nbodies: {box: {shape: \"box:0.02x0.02x0.02\", mass: 0.1, flexible: false}}\n"
        "rods: {wire: {straight: 0.05, axis: [0, 0, 1], at: [0, 0, 0.01], points: 6, section: {circle: 0.0003}, "
        "ties: [{at: start, body: box}], supports: [{at: end, hold: pinned}]}}\nlisteners: {}\n";
    ENSURE(render_all(text, "hung"));
    twTrace* trace = render_trace("hung");
    twTraceForce* forces;
    int64_t count;
    ENSURE(trace && tw_trace_forces_on(&forces, &count, trace, 0, NULL) == TW_OK && count > 1000);
    // it swings up and down about that in its wire
    double sum = 0;
    for (int64_t i = 1; i < count; i++) sum += (double)forces[i - 1].force[2] * (forces[i].time - forces[i - 1].time);
    ENSURE_NEAR(sum / forces[count - 1].time, 0.1 * GRAVITY, 0.02 * 0.1 * GRAVITY);
    ENSURE(trace->touches[forces[0].touch].id >= TW_TRACE_PUSH);
    free(forces);
    tw_trace_destroy(trace);
    return 0;
}

// ---- going on ----

#define CLATTER                                                                                                        \
    "duration: 0.16\noversample: 2\nground: {material: wood}\n"                                                        \
    "bodies: {ball: {shape: \"sphere:0.01\", position: [0, 0, 0.06]}}\n"                                               \
    "rods:\n"                                                                                                          \
    "  wire: {straight: 0.04, axis: [0, 0, 1], at: [0, 0, 0.07], points: 9, section: {circle: 0.0005},\n"              \
    "         ties: [{at: start, body: ball}], strikes: [{at: end, force: [0.1, 0, 0]}]}\n"                            \
    "  nail: {straight: 0.05, points: 8, section: {circle: 0.0015}, at: [0.1, 0, 0.01], spin: [0, 20, 5],\n"           \
    "         copies: {count: 2, step: [0, 0.005, 0.005]}}\n"                                                          \
    "  post: {straight: 0.05, points: 6, section: {circle: 0.002}, at: [-0.2, 0, 0.1],\n"                              \
    "         supports: [{at: start, hold: clamped, move: {z: {ramp: [0, -0.02]}}}]}\n"                                \
    "listeners: {ear: {kind: stereo, at: [0, -0.3, 0.2]}, tip: {pickup: {rod: nail-2, at: end}}}\n"

static int an_interrupted_render_goes_on_to_the_same_files(void)
{
    twError err;
    twRenderReport report;
    ENSURE(render_all(CLATTER, "whole"));
    ENSURE(render(CLATTER, "parts", false, 0.45, &report, &err) == TW_INTERRUPTED);
    ENSURE(render(CLATTER, "parts", true, 0.8, &report, &err) == TW_INTERRUPTED);
    const twStatus status = render(CLATTER, "parts", true, 2, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && report.world.resumed_at > 0.09);
    tw_render_report_free(&report);
    ENSURE(same_file("whole", "parts", "trace.twtrace"));
    ENSURE(same_file("whole", "parts", "ear.wav"));
    ENSURE(same_file("whole", "parts", "tip.wav"));
    return 0;
}

static int rods_without_frames_are_heard_all_the_same(void)
{
    const char* text = "duration: 0.02\nframes: 0\ncollide: true\nrods: {a: {" FORK
                       "}}\nlisteners: {e: {kind: mono, at: [0, 0, 1]}}\n";
    ENSURE(render_all(text, "unseen"));
    twWav* wav = render_wav("unseen", "e.wav");
    ENSURE(wav && wav->frames == 960 && access(rendered("unseen", "trace.twtrace"), F_OK) != 0);
    tw_wav_destroy(wav);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_touches_nothing_sounds_as_it_does_alone)
    RUN(a_dropped_rod_is_softer_than_compact_dipoles)
    RUN(pickups_of_what_falls_have_the_velocity_of_the_time)
    RUN(ears_hear_where_rods_are)
    RUN(a_body_feels_the_weight_of_a_rod)
    RUN(a_body_feels_what_it_is_tied_to)
    RUN(an_interrupted_render_goes_on_to_the_same_files)
    RUN(rods_without_frames_are_heard_all_the_same)
)
