// SPDX-License-Identifier: MIT
// What has a shape and a material rings: without a word for it, unless it is a ball, has no modes or says otherwise; what acts back
// on the motion and what only sounds.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "test.h"
#include "twang/trace.h"
#include <math.h>
#include <sys/stat.h>

#define BAR "shape: \"bar:0.12x0.02x0.01\", material: steel"
#define TAPPED "pushes: [{on: bar, at: [0.06, 0.01, 0.005], impulse: [0, 0, -0.001], time: 0.001, duration: 0.0001}]\n"

// as read_scene() and create_bodies(), but what is not said to be rigid is analysed, once
static twStatus ring(twBodies** bodies, twScene** scene, const char* text, twError* err)
{
    static char folder[1024];
    twBodiesDef def = tw_bodies_def();
    if (!folder[0]) snprintf(folder, sizeof folder, "%s", in_folder("cache"));
    mkdir(folder, 0777);
    def.cache_folder = folder;
    *bodies = NULL;
    const twStatus status = parse_scene(scene, text, err);
    return status == TW_OK ? tw_bodies_create(bodies, *scene, &def, err) : status;
}

typedef struct Rung
{
    twScene* scene;
    twBodies* bodies;
    twWorld* world;
    const twModeSet* set;  // of the first body
} Rung;

static bool rung_open(Rung* r, const char* text)
{
    twError err = {0};
    *r = (Rung){0};
    if (ring(&r->bodies, &r->scene, text, &err) != TW_OK) printf("%s\n", err.text);
    if (!r->bodies) return false;
    r->world = tw_bodies_world(r->bodies);
    r->set = tw_bodies_set(r->bodies, 0);
    return true;
}

static void rung_close(Rung* r)
{
    tw_bodies_destroy(r->bodies);
    tw_scene_destroy(r->scene);
}

// modes heard in a render; -1: it failed
static int modes_heard(const char* text, const char* folder)
{
    twError err = {0};
    twRenderReport report;
    char path[1024], cache[1024];
    twScene* scene = read_scene(text);
    if (!scene) return -1;
    snprintf(path, sizeof path, "%s", in_folder(folder));
    snprintf(cache, sizeof cache, "%s", in_folder("cache"));
    const twRenderDef def = {.folder = path, .no_picture = true, .cache_folder = cache};
    const twStatus status = tw_render(scene, &def, &report, &err);
    int modes = -1;
    if (status == TW_OK)
    {
        modes = report.hearing.sound.modes;
        tw_render_report_free(&report);
    }
    else
        printf("%s\n", err.text);
    tw_scene_destroy(scene);
    return modes;
}

static int a_body_of_shape_and_material_alone_rings(void)
{
    const char* rest = "ground: {material: wood}\nlisteners: {ear: {at: [0, -0.5, 0.3], kind: mono}}\n" TAPPED;
    char text[1000];
    snprintf(text, sizeof text, "duration: 0.05\nbodies: {bar: {" BAR ", position: [0, 0, 0.006]}}\n%s", rest);
    ENSURE(modes_heard(text, "plain") >= 5);
    snprintf(text, sizeof text,
             "duration: 0.05\nbodies: {bar: {" BAR ", position: [0, 0, 0.006], flexible: false}}\n%s", rest);
    ENSURE(modes_heard(text, "rigid") == 0);
    snprintf(text, sizeof text,
             "duration: 0.05\ndefault_flexible: false\nbodies: {bar: {" BAR ", position: [0, 0, 0.006]}}\n%s", rest);
    ENSURE(modes_heard(text, "all-rigid") == 0);
    return 0;
}

// a free bar of Euler and Bernoulli: f = 22.373/(2 pi) h/sqrt(12)/L^2 sqrt(E/rho); that it is thick lowers it by some percent
static int its_modes_are_those_of_theory(void)
{
    Rung r;
    const twMaterial* steel = tw_material_find("steel");
    ENSURE(rung_open(&r, "bodies: {bar: {" BAR "}}\n"));
    const double slender = 22.373 / (2 * TW_PI) * 0.01 / sqrt(12) / (0.12 * 0.12) * sqrt(steel->young / steel->density);
    ENSURE(r.set->rigid_modes == 6 && r.set->freq_hz[0] < slender && r.set->freq_hz[0] > 0.95 * slender);
    ENSURE(r.set->freq_hz[r.set->mode_count - 1] <= 20000);
    const twBodiesModes modes = tw_bodies_modes(r.bodies, 0);
    ENSURE(modes.count == r.set->mode_count && modes.acting == 1 && modes.rigid[0] == 0);
    rung_close(&r);
    return 0;
}

