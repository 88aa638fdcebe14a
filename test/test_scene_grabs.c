// SPDX-License-Identifier: MIT
// Scenes with grabs and throws: what is read and what is refused; what they render: motion, energy, sound.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "twang/live.h"
#include "twang/picture.h"

#define ENSURE_VECTOR(v, a, b, c, tolerance)                                                                           \
    do {                                                                                                               \
        ENSURE_NEAR((v).x, (a), (tolerance));                                                                          \
        ENSURE_NEAR((v).y, (b), (tolerance));                                                                          \
        ENSURE_NEAR((v).z, (c), (tolerance));                                                                          \
    } while (0)

#define BOX "box: {shape: \"box:0.1x0.08x0.06\", material: wood, position: [0, 0, 0.5]}"
#define SOFT "materials: {jelly: {density: 1000, young: 2.0e+5, poisson: 0.4, alpha: 1, beta: 2.0e-3}}\n"
#define JELLY "material: jelly, flexible: {modes: 12, accuracy: 0.3}, edge: 0.03"

// ---- reading ----

static int a_grab_holds_where_it_is_unless_it_says_otherwise(void)
{
    twScene* scene = read_scene("bodies: {" BOX "}\ngrabs: [{on: box, at: [0.05, 0, 0]}]\n");
    ENSURE(scene && scene->grab_count == 1 && scene->throw_count == 0);
    const twSceneGrab* g = &scene->grabs[0];
    ENSURE(g->kind == TW_GRAB_POSITION && g->aim == TW_AIM_HERE && g->place_count == 1);
    ENSURE(g->places[0].body == 0 && g->places[0].rod == TW_NOWHERE);
    ENSURE_TEXT(g->on, "box");
    ENSURE_VECTOR(g->places[0].at, 0.05, 0, 0, 0);
    ENSURE(g->begin == 0 && isinf(g->end) && g->ease == tw_grab_def().ease && g->max_force == 0 && !g->exact);
    ENSURE(g->along[0] && g->along[1] && g->along[2] && g->push_count == 0);
    tw_scene_destroy(scene);
    return 0;
}

// also without any grab
static int bodies_of_all_scenes_may_warp_and_be_ghosts(void)
{
    twScene* scene = read_scene(
        "materials: {jelly: {density: 1000, young: 1.0e+5, alpha: 1, beta: 0.001}}\n"
        "bodies:\n"
        "  a: {shape: \"box:0.1x0.1x0.3\", material: jelly, flexible: {modes: 20}, warp: true, ghost: true,\n"
        "      regions: [{part: z<0, material: wood}, {part: \"ball:0,0,0.1,0.02\", material: steel}]}\n"
        "  b: {shape: \"box:0.1x0.1x0.3\", material: jelly, flexible: {modes: 30}, position: [1, 0, 0]}\n");
    ENSURE(scene && scene->body_count == 2 && scene->shape_count == 2);
    const twSceneShape* s = &scene->shapes[scene->bodies[0].shape];
    ENSURE(scene->bodies[0].warp && scene->bodies[0].ghost && !scene->bodies[1].warp && !scene->bodies[1].ghost);
    ENSURE(s->mode_count == 20 && s->region_count == 2);
    ENSURE_TEXT(s->regions[0].material.name, "wood");
    ENSURE(s->regions[0].part.kind == TW_PART_BOX && s->regions[1].part.kind == TW_PART_BALL);
    tw_scene_destroy(scene);
    return 0;
}

static int a_rod_is_grabbed_at_its_points(void)
{
    twScene* scene = read_scene("collide: true\nbodies: {" BOX "}\n"
                                "rods: {cord: {straight: 1, points: 11, section: {circle: 0.01}, at: [0, 0, 1]}}\n"
                                "grabs: [{on: cord, at: end}, {on: box, at: [0, 0, 0.03], to: {on: cord, at: 0.3}}]\n");
    ENSURE(scene && scene->grab_count == 2);
    const twScenePlace *at = scene->grabs[0].places, *to = &scene->grabs[1].other;
    ENSURE(at->body == TW_NOWHERE && at->rod == 0 && at->node == 10);
    ENSURE(to->body == TW_NOWHERE && to->rod == 0 && to->node == 3);
    tw_scene_destroy(scene);
    return 0;
}

