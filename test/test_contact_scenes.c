// SPDX-License-Identifier: MIT
// The example scenes with bodies: what they are there to show.

#include "test.h"
#include "twang/bodies.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define SCENE(name) TEST_SOURCE_DIR "/scenes/" name ".yaml"

typedef struct Show
{
    twScene* scene;
    twBodies* bodies;
    twWorld* world;
} Show;

// modes: how many, found quickly; 0: all is rigid
static bool show(Show* s, const char* path, int modes)
{
    twError err = {0};
    const twBodiesDef def = tw_bodies_def();
    *s = (Show){0};
    if (tw_scene_load(&s->scene, path, &err) == TW_OK)
    {
        for (int i = 0; i < s->scene->shape_count; i++)
        {
            twSceneShape* shape = &s->scene->shapes[i];
            shape->flexible = shape->flexible && modes > 0;
            shape->mode_count = modes;
            shape->accuracy = 0.5;
            if (!shape->flexible) shape->hold_count = 0;
            if (!shape->flexible && shape->ball_radius == 0) shape->edge = 0;
        }
        if (tw_bodies_create(&s->bodies, s->scene, &def, &err) == TW_OK) s->world = tw_bodies_world(s->bodies);
    }
    if (!s->world) printf("%s\n", err.text);
    return s->world != NULL;
}

static void done(Show* s)
{
    tw_bodies_destroy(s->bodies);
    tw_scene_destroy(s->scene);
}

static int body_of(const Show* s, const char* name)
{
    int i = 0;
    while (i < s->scene->body_count - 1 && strcmp(s->scene->bodies[i].name, name) != 0) i++;
    return i;
}

static twVec3 place(const Show* s, int body, double time)
{
    return tw_world_motion(s->world, body, time, NULL, NULL).position;
}

// how far any body but these two gets from where it was
static double farthest(Show* s, double until, int but, int and)
{
    twVec3* start = malloc((size_t)s->scene->body_count * sizeof *start);
    double far = 0;
    for (int i = 0; start && i < s->scene->body_count; i++) start[i] = place(s, i, 0);
    for (double t = 0.01; start && t <= until; t += 0.01)
    {
        tw_world_advance(s->world, t);
        for (int i = 0; i < s->scene->body_count; i++)
            if (i != but && i != and) far = fmax(far, tw_vec3_norm(tw_vec3_sub(place(s, i, t), start[i])));
    }
    free(start);
    return far;
}

static bool is_sound(const Show* s)
{
    const twWorldStats stats = tw_world_stats(s->world);
    const twWorldEnergy e = tw_world_energy(s->world);
    return stats.failures == 0 && stats.lost == 0 && stats.dropped == 0 && e.largest_rise < 1e-9 * (e.start + e.work);
}

// The losses make up what is gone, and each of two that a scene is about is more than the sum may be off by.
static bool closes(const char* path, int modes, double until, twLoss first, twLoss second)
{
    Show s;
    if (!show(&s, path, modes)) return false;
    tw_world_advance(s.world, until);
    const twWorldEnergy e = tw_world_energy(s.world);
    const double gone = e.start + e.work - e.kinetic - e.elastic - e.weight - e.contacts;
    double sum = 0, largest = 0;
    for (int i = 0; i < TW_LOSS_COUNT; i++)
    {
        sum += e.loss[i];
        largest = fmax(largest, fabs(e.loss[i]));
    }
    const bool named = fabs(e.loss[first]) > 1e-6 * gone && fabs(e.loss[second]) > 1e-6 * gone;
    const bool fine =
        is_sound(&s) && fabs(gone - sum) < 1e-9 * largest && fabs(e.loss[TW_LOSS_SOLVER]) < 1e-9 * largest;
    if (!fine || !named) printf("%s: gone %g J, sum %g J\n", path, gone, sum);
    done(&s);
    return fine && named;
}

