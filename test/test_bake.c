// SPDX-License-Identifier: MIT
// Baking and striking: from a shape or a file to modes and sound.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scratch.h"
#include "test.h"
#include "twang/math.h"
#include "twang/scene.h"
#include <stdlib.h>
#include <string.h>

static twBakeDef bar_def(void)
{
    twBakeDef def = tw_bake_def();
    def.source = "bar:0.3048x0.0254x0.0127";
    def.count = 5;
    def.accuracy = 0.01;
    return def;
}

// steel bar, first bending mode: Euler-Bernoulli less the few per mille of shear and rotation
static int a_bar_has_the_pitch_of_beam_theory(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    twBakeReport report;
    twError err = {0};
    twStatus status = tw_bake(&set, &def, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    double speed = sqrt(def.material.young / def.material.density), length = 0.3048;
    double thin = pow(4.730040744862704, 2) / (2 * TW_PI) * speed * 0.0127 / sqrt(12) / (length * length);
    ENSURE(set->freq_hz[0] < thin && set->freq_hz[0] > 0.985 * thin);
    ENSURE(set->rigid_modes == 6 && report.rigid_modes == 6 && set->mode_count == 5);
    ENSURE_NEAR(set->mass.mass, 7850 * 0.3048 * 0.0254 * 0.0127, 1e-9);
    ENSURE(report.error_estimate > 0 && report.error_estimate <= def.accuracy && report.levels >= 2);
    tw_mode_set_destroy(set);
    return 0;
}

static int estimates_are_not_below_half_the_true_error(void)
{
    twBakeDef rough = bar_def(), fine = bar_def();
    twModeSet *a, *b;
    twBakeReport report;
    rough.accuracy = 0.1;
    fine.accuracy = 0.01;
    ENSURE(tw_bake(&a, &rough, &report, NULL) == TW_OK && tw_bake(&b, &fine, NULL, NULL) == TW_OK);
    for (int k = 0; k < 5; k++) ENSURE(fabs(a->freq_hz[k] / b->freq_hz[k] - 1) < 2 * report.error_estimate);
    tw_mode_set_destroy(a);
    tw_mode_set_destroy(b);
    return 0;
}

// a held end: the lowest mode of a cantilever is 6.267 times lower than its second
static int a_held_bar_is_a_cantilever(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    twHold hold = {{-0.1524, 0, 0}, 0.0145};
    def.source = "bar:0.3048x0.01x0.01";
    def.holds = &hold;
    def.hold_count = 1;
    twError err = {0};
    twStatus status = tw_bake(&set, &def, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    ENSURE(set->rigid_modes == 0);
    // bending in two planes: modes 0, 1 and 2, 3
    ENSURE_NEAR(set->freq_hz[2] / set->freq_hz[0], 6.2669, 0.1);
    tw_mode_set_destroy(set);
    return 0;
}

static int the_second_time_comes_from_the_cache(void)
{
    twBakeDef def = bar_def();
    twModeSet *first, *second;
    twBakeReport report;
    def.cache_folder = scratch_folder();
    ENSURE(tw_bake(&first, &def, &report, NULL) == TW_OK && !report.cached);
    ENSURE(tw_bake(&second, &def, &report, NULL) == TW_OK && report.cached);
    ENSURE(memcmp(first->freq_hz, second->freq_hz, 5 * sizeof(double)) == 0);
    ENSURE(first->vertex_count == second->vertex_count);
    tw_mode_set_destroy(second);
    // anything else is another body
    def.material.young *= 1.01;
    ENSURE(tw_bake(&second, &def, &report, NULL) == TW_OK && !report.cached);
    ENSURE_NEAR(second->freq_hz[0] / first->freq_hz[0], sqrt(1.01), 1e-6);
    tw_mode_set_destroy(first);
    tw_mode_set_destroy(second);
    return 0;
}

static int a_file_gives_the_modes_of_its_shape(void)
{
    twShape* shape;
    twMesh* surface;
    twModeSet *from_file, *from_shape;
    twError err = {0};
    ENSURE(tw_shape_parse(&shape, "box:0.1x0.08x0.06", NULL) == TW_OK);
    ENSURE(tw_shape_surface(&surface, shape, 0.02, NULL) == TW_OK);
    ENSURE(tw_mesh_save(surface, in_folder("box.obj"), &err) == TW_OK);
    twBakeDef def = tw_bake_def();
    def.count = 4;
    def.accuracy = 0.02;
    def.source = in_folder("box.obj");
    twStatus status = tw_bake(&from_file, &def, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    def.source = "box:0.1x0.08x0.06";
    def.accuracy = 0.01;
    ENSURE(tw_bake(&from_shape, &def, NULL, &err) == TW_OK);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(from_file->freq_hz[k] / from_shape->freq_hz[k], 1, 0.02);
    tw_mode_set_destroy(from_file);
    tw_mode_set_destroy(from_shape);
    tw_mesh_destroy(surface);
    tw_shape_destroy(shape);
    return 0;
}

static int a_strike_sounds_at_the_pitch_of_the_modes(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    float* sound;
    int64_t frames;
    twError err = {0};
    def.count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_OK);
    twStrikeDef strike = tw_strike_def();
    strike.vertex = tw_mode_set_nearest(set, (twVec3){0.1524, 0, 0.00635});
    strike.duration = 1.5;
    twStatus status = tw_strike(&sound, &frames, set, &strike, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && frames == 66150);
    double *x = malloc((size_t)frames * sizeof(double)), early = 0, late = 0;
    ENSURE(x != NULL);
    for (int64_t i = 0; i < frames; i++) x[i] = sound[i];
    double pitch = tw_pitch(x + 4410, (int)frames - 4410, 44100);
    ENSURE_NEAR(1200 * log2(pitch / set->freq_hz[0]), 0, 1);
    for (int i = 0; i < 8820; i++)
    {
        early += x[8820 + i] * x[8820 + i];
        late += x[52920 + i] * x[52920 + i];
    }
    // one second lies between the windows
    ENSURE_NEAR(0.5 * log(early / late) / set->decay[0], 1, 0.02);
    free(x);
    free(sound);
    tw_mode_set_destroy(set);
    return 0;
}

static int bad_bodies_are_refused_with_the_cure(void)
{
    twModeSet* set;
    twError err;
    twBakeDef def = bar_def();
    def.source = "bra:0.3x0.02x0.01";
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "bar"));
    def.source = "nowhere.obj";
    ENSURE(tw_bake(&set, &def, NULL, &err) != TW_OK && strstr(err.text, "nowhere.obj"));
    def = bar_def();
    def.material.poisson = 0.6;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT);
    def = bar_def();
    twHold far = {{5, 5, 5}, 0.1};
    def.holds = &far;
    def.hold_count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "within"));
    def = bar_def();
    def.max_memory_bytes = 100000;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_NO_MEMORY);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_bar_has_the_pitch_of_beam_theory)
    RUN(estimates_are_not_below_half_the_true_error)
    RUN(a_held_bar_is_a_cantilever)
    RUN(the_second_time_comes_from_the_cache)
    RUN(a_file_gives_the_modes_of_its_shape)
    RUN(a_strike_sounds_at_the_pitch_of_the_modes)
    RUN(bad_bodies_are_refused_with_the_cure)
)
