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
                       .damping = tw_damping_rayleigh(6, 1e-7),
                       .error_estimate = 1e-3};
}

// the same with its one tet of 10 nodes, of which the surface has the corners, and two materials
static const int tet[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, of_second[] = {1};
static const twVec3 inner[] = {{0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
static const twModeMaterial two[] = {{"steel", 7850, 2e11, 0.29, 5, 3e-8, 0, 0.1, {0, 0}},
                                     {"felt", 200, 1e6, 0.1, 0, 0, 0.2, 0.0667, {0, 0}}};
static const double kinetic[] = {0.25, 0.75, 0.5, 0.5, 1, 0}, elastic[] = {0, 1, 0.125, 0.875, 0.5, 0.5};
static float inner_shape[3 * 6 * 3];

// how its modes sound: the first of order 1, the second not known, the third of order 0
static const int orders[] = {1, -1, 0};
static const int64_t first[] = {0, 4, 4};
static const float error_db[] = {0.25f, 0, 0.5f}, moments[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const twTransfer air = {.mode_count = 3,
                               .moment_count = 5,
                               .centre = {0.5, 0.25, 0.125},
                               .radius = 0.75,
                               .sound_speed = 343,
                               .air_density = 1.2,
                               .freq_hz = freq,
                               .order = orders,
                               .first = first,
                               .moments = moments,
                               .error_db = error_db};

static twModeSet full_def(void)
{
    twModeSet def = small_def();
    for (int i = 0; i < 54; i++) inner_shape[i] = (float)cos(2 + 5 * i);
    def.damping = tw_damping_materials();
    def.material_count = 2;
    def.materials = two;
    def.kinetic = kinetic;
    def.elastic = elastic;
    def.tet_count = 1;
    def.nodes_per_tet = 10;
    def.inner_count = 6;
    def.tets = tet;
    def.tet_materials = of_second;
    def.inner = inner;
    def.inner_shape = inner_shape;
    def.transfer = &air;
    return def;
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

// each material damps by its share: by mass where the body moves, otherwise where it is strained
static int materials_damp_by_their_shares_of_the_energy(void)
{
    twModeSet def = full_def(), *set, *other;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    for (int k = 0; k < 3; k++)
    {
        double w = 2 * TW_PI * freq[k];
        double steel = kinetic[2 * k] * 5 + elastic[2 * k] * 3e-8 * w * w, felt = elastic[2 * k + 1] * 0.2 * w;
        ENSURE_NEAR(set->decay[k] / (0.5 * (steel + felt)), 1, 1e-12);
    }
    // one material alone is its own law
    def.material_count = 1;
    def.kinetic = def.elastic = NULL;
    def.tet_materials = NULL;
    ENSURE(tw_mode_set_create(&other, &def, NULL) == TW_OK);
    for (int k = 0; k < 3; k++)
    {
        twMaterial steel = {.alpha = 5, .beta = 3e-8};
        ENSURE_NEAR(other->decay[k], tw_material_decay(&steel, freq[k]), 1e-12);
    }
    tw_mode_set_destroy(other);
    // other damping for the same modes
    twDamping loss = tw_damping_loss_factor(1e-3), modes = {.kind = TW_DAMPING_MODES};
    const double decay[] = {7, 8, 9};
    ENSURE(tw_mode_set_damp(&other, set, &loss, NULL, NULL) == TW_OK);
    ENSURE_NEAR(other->decay[1], TW_PI, 1e-12);
    tw_mode_set_destroy(other);
    ENSURE(tw_mode_set_damp(&other, set, &modes, decay, NULL) == TW_OK && other->decay[2] == 9);
    tw_mode_set_destroy(other);
    twError err;
    ENSURE(tw_mode_set_damp(&other, set, &modes, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "3 modes"));
    tw_mode_set_destroy(set);
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
    ENSURE(back->mass.mass == 2 && back->damping.beta == 1e-7 && back->error_estimate == 1e-3 &&
           back->rigid_modes == 6);
    tw_mode_set_destroy(back);
    tw_mode_set_destroy(set);
    unlink(path);
    return 0;
}

static int tets_and_materials_come_back_too(void)
{
    twModeSet def = full_def(), *set, *back;
    const char* path = scratch();
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    ENSURE(tw_mode_set_save(set, path, NULL) == TW_OK && tw_mode_set_load(&back, path, NULL) == TW_OK);
    ENSURE(back->material_count == 2 && memcmp(back->materials, two, sizeof two) == 0);
    ENSURE(memcmp(back->kinetic, kinetic, sizeof kinetic) == 0 && memcmp(back->elastic, elastic, sizeof elastic) == 0);
    ENSURE(back->tet_count == 1 && back->nodes_per_tet == 10 && memcmp(back->tets, tet, sizeof tet) == 0);
    ENSURE(back->tet_materials[0] == 1 && back->inner_count == 6);
    ENSURE(memcmp(back->inner, inner, sizeof inner) == 0);
    ENSURE(memcmp(back->inner_shape, inner_shape, sizeof inner_shape) == 0);
    // vertices and inner nodes are numbered on
    ENSURE_NEAR(tw_mode_set_shape(back, 1, 3).z, shape[12 + 9 + 2], 0);
    ENSURE_NEAR(tw_mode_set_shape(back, 2, 5).y, inner_shape[2 * 18 + 3 + 1], 0);
    tw_mode_set_destroy(back);
    tw_mode_set_destroy(set);
    unlink(path);
    return 0;
}

static bool same_transfer(const twTransfer* t)
{
    return t && t->mode_count == 3 && t->moment_count == 5 && t->centre.z == 0.125 && t->radius == 0.75 &&
           t->sound_speed == 343 && t->air_density == 1.2 && memcmp(t->freq_hz, freq, sizeof freq) == 0 &&
           memcmp(t->order, orders, sizeof orders) == 0 && memcmp(t->first, first, sizeof first) == 0 &&
           memcmp(t->moments, moments, sizeof moments) == 0 && memcmp(t->error_db, error_db, sizeof error_db) == 0;
}

static int transfer_comes_back_and_stays_with_the_modes(void)
{
    twModeSet def = full_def(), *set, *back, *view;
    char* bytes;
    size_t count;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK && same_transfer(set->transfer));
    ENSURE(tw_mode_set_encode(&bytes, &count, set, NULL) == TW_OK);
    ENSURE(tw_mode_set_view(&view, bytes, count, NULL) == TW_OK && same_transfer(view->transfer));
    ENSURE((const char*)view->transfer->moments > bytes && (const char*)view->transfer->moments < bytes + count);
    twDamping loss = tw_damping_loss_factor(1e-3);
    ENSURE(tw_mode_set_damp(&back, view, &loss, NULL, NULL) == TW_OK && same_transfer(back->transfer));
    tw_mode_set_destroy(back);
    tw_mode_set_destroy(view);
    free(bytes);
    // without the first mode its moments are gone, too
    twCullDef cull = {.low_hz = 500};
    ENSURE(tw_mode_set_cull(&back, set, &cull, NULL, NULL, NULL) == TW_OK);
    const twTransfer* t = back->transfer;
    ENSURE(t->mode_count == 2 && t->moment_count == 1 && t->order[0] == -1 && t->order[1] == 0);
    ENSURE(t->freq_hz[1] == 30000 && t->moments[2 * t->first[1]] == 9 && t->error_db[1] == 0.5f);
    tw_mode_set_destroy(back);
    // a copy of its own
    twTransfer* copy;
    ENSURE(tw_transfer_create(&copy, set->transfer, NULL) == TW_OK);
    tw_mode_set_destroy(set);
    ENSURE(same_transfer(copy));
    tw_transfer_destroy(copy);
    return 0;
}

static int wrong_transfers_are_refused(void)
{
    static const double other[] = {100, 1001, 30000};
    static const int high[] = {1, -2, 0}, absurd[] = {1, 46340, 0};
    static const int64_t before[] = {0, -1, 4}, beyond[] = {2, 0, 4}, far[] = {0, 0, INT64_MAX};
    static const float broken[] = {1, 2, 3, 4, 5, NAN, 7, 8, 9, 10}, negative[] = {0, -1, 0};
    const struct
    {
        twTransfer t;
        const char* says;
    } wrong[] = {
        {{.mode_count = 2}, "of 2 modes"},
        {{.freq_hz = other}, "1001 Hz"},
        {{.order = high}, "order -2"},
        {{.order = absurd}, "order 46340"},
        {{.first = before}, "mode 1"},
        {{.first = beyond}, "mode 0"},
        {{.first = far}, "mode 2"},
        {{.moments = broken}, "moment 2"},
        {{.error_db = negative}, "mode 1"},
        {{.radius = -1}, "radius"},
        {{.sound_speed = INFINITY}, "speed"},
        {{.air_density = NAN}, "density"},
        {{.centre = {0, NAN, 0}}, "the centre"},
        {{.moment_count = -3}, "-3 moments"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        twModeSet def = full_def(), *set;
        twTransfer t = air;
        const twTransfer* w = &wrong[i].t;
        twError err;
        if (w->mode_count) t.mode_count = w->mode_count;
        if (w->moment_count) t.moment_count = w->moment_count;
        if (w->freq_hz) t.freq_hz = w->freq_hz;
        if (w->order) t.order = w->order;
        if (w->first) t.first = w->first;
        if (w->moments) t.moments = w->moments;
        if (w->error_db) t.error_db = w->error_db;
        if (w->radius != 0) t.radius = w->radius;
        if (w->sound_speed != 0) t.sound_speed = w->sound_speed;
        if (w->air_density != 0) t.air_density = w->air_density;
        if (w->centre.y != 0) t.centre = w->centre;
        def.transfer = &t;
        ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, wrong[i].says) && !set);
    }
    return 0;
}

// make the checksum right again, as a hostile writer would (docs/twmodes.md)
static void reseal(char* bytes, size_t count)
{
    memset(bytes + 24, 0, 16);
    twHash hash = tw_hash(bytes + 64, count - 64, tw_hash(bytes, 64, (twHash){0, 0}));
    memcpy(bytes + 24, &hash.high, 8);
    memcpy(bytes + 32, &hash.low, 8);
}

// counts, offsets and sizes that lie, each under a right checksum
static int forged_files_are_refused_or_harmless(void)
{
    static const int64_t lies[] = {-1, 0, 1, 5, 11, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40};
    twModeSet def = full_def(), *set, *view;
    char* bytes;
    size_t count, refused = 0, tried = 0;
    const char* path = scratch();
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK && tw_mode_set_save(set, path, NULL) == TW_OK);
    ENSURE(tw_file_read(&bytes, &count, path, 1 << 20, NULL) == TW_OK);
    reseal(bytes, count);
    ENSURE(tw_mode_set_view(&view, bytes, count, NULL) == TW_OK);
    tw_mode_set_destroy(view);
    // the header's counts, the table of 18 sections, and the counts of INFO, which comes first
    size_t info = (64 + 18 * 24 + 63) / 64 * 64;
    for (size_t at = 8; at < info + 40; at += 4)
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
            for (size_t size = 4; size <= 8; size += 4)
            {
                char old[8];
                memcpy(old, bytes + at, 8);
                memcpy(bytes + at, &lies[i], size);
                reseal(bytes, count);
                tried++;
                if (tw_mode_set_view(&view, bytes, count, NULL) != TW_OK)
                    refused++;
                else
                    tw_mode_set_destroy(view);
                memcpy(bytes + at, old, 8);
            }
    ENSURE(refused > tried / 2 && refused < tried);
    free(bytes);
    tw_mode_set_destroy(set);
    unlink(path);
    return 0;
}

static int every_damaged_byte_is_noticed(void)
{
    twModeSet def = full_def(), *set, *view;
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
    const int outside_tet[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}, no_material[] = {2};
    def = full_def();
    def.tets = outside_tet;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "node 10 of 10"));
    def = full_def();
    def.tet_materials = no_material;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "material 2 of 2"));
    def = full_def();
    def.nodes_per_tet = 5;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "4 or 10"));
    def = full_def();
    inner_shape[40] = INFINITY;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "inner node"));
    def = full_def();
    const double too_much[] = {0.5, 1.5, 0, 1, 1, 0};
    def.kinetic = too_much;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "share"));
    def = full_def();
    twModeMaterial endless = two[0];
    memset(endless.name, 'x', sizeof endless.name);
    def.material_count = 1;
    def.kinetic = def.elastic = NULL;
    def.tet_materials = NULL;
    def.materials = &endless;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "name"));
    def = small_def();
    def.mass.mass = NAN;
    ENSURE(tw_mode_set_create(&set, &def, &err) == TW_BAD_INPUT && strstr(err.text, "mass"));
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

