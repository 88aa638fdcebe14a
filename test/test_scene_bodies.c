// SPDX-License-Identifier: MIT
// Bodies in scenes: reading and errors.

#include "scene.h"
#include "twang/math.h"

#define ENSURE_VECTOR(v, a, b, c, tolerance)                                                                           \
    do {                                                                                                               \
        ENSURE_NEAR((v).x, (a), (tolerance));                                                                          \
        ENSURE_NEAR((v).y, (b), (tolerance));                                                                          \
        ENSURE_NEAR((v).z, (c), (tolerance));                                                                          \
    } while (0)

// ---- what is read ----

static int a_body_is_free_rigid_steel_at_rest_unless_said_otherwise(void)
{
    twScene* scene = read_scene("bodies: {a: {shape: \"box:0.1x0.08x0.06\"}}\n");
    ENSURE(scene && scene->body_count == 1 && scene->shape_count == 1 && scene->surface_count == 1);
    const twSceneBody* a = &scene->bodies[0];
    ENSURE_TEXT(a->name, "a");
    ENSURE_TEXT(a->where, "test.yaml:1:10");
    ENSURE(a->kind == TW_BODY_FREE && !a->drive && !a->bent && a->roughness == 0);
    ENSURE_VECTOR(a->motion.position, 0, 0, 0, 0);
    ENSURE(a->motion.turn.w == 1);
    const twSceneShape* s = &scene->shapes[a->shape];
    ENSURE_TEXT(s->material.name, "steel");
    ENSURE(s->flexible && s->automatic && s->coupling == TW_COUPLING_AUTO && s->mass == 0 && s->ball_radius == 0 &&
           s->hold_count == 0);
    ENSURE_VECTOR(scene->world.gravity, 0, 0, -9.81, 0);
    ENSURE(scene->frame_rate_hz == 60 && scene->output_count == 1 && !scene->ground.given);
    tw_scene_destroy(scene);
    return 0;
}

static int a_body_is_what_its_map_says(void)
{
    twScene* scene =
        read_scene("gravity: [0, 0, -1.6]\nframes: 100\n"
                   "materials: {rubber: {density: 1100, young: 1.0e+6, alpha: 1, beta: 1.0e-3}}\n"
                   "bodies:\n"
                   "  ball: {shape: \"sphere:0.02\", material: rubber, position: [1, 2, 3], turn: [0, 0, 90],\n"
                   "         velocity: [4, 5, 6], spin: [7, 8, 9], mass: 0.3, roughness: 0.01, grain: 0.002,\n"
                   "         friction: [0.9, 0.7], restitution: 0.8}\n"
                   "  bar: {shape: \"bar:0.3x0.025x0.001\", kind: fixed, flexible: {modes: 12, max_freq: 2000},\n"
                   "        hold: [x<-0.1, \"0,0,0\"], bend: {at: [0.15, 0, 0], force: [0, 0, 2]},\n"
                   "        turn: {axis: [0, 2, 0], angle: 30}}\n"
                   "  wall: {shape: \"box:1x1x0.1\", edge: 0.5, kind: fixed, friction: 0.25}\n");
    ENSURE(scene && scene->body_count == 3 && scene->shape_count == 3 && scene->surface_count == 3);
    const twSceneBody *ball = &scene->bodies[0], *bar = &scene->bodies[1], *wall = &scene->bodies[2];
    const twSceneShape* s = &scene->shapes[ball->shape];
    ENSURE_VECTOR(scene->world.gravity, 0, 0, -1.6, 0);
    ENSURE(scene->frame_rate_hz == 100);
    ENSURE_NEAR(s->ball_radius, 0.02, 1e-15);
    ENSURE(s->mass == 0.3 && s->material.density == 1100);
    ENSURE_VECTOR(ball->motion.position, 1, 2, 3, 0);
    ENSURE_VECTOR(ball->motion.velocity, 4, 5, 6, 0);
    ENSURE_VECTOR(ball->motion.spin, 7, 8, 9, 0);
    const twVec3 x = tw_vec3(1, 0, 0);
    ENSURE_VECTOR(tw_quat_rotate(ball->motion.turn, x), 0, 1, 0, 1e-15);
    ENSURE(ball->roughness == 0.01 && ball->grain == 0.002);
    const twContactMaterial* c = &scene->surfaces[ball->surface].contact;
    ENSURE(c->stick == 0.9 && c->slide == 0.7 && c->restitution == 0.8 && c->young == 1e6);

    s = &scene->shapes[bar->shape];
    ENSURE(s->flexible && s->mode_count == 12 && s->max_freq_hz == 2000 && s->hold_count == 2);
    ENSURE(s->holds[0].kind == TW_PART_BOX && s->holds[0].high.x == -0.1 && s->holds[1].kind == TW_PART_POINT);
    ENSURE(bar->kind == TW_BODY_FIXED && bar->bent);
    ENSURE_VECTOR(bar->bend_at, 0.15, 0, 0, 0);
    ENSURE_VECTOR(bar->bend_force, 0, 0, 2, 0);
    ENSURE_VECTOR(tw_quat_rotate(bar->motion.turn, x), cos(TW_PI / 6), 0, -0.5, 1e-15);
    ENSURE(scene->shapes[wall->shape].edge == 0.5);
    ENSURE(scene->surfaces[wall->surface].contact.stick == 0.25 &&
           scene->surfaces[wall->surface].contact.slide == 0.25);
    tw_scene_destroy(scene);
    return 0;
}