static int grabs_and_throws_are_what_they_say(void)
{
    twScene* scene = read_scene(
        "duration: 3\nbodies: {" BOX ", other: {shape: \"box:0.1x0.1x0.1\"}}\n"
        "grabs:\n"
        "  - {name: hand, on: box, at: [[0, 0, 0.03], [0.05, 0, 0]], from: 0.5, until: 2, ease: 0.1, max_force: 30,\n"
        "     exact: true, along: [x, z], move: {x: {ramp: [0, 1]}, angle: 90, axis: [0, 2, 0], about: [0, 0, 1]}}\n"
        "  - {on: box, at: [0, 0, 0], to: [1, 2, 3], max_force: 5, push: [{on: box, at: [0, 0, 0.05]}]}\n"
        "  - {on: box, at: [0, 0, 0], to: {keyframes: [[1, 0, 0, 0.5], [2, 0.1, 0.2, 0.3]], interpolate: linear}}\n"
        "  - {on: box, at: [0, 0, 0], to: {on: other, at: [0, 0, 0.05]}}\n"
        "  - {on: box, at: [0, 0, 0], kind: force, to: {z: {sine: 2, frequency: 3}}}\n"
        "throws: [{on: other, time: 1, velocity: [1, 0, 0]}, {on: box, spin: [0, 0, 5]}]\n"
        "pushes: [{on: box, at: [0, 0, 0.03], impulse: [0, 0, -1], time: 1}]\n");
    ENSURE(scene && scene->grab_count == 5 && scene->throw_count == 2 && scene->push_count == 1);
    const twSceneGrab* g = scene->grabs;
    ENSURE_TEXT(g[0].name, "hand");
    ENSURE(g[0].place_count == 2 && g[0].begin == 0.5 && g[0].end == 2 && g[0].ease == 0.1 && g[0].max_force == 30 &&
           g[0].exact);
    ENSURE(g[0].along[0] && !g[0].along[1] && g[0].along[2] && g[0].aim == TW_AIM_MOVE && !g[0].about_here);
    ENSURE_VECTOR(g[0].move->axis, 0, 1, 0, 1e-15);
    ENSURE_VECTOR(g[0].move->about, 0, 0, 1, 0);
    ENSURE_NEAR(tw_signal_value(&g[0].move->along[0], 1.5, NULL), 0.5, 1e-15);
    ENSURE(g[1].kind == TW_GRAB_POSITION && g[1].aim == TW_AIM_GIVEN && g[1].push_count == 1);
    ENSURE(g[1].pushes[0].body == 0 && g[1].pushes[0].at.z == 0.05);
    ENSURE(g[2].to[1].count == 2);
    ENSURE_NEAR(tw_signal_value(&g[2].to[1], 1.5, NULL), 0.1, 1e-15);
    ENSURE_NEAR(tw_signal_value(&g[2].to[2], 0, NULL), 0.5, 1e-15);
    ENSURE(g[3].aim == TW_AIM_BODY && g[3].other.body == 1 && g[3].other.at.z == 0.05);
    ENSURE(g[4].kind == TW_GRAB_FORCE && g[4].to[2].kind == TW_SIGNAL_SINE && g[4].to[0].value == 0);
    ENSURE(scene->throws[0].has_velocity && !scene->throws[0].has_spin && scene->throws[1].has_spin);
    tw_scene_destroy(scene);
    return 0;
}

