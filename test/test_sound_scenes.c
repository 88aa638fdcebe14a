// SPDX-License-Identifier: MIT
// Scenes heard: how long a body rings in the air and on the ground, against what its damping says.
#define _XOPEN_SOURCE 700
#include "scene.h"
#include "sound.h"
#include "test.h"
#include "twang/render.h"
#include "twang/sound.h"
#include <math.h>
#include <stdlib.h>

#define PLATE                                                                                                          \
    "bodies: {plate: {shape: \"plate:0.12x0.07x0.006\", material: steel, flexible: {modes: 4, max_freq: 100, "         \
    "accuracy: 0.05}, position: [0, 0, 0.003], edge: 0.02}}\n"                                                         \
    "pushes: [{on: plate, at: [0.06, 0.035, 0.003], impulse: [0, 0, -2.0e-5], time: 0.1, duration: 0.0002}]\n"         \
    "listeners: {ear: {at: [0.1, 0.1, 0.4], kind: mono}}\n"                                                            \
    "outputs: [{name: ear, from: [ear], format: float, level: {gain: 1}}]\n"

// render to a folder. @return its sound; tw_wav_destroy() it
static twWav* render(const char* text, const char* name, twTrace** trace)
{
    twError err = {0};
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s", in_folder(name));
    twScene* scene = read_scene(text);
    if (!scene) return NULL;
    const twRenderDef def = {.folder = folder, .no_picture = true};
    twRenderReport report;
    twWav* wav = NULL;
    if (tw_render(scene, &def, &report, &err) == TW_OK)
    {
        snprintf(path, sizeof path, "%s/ear.wav", folder);
        tw_wav_load(&wav, path, 0, &err);
        snprintf(path, sizeof path, "%s/trace.twtrace", folder);
        if (tw_trace_load(trace, path, &err) != TW_OK) printf("%s\n", err.text);
        tw_render_report_free(&report);
    }
    else
        printf("%s\n", err.text);
    tw_scene_destroy(scene);
    return wav;
}

// amplitude of a tone in a window about a time, Hann's
static double tone(const twWav* wav, double freq_hz, double time, double length)
{
    double re = 0, im = 0;
    const int64_t first = (int64_t)((time - length / 2) * wav->rate_hz), count = (int64_t)(length * wav->rate_hz);
    for (int64_t n = 0; n < count; n++)
    {
        const double window = 0.5 - 0.5 * cos(2 * TW_PI * (double)n / (double)count);
        const double phase = 2 * TW_PI * freq_hz * (double)(first + n) / wav->rate_hz;
        re += window * (double)wav->samples[first + n] * cos(phase);
        im += window * (double)wav->samples[first + n] * sin(phase);
    }
    return hypot(re, im);
}

// decay of a mode's amplitude between two times [1/s]
static double decay_of(const twWav* wav, double freq_hz, double from, double until)
{
    return log(tone(wav, freq_hz, from, 0.03) / tone(wav, freq_hz, until, 0.03)) / (until - from);
}

// G_mm of the contacts that push at a time, over gamma; mu is 0.5
static double damping_of(const twTrace* trace, int mode, double time)
{
    const twModeSet* set = trace->bodies[0].set;
    double* last = calloc((size_t)trace->touch_count + 1, sizeof *last);  // normal force by touch
    double sum = 0;
    for (int b = 0; last && b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            const twTraceForce* f = &trace->force_blocks[b].forces[i];
            if (f->time > time) continue;
            const twTraceTouch* at = &trace->touches[f->touch];
            for (int64_t k = 0; k < trace->touch_count; k++)
                if (trace->touches[k].id == at->id) last[k] = 0;
            last[f->touch] =
                fabs((double)(f->force[0] * at->normal[0] + f->force[1] * at->normal[1] + f->force[2] * at->normal[2]));
        }
    for (int64_t k = 0; last && k < trace->touch_count; k++)
    {
        const twTraceTouch* at = &trace->touches[k];
        const int side = at->body[0] == 0 ? 0 : 1;
        twVec3 shape = {0, 0, 0};
        for (int v = 0; v < 3; v++)
            if (at->vertex[side][v] >= 0)
                shape = tw_vec3_add(shape, tw_vec3_scale(tw_mode_set_shape(set, mode, at->vertex[side][v]),
                                                         (double)at->weight[side][v]));
        const double normal =
            shape.x * (double)at->normal[0] + shape.y * (double)at->normal[1] + shape.z * (double)at->normal[2];
        sum += last[k] * (0.5 * tw_vec3_dot(shape, shape) + 0.5 * normal * normal);
    }
    free(last);
    return sum;
}