static int turns_about_three_axes_come_one_after_the_other(void)
{
    twScene* scene = read_scene("bodies: {a: {shape: \"box:1x1x1\", turn: [90, 90, 0]}}\n");
    ENSURE(scene);
    // about x: y to z; then about y: z to x
    ENSURE_VECTOR(tw_quat_rotate(scene->bodies[0].motion.turn, tw_vec3(0, 1, 0)), 1, 0, 0, 1e-15);
    tw_scene_destroy(scene);
    return 0;
}

static int copies_in_a_line_follow_its_bend(void)
{
    // four steps of 1 m, turning by 90 degrees each time: round a square and back
    twScene* scene = read_scene("bodies: {d: {shape: \"box:0.1x0.1x0.1\", position: [1, 0, 0],\n"
                                "             copies: {count: 5, step: [1, 0, 0], turn: [0, 0, 90]}}}\n");
    ENSURE(scene && scene->body_count == 5 && scene->shape_count == 1);
    ENSURE_TEXT(scene->bodies[0].name, "d-1");
    ENSURE_TEXT(scene->bodies[4].name, "d-5");
    const double x[] = {1, 2, 2, 1, 1}, y[] = {0, 0, 1, 1, 0};
    for (int i = 0; i < 5; i++) ENSURE_VECTOR(scene->bodies[i].motion.position, x[i], y[i], 0, 1e-14);
    for (int i = 0; i < 5; i++)
        ENSURE_VECTOR(tw_quat_rotate(scene->bodies[i].motion.turn, tw_vec3(1, 0, 0)), cos(i * TW_PI / 2),
                      sin(i * TW_PI / 2), 0, 1e-14);
    tw_scene_destroy(scene);
    return 0;
}

static int copies_in_a_grid_are_spaced_and_jittered_as_said(void)
{
    const char* plain = "bodies: {m: {shape: \"sphere:0.01\", position: [0, 0, 1], copies: {grid: [3, 1, 2], "
                        "spacing: [0.1, 0.2, 0.3]}}}\n";
    const char* loose = "bodies: {m: {shape: \"sphere:0.01\", position: [0, 0, 1], copies: {grid: [3, 1, 2], "
                        "spacing: [0.1, 0.2, 0.3], jitter: 0.01, seed: 5}}}\n";
    twScene *a = read_scene(plain), *b = read_scene(loose), *again = read_scene(loose);
    ENSURE(a && b && again && a->body_count == 6 && b->body_count == 6);
    double most = 0;
    for (int i = 0; i < 6; i++)
    {
        const twVec3 p = a->bodies[i].motion.position, q = b->bodies[i].motion.position;
        ENSURE_VECTOR(p, 0.1 * (i % 3), 0, 1 + 0.3 * (i / 3), 1e-15);
        ENSURE(tw_vec3_max(tw_vec3_sub(p, q)) <= 0.01);
        most = fmax(most, tw_vec3_max(tw_vec3_sub(p, q)));
        ENSURE(memcmp(&q, &again->bodies[i].motion.position, sizeof q) == 0);
    }
    ENSURE(most > 0.004);
    tw_scene_destroy(a);
    tw_scene_destroy(b);
    tw_scene_destroy(again);
    return 0;
}

