// SPDX-License-Identifier: MIT
// Mode sets: damping, .twmodes files, culling, lumped modes.

#define _DEFAULT_SOURCE  // mkdtemp
#include "test.h"
#include "twang/modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- a small set: a tetrahedron with three modes ----

static const double freq[] = {100, 1000, 30000};
static const twVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const twTriangle sides[] = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{0, 3, 2}}};
static float shape[3 * 4 * 3];

static twModeSet small_def(void)
{
    for (int i = 0; i < 36; i++) shape[i] = (float)sin(1 + 3 * i);
    return (twModeSet){.mode_count = 3,
                       .vertex_count = 4,
                       .face_count = 4,
                       .rigid_modes = 6,
                       .freq_hz = freq,
                       .shape = shape,
                       .vertices = corners,
                       .faces = sides,
                       .mass = {.volume = 1.0 / 6, .mass = 2, .centre = {0.25, 0.25, 0.25}},
                       .density = 12,
                       .young = 1e9,
                       .poisson = 0.3,
                       .damping = tw_damping_rayleigh(6, 1e-7),
                       .error_estimate = 1e-3};
}

static const char* scratch(void)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/twang_modes_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
    return path;
}

// ---- damping ----

static int damping_follows_its_law(void)
{
    twDamping rayleigh = tw_damping_rayleigh(6, 1e-7), loss = tw_damping_loss_factor(2e-3);
    double w = 2 * TW_PI * 440;
    ENSURE_NEAR(tw_damping_decay(&rayleigh, 440), 0.5 * (6 + 1e-7 * w * w), 1e-12);
    // quality factor 1/eta: amplitude falls by e^-pi in Q cycles
    ENSURE_NEAR(tw_damping_decay(&loss, 440) * (1 / 2e-3) / 440, TW_PI, 1e-12);
    twDamping curve = {.kind = TW_DAMPING_CURVE, .count = 3, .freq_hz = {100, 1000, 10000}, .decay = {1, 10, 1000}};
    ENSURE(tw_damping_check(&curve, NULL) == TW_OK);
    ENSURE_NEAR(tw_damping_decay(&curve, 50), 1, 0);
    ENSURE_NEAR(tw_damping_decay(&curve, 1000), 10, 1e-12);
    ENSURE_NEAR(tw_damping_decay(&curve, 1000 * sqrt(10)), 100, 1e-9);
    ENSURE_NEAR(tw_damping_decay(&curve, 20000), 1000, 0);
    return 0;
}

static int bad_damping_is_refused(void)
{
    twError err;
    twDamping negative = tw_damping_rayleigh(-1, 0), loss = tw_damping_loss_factor(NAN);
    twDamping order = {.kind = TW_DAMPING_CURVE, .count = 2, .freq_hz = {200, 100}, .decay = {1, 1}};
    ENSURE(tw_damping_check(&negative, &err) == TW_BAD_INPUT);
    ENSURE(tw_damping_check(&loss, &err) == TW_BAD_INPUT);
    ENSURE(tw_damping_check(&order, &err) == TW_BAD_INPUT && strstr(err.text, "must rise"));
    return 0;
}

// ---- files ----

static int saved_set_comes_back_whole(void)
{
    twModeSet def = small_def(), *set, *back;
    twError err;
    const char* path = scratch();
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_OK);
    ENSURE(tw_mode_set_save(set, path, &err) == TW_OK);
    ENSURE(tw_mode_set_load(&back, path, &err) == TW_OK);
    ENSURE(back->mode_count == 3 && back->vertex_count == 4 && back->face_count == 4);
    ENSURE(memcmp(back->freq_hz, freq, sizeof freq) == 0);
    ENSURE(memcmp(back->decay, set->decay, 3 * sizeof(double)) == 0);
    ENSURE(memcmp(back->shape, shape, sizeof shape) == 0);
    ENSURE(memcmp(back->vertices, corners, sizeof corners) == 0);
    ENSURE(memcmp(back->faces, sides, sizeof sides) == 0);
    ENSURE(back->mass.mass == 2 && back->young == 1e9 && back->damping.beta == 1e-7 && back->error_estimate == 1e-3 &&
           back->rigid_modes == 6);
    tw_mode_set_destroy(back);
    tw_mode_set_destroy(set);
    unlink(path);
    return 0;
}