static int what_is_wrong_is_said_with_its_place(void)
{
#define B "bodies: {" BOX ", wall: {shape: \"box:1x1x0.1\", kind: fixed, flexible: false}}\n"
#define G(map) B "grabs: [{" map "}]\n"
    static const Wrong wrongs[] = {
        {"bodies: {a: {shape: \"box:1x1x1\", flexible: false, warp: true}}\n", "1:51", "flexible: true"},
        {"bodies: {a: {shape: \"box:1x1x1\", flexible: false, regions: [{part: z<0, material: wood}]}}\n", "1:51",
         "flexible"},
        {"bodies: {a: {shape: \"box:1x1x1\", flexible: true, regions: [{part: \"ball:1\", material: wood}]}}\n", "1:67",
         "ball"},
        {"bodies: {a: {shape: \"box:1x1x1\", flexible: true, regions: [{part: z<0, material: woood}]}}\n", "1:82",
         "woood"},
        {"bodies: {a: {shape: \"box:1x1x1\", flexible: true, surface: none.obj}}\n", "1:59", "there is no file"},
        {"grabs: []\n", "1:1", "there are none"},
        {"throws: []\n", "1:1", "there are none"},
        {B "grabs: {on: box}\n", "2:1", "list"},
        {G("on: bax, at: [0, 0, 0]"), "2:14", "did you mean 'box'"},
        {G("on: wall, at: [0, 0, 0.05]"), "2:14", "fixed and rigid"},
        {"rods: {r: {straight: 1, section: {circle: 0.01}}}\ngrabs: [{on: r, at: end}]\n", "2:1", "collide: true"},
        {G("on: box, at: [0, 0, 0], max_force: -1"), "2:45", "'max_force'"},
        {G("on: box, at: [0, 0, 0], ease: -1"), "2:40", "'ease'"},
        {G("on: box, at: [0, 0, 0], to: [0, 0, .nan]"), "2:45", "nan"},
        {G("on: box, at: [0, 0, 0], exact: true"), "2:34", "'max_force'"},
        {G("on: box, at: [0, 0, 0], kind: velocity, exact: true, max_force: 1"), "2:50", "kind: position"},
        {G("on: box, at: [0, 0, 0], push: [{on: box, at: [0, 0, 0]}]"), "2:34", "servo"},
        {G("on: box, at: [0, 0, 0], kind: velocity, to: [0, 0, 1], max_force: 1, push: [{on: box, at: [0, 0, 0]}]"),
         "2:79", "servo"},
        {G("on: box, at: [0, 0, 0], max_force: 1, push: [{on: wall, at: [0, 0, 0]}]"), "2:60", "it holds, 'box'"},
        {G("on: box"), "2:9", "say where"},
        {G("on: box, at: [0, 0]"), "2:19", "'at'"},
        {G("on: box, at: [[0, 0, 0], [0, 0]]"), "2:35", "3"},
        {G("on: box, at: [0, 0, 0], grip: 3"), "2:34", "grip"},
        {G("on: box, at: [0, 0, 0], until: 1, from: 1.5"), "2:41", "must be later"},
        {G("on: box, at: [0, 0, 0], to: [0, 0, 1], move: {x: 1}"), "2:9", "keep one"},
        {G("on: box, at: [0, 0, 0], to: {x: 1}"), "2:34", "'y' and 'z'"},
        {G("on: box, at: [[0, 0, 0], [0.1, 0, 0]], to: [0, 0, 1]"), "2:49", "cannot be at one"},
        {G("on: box, at: [0, 0, 0], to: {on: box, at: [0, 0, 0]}"), "2:34", "joined to itself"},
        {G("on: box, at: [0, 0, 0], to: {keyframes: [[0, 1, 2]]}"), "2:51", "4"},
        {G("on: box, at: [0, 0, 0], to: {keyframes: [[1, 1, 2, 3], [1, 1, 2, 3]]}"), "2:66", "must rise"},
        {G("on: box, at: [0, 0, 0], move: {x: {noise: 1}}"), "2:34", "jump"},
        {G("on: box, at: [0, 0, 0], move: {axis: [0, 0, 1]}"), "2:34", "add 'angle'"},
        {G("on: box, at: [0, 0, 0], kind: force"), "2:9", "needs one"},
        {G("on: box, at: [0, 0, 0], kind: force, to: [0, 0, 1], max_force: 3"), "2:62", "given by 'to'"},
        {G("on: box, at: [0, 0, 0], kind: velocity, move: {x: 1}"), "2:50", "kind: position"},
        {G("on: box, at: [0, 0, 0], along: []"), "2:34", "directions"},
        {G("on: box, at: [0, 0, 0], along: [w]"), "2:42", "x"},
        {G("on: box, at: [0, 0, 0], push: []"), "2:34", "1 to 8"},
        {B "throws: [{on: box}]\n", "2:10", "velocity"},
        {B "throws: [{on: wall, velocity: [0, 0, 1]}]\n", "2:15", "free body"},
    };
    return ensure_refused(wrongs, sizeof wrongs / sizeof *wrongs);
}

// what the key said is said elsewhere, or needs not be said
static int a_scene_with_a_stage_is_told_what_to_write(void)
{
#define S(key) "stage: {" key "}\nbodies: {" BOX "}\n"
    static const Wrong wrongs[] = {
        {"bodies: {" BOX "}\nstage: {}\n", "2:1", "leave it out"},
        {S("step: 0.001"), "1:9", "world: {max_step"},
        {S("contact: penalty"), "1:9", "ghost"},
        {S("cluster: 0.1"), "1:9", "leave it out"},
        {S("max_contacts: 64"), "1:9", "leave it out"},
        {S("softness: 1.0e-4"), "1:9", "max_force"},
        {S("settle: false"), "1:9", "world: {settle"},
        {S("largest_force: 5, smallest_motion: 1.0e-5"), "1:9", "max_freq"},
        {S("smallest_motion: 1.0e-5"), "1:9", "max_freq"},
    };
    // and is no key to choose from
    twError err;
    twScene* scene = NULL;
    const twStatus other = parse_scene(&scene, "stages: {}\nbodies: {" BOX "}\n", &err);
    ENSURE(other == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "grabs") && !strstr(err.text, "stage,"));
    return ensure_refused(wrongs, sizeof wrongs / sizeof *wrongs);
}

static int mutated_scenes_are_scenes_or_errors(void)
{
    static const char text[] =
        B "grabs: [{on: box, at: [0, 0, 0], until: 1, move: {keyframes: [[0, 0, 0, 0], [1, 0, 0, 1]]}}]\n"
          "throws: [{on: box, velocity: [0, 0, 1]}]\n";
    const int good = scene_mutations(text, sizeof text - 1, 3000);
    ENSURE(good > 400);
    return 0;
}

