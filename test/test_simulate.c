// SPDX-License-Identifier: MIT
// Scenes with bodies, from text to files: what moves, what is recorded, and going on after an interruption.

#define _XOPEN_SOURCE 700  // scratch.h
#include "render.h"
#include "scene/bodies.h"
#include "twang/math.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- rendering ----

typedef struct Stop
{
    int calls, last;  // when to stop; below 0: never
    bool kill;
} Stop;

static bool going(double done, void* context)
{
    Stop* stop = context;
    (void)done;
    if (stop->last < 0 || stop->calls++ < stop->last) return true;
    if (stop->kill) raise(SIGKILL);
    return false;
}

static twStatus render(const char* text, const char* folder, bool resume, Stop stop, twRenderWorld* world, twError* err)
{
    const twRenderDef def = {.keep_going = going, .context = &stop, .resume = resume};
    twRenderReport report;
    const twStatus status = render_scene(text, folder, def, &report, err);
    if (status == TW_OK && world) *world = report.world;
    if (status == TW_OK) tw_render_report_free(&report);
    return status;
}

static const Stop never = {.last = -1};

static bool is_there(const char* folder, const char* name)
{
    char* text;
    size_t bytes;
    const bool there = render_read(&text, &bytes, folder, name);
    free(text);
    return there;
}

// numbers of the report that are no times
static bool same_reports(const char* folder, const char* other)
{
    static const char* const keys[] = {"\"steps\"",   "\"body_steps\"", "\"rollbacks\"",
                                       "\"kinetic\"", "\"all_rises\"",  "\"dof_mean\""};
    size_t n;
    char *a, *b = NULL;
    bool same = render_read(&a, &n, folder, "report.json") && render_read(&b, &n, other, "report.json");
    for (size_t i = 0; i < sizeof keys / sizeof *keys && same; i++)
    {
        const char *x = strstr(a, keys[i]), *y = strstr(b, keys[i]);
        same = x && y && strcspn(x, "\n") == strcspn(y, "\n") && strncmp(x, y, strcspn(x, "\n")) == 0;
    }
    free(a);
    free(b);
    return same;
}

// ---- what moves ----

static int a_falling_ball_is_where_gravity_puts_it(void)
{
    ENSURE(render_all(
        "duration: 0.2\nframes: 50\nbodies: {b: {shape: \"sphere:0.02\", position: [1, 2, 3], velocity: [1, 0, 2]}}\n"
        "listeners: {up: {pickup: {body: b, at: [0, 0, 0.02]}}}\n",
        "fall"));
    twTrace* trace = render_trace("fall");
    ENSURE(trace && trace->complete && trace->frame_count == 10 && trace->sample_count == 9600);
    for (int n = 0; n < 10; n++)
    {
        const double t = n / 50.0;
        const float* pose = tw_trace_pose(trace, n, 0);
        ENSURE_NEAR(pose[0], 1 + t, 1e-6);
        ENSURE_NEAR(pose[2], 3 + 2 * t - 0.5 * 9.81 * t * t, 1e-6);
        ENSURE_NEAR(tw_trace_values(trace, n)[5], 6, 0);  // degrees of freedom
    }
    float v[100];
    tw_trace_track(trace, 0, 8000, 100, v);
    for (int i = 0; i < 100; i++) ENSURE_NEAR(v[i], 2 - 9.81 * (8000 + i) / 48000, 1e-6);
    tw_trace_destroy(trace);
    return 0;
}

