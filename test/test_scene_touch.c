// SPDX-License-Identifier: MIT
// Rods that touch in scenes: reading and errors.

#include "scene.h"
#include "twang/math.h"

#define ROD "straight: 0.2, points: 5, section: {circle: 0.002}"
#define BALL "bodies: {ball: {shape: \"sphere:0.05\", position: [0, 0, 1]}}\n"

static int near_vec3(twVec3 a, double x, double y, double z)
{
    return tw_vec3_norm(tw_vec3_sub(a, tw_vec3(x, y, z))) < 1e-12;
}

// ---- what is read ----

static int rods_alone_touch_only_if_told_to(void)
{
    twScene* scene = read_scene("rods: {a: {" ROD "}}\nlisteners: {ear: {at: [0, 0, 1]}}\n");
    ENSURE(scene && !scene->rods_touch && !tw_scene_has_world(scene) && scene->pickup_count == 0);
    ENSURE(near_vec3(scene->rods[0].def.gravity, 0, 0, 0) && !scene->listeners[0].ear);
    tw_scene_destroy(scene);

    scene = read_scene("collide: true\nrods: {a: {" ROD "}}\n");
    ENSURE(scene && scene->rods_touch && tw_scene_has_world(scene) && scene->body_count == 0);
    ENSURE(near_vec3(scene->rods[0].def.gravity, 0, 0, -9.81) && near_vec3(scene->world.gravity, 0, 0, -9.81));
    ENSURE(!scene->rods[0].ghost && !scene->rods[0].no_self && scene->rods[0].calm_speed == 0);
    // somebody hears them
    ENSURE(scene->listener_count == 1 && scene->listeners[0].ear && scene->output_count == 1);
    tw_scene_destroy(scene);

    // one that is to collide is enough; the others are as they were
    scene = read_scene("rods: {a: {" ROD ", collide: true}, b: {" ROD ", at: [0, 1, 0]}}\n");
    ENSURE(scene && scene->rods_touch && !scene->rods[0].ghost && scene->rods[1].ghost);
    tw_scene_destroy(scene);
    return 0;
}

static int rods_share_a_world_with_bodies(void)
{
    twScene* scene = read_scene(
        "rate: 48000\noversample: 2\n" BALL "ground: {point: [0, 0, -1], material: wood}\n"
        "touch: [{between: [brass, wood], impact: {stiffness: 1.0e+7, exponent: 1}}]\n"
        "rods:\n"
        "  a: {" ROD
        ", material: brass, young: 9.0e+10, friction: [0.5, 0.4], restitution: 0.3, self: false, calm: 0.01}\n"
        "  b: {" ROD ", collide: false, at: [0, 1, 0]}\n");
    ENSURE(scene && scene->rods_touch && scene->body_count == 1 && scene->rod_count == 2 && scene->touch_count == 1);
    ENSURE(scene->world.rod_rate_hz == 96000 && scene->ground.given);
    const twSceneRod *a = &scene->rods[0], *b = &scene->rods[1];
    ENSURE_TEXT(a->where, "test.yaml:7:3");
    ENSURE(!a->ghost && a->no_self && a->calm_speed == 0.01 && b->ghost);
    const twSceneSurface* s = &scene->surfaces[a->surface];
    ENSURE_TEXT(s->material, "brass");
    ENSURE(s->contact.young == 9e10 && s->contact.stick == 0.5 && s->contact.slide == 0.4);
    ENSURE(s->contact.restitution == 0.3);
    ENSURE_TEXT(scene->surfaces[b->surface].material, "steel");
    tw_scene_destroy(scene);
    return 0;
}

static int ties_name_a_point_and_a_body(void)
{
    twScene* scene = read_scene(
        BALL "rods:\n"
             "  a: {" ROD ", axis: [0, 0, 1], at: [0, 0, 1.05], supports: [{at: end, hold: pinned}],\n"
             "      ties: [{at: start, body: ball, clamped: true, stiffness: 1000}, {at: 0.5, body: ball}]}\n");
    ENSURE(scene && scene->rods[0].tie_count == 2);
    const twSceneTie* t = scene->rods[0].ties;
    ENSURE(t[0].point == 0 && t[0].body == 0 && t[0].clamped && t[0].stiffness == 1000);
    ENSURE(t[1].point == 2 && t[1].body == 0 && !t[1].clamped && t[1].stiffness == 0);
    ENSURE_TEXT(t[1].where, "test.yaml:4:71");
    tw_scene_destroy(scene);
    return 0;
}