static int a_sphere_stays_an_exact_ball(void)
{
    Rung r;
    ENSURE(rung_open(&r, "bodies: {a: {shape: \"sphere:0.1\", material: glass}}\n"));
    const twMassProperties mass = tw_body_shape_mass(tw_bodies_shape(r.bodies, 0));
    const double exact = tw_material_find("glass")->density * 4 / 3 * TW_PI * 1e-3;
    ENSURE_NEAR(mass.mass, exact, 1e-12 * exact);
    ENSURE_NEAR(mass.inertia.m[0][0], 0.4 * exact * 0.01, 1e-12 * exact);
    ENSURE(tw_bodies_modes(r.bodies, 0).count == 0 && strstr(tw_bodies_modes(r.bodies, 0).rigid, "sphere"));
    rung_close(&r);
    return 0;
}

static int what_cannot_be_heard_is_rigid(void)
{
    Rung r;
    // the lowest mode of a cube of steel is its twist, about 0.3 c/L: 90 kHz
    ENSURE(rung_open(&r, "bodies: {a: {shape: \"box:0.01x0.01x0.01\", material: steel}}\n"));
    ENSURE(r.set->mode_count == 0);
    ENSURE(strstr(tw_bodies_modes(r.bodies, 0).rigid, "no modes up to 20 kHz") && !tw_bodies_note(r.bodies, 0)[0]);
    rung_close(&r);
    // a room: it has 600,000, and is not analysed
    ENSURE(rung_open(&r, "bodies: {a: {shape: \"box:10x10x3\", material: steel, kind: fixed}}\n"));
    ENSURE(r.set->mode_count == 0 && strstr(tw_bodies_modes(r.bodies, 0).rigid, "more than 4096"));
    rung_close(&r);
    return 0;
}

// A fixed body without 'hold' has the modes of a free one about a frame that stays. Its lowest mode, tapped, crosses 0 at twice its
// frequency.
static int a_fixed_body_that_is_held_nowhere_rings_as_a_free_one(void)
{
    Rung r;
    ENSURE(rung_open(&r, "world: {sleep_energy: 1.0e-18}\nbodies: {bar: {" BAR
                         ", kind: fixed, position: [1, 2, 3]}}\n" TAPPED));
    const double freq_hz = r.set->freq_hz[0], step = 1 / (16 * freq_hz);
    double *q = calloc((size_t)r.set->mode_count, sizeof *q), before = 0, first = 0, last = 0, highest = 0, energy = 0;
    int crossings = 0;
    const twBodyMotion start = tw_world_motion(r.world, 0, 0, NULL, NULL);
    ENSURE(q && r.set->rigid_modes == 6);
    for (int i = 1; (double)i * step < 0.2; i++)
    {
        const double time = (double)i * step;
        tw_world_advance(r.world, time);
        const twBodyMotion motion = tw_world_motion(r.world, 0, time, q, NULL);
        // between steps it is interpolated, to the last bit
        ENSURE(tw_vec3_norm(tw_vec3_sub(motion.position, start.position)) < 1e-14);
        ENSURE(memcmp(&motion.turn, &start.turn, sizeof motion.turn) == 0);
        ENSURE(tw_vec3_norm(motion.velocity) == 0 && tw_vec3_norm(motion.spin) == 0);
        if (time < 0.0015) continue;
        const twWorldEnergy now = tw_world_energy(r.world);
        energy = now.kinetic + now.elastic;
        if (highest == 0) highest = energy;
        ENSURE(energy > 0 && energy <= highest * (1 + 1e-9));
        if (before * q[0] < 0)
        {
            last = time - step * q[0] / (q[0] - before);
            if (crossings++ == 0) first = last;
        }
        before = q[0];
    }
    ENSURE(energy < 0.999 * highest);
    ENSURE(crossings > 1000);
    ENSURE_NEAR((crossings - 1) / (last - first) / 2, freq_hz, 1e-3 * freq_hz);
    free(q);
    rung_close(&r);
    return 0;
}