static int losses_are_all_that_is_gone(void)
{
    ENSURE(closes(SCENE("dominoes"), 0, 0.5, TW_LOSS_SLIP, TW_LOSS_ROLLBACK));
    ENSURE(closes(SCENE("marbles"), 0, 0.15, TW_LOSS_NORMAL, TW_LOSS_SLIP));
    ENSURE(closes(SCENE("table"), 12, 0.3, TW_LOSS_MATERIAL, TW_LOSS_NORMAL));
    ENSURE(closes(SCENE("mug"), 20, 0.4, TW_LOSS_MATERIAL, TW_LOSS_SLIP));
    return 0;
}

static int dishes_jump_on_a_table_that_bends_and_stay_on_one_that_does_not(void)
{
    Show s;
    ENSURE(show(&s, SCENE("table"), 0));
    ENSURE(farthest(&s, 0.5, body_of(&s, "box"), -1) < 2e-5);
    ENSURE(is_sound(&s));
    done(&s);
    ENSURE(show(&s, SCENE("table"), 12));
    ENSURE(farthest(&s, 0.5, body_of(&s, "box"), body_of(&s, "table")) > 2e-3);
    ENSURE(is_sound(&s));
    done(&s);
    return 0;
}

// cycles per second of the tip, by where its height rises through the mean; a tenth of the swing is too little to count
static double pitch(const Show* s, int vertex, double from, double to)
{
    double height[4000], mean = 0, swing = 0, first = 0, last = 0;
    const int count = (int)((to - from) * 1e4);
    int rises = 0;
    for (int i = 0; i < count; i++)
    {
        tw_world_advance(s->world, from + 1e-4 * i);
        height[i] = tw_world_point(s->world, 0, vertex, from + 1e-4 * i, NULL).z;
        mean += height[i] / count;
    }
    for (int i = 0; i < count; i++) swing = fmax(swing, fabs(height[i] - mean));
    for (int i = 0, low = 0; i < count; i++)
    {
        if (height[i] < mean - 0.1 * swing) low = 1;
        if (!low || height[i] < mean) continue;
        low = 0;
        last = 1e-4 * i;
        if (rises++ == 0) first = last;
    }
    return rises > 1 ? (rises - 1) / (last - first) : 0;
}

// At first 165 mm stand out, later less than 100 mm. A beam that is clamped at the edge has 0.1615 (h / L^2) sqrt(E / density);
// this one can turn there, and lift off, and is lower.
static int the_pitch_of_a_ruler_rises_as_it_is_pulled_back(void)
{
    Show s;
    ENSURE(show(&s, SCENE("ruler-moving"), 10));
    const twMaterial* m = &s.scene->shapes[0].material;
    const double beam = 0.1615 * 0.001 * sqrt(m->young / m->density);
    const int tip = tw_body_shape_nearest(tw_bodies_shape(s.bodies, 0), tw_vec3(0.1, 0, 0));
    const double low = pitch(&s, tip, 0.02, 0.3), high = pitch(&s, tip, 0.8, 0.9);
    ENSURE(low > 0.6 * beam / (0.165 * 0.165) && low < beam / (0.165 * 0.165));
    ENSURE(high > 1.6 * low && high < beam / (0.09 * 0.09));
    ENSURE(is_sound(&s));
    done(&s);
    return 0;
}

// how the speed of the reed's tip along its way changes: its standard deviation, and how often it turns back [1/s]
static double squeal(const Show* s, int vertex, double* turns)
{
    const int count = 4000;
    double mean = 0, square = 0;
    int changes = 0;
    for (int i = 0, back = 0; i < count; i++)
    {
        twVec3 v;
        const double t = 0.2 + 5e-5 * i;
        tw_world_advance(s->world, t);
        tw_world_point(s->world, 0, vertex, t, &v);
        mean += v.x / count;
        square += v.x * v.x / count;
        changes += (v.x < 0) != back;
        back = v.x < 0;
    }
    *turns = changes / (5e-5 * count);
    return sqrt(fmax(0, square - mean * mean));
}