static int equal_bodies_share_a_shape_and_others_do_not(void)
{
    twScene* scene =
        read_scene("bodies:\n  a: {shape: \"box:1x1x1\"}\n  b: {shape: \"box:1x1x1\", position: [2, 0, 0]}\n"
                   "  c: {shape: \"box:1x1x1\", material: glass}\n  d: {shape: \"box:1x1x1\", mass: 2}\n"
                   "  e: {shape: \"box:1x1x1\", flexible: true}\n  f: {shape: \"box:1x1x1\", flexible: {modes: 9}}\n"
                   "  g: {shape: \"box:1x1x1\", flexible: {modes: 9}}\n"
                   "  h: {shape: \"box:1x1x1\", flexible: {modes: 9}, kind: fixed, hold: z<0}\n");
    ENSURE(scene && scene->body_count == 8);
    const twSceneBody* b = scene->bodies;
    ENSURE(b[0].shape == b[1].shape && b[5].shape == b[6].shape);
    ENSURE(scene->shape_count == 6);
    tw_scene_destroy(scene);
    return 0;
}

static int wood_has_three_moduli_and_a_direction_in_the_body(void)
{
    twScene* scene = read_scene(
        "materials:\n  elm: {density: 560, young: [11.0e+9, 1.2e+9, 0.6e+9], shear: [0.9e+9, 0.7e+9, 0.2e+9],\n"
        "        poisson: [0.4, 0.5, 0.6], alpha: 30, beta: 1.0e-6}\n"
        "  reed: {density: 500, young: [6.0e+9, 0.4e+9, 0.4e+9], poisson: 0.1, alpha: 30, beta: 1.0e-6}\n"
        "bodies:\n  a: {shape: \"box:1x1x1\", material: elm, flexible: {modes: 9}}\n"
        "  b: {shape: \"box:1x1x1\", material: elm, flexible: {modes: 9}, fibre: y}\n"
        "  c: {shape: \"box:1x1x1\", material: elm, flexible: {modes: 9}, fibre: [1, 0, 2]}\n"
        "  d: {shape: \"box:1x1x1\", material: elm, flexible: {modes: 9}, fibre: {along: y, radial: [1, 0, 1]}}\n"
        "  e: {shape: \"box:1x1x1\", material: reed, flexible: {modes: 9}}\n");
    ENSURE(scene && scene->shape_count == 5);
    const twSceneShape* s = scene->shapes;
    ENSURE(s[0].material.young == 11e9 && s[0].material.orthotropy.young[1] == 0.6e9 && s[0].material.poisson == 0.4);
    ENSURE(s[0].material.orthotropy.shear[2] == 0.2e9 && s[0].material.orthotropy.poisson[2] == 0.6);
    ENSURE(!tw_fibre_given(&s[0].fibre) && s[1].fibre.along.y == 1);
    ENSURE_VECTOR(s[2].fibre.along, 1, 0, 2, 0);
    ENSURE_VECTOR(s[3].fibre.radial, 1, 0, 1, 0);
    // ratios that follow: nu_ij nu_ji = 0.1^2
    const twOrthotropy reed = tw_material_orthotropy(&s[4].material);
    ENSURE_NEAR(reed.poisson[0], 0.1 * sqrt(15), 1e-12);
    ENSURE_NEAR(reed.poisson[2], 0.1, 1e-15);
    tw_scene_destroy(scene);
    return 0;
}

static int moved_bodies_have_the_velocity_of_their_path(void)
{
    twScene* scene =
        read_scene("duration: 4\nbodies: {a: {shape: \"box:1x1x1\", position: [1, 0, 0.5], turn: [90, 0, 0], move: {\n"
                   "  x: {ramp: [0, 2], interpolate: smooth}, z: {keyframes: [[0, 0], [1, 3], [2, 1]]},\n"
                   "  angle: {ramp: [0, 180]}, axis: [0, 0, 3], about: [0, 0, 0]}}}\n");
    ENSURE(scene && scene->bodies[0].kind == TW_BODY_MOVED);
    const twSceneDrive* drive = scene->bodies[0].drive;
    const twBodyMotion at_start = tw_scene_drive(drive, 0), half = tw_scene_drive(drive, 2);
    ENSURE_VECTOR(at_start.position, 1, 0, 0.5, 1e-15);
    ENSURE_VECTOR(half.position, 1, 1, 1.5, 1e-14);  // a quarter of a turn, and x by 1
    ENSURE_VECTOR(tw_quat_rotate(half.turn, tw_vec3(0, 1, 0)), 0, 0, 1, 1e-14);
    ENSURE_VECTOR(half.spin, 0, 0, TW_PI / 4, 1e-15);
    // velocities by differences, away from kinks
    const double times[] = {0.3, 1.4, 3.1}, h = 1e-6;
    for (int i = 0; i < 3; i++)
    {
        const twBodyMotion before = tw_scene_drive(drive, times[i] - h), after = tw_scene_drive(drive, times[i] + h);
        const twVec3 v = tw_vec3_scale(tw_vec3_sub(after.position, before.position), 0.5 / h);
        const twVec3 now = tw_scene_drive(drive, times[i]).velocity;
        ENSURE_VECTOR(now, v.x, v.y, v.z, 1e-8);
        const twVec3 arm =
            tw_vec3_sub(tw_quat_rotate(after.turn, tw_vec3(1, 2, 3)), tw_quat_rotate(before.turn, tw_vec3(1, 2, 3)));
        const twVec3 turning = tw_vec3_cross(tw_scene_drive(drive, times[i]).spin,
                                             tw_quat_rotate(tw_scene_drive(drive, times[i]).turn, tw_vec3(1, 2, 3)));
        ENSURE_VECTOR(turning, arm.x / (2 * h), arm.y / (2 * h), arm.z / (2 * h), 1e-8);
    }
    ENSURE_VECTOR(tw_scene_drive(drive, 9).velocity, 0, 0, 0, 0);
    tw_scene_destroy(scene);
    return 0;
}

