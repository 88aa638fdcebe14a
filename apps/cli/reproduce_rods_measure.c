// SPDX-License-Identifier: MIT
// Bars as scenes, what is heard of them, and partials and levels of that.
//
// A partial: the peak of the spectrum (Blackman-Harris, so that loud neighbours leave it alone), then the advance of its
// phase between two windows half the sound apart, f = f0 + dphi/(2 pi T).

#include "reproduce_rods.h"
#include "scenes_data.h"
#include "twang/math.h"
#include "twang/play.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RATE_HZ 44100

// ---- theory ----

double bar_root(int j)
{
    double x = TW_PI * (j + 1.5);
    for (int i = 0; i < 20; i++) x -= (cos(x) - 1 / cosh(x)) / (-sin(x) + tanh(x) / cosh(x));
    return x;
}

double bar_hz(int j, double length, double speed, double gyration)
{
    const double k = bar_root(j) / length;
    return k * k * speed * gyration / (2 * TW_PI);
}

// ---- scenes ----

Bar rectangular_bar(void)
{
    return (Bar){.length = BAR_LENGTH,
                 .section = "rectangle: [0.0254, 0.0127]",
                 .material = "{density: 2700, young: 68.9e+9, poisson: 0.33, alpha: 1, beta: 1.0e-9}",
                 .points = 30,
                 .oversample = 1,
                 .force = {0, 0.4, 0.4},  // little: a bar that flies off is flat by its speed over that of sound
                 .ear = {0.1, 0.4, 0.4},
                 .pickup = 0.5,
                 .pickup_direction = {0, 0, 1}};
}

static const char bar_text[] = "duration: 10\n"
                               "rate: %d\n"
                               "oversample: %d\n"
                               "materials: {own: %s}\n"
                               "rods:\n"
                               "  bar:\n"
                               "    straight: %.17g\n"
                               "    points: %d\n"
                               "    section: {%s}\n"
                               "    direction: [0, 1, 0]\n"
                               "    material: own\n"
                               "    integrator: %s\n"
                               "    mass: %s\n"
                               "    shear: %s\n"
                               "    supports: %s\n"
                               "    radiation: {exact_cylinder: false}\n"
                               "    strikes: [{at: %.17g, force: [%g, %g, %g], duration: 0.00005}]\n"
                               "listeners:\n"
                               "  ear: {at: [%g, %g, %g]}\n"
                               "  instant: {at: [%g, %g, %g], instant: true}\n"
                               "  end: {pickup: {rod: bar, at: start, direction: [%g, %g, %g]}}\n"
                               "  point: {pickup: {rod: bar, at: %.17g, direction: [%g, %g, %g]}}\n";

twStatus bar_scene(twScene** scene, const Bar* b, twError* err)
{
    char text[2048];
    const twVec3 f = b->force, e = b->ear, d = b->pickup_direction;
    snprintf(text, sizeof text, bar_text, RATE_HZ, b->oversample, b->material, b->length, b->points, b->section,
             b->trapezoid ? "trapezoid" : "gauss", b->plain ? "lumped" : "consistent", b->shear ? "true" : "false",
             b->clamped ? "[{at: start, hold: clamped}, {at: end, hold: clamped}]" : "[]", b->strike_at, f.x, f.y, f.z,
             e.x, e.y, e.z, e.x, e.y, e.z, d.x, d.y, d.z, b->pickup, d.x, d.y, d.z);
    return tw_scene_parse(scene, "bar", text, strlen(text), err);
}

twStatus built_in_scene(twScene** scene, const char* name, twError* err)
{
    for (const SceneText* s = scene_texts; s->name; s++)
        if (strcmp(s->name, name) == 0) return tw_scene_parse(scene, name, s->text, strlen(s->text), err);
    return tw_fail(err, TW_BAD_INPUT, "the scene '%s' is not built in", name);
}

// ---- hearing ----