// ---- motion ----

static twVec3 pose_of(const twTrace* trace, int64_t frame, int body)
{
    const float* p = tw_trace_pose(trace, frame, body);
    return tw_vec3((double)p[0], (double)p[1], (double)p[2]);
}

static double left_over(const twWorldEnergy* e)
{
    double lost = 0;
    for (int i = 0; i < TW_LOSS_COUNT; i++) lost += e->loss[i];
    return e->start + e->work - lost - e->kinetic - e->elastic - e->weight - e->contacts;
}

// modes give where they are pressed: the contact itself is stiff
#define TOUCH(material) "touch: [{between: [" material ", wood], impact: {stiffness: 1.0e+7, exponent: 1.5}}]\n"

// a soft block is lifted by two places of its top, let go, and falls to the floor
#define LIFTED                                                                                                         \
    SOFT "duration: 0.7\nground: {material: wood}\n" TOUCH(                                                            \
        "jelly") "bodies: {block: {shape: \"box:0.1x0.1x0.1\", " JELLY ", position: [0, 0, 0.05]}}\n"                  \
                 "grabs: [{on: block, at: [[-0.05, 0, 0.05], [0.05, 0, 0.05]], until: 0.4,\n"                          \
                 "         move: {keyframes: [[0, 0, 0, 0], [0.3, 0.02, 0, 0.08]]}}]\n"

static int the_same_scene_makes_the_same_bytes(void)
{
    twRenderReport report;
    twError err = {0};
    const twStatus status = render_scene(LIFTED, "first", (twRenderDef){0}, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && report.world.given);
    const twRenderWorld* w = &report.world;
    ENSURE(w->stats.lost == 0 && w->stats.contacts_max > 0);
    // it follows, and carries the weight of 1 kg
    ENSURE(w->grabs[0].error < 1e-3 && w->grabs[0].force > 4 && w->grabs[0].force < 200);
    ENSURE(!w->grabs[0].limited && !w->grabs[0].powerless);
    ENSURE(fabs(left_over(&w->energy)) < 1e-9 * w->largest_energy && tw_check_passive(&report.check));
    tw_render_report_free(&report);
    ENSURE(render_all(LIFTED, "second"));
    ENSURE(same_file("first", "second", "trace.twtrace") && same_file("first", "second", "ear.wav"));
    return 0;
}

// how low a body of a trace reaches in all frames, and in the last one
static bool find_lowest(const twTrace* trace, double* lowest, double* last)
{
    twSkin* skin = NULL;
    const twSkinDef def = tw_skin_def();
    if (tw_skin_create(&skin, trace, &def, NULL) != TW_OK) return false;
    const int count = skin->parts[0].vertex_count;
    float* positions = malloc(3 * (size_t)count * sizeof *positions);
    *lowest = 1;
    for (int64_t f = 0; f < trace->frame_count && positions; f++)
    {
        tw_skin_vertices(skin, 0, f, positions, NULL);
        *last = 1;
        for (int v = 0; v < count; v++) *last = fmin(*last, (double)positions[3 * v + 2]);
        *lowest = fmin(*lowest, *last);
    }
    free(positions);
    tw_skin_destroy(skin);
    return positions != NULL;
}

// the frames show the place at its target, and nothing below the floor
static int what_is_seen_is_where_it_is_dragged_and_not_in_the_floor(void)
{
    twTrace* trace = render_trace("first");
    ENSURE(trace && trace->frame_count == 42);
    const twModeSet* set = trace->bodies[0].set;
    const int vertex = tw_mode_set_nearest(set, tw_vec3(-0.05, 0, 0.05));
    const twVec3 rest = set->vertices[vertex];
    ENSURE(tw_vec3_norm(tw_vec3_sub(rest, tw_vec3(-0.05, 0, 0.05))) < 0.02);
    // 0.35 s: it has come to stay 80 mm up, and 20 mm to the side
    const float *pose = tw_trace_pose(trace, 21, 0), *q = tw_trace_amplitudes(trace, 21, 0);
    twVec3 x = rest;
    for (int k = 0; k < set->mode_count; k++)
        x = tw_vec3_add_scaled(x, tw_mode_set_shape(set, k, vertex), (double)q[k]);
    x = tw_vec3_add(pose_of(trace, 21, 0),
                    tw_quat_rotate(tw_quat((double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]), x));
    ENSURE_NEAR(x.x, rest.x + 0.02, 0.004);
    ENSURE_NEAR(x.z, rest.z + 0.05 + 0.08, 0.004);
    ENSURE(trace->arrow_count[21] >= 2 && trace->touch_count > 2);

    double lowest, last;
    ENSURE(find_lowest(trace, &lowest, &last));
    tw_trace_destroy(trace);
    ENSURE(lowest > -0.002);
    ENSURE(last < 0.03);  // it has come down
    return 0;
}