static int joints_touches_pushes_and_settings_are_what_they_say(void)
{
    twScene* scene = read_scene(
        "duration: 1\nground: {point: [0, 0, -1], normal: [0, 0, 2], material: wood, restitution: 0.2}\n"
        "bodies:\n  a: {shape: \"box:1x1x1\"}\n  b: {shape: \"sphere:0.1\", position: [0, 0, 2]}\n"
        "joints:\n"
        "- {kind: ball, between: [a, b], at: [0, 0, 1]}\n"
        "- {kind: hinge, between: [a, world], at: [1, 0, 0], axis: [0, 2, 0], motor: {speed: 3, force: 4}}\n"
        "- {kind: spring, between: [a, b], at: [0, 0, 1], to: [0, 0, 2], stiffness: 100, damping: 2, length: 0.5}\n"
        "touch:\n- {between: [steel, wood], impact: {restitution: 0.4}, friction: {static: 0.6, dynamic: 0.5}}\n"
        "- {between: [steel, steel], impact: {stiffness: 1.0e+9, exponent: 1.4, dissipation: 0.1},\n"
        "   friction: {stiffness: 1000, damping: 0.3, viscosity: 0.2, stribeck: 0.01, breakaway: 0.5}, "
        "loss_factor: 0.02, rolling: 1.0e-4}\n"
        "pushes:\n- {on: a, at: [0.5, 0, 0], impulse: [0, 0, 0.2], time: 0.1, duration: 0.004, every: 0.4}\n"
        "- {on: b, force: [1, 0, 0], value: {ramp: [0, 5]}}\n"
        "world: {method: staggered, max_step: 0.0005, adaptive: {modes: false}, warm_start: false, threads: 2}\n");
    ENSURE(scene && scene->joint_count == 3 && scene->touch_count == 2 && scene->push_count == 4);
    const twJointDef *ball = &scene->joints[0].def, *hinge = &scene->joints[1].def, *spring = &scene->joints[2].def;
    ENSURE(ball->kind == TW_JOINT_BALL && ball->body[0] == 0 && ball->body[1] == 1);
    ENSURE(hinge->kind == TW_JOINT_HINGE && hinge->body[1] == TW_NOWHERE && hinge->motor);
    ENSURE_VECTOR(hinge->axis, 0, 1, 0, 1e-15);
    ENSURE(hinge->speed == 3 && hinge->max_force == 4);
    ENSURE(spring->stiffness == 100 && spring->damping == 2 && spring->rest_length == 0.5 && ball->rest_length < 0);
    ENSURE_VECTOR(spring->to, 0, 0, 2, 0);

    ENSURE(scene->ground.given && scene->surface_count == 2);
    ENSURE_VECTOR(scene->ground.normal, 0, 0, 1, 1e-15);
    ENSURE_TEXT(scene->surfaces[scene->ground.surface].material, "wood");
    ENSURE(scene->surfaces[scene->ground.surface].contact.restitution == 0.2);
    const twSceneTouch* t = scene->touches;
    ENSURE_TEXT(t[0].material[1], "wood");
    ENSURE(t[0].restitution == 0.4 && isnan(t[0].impact.stiffness) && isnan(t[0].impact.dissipation));
    ENSURE(t[0].friction.dynamic_friction == 0.5 && isnan(t[0].friction.stribeck));
    ENSURE(t[1].impact.exponent == 1.4 && t[1].loss_factor == 0.02 && isnan(t[0].loss_factor));
    const twFrictionLaw* f = &t[1].friction;
    ENSURE(f->stiffness == 1000 && f->damping == 0.3 && f->viscosity == 0.2 && f->stribeck == 0.01);
    ENSURE(f->breakaway == 0.5 && isnan(f->static_friction));
    ENSURE(t[1].rolling == 1e-4 && isnan(t[0].rolling));

    // half a sine of that impulse: peak times duration times 2/pi
    const twScenePush* p = scene->pushes;
    ENSURE(p[0].tap && !p[0].centre && p[3].centre && !p[3].tap);
    ENSURE_NEAR(p[0].force.z * (p[0].end - p[0].begin) * 2 / TW_PI, 0.2, 1e-12);
    for (int i = 0; i < 3; i++) ENSURE_NEAR(p[i].begin, 0.1 + 0.4 * i, 1e-12);
    ENSURE_NEAR(tw_signal_value(&p[3].value, 0.5, NULL), 2.5, 1e-12);
    const twWorldDef* w = &scene->world;
    ENSURE(w->method == TW_CONTACT_STAGGERED && w->max_step == 0.0005 && w->no_mode_adaptation && w->no_warm_start);
    ENSURE(!w->no_private_clocks && !w->no_friction_culling && !w->no_redistribution && w->threads == 2);
    tw_scene_destroy(scene);
    return 0;
}