// the first latency samples lie before the start
static twStatus run(RodSound* out, twRods* rods, int listeners, twError* err)
{
    const int late = tw_rods_latency(rods);
    double heard[TW_MAX_SCENE_LISTENERS], motion, sound;
    const clock_t start = clock();
    for (int i = 0; i < out->count + late; i++)
    {
        if (i % 256 == 0 && cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
        tw_rods_step(rods, heard);
        for (int k = 0; k < listeners && i >= late; k++)
            out->samples[(size_t)k * (size_t)out->count + (size_t)(i - late)] = heard[k];
    }
    out->cpu_seconds = (double)(clock() - start) / CLOCKS_PER_SEC * out->count / (out->count + late);
    tw_rods_seconds(rods, &motion, &sound);
    out->motion_share = motion / (motion + sound);
    return TW_OK;
}

twStatus hear(RodSound* out, const twScene* scene, double seconds, twError* err)
{
    const double rate_hz = scene->rate_hz * scene->oversample;
    *out = (RodSound){.count = (int)lround(seconds * rate_hz), .rate_hz = rate_hz};
    out->samples = malloc((size_t)out->count * (size_t)scene->listener_count * sizeof *out->samples);
    twRods* rods = NULL;
    twStatus status = out->samples ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a sound of %g s", seconds);
    if (status == TW_OK) status = tw_rods_create(&rods, scene, err);
    if (status == TW_OK) status = run(out, rods, scene->listener_count, err);
    tw_rods_destroy(rods);
    if (status != TW_OK) rod_sound_free(out);
    return status;
}

twStatus hear_bar(RodSound* out, const Bar* bar, double seconds, twError* err)
{
    twScene* scene;
    *out = (RodSound){0};
    twStatus status = bar_scene(&scene, bar, err);
    if (status != TW_OK) return status;
    status = hear(out, scene, seconds, err);
    tw_scene_destroy(scene);
    return status;
}

void rod_sound_free(RodSound* sound)
{
    free(sound->samples);
    *sound = (RodSound){0};
}

// ---- measuring ----

// Blackman-Harris, sidelobes at -92 dB
static double window(int i, int n)
{
    const double a = 2 * TW_PI * (i + 0.5) / n;
    return 0.35875 - 0.48829 * cos(a) + 0.14128 * cos(2 * a) - 0.01168 * cos(3 * a);
}

// power spectrum of x (n) times the window, in a new array (size/2)
static double* spectrum(const double* x, int n, int* size)
{
    for (*size = 1; *size < n;) *size *= 2;
    double* re = calloc(2 * (size_t)*size, sizeof *re);
    if (!re) return NULL;
    double* im = re + *size;
    for (int i = 0; i < n; i++) re[i] = window(i, n) * x[i];
    tw_fft(re, im, *size, -1);
    for (int i = 0; i < *size / 2; i++) re[i] = re[i] * re[i] + im[i] * im[i];
    return re;
}

// phase at f (cycles per sample) of x (n)
static double phase_at(const double* x, int n, double f)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++)
    {
        const double v = window(i, n) * x[i], a = 2 * TW_PI * f * i;
        re += v * cos(a);
        im -= v * sin(a);
    }
    return atan2(im, re);
}

double partial_hz(const double* x, int n, double rate_hz, double near_hz, double within)
{
    int size, best = 0;
    double* power = spectrum(x, n, &size);
    if (!power) return 0;
    const double bin = rate_hz / size;
    const int low = (int)fmax(2, ceil(near_hz * (1 - within) / bin)),
              high = (int)fmin(size / 2 - 2, floor(near_hz * (1 + within) / bin));
    for (int i = low; i <= high; i++)
        if (power[i] > power[i - 1] && power[i] >= power[i + 1] && (best == 0 || power[i] > power[best])) best = i;
    free(power);
    if (best == 0) return 0;
    double f = best * bin / rate_hz;
    const int half = n / 2;
    for (int round = 0; round < 2; round++)
    {
        const double turn = phase_at(x + half, n - half, f) - phase_at(x, n - half, f) - 2 * TW_PI * f * half;
        f += remainder(turn, 2 * TW_PI) / (2 * TW_PI * half);
    }
    return f * rate_hz;
}

double band_db(const double* x, int n, double rate_hz, double low_hz, double high_hz)
{
    int size;
    double sum = 0, *power = spectrum(x, n, &size);
    if (!power) return NAN;
    for (int i = 1; i < size / 2; i++)
        if (i * rate_hz / size >= low_hz && i * rate_hz / size < high_hz) sum += power[i];
    free(power);
    // mean square under the window, whose own is 0.258
    return 10 * log10(2 * sum / size / (0.258 * n) + 1e-300);
}