// at + turn (x - at); the width of the section turns with it
static int rods_are_turned_about_their_place(void)
{
    twScene* scene = read_scene("rods: {a: {" ROD ", at: [1, 2, 3], turn: [0, 0, 90], direction: [0, 1, 0]}}\n"
                                "listeners: {ear: {at: [0, 0, 1]}}\n");
    ENSURE(scene);
    const twRodDef* def = &scene->rods[0].def;
    ENSURE(near_vec3(def->points[0], 1, 2, 3) && near_vec3(def->points[4], 1, 2.2, 3));
    ENSURE(near_vec3(def->directions[0], -1, 0, 0));
    tw_scene_destroy(scene);
    return 0;
}

// v + w x (x - c), and the edges turn with w . t
static int a_rod_that_spins_turns_about_its_mass_centre(void)
{
    twScene* scene = read_scene("rods: {a: {" ROD ", at: [1, 0, 0], velocity: [0, 0, 1], spin: [3, 0, 10]}}\n"
                                "listeners: {ear: {at: [0, 0, 1]}}\n");
    ENSURE(scene);
    const twRodDef* def = &scene->rods[0].def;
    ENSURE(near_vec3(def->velocities[0], 0, -1, 1) && near_vec3(def->velocities[2], 0, 0, 1));
    ENSURE(near_vec3(def->velocities[4], 0, 1, 1));
    for (int i = 0; i < 4; i++) ENSURE_NEAR(def->spins[i], 3, 1e-12);
    tw_scene_destroy(scene);

    // a cone about a quarter of its length
    scene = read_scene(
        "rods: {a: {straight: 3, points: 301, section: [{circle: 0.02}, {circle: 1.0e-6}], spin: [0, 0, 1]}}\n"
        "listeners: {ear: {at: [0, 0, 1]}}\n");
    ENSURE(scene);
    ENSURE_NEAR(scene->rods[0].def.velocities[0].y, -0.75, 1e-3);
    tw_scene_destroy(scene);
    return 0;
}