// What was not among its lowest points at rest touches too. Between the 24 contacts that two bodies have at most it hangs through, by less than
// a twentieth of its radius.
static int a_ball_that_is_pressed_flat_stays_above_the_floor(void)
{
    ENSURE(render_all(
        "materials: {gum: {density: 1000, young: 5.0e+4, poisson: 0.4, alpha: 0.5, beta: 1.0e-3}}\n"
        "duration: 0.2\nlisteners: {}\nground: {material: wood}\nframes: 200\n" TOUCH(
            "gum") "bodies: {ball: {shape: \"sphere:0.1\", material: gum, flexible: {modes: 50, accuracy: 0.3},\n"
                   "                edge: 0.02, position: [0, 0, 0.12], velocity: [0, 0, -1]}}\n",
        "ball"));
    twTrace* trace = render_trace("ball");
    double lowest, last, flattest = 1;
    ENSURE(trace && find_lowest(trace, &lowest, &last));
    for (int64_t f = 0; f < trace->frame_count; f++) flattest = fmin(flattest, pose_of(trace, f, 0).z);
    tw_trace_destroy(trace);
    ENSURE(flattest < 0.085);  // pressed by 15 mm and more
    ENSURE(lowest > -0.005);
    return 0;
}

// films of what is warped are as what is played live is drawn
static int films_warp_as_covers_do(void)
{
    ENSURE(render_all(
        SOFT "duration: 0.2\nlisteners: {}\n"
             "bodies: {arm: {shape: \"box:0.3x0.04x0.04\", " JELLY ", warp: true, kind: fixed, hold: x<-0.13}}\n"
             "grabs: [{on: arm, at: [0.15, 0, 0], along: [z], move: {z: {ramp: [0, 0.15], end: 0.15}}}]\n",
        "arm"));
    twTrace* trace = render_trace("arm");
    ENSURE(trace != NULL);
    twSkin* skin = NULL;
    twCover* cover = NULL;
    const twSkinDef def = tw_skin_def();
    twCoverDef as = tw_cover_def();
    as.set = trace->bodies[0].set;
    as.warp = true;
    ENSURE(tw_skin_create(&skin, trace, &def, NULL) == TW_OK && tw_cover_create(&cover, &as, NULL) == TW_OK);
    const size_t n = (size_t)skin->parts[0].vertex_count, m = (size_t)tw_cover_vertices(cover);
    float *a = malloc(3 * n * sizeof *a), *b = malloc(3 * m * sizeof *b);
    float* scratch = malloc((tw_cover_scratch(cover) + 1) * sizeof *scratch);
    double q[64] = {0};
    ENSURE(a && b && scratch && as.set->mode_count <= 64);
    const float* from = tw_trace_amplitudes(trace, 9, 0);
    for (int k = 0; k < as.set->mode_count; k++) q[k] = (double)from[k];
    tw_skin_vertices(skin, 0, 9, a, NULL);
    tw_cover_bend(cover, q, b, NULL, scratch);
    double off = 0, turned = 0;
    for (size_t i = 0; i < 3 * n; i++)
    {
        const size_t vertex = (size_t)skin->parts[0].source[i / 3];
        off = fmax(off, fabs((double)a[i] - (double)b[3 * vertex + i % 3]));
        turned = fmax(turned, (double)(skin->parts[0].rest[i] - a[i]) * (i % 3 == 0));
    }
    ENSURE(off < 1e-6);
    ENSURE(turned > 0.01);  // its end comes nearer: without warp it would only go up
    free(a);
    free(b);
    free(scratch);
    tw_cover_destroy(cover);
    tw_skin_destroy(skin);
    tw_trace_destroy(trace);
    return 0;
}

// p = m v; the other body is not touched
static int a_strike_and_a_throw_give_velocity(void)
{
    ENSURE(render_all("duration: 0.5\ngravity: [0, 0, 0]\n"
                      "bodies: {a: {shape: \"box:0.1x0.1x0.1\", mass: 2, position: [0, 0, 0]},\n"
                      "         b: {shape: \"box:0.1x0.1x0.1\", mass: 2, position: [1, 0, 0], velocity: [0, 1, 0]}}\n"
                      "pushes: [{on: a, at: [-0.05, 0, 0], impulse: [4, 0, 0], time: 0.1}]\n"
                      "throws: [{on: b, time: 0.25, velocity: [0, -1, 0]}]\nlisteners: {}\n",
                      "blow"));
    twTrace* trace = render_trace("blow");
    ENSURE(trace && trace->frame_count == 30);
    ENSURE_VECTOR(pose_of(trace, 6, 0), 0, 0, 0, 1e-6);
    ENSURE_VECTOR(pose_of(trace, 29, 0), 2 * (29 / 60.0 - 0.1), 0, 0, 5e-3);
    ENSURE_VECTOR(pose_of(trace, 15, 1), 1, 0.25, 0, 2e-3);
    ENSURE_VECTOR(pose_of(trace, 29, 1), 1, 0.25 - (29 / 60.0 - 0.25), 0, 3e-3);
    // the blow is recorded, with all of its impulse: a force acts until the next one
    double impulse = 0, since = 0, force = 0;
    for (int b = 0; b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            const twTraceForce* f = &trace->force_blocks[b].forces[i];
            impulse += force * (f->time - since);
            since = f->time, force = (double)f->force[0];
        }
    ENSURE_NEAR(impulse, 4, 4e-3);
    tw_trace_destroy(trace);
    return 0;
}

