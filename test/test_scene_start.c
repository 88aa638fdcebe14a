// SPDX-License-Identifier: MIT
// Scenes that begin where another one ends (initial_state): two parts against one run, who is who, what is refused, when parts are
// rendered, and the list of numbers that a world ends with.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "test.h"
#include "world.h"
#include <math.h>
#include <string.h>

static const char bodies[] =
    "ground: {material: wood}\ndefault_flexible: false\n"
    "bodies:\n"
    "  marble: {shape: 'sphere:0.01', material: glass, position: [-0.1, 0.1, 0.02], velocity: [1.5, 0, 0.5]}\n"
    "  block: {shape: 'box:0.04x0.04x0.02', material: wood, position: [0, 0, 0.01], velocity: [0.3, 0, 0]}\n"
    "  arm: {shape: 'box:0.2x0.01x0.01', material: steel, position: [0.1, 0.2, 0.3]}\n"
    "joints: [{kind: hinge, between: [arm, world], at: [0, 0.2, 0.3], axis: [0, 1, 0]}]\n"
    "listeners: {}\n";

// a file beside the tests' folders
static bool put_file(const char* name, const char* head, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    if (!file) return false;
    fprintf(file, "%s\n%s", head, text);
    return fclose(file) == 0;
}

static twStatus render_file(const char* name, const char* folder, twRenderDef def, twRenderReport* report, twError* err)
{
    char path[1024];
    twScene* scene;
    twRenderReport own;
    twStatus status = tw_scene_load(&scene, in_folder(name), err);
    if (status != TW_OK) return status;
    snprintf(path, sizeof path, "%s", in_folder(folder));
    def.folder = path;
    def.no_picture = true;
    def.checkpoint_seconds = 1e-9;
    status = tw_render(scene, &def, report ? report : &own, err);
    if (status == TW_OK && !report) tw_render_report_free(&own);
    tw_scene_destroy(scene);
    return status;
}

static bool fine(const char* name, const char* folder)
{
    twError err = {0};
    const bool good = render_file(name, folder, (twRenderDef){0}, NULL, &err) == TW_OK;
    if (!good) printf("%s\n", err.text);
    return good;
}

static twTrace* trace_of(const char* folder)
{
    twTrace* trace = NULL;
    twError err = {0};
    if (tw_trace_load(&trace, rendered(folder, "trace.twtrace"), &err) != TW_OK) printf("%s\n", err.text);
    return trace;
}

static int body_of(const twTrace* trace, const char* name)
{
    for (int i = 0; i < trace->body_count; i++)
        if (strcmp(trace->bodies[i].name, name) == 0) return i;
    return -1;
}

// the largest difference of a body's place and turn between two traces, the second so many frames later
static double apart(const twTrace* a, const twTrace* b, const char* name, int64_t later)
{
    double most = 0;
    for (int64_t k = 0; k < a->frame_count && later + k < b->frame_count; k++)
        for (int i = 0; i < 7; i++)
            most = fmax(most, fabs((double)tw_trace_pose(a, k, body_of(a, name))[i] -
                                   (double)tw_trace_pose(b, later + k, body_of(b, name))[i]));
    return most;
}

// ---- going on ----

static int two_parts_move_as_one(void)
{
    ENSURE(put_file("whole.yaml", "duration: 0.4", bodies) && put_file("first.yaml", "duration: 0.2", bodies));
    ENSURE(put_file("second.yaml", "duration: 0.2\ninitial_state: {scene: first.yaml}", bodies));
    ENSURE(fine("whole.yaml", "whole") && fine("second.yaml", "second"));
    twTrace *whole = trace_of("whole"), *second = trace_of("second");
    ENSURE(whole && second && whole->frame_count == 24 && second->frame_count == 12);
    ENSURE(apart(second, whole, "marble", 12) < 1e-6 && apart(second, whole, "arm", 12) < 1e-6);
    ENSURE(apart(second, whole, "block", 12) < 1e-6);
    // they have moved
    ENSURE(fabs((double)tw_trace_pose(second, 0, 0)[0] + 0.1) > 0.2);
    tw_trace_destroy(whole);
    tw_trace_destroy(second);
    return 0;
}

