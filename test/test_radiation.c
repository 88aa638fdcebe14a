// SPDX-License-Identifier: MIT
// What radiation takes from modes of short waves, which the estimate of radiation hardly hears: as much as with all panels, whether a mode
// is computed or left out. Bodies: plates of steel and glass with modes in closed form, above coincidence.
#include "test.h"
#include "twang/acoustics.h"
#include "twang/bake.h"
#include <stdlib.h>

enum
{
    MODES = 4
};

typedef struct Body
{
    twMesh* mesh;
    double freq_hz[MODES];
    float* shape;
    twModeMaterial material;
    twModeSet set;
} Body;

static void body_begin(Body* b, const char* text, const char* material, double edge)
{
    twShape* shape;
    twError err;
    memset(b, 0, sizeof *b);
    if (tw_shape_parse(&shape, text, &err) != TW_OK || tw_shape_surface(&b->mesh, shape, edge, &err) != TW_OK) abort();
    tw_shape_destroy(shape);
    b->shape = calloc(3 * MODES * (size_t)b->mesh->vertex_count, sizeof *b->shape);
    const twMaterial* m = tw_material_find(material);
    b->material = (twModeMaterial){.density = m->density,
                                   .young = m->young,
                                   .poisson = m->poisson,
                                   .alpha = m->alpha,
                                   .beta = m->beta,
                                   .loss_factor = m->loss_factor};
    b->set = (twModeSet){.mode_count = MODES,
                         .vertex_count = b->mesh->vertex_count,
                         .face_count = b->mesh->face_count,
                         .freq_hz = b->freq_hz,
                         .shape = b->shape,
                         .vertices = b->mesh->vertices,
                         .faces = b->mesh->faces,
                         .material_count = 1,
                         .materials = &b->material,
                         .damping = {.kind = TW_DAMPING_MATERIALS}};
}

static void body_free(Body* b)
{
    tw_mesh_destroy(b->mesh);
    free(b->shape);
}

// of bending waves in a plate
static double wave_hz(const twModeMaterial* m, double thickness, double wavenumber)
{
    return wavenumber * wavenumber * thickness / (2 * TW_PI) *
           sqrt(m->young / (12 * m->density * (1 - m->poisson * m->poisson)));
}

// with (count x 2) half waves along the sides of a plate
static void make_plate(Body* b, const char* text, const char* material, const double size[3], const int (*waves)[2])
{
    body_begin(b, text, material, 0.006);
    const double unit = 2 / sqrt(b->material.density * size[0] * size[1] * size[2]);
    for (int j = 0; j < MODES; j++)
    {
        const double m = waves[j][0] * TW_PI / size[0], n = waves[j][1] * TW_PI / size[1];
        b->freq_hz[j] = wave_hz(&b->material, size[2], hypot(m, n));
        float* shape = b->shape + 3 * (size_t)j * (size_t)b->mesh->vertex_count;
        for (int i = 0; i < b->mesh->vertex_count; i++)
        {
            const twVec3 v = b->mesh->vertices[i];
            shape[3 * i + 2] = (float)(unit * cos(m * (v.x + 0.5 * size[0])) * cos(n * (v.y + 0.5 * size[1])));
        }
    }
}

// 1.4 kHz, and 8.1 to 9.3 kHz
static void make_steel(Body* b)
{
    static const int waves[MODES][2] = {{2, 2}, {6, 3}, {5, 5}, {6, 4}};
    make_plate(b, "plate:0.2x0.2x0.003", "steel", (const double[]){0.2, 0.2, 0.003}, waves);
}

// 1.4 kHz, and 9.3 to 11.6 kHz
static void make_glass(Body* b)
{
    static const int waves[MODES][2] = {{2, 1}, {7, 2}, {8, 2}, {5, 3}};
    make_plate(b, "plate:0.3x0.1x0.004", "glass", (const double[]){0.3, 0.1, 0.004}, waves);
}

// the largest factor between decays
static double worst_factor(const twModeSet* set, const double* right)
{
    double worst = 1;
    for (int k = 0; k < set->mode_count; k++)
        worst = fmax(worst, fmax(set->decay[k] / right[k], right[k] / set->decay[k]));
    return worst;
}

static twModeSet* radiate(const Body* b, twRadiation quality, twTransferBakeReport* report)
{
    twModeSet* set;
    twRadiationDef def = tw_radiation_def();
    def.quality = quality;
    if (tw_mode_set_create(&set, &b->set, NULL) != TW_OK || tw_radiate(&set, &def, report, NULL) != TW_OK) abort();
    return set;
}

// a set with a transfer of its own, and the decays that follow
static twModeSet* with_transfer(const Body* b, const twTransfer* t)
{
    twModeSet *set, of = b->set;
    const twRadiationDef def = tw_radiation_def();
    of.transfer = t;
    if (tw_mode_set_create(&set, &of, NULL) != TW_OK || tw_radiate(&set, &def, NULL, NULL) != TW_OK) abort();
    return set;
}

static int decays_are_right(void (*make)(Body*))
{
    Body b;
    twTransferBakeReport report;
    const twRadiationDef air = tw_radiation_def();
    make(&b);
    twModeSet *fine = radiate(&b, TW_RADIATION_FINE, &report), *usual = radiate(&b, TW_RADIATION_BAKED, &report);
    ENSURE(report.baked == MODES && report.left == 0);
    ENSURE(worst_factor(usual, fine->decay) < 1.2);
    tw_mode_set_destroy(usual);

    // the estimate alone is not: what is computed must not depend on it
    twTransfer* t;
    ENSURE(tw_transfer_estimate(&t, &b.set, air.sound_speed, air.air_density, NULL) == TW_OK);
    twModeSet* guessed = with_transfer(&b, t);
    ENSURE(worst_factor(guessed, fine->decay) > 2);
    tw_transfer_destroy(t);
    tw_mode_set_destroy(guessed);

    // with a budget for some the others decay as their neighbours do
    twTransferBakeDef def = tw_transfer_bake_def(&b.set);
    def.budget = 0.07;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.baked > 0 && report.left >= 2);
    twModeSet* part = with_transfer(&b, t);
    ENSURE(worst_factor(part, fine->decay) < 1.5);
    tw_transfer_destroy(t);
    tw_mode_set_destroy(part);
    tw_mode_set_destroy(fine);
    body_free(&b);
    return 0;
}

static int short_waves_of_steel_decay_by_what_they_radiate(void) { return decays_are_right(make_steel); }
static int short_waves_of_glass_decay_by_what_they_radiate(void) { return decays_are_right(make_glass); }

// clang-format off
TEST_MAIN(
    RUN(short_waves_of_steel_decay_by_what_they_radiate)
    RUN(short_waves_of_glass_decay_by_what_they_radiate))
