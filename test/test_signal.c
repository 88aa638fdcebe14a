// SPDX-License-Identifier: MIT
// Signals: values that change in time, and how they are written in scenes.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scene.h"
#include "scratch.h"
#include "twang/math.h"
#include <math.h>

static int signals_follow_their_description(void)
{
    twScene* scene;
    twError err;
    const char* text = "duration: 4\nobjects: {a: {mass: 1}, b: {modes: [{freq: 100}]}}\n"
                       "forces:\n- {on: a, value: 2.5}\n- {on: a, value: {ramp: [1, 3], start: 1, end: 2}}\n"
                       "- {on: a, value: {keyframes: [[0, 0], [1, 10], [3, -10]], interpolate: smooth}}\n"
                       "- {on: a, value: {keyframes: [[0, 5], [1, 7]], interpolate: step}}\n"
                       "- {on: a, value: {noise: 2, mean: 1, seed: 9}}\n";
    ENSURE(parse_scene(&scene, text, &err) == TW_OK);
    const twSceneForce* f = scene->forces;
    ENSURE(scene->force_count == 5);
    ENSURE_NEAR(tw_signal_value(&f[0].value, 1, NULL), 2.5, 0);
    ENSURE_NEAR(tw_signal_value(&f[1].value, 0, NULL), 1, 0);
    ENSURE_NEAR(tw_signal_value(&f[1].value, 1.25, NULL), 1.5, 1e-12);
    ENSURE_NEAR(tw_signal_value(&f[1].value, 9, NULL), 3, 0);
    ENSURE_NEAR(tw_signal_value(&f[2].value, 0.25, NULL), 10 * (3 * 0.0625 - 2 * 0.015625), 1e-12);
    ENSURE_NEAR(tw_signal_value(&f[2].value, 2, NULL), 0, 1e-12);
    ENSURE_NEAR(tw_signal_value(&f[3].value, 0.99, NULL), 5, 0);
    ENSURE_NEAR(tw_signal_value(&f[3].value, 1, NULL), 7, 0);
    twNoise noise = tw_noise(0, 44100, 9);
    double sum = 0, squares = 0;
    for (int i = 0; i < 100000; i++)
    {
        double v = tw_signal_value(&f[4].value, 0, &noise);
        sum += v;
        squares += (v - 1) * (v - 1);
    }
    ENSURE_NEAR(sum / 100000, 1, 0.03);
    // 2 over the hearing range, and a little beyond it
    ENSURE_NEAR(sqrt(squares / 100000), 2 * sqrt(22050.0 / 19980), 0.03);
    tw_scene_destroy(scene);
    return 0;
}

static bool write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    if (!file) return false;
    bool ok = fputs(text, file) >= 0;
    return fclose(file) == 0 && ok;
}

static int tables_drive_forces(void)
{
    float ramp[100];
    for (int i = 0; i < 100; i++) ramp[i] = (float)i / 128;
    twWavDef wav = tw_wav_def();
    wav.rate_hz = 100;
    wav.format = TW_WAV_FLOAT;
    ENSURE(tw_wav_save(in_folder("drive.wav"), &wav, ramp, 100, NULL, NULL) == TW_OK);
    ENSURE(write_text(in_folder("drive.csv"), "time,ignored,force\n0,9,1\n1,9,3\n2,9,-1\n"));
    ENSURE(write_text(in_folder("driven.yaml"),
                      "duration: 3\nobjects: {a: {mass: 1}, b: {modes: [{freq: 100}]}}\nforces:\n"
                      "- {on: a, value: {csv: drive.csv, column: 3, scale: 2, offset: 1}}\n"
                      "- {on: a, value: {wav: drive.wav, scale: 128}}\n"));
    twScene* scene;
    twError err;
    ENSURE(tw_scene_load(&scene, in_folder("driven.yaml"), &err) == TW_OK);
    ENSURE_NEAR(tw_signal_value(&scene->forces[0].value, 0.5, NULL), 5, 1e-12);
    ENSURE_NEAR(tw_signal_value(&scene->forces[0].value, 1.5, NULL), 3, 1e-12);
    ENSURE_NEAR(tw_signal_value(&scene->forces[1].value, 0.505, NULL), 50.5, 1e-4);
    ENSURE_NEAR(tw_signal_value(&scene->forces[1].value, 2, NULL), 0, 0);
    tw_scene_destroy(scene);
    return 0;
}