static int copies_of_rods_lie_as_those_of_bodies(void)
{
    twScene* scene = read_scene("collide: true\nrods: {nail: {" ROD
                                ", at: [0, 0, 1], copies: {count: 3, step: [0, 0.1, 0], turn: [0, 0, 90]}}}\n");
    ENSURE(scene && scene->rod_count == 3);
    ENSURE_TEXT(scene->rods[2].name, "nail-3");
    ENSURE(near_vec3(scene->rods[0].def.points[4], 0.2, 0, 1));
    ENSURE(near_vec3(scene->rods[1].def.points[0], 0, 0.1, 1) && near_vec3(scene->rods[1].def.points[4], 0, 0.3, 1));
    tw_scene_destroy(scene);

    // tumbled by a seed: lengths stay, directions differ, and the same seed gives the same
    twVec3 ends[2][2];
    for (int i = 0; i < 2; i++)
    {
        scene = read_scene("collide: true\nrods: {nail: {" ROD
                           ", copies: {grid: [2, 1, 1], spacing: [1, 0, 0], tumble: 180, jitter: 0.01, seed: 5}}}\n");
        ENSURE(scene && scene->rod_count == 2);
        for (int k = 0; k < 2; k++)
        {
            const twVec3* p = scene->rods[k].def.points;
            ends[i][k] = tw_vec3_sub(p[4], p[0]);
            ENSURE_NEAR(tw_vec3_norm(ends[i][k]), 0.2, 1e-12);
            ENSURE(fabs(p[0].x - k) <= 0.01 && fabs(p[0].y) <= 0.01);
        }
        tw_scene_destroy(scene);
    }
    ENSURE(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
    ENSURE(tw_vec3_norm(tw_vec3_sub(ends[0][0], ends[0][1])) > 0.01);
    return 0;
}

static int listeners_hear_rods_and_bodies_where_they_are(void)
{
    twScene* scene =
        read_scene("oversample: 2\nair: {sound_speed: 340}\nground: {point: [0, 0, -1], absorption: 0.19}\n" BALL
                   "rods: {a: {" ROD "}}\n"
                   "listeners:\n"
                   "  head: {at: [0, -1, 0]}\n"
                   "  b: {pickup: {rod: a, at: end, direction: [0, 0, 2]}}\n"
                   "  c: {pickup: {body: ball, at: [0, 0, 0.05]}}\n"
                   "  d: {kind: ambix, at: [1, 1, 1]}\n");
    ENSURE(scene && scene->listener_count == 4 && scene->ear_count == 2 && scene->output_count == 4);
    const twSceneListener* l = scene->listeners;
    ENSURE(l[0].track == 0 && l[1].track == 2 && l[2].track == 3 && l[3].track == 4 && scene->pickup_count == 8);
    ENSURE(l[1].pickup_rod == 0 && l[1].pickup_point == 4 && l[1].pickup_direction.z == 1 && l[1].pickup_body < 0);
    ENSURE(l[2].pickup_rod < 0 && l[2].pickup_body == 0);
    ENSURE(near_vec3(l[0].def.position, 0, -1, 0) && l[0].def.rate_hz == 96000 && l[0].def.sound_speed == 340);
    ENSURE(l[0].def.ground && near_vec3(l[0].def.ground_point, 0, 0, -1));
    ENSURE_NEAR(l[0].def.reflection, 0.9, 1e-12);
    ENSURE(scene->outputs[0].channels == 2 && scene->outputs[3].channels == 4);
    ENSURE(scene->outputs[1].quantity == TW_SOUND_VELOCITY && scene->outputs[0].quantity == TW_SOUND_PRESSURE);
    tw_scene_destroy(scene);

    // one who is placed by itself is in front of rods and bodies, at least half a metre away
    scene = read_scene("collide: true\nground: {}\nrods: {a: {" ROD ", at: [-0.1, 0, 0.01]}}\n");
    ENSURE(scene && scene->listeners[0].ear->placed);
    const twVec3 p = scene->listeners[0].def.position;
    ENSURE_NEAR(p.x, 0, 1e-12);
    ENSURE(p.y < -0.4 && p.z > 0.1);
    tw_scene_destroy(scene);
    return 0;
}

// ---- what is refused ----

#define EAR "listeners: {ear: {at: [0, 0, 2]}}\n"

static const Wrong wrongs[] = {
    {"collide: true\nobjects: {a: {mass: 1}}\n", "1:1", "'collide' is for rods"},
    {"collide: maybe\nrods: {a: {" ROD "}}\n" EAR, "1:10", "true or false"},
    {"rods: {a: {" ROD ", calm: 0.1}}\n" EAR, "1:64", "add 'collide: true'"},
    {"rods: {a: {" ROD ", friction: 0.1}}\n" EAR, "1:64", "add 'collide: true'"},
    {"rods: {a: {" ROD ", ties: [{at: end, body: b}]}}\n" EAR, "1:64", "'supports' hold rods in space"},
    {"touch: [{between: [steel, steel], friction: {static: 1}}]\nrods: {a: {" ROD "}}\n" EAR, "1:1",
     "need 'collide: true'"},
    {"collide: true\nobjects: {h: {mass: 1}}\nrods: {a: {" ROD "}}\n", "2:1", "two scenes"},
    {BALL "objects: {h: {mass: 1}}\nrods: {a: {" ROD "}}\n", "2:1", "two scenes"},
    {"collide: true\nrods: {a: {" ROD ", ties: [{at: end, body: ball}]}}\n", "2:87", "there is no body 'ball'"},
    {BALL "rods: {a: {" ROD ", ties: [{at: end, body: bal}]}}\n", "2:87", "did you mean 'ball'"},
    {BALL "rods: {a: {" ROD ", ties: [{at: end, body: ground}]}}\n", "2:87", "'supports'"},
    {BALL "rods: {a: {" ROD ", ties: [{at: 1.5, body: ball}]}}\n", "2:76", "0 to 1"},
    {BALL "rods: {a: {" ROD ", ties: [{body: ball}]}}\n", "2:71", "'at' is missing"},
    {BALL "rods: {a: {" ROD ", ties: [{at: end}]}}\n", "2:71", "body"},
    {BALL "rods: {a: {" ROD ", ties: [{at: end, body: ball}, {at: 0.99, body: ball}]}}\n", "2:99", "tied already"},
    {BALL "rods: {a: {" ROD ", supports: [{at: end, hold: pinned}], ties: [{at: end, body: ball}]}}\n", "2:113",
     "held already"},
    {BALL "rods: {a: {" ROD ", integrator: trapezoid}}\n", "2:76", "'gauss'"},
    {BALL "rods: {a: {" ROD ", collide: false, self: false}}\n", "2:80", "touches nothing"},
    {BALL "rods: {a: {" ROD ", calm: -1}}\n", "2:70", "m/s"},
    {BALL "rods: {a: {" ROD "}}\nworld: {method: hard}\n", "3:17", "'compliant'"},
    {BALL "rods: {a: {" ROD "}}\nworld: {method: staggered}\n", "3:17", "'compliant'"},
    {BALL "rods: {a: {" ROD "}}\nlisteners: {e: {at: [0, 0, 2], lowpass: 500}}\n", "3:32", "do not touch"},
    {BALL "rods: {a: {" ROD "}}\nlisteners: {e: {at: [0.1, 0, 0.0005]}}\n", "3:13", "inside"},
    {BALL "rods: {a: {" ROD "}}\nlisteners: {e: {pickup: {rod: b, at: end}}}\n", "3:31", "there is no rod 'b'"},
    {BALL "ground: {}\nrods: {a: {" ROD ", at: [0, 0, -1]}}\n", "3:8", "below the ground"},
    {BALL "scheme: bilinear\nrods: {a: {" ROD "}}\n", "2:1", "not for bodies"},
    {"collide: true\nrods: {a: {" ROD ", copies: {count: 300, step: [1, 0, 0]}}}\n", "2:1",
     "300 rods are more than 256"},
    {"collide: true\nrods: {a-2: {" ROD "}, a: {" ROD ", copies: {count: 2, step: [1, 0, 0]}}}\n", "2:67",
     "two rods are called 'a-2'"},
    {"rods: {a: {" ROD ", turn: 3}}\n" EAR, "1:70", "degrees"},
    {"rods: {a: {" ROD ", spin: [1, 2]}}\n" EAR, "1:64", "3"},
};

static int every_mistake_is_named_with_its_place(void)
{
    return ensure_refused(wrongs, sizeof wrongs / sizeof wrongs[0]);
}

static int a_tie_to_a_body_far_away_is_refused(void)
{
    twScene* scene;
    twBodies* bodies;
    twError err = {0};
    const char* text = BALL "rods: {a: {" ROD ", ties: [{at: end, body: ball}]}}\n";
    ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_BAD_INPUT && !bodies);
    ENSURE(strstr(err.text, "test.yaml:2:71: point 5 of 'a'") && strstr(err.text, "away from 'ball'"));
    tw_scene_destroy(scene);
    return 0;
}