static int bodies_are_known_by_their_names(void)
{
    static const char others[] =
        "ground: {material: wood}\ndefault_flexible: false\n"
        "bodies:\n"
        "  new: {shape: 'sphere:0.01', material: glass, position: [0, -0.3, 0.01]}\n"
        "  arm: {shape: 'box:0.2x0.01x0.01', material: steel, kind: fixed, position: [5, 5, 5]}\n"
        "  block: {shape: 'box:0.04x0.04x0.02', material: wood, position: [0, 0, 0.01]}\n"
        "listeners: {}\n";
    ENSURE(put_file("first.yaml", "duration: 0.2", bodies));
    ENSURE(put_file("others.yaml", "duration: 0.1\ninitial_state: {scene: first.yaml}", others));
    ENSURE(fine("others.yaml", "others"));
    twTrace *first = trace_of("first"), *next = trace_of("others");
    ENSURE(first && next && next->body_count == 3);
    const float *arm = tw_trace_pose(next, 0, 1), *was = tw_trace_pose(first, first->frame_count - 1, 2);
    const float *block = tw_trace_pose(next, 0, 2), *old = tw_trace_pose(first, first->frame_count - 1, 1);
    // the last frame is 1/60 s before the end
    ENSURE(fabs((double)arm[0] - (double)was[0]) < 0.05 && fabs((double)arm[2] - (double)was[2]) < 0.05);
    ENSURE(fabs((double)block[0] - (double)old[0]) < 0.01 && (double)block[0] > 0.005);
    ENSURE((double)tw_trace_pose(next, 0, 0)[1] < -0.299);
    // what is fixed now stays; what slid goes on and stops, and does not drop
    ENSURE(apart(next, next, "arm", 3) == 0 && apart(next, next, "block", 3) < 0.01);
    ENSURE(fabs((double)tw_trace_pose(next, 5, 2)[2] - (double)old[2]) < 1e-5);
    tw_trace_destroy(first);
    tw_trace_destroy(next);
    return 0;
}

// ---- when parts are rendered ----

static int a_part_is_rendered_first_if_it_must_be(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(put_file("p1.yaml", "duration: 0.05", bodies));
    ENSURE(put_file("p2.yaml", "duration: 0.05\ninitial_state: {scene: p1.yaml}", bodies));
    ENSURE(put_file("p3.yaml", "duration: 0.05\ninitial_state: {scene: p2.yaml}", bodies));
    ENSURE(render_file("p3.yaml", "parts/p3", (twRenderDef){0}, &report, &err) == TW_OK);
    ENSURE(strstr(report.before, "parts/p2") && access(in_folder("parts/p1/trace.twtrace"), F_OK) == 0);
    tw_render_report_free(&report);
    ENSURE(render_file("p3.yaml", "parts/p3", (twRenderDef){0}, &report, &err) == TW_OK && !report.before[0]);
    tw_render_report_free(&report);
    // a change of the first is one of all
    ENSURE(put_file("p1.yaml", "duration: 0.06", bodies));
    ENSURE(render_file("p3.yaml", "parts/p3", (twRenderDef){0}, &report, &err) == TW_OK);
    ENSURE(strstr(report.before, "parts/p2"));
    tw_render_report_free(&report);
    return 0;
}

static bool stop_late(double done, void* context)
{
    (void)context;
    return done < 0.8;
}

static int a_part_that_was_interrupted_goes_on_to_the_bit(void)
{
    twError err = {0};
    const twRenderDef cut = {.keep_going = stop_late}, again = {.resume = true};
    ENSURE(put_file("first.yaml", "duration: 0.2", bodies));
    ENSURE(put_file("second.yaml", "duration: 0.2\ninitial_state: {scene: first.yaml}", bodies));
    ENSURE(fine("first.yaml", "first") && fine("second.yaml", "second"));
    ENSURE(put_file("cut.yaml", "duration: 0.2\ninitial_state: {scene: first.yaml}", bodies));
    ENSURE(render_file("cut.yaml", "cut", cut, NULL, &err) == TW_INTERRUPTED);
    ENSURE(render_file("cut.yaml", "cut", again, NULL, &err) == TW_OK);
    ENSURE(same_file("second", "cut", "trace.twtrace"));
    // not from something else
    ENSURE(render_file("cut.yaml", "cut", cut, NULL, &err) == TW_INTERRUPTED);
    ENSURE(put_file("first.yaml", "duration: 0.25", bodies) && fine("first.yaml", "first"));
    ENSURE(render_file("cut.yaml", "cut", again, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "was changed since, or what it begins from"));
    return 0;
}