// A pendulum of two boxes: the upper hangs on the world, the lower on the upper. Joints give by F h^2 W/kappa, with kappa = 10, W = 4/m of
// the end of a bar, two of them at the lower joint, and a pull of less than ten times the weight of both: 8e-5 and 1.6e-4 m.
static int joints_keep_points_together(void)
{
    ENSURE(render_all(
        "duration: 0.6\nlisteners: {}\n"
        "bodies: {a: {shape: \"box:0.2x0.02x0.02\", position: [0.1, 0, 1]},\n"
        "         b: {shape: \"box:0.2x0.02x0.02\", ghost: true, position: [0.3, 0, 1]}}\n"
        "joints: [{kind: ball, between: [world, a], at: [0, 0, 1]}, {kind: ball, between: [a, b], at: [0.2, 0, 1]}]\n",
        "chain"));
    twTrace* trace = render_trace("chain");
    ENSURE(trace != NULL);
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        twVec3 end[2][2];
        for (int i = 0; i < 2; i++)
        {
            const float* p = tw_trace_pose(trace, f, i);
            const twVec3 half =
                tw_quat_rotate(tw_quat((double)p[3], (double)p[4], (double)p[5], (double)p[6]), tw_vec3(0.1, 0, 0));
            end[i][0] = tw_vec3_sub(pose_of(trace, f, i), half);
            end[i][1] = tw_vec3_add(pose_of(trace, f, i), half);
        }
        ENSURE_VECTOR(end[0][0], 0, 0, 1, 8e-5);
        ENSURE(tw_vec3_norm(tw_vec3_sub(end[0][1], end[1][0])) < 1.6e-4);
    }
    ENSURE(pose_of(trace, 15, 1).z < 0.75);
    tw_trace_destroy(trace);
    return 0;
}

// velocity, acceleration and force as they are told, without weight
static int kinds_of_grabs_move_bodies_as_told(void)
{
    ENSURE(render_all(
        "duration: 0.5\ngravity: [0, 0, 0]\nlisteners: {}\n"
        "bodies: {v: {shape: \"box:0.1x0.1x0.1\", mass: 2}, a: {shape: \"box:0.1x0.1x0.1\", mass: 2, position: [0, 1, 0]},\n"
        "         f: {shape: \"box:0.1x0.1x0.1\", mass: 2, position: [0, 2, 0]}}\n"
        "grabs: [{on: v, at: [-0.05, 0, 0], kind: velocity, to: [1, 0, 0], ease: 0},\n"
        "        {on: a, at: [-0.05, 0, 0], kind: acceleration, to: [4, 0, 0], ease: 0},\n"
        "        {on: f, at: [-0.05, 0, 0], kind: force, to: {x: {ramp: [0, 8], end: 0.5}}, ease: 0}]\n",
        "kinds"));
    twTrace* trace = render_trace("kinds");
    ENSURE(trace != NULL);
    const double t = 27 / 60.0;
    ENSURE_NEAR(pose_of(trace, 27, 0).x, t, 3e-3);
    ENSURE_NEAR(pose_of(trace, 27, 1).x, 2 * t * t, 5e-3);
    ENSURE_NEAR(pose_of(trace, 27, 2).x, 8 / 0.5 / 2 * t * t * t / 6, 3e-3);
    tw_trace_destroy(trace);
    return 0;
}

// what damping takes is no energy that a grab has brought in: a damped pendulum swings as a rigid one does
static int a_damped_body_that_is_held_swings(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render_scene(
               "duration: 0.4\nlisteners: {}\nframes: 100\n"
               "materials: {damped: {density: 1000, young: 1.0e+9, poisson: 0.3, alpha: 0, beta: 2.0e-3}}\n"
               "bodies: {bar: {shape: \"bar:0.4x0.03x0.03\", material: damped, flexible: {modes: 6, accuracy: 0.3},\n"
               "               edge: 0.03}}\n"
               "grabs: [{on: bar, at: [-0.2, 0, 0]}]\n",
               "pendulum", (twRenderDef){0}, &report, &err) == TW_OK);
    const twWorldEnergy* e = &report.world.energy;
    ENSURE_NEAR((e->kinetic + e->weight - e->start) / e->kinetic, 0, 0.05);
    ENSURE(e->kinetic > 0.2);
    tw_render_report_free(&report);
    return 0;
}