static const char sample[] =
    "duration: 0.1\nground: {point: [0, 0, -1], material: wood, friction: [0.4, 0.3]}\ncollide: true\n"
    "bodies: {ball: {shape: \"sphere:0.02\", position: [0, 0, 1]}}\n"
    "rods:\n"
    "  nail: {straight: 0.05, points: 6, section: {circle: 0.002}, turn: [0, 0, 90], spin: [7, 8, 9], calm: 0.01,\n"
    "         friction: 0.4, copies: {grid: [2, 2, 1], spacing: [0.1, 0.1, 1], jitter: 0.01, tumble: 90, seed: 3}}\n"
    "  wire: {straight: 0.1, at: [0, 0, 1], points: 5, section: {rectangle: [0.002, 0.001]}, self: false,\n"
    "         supports: [{at: end, hold: pinned}], ties: [{at: start, body: ball, clamped: true, stiffness: 100}]}\n"
    "touch: [{between: [steel, wood], impact: {restitution: 0.4}, friction: {static: 0.6, dynamic: 0.5}}]\n"
    "listeners: {tip: {pickup: {rod: wire, at: 0.5, direction: [0, 0, 1]}}, ear: {kind: stereo, at: [0, -1, 0]}}\n";

static int mutated_scenes_are_survived(void)
{
    const int good = scene_mutations(sample, sizeof sample - 1, 1500);
    ENSURE(good > 150 && good < 1000);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rods_alone_touch_only_if_told_to)
    RUN(rods_share_a_world_with_bodies)
    RUN(ties_name_a_point_and_a_body)
    RUN(rods_are_turned_about_their_place)
    RUN(a_rod_that_spins_turns_about_its_mass_centre)
    RUN(copies_of_rods_lie_as_those_of_bodies)
    RUN(listeners_hear_rods_and_bodies_where_they_are)
    RUN(every_mistake_is_named_with_its_place)
    RUN(a_tie_to_a_body_far_away_is_refused)
    RUN(mutated_scenes_are_survived)
)