static int a_moved_body_is_where_its_path_puts_it_and_pushes(void)
{
    ENSURE(render_all("duration: 0.2\ngravity: [0, 0, 0]\nbodies:\n"
                      "  hand: {shape: \"box:0.1x0.1x0.1\", move: {x: {ramp: [0, 0.1]}}}\n"
                      "  puck: {shape: \"box:0.02x0.02x0.02\", position: [0.07, 0, 0]}\n",
                      "hand"));
    twTrace* trace = render_trace("hand");
    ENSURE(trace);
    const float *hand = tw_trace_pose(trace, 9, 0), *first = tw_trace_pose(trace, 0, 1),
                *last = tw_trace_pose(trace, 11, 1);
    ENSURE_NEAR(hand[0], 0.1 * 9 / 60 / 0.2, 1e-7);
    ENSURE_NEAR(first[0], 0.07, 1e-7);
    ENSURE(last[0] > 0.1f);
    ENSURE(trace->force_count > 0 && trace->touch_count > 0);
    tw_trace_destroy(trace);
    return 0;
}

// the speed a ball that falls for a second of speed 1 m/s leaves with
static double rebound(const char* rest)
{
    char text[512];
    // touches at 1 m/s
    snprintf(text, sizeof text,
             "duration: 0.05\nground: {material: wood}\nbodies: {b: {shape: \"sphere:0.02\", position: [0, 0, 0.0205], "
             "velocity: [0, 0, -1]}}\nlisteners: {up: {pickup: {body: b, at: [0, 0, 0.02]}}}\n%s",
             rest);
    if (!render_all(text, "bounce")) return NAN;
    twTrace* trace = render_trace("bounce");
    float v = 0, most = 0;
    for (int64_t i = 0; trace && i < trace->sample_count; i++)
    {
        tw_trace_track(trace, 0, i, 1, &v);
        most = fmaxf(most, v);
    }
    tw_trace_destroy(trace);
    return most;
}

static int touches_set_how_much_of_a_bounce_is_left(void)
{
    ENSURE_NEAR(rebound("touch: [{between: [steel, wood], impact: {restitution: 0.3}}]\n"), 0.3, 0.02);
    ENSURE_NEAR(rebound("touch: [{between: [wood, steel], impact: {restitution: 0.8}}]\n"), 0.8, 0.02);
    ENSURE_NEAR(rebound("touch: [{between: [steel, wood], impact: {stiffness: 1.0e+8, dissipation: 0}}]\n"), 1, 0.01);
    return 0;
}

static int taps_give_their_impulse(void)
{
    ENSURE(render_all("duration: 0.1\ngravity: [0, 0, 0]\nbodies: {b: {shape: \"box:0.1x0.1x0.1\", mass: 2}}\n"
                      "pushes: [{on: b, impulse: [0, 3, 0], time: 0.02, duration: 0.005}, {on: b, force: [4, 0, 0]}]\n"
                      "listeners: {y: {pickup: {body: b, at: [0, 0, 0.05], direction: [0, 1, 0]}},\n"
                      "  x: {pickup: {body: b, at: [0, 0, 0.05], direction: [1, 0, 0]}}}\n",
                      "tap"));
    twTrace* trace = render_trace("tap");
    float y, x;
    ENSURE(trace && trace->track_count == 2);
    tw_trace_track(trace, 0, 4400, 1, &y);
    tw_trace_track(trace, 1, 4400, 1, &x);
    ENSURE_NEAR(y, 1.5, 1.5e-3);
    ENSURE_NEAR(x, 2 * 4400 / 48000.0, 1e-5);
    tw_trace_destroy(trace);
    return 0;
}

// a tap of a fifth of the longest step, at nine times within such a step, whichever clocks steps use
static int taps_shorter_than_a_step_are_not_passed_over(void)
{
    static const char* const worlds[] = {"", "world: {adaptive: false}\n"};
    for (int i = 0; i < 18; i++)
    {
        char text[600];
        snprintf(text, sizeof text,
                 "duration: 0.02\ngravity: [0, 0, 0]\nbodies: {b: {shape: \"box:0.1x0.1x0.1\", mass: 2}}\n"
                 "pushes: [{on: b, impulse: [0, 3, 0], time: 0.010%d, duration: 0.0002}]\n%s",
                 1 + i % 9, worlds[i / 9]);
        twBodies* bodies;
        twScene* scene;
        twError err;
        ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
        tw_world_advance(tw_bodies_world(bodies), 0.02);
        ENSURE_NEAR(tw_world_motion(tw_bodies_world(bodies), 0, 0.02, NULL, NULL).velocity.y, 1.5, 0.01);
        tw_bodies_destroy(bodies);
        tw_scene_destroy(scene);
    }
    return 0;
}