// r times the mass is r times the density
static int a_given_mass_is_another_density(void)
{
    Rung usual, heavy, dense;
    ENSURE(rung_open(&usual, "bodies: {bar: {" BAR "}}\n"));
    char text[600];
    snprintf(text, sizeof text, "bodies: {bar: {" BAR ", mass: %.17g}}\n", 4 * usual.set->mass.mass);
    ENSURE(rung_open(&heavy, text));
    snprintf(text, sizeof text,
             "materials: {osmium: {density: %g, young: %g, poisson: %g, loss_factor: 1.0e-4}}\n"
             "bodies: {bar: {shape: \"bar:0.12x0.02x0.01\", material: osmium}}\n",
             4 * tw_material_find("steel")->density, tw_material_find("steel")->young,
             tw_material_find("steel")->poisson);
    ENSURE(rung_open(&dense, text));
    const twModeSet *a = usual.set, *b = heavy.set;
    ENSURE(b->mode_count == a->mode_count && dense.set->mode_count > a->mode_count);
    for (int k = 0; k < 5; k++)
    {
        ENSURE_NEAR(b->freq_hz[k], a->freq_hz[k] / 2, 1e-12 * a->freq_hz[k]);
        ENSURE_NEAR(b->freq_hz[k], dense.set->freq_hz[k], 0.005 * b->freq_hz[k]);
        ENSURE_NEAR(tw_mode_set_shape(b, k, 3).z, tw_mode_set_shape(a, k, 3).z / 2,
                    1e-6 * fabs(tw_mode_set_shape(a, k, 3).z));
    }
    ENSURE_NEAR(b->mass.mass, 4 * a->mass.mass, 1e-12);
    ENSURE_NEAR(b->mass.inertia.m[0][0], 4 * a->mass.inertia.m[0][0], 1e-12 * a->mass.inertia.m[0][0]);
    ENSURE_NEAR(tw_body_shape_mass(tw_bodies_shape(heavy.bodies, 0)).mass, 4 * a->mass.mass, 1e-12);
    rung_close(&usual);
    rung_close(&heavy);
    rung_close(&dense);
    return 0;
}

// ---- what acts back ----

#define DROPPED ", position: [0, 0, 0.02], turn: [5, 10, 0], velocity: [0, 0.3, -1]}}\nground: {material: wood}\n"
#define TIMES 40

static bool drop(const char* key, twBodyMotion* path, int* modes)
{
    Rung r;
    char text[600];
    snprintf(text, sizeof text, "bodies: {bar: {" BAR "%s" DROPPED, key);
    if (!rung_open(&r, text)) return false;
    for (int i = 0; i < TIMES; i++)
    {
        tw_world_advance(r.world, 0.005 * i);
        path[i] = tw_world_motion(r.world, 0, 0.005 * i, NULL, NULL);
    }
    *modes = r.set->mode_count;
    rung_close(&r);
    return true;
}

static int what_is_coupled_one_way_moves_as_if_it_were_rigid(void)
{
    twBodyMotion rigid[TIMES], one_way[TIMES], two_way[TIMES];
    int modes[3];
    ENSURE(drop(", flexible: false", rigid, &modes[0]) && drop(", coupling: one-way", one_way, &modes[1]));
    ENSURE(drop("", two_way, &modes[2]));
    ENSURE(modes[0] == 0 && modes[1] >= 5 && modes[2] == modes[1]);
    ENSURE(memcmp(rigid, one_way, sizeof rigid) == 0);
    ENSURE(memcmp(rigid, two_way, sizeof rigid) != 0);
    return 0;
}