static int slopes_of_signals_are_their_differences(void)
{
    const double times[] = {0, 1, 3}, values[] = {1, 4, -2}, table[] = {0, 2, 1, 5};
    twSignal s = {.kind = TW_SIGNAL_KEYFRAMES, .count = 3, .times = times, .values = values};
    for (int kind = TW_LINEAR; kind <= TW_SMOOTH; kind++)
    {
        s.interpolation = (twInterpolation)kind;
        for (double t = 0.25; t < 3; t += 0.5)
            ENSURE_NEAR(tw_signal_rate(&s, t),
                        (tw_signal_value(&s, t + 1e-6, NULL) - tw_signal_value(&s, t - 1e-6, NULL)) / 2e-6, 1e-8);
    }
    s.interpolation = TW_LINEAR;
    ENSURE(tw_signal_rate(&s, 1) == -3 && tw_signal_rate(&s, -1) == 0 && tw_signal_rate(&s, 3) == 0);
    const twSignal w = {
        .kind = TW_SIGNAL_TABLE, .count = 4, .values = table, .table_rate_hz = 10, .amount = 2, .value = 7};
    ENSURE_NEAR(tw_signal_rate(&w, 0.15), -20, 1e-12);
    ENSURE(tw_signal_rate(&w, 0.5) == 0 && tw_signal_rate(&w, -0.1) == 0);
    return 0;
}

// one that is 90 degrees ahead is a cosine
static int a_sine_has_its_value_and_exact_slope(void)
{
    twScene* scene = read_scene("duration: 1\nobjects: {a: {mass: 1}, b: {modes: [{freq: 100}]}}\nforces:\n"
                                "- {on: a, value: {sine: 2, frequency: 50, phase: 90, mean: 3}}\n"
                                "- {on: a, value: {sine: 0.5, frequency: 440}}\n");
    ENSURE(scene && scene->force_count == 2);
    const twSignal *cosine = &scene->forces[0].value, *sine = &scene->forces[1].value;
    ENSURE_NEAR(tw_signal_value(cosine, 0, NULL), 5, 1e-12);
    ENSURE_NEAR(tw_signal_value(cosine, 0.005, NULL), 3, 1e-12);
    ENSURE_NEAR(tw_signal_value(cosine, 0.99, NULL), 1, 1e-11);
    ENSURE_NEAR(tw_signal_rate(cosine, 0.005), -2 * 2 * TW_PI * 50, 1e-9);
    ENSURE_NEAR(tw_signal_rate(sine, 0), 0.5 * 2 * TW_PI * 440, 1e-12);
    for (double t = 0; t < 0.01; t += 0.0007)
    {
        const double difference = tw_signal_value(sine, t + 1e-7, NULL) - tw_signal_value(sine, t - 1e-7, NULL);
        ENSURE_NEAR(tw_signal_rate(sine, t), difference / 2e-7, 1e-4);
    }
    tw_scene_destroy(scene);
    return 0;
}

// it reads wherever signals do, and a body may be moved by it
static int a_sine_moves_bodies_by_its_slope(void)
{
    twScene* scene = read_scene("bodies: {tray: {shape: \"box:1x1x0.1\", move: {z: {sine: 0.001, frequency: 25}, "
                                "angle: {sine: 10, frequency: 2, phase: 90}}}}\n");
    ENSURE(scene && scene->bodies[0].drive);
    const twBodyMotion start = tw_scene_drive(scene->bodies[0].drive, 0);
    ENSURE_NEAR(start.position.z, 0, 0);
    ENSURE_NEAR(start.velocity.z, 0.001 * 2 * TW_PI * 25, 1e-12);
    ENSURE_NEAR(start.spin.z, 0, 1e-12);
    const twBodyMotion later = tw_scene_drive(scene->bodies[0].drive, 0.125);
    ENSURE_NEAR(later.spin.z, -10 * TW_PI / 180 * 2 * TW_PI * 2, 1e-12);
    tw_scene_destroy(scene);
    return 0;
}

#define OBJECTS "objects:\n  h: {mass: 1}\n  b: {modes: [{freq: 100}]}\n"

static int wrong_sines_are_refused_with_their_place(void)
{
    static const Wrong wrongs[] = {
        {OBJECTS "forces: [{on: h, value: {sine: 1}}]\n", "4:", "lacks 'frequency'"},
        {OBJECTS "forces: [{on: h, value: {sine: -1, frequency: 3}}]\n", "4:", "'sine'"},
        {OBJECTS "forces: [{on: h, value: {sine: 1, frequency: 0}}]\n", "4:", "'frequency'"},
        {OBJECTS "forces: [{on: h, value: {sine: 1, frequency: 24000}}]\n", "4:", "'frequency'"},
        {OBJECTS "forces: [{on: h, value: {sine: 1, frequency: 9, amplitude: 2}}]\n", "4:", "amplitude"},
        {OBJECTS "forces: [{on: h, value: {sin: 1}}]\n", "4:", "ramp, keyframes, sine, noise, csv, wav"},
        {OBJECTS "interactions: [{between: [h, b], friction: {normal_force: {sine: 2, frequency: 3, mean: 1}}}]\n",
         "4:", "goes from -1 to 3"},
    };
    return ensure_refused(wrongs, sizeof wrongs / sizeof wrongs[0]);
}

// clang-format off
TEST_MAIN(
    RUN(signals_follow_their_description)
    RUN(tables_drive_forces)
    RUN(slopes_of_signals_are_their_differences)
    RUN(a_sine_has_its_value_and_exact_slope)
    RUN(a_sine_moves_bodies_by_its_slope)
    RUN(wrong_sines_are_refused_with_their_place)
)