// ---- pickups ----

#define CLATTER                                                                                                              \
    "ground: {material: wood}\nbodies:\n"                                                                                    \
    "  brick: {shape: \"box:0.02x0.03x0.01\", material: wood, position: [0, 0, 0.02], turn: [20, 30, 0], spin: [0, 9, 0],\n" \
    "          copies: {count: 3, step: [0.005, 0.04, 0.02]}}\n"                                                             \
    "  ball: {shape: \"sphere:0.01\", material: glass, position: [0.01, 0.02, 0.06]}\n"                                      \
    "listeners: {a: {pickup: {body: brick-1, at: [0.01, 0, 0]}}, b: {pickup: {body: ball, at: [0, 0, 0.01]}}}\n"             \
    "outputs: [{name: sound, from: [a, {from: b, gain: 0.5}], format: float, level: {gain: 1}}]\n"

static int pickups_do_not_depend_on_the_frame_rate(void)
{
    ENSURE(render_all("duration: 0.2\nframes: 60\n" CLATTER, "at60"));
    ENSURE(render_all("duration: 0.2\nframes: 37\n" CLATTER, "at37"));
    ENSURE(render_all("duration: 0.2\nframes: 0\n" CLATTER, "at0"));
    ENSURE(is_there("at60", "sound.wav") && !is_there("at0", "trace.twtrace"));
    ENSURE(same_file("at60", "at37", "sound.wav"));
    ENSURE(same_file("at60", "at0", "sound.wav"));
    return 0;
}

static int arrows_are_the_largest_forces_until_the_next_frame(void)
{
    ENSURE(render_all("duration: 0.2\nframes: 60\n" CLATTER, "arrows"));
    twTrace* trace = render_trace("arrows");
    ENSURE(trace);
    int seen = 0;
    for (int64_t n = 0; n + 1 < trace->frame_count; n++)
    {
        // by another way: the largest of all forces that begin in the interval
        double most = 0, drawn = 0;
        for (int b = 0; b < trace->force_block_count; b++)
            for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
            {
                const twTraceForce* f = &trace->force_blocks[b].forces[i];
                const bool inside = f->time > n / 60.0 && f->time < (n + 1) / 60.0;
                if (inside)
                    most = fmax(most, sqrt((double)f->force[0] * f->force[0] + (double)f->force[1] * f->force[1] +
                                           (double)f->force[2] * f->force[2]));
            }
        for (int i = 0; i < trace->arrow_count[n]; i++)
        {
            const float* f = trace->arrows[n][i].force;
            drawn = fmax(drawn, sqrt((double)f[0] * f[0] + (double)f[1] * f[1] + (double)f[2] * f[2]));
        }
        ENSURE(drawn >= most * (1 - 1e-6));
        seen += most > 0;
    }
    ENSURE(seen > 3);
    tw_trace_destroy(trace);
    return 0;
}