static int every_damaged_byte_is_noticed(void)
{
    twModeSet def = small_def(), *set, *view;
    char* bytes;
    size_t count;
    const char* path = scratch();
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK && tw_mode_set_save(set, path, NULL) == TW_OK);
    ENSURE(tw_file_read(&bytes, &count, path, 1 << 20, NULL) == TW_OK);
    ENSURE(tw_mode_set_view(&view, bytes, count, NULL) == TW_OK);
    ENSURE(view->shape[5] == shape[5]);
    tw_mode_set_destroy(view);
    for (size_t i = 0; i < count; i++)
    {
        bytes[i] ^= 0x20;
        ENSURE(tw_mode_set_view(&view, bytes, count, NULL) != TW_OK);
        bytes[i] ^= 0x20;
    }
    for (size_t n = 0; n < count; n += 7) ENSURE(tw_mode_set_view(&view, bytes, n, NULL) != TW_OK);
    free(bytes);
    tw_mode_set_destroy(set);
    unlink(path);
    return 0;
}

// wrong contents under a right checksum, as a hostile writer would make
static int wrong_values_are_refused(void)
{
    twError err;
    twModeSet *set, def = small_def();
    const double zero[] = {100, 0, 3}, lost[] = {1, -1, 1};
    const twTriangle outside[] = {{{0, 2, 4}}};
    def.freq_hz = zero;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "mode 1"));
    def = small_def();
    def.decay = lost;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "decay"));
    def = small_def();
    def.faces = outside;
    def.face_count = 1;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "vertex 4 of 4"));
    def = small_def();
    shape[14] = NAN;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "mode 1"));
    def = small_def();
    def.mode_count = 1 << 30;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT);
    ENSURE(tw_mode_set_load(&set, "nowhere.twmodes", &err) != TW_OK && strstr(err.text, "nowhere"));
    return 0;
}

// ---- lumped modes ----

static int lumped_modes_project_shapes_on_directions(void)
{
    twModeSet def = small_def(), *set;
    twModes* modes;
    twCullReport report;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    twModePoint points[] = {{2, {0, 0, 1}}, {1, {0.6, 0.8, 0}}};
    twCullDef cull = {.low_hz = 20, .high_hz = 20000};
    ENSURE(tw_mode_set_modes(&modes, set, points, 2, points, 1, &cull, &report, NULL) == TW_OK);
    ENSURE(report.kept == 2 && report.too_high == 1 && modes->mode_count == 2);
    for (int k = 0; k < 2; k++)
    {
        const float* s = shape + 12 * k;
        ENSURE_NEAR(modes->shape[k], s[8], 1e-7);
        ENSURE_NEAR(modes->shape[2 + k], 0.6 * s[3] + 0.8 * s[4], 1e-7);
        ENSURE_NEAR(modes->pickup[k], s[8], 1e-7);
        ENSURE_NEAR(modes->mass[k], 1, 0);
    }
    tw_modes_destroy(modes);
    // visibility: a force of 10 N moves mode k by 10 max|s|^2/w^2
    double most = 0, w = 2 * TW_PI * 1000;
    for (int i = 0; i < 4; i++)
        most = fmax(most, pow(shape[12 + 3 * i], 2) + pow(shape[13 + 3 * i], 2) + pow(shape[14 + 3 * i], 2));
    cull = (twCullDef){.largest_force = 10, .smallest_motion = 10 * most / (w * w) * 1.001};
    ENSURE(tw_mode_set_modes(&modes, set, points, 1, points, 1, &cull, &report, NULL) == TW_OK);
    ENSURE(report.kept == 1 && report.too_stiff == 2);
    tw_modes_destroy(modes);
    tw_mode_set_destroy(set);
    return 0;
}

static int points_are_found_with_their_normals(void)
{
    twModeSet def = small_def(), *set;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    ENSURE(tw_mode_set_nearest(set, (twVec3){0.9, 0.2, -3}) == 1);
    twVec3 n = tw_mode_set_normal(set, 0);
    ENSURE_NEAR(n.x, -1 / sqrt(3), 1e-12);
    ENSURE_NEAR(n.z, -1 / sqrt(3), 1e-12);
    tw_mode_set_destroy(set);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(damping_follows_its_law)
    RUN(bad_damping_is_refused)
    RUN(saved_set_comes_back_whole)
    RUN(every_damaged_byte_is_noticed)
    RUN(wrong_values_are_refused)
    RUN(lumped_modes_project_shapes_on_directions)
    RUN(points_are_found_with_their_normals)
)