// ---- what is refused ----

static bool says(const char* head, const char* text, const char* what)
{
    twError err = {0};
    if (!put_file("bad.yaml", head, text)) return false;
    const twStatus status = render_file("bad.yaml", "bad", (twRenderDef){0}, NULL, &err);
    const bool right =
        status != TW_OK && strstr(err.text, what) && strstr(err.text, "bad.yaml:") && strstr(err.text, "^~~");
    if (!right) printf("%s: %s\n", what, err.text);
    return right;
}

static int what_does_not_fit_is_told_with_its_place(void)
{
    static const char larger[] =
        "bodies: {block: {shape: 'box:0.05x0.04x0.02', material: wood, flexible: false}}\nlisteners: {}\n";
    static const char heavier[] =
        "bodies: {block: {shape: 'box:0.04x0.04x0.02', material: steel, flexible: false}}\nlisteners: {}\n";
    static const char bent[] =
        "bodies: {block: {shape: 'box:0.04x0.04x0.02', material: wood, flexible: {modes: 2}, coupling: one-way}}\nlisteners: {}\n";
    static const char stranger[] =
        "bodies: {stranger: {shape: 'box:0.04x0.04x0.02', material: wood, flexible: false}}\nlisteners: {}\n";
    ENSURE(put_file("first.yaml", "duration: 0.1", bodies) && fine("first.yaml", "first"));
    const char* from = "duration: 0.1\ninitial_state: {scene: first.yaml}";
    ENSURE(says(from, larger, "body 'block' touches with"));
    ENSURE(says(from, heavier, "body 'block' weighs"));
    ENSURE(says(from, bent, "body 'block' has 0 modes there, and 2 here"));
    ENSURE(says(from, stranger, "no body there has the name of one here"));
    ENSURE(says("initial_state: none.twtrace", larger, "there is no "));
    ENSURE(says("initial_state: {scene: none.yaml}", larger, "there is no "));
    ENSURE(says("initial_state: first.yaml", larger, "write 'initial_state: {scene: first.yaml}'"));
    ENSURE(says("initial_state: {scene: first/trace.twtrace}", larger, "'scene' must be a scene"));
    ENSURE(says("initial_state: {scene: bad.yaml}", larger, "in a circle"));
    ENSURE(put_file("broken.twtrace", "TWTRACE", "") &&
           says("initial_state: broken.twtrace", larger, "broken.twtrace"));
    return 0;
}

