// SPDX-License-Identifier: MIT
// Tests of the built-in materials and of how modes decay: Rayleigh's law, a constant loss factor, Zener's thermoelastic
// loss, and the order in which things of everyday life fall silent.

#include "scene.h"
#include "twang/modal.h"
#include <math.h>

static int materials_are_found_by_name_once(void)
{
    int count;
    const twMaterial* all = tw_materials(&count);
    ENSURE(count >= 5);
    for (int i = 0; i < count; i++) ENSURE(tw_material_find(all[i].name) == &all[i]);
    ENSURE(tw_material_find("adamantium") == NULL && tw_material_find("") == NULL);
    return 0;
}

static int materials_are_physical(void)
{
    int count;
    const twMaterial* all = tw_materials(&count);
    for (int i = 0; i < count; i++)
    {
        const twMaterial* m = &all[i];
        const double speed = sqrt(m->young / m->density), loss = tw_material_decay(m, 1000) / (TW_PI * 1000);
        ENSURE(m->poisson > 0 && m->poisson < 0.5 && m->source[0] && m->note);
        ENSURE(speed > 50 && speed < 12000);  // in a bar: from soft rubber to the stiffest ceramics
        ENSURE(loss > 5e-5 && loss < 1);
    }
    return 0;
}

static int decay_is_rayleighs_law_and_a_loss_factor(void)
{
    const twMaterial* zheng = tw_material_find("zheng-steel");
    const double w = 2 * TW_PI * 440;
    ENSURE(zheng && zheng->loss_factor == 0);
    ENSURE_NEAR(tw_material_decay(zheng, 0), 2.5, 1e-15);
    ENSURE_NEAR(tw_material_decay(zheng, 440), (5 + 3e-8 * w * w) / 2, 1e-14);
    const twMaterial* steel = tw_material_find("steel");
    ENSURE_NEAR(tw_material_decay(steel, 440), (0.5 + 2e-4 * w) / 2, 1e-14);
    return 0;
}

// Zener: largest at f0 = pi chi/(2 h^2), half of D there, falling as f below and 1/f above
static int thermoelastic_loss_is_zeners(void)
{
    const twMaterial* m = tw_material_find("aluminium");
    const double wall = 1e-3, chi = 167 / (2700 * 900.0), strength = 6.9e10 * 23e-6 * 23e-6 * 293 / (2700 * 900.0);
    const double peak = TW_PI * chi / (2 * wall * wall);
    const twRelaxation heat = tw_material_thermoelastic(m, wall);
    ENSURE_NEAR(peak, 108, 0.5);
    ENSURE_NEAR(tw_relaxation_loss(heat, peak), strength / 2, 1e-12);
    ENSURE_NEAR(tw_relaxation_loss(heat, 1e-3 * peak), 1e-3 * strength, 2e-6 * strength);
    ENSURE_NEAR(tw_relaxation_loss(heat, 1e3 * peak), 1e-3 * strength, 2e-6 * strength);
    // a thicker wall is slower by the square, and glass has none
    ENSURE_NEAR(tw_material_thermoelastic(m, 2 * wall).time, 4 * heat.time, 1e-12 * heat.time);
    ENSURE(tw_material_thermoelastic(tw_material_find("glass"), wall).strength == 0);
    ENSURE(tw_relaxation_loss(tw_material_thermoelastic(m, 0), 100) == 0);
    return 0;
}

// a mode set of one mode, of one material: its decay
static double set_decay(const twMaterial* m, double wall, double freq_hz)
{
    const twVec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const twTriangle face = {{0, 1, 2}};
    const float shape[9] = {0};
    const twModeMaterial material = {.name = "it",
                                     .density = m->density,
                                     .young = m->young,
                                     .alpha = m->alpha,
                                     .beta = m->beta,
                                     .loss_factor = m->loss_factor,
                                     .volume = 1,
                                     .thermoelastic = tw_material_thermoelastic(m, wall)};
    const twModeSet def = {.mode_count = 1,
                           .vertex_count = 3,
                           .face_count = 1,
                           .freq_hz = &freq_hz,
                           .shape = shape,
                           .vertices = vertices,
                           .faces = &face,
                           .damping = tw_damping_materials(),
                           .material_count = 1,
                           .materials = &material};
    twModeSet* set;
    if (tw_mode_set_create(&set, &def, NULL) != TW_OK) return NAN;
    const double decay = set->decay[0];
    tw_mode_set_destroy(set);
    return decay;
}