static int a_reed_drawn_under_an_arm_squeals_and_a_rigid_one_does_not(void)
{
    Show s;
    double turns;
    ENSURE(show(&s, SCENE("squeak"), 0));
    int tip = tw_body_shape_nearest(tw_bodies_shape(s.bodies, 0), tw_vec3(0.04, 0, 0));
    ENSURE(squeal(&s, tip, &turns) < 1e-6);
    done(&s);
    ENSURE(show(&s, SCENE("squeak"), 6));
    tip = tw_body_shape_nearest(tw_bodies_shape(s.bodies, 0), tw_vec3(0.04, 0, 0));
    ENSURE(squeal(&s, tip, &turns) > 0.05);  // it is drawn at 0.053 m/s
    ENSURE(turns > 500);
    ENSURE(is_sound(&s));
    done(&s);
    return 0;
}

#define MOST 4096  // contacts, pairs

// what two bodies do to each other
typedef struct Rest
{
    int body[2];
    double force, before, sum, change2;
} Rest;

typedef struct Quiet
{
    twContactForce now[MOST];  // of each contact
    Rest rest[MOST];
    int contact_count, rest_count;
} Quiet;

static void take(Quiet* q, const twContactForce* f)
{
    int k = 0;
    while (k < q->contact_count && q->now[k].id != f->id) k++;
    if (k == MOST) return;
    if (k == q->contact_count) q->contact_count++;
    q->now[k] = *f;
}

static Rest* rest_of(Quiet* q, const int body[2])
{
    int k = 0;
    while (k < q->rest_count && (q->rest[k].body[0] != body[0] || q->rest[k].body[1] != body[1])) k++;
    if (k == MOST) return &q->rest[0];
    if (k == q->rest_count) q->rest[q->rest_count++] = (Rest){.body = {body[0], body[1]}};
    return &q->rest[k];
}

// RMS change of a pair's force from one millisecond, the step at rest, to the next, over its mean: the worst of all pairs
static double jitter(const Show* s, int from, int to)
{
    Quiet* q = calloc(1, sizeof *q);
    double worst = 0;
    for (int ms = 1; q && ms <= to; ms++)
    {
        int count;
        tw_world_advance(s->world, 1e-3 * ms);
        const twContactForce* f = tw_world_forces(s->world, &count);
        for (int i = 0; i < count; i++) take(q, &f[i]);
        for (int i = 0; i < q->rest_count; i++) q->rest[i].before = q->rest[i].force, q->rest[i].force = 0;
        for (int i = 0; i < q->contact_count; i++) rest_of(q, q->now[i].body)->force += tw_vec3_norm(q->now[i].force);
        for (int i = 0; i < q->rest_count && ms > from; i++)
        {
            Rest* r = &q->rest[i];
            r->sum += r->force;
            r->change2 += (r->force - r->before) * (r->force - r->before);
        }
    }
    for (int i = 0; q && i < q->rest_count; i++)
        if (q->rest[i].sum > 0) worst = fmax(worst, sqrt(q->rest[i].change2 * (to - from)) / q->rest[i].sum);
    const bool any = q && q->rest_count > 0;
    free(q);
    return any ? worst : HUGE_VAL;
}

static int slab_and_plates_at_rest_are_silent(void)
{
    Show s;
    ENSURE(show(&s, SCENE("slab"), 0));
    ENSURE(jitter(&s, 100, 500) < 1e-6);
    ENSURE(is_sound(&s));
    done(&s);
    ENSURE(show(&s, SCENE("plates"), 0));
    ENSURE(jitter(&s, 100, 450) < 1e-6);
    ENSURE(is_sound(&s));
    done(&s);
    return 0;
}

static int a_hundred_marbles_in_a_tray_come_to_silence(void)
{
    Show s;
    ENSURE(show(&s, SCENE("tray"), 0));
    ENSURE(jitter(&s, 1200, 1400) < 1e-4);
    ENSURE(is_sound(&s));
    done(&s);
    return 0;
}

TEST_MAIN(RUN(dishes_jump_on_a_table_that_bends_and_stay_on_one_that_does_not)
              RUN(the_pitch_of_a_ruler_rises_as_it_is_pulled_back)
                  RUN(a_reed_drawn_under_an_arm_squeals_and_a_rigid_one_does_not) RUN(losses_are_all_that_is_gone)
                      RUN(slab_and_plates_at_rest_are_silent) RUN(a_hundred_marbles_in_a_tray_come_to_silence))