// ---- sound ----

static double peak_of(const twWav* wav, double from, double to)
{
    double peak = 0;
    for (int64_t i = (int64_t)(from * wav->rate_hz); i < (int64_t)(to * wav->rate_hz) && i < wav->frames; i++)
        for (int c = 0; c < wav->channels; c++) peak = fmax(peak, fabs((double)wav->samples[i * wav->channels + c]));
    return peak;
}

#define RULER                                                                                                          \
    "bodies: {ruler: {shape: \"ruler:0.2x0.02x0.001\", kind: fixed, hold: x<-0.09, edge: 0.02,\n"                      \
    "                 flexible: {modes: 8, accuracy: 0.3}}}\n"

// a ruler that hangs at rest is silent, is bent slowly, which is hardly heard, and rings when it is let go
static int what_is_let_go_rings_and_what_rests_is_silent(void)
{
    ENSURE(render_all(
        "duration: 0.6\nlevel: {peak: -1}\n" RULER
        "grabs: [{on: ruler, at: [0.1, 0, 0], along: [z], from: 0.1, until: 0.4,\n"
        "         move: {keyframes: [[0.1, 0, 0, 0], [0.35, 0, 0, 0.01]]}}]\nlisteners: {ear: {at: [0, -0.3, 0.1], kind: mono}}\n",
        "ruler"));
    twWav* wav = render_wav("ruler", "ear.wav");
    // it rings on after 0.6 s
    ENSURE(wav && wav->frames > 28800 && wav->channels == 1);
    for (int64_t i = 0; i < wav->frames; i++) ENSURE(isfinite(wav->samples[i]));
    ENSURE_NEAR(peak_of(wav, 0, 1), pow(10, -1 / 20.0), 1e-3);
    ENSURE(peak_of(wav, 0, 0.1) < 1e-6);
    ENSURE(peak_of(wav, 0.4, 0.6) > 5 * peak_of(wav, 0.1, 0.4));
    tw_wav_destroy(wav);
    return 0;
}

// ---- surfaces, interruptions ----

static bool write_leaf(const char* path)
{
    // three triangles about one edge, and a loose one
    FILE* file = fopen(path, "w");
    if (!file) return false;
    fputs(
        "v -0.04 0 0\nv 0.04 0 0\nv 0 0.04 0\nv 0 -0.04 0\nv 0 0 0.04\nv 0.03 0.03 0.03\nv 0.02 0.03 0.03\nv 0.03 0.02 0.03\n"
        "f 1 2 3\nf 1 2 4\nf 1 2 5\nf 6 7 8\n",
        file);
    return fclose(file) == 0;
}

static int an_embedded_surface_is_drawn_and_the_body_is_what_touches(void)
{
    char path[1024], text[2048];
    snprintf(path, sizeof path, "%s", in_folder("leaf.obj"));
    ENSURE(write_leaf(path));
    snprintf(text, sizeof text,
             SOFT "duration: 0.1\nlisteners: {}\nground: {}\n"
                  "bodies: {a: {shape: \"box:0.1x0.1x0.1\", surface: %s, material: jelly, position: [0, 0, 0.05],\n"
                  "             flexible: {modes: 6, accuracy: 0.3}}}\n",
             path);
    twRenderReport report;
    twError err = {0};
    const twStatus status = render_scene(text, "leaf", (twRenderDef){0}, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && report.world.outside == 0 && report.world.stats.contacts_max > 0);
    tw_render_report_free(&report);
    twTrace* trace = render_trace("leaf");
    ENSURE(trace && trace->bodies[0].set->face_count == 4 && trace->bodies[0].set->vertex_count > 8 + 20);
    // forces are at the vertices of the body, which come first
    for (int64_t i = 0; i < trace->touch_count; i++)
        ENSURE(trace->touches[i].vertex[0][0] < trace->bodies[0].set->vertex_count - 8);
    ENSURE(trace->touch_count > 0);
    tw_trace_destroy(trace);
    return 0;
}

static bool stop(double done, void* context)
{
    (void)context;
    return done < 0.3;
}

static bool is_cut(double done, void* context)
{
    (void)context;
    return done < 0.62;
}