static int mode_sets_add_the_loss_by_heat(void)
{
    const twMaterial* m = tw_material_find("aluminium");
    const double heat = tw_relaxation_loss(tw_material_thermoelastic(m, 1e-3), 500);
    ENSURE_NEAR(set_decay(m, 1e-3, 500), tw_material_decay(m, 500) + TW_PI * 500 * heat, 1e-12);
    ENSURE(set_decay(m, 1e-3, 500) > 4 * set_decay(m, 1e-2, 500));
    // constants without a loss factor are fits of whole decays
    twMaterial whole = *m;
    whole.loss_factor = 0;
    ENSURE(set_decay(&whole, 1e-3, 500) == tw_material_decay(&whole, 500));
    return 0;
}

// the order that everybody knows; Zheng's constants, by which steel falls silent before glass does, break it
static int steel_rings_longer_than_glass_than_stone_than_wood(void)
{
    static const char *const order[] = {"steel", "glass", "granite", "wood"}, *const woods[] = {"oak", "mdf"};
    const double pitches[] = {500, 2000, 8000}, walls[] = {0.01, 0.004, 0.003};
    for (int p = 0; p < 3; p++)
        for (int w = 0; w < 3; w++)
        {
            for (int i = 0; i < 3; i++)
                ENSURE(set_decay(tw_material_find(order[i]), walls[w], pitches[p]) <
                       set_decay(tw_material_find(order[i + 1]), walls[w], pitches[p]));
            for (int i = 0; i < 2; i++)
                ENSURE(set_decay(tw_material_find("granite"), walls[w], pitches[p]) <
                       set_decay(tw_material_find(woods[i]), walls[w], pitches[p]));
        }
    ENSURE(set_decay(tw_material_find("zheng-steel"), 0.01, 500) > set_decay(tw_material_find("glass"), 0.01, 500));
    return 0;
}

// ---- in scenes ----

#define BODY(keys) "bodies: {a: {shape: \"box:0.1x0.1x0.1\", flexible: false, " keys "}}\n"
#define HALVES(keys)                                                                                                   \
    "bodies: {a: {shape: \"box:0.1x0.1x0.1\", flexible: true, regions: [{part: x>0, material: tin}]" keys "}}\n"

static twSceneShape shape_of_text(const char* text)
{
    twScene* scene = read_scene(text);
    const twSceneShape shape = scene ? scene->shapes[0] : (twSceneShape){0};
    tw_scene_destroy(scene);
    return shape;
}

static int scenes_say_how_a_body_decays(void)
{
    twSceneShape s = shape_of_text(BODY("material: steel, loss_factor: 0.01"));
    ENSURE(s.material.loss_factor == 0.01 && s.material.alpha == 0 && s.material.beta == 0);
    s = shape_of_text(BODY("material: steel, alpha: 3"));
    ENSURE(s.material.alpha == 3 && s.material.loss_factor == 0);
    s = shape_of_text(BODY("t60: 2"));
    ENSURE_NEAR(tw_material_decay(&s.material, 100), log(1000) / 2, 1e-12);
    ENSURE_NEAR(tw_material_decay(&s.material, 10000), log(1000) / 2, 1e-12);
    s = shape_of_text(BODY("damping_curve: [[100, 1], [1000, 10]]"));
    ENSURE(s.damping.kind == TW_DAMPING_CURVE && s.damping.count == 2);
    ENSURE_NEAR(tw_damping_decay(&s.damping, sqrt(100 * 1000.0)), sqrt(10), 1e-12);
    s = shape_of_text(BODY("material: ceramic, mounting: cloth"));
    ENSURE(s.material.alpha == 140.5 && s.material.loss_factor == 6.5e-4);
    return 0;
}