static int a_pickup_makes_an_output_of_velocity(void)
{
    twScene* scene = read_scene("bodies: {a: {shape: \"box:1x1x1\", copies: {count: 2, step: [2, 0, 0]}}}\n"
                                "listeners: {tip: {pickup: {body: a-2, at: [0.5, 0, 0], direction: [0, 0, 4]}}}\n");
    ENSURE(scene && scene->output_count == 1 && scene->listener_count == 1);
    ENSURE(scene->listeners[0].pickup_body == 1 && scene->listeners[0].pickup_rod == -1);
    ENSURE_VECTOR(scene->listeners[0].pickup_direction, 0, 0, 1, 0);
    ENSURE(scene->outputs[0].quantity == TW_SOUND_VELOCITY && scene->outputs[0].heard);
    ENSURE_TEXT(scene->outputs[0].name, "tip");
    tw_scene_destroy(scene);
    return 0;
}

// ---- what is refused ----

#define A "bodies:\n  a: {shape: \"box:1x1x1\"}\n  b: {shape: \"sphere:0.1\", position: [0, 0, 2]}\n"
#define ONE(rest) "bodies: {a: {shape: \"box:1x1x1\", " rest "}}\n"

static const Wrong wrongs[] = {
    {"bodies: {}\n", "1:", "'bodies' is empty"},
    {"bodies: {a: {}}\n", "1:", "lacks 'shape'"},
    {"bodies: {a: {shape: \"bix:1x1x1\"}}\n", "1:21", "box"},
    {"bodies: {a: {shape: \"box:1x1\"}}\n", "1:21", "box:LENGTHxWIDTHxHEIGHT"},
    {"bodies: {a: {shape: nowhere.obj}}\n", "1:21", "no file nowhere.obj"},
    {"bodies: {a: {shape: CMakeLists.txt}}\n", "1:21", "OBJ, STL, PLY, OFF or glTF"},
    {"bodies: {world: {shape: \"box:1x1x1\"}}\n", "1:10", "another name"},
    {"bodies: {a: {shape: \"box:1x1x1\", colour: red}}\n", "1:34", "colour"},
    {ONE("material: cheese"), "1:44", "cheese"},
    {ONE("scale: 2"), "1:", "metres"},
    {ONE("units: mm"), "1:", "'units' is for files"},
    {ONE("material: glas"), "1:", "(did you mean 'glass'?)"},
    {ONE("position: [0,5, 1, 2]"), "1:", "must have 3 numbers, not 4; if '0,5' is one number, write 0.5"},
    {ONE("position: [1,2,3,4]"), "1:", "must have 3 numbers, not 4\n"},
    {"bodies: {a: {shape: bowl}}\n", "1:", "there is no file 'bowl'; the shape is written 'bowl:'"},
    {"bodies: {a: {shape: cup.obj, units: km}}\n", "1:", "one of m, dm, cm, mm, in, ft, not 'km'"},
    {"bodies: {a: {shape: cup.obj, units: mm, scale: 2}}\n", "1:", "'units' and 'scale' say the same thing"},
    {ONE("material: red-oak, flexible: false, fibre: x"), "1:", "add 'flexible: true'"},
    {ONE("flexible: true, fibre: x"), "1:", "'steel' is the same in all directions"},
    {ONE("flexible: true, material: red-oak, fibre: w"), "1:", "write x, y, z or X,Y,Z"},
    {ONE("flexible: true, material: red-oak, fibre: [0, 0, 0]"), "1:", "no direction"},
    {ONE("flexible: true, material: red-oak, fibre: {along: x, radial: x}"), "1:", "must be across"},
    {ONE("flexible: true, material: red-oak, fibre: {grain: x}"), "1:", "'grain'"},
    {"materials: {a: {young: [1, 2], alpha: 1, beta: 1}}\n", "1:", "must have 3 numbers"},
    {"materials: {a: {shear: [1, 2, 3], alpha: 1, beta: 1}}\n", "1:", "give 'young' three too"},
    {"materials: {a: {poisson: [0, 0, 0.1], alpha: 1, beta: 1}}\n", "1:", "give 'young' three too"},
    {"materials: {a: {young: [3, 2, 1], shear: 1, alpha: 1, beta: 1}}\n", "1:", "[G_LR, G_LT, G_RT]"},
    {"materials: {a: {young: [3, 2, 0], alpha: 1, beta: 1}}\n", "1:", "'young'"},
    {"materials: {a: {young: [3, 2, 1], poisson: [0.3, 0.3, 1.5], alpha: 1, beta: 1}}\n", "1:", "nu_RT = 1.5"},
    {ONE("mass: 0"), "1:40", "'mass'"},
    {ONE("flexible: 7"), "1:", "one of auto, true, false"},
    {ONE("flexible: Auto"), "1:", "one of auto, true, false"},
    {ONE("coupling: both"), "1:", "one of auto, two-way, one-way"},
    {ONE("coupling: one-way, bend: {at: [1, 0, 0], force: [0, 0, 1]}"), "1:", "no mode acts on the motion"},
    {ONE("coupling: one-way, flexible: {max_freq: 100}"), "1:", "no mode acts on the motion"},
    {"default_flexible: perhaps\n" A, "1:19", "one of auto, true, false"},
    {"default_flexible: false\n" ONE("kind: fixed, hold: x<0"), "2:", "rigid one"},
    {ONE("flexible: {modes: 0}"), "1:", "'modes'"},
    {ONE("flexible: {mods: 3}"), "1:", "modes"},
    {ONE("flexible: false, hold: x<0"), "1:", "rigid one"},
    {ONE("flexible: true, hold: x<0"), "1:", "not free"},
    {ONE("flexible: true, kind: fixed, hold: [x < 0]"), "1:", "without blanks"},
    {ONE("flexible: true, kind: fixed, hold: []"), "1:", "1 to 64"},
    {ONE("kind: frozen"), "1:40", "free, fixed, moved"},
    {ONE("kind: fixed, velocity: [1, 0, 0]"), "1:", "no 'velocity'"},
    {ONE("move: {x: 1}, spin: [1, 0, 0]"), "1:", "follows 'move'"},
    {ONE("kind: moved"), "1:", "needs a 'move'"},
    {ONE("kind: free, move: {x: 1}"), "1:", "kind: moved"},
    {ONE("move: {x: {noise: 1}}"), "1:", "nothing can move like that"},
    {ONE("move: {x: {keyframes: [[0, 0], [1, 1]], interpolate: step}}"), "1:", "steps jump"},
    {ONE("move: {x: 1, about: [1, 0, 0]}"), "1:", "add 'angle'"},
    {ONE("flexible: false, bend: {at: [1, 0, 0], force: [0, 0, 1]}"), "1:", "does not bend"},
    {ONE("flexible: true, bend: {at: [1, 0, 0]}"), "1:", "'force'"},
    {ONE("turn: 90"), "1:", "degrees"},
    {ONE("turn: {axis: [0, 0, 0], angle: 3}"), "1:", "no direction"},
    {ONE("position: [1, 2]"), "1:", "3 numbers"},
    {ONE("velocity: [1.0e+9, 0, 0]"), "1:", "1e+06"},
    {ONE("grain: 0.001"), "1:", "add 'roughness'"},
    {ONE("friction: [0.2, 0.5]"), "1:", "not the greater"},
    {ONE("restitution: 1.5"), "1:", "from 0 to 1"},
    {ONE("copies: {count: 3}"), "1:", "'step'"},
    {ONE("copies: {count: 0, step: [1, 0, 0]}"), "1:", "'count'"},
    {ONE("copies: {grid: [2, 2], spacing: [1, 1, 1]}"), "1:", "three whole numbers"},
    {ONE("copies: {grid: [2, 2, 2]}"), "1:", "'spacing'"},
    {ONE("copies: {grid: [2, 2, 2], spacing: [1, 1, 1], count: 3}"), "1:", "not both"},
    {ONE("copies: {count: 3, step: [1, 0, 0], spacing: [1, 1, 1]}"), "1:", "'step'"},
    {ONE("copies: {grid: [1000, 1000, 1000], spacing: [1, 1, 1]}"), "1:", "are the most"},
    {"bodies:\n  a-2: {shape: \"box:1x1x1\"}\n  a: {shape: \"box:1x1x1\", copies: {count: 2, step: [1, 0, 0]}}\n",
     "1:", "two bodies are called 'a-2'"},
    {A "rods: {r: {straight: 1}}\n", "4:8", "section"},
    {A "objects: {h: {mass: 1}}\n", "4:1", "two scenes"},
    {A "oversample: 4\n", "4:1", "steps themselves"},
    {A "air: {density: 0}\n", "4:", "'density'"},
    {"objects: {h: {mass: 1}, b: {modes: [{freq: 100}]}}\nworld: {}\n", "2:1", "for bodies"},
    {A "listeners: {l: {pickup: {body: c, at: [0, 0, 0]}}}\n", "4:32", "no body 'c'"},
    {A "listeners: {l: {pickup: {body: a}}}\n", "4:", "'at'"},
    {A "outputs: [{name: x}]\n", "4:", "'pickup'"},
    {A "ground: {absorption: 2}\n", "4:", "absorption"},
    {A "ground: {normal: [0, 0, 0]}\n", "4:", "no direction"},
    {A "joints: [{kind: ball, between: [a, c], at: [0, 0, 0]}]\n", "4:36", "no body 'c'"},
    {A "joints: [{kind: ball, between: [a], at: [0, 0, 0]}]\n", "4:", "two names"},
    {A "joints: [{kind: ball, between: [a, a], at: [0, 0, 0]}]\n", "4:", "different"},
    {A "joints: [{kind: bal, between: [a, b], at: [0, 0, 0]}]\n", "4:", "did you mean 'ball'"},
    {A "joints: [{kind: ball, between: [a, b]}]\n", "4:", "'at'"},
    {A "joints: [{kind: hinge, between: [a, b], at: [0, 0, 0]}]\n", "4:", "'axis'"},
    {A "joints: [{kind: ball, between: [a, b], at: [0, 0, 0], motor: {speed: 1, force: 1}}]\n", "4:", "hinge"},
    {A "joints: [{kind: ball, between: [a, b], at: [0, 0, 0], length: 1}]\n", "4:", "spring"},
    {A "joints: [{kind: spring, between: [a, b], at: [0, 0, 0], to: [0, 0, 1]}]\n", "4:", "'stiffness'"},
    {A "joints: [{kind: slider, between: [a, b], at: [0, 0, 0], axis: [1, 0, 0], motor: {speed: 1}}]\n",
     "4:", "'force'"},
    {"bodies: {a: {shape: \"box:1x1x1\", kind: fixed}}\njoints: [{kind: ball, between: [a, world], at: [0, 0, 0]}]\n",
     "2:", "neither of them"},
    {"bodies: {a: {shape: \"box:1x1x1\", copies: {count: 3, step: [2, 0, 0]}}}\n"
     "joints: [{kind: ball, between: [a, world], at: [0, 0, 0]}]\n",
     "2:", "'a-1' to 'a-3'"},
    {A "touch: [{between: [steel, wood]}]\n", "4:27", "nothing is made of 'wood'"},
    {A "touch: [{between: [steel]}]\n", "4:", "two materials"},
    {A "touch: [{between: [steel, steel], impact: {restitution: 0.5, dissipation: 1}}]\n", "4:", "keep one"},
    {A "touch: [{between: [steel, steel], impact: {exponent: 1.2}}]\n", "4:", "'stiffness'"},
    {A "touch: [{between: [steel, steel], bristle_stiffness: 5}]\n", "4:", "'friction: {stiffness: ...}'"},
    {A "touch: [{between: [steel, steel], restitution: 0.5}]\n", "4:", "'impact: {restitution: ...}'"},
    {A "touch: [{between: [steel, steel], bristle_damping: 0.5}]\n", "4:", "in N s/m"},
    {A "touch: [{between: [steel, steel], friction: {noise: 1}}]\n", "4:", "noise"},
    {A "touch: [{between: [steel, steel], friction: {static: 0.2, dynamic: 0.3}}]\n", "4:", "must not exceed"},
    {A "pushes: [{on: a}]\n", "4:", "either"},
    {A "pushes: [{on: a, force: [1, 0, 0], impulse: [1, 0, 0]}]\n", "4:", "either"},
    {A "pushes: [{on: c, force: [1, 0, 0]}]\n", "4:15", "no body 'c'"},
    {A "pushes: [{on: a, at: middle, force: [1, 0, 0]}]\n", "4:", "'centre'"},
    {A "pushes: [{on: a, force: [1, 0, 0], time: 1}]\n", "4:", "'impulse'"},
    {A "pushes: [{on: a, impulse: [1, 0, 0], value: 2}]\n", "4:", "'force'"},
    {A "pushes: [{on: a, impulse: [1, 0, 0], every: 1.0e-6}]\n", "4:", "are the most"},
    {A "pushes: [{on: a, force: [1, 0, 0], value: {noise: 1}}]\n", "4:", "between its samples"},
    {ONE("kind: fixed") "pushes: [{on: a, force: [1, 0, 0]}]\n", "2:", "does nothing"},
    {A "world: {method: soft}\n", "4:", "compliant, hard, staggered"},
    {A "world: {max_step: 1}\n", "4:", "'max_step'"},
    {A "world: {warm_start: false}\n", "4:", "method: staggered"},
    {A "world: {adaptive: 3}\n", "4:", "true or false"},
    {A "world: {adaptive: {mode: true}}\n", "4:", "modes"},
};