// interrupted while it is held, and once more after it was let go
static int a_render_that_is_resumed_ends_as_one_that_was_not_interrupted(void)
{
    twError err = {0};
    ENSURE(render_scene(LIFTED, "cut", (twRenderDef){.keep_going = stop}, NULL, &err) == TW_INTERRUPTED);
    ENSURE(render_scene(LIFTED, "cut", (twRenderDef){.keep_going = is_cut, .resume = true}, NULL, &err) ==
           TW_INTERRUPTED);
    twRenderReport report;
    const twStatus status = render_scene(LIFTED, "cut", (twRenderDef){.resume = true}, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && report.world.resumed_at > 0.35 && report.world.resumed_at < 0.5);
    ENSURE(report.world.grabs[0].force > 4);
    tw_render_report_free(&report);
    ENSURE(same_file("first", "cut", "trace.twtrace") && same_file("first", "cut", "ear.wav"));
    return 0;
}

static int a_place_far_from_its_body_is_refused(void)
{
    twError err = {0};
    ENSURE(render_scene("bodies: {" BOX "}\ngrabs: [{on: box, at: [0, 0, 0.6]}]\n", "far", (twRenderDef){0}, NULL,
                        &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "test.yaml:1:10") && strstr(err.text, "a grab at 0,0,0.6") && strstr(err.text, "own"));
    return 0;
}

static bool count_calls(const char* stage, double done, void* context)
{
    (void)stage, (void)done;
    ++*(int*)context;
    return false;
}

// modes may take minutes: nobody waits for them to hear of that
static int a_far_place_is_refused_before_modes_are_found(void)
{
    int calls = 0;
    twError err = {0};
    twBodies* bodies;
    twBodiesDef def = tw_bodies_def();
    def.keep_going = count_calls, def.context = &calls;
    twScene* scene = read_scene("bodies: {a: {shape: \"box:0.1x0.1x0.3\", material: wood, flexible: true}}\n"
                                "grabs: [{on: a, at: [0, 0, 2]}]\n");
    ENSURE(scene && tw_bodies_create(&bodies, scene, &def, &err) == TW_BAD_INPUT && calls == 0);
    ENSURE(strstr(err.text, "a grab at 0,0,2 is 1.85 m away from 'a'"));
    tw_scene_destroy(scene);
    return 0;
}

static int too_many_keyframes_are_refused(void)
{
    enum
    {
        ROWS = TW_MAX_KEYFRAMES + 1,
        BYTES = 24 * ROWS + 1024
    };
    char* text = malloc(BYTES);
    ENSURE(text);
    size_t used =
        (size_t)snprintf(text, BYTES, "bodies: {" BOX "}\ngrabs: [{on: box, at: [0, 0, 0], move: {keyframes: [");
    for (int i = 0; i < ROWS; i++) used += (size_t)snprintf(text + used, BYTES - used, "[%d, 0, 0, 0],\n  ", i);
    snprintf(text + used, BYTES - used, "]}}]\n");
    FILE* file = fopen(in_folder("many.yaml"), "w");
    ENSURE(file && fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
    twScene* scene = NULL;
    twError err = {0};
    ENSURE(tw_scene_load(&scene, in_folder("many.yaml"), &err) == TW_BAD_INPUT && !scene);
    if (!strstr(err.text, "100001 keyframes; 100000 are the most")) printf("%s\n", err.text);
    ENSURE(strstr(err.text, "100001 keyframes; 100000 are the most") && strstr(err.text, "many.yaml:2:"));
    return 0;
}

TEST_MAIN(RUN(a_far_place_is_refused_before_modes_are_found) RUN(too_many_keyframes_are_refused)
              RUN(a_grab_holds_where_it_is_unless_it_says_otherwise) RUN(bodies_of_all_scenes_may_warp_and_be_ghosts)
                  RUN(a_rod_is_grabbed_at_its_points) RUN(grabs_and_throws_are_what_they_say)
                      RUN(what_is_wrong_is_said_with_its_place) RUN(a_scene_with_a_stage_is_told_what_to_write)
                          RUN(mutated_scenes_are_scenes_or_errors) RUN(the_same_scene_makes_the_same_bytes)
                              RUN(a_render_that_is_resumed_ends_as_one_that_was_not_interrupted)
                                  RUN(what_is_seen_is_where_it_is_dragged_and_not_in_the_floor)
                                      RUN(a_ball_that_is_pressed_flat_stays_above_the_floor)
                                          RUN(films_warp_as_covers_do) RUN(a_strike_and_a_throw_give_velocity)
                                              RUN(joints_keep_points_together) RUN(kinds_of_grabs_move_bodies_as_told)
                                                  RUN(a_damped_body_that_is_held_swings)
                                                      RUN(what_is_let_go_rings_and_what_rests_is_silent)
                                                          RUN(an_embedded_surface_is_drawn_and_the_body_is_what_touches)
                                                              RUN(a_place_far_from_its_body_is_refused))