static int scenes_say_how_a_material_decays(void)
{
    twSceneShape s = shape_of_text("materials: {tin: {young: 5.0e+10, loss_factor: 0.002}}\n" BODY("material: tin"));
    ENSURE(s.material.loss_factor == 0.002 && s.material.alpha == 0);
    s = shape_of_text("materials: {tin: {damping_curve: [[1000, 7]]}}\n" BODY("material: tin"));
    ENSURE(s.damping.kind == TW_DAMPING_CURVE && tw_damping_decay(&s.damping, 1000) == 7);
    // modes of an object too
    twScene* scene = read_scene("materials: {tin: {damping_curve: [[1000, 7]]}}\n"
                                "objects: {a: {modes: [{freq: 500}], material: tin}}\n");
    ENSURE(scene && scene->objects[0].modes->decay[0] == 7);
    tw_scene_destroy(scene);
    // a body's own word counts, in its regions as well
    scene = read_scene("materials: {tin: {damping_curve: [[1000, 7]]}}\n" HALVES(", loss_factor: 0.1"));
    ENSURE(scene && scene->shapes[0].regions[0].material.loss_factor == 0.1);
    tw_scene_destroy(scene);
    s = shape_of_text("materials: {tin: {damping_curve: [[1000, 7]]}}\n" BODY("material: tin, loss_factor: 0.1"));
    ENSURE(s.damping.kind == TW_DAMPING_MATERIALS && s.material.loss_factor == 0.1);
    return 0;
}

static int bodies_that_decay_otherwise_are_other_shapes(void)
{
    twScene* scene = read_scene("bodies:\n  a: {shape: \"box:0.1x0.1x0.1\", flexible: false}\n"
                                "  b: {shape: \"box:0.1x0.1x0.1\", flexible: false, position: [1, 0, 0]}\n"
                                "  c: {shape: \"box:0.1x0.1x0.1\", flexible: false, position: [2, 0, 0], t60: 1}\n");
    ENSURE(scene && scene->shape_count == 2);
    tw_scene_destroy(scene);
    return 0;
}

static int mistakes_are_located(void)
{
    static const Wrong bad[] = {
        {BODY("loss_factor: 1"), "1:", "'loss_factor'"},
        {BODY("loss_factor: -0.1"), "1:", "'loss_factor'"},
        {BODY("loss_factor: .nan"), "1:", "number"},
        {BODY("loss_factor: 0.1, t60: 2"), "1:", "'t60' says how it decays already"},
        {BODY("damping_curve: [[1, 2]], t60: 2"), "1:", "keep one of it and 't60'"},
        {"materials: {tin: {damping_curve: [[1, 2]]}}\nlisteners: {ear: {at: [0, 0, 1]}}\n"
         "rods: {a: {straight: 0.3, section: {circle: 0.005}, material: tin}}\n",
         "3:", "a rod cannot follow"},
        {BODY("t60: 0"), "1:", "'t60'"},
        {BODY("damping_curve: [[100, 1], [100, 2]]"), "1:", "rise"},
        {BODY("damping_curve: [[100, -1]]"), "1:", "0 or more"},
        {BODY("damping_curve: []"), "1:", "1 to 32 points"},
        {BODY("damping_curve: [[1, 2]], alpha: 1"), "1:", "keep one"},
        {BODY("damping_curve: [[1, 2]], mounting: hand"), "1:", "mounting in it"},
        {BODY("mounting: nail"), "1:", "free, hand or cloth"},
        {"materials: {tin: {damping_curve: [[1, 2]]}}\n" HALVES(""), "2:", "whole body, not of a region"},
        {"materials: {tin: {young: 1.0e+10}}\n" BODY("material: tin"), "1:", "say how it decays"},
    };
    return ensure_refused(bad, sizeof bad / sizeof *bad);
}

// clang-format off
TEST_MAIN(
    RUN(materials_are_found_by_name_once)
    RUN(materials_are_physical)
    RUN(decay_is_rayleighs_law_and_a_loss_factor)
    RUN(thermoelastic_loss_is_zeners)
    RUN(mode_sets_add_the_loss_by_heat)
    RUN(steel_rings_longer_than_glass_than_stone_than_wood)
    RUN(scenes_say_how_a_body_decays)
    RUN(scenes_say_how_a_material_decays)
    RUN(bodies_that_decay_otherwise_are_other_shapes)
    RUN(mistakes_are_located)
)