static int every_mistake_is_named_with_its_place(void)
{
    return ensure_refused(wrongs, sizeof wrongs / sizeof wrongs[0]);
}

static const char sample[] =
    "duration: 0.1\nground: {point: [0, 0, -1], normal: [0, 0, 1], material: wood, friction: [0.4, 0.3]}\n"
    "materials: {rubber: {density: 1100, young: 1.0e+6, alpha: 1, beta: 1.0e-3}}\nbodies:\n"
    "  ball: {shape: \"sphere:0.02\", material: rubber, turn: [0, 0, 90], spin: [7, 8, 9], copies: {grid: [2, 2, 2], "
    "spacing: [1, 1, 1], jitter: 0.1}}\n"
    "  bar: {shape: \"bar:0.3x0.025x0.001\", kind: fixed, flexible: {modes: 12, max_freq: 2000}, hold: [x<-0.1, "
    "\"0,0,0\"], bend: {at: [0.15, 0, 0], force: [0, 0, 2]}}\n"
    "  hand: {shape: \"box:1x1x0.1\", move: {x: {ramp: [0, 2]}, angle: 3, axis: [0, 1, 0], about: [1, 1, 1]}}\n"
    "joints: [{kind: hinge, between: [ball-1, world], at: [0, 0, 1], axis: [1, 0, 0], motor: {speed: 1, force: 2}}]\n"
    "touch: [{between: [steel, rubber], impact: {restitution: 0.4}, friction: {static: 0.6, dynamic: 0.5}}]\n"
    "pushes: [{on: bar, at: [0, 0, 0], impulse: [0, 0, 0.2], time: 0.1, every: 0.4}, {on: ball-2, force: [1, 0, 0]}]\n"
    "listeners: {tip: {pickup: {body: bar, at: [0.15, 0, 0], direction: [0, 0, 1]}}}\n"
    "world: {method: hard, max_step: 0.0005, adaptive: {modes: false}, threads: 2}\n";

static int mutated_scenes_are_survived(void)
{
    const int good = scene_mutations(sample, sizeof sample - 1, 3000);
    ENSURE(good > 300 && good < 2000);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_body_is_free_rigid_steel_at_rest_unless_said_otherwise)
    RUN(a_body_is_what_its_map_says)
    RUN(turns_about_three_axes_come_one_after_the_other)
    RUN(copies_in_a_line_follow_its_bend)
    RUN(copies_in_a_grid_are_spaced_and_jittered_as_said)
    RUN(equal_bodies_share_a_shape_and_others_do_not)
    RUN(wood_has_three_moduli_and_a_direction_in_the_body)
    RUN(moved_bodies_have_the_velocity_of_their_path)
    RUN(joints_touches_pushes_and_settings_are_what_they_say)
    RUN(a_pickup_makes_an_output_of_velocity)
    RUN(every_mistake_is_named_with_its_place)
    RUN(mutated_scenes_are_survived)
)