static int culling_keeps_the_rest_whole_and_says_why(void)
{
    twModeSet def = full_def(), *set, *kept;
    twCullReport report;
    twCullReason why[3];
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    // a force of 10 N moves the stiff modes less than this, and mode 0 more
    double motion = 10.001 * tw_mode_set_give(set, 1);
    ENSURE(10 * tw_mode_set_give(set, 0) > motion);
    twCullDef cull = {.high_hz = 20000, .largest_force = 10, .smallest_motion = motion};
    ENSURE(tw_mode_set_cull(&kept, set, &cull, why, &report, NULL) == TW_OK);
    ENSURE(report.kept == 1 && report.too_stiff == 1 && report.too_high == 1 && report.too_low == 0);
    ENSURE(why[0] == TW_CULL_KEPT && why[1] == TW_CULL_TOO_STIFF && why[2] == TW_CULL_TOO_HIGH);
    ENSURE(kept->mode_count == 1 && kept->freq_hz[0] == 100);
    tw_mode_set_destroy(kept);
    // the second mode alone, with all that belongs to it
    cull = (twCullDef){.low_hz = 500, .high_hz = 20000};
    ENSURE(tw_mode_set_cull(&kept, set, &cull, NULL, &report, NULL) == TW_OK && report.too_low == 1);
    ENSURE(kept->mode_count == 1 && kept->freq_hz[0] == 1000 && kept->decay[0] == set->decay[1]);
    ENSURE(memcmp(kept->shape, shape + 12, 12 * sizeof(float)) == 0);
    ENSURE(memcmp(kept->inner_shape, inner_shape + 18, 18 * sizeof(float)) == 0);
    ENSURE(kept->kinetic[1] == kinetic[3] && kept->elastic[0] == elastic[2]);
    tw_mode_set_destroy(kept);
    cull = (twCullDef){.low_hz = 500, .high_hz = 20};
    ENSURE(tw_mode_set_cull(&kept, set, &cull, NULL, NULL, NULL) == TW_BAD_INPUT && !kept);
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

static int blows_are_answered_where_modes_move_along_the_normal(void)
{
    // corner 0 moves most, but along the surface; 1 and 2 have the normals x and y
    float moves[36] = {[0] = 3, [1] = -3, [3] = 1, [12 + 7] = -2};
    twModeSet def = small_def(), *set;
    def.shape = moves;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    int vertex = -1;
    ENSURE(tw_mode_set_liveliest(&vertex, set, 1, NULL) == TW_OK && vertex == 1);
    ENSURE(tw_mode_set_liveliest(&vertex, set, 6, NULL) == TW_OK && vertex == 2);
    tw_mode_set_destroy(set);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(damping_follows_its_law)
    RUN(bad_damping_is_refused)
    RUN(materials_damp_by_their_shares_of_the_energy)
    RUN(saved_set_comes_back_whole)
    RUN(tets_and_materials_come_back_too)
    RUN(transfer_comes_back_and_stays_with_the_modes)
    RUN(wrong_transfers_are_refused)
    RUN(forged_files_are_refused_or_harmless)
    RUN(every_damaged_byte_is_noticed)
    RUN(wrong_values_are_refused)
    RUN(lumped_modes_project_shapes_on_directions)
    RUN(culling_keeps_the_rest_whole_and_says_why)
    RUN(points_are_found_with_their_normals)
    RUN(blows_are_answered_where_modes_move_along_the_normal)
)