static int in_the_air_a_plate_decays_by_its_material(void)
{
    twTrace* trace = NULL;
    twWav* wav = render("duration: 0.6\ngravity: [0, 0, 0]\n" PLATE, "air", &trace);
    ENSURE(wav && trace);
    const twModeSet* set = trace->bodies[0].set;
    ENSURE(set->mode_count == 4);
    // the first two are too close to be told apart in a window
    for (int k = 2; k < 4; k++)
        ENSURE_NEAR(decay_of(wav, set->freq_hz[k], 0.15, 0.4), set->decay[k], 0.01 * set->decay[k]);
    tw_wav_destroy(wav);
    tw_trace_destroy(trace);
    return 0;
}

static int on_the_ground_it_decays_faster_as_its_contacts_say(void)
{
    twTrace* trace = NULL;
    twWav* wav = render("duration: 0.6\nground: {material: wood}\n" PLATE, "ground", &trace);
    ENSURE(wav && trace);
    const twModeSet* set = trace->bodies[0].set;
    const double gamma = tw_material_find("steel")->contact_damping;
    for (int k = 2; k < 4; k++)
    {
        const double extra = 0.5 * gamma * damping_of(trace, k, 0.55);
        const double expected = set->decay[k] + extra;
        ENSURE(extra > 0.1 * set->decay[k]);
        ENSURE_NEAR(decay_of(wav, set->freq_hz[k], 0.15, 0.3), expected, 0.05 * expected);
    }
    tw_wav_destroy(wav);
    tw_trace_destroy(trace);
    return 0;
}

static int at_rest_there_is_silence(void)
{
    twTrace* trace = NULL;
    twWav* wav = render("duration: 0.6\nground: {material: wood}\n" PLATE, "rest", &trace);
    ENSURE(wav && trace);
    double before = 0, after = 0;
    for (int64_t n = 0; n < wav->frames; n++)
    {
        const double t = (double)n / wav->rate_hz, p = fabs((double)wav->samples[n]);
        if (t < 0.1) before = fmax(before, p);
        if (t > 0.1 && t < 0.2) after = fmax(after, p);
    }
    ENSURE(after > 1e-4);
    ENSURE(before < 2e-7);  // a hundredth of what can be heard
    tw_wav_destroy(wav);
    tw_trace_destroy(trace);
    return 0;
}

static int a_trace_is_heard_again_as_long_as_it_was_rendered(void)
{
    twTrace* trace = NULL;
    twError err = {0};
    twWav* wav = render("duration: 0.3171\nground: {material: wood}\n" PLATE, "long", &trace);
    ENSURE(wav && trace);
    char path[600];
    snprintf(path, sizeof path, "%s/trace.twtrace", in_folder("long"));
    twSoundEar ear = {.def = tw_ear_def()};
    ear.def.position = tw_vec3(0.1, 0.1, 0.4);
    ear.def.ground = true;
    ear.def.ground_normal = tw_vec3(0, 0, 1);
    ear.def.reflection = sqrt(1 - 0.08);
    twSoundDef def = tw_sound_def();
    def.path = path, def.ear_count = 1, def.ears = &ear;
    def.ring = TW_TAIL_MOST;
    int64_t frames;
    float* again = sound_of(&def, &frames, NULL, &err);
    ENSURE(again && frames == wav->frames);
    for (int64_t n = 0; n < frames - 1000; n++) ENSURE_NEAR((double)again[n], (double)wav->samples[n], 1e-7);
    free(again);
    tw_wav_destroy(wav);
    tw_trace_destroy(trace);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(in_the_air_a_plate_decays_by_its_material)
    RUN(on_the_ground_it_decays_faster_as_its_contacts_say)
    RUN(at_rest_there_is_silence)
    RUN(a_trace_is_heard_again_as_long_as_it_was_rendered)
)