// ---- going on ----

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
    {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int a_render_that_is_killed_anywhere_goes_on_to_the_same_files(void)
{
    const char* text = "duration: 0.25\n" CLATTER;
    ENSURE(render_all(text, "whole"));
    twRng rng = tw_rng(11);
    int kills = 0;
    for (bool resume = false; kills < 50; resume = true)
    {
        const pid_t child = fork();
        ENSURE(child >= 0);
        if (child == 0)
        {
            const Stop stop = {.last = (int)tw_rng_between(&rng, 1, 60), .kill = true};
            _exit(render(text, "killed", resume, stop, NULL, NULL) == TW_OK ? 0 : 1);
        }
        tw_rng_next(&rng);
        const int code = wait_for(child);
        ENSURE(code == 0 || code == 128);
        if (code == 0) break;
        kills++;
        ENSURE(is_there("killed", "trace.twtrace.part") && !is_there("killed", "trace.twtrace") &&
               !is_there("killed", "sound.wav"));
    }
    ENSURE(kills >= 2 && kills < 50);
    ENSURE(same_file("whole", "killed", "trace.twtrace"));
    ENSURE(same_file("whole", "killed", "sound.wav"));
    ENSURE(same_reports("whole", "killed"));
    ENSURE(!is_there("killed", "trace.twtrace.part") && !is_there("killed", "trace.twtrace.state"));
    return 0;
}

static int an_interrupted_render_goes_on_or_begins_again(void)
{
    const char* text = "duration: 0.25\n" CLATTER;
    twError err;
    twRenderWorld world;
    ENSURE(render_all(text, "straight"));
    ENSURE(render(text, "stopped", false, (Stop){.last = 80}, NULL, &err) == TW_INTERRUPTED);
    ENSURE(strstr(err.text, "interrupted at 0.1") != NULL);
    ENSURE(is_there("stopped", "trace.twtrace.part") && !is_there("stopped", "report.json"));
    ENSURE(render(text, "stopped", true, never, &world, &err) == TW_OK);
    ENSURE_NEAR(world.resumed_at, 0.15, 1e-12);
    ENSURE(same_file("straight", "stopped", "trace.twtrace"));
    ENSURE(same_file("straight", "stopped", "sound.wav"));

    ENSURE(render(text, "again", false, (Stop){.last = 80}, NULL, &err) == TW_INTERRUPTED);
    ENSURE(render(text, "again", false, never, &world, &err) == TW_OK);
    ENSURE(world.resumed_at == 0);
    ENSURE(same_file("straight", "again", "trace.twtrace"));
    return 0;
}

static int a_full_disk_loses_nothing_that_was_simulated(void)
{
    const char* text = "duration: 0.2\nframes: 10000\n" CLATTER;
    ENSURE(render_all(text, "roomy"));
    const pid_t child = fork();
    ENSURE(child >= 0);
    if (child == 0)
    {
        twError err = {0};
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {600000, 600000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
        _exit(render(text, "tight", false, never, NULL, &err) == TW_IO_ERROR ? 0 : 1);
    }
    ENSURE(wait_for(child) == 0);
    twError err = {0};
    twRenderWorld world;
    const twStatus status = render(text, "tight", true, never, &world, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && world.resumed_at >= 0.05);
    ENSURE(same_file("roomy", "tight", "trace.twtrace") && same_file("roomy", "tight", "sound.wav"));
    return 0;
}

static bool append_text(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "ab");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static int what_cannot_go_on_says_why_and_changes_nothing(void)
{
    const char* text = "duration: 0.25\n" CLATTER;
    char *part, *same;
    twError err;
    ENSURE(render(text, "none", true, never, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "without --resume") != NULL);
    ENSURE(render(text, "changed", false, (Stop){.last = 60}, NULL, &err) == TW_INTERRUPTED);
    ENSURE(append_text("changed/trace.twtrace.part", "written behind the checkpoint"));
    size_t before, after;
    ENSURE(tw_file_read(&part, &before, in_folder("changed/trace.twtrace.part"), 1 << 28, NULL) == TW_OK);
    ENSURE(render("duration: 0.25\n# another\n" CLATTER, "changed", true, never, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "the scene was changed") != NULL);
    ENSURE(tw_file_read(&same, &after, in_folder("changed/trace.twtrace.part"), 1 << 28, NULL) == TW_OK);
    ENSURE(before == after && memcmp(part, same, after) == 0);
    free(part);
    free(same);
    ENSURE(render(text, "changed", true, never, NULL, &err) == TW_OK);
    ENSURE(render("duration: 0.25\nframes: 0\n" CLATTER, "frameless", true, never, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "'frames' is 0") != NULL);
    return 0;
}

// ---- what is wrong with bodies ----

static int bodies_in_each_other_are_named_with_their_place(void)
{
    twBodies* bodies;
    twScene* scene;
    twError err;
    const twStatus status = create_bodies(
        &bodies, &scene,
        "bodies:\n  a: {shape: \"box:0.1x0.1x0.1\"}\n  b: {shape: \"box:0.1x0.1x0.1\", position: [0.03, 0.01, 0.02]}\n",
        &err);
    ENSURE(status == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "test.yaml:") == err.text && strstr(err.text, "'a'") && strstr(err.text, "'b'"));
    tw_scene_destroy(scene);
    return 0;
}

// ---- flexible ones ----

static int a_linear_motion_is_the_same_on_a_coarser_surface(void)
{
    const twSceneShape fine = {.source = "cylinder:0.02x0.1", .scale = 1, .edge = 0.004},
                       coarse = {.source = "cylinder:0.02x0.1", .scale = 1, .edge = 0.02};
    twMesh *a, *b;
    char note[64];
    ENSURE(tw_scene_surface(&a, &fine, note, sizeof note, NULL) == TW_OK);
    ENSURE(tw_scene_surface(&b, &coarse, note, sizeof note, NULL) == TW_OK);
    ENSURE(b->vertex_count < a->vertex_count);
    float* shape = calloc(3 * (size_t)a->vertex_count, sizeof *shape);
    ENSURE(shape);
    for (int i = 0; i < a->vertex_count; i++)
        shape[3 * i] = (float)(1 + 2 * a->vertices[i].x), shape[3 * i + 2] = (float)(5 * a->vertices[i].z);
    const double freq = 100, decay = 1;
    const twModeSet def = {.mode_count = 1,
                           .vertex_count = a->vertex_count,
                           .face_count = a->face_count,
                           .freq_hz = &freq,
                           .decay = &decay,
                           .shape = shape,
                           .vertices = a->vertices,
                           .faces = a->faces,
                           .mass = tw_mesh_mass(a, 1000),
                           .damping = tw_damping_rayleigh(2, 0)};
    twModeSet *set, *thin;
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    ENSURE(body_coarse_set(&thin, set, b, NULL) == TW_OK);
    ENSURE(thin->vertex_count == b->vertex_count && thin->freq_hz[0] == 100);
    for (int i = 0; i < b->vertex_count; i++)
    {
        // the fine surface is up to e^2/8R inside the coarse one's vertices
        const twVec3 u = tw_mode_set_shape(thin, 0, i);
        ENSURE_NEAR(u.x, 1 + 2 * b->vertices[i].x, 2 * 2e-4);
        ENSURE_NEAR(u.z, 5 * b->vertices[i].z, 1e-6);
    }
    tw_mode_set_destroy(set);
    tw_mode_set_destroy(thin);
    free(shape);
    tw_mesh_destroy(a);
    tw_mesh_destroy(b);
    return 0;
}

static int a_flexible_body_touches_with_edges_as_told(void)
{
    twBodies* bodies[2];
    twScene* scene[2];
    twError err;
    static const char* const text[] = {
        "bodies: {bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 3, accuracy: 0.2}}}\n",
        "bodies: {bar: {shape: \"bar:0.2x0.02x0.01\", flexible: {modes: 3, accuracy: 0.2}, edge: 0.1}}\n"};
    for (int i = 0; i < 2; i++) ENSURE(create_bodies(&bodies[i], &scene[i], text[i], &err) == TW_OK);
    const twModeSet *fine = tw_bodies_set(bodies[0], 0), *coarse = tw_bodies_set(bodies[1], 0);
    ENSURE(coarse->vertex_count < fine->vertex_count && coarse->mode_count == fine->mode_count);
    for (int k = 0; k < 3; k++) ENSURE(coarse->freq_hz[k] == fine->freq_hz[k]);
    for (int i = 0; i < 2; i++) tw_bodies_destroy(bodies[i]), tw_scene_destroy(scene[i]);
    return 0;
}

// ---- the start ----

static int a_bent_bar_begins_as_beam_theory_bends_it(void)
{
    twBodies* bodies;
    twScene* scene;
    twError err;
    const twStatus status = create_bodies(
        &bodies, &scene,
        "gravity: [0, 0, 0]\nbodies: {bar: {shape: \"bar:0.2x0.02x0.01\", kind: fixed, hold: x<-0.0999, turn: [90, 0, 0],\n"
        "  flexible: {modes: 6, max_freq: 20000, accuracy: 0.2}, bend: {at: [0.1, 0, 0], force: [0, 10, 0]}}}\n",
        &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    const int tip = tw_body_shape_nearest(tw_bodies_shape(bodies, 0), tw_vec3(0.1, 0, 0));
    const twVec3 at = tw_world_point(tw_bodies_world(bodies), 0, tip, 0, NULL);
    const twVec3 rest = tw_quat_rotate(scene->bodies[0].motion.turn, tw_bodies_set(bodies, 0)->vertices[tip]);
    // turned about x, the force pulls along the bar's own -z, across its thickness: F L^3 / 3 E I
    const double young = scene->shapes[0].material.young, inertia = 0.02 * pow(0.01, 3) / 12;
    ENSURE_NEAR(at.y - rest.y, 10 * pow(0.2, 3) / (3 * young * inertia),
                0.03 * 10 * pow(0.2, 3) / (3 * young * inertia));
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);
    return 0;
}

// clang-format off
// F = k x^1.5 at each of four corners carries a quarter of the weight
static int what_stands_begins_in_balance_unless_told_otherwise(void)
{
    const double sunk = pow(2 * 9.81 / 4 / 1e6, 1 / 1.5);
    for (int i = 0; i < 2; i++)
    {
        twBodies* bodies;
        twScene* scene;
        twError err;
        char text[400];
        snprintf(text, sizeof text,
                 "ground: {}\nbodies: {b: {shape: \"box:0.1x0.1x0.1\", mass: 2, position: [0, 0, 0.05]}}\n"
                 "touch: [{between: [steel, steel], impact: {stiffness: 1.0e+6, exponent: 1.5, dissipation: 0}}]\n%s",
                 i ? "world: {settle: false}\n" : "");
        ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
        ENSURE_NEAR(0.05 - tw_world_motion(tw_bodies_world(bodies), 0, 0, NULL, NULL).position.z, i ? 0 : sunk,
                    1e-3 * sunk);
        tw_bodies_destroy(bodies);
        tw_scene_destroy(scene);
    }
    return 0;
}

TEST_MAIN(
    RUN(a_falling_ball_is_where_gravity_puts_it)
    RUN(a_moved_body_is_where_its_path_puts_it_and_pushes)
    RUN(touches_set_how_much_of_a_bounce_is_left)
    RUN(taps_give_their_impulse)
    RUN(taps_shorter_than_a_step_are_not_passed_over)
    RUN(pickups_do_not_depend_on_the_frame_rate)
    RUN(arrows_are_the_largest_forces_until_the_next_frame)
    RUN(a_render_that_is_killed_anywhere_goes_on_to_the_same_files)
    RUN(an_interrupted_render_goes_on_or_begins_again)
    RUN(a_full_disk_loses_nothing_that_was_simulated)
    RUN(what_cannot_go_on_says_why_and_changes_nothing)
    RUN(bodies_in_each_other_are_named_with_their_place)
    RUN(a_linear_motion_is_the_same_on_a_coarser_surface)
    RUN(a_flexible_body_touches_with_edges_as_told)
    RUN(what_stands_begins_in_balance_unless_told_otherwise)
    RUN(a_bent_bar_begins_as_beam_theory_bends_it)
)