// forces on the eight corners of a box are heard by a finer surface
static int forces_on_what_only_rings_are_heard_where_they_act(void)
{
    const char* text = "duration: 0.05\nground: {material: wood}\nbodies: {bar: {" BAR
                       ", coupling: one-way, position: [0, 0, 0.02], turn: [5, 10, 0], velocity: [0, 0, -1]}}\n"
                       "listeners: {ear: {at: [0, -0.5, 0.3], kind: mono}}\n";
    ENSURE(modes_heard(text, "one-way") >= 5);
    twTrace* trace = NULL;
    ENSURE(tw_trace_load(&trace, rendered("one-way", "trace.twtrace"), NULL) == TW_OK);
    const twModeSet* set = trace->bodies[0].set;
    ENSURE(set->vertex_count > 100 && trace->touch_count > 0);
    for (int64_t i = 0; i < trace->touch_count; i++)
    {
        const twTraceTouch* touch = &trace->touches[i];
        const int side = touch->body[0] == 0 ? 0 : 1;
        twVec3 at = tw_vec3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            if (touch->vertex[side][k] >= 0)
                at = tw_vec3_add_scaled(at, set->vertices[touch->vertex[side][k]], (double)touch->weight[side][k]);
        ENSURE_NEAR(fabs(at.x), 0.06, 1e-6);
        ENSURE_NEAR(fabs(at.y), 0.01, 1e-6);
        ENSURE_NEAR(fabs(at.z), 0.005, 1e-6);
    }
    tw_trace_destroy(trace);
    return 0;
}

// 2000 modes of all bodies act back at most; those of the stiffest are given up first, unless they say otherwise
static int too_many_modes_of_a_scene_only_sound(void)
{
    static const char* const keys[] = {"", ", coupling: two-way"};
    for (int i = 0; i < 2; i++)
    {
        Rung r;
        char text[1000];
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, 0]\nbodies:\n"
            "  long: {shape: \"bar:0.2x0.02x0.01\", material: steel, copies: {grid: [20, 20, 1], spacing: [1, 1, 1]}}\n"
            "  short: {" BAR ", position: [0, 0, 3], copies: {grid: [41, 40, 1], spacing: [1, 1, 1]}%s}\n",
            keys[i]);
        ENSURE(rung_open(&r, text));
        const twBodiesModes slack = tw_bodies_modes(r.bodies, 0), stiff = tw_bodies_modes(r.bodies, 1);
        const int each = i == 0 ? slack.acting : 0;
        ENSURE(slack.count > 0 && stiff.count > 0);
        ENSURE(i == 1 || (each >= 1 && 400 * each <= 2000 && 400 * each + 1640 > 2000));
        ENSURE(stiff.acting == i && (slack.acting > 0) == (i == 0));
        rung_close(&r);
    }
    return 0;
}

// ---- what cannot be analysed ----

static int a_body_whose_modes_cannot_be_found_is_rigid_and_says_so(void)
{
    Rung r;
    // walls thicker than the whole
    FILE* file = fopen(in_folder("tet.obj"), "w");
    ENSURE(file && fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file) >= 0);
    ENSURE(fclose(file) == 0);
    char text[1200];
    snprintf(text, sizeof text, "bodies: {tet: {shape: %s, scale: 0.01, thickness: 0.1}}\n", in_folder("tet.obj"));
    ENSURE(rung_open(&r, text));
    ENSURE(r.set->mode_count == 0 && strstr(tw_bodies_note(r.bodies, 0), "rigid: its modes could not be found"));
    rung_close(&r);
    // asked for, it is an error
    twError err = {0};
    snprintf(text, sizeof text, "bodies: {tet: {shape: %s, scale: 0.01, thickness: 0.1, flexible: true}}\n",
             in_folder("tet.obj"));
    ENSURE(ring(&r.bodies, &r.scene, text, &err) == TW_BAD_INPUT && !r.bodies && strstr(err.text, "test.yaml:1:"));
    tw_scene_destroy(r.scene);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_body_of_shape_and_material_alone_rings)
    RUN(its_modes_are_those_of_theory)
    RUN(a_sphere_stays_an_exact_ball)
    RUN(what_cannot_be_heard_is_rigid)
    RUN(a_fixed_body_that_is_held_nowhere_rings_as_a_free_one)
    RUN(a_given_mass_is_another_density)
    RUN(what_is_coupled_one_way_moves_as_if_it_were_rigid)
    RUN(forces_on_what_only_rings_are_heard_where_they_act)
    RUN(too_many_modes_of_a_scene_only_sound)
    RUN(a_body_whose_modes_cannot_be_found_is_rigid_and_says_so)
)