static int a_trace_that_is_not_whole_is_no_start(void)
{
    static const char block[] =
        "bodies: {block: {shape: 'box:0.04x0.04x0.02', material: wood, flexible: false}}\nlisteners: {}\n";
    const twRenderDef cut = {.keep_going = stop_late};
    twError err = {0};
    ENSURE(put_file("first.yaml", "duration: 0.1", bodies));
    ENSURE(render_file("first.yaml", "unfinished", cut, NULL, &err) == TW_INTERRUPTED);
    char* bytes;
    size_t count;
    ENSURE(render_read(&bytes, &count, "unfinished", "trace.twtrace.part"));
    FILE* file = fopen(in_folder("part.twtrace"), "wb");
    ENSURE(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    free(bytes);
    ENSURE(says("initial_state: part.twtrace", block, "is not whole"));
    return 0;
}

static int a_trace_of_another_place_is_a_start(void)
{
    char head[1200];
    ENSURE(put_file("first.yaml", "duration: 0.2", bodies) && fine("first.yaml", "first"));
    ENSURE(put_file("second.yaml", "duration: 0.2\ninitial_state: {scene: first.yaml}", bodies) &&
           fine("second.yaml", "second"));
    snprintf(head, sizeof head, "duration: 0.2\ninitial_state: first/trace.twtrace");
    ENSURE(put_file("named.yaml", head, bodies) && fine("named.yaml", "elsewhere/named"));
    twTrace *a = trace_of("second"), *b = trace_of("elsewhere/named");
    ENSURE(a && b && apart(a, b, "marble", 0) == 0 && apart(a, b, "block", 0) == 0);
    tw_trace_destroy(a);
    tw_trace_destroy(b);
    return 0;
}

// ---- the list of numbers ----

// two boxes on a floor, the smaller one on the other, where no edges cross (in another order those begin anew); other: the higher one first
static Stage* boxes(bool other)
{
    Stage* s = stage();
    const twBodyShape *box = stage_box(s, 0.1, 0.1, 0.1, 1000), *small = stage_box(s, 0.08, 0.08, 0.08, 1000);
    stage_floor(s, 1, 1);
    stage_body(s, other ? small : box, other ? 0.005 : 0, 0, other ? 0.1401 : 0.0501);
    stage_body(s, other ? box : small, other ? 0 : 0.005, 0, other ? 0.0501 : 0.1401);
    return s;
}

static int a_world_goes_on_in_another_order_without_a_drop(void)
{
    Stage *a = boxes(false), *b = boxes(true);
    double* numbers;
    size_t count;
    void* saved;
    size_t bytes;
    ENSURE(stage_start(a));
    tw_world_advance(a->world, 0.5);
    ENSURE(tw_world_save(a->world, &saved, &bytes, NULL) == TW_OK);
    free(saved);
    ENSURE(tw_world_end(&numbers, &count, a->world, NULL) == TW_OK);
    ENSURE(tw_world_end_bodies(numbers, count) == 3 && tw_world_end_bodies(numbers, 2) == -1);
    const int from[3] = {0, 2, 1};
    const twWorldStart start = {numbers, count, from};
    b->def.start = &start;
    ENSURE(stage_start(b));
    tw_world_advance(b->world, 0.5);
    tw_world_advance(a->world, 1);
    for (int i = 0; i < 3; i++)
    {
        const twVec3 x = tw_world_motion(a->world, from[i], 1, NULL, NULL).position;
        const twVec3 y = tw_world_motion(b->world, i, 0.5, NULL, NULL).position;
        ENSURE(tw_vec3_norm(tw_vec3_sub(x, y)) < 1e-9);
    }
    const twWorldEnergy energy = tw_world_energy(b->world);
    ENSURE(energy.total_rise < 1e-11 * energy.start);  // round-off, as in a
    free(numbers);
    stage_free(a);
    stage_free(b);
    return 0;
}

static int damaged_numbers_are_refused_or_harmless(void)
{
    Stage* a = boxes(false);
    double* numbers;
    size_t count;
    int refused = 0;
    twRng rng = tw_rng(5);
    ENSURE(stage_start(a));
    tw_world_advance(a->world, 0.1);
    ENSURE(tw_world_end(&numbers, &count, a->world, NULL) == TW_OK);
    double* changed = malloc(count * sizeof *changed);
    ENSURE(changed);
    for (int round = 0; round < 150; round++)
    {
        Stage* b = boxes(false);
        static const double values[] = {-1, 0, 1, 2, 1e6, -1e3, 0.5, 1e300, 24, 255};
        const int from[3] = {0, 1, 2};
        memcpy(changed, numbers, count * sizeof *changed);
        // every number of the first ones, then any
        const size_t at = round < 100 ? (size_t)round : tw_rng_next(&rng) % count;
        changed[at] = values[tw_rng_next(&rng) % 10];
        const twWorldStart start = {changed, round % 10 == 9 ? tw_rng_next(&rng) % count : count, from};
        b->def.start = &start;
        const bool started = stage_start(b);
        ENSURE(started || b->err.status == TW_BAD_INPUT);
        if (started) tw_world_advance(b->world, 0.01);
        refused += !started;
        stage_free(b);
    }
    ENSURE(refused > 25 && refused < 150);
    free(changed);
    free(numbers);
    stage_free(a);
    return 0;
}

TEST_MAIN(RUN(two_parts_move_as_one) RUN(bodies_are_known_by_their_names) RUN(a_part_is_rendered_first_if_it_must_be)
              RUN(a_part_that_was_interrupted_goes_on_to_the_bit) RUN(what_does_not_fit_is_told_with_its_place)
                  RUN(a_trace_that_is_not_whole_is_no_start) RUN(a_trace_of_another_place_is_a_start)
                      RUN(a_world_goes_on_in_another_order_without_a_drop) RUN(damaged_numbers_are_refused_or_harmless))
